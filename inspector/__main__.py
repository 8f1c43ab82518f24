"""Which role this process has: engine, or command line and window.

Lives here: the choice, before any heavy import. Not here: what the roles do (worker,
cli, gui). Nobody imports it; it is what starts.
"""

import sys

ENGINE_FLAG = "--engine"


def main() -> int:
    """Run the role that the command line names.

    Returns:
        The exit code.
    """
    if sys.argv[1:2] == [ENGINE_FLAG]:
        from inspector.worker.main import main as engine

        return engine()
    from inspector import cli

    return cli.main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
