"""The state of the inspector without Qt: commands in, frozen states out.

Lives here: state and reducer, commands, explanations, formatting, search, scenarios and
the blocking client. Not here: widgets (gui), guests (runtime), printing (cli). Command
line and window import it.
"""
