"""Capsule inspector: look into Murmur capsules and fire their lifecycle hooks.

The package is split into rooms whose imports only point down; docs/architecture.md
draws the map and `lint-imports` checks it.
"""

__version__ = "0.1.0"
