"""Dialogs: short-lived windows that ask or tell one thing.

Lives here: one dialog per module. Not here: panes (views), reusable parts (widgets).
Only gui.main_window imports it.
"""
