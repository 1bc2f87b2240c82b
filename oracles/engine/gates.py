"""Applicability of requirements to a platform or device: versions, extensions, profiles."""

from __future__ import annotations

import functools
from enum import Enum
from typing import TYPE_CHECKING, Protocol

from clconform.oracles.model.versions import Version, read_version, revision
from clconform.spec_tables import load
from clconform.spec_tables.entries import UNNUMBERED, is_provisional

if TYPE_CHECKING:
    from clconform.oracles.model.devices import Device, Platform
    from clconform.oracles.model.scope import Scope
    from clconform.spec_tables.records import Gate

_FIRST, _LAST = Version(0, 0), Version(1 << 31, 0)
"""Limits for applicability conditions that state only one."""


class Gating(Enum):
    """Whether a requirement applies to the platform and the devices that a call concerns."""

    OPEN = "it applies"
    CLOSED = "it does not apply"
    UNDECIDED = "it applies to some devices only, only the platform reports it, or the driver does not report enough"


class _Check(Protocol):
    """Evaluates an applicability condition for a platform and a device; ``exact``: as for ``_gating``."""

    def __call__(self, platform: Platform | None, device: Device | None, *, exact: bool) -> Gating:
        """Return whether the condition is met."""


def gating_of(gates: tuple[Gate, ...], scope: Scope) -> Gating:
    """Return whether a requirement applies; undecided if it applies to some devices only, or is unknown."""
    if not gates:
        return Gating.OPEN
    if len(scope.devices) == 1:  # nearly always
        return _gating(gates, scope.platform, scope.devices[0], exact=scope.by_objects)
    each = {_gating(gates, scope.platform, device, exact=scope.by_objects) for device in scope.devices or (None,)}
    return each.pop() if len(each) == 1 else Gating.UNDECIDED


def applies(gates: tuple[Gate, ...], scope: Scope) -> bool:
    """Return whether a requirement is certain to apply."""
    return gating_of(gates, scope) is Gating.OPEN


def _gating(gates: tuple[Gate, ...], platform: Platform | None, device: Device | None, *, exact: bool) -> Gating:
    """Return whether a requirement applies to one device, or to the platform alone.

    ``exact``: the requirement must apply to that very device, so an extension that only the platform reports is
    undecided.
    """
    found = Gating.OPEN
    for gate in gates:
        one = _check_of(gate)(platform, device, exact=exact)
        if one is Gating.CLOSED:
            return one
        found = found if one is Gating.OPEN else one
    return found


@functools.cache
def _check_of(gate: Gate) -> _Check:
    """Return the function that evaluates one condition; cached, because conditions are evaluated very often."""
    check = _check_without_instead(gate)
    if not gate.instead:
        return check

    def unless_reported(platform: Platform | None, device: Device | None, *, exact: bool) -> Gating:
        return Gating.OPEN if is_reported(gate.instead, platform, device) else check(platform, device, exact=exact)

    return unless_reported


def _check_without_instead(gate: Gate) -> _Check:
    since, before = _limits_of(gate)
    on_platform = gate.subject == "platform-version"

    def of_version(platform: Platform | None, device: Device | None, *, exact: bool) -> Gating:
        del exact
        thing = platform if on_platform else device
        if thing is None or not thing.tells_version:
            return Gating.UNDECIDED
        return Gating.OPEN if since <= thing.version < before else Gating.CLOSED

    def of_profile(platform: Platform | None, device: Device | None, *, exact: bool) -> Gating:
        del exact
        told = profile_of(platform, None) if device is None else profile_of(None, device)
        return Gating.UNDECIDED if not told else Gating.OPEN if told == gate.name else Gating.CLOSED

    checks: dict[str, _Check] = {
        "extension": functools.partial(_of_extension, gate.name),
        "platform-version": of_version,
        "device-version": of_version,
        "profile": of_profile,
    }
    return checks.get(gate.subject, _always)


def _always(platform: Platform | None, device: Device | None, *, exact: bool) -> Gating:
    """Return that a condition is met; used for conditions that drivers do not report."""
    del platform, device, exact
    return Gating.OPEN


def _of_extension(name: str, platform: Platform | None, device: Device | None, *, exact: bool) -> Gating:
    """Return whether an extension is supported; ``exact``: by that very device.

    An unreported extension is undecided if the platform or the device does not report its extensions.
    """
    by_platform = platform is not None and name in platform.extensions
    by_device = device is not None and name in device.extensions
    if by_platform or by_device:
        if exact and not by_device and device is not None and device.tells_extensions:
            return Gating.UNDECIDED
        return Gating.CLOSED if _other_revision(name, platform, device) else Gating.OPEN
    if (platform is not None and not platform.tells_extensions) or (device is not None and not device.tells_extensions):
        return Gating.UNDECIDED
    return Gating.OPEN if platform is None and device is None else Gating.CLOSED


