"""From a path to a capsule: manifests plus hook bytes, with guards.

Lives here: sources (folder, project, archive, component, sample), stores, limits on
what is read. Not here: compiling and running (runtime). Rooms above may import it.
"""
