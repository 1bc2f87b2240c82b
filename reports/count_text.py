"""Formats a number with a noun."""

from __future__ import annotations


def count_text(count: int, noun: str) -> str:
    """Return a number with a noun, in the plural unless the number is 1."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
