"""Compares the findings in the case programs with the table: ``python -m tests.validation.cases DRIVER``."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from clconform.recording.layer_build import build_layer
from clconform.spec_tables import load

from .case_table import compare_cases, read_cases

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as work:
        sys.exit(min(1, compare_cases(sys.argv[1], build_layer(load()), Path(work), read_cases())))
