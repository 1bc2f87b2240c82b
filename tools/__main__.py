"""Runs the command line as a module: ``python -m clconform.tools``."""

from clconform.tools.cli import main

if __name__ == "__main__":
    main()
