"""Whether the document of a driver's own version has a sentence that the unified one has for all versions.

Where it has not, a deviation is inferred at most, and names the entry of the register that says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.oracles.engine.judged_call import RulesAsked
    from clconform.oracles.model.versions import Version


def lacking(record: str, versions: Iterable[Version], rulebook: RulesAsked) -> str:
    """Return the register's entry where the document of one of these versions lacks a record's sentence, else ''."""
    gap = rulebook.unstated_in(record)
    return gap.interpretation if gap is not None and any(version in gap for version in versions) else ""


def with_entry(words: str, interpretation: str) -> str:
    """Return a condition in words with the entry by which it is inferred."""
    if not interpretation:
        return words
    return f"{words} (the document of this version does not say so: {interpretation} in the register)".strip()
