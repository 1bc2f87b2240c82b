"""Merges the parts of a run, and writes the summary of the CI job."""

from __future__ import annotations

import os
from pathlib import Path

from clconform.reports.writer import SUMMARY
from clconform.tools import merge
from clconform.tools.errors import CommandError

VARIABLE = "GITHUB_STEP_SUMMARY"
"""The environment variable with the file to which a step of GitHub Actions appends its summary."""
MINIMISE_SECONDS = 10.0
"""The time limit for minimising each sequence, as for ``clconform run``."""


def merge_parts(parts: tuple[str, ...], out: str, known: str) -> int:
    """Merge the parts into a folder, append the summary to that of the job, and return the exit code of the verdict.

    CommandError if the summary cannot be written.
    """
    code = merge.merge_results(parts, out, known, MINIMISE_SECONDS)
    summary, page = os.environ.get(VARIABLE, ""), Path(out) / SUMMARY
    if summary and page.is_file():
        try:
            with Path(summary).open("a", encoding="utf-8") as file:
                file.write(page.read_text(encoding="utf-8"))
        except OSError as error:
            raise CommandError(f"{VARIABLE}={summary}: cannot write the summary ({error.strerror})") from None
    return code
