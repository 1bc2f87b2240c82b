"""The reasons why some wrong answers cannot be noticed; each cites the text that leaves the answer open."""

from __future__ import annotations

import functools
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec

REASONS_PATH = Path(__file__).parent / "reasons.toml"


class UnnoticedReason(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why wrong answers of some classes to some subjects are not noticed.

    ``subjects``, ``classes`` and ``kinds`` are patterns for names; ``section``: the section whose text
    leaves the answer open; ``text``: the reason, a sentence about that text. ``interpretation``: the interpretation
    of this text, or empty.
    """

    subjects: tuple[str, ...]
    section: str
    text: str
    classes: tuple[str, ...] = ("*",)
    kinds: tuple[str, ...] = ("*",)
    interpretation: str = ""


class _ReasonFile(msgspec.Struct, frozen=True):
    reason: tuple[UnnoticedReason, ...]


@functools.cache
def load_reasons() -> tuple[UnnoticedReason, ...]:
    """Return all reasons, in the order of the file."""
    return msgspec.toml.decode(REASONS_PATH.read_bytes(), type=_ReasonFile).reason


@functools.cache
def find_reason(subject: str, wrong: str, kind: str) -> UnnoticedReason | None:
    """Return the first reason for a wrong answer of a class to a subject with a kind of object, or None."""
    for reason in load_reasons():
        patterns = ((subject, reason.subjects), (wrong, reason.classes), (kind, reason.kinds))
        if all(any(fnmatchcase(name, each) for each in wanted) for name, wanted in patterns):
            return reason
    return None
