"""What a hook is: types, versions, events, arms, faults.

Lives here: values only, read from the shipped WIT text and its rule tables. Not here:
files of users, wasmtime, Qt. Every room above may import it.
"""
