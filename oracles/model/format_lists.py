"""The lists of supported image formats that a context has returned, by flags and image type (section 5.3.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

FormatPair: TypeAlias = tuple[int, int]
"""The values of a channel order and of a channel data type."""
FormatUse: TypeAlias = tuple[int, int]
"""The values of the flags and of the image type for which a list was queried."""


@dataclass
class FormatList:
    """The image formats that a context listed for one use.

    ``number``: the returned number of formats, or None if unknown. ``formats``: the complete list, or None if unknown.
    """

    number: int | None = None
    formats: tuple[FormatPair, ...] | None = None


def known_formats(
    lists: Mapping[FormatUse, FormatList], uses: Iterable[FormatUse]
) -> list[frozenset[FormatPair]] | None:
    """Return the formats for each use, or None if the list for one of the uses is unknown."""
    found = []
    for use in uses:
        told = lists.get(use)
        if told is None or told.formats is None:
            return None
        found.append(frozenset(told.formats))
    return found


def is_listed(pair: FormatPair, lists: Mapping[FormatUse, FormatList]) -> bool:
    """Return whether a format is in any known list."""
    return any(pair in told.formats for told in lists.values() if told.formats is not None)


def parse_pairs(seen: Sequence[object]) -> list[FormatPair]:
    """Return the formats at the beginning of an output, up to the first format that was not written."""
    pairs = []
    for order, channel_type in zip(seen[::2], seen[1::2], strict=False):
        if not isinstance(order, int) or not isinstance(channel_type, int):
            break
        pairs.append((order, channel_type))
    return pairs
