"""Versions of platforms, devices and documents, read from strings."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import NamedTuple

MINOR_BITS, PATCH_BITS = 10, 12
"""The layout of a packed version: the bits of its minor and patch number; the major number is above these bits."""

_NUMBERS = re.compile(r"([0-9]{1,9})\.([0-9]{1,9})")


class Version(NamedTuple):
    """A major and a minor number; versions compare as pairs."""

    major: int
    minor: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"


@dataclass(frozen=True)
class UndocumentedVersions:
    """The versions, from ``since`` to before ``before``, whose documents lack a sentence of the unified document.

    ``interpretation``: the id of the interpretation for this gap.
    """

    since: Version
    before: Version
    interpretation: str

    def __contains__(self, version: Version) -> bool:
        """Return whether the document of a version lacks the sentence."""
        return self.since <= version < self.before


OLDEST = Version(1, 0)
"""The version that is assumed for a platform or device with an unknown version."""
UNIFIED = Version(3, 0)
"""The first version whose document also describes all earlier versions."""


@functools.lru_cache
def read_version(text: str) -> Version:
    """Return the first ``major.minor`` in a string; ValueError if there is none."""
    match = _NUMBERS.search(text)
    if match is None:
        raise ValueError(f"no version (major.minor) in {text!r}")
    return Version(int(match[1]), int(match[2]))


def format_packed_version(packed: int) -> str:
    """Return the major, minor and patch number of a packed version, in the usual notation."""
    minor = (packed >> PATCH_BITS) & ((1 << MINOR_BITS) - 1)
    return f"{packed >> (MINOR_BITS + PATCH_BITS)}.{minor}.{packed & ((1 << PATCH_BITS) - 1)}"


def pack_version(major: int, minor: int, patch: int = 0) -> int:
    """Return a version as a packed number."""
    return major << (MINOR_BITS + PATCH_BITS) | minor << PATCH_BITS | patch
