"""Qt models between the state of the workbench and the views.

Lives here: models that keep rows and tell of changes. Not here: painting (gui.views),
state (workbench). Only gui may import it.
"""
