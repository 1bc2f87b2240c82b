"""Evaluates applicability conditions for given claims independently of the oracle, so that errors in either show."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from clconform.spec_tables.versions import version_numbers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.selftest.metamorphic.claims import Claims
    from clconform.selftest.metamorphic.sequence_sender import CallDevices
    from clconform.spec_tables.requirements import ApplicabilityCondition


class ConditionStatus(Enum):
    """The status of applicability conditions: they hold for all devices of a call, for none, or for some."""

    HOLDS = "open"
    FAILS = "closed"
    PARTIAL = "for some devices only, or by the platform's word alone"


def evaluate_applicability(
    ways: Iterable[tuple[ApplicabilityCondition, ...]], claims: Claims, behind: CallDevices
) -> ConditionStatus:
    """Return whether applicability conditions hold for the root devices of a call with these claims.

    ``ways``: alternative sets of conditions; for a device, all conditions of one set must hold. ``behind``: the root
    devices of the call.
    """
    sets, devices = tuple(ways), behind.devices
    if behind.by_objects and any(
        _is_platform_extension(gate, claims, device) for device in devices for gates in sets for gate in gates
    ):
        return ConditionStatus.PARTIAL
    told = {any(all(_holds(gate, claims, device) for gate in gates) for gates in sets) for device in devices}
    if len(told) > 1:
        return ConditionStatus.PARTIAL
    return ConditionStatus.HOLDS if told == {True} else ConditionStatus.FAILS


def _holds(gate: ApplicabilityCondition, claims: Claims, device: str) -> bool:
    platform, own = claims.things[claims.platform], claims.things[device]
    if gate.instead and gate.instead in (*platform.extensions, *own.extensions):
        return True
    if gate.subject == "extension":
        return gate.name in platform.extensions or gate.name in own.extensions
    if gate.subject == "profile":
        return (own.profile or platform.profile) in ("", gate.name)
    if gate.subject in ("platform-version", "device-version"):
        version = platform.version if gate.subject == "platform-version" else own.version
        since, before = (tuple(version_numbers(each) or ()) for each in (gate.since, gate.before))
        return (not since or version >= since) and (not before or version < before)
    return True


def _is_platform_extension(gate: ApplicabilityCondition, claims: Claims, device: str) -> bool:
    """Return whether an extension is reported by the platform and not by this device."""
    platform, own = claims.things[claims.platform], claims.things[device]
    return gate.subject == "extension" and gate.name in platform.extensions and gate.name not in own.extensions
