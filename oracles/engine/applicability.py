"""Decides whether requirements apply to a platform or device, by its versions, extensions and profile."""

from __future__ import annotations

import functools
from enum import Enum
from typing import TYPE_CHECKING, Protocol

from clconform.spec_tables import extension_history, load, loading
from clconform.spec_tables.entries import UNNUMBERED, is_provisional
from clconform.spec_tables.versions import Version, format_packed_version, read_version

if TYPE_CHECKING:
    from clconform.oracles.model.call_scope import CallScope
    from clconform.oracles.model.devices import Device, Platform
    from clconform.spec_tables.requirements import ApplicabilityCondition

_FIRST, _LAST = Version(0, 0), Version(1 << 31, 0)
"""Bounds of the version range if an applicability condition states only the other bound."""


class Applicability(Enum):
    """The result of evaluating applicability conditions for the platform and the devices of a call."""

    APPLIES = "it applies"
    NOT_APPLICABLE = "it does not apply"
    UNDECIDED = "it applies to some devices only, only the platform reports it, or the driver does not report enough"
    OTHER_REVISION = "it may read differently in the driver's revision of its extension"


class _ConditionCheck(Protocol):
    """A function that evaluates an applicability condition; ``exact``: as for the function ``_applicability``."""

    def __call__(self, platform: Platform | None, device: Device | None, *, exact: bool) -> Applicability:
        """Return whether the platform and the device meet the condition."""


def applicability_of(conditions: tuple[ApplicabilityCondition, ...], scope: CallScope) -> Applicability:
    """Return whether a requirement with these applicability conditions applies to the platform and devices of a call.

    The result is UNDECIDED if the requirement applies to only some of the devices, or if the driver does not report the
    values that the conditions need. It is OTHER_REVISION if this holds for one of the devices.
    """
    if not conditions:
        return Applicability.APPLIES
    if len(scope.devices) == 1:  # nearly always
        return _applicability(conditions, scope.platform, scope.devices[0], exact=scope.by_objects)
    each = {
        _applicability(conditions, scope.platform, device, exact=scope.by_objects)
        for device in scope.devices or (None,)
    }
    if Applicability.OTHER_REVISION in each:
        return Applicability.OTHER_REVISION
    return each.pop() if len(each) == 1 else Applicability.UNDECIDED


def applies(conditions: tuple[ApplicabilityCondition, ...], scope: CallScope) -> bool:
    """Return whether a requirement with these applicability conditions certainly applies to all devices of a call."""
    return applicability_of(conditions, scope) is Applicability.APPLIES


def _applicability(
    conditions: tuple[ApplicabilityCondition, ...], platform: Platform | None, device: Device | None, *, exact: bool
) -> Applicability:
    """Return whether a requirement applies to one device, or to the platform alone.

    ``exact``: an extension must be reported by the device. If only the platform reports it, the result is UNDECIDED.
    """
    found = Applicability.APPLIES
    for gate in conditions:
        one = _condition_check(gate)(platform, device, exact=exact)
        if one is Applicability.NOT_APPLICABLE:
            return one
        found = found if one is Applicability.APPLIES or found is Applicability.OTHER_REVISION else one
    return found


@functools.cache
def _condition_check(condition: ApplicabilityCondition) -> _ConditionCheck:
    """Return the function that evaluates a condition. The function is cached: conditions are evaluated very often."""
    check = _check_without_alternative(condition)
    if not condition.instead:
        return check

    def unless_reported(platform: Platform | None, device: Device | None, *, exact: bool) -> Applicability:
        return (
            Applicability.APPLIES
            if is_extension_reported(condition.instead, platform, device)
            else check(platform, device, exact=exact)
        )

    return unless_reported


def _check_without_alternative(condition: ApplicabilityCondition) -> _ConditionCheck:
    since, before = _version_range(condition)
    on_platform = condition.subject == "platform-version"

    def of_version(platform: Platform | None, device: Device | None, *, exact: bool) -> Applicability:
        del exact
        thing = platform if on_platform else device
        if thing is None or not thing.reports_version:
            return Applicability.UNDECIDED
        return Applicability.APPLIES if since <= thing.version < before else Applicability.NOT_APPLICABLE

    def of_profile(platform: Platform | None, device: Device | None, *, exact: bool) -> Applicability:
        del exact
        told = reported_profile(platform, None) if device is None else reported_profile(None, device)
        return (
            Applicability.UNDECIDED
            if not told
            else Applicability.APPLIES
            if told == condition.name
            else Applicability.NOT_APPLICABLE
        )

    checks: dict[str, _ConditionCheck] = {
        "extension": functools.partial(_is_extension_supported, condition),
        "platform-version": of_version,
        "device-version": of_version,
        "profile": of_profile,
    }
    return checks.get(condition.subject, _is_always_met)


def _is_always_met(platform: Platform | None, device: Device | None, *, exact: bool) -> Applicability:
    """Return APPLIES, for applicability conditions that drivers do not report."""
    del platform, device, exact
    return Applicability.APPLIES


def _is_extension_supported(
    condition: ApplicabilityCondition, platform: Platform | None, device: Device | None, *, exact: bool
) -> Applicability:
    """Return whether the platform or the device supports an extension; ``exact``: as for ``_applicability``.

    If neither lists the extension, and one of them does not report its extensions at all, the result is UNDECIDED.
    """
    name = condition.name
    by_platform = platform is not None and name in platform.extensions
    by_device = device is not None and name in device.extensions
    if by_platform or by_device:
        if exact and not by_device and device is not None and device.reports_extensions:
            return Applicability.UNDECIDED
        return (
            Applicability.OTHER_REVISION
            if _describe_other_revision(condition, platform, device)
            else Applicability.APPLIES
        )
    if (platform is not None and not platform.reports_extensions) or (
        device is not None and not device.reports_extensions
    ):
        return Applicability.UNDECIDED
    return Applicability.APPLIES if platform is None and device is None else Applicability.NOT_APPLICABLE


