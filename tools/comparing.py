"""The ``compare`` command: compares the results of two runs, or of two versions of a driver."""

from __future__ import annotations

import shlex

from rich.console import Console

from clconform.reports.comparing import compare as compared
from clconform.reports.comparison_text import comparison_as_markdown, print_comparison
from clconform.reports.json_documents import encode
from clconform.runner.gate import exit_codes
from clconform.tools.results import any_result
from clconform.tools.saying import say


def compare(old: str, new: str, *, as_json: bool, as_markdown: bool) -> int:
    """Print the changes between two results; return the exit code."""
    comparison = compared(any_result(old), any_result(new))
    if as_json:
        say(encode(comparison), nl=False)
    elif as_markdown:
        say(comparison_as_markdown(comparison), nl=False)
    else:
        print_comparison(comparison, Console(), new_path=shlex.quote(new))
    return exit_codes.DEVIATIONS if comparison.counts["regression"] else exit_codes.AS_EXPECTED
