"""Matches many patterns with many ids of requirements, without matching every pattern with every id.

A pattern contains wildcards like those of the command line: ``*``, ``?`` and ``[...]``. A pattern without wildcards is
an id. A file of known deviations may contain ten thousand patterns, and the tables contain thousands of ids.
"""

from __future__ import annotations

import functools
import re
from bisect import bisect_right
from fnmatch import translate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

WILDCARD = re.compile(r"[*?\[]")
_WHOLE_WILDCARD = re.compile(r"[*?]|\[!?+\]?+[^\]]*+\]")
"""A wildcard with its end; ``[`` without an end is an ordinary character, as in ``fnmatch``."""
MAX_CACHED_IDS = 1_000_000
"""Maximum number of ids in all cached results of an index."""


def is_pattern(text: str) -> bool:
    """Return whether a text contains a wildcard."""
    return WILDCARD.search(text) is not None


def longest_literal(pattern: str) -> str:
    """Return the longest text without wildcards in a pattern: every matching id contains it."""
    return max(_WHOLE_WILDCARD.split(pattern), key=len)


def matches_pattern(pattern: str, requirement_id: str) -> bool:
    """Return whether a pattern matches an id, case-sensitively."""
    return pattern == requirement_id or _compiled(pattern)(requirement_id) is not None


@functools.lru_cache(maxsize=1 << 15)
def _compiled(pattern: str) -> Callable[[str], object]:
    return re.compile(translate(pattern)).match


class IdIndex:
    """An index of ids, which finds the ids that match a pattern."""

    def __init__(self, ids: Iterable[str]) -> None:
        self._ids = list(dict.fromkeys(ids))
        self._known = frozenset(self._ids)
        self._found: dict[str, list[str]] = {}
        self._cached_ids = 0
        # one text with all ids, so that a single search finds the ids that contain a literal part of a pattern
        self._starts: list[int] = []
        length = 0
        for each in self._ids:
            self._starts.append(length)
            length += len(each) + 1
        self._text = "\n".join(self._ids)

    def find_matching(self, pattern: str) -> list[str]:
        """Return the ids that a pattern matches, in their order."""
        found = self._found.get(pattern)
        if found is None:
            found = self._matching(pattern)
            if self._cached_ids + len(found) <= MAX_CACHED_IDS:
                self._cached_ids += len(found)
                self._found[pattern] = found
        return found

    def _matching(self, pattern: str) -> list[str]:
        if not is_pattern(pattern):
            return [pattern] if pattern in self._known else []
        return [each for each in self._candidates(pattern) if matches_pattern(pattern, each)]

    def _candidates(self, pattern: str) -> list[str]:
        """Return the ids that a pattern may match: those that contain its longest literal text."""
        literal = longest_literal(pattern)
        if not literal:
            return self._ids
        found = []
        at = self._text.find(literal)
        while at >= 0:
            place = bisect_right(self._starts, at) - 1
            found.append(self._ids[place])
            if place + 1 == len(self._ids):
                break
            at = self._text.find(literal, self._starts[place + 1])
        return found
