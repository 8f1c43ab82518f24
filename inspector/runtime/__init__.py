"""Runs guests and dispatches events; the only room with wasmtime.

Lives here: engines, instances, the codec, host functions, the dispatcher. Not here:
the engine process (worker), files of a capsule (capsule). Only worker imports it.
"""
