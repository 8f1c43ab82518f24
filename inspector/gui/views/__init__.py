"""The views of the window: one pane each, fed by models.

Lives here: panes and what they draw. Not here: reusable controls (gui.widgets), state
(workbench), the engine (gui.engine_client). Only gui.main_window may import it.
"""
