"""The host side of a hook's imports: what a hook may ask of the runtime.

Lives here: task-io, conversation, tokens, inference, the gate in front of wasi:http,
and the ledger of what was used. Not here: instances and the codec (runtime). Only
runtime and worker import it.
"""
