"""The window: Qt, and no guest.

Lives here: everything that imports PySide6. Not here: the state it shows (workbench),
guests (runtime, behind the protocol). Only __main__ and cli import it, late.
"""
