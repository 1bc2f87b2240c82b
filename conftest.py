"""Say at once, and in one line, when the package that these tests belong to is not installed."""

import importlib.util

import pytest

if importlib.util.find_spec("clconform") is None:
    raise pytest.UsageError("clconform is not installed here: run  python -m pip install -e .  in this folder first")
