"""Writes bytes in C: as a repeated pattern or an arithmetic series that a loop fills in, or else as a list."""

from __future__ import annotations

import textwrap
from typing import NamedTuple

MAX_LISTED_BYTES = 64
"""Up to this number of bytes, a list is the shortest form."""
MIN_SERIES_LENGTH = 64
"""Series are shorter than a list if their average length in bytes is at least this number."""
MAX_PATTERN_LENGTH = 64
"""Maximum length in bytes of a pattern whose repetitions a loop fills in."""
WIDTH = 114


class ByteSeries(NamedTuple):
    """Consecutive bytes with a constant difference, modulo ``modulus``."""

    start: int
    size: int
    first: int
    step: int
    modulus: int


NO_MODULUS = 256
"""A modulus above every byte; a series with this modulus does not wrap around."""


def find_series(content: bytes) -> list[ByteSeries]:
    """Split ``content`` into arithmetic series of bytes, each as long as possible."""
    found = []
    start = 0
    while start < len(content):
        one = _longest_series(content, start)
        found.append(one)
        start += one.size
    return found


def _longest_series(content: bytes, start: int) -> ByteSeries:
    """Return the longest series that starts at ``start``.

    Its modulus is fixed when a value first wraps around.
    """
    first = content[start]
    step = content[start + 1] - first if start + 1 < len(content) else 0
    if step < 0:
        return ByteSeries(start, 1, first, 0, NO_MODULUS)
    modulus = 0
    end = start + 1
    while end < len(content):
        plain = content[end - 1] + step
        excess = plain - content[end]
        wraps = excess if modulus == 0 < excess and excess > max(content[start:end]) else modulus
        if excess not in (0, wraps) or (excess == 0 and 0 < modulus <= plain):
            break
        modulus = wraps if excess else modulus
        end += 1
    return ByteSeries(start, end - start, first, step, modulus or NO_MODULUS)


def wrap_declaration(opening: str, parts: list[str], closing: str = "};") -> list[str]:
    """Return a declaration with a list of elements, as one or more lines."""
    whole = f"{opening}{', '.join(parts)}{closing}"
    if len(whole) <= WIDTH:
        return [whole]
    if any(part.endswith('"') or "\n" in part for part in parts):
        lines = [line for part in parts for line in f"{part},".split("\n")]
    else:
        lines = textwrap.wrap(", ".join(parts), WIDTH - 4, break_long_words=False, break_on_hyphens=False)
    return [opening, *(f"    {line}" for line in lines), closing]


def find_period(content: bytes) -> int:
    """Return the length of the pattern that ``content`` repeats, up to ``MAX_PATTERN_LENGTH``; 0 if there is none."""
    most = min(MAX_PATTERN_LENGTH, len(content) // 2)
    return next((size for size in range(1, most + 1) if content[size:] == content[:-size]), 0)


def declare_bytes(
    name: str, content: bytes, storage: str = "static _Alignas(128) unsigned char"
) -> tuple[list[str], bool]:
    """Return the lines that declare and fill an array with these bytes, and whether they call the helper ``series``."""
    parts = find_series(content) if len(content) > MAX_LISTED_BYTES else []
    if not parts or len(parts) * MIN_SERIES_LENGTH > len(content):
        period = find_period(content) if parts else 0
        listed = [f"0x{byte:02x}" for byte in content[: period or None]]
        lines = wrap_declaration(f"{storage} {name}[{len(content) if period else ''}] = {{", listed or ["0"])
        again = f"for (size_t i = {period}; i < sizeof {name}; i++) {name}[i] = {name}[i - {period}];"
        return [*lines, *([again] if period else [])], False
    filled = [
        f"series({name}{f' + {one.start}' if one.start else ''}, {one.size}, {one.first}, {one.step}, {one.modulus});"
        for one in parts
    ]
    return [f"{storage} {name}[{len(content)}];", *filled], True