def describe_unmet_condition(
    conditions: tuple[ApplicabilityCondition, ...], platform: Platform | None, device: Device | None
) -> str:
    """Describe the first applicability condition that is not met; return an empty string if all are met.

    A condition on the device version is compared with the device, and one on the platform version with the platform.
    If the platform or device that a condition concerns is None, the condition counts as met.
    """
    for gate in conditions:
        words = _describe_unmet(gate, platform, device)
        if words:
            return words
    return ""


def _describe_unmet(condition: ApplicabilityCondition, platform: Platform | None, device: Device | None) -> str:
    if condition.instead and is_extension_reported(condition.instead, platform, device):
        return ""
    if condition.subject == "platform-version" and platform is not None:
        return _describe_version_mismatch(condition, platform, "platform")
    if condition.subject == "device-version" and device is not None:
        return _describe_version_mismatch(condition, device, "device")
    if condition.subject == "extension":
        if is_extension_reported(condition.name, platform, device):
            return _describe_other_revision(condition, platform, device)
        return "" if platform is None and device is None else f"{condition.name} is not supported"
    if condition.subject == "profile":
        profile = reported_profile(platform, device)
        if profile and profile != condition.name:
            return f"for {condition.name} only; this is {profile}"
    return ""


def _describe_other_revision(
    condition: ApplicabilityCondition, platform: Platform | None, device: Device | None
) -> str:
    """Return why a requirement may read differently in the driver's revision of its extension; empty if it does not.

    The extensions that this extension requires are checked as well. Between two revisions of a provisional extension,
    the parameters of functions and the meanings of names may differ. A revision that the driver does not report, or
    that the extension's history does not contain, counts as different.
    """
    if platform is None and device is None:
        return ""
    extensions = load().extensions
    for name in extension_history.required_extensions(condition.name, extensions):
        known, told = extensions[name], reported_revision(name, platform, device)
        if told == known.revision or not (known.provisional or is_provisional(told)):
            continue
        here = "are of a document without a revision" if known.revision == UNNUMBERED else f"have {known.revision}"
        words = f"{name} is of revision {told or 'unknown'}; the tables {here}{_other_tables(name, told)}"
        if not extension_history.has_revision(known.history, told):
            return words
        change = extension_history.find_change(condition.changes, name, known.revision, told)
        if change is not None:
            return f"{words}; changed at revision {change.revision}: {change.reason}"
    return ""


@functools.cache
def _other_tables(name: str, revision: str) -> str:
    """Return a hint at the tables of the package that read like a revision of an extension; empty if none does."""
    for number in loading.list_revisions():
        known = loading.read_extensions(loading.REVISIONS / number).get(name)
        if known is not None and (
            revision == known.revision
            or (
                extension_history.has_revision(known.history, revision)
                and not extension_history.find_change(known.history, name, known.revision, revision)
            )
        ):
            return f" (--tables {number} has {revision})"
    return ""


def reported_revision(name: str, platform: Platform | None, device: Device | None) -> str:
    """Return the revision of an extension, as reported by the device, its ancestors or the platform, in this order.

    The result is empty if none of them reports a revision.
    """
    line = [device, *device.ancestors] if device is not None else []
    for thing, kind in (*((each, "DEVICE") for each in line), (platform, "PLATFORM")):
        for suffix in ("", "_KHR"):
            told = thing.facts.get(f"CL_{kind}_EXTENSIONS_WITH_VERSION{suffix}") if thing is not None else None
            if isinstance(told, tuple) and name in (known := _parse_revisions(told)):
                return known[name]
    return ""


@functools.lru_cache
def _parse_revisions(told: tuple[int | str | None, ...]) -> dict[str, str]:
    """Return the revision of each extension from a query's value, in which packed versions and names alternate."""
    pairs = [(str(named).split("\0")[0], packed) for packed, named in zip(told[::2], told[1::2], strict=False)]
    return {name: format_packed_version(packed) for name, packed in reversed(pairs) if isinstance(packed, int)}


def reported_profile(platform: Platform | None, device: Device | None) -> str:
    """Return the profile as reported by the device, its ancestors or the platform, in this order; empty if unknown."""
    line = [device, *device.ancestors] if device is not None else []
    told = next((each.facts["CL_DEVICE_PROFILE"] for each in line if "CL_DEVICE_PROFILE" in each.facts), None)
    if told is None and platform is not None:
        told = platform.facts.get("CL_PLATFORM_PROFILE")
    return told if isinstance(told, str) else ""


def _describe_version_mismatch(condition: ApplicabilityCondition, thing: Platform | Device, whose: str) -> str:
    since, before = _version_range(condition)
    if since <= thing.version < before:
        return ""
    limit = f"missing before {condition.since}" if thing.version < since else f"only before {condition.before}"
    return f"{limit}; the {whose}'s version is {thing.version if thing.reports_version else 'not known'}"


@functools.cache
def _version_range(condition: ApplicabilityCondition) -> tuple[Version, Version]:
    """Return the versions in which a condition holds: the first version, and the first later version without it."""
    return read_version(condition.since) if condition.since else _FIRST, read_version(
        condition.before
    ) if condition.before else _LAST


def is_extension_reported(extension: str, platform: Platform | None, device: Device | None) -> bool:
    """Return whether a platform or its device reports an extension."""
    if platform is not None and extension in platform.extensions:
        return True
    return device is not None and extension in device.extensions
