"""The engine process: protocol in, runtime, protocol out.

Lives here: reading requests, carrying them out, writing replies and events. Not here:
guests and dispatch (runtime). Nothing but `__main__` imports it.
"""
