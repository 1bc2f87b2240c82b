"""The alterations that are tried on a driver.

They change the driver's claims or device list, the calls, or their order.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from clconform.selftest.metamorphic.claims import EMBEDDED, FULL
from clconform.selftest.metamorphic.sequence_rewriting import (
    ContextFromType,
    SequenceRewriter,
    SeveralDevices,
    SubDeviceForRoot,
)
from clconform.spec_tables.versions import Version

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from clconform.selftest.metamorphic.claims import Claim, Claims
    from clconform.spec_tables import Tables

VERSIONS = tuple(Version(*each) for each in ((1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)))
UNREFERENCED = "(no gate)"
"""The detail of an alteration for all extensions that do not occur in an applicability condition."""


@dataclass(frozen=True)
class Alteration:
    """One alteration. ``family``: its kind; ``detail``: the altered extension, version or profile.

    ``claims``: the altered claims and device order. ``before``: the claims of the run for comparison; None means the
    driver's own. ``rewriting``: rewrites the calls; None means no rewriting. ``reversed``: the sequences are sent in
    reverse order. ``processes``: the number of processes, to which the sequences are sent in turn.
    """

    family: str
    detail: str
    claims: Claims
    before: Claims | None = None
    rewriting: SequenceRewriter | None = None
    reversed: bool = False
    processes: int = 1

    @property
    def name(self) -> str:
        """Return the alteration's name, as the command's options accept it."""
        return f"{self.family}: {self.detail}" if self.detail else self.family


@dataclass(frozen=True)
class ImpossibleAlteration:
    """A kind of alteration that is not possible on a driver, and the reason."""

    family: str
    reason: str


MOVED_TO_DEVICE, MOVED_TO_PLATFORM = "extension-of-the-devices-only", "extension-of-the-platform-only"
HIDDEN, ONE_OF_TWO, OTHER_OF_TWO = "extension-hidden", "extension-of-one-device", "extension-of-the-other-devices"
PLATFORM_VERSION, DEVICE_VERSION = "platform-version", "device-version"
ONE_VERSION, OTHER_VERSION = "version-of-one-device", "version-of-the-other-devices"
PROFILE, ORDER, ITEMS, PROCESSES = "profile", "devices-in-another-order", "items-in-another-order", "two-processes"
SEVERAL, BY_TYPE, SUB_DEVICE = "several-devices-in-a-context", "context-by-type", "sub-device-for-its-root"
FAMILIES_WITH_TWO_DEVICES = (ONE_OF_TWO, OTHER_OF_TWO, ONE_VERSION, OTHER_VERSION, ORDER, SEVERAL)
FAMILIES = (
    *(MOVED_TO_DEVICE, MOVED_TO_PLATFORM, HIDDEN, ONE_OF_TWO, OTHER_OF_TWO, PLATFORM_VERSION, DEVICE_VERSION),
    *(ONE_VERSION, OTHER_VERSION, PROFILE, ORDER, SEVERAL, BY_TYPE, SUB_DEVICE, ITEMS, PROCESSES),
)
"""All kinds of alterations; ``FAMILIES_WITH_TWO_DEVICES`` lists those that need two devices."""


def get_referenced_extensions(tables: Tables) -> frozenset[str]:
    """Return the extensions that occur in an applicability condition of the tables."""
    facts = (*tables.requirements.values(), *tables.functions.values())
    return frozenset(
        name for fact in facts for gate in fact.applicability for name in (gate.name, gate.instead) if name
    )


def make_alterations(
    claims: Claims, device: str, tables: Tables
) -> tuple[list[Alteration], list[ImpossibleAlteration]]:
    """Return all alterations for a driver's claims, and the impossible ones; ``device``: the device under test."""
    found = [
        *_alter_extensions(claims, device, get_referenced_extensions(tables)),
        *_alter_versions(claims, device),
        *_alter_profile(claims),
        *_alter_calls(claims, device, tables),
        Alteration(ITEMS, "", claims, reversed=True),
        Alteration(PROCESSES, "", claims, processes=2),
    ]
    there = {each.family for each in found}
    lone = len(claims.order) < 2  # noqa: PLR2004 (two devices)
    return found, [
        ImpossibleAlteration(
            family,
            "the platform has one device only"
            if lone and family in FAMILIES_WITH_TWO_DEVICES
            else _explain_impossible(family),
        )
        for family in FAMILIES
        if family not in there
    ]


def _explain_impossible(family: str) -> str:
    if family == SUB_DEVICE:
        return "the device cannot be partitioned by counts"
    return "no version is lower" if "version" in family else "no extension is claimed so"


def _alter_extensions(claims: Claims, device: str, gated: Collection[str]) -> Iterator[Alteration]:
    devices, others = claims.order, [each for each in claims.order if each != device]
    unread = [name for name in claims.extensions if name not in gated]
    if unread:
        bare = {name: claim.without_extensions(unread) for name, claim in claims.things.items()}
        yield Alteration(HIDDEN, UNREFERENCED, claims.with_changes(bare))
    for name in claims.extensions:
        if name not in gated:
            continue
        ways: list[tuple[str, tuple[str, ...]]] = [
            (MOVED_TO_DEVICE, tuple(devices)),
            (MOVED_TO_PLATFORM, (claims.platform,)),
            (HIDDEN, ()),
        ]
        if others:
            ways += [(ONE_OF_TWO, (device,)), (OTHER_OF_TWO, tuple(others))]
        for family, claimants in ways:
            altered = claims.with_claimants(name, claimants)
            if claims.get_differences(altered):
                yield Alteration(family, name, altered)


def _alter_versions(claims: Claims, device: str) -> Iterator[Alteration]:
    others = [each for each in claims.order if each != device]
    ways = [(PLATFORM_VERSION, [claims.platform]), (DEVICE_VERSION, list(claims.order))]
    if others:
        ways += [(ONE_VERSION, [device]), (OTHER_VERSION, others)]
    for family, things in ways:
        for version in VERSIONS:
            lowered = {name: _lower_version(claims.things[name], version) for name in things}
            altered = claims.with_changes(lowered)
            if claims.get_differences(altered):
                yield Alteration(family, str(version), altered)


def _lower_version(claim: Claim, version: Version) -> Claim:
    return claim.with_version(version) if claim.version > version else claim


def _alter_profile(claims: Claims) -> Iterator[Alteration]:
    other = FULL if claims.things[claims.platform].profile == EMBEDDED else EMBEDDED
    altered = claims.with_changes({name: claim.with_profile(other) for name, claim in claims.things.items()})
    if claims.get_differences(altered):
        yield Alteration(PROFILE, other, altered)


def _alter_calls(claims: Claims, device: str, tables: Tables) -> Iterator[Alteration]:
    if len(claims.order) > 1:
        for version in (None, *(each for each in VERSIONS if each < claims.things[device].version)):
            unlike = claims.with_changes({device: claims.things[device].with_version(version)}) if version else claims
            detail = f"one device of version {version}" if version else ""
            yield Alteration(ORDER, detail, replace(unlike, order=unlike.order[::-1]), unlike)
        yield Alteration(SEVERAL, "", claims, rewriting=SeveralDevices(claims.order))
    yield Alteration(BY_TYPE, "", claims, rewriting=ContextFromType(claims.platform, tables))
    schemes = claims.things[device].values.get("CL_DEVICE_PARTITION_PROPERTIES")
    if isinstance(schemes, tuple) and tables.enumerants["CL_DEVICE_PARTITION_BY_COUNTS"].value in schemes:
        yield Alteration(SUB_DEVICE, "", claims, rewriting=SubDeviceForRoot(device, tables))
