"""What tests share: builders of components and capsules.

Lives here: typed helpers for every kind of test. Not here: tests. Only tests import it.
"""
