"""The capabilities that a platform and its root devices report, and consistent changes to them.

A version is reported as a string and as a number, an extension in a string and in a list with revisions. A change
alters all of these values, so that they stay consistent.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from clconform.spec_tables.versions import OLDEST, OPENCL_C, Version, pack_version, parse_version

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from clconform.oracles.model.cl_object import Fact

FULL, EMBEDDED = "FULL_PROFILE", "EMBEDDED_PROFILE"
C_VERSION = "CL_DEVICE_OPENCL_C_VERSION"
SUFFIXES = ("", "_KHR")
_NUMBERS = re.compile(r"[0-9]+\.[0-9]+")
_OLDEST_REVISION = pack_version(1, 0)


@dataclass(frozen=True)
class Claim:
    """The reported capabilities of one platform or device.

    ``values``: maps names of queries to values. ``kind``: ``PLATFORM`` or ``DEVICE``, as in the names of its queries.
    """

    kind: str
    values: Mapping[str, Fact]

    @property
    def version(self) -> Version:
        """Return the reported version; 1.0 if none is reported."""
        told = self.values.get(f"CL_{self.kind}_VERSION")
        return parse_version(told if isinstance(told, str) else "") or OLDEST

    @property
    def extensions(self) -> tuple[str, ...]:
        """Return the extensions in the extension string, without duplicates."""
        told = self.values.get(f"CL_{self.kind}_EXTENSIONS")
        return tuple(dict.fromkeys(told.split())) if isinstance(told, str) else ()

    @property
    def profile(self) -> str:
        """Return the reported profile; empty if none is reported."""
        told = self.values.get(f"CL_{self.kind}_PROFILE")
        return told if isinstance(told, str) else ""

    @property
    def revisions(self) -> dict[str, int]:
        """Return the packed revision of each extension in the list with revisions."""
        for suffix in SUFFIXES:
            told = self.values.get(f"CL_{self.kind}_EXTENSIONS_WITH_VERSION{suffix}")
            if isinstance(told, tuple):
                pairs = zip(told[::2], told[1::2], strict=False)
                return {str(name): number for number, name in pairs if isinstance(number, int)}
        return {}

    def with_values(self, answers: Mapping[str, Fact]) -> Claim:
        """Return the claim with new values for some queries. Queries for which the claim has no value are ignored."""
        return replace(self, values={**self.values, **{k: v for k, v in answers.items() if k in self.values}})

    def with_version(self, version: Version) -> Claim:
        """Return the claim with a lower version in string and number, and with a matching OpenCL C version."""
        answers: dict[str, Fact] = {}
        told = self.values.get(f"CL_{self.kind}_VERSION")
        if isinstance(told, str):
            answers[f"CL_{self.kind}_VERSION"] = _NUMBERS.sub(str(version), told, count=1)
        for suffix in SUFFIXES:
            answers[f"CL_{self.kind}_NUMERIC_VERSION{suffix}"] = pack_version(*version)
        language = self.values.get(C_VERSION)
        newest = min(version, Version(1, 2)) if version < (2, 0) else Version(2, 0)
        stated = parse_version(language, OPENCL_C) if isinstance(language, str) else None
        if isinstance(language, str) and stated is not None and stated > newest:
            answers[C_VERSION] = _NUMBERS.sub(str(newest), language, count=1)
        return self.with_values(answers)

    def with_profile(self, profile: str) -> Claim:
        """Return the claim with another profile."""
        return self.with_values({f"CL_{self.kind}_PROFILE": profile})

    def with_extension(self, name: str, revision: int) -> Claim:
        """Return the claim with an additional extension, with this packed revision in the list with revisions."""
        if name in self.extensions:
            return self
        revisions = {**self.revisions, name: revision}
        return self._with_extensions([*self.extensions, name], revisions)

    def without_extensions(self, names: Iterable[str]) -> Claim:
        """Return the claim without these extensions."""
        gone = set(names)
        if gone.isdisjoint(self.extensions) and gone.isdisjoint(self.revisions):
            return self
        left = {name: number for name, number in self.revisions.items() if name not in gone}
        return self._with_extensions([name for name in self.extensions if name not in gone], left)

    def _with_extensions(self, extensions: list[str], revisions: dict[str, int]) -> Claim:
        listed: list[int | str | None] = []
        for name, number in revisions.items():
            listed += [number, name]
        answers: dict[str, Fact] = {f"CL_{self.kind}_EXTENSIONS": " ".join(extensions)}
        for suffix in SUFFIXES:
            answers[f"CL_{self.kind}_EXTENSIONS_WITH_VERSION{suffix}"] = tuple(listed)
        return self.with_values(answers)


@dataclass(frozen=True)
class Claims:
    """The claims of a platform and of its root devices, by name; ``order``: the device names in the listed order."""

    platform: str
    things: Mapping[str, Claim]
    order: tuple[str, ...]

    @classmethod
    def from_facts(cls, platform: str, roots: Iterable[str], facts: Mapping[str, Mapping[str, Fact]]) -> Claims:
        """Return the claims that a platform and its root devices reported in a session's first queries.

        ``facts``: values by object and query.
        """
        order = tuple(roots)
        things = {name: Claim("DEVICE", facts.get(name, {})) for name in order}
        return cls(platform, {platform: Claim("PLATFORM", facts.get(platform, {})), **things}, order)

    @property
    def extensions(self) -> tuple[str, ...]:
        """Return all claimed extensions, without duplicates."""
        return tuple(dict.fromkeys(name for claim in self.things.values() for name in claim.extensions))

    def get_revision(self, extension: str) -> int:
        """Return the packed revision of an extension that a platform or device reports; 1.0.0 if none is reported."""
        told = (claim.revisions.get(extension) for claim in self.things.values())
        return next((number for number in told if number is not None), _OLDEST_REVISION)

    def with_changes(self, changes: Mapping[str, Claim]) -> Claims:
        """Return the claims in which some objects have the new claims of ``changes``."""
        return replace(self, things={**self.things, **changes})

    def with_claimants(self, extension: str, claimants: Iterable[str]) -> Claims:
        """Return the claims in which exactly these objects claim an extension."""
        wanted, revision = set(claimants), self.get_revision(extension)
        return self.with_changes(
            {
                name: claim.with_extension(extension, revision)
                if name in wanted
                else claim.without_extensions((extension,))
                for name, claim in self.things.items()
            }
        )

    def get_differences(self, other: Claims) -> dict[str, dict[str, Fact]]:
        """Map object and query names to the values of ``other`` that differ from the values of these claims."""
        return {
            name: changed
            for name, claim in other.things.items()
            if (changed := {k: v for k, v in claim.values.items() if v != self.things[name].values.get(k)})
        }
