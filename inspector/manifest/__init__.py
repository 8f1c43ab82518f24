"""murmur.yaml as typed values with positions, and what is wrong with it.

Lives here: the capsule's manifest, a hook's own manifest, grants, diagnostics. Not
here: finding and opening files (capsule). Rooms above may import it.
"""
