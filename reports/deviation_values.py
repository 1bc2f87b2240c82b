"""Compares the test values of a deviation with those at which it was known before, and describes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.journal import MAX_DEVIATION_TEST_VALUES, QUERY_SEPARATOR
from clconform.reports.escaping import escape_non_ascii, shorten

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

MAX_VALUE_CHARACTERS = 300
"""Maximum number of characters of a test value in a file of known deviations."""
MAX_VALUES_SHOWN, MAX_SHOWN_CHARACTERS = 5, 100
"""Maximum number of test values in a text, and of characters of each."""
SEPARATOR = " and "
"""Separates the test values of a call that violates two error conditions."""


def escape_value(test_value: str) -> str:
    """Return a test value as a file of known deviations names it."""
    return escape_non_ascii(test_value, limit=MAX_VALUE_CHARACTERS)


def find_new_values(now: Iterable[str], before: Collection[str]) -> list[str]:
    """Return the test values that only ``now`` contains; none if ``before`` is unknown or may be incomplete.

    ``before`` is unknown if it is empty: results of earlier versions have no test values of deviations.
    """
    if not before or is_full(before):
        return []
    return [value for value in now if value not in before]


def is_full(test_values: Collection[str]) -> bool:
    """Return whether a list of test values may be incomplete, because it has the maximum length."""
    return len(test_values) >= MAX_DEVIATION_TEST_VALUES


def find_unnamed_values(test_values: Iterable[str], named: Collection[str], *, several: bool) -> list[str]:
    """Return the test values that are not in ``named``, which are escaped.

    ``several``: the deviation is of several requirements, so that a test value may consist of those of single
    requirements. It is then enough that one of these is named.
    """
    return [
        value
        for value in map(escape_value, test_values)
        if value not in named and not (several and _is_part_named(value, named))
    ]


def _is_part_named(test_value: str, named: Collection[str]) -> bool:
    """Return whether a part of a combined test value is named, alone or after the query that the call makes."""
    padded = f"{SEPARATOR}{test_value}{SEPARATOR}"
    parts = (part for name in named for part in (name, name.partition(QUERY_SEPARATOR)[2]) if part)
    return any(f"{SEPARATOR}{part}{SEPARATOR}" in padded for part in parts)


def list_values(test_values: Sequence[str]) -> str:
    """Return the first test values as text, and the number of the others."""
    shown = "; ".join(shorten(value, limit=MAX_SHOWN_CHARACTERS) for value in test_values[:MAX_VALUES_SHOWN])
    more = len(test_values) - MAX_VALUES_SHOWN
    return shown + (f" and {more} more" if more > 0 else "")
