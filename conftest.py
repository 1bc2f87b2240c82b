"""Stops pytest with a one-line error if the clconform package is not installed."""

import importlib.util

import pytest

if importlib.util.find_spec("clconform") is None:
    raise pytest.UsageError("clconform is not installed here: run  python -m pip install -e .  in this folder first")
