"""The ``compare`` command: compares the results of two runs, or of two versions of a driver."""

from __future__ import annotations

import shlex

from rich.console import Console

from clconform.reports.comparison_text import comparison_as_markdown, print_comparison
from clconform.reports.json_documents import encode_document
from clconform.reports.result_comparison import compare_results as compared
from clconform.reports.result_comparison import comparison_verdict
from clconform.tools.output_text import print_text
from clconform.tools.result_commands import load_any_result


def print_comparison_of(old: str, new: str, *, as_json: bool, as_markdown: bool) -> int:
    """Print the changes between two results; return the exit code."""
    comparison = compared(load_any_result(old), load_any_result(new))
    if as_json:
        print_text(encode_document(comparison), nl=False)
    elif as_markdown:
        print_text(comparison_as_markdown(comparison), nl=False)
    else:
        print_comparison(comparison, Console(), new_path=shlex.quote(new))
    return comparison_verdict(comparison).code
