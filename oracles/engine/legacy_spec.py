"""Sentences of the unified document that are missing in the document of the driver's version.

A deviation from such a sentence is at most inferred, and cites the interpretation for the gap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.oracles.engine.call_context import RuleSource
    from clconform.spec_tables.versions import Version


def find_legacy_gap(requirement: str, versions: Iterable[Version], rulebook: RuleSource) -> str:
    """Return the id of the interpretation for the gap if the document of one of ``versions`` lacks the requirement.

    Otherwise return an empty string.
    """
    gap = rulebook.basis.undocumented_versions(requirement)
    return gap.interpretation if gap is not None and any(version in gap for version in versions) else ""


def cite_legacy_gap(text: str, interpretation: str) -> str:
    """Return the text of a condition, followed by the interpretation for the gap in the older document, if any."""
    if not interpretation:
        return text
    return f"{text} (the document of this version does not state this; interpretation: {interpretation})".strip()
