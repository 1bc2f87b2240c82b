"""Versions of platforms, devices, languages, drivers and documents: the only module that reads them.

The strings come from drivers and may be of any form and length. No function raises an exception or overflows because of
a string's content, except ``read_version``, which reads the versions in the tables.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import NamedTuple

MAJOR_BITS, MINOR_BITS, PATCH_BITS = 10, 10, 12
"""The layout of a packed version (``cl_version``), from the highest bit."""
MAX_NUMBER = (1 << MAJOR_BITS) - 1
"""The largest major or minor number. A string with a larger number is not a version, since no ``cl_version`` has it."""
OPENCL, OPENCL_C = "OpenCL ", "OpenCL C "
"""How the versions of platforms and devices begin, and those of OpenCL C."""
_PAIR = r"([0-9]{1,4})\.([0-9]{1,4})(?![0-9])"
_AFTER_WORDS = re.compile(_PAIR)
_DOCUMENT = re.compile(_PAIR + r"(?:\.[0-9]{1,9})?")
_LANGUAGE = re.compile(r"([^ ]+)_" + _PAIR)
_MAX_DIGITS = 18
_NUMBER = re.compile(rf"(?<![0-9])[0-9]{{1,{_MAX_DIGITS}}}(?![0-9])")
_DOTTED = re.compile(rf"(?<![0-9])[0-9]{{1,{_MAX_DIGITS}}}(?:\.[0-9]{{1,{_MAX_DIGITS}}})+(?![0-9])")


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
    """Return the version ``major.minor`` in the tables, also with a further number; ValueError for another text."""
    version = _version_of(_DOCUMENT.fullmatch(text))
    if version is None:
        raise ValueError(f"{text!r} is not a version (major.minor)")
    return version


@functools.lru_cache
def parse_version(text: str, words: str = OPENCL) -> Version | None:
    """Return the version that follows ``words`` at the beginning of a string; None if there is none.

    Only ASCII digits count, and both numbers must be at most ``MAX_NUMBER``. Any text may follow.
    """
    return _version_of(_AFTER_WORDS.match(text, len(words))) if text.startswith(words) else None


def is_version_string(text: str, words: str = OPENCL) -> bool:
    """Return whether a string consists of ``words``, a version, a space and further information."""
    found = _AFTER_WORDS.match(text, len(words)) if text.startswith(words) else None
    return _version_of(found) is not None and found is not None and text.startswith(" ", found.end())


def parse_language_version(word: str) -> tuple[str, Version] | None:
    """Return the prefix and the version of an intermediate language, such as ``SPIR-V_1.2``; None for another word."""
    found = _LANGUAGE.fullmatch(word)
    if found is None or int(found[2]) > MAX_NUMBER or int(found[3]) > MAX_NUMBER:
        return None
    return found[1], Version(int(found[2]), int(found[3]))


def version_numbers(text: str) -> list[int] | None:
    """Return the numbers of the first dotted number in any text, or else its first number; None if there is none.

    A number with more than 18 digits does not count.
    """
    found = _DOTTED.search(text) or _NUMBER.search(text)
    return [int(number) for number in found[0].split(".")] if found else None


def _version_of(found: re.Match[str] | None) -> Version | None:
    """Return the version in two groups of digits; None without a match, or if a number is too large."""
    version = Version(int(found[1]), int(found[2])) if found is not None else None
    return version if version is not None and max(version) <= MAX_NUMBER else None


def format_packed_version(packed: int) -> str:
    """Return the major, minor and patch number of a packed version, in the usual notation."""
    return f"{unpack_version(packed)}.{packed & ((1 << PATCH_BITS) - 1)}"


def pack_version(major: int, minor: int, patch: int = 0) -> int:
    """Return a version as a packed number."""
    return major << (MINOR_BITS + PATCH_BITS) | minor << PATCH_BITS | patch


def unpack_version(packed: int) -> Version:
    """Return the major and minor number of a packed version."""
    return Version(packed >> (MINOR_BITS + PATCH_BITS), (packed >> PATCH_BITS) & ((1 << MINOR_BITS) - 1))
