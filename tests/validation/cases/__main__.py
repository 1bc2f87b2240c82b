"""Compares the findings in the case programs with the table: ``python -m tests.validation.cases DRIVER [live|before]``.

``live``: each program is judged while it runs; ``before``: and each of its calls waits for the judge.
"""

from __future__ import annotations

import functools
import sys
import tempfile
from pathlib import Path

from .case_table import compare_cases, find_case, find_case_live, read_cases

WAYS = {"": find_case, "live": find_case_live, "before": functools.partial(find_case_live, stops="before")}

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as work:
        way = WAYS["".join(sys.argv[2:])]
        sys.exit(min(1, compare_cases(sys.argv[1], way, Path(work), read_cases())))