def closed_gate(gates: tuple[Gate, ...], platform: Platform | None, device: Device | None) -> str:
    """Describe the first applicability condition that is not met; return an empty string if all are met.

    Versions are the device's for conditions on the device version and the platform's for those on the platform version.
    A condition whose subject is unknown counts as met.
    """
    for gate in gates:
        words = _closed(gate, platform, device)
        if words:
            return words
    return ""


def _closed(gate: Gate, platform: Platform | None, device: Device | None) -> str:
    if gate.instead and is_reported(gate.instead, platform, device):
        return ""
    if gate.subject == "platform-version" and platform is not None:
        return _outside(gate, platform, "platform")
    if gate.subject == "device-version" and device is not None:
        return _outside(gate, device, "device")
    if gate.subject == "extension":
        if is_reported(gate.name, platform, device):
            return _other_revision(gate.name, platform, device)
        return "" if platform is None and device is None else f"{gate.name} is not supported"
    if gate.subject == "profile":
        profile = profile_of(platform, device)
        if profile and profile != gate.name:
            return f"for {gate.name} only; this is {profile}"
    return ""


def _other_revision(name: str, platform: Platform | None, device: Device | None) -> str:
    """Return why a provisional extension, or one that it requires, has another revision than in the tables; else ''.

    Its functions may then have other parameters, and its names other meanings. An unreported revision counts as another
    one.
    """
    known = load().extensions.get(name)
    if known is None or (platform is None and device is None):
        return ""
    told = revision_of(name, platform, device)
    if told != known.revision and (known.provisional or is_provisional(told)):
        here = "are of a document without a revision" if known.revision == UNNUMBERED else f"have {known.revision}"
        return f"{name} is of revision {told or 'unknown'}; the tables {here}"
    return next((words for each in known.needs if (words := _other_revision(each, platform, device))), "")


def revision_of(name: str, platform: Platform | None, device: Device | None) -> str:
    """Return the revision of an extension that a device, else its platform, reports; empty if neither reports one."""
    line = [device, *device.ancestors] if device is not None else []
    for thing, kind in (*((each, "DEVICE") for each in line), (platform, "PLATFORM")):
        for suffix in ("", "_KHR"):
            told = thing.facts.get(f"CL_{kind}_EXTENSIONS_WITH_VERSION{suffix}") if thing is not None else None
            if isinstance(told, tuple) and name in (known := _revisions(told)):
                return known[name]
    return ""


@functools.lru_cache
def _revisions(told: tuple[int | str | None, ...]) -> dict[str, str]:
    """Return the revision of each extension from a query's value: alternating packed versions and names."""
    pairs = [(str(named).split("\0")[0], packed) for packed, named in zip(told[::2], told[1::2], strict=False)]
    return {name: revision(packed) for name, packed in reversed(pairs) if isinstance(packed, int)}


def profile_of(platform: Platform | None, device: Device | None) -> str:
    """Return the profile that a device or its root device, else its platform, reports; empty if neither is known."""
    line = [device, *device.ancestors] if device is not None else []
    told = next((each.facts["CL_DEVICE_PROFILE"] for each in line if "CL_DEVICE_PROFILE" in each.facts), None)
    if told is None and platform is not None:
        told = platform.facts.get("CL_PLATFORM_PROFILE")
    return told if isinstance(told, str) else ""


def _outside(gate: Gate, thing: Platform | Device, whose: str) -> str:
    since, before = _limits_of(gate)
    if since <= thing.version < before:
        return ""
    limit = f"missing before {gate.since}" if thing.version < since else f"only before {gate.before}"
    return f"{limit}; the {whose}'s version is {thing.version if thing.tells_version else 'not known'}"


@functools.cache
def _limits_of(gate: Gate) -> tuple[Version, Version]:
    """Return the version range of a condition: the first version in the range, and the first version after it."""
    return read_version(gate.since) if gate.since else _FIRST, read_version(gate.before) if gate.before else _LAST


def is_reported(extension: str, platform: Platform | None, device: Device | None) -> bool:
    """Return whether a platform or its device reports an extension."""
    if platform is not None and extension in platform.extensions:
        return True
    return device is not None and extension in device.extensions
