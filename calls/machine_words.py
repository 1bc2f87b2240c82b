"""Machine words: numbers of type size_t as bytes in the memory of a little-endian machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def pack_words(numbers: Iterable[int], word_bytes: int) -> bytes:
    """Return an array of words; OverflowError if a number is negative or does not fit into a word."""
    return b"".join(number.to_bytes(word_bytes, "little") for number in numbers)


def unpack_words(content: bytes, word_bytes: int) -> tuple[int, ...]:
    """Return the complete words in an array."""
    starts = range(0, len(content) - word_bytes + 1, word_bytes)
    return tuple(int.from_bytes(content[start : start + word_bytes], "little") for start in starts)
