"""What a platform and its root devices claim about themselves, and coherent changes to it.

A version is told by a string and by a number, an extension by a string and by a list with revisions: a change alters
all of them, so that no answer contradicts another one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from clconform.oracles.model.versions import Version, packed, read_version

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from clconform.oracles.model.cl_object import Fact

FULL, EMBEDDED = "FULL_PROFILE", "EMBEDDED_PROFILE"
C_VERSION = "CL_DEVICE_OPENCL_C_VERSION"
SUFFIXES = ("", "_KHR")
_NUMBERS = re.compile(r"[0-9]+\.[0-9]+")
_OLDEST_REVISION = packed(1, 0)


@dataclass(frozen=True)
class Claim:
    """What one platform or device claims; ``answers``: by the name of a query, those that it gave.

    ``kind``: ``PLATFORM`` or ``DEVICE``, as in the names of its queries.
    """

    kind: str
    answers: Mapping[str, Fact]

    @property
    def version(self) -> Version:
        """Return the version that it claims; 1.0 where it tells none."""
        told = self.answers.get(f"CL_{self.kind}_VERSION")
        try:
            return read_version(told) if isinstance(told, str) else Version(1, 0)
        except ValueError:
            return Version(1, 0)

    @property
    def extensions(self) -> tuple[str, ...]:
        """Return the extensions that its string lists, each once."""
        told = self.answers.get(f"CL_{self.kind}_EXTENSIONS")
        return tuple(dict.fromkeys(told.split())) if isinstance(told, str) else ()

    @property
    def profile(self) -> str:
        """Return the profile that it claims; empty where it tells none."""
        told = self.answers.get(f"CL_{self.kind}_PROFILE")
        return told if isinstance(told, str) else ""

    @property
    def revisions(self) -> dict[str, int]:
        """Return the packed revision of each extension that its list with revisions has."""
        for suffix in SUFFIXES:
            told = self.answers.get(f"CL_{self.kind}_EXTENSIONS_WITH_VERSION{suffix}")
            if isinstance(told, tuple):
                pairs = zip(told[::2], told[1::2], strict=False)
                return {str(name): number for number, name in pairs if isinstance(number, int)}
        return {}

    def with_answers(self, answers: Mapping[str, Fact]) -> Claim:
        """Return the claim with other answers to those of these queries that it has answered."""
        return replace(self, answers={**self.answers, **{k: v for k, v in answers.items() if k in self.answers}})

    def with_version(self, version: Version) -> Claim:
        """Return the claim of a lower version, by its string and its number, and of no newer OpenCL C."""
        answers: dict[str, Fact] = {}
        told = self.answers.get(f"CL_{self.kind}_VERSION")
        if isinstance(told, str):
            answers[f"CL_{self.kind}_VERSION"] = _NUMBERS.sub(str(version), told, count=1)
        for suffix in SUFFIXES:
            answers[f"CL_{self.kind}_NUMERIC_VERSION{suffix}"] = packed(*version)
        language = self.answers.get(C_VERSION)
        newest = min(version, Version(1, 2)) if version < (2, 0) else Version(2, 0)
        if isinstance(language, str) and _NUMBERS.search(language) and read_version(language) > newest:
            answers[C_VERSION] = _NUMBERS.sub(str(newest), language, count=1)
        return self.with_answers(answers)

    def with_profile(self, profile: str) -> Claim:
        """Return the claim of another profile."""
        return self.with_answers({f"CL_{self.kind}_PROFILE": profile})

    def with_extension(self, name: str, revision: int) -> Claim:
        """Return the claim with one more extension, of this packed revision in the list with revisions."""
        if name in self.extensions:
            return self
        revisions = {**self.revisions, name: revision}
        return self._with([*self.extensions, name], revisions)

    def without_extensions(self, names: Iterable[str]) -> Claim:
        """Return the claim without these extensions."""
        gone = set(names)
        if gone.isdisjoint(self.extensions) and gone.isdisjoint(self.revisions):
            return self
        left = {name: number for name, number in self.revisions.items() if name not in gone}
        return self._with([name for name in self.extensions if name not in gone], left)

    def _with(self, extensions: list[str], revisions: dict[str, int]) -> Claim:
        listed: list[int | str | None] = []
        for name, number in revisions.items():
            listed += [number, name]
        answers: dict[str, Fact] = {f"CL_{self.kind}_EXTENSIONS": " ".join(extensions)}
        for suffix in SUFFIXES:
            answers[f"CL_{self.kind}_EXTENSIONS_WITH_VERSION{suffix}"] = tuple(listed)
        return self.with_answers(answers)


@dataclass(frozen=True)
class Claims:
    """The claims of a platform, by its name, and of its root devices; ``order``: their names as listed."""

    platform: str
    things: Mapping[str, Claim]
    order: tuple[str, ...]

    @classmethod
    def of(cls, platform: str, roots: Iterable[str], facts: Mapping[str, Mapping[str, Fact]]) -> Claims:
        """Return what the answers to a session's first queries claim; ``facts``: by object, by query."""
        order = tuple(roots)
        things = {name: Claim("DEVICE", facts.get(name, {})) for name in order}
        return cls(platform, {platform: Claim("PLATFORM", facts.get(platform, {})), **things}, order)

    @property
    def extensions(self) -> tuple[str, ...]:
        """Return all extensions that anything claims, each once."""
        return tuple(dict.fromkeys(name for claim in self.things.values() for name in claim.extensions))

    def revision(self, extension: str) -> int:
        """Return the packed revision that anything claims for an extension; 1.0.0 where nothing tells one."""
        told = (claim.revisions.get(extension) for claim in self.things.values())
        return next((number for number in told if number is not None), _OLDEST_REVISION)

    def changed(self, changes: Mapping[str, Claim]) -> Claims:
        """Return these claims with those of some things replaced."""
        return replace(self, things={**self.things, **changes})

    def claimed_by(self, extension: str, claimants: Iterable[str]) -> Claims:
        """Return the claims in which exactly these things claim an extension."""
        wanted, revision = set(claimants), self.revision(extension)
        return self.changed(
            {
                name: claim.with_extension(extension, revision)
                if name in wanted
                else claim.without_extensions((extension,))
                for name, claim in self.things.items()
            }
        )

    def differing(self, other: Claims) -> dict[str, dict[str, Fact]]:
        """Return what ``other`` answers differently: by thing, by query."""
        return {
            name: changed
            for name, claim in other.things.items()
            if (changed := {k: v for k, v in claim.answers.items() if v != self.things[name].answers.get(k)})
        }
