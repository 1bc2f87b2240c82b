"""Whether the document of a driver's own version lacks a sentence that the unified document has for all versions.

If it does, a deviation is at most inferred, and cites the interpretation for that gap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.oracles.engine.call_context import RuleSource
    from clconform.oracles.model.versions import Version


def find_legacy_gap(requirement: str, versions: Iterable[Version], rulebook: RuleSource) -> str:
    """Return the interpretation's id if the document of one of these versions lacks a requirement's sentence.

    Otherwise return an empty string.
    """
    gap = rulebook.undocumented_versions(requirement)
    return gap.interpretation if gap is not None and any(version in gap for version in versions) else ""


def cite_legacy_gap(text: str, interpretation: str) -> str:
    """Return the text of a condition with the interpretation by which it is inferred."""
    if not interpretation:
        return text
    return f"{text} (the document of this version does not state this; interpretation: {interpretation})".strip()
