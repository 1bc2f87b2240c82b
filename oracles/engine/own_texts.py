"""Whether the document of a driver's own version has a sentence that the unified one has for all versions.

Where it has not, a deviation is inferred at most, and names the entry of the register that says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.model.contexts import Context, ContextObject
from clconform.oracles.model.devices import Device, Platform

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.calls.call import Call
    from clconform.oracles.engine.judged_call import RulesAsked
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.versions import Version
    from clconform.oracles.model.world import Model


def lacking(record: str, versions: Iterable[Version], rulebook: RulesAsked) -> str:
    """Return the register's entry where the document of one of these versions lacks a record's sentence, else ''."""
    gap = rulebook.unstated_in(record)
    return gap.interpretation if gap is not None and any(version in gap for version in versions) else ""


def versions_behind(call: Call, model: Model) -> set[Version]:
    """Return the versions of the platform and the devices behind the objects of a call, as far as they are known."""
    named = model.named(call.arguments.values())
    devices = {device for thing in named for device in _devices_of(thing)}
    platform = model.platform_behind(named)
    found = {device.version for device in devices if "CL_DEVICE_VERSION" in device.facts or device.parent is not None}
    if isinstance(platform, Platform) and "CL_PLATFORM_VERSION" in platform.facts:
        found.add(platform.version)
    return found


def _devices_of(thing: ClObject) -> list[Device]:
    if isinstance(thing, Device):
        return [thing]
    if isinstance(thing, ContextObject):
        if thing.device is not None:
            return [thing.device]
        return thing.context.devices if thing.context is not None else []
    return thing.devices if isinstance(thing, Context) else []


def with_entry(words: str, interpretation: str) -> str:
    """Return a condition in words with the entry by which it is inferred."""
    if not interpretation:
        return words
    return f"{words} (the document of this version does not say so: {interpretation} in the register)".strip()
