"""Whether a fact of the tables applies to a platform or device at all: versions, extensions, profiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.versions import Version, read_version

if TYPE_CHECKING:
    from clconform.oracles.model import Device, Platform
    from clconform.spec_tables.records import Gate


def closed_gate(gates: tuple[Gate, ...], platform: Platform | None, device: Device | None) -> str:
    """Return in words the first gate that keeps a fact from applying, or an empty string where all are open.

    Versions are the device's for gates on the device version and the platform's for those on the platform version.
    A gate whose subject is not known counts as open.
    """
    for gate in gates:
        words = _closed(gate, platform, device)
        if words:
            return words
    return ""


def _closed(gate: Gate, platform: Platform | None, device: Device | None) -> str:
    if gate.instead and gate.instead in (extensions_of(platform, device) or ()):
        return ""
    if gate.subject == "platform-version" and platform is not None:
        return _outside(gate, platform.version, "platform")
    if gate.subject == "device-version" and device is not None:
        return _outside(gate, device.version, "device")
    if gate.subject == "extension":
        has = extensions_of(platform, device)
        if has is not None and gate.name not in has:
            return f"{gate.name} is not supported"
    if gate.subject == "profile":
        profile = profile_of(platform, device)
        if profile and profile != gate.name:
            return f"for {gate.name} only; this is {profile}"
    return ""


def profile_of(platform: Platform | None, device: Device | None) -> str:
    """Return the profile that a device, else its platform, reports; an empty string where neither has told."""
    told = device.facts.get("CL_DEVICE_PROFILE") if device is not None else None
    if told is None and platform is not None:
        told = platform.facts.get("CL_PLATFORM_PROFILE")
    return told if isinstance(told, str) else ""


def _outside(gate: Gate, version: Version, whose: str) -> str:
    if gate.since and version < read_version(gate.since):
        return f"missing before {gate.since}; the {whose}'s version is {version}"
    if gate.before and version >= read_version(gate.before):
        return f"only before {gate.before}; the {whose}'s version is {version}"
    return ""


def extensions_of(platform: Platform | None, device: Device | None) -> frozenset[str] | None:
    """Return the extensions of a platform and its device together, or None where neither is known."""
    if platform is None and device is None:
        return None
    found: frozenset[str] = frozenset()
    if platform is not None:
        found |= platform.extensions
    if device is not None:
        found |= device.extensions
    return found
