"""What the window and the engine say to each other: messages, frames, channel.

Lives here: values and their bytes, no I/O. Not here: processes and pipes (worker,
workbench.client, gui.engine_client). Rooms above may import it.
"""
