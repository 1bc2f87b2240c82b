"""Sets up the environment of this process for pytest."""

from __future__ import annotations

import os

from clconform.harness import cache_dirs


def prepare_environment() -> None:
    """Exclude the user's pytest settings from the run, and the user's folder from the files of Hypothesis."""
    for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
        os.environ.pop(name, None)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(cache_dirs.process_folder() / "hypothesis")
