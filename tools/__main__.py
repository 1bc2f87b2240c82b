"""Runs the command line as a module: ``python -m clconform.tools``."""

import os
import sys

if not sys.flags.safe_path and sys.path[:1] == [os.getcwd()]:  # noqa: PTH109 (pathlib is not imported yet)
    del sys.path[0]  # the current folder, whose files must not replace modules

from clconform.tools.start import main

if __name__ == "__main__":
    main()
