"""Reusable parts of the window that know nothing of hooks.

Lives here: controls built on Qt alone, and the look that they share (look, glyph). Not
here: palettes (gui.theme), anything about capsules (gui.views). Only gui may import it.
"""
