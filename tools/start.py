"""The entry point of the command line, which rejects systems on which its modules cannot be imported."""

from __future__ import annotations

import sys

BAD_USAGE = 2
"""The exit code ``calls.exit_codes.BAD_USAGE``; that module uses signals that Windows lacks."""


def main() -> None:
    """Run the command line; on a system other than Linux, print the reason why not, and exit."""
    if sys.platform != "linux":
        where = "run it on Linux, and test the drivers of this machine from there with --device (docs/devices.md)"
        sys.stderr.write(f"clconform: it needs Linux, but this is {sys.platform}; {where}\n")
        sys.exit(BAD_USAGE)
    from clconform.tools import cli

    cli.main()
