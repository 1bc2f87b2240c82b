"""Postconditions of listing platforms and root devices (sections 4.1 and 4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import OutputBuffer
from clconform.oracles.chapters.platforms.clauses import LISTING, platform_listed
from clconform.oracles.chapters.platforms.device_types import CUSTOM, DEFAULT, Found, matching
from clconform.oracles.engine import symptoms
from clconform.oracles.engine.answers import May
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Complaint, Each, OneOf, Promise, Such, Values, Want, handles
from clconform.oracles.engine.wording import by_entry
from clconform.oracles.model.devices import Listing
from clconform.oracles.model.errors import UnknownError

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Call
    from clconform.oracles.model.world import Model

rules = Rules()

SUCCESS = "clGetDeviceIDs/success"
ONE_DEFAULT, NOT_CUSTOM = "clGetDeviceIDs/effect/2", "clGetDeviceIDs/effect/3"
ROOTS_ONLY = "cl_ext_device_fission:clGetDeviceIDs/1"


@rules.success(*LISTING)
def platforms_listed(call: Call, model: Model) -> Promise:
    """platforms lists at most num_entries distinct platforms; num_platforms is their constant total number."""
    outputs: dict[str, Want] = {}
    records = (f"{call.function}/success",)
    told = model.listings.setdefault(call.function, Listing())
    if isinstance(call.num_platforms, OutputBuffer):
        choice = len(model.platforms)
        if told.number is None:
            outputs["num_platforms"] = Such(_at_least_one, "at least one platform", records, (choice,))
        else:
            outputs["num_platforms"] = OneOf(((told.number,),), records)
    if isinstance(call.platforms, OutputBuffer):
        names = tuple(model.platforms)[: call.num_entries]
        outputs["platforms"] = Such(_platforms_that_fit(call, told, model), _in_words(call, told), records, names)

    def apply(_value: object, seen: dict[str, Values]) -> None:
        number = seen.get("num_platforms", [None])[0]
        told.number = number if isinstance(number, int) else told.number
        shown = handles(seen.get("platforms", []))
        if told.number is not None and len(set(shown)) == told.number:
            told.names = frozenset(shown)

    return Promise(outputs=outputs, apply=apply)


def _at_least_one(seen: Values) -> bool:
    return isinstance(seen[0], int) and seen[0] >= 1


def _platforms_that_fit(call: Call, told: Listing, model: Model) -> Callable[[Values], bool]:
    """Return the test for a list: no duplicates, only known platforms, and the tested one if all fit."""
    way_in = LISTING[0] if model.through_loader else LISTING[1]

    def fit(seen: Values) -> bool:
        shown = handles(seen)
        if not shown or len(set(shown)) < len(shown) or (told.names and not set(shown) <= told.names):
            return False
        if told.number is None:
            return True
        every = call.num_entries >= told.number and call.function == way_in
        return len(shown) == min(told.number, call.num_entries) and (not every or set(model.platforms) <= set(shown))

    return fit


def _in_words(call: Call, told: Listing) -> str:
    """Return a text of the expected list of platforms."""
    if told.number is None:
        return "at least one platform, and none twice"
    again = ", the same as before" if told.names else ""
    return f"{min(told.number, call.num_entries)} different platforms{again}"


@rules.success("clGetDeviceIDs")
def devices_listed(call: Call, model: Model) -> Promise:
    """devices lists at most num_entries distinct root devices of device_type; num_devices is their total number.

    The call may list all or some of the platform's root devices of that type.
    """
    if call.platform is None:
        return Promise()
    if call.device_type == model.value(DEFAULT):
        return _default_listed(call, model)
    found = matching_devices(call, model)
    names = tuple(device.name for device in found.devices)
    if not names:
        raise UnknownError("which devices answer to such a type")
    records = (SUCCESS, ROOTS_ONLY) if ROOTS_ONLY in model.tables.records else (SUCCESS,)
    outputs: dict[str, Want] = {}
    if not found.exact:
        if isinstance(call.num_devices, OutputBuffer):
            outputs["num_devices"] = Such(_at_least_one, "at least one device", records, (len(names),))
        if isinstance(call.devices, OutputBuffer):
            shown = names[: call.num_entries]
            outputs["devices"] = Such(_some_devices, "at least one device, without duplicates", records, shown)
        return Promise(outputs=outputs)
    subset, most = May("subset-of-devices"), len(names)
    if isinstance(call.num_devices, OutputBuffer):
        words = by_entry(f"1 to {most}", subset)
        outputs["num_devices"] = Such(lambda seen: _within(seen, most), words, records, (most,))
    if isinstance(call.devices, OutputBuffer):
        shown = names[: call.num_entries]
        words = by_entry(f"1 to {len(shown)} different ones of the root devices {', '.join(names)}", subset)
        outputs["devices"] = Such(lambda seen: _different_ones(seen, names), words, records, shown)

    def apply(_value: object, seen: dict[str, Values]) -> list[Complaint]:
        return _as_many_as_told(call, seen, records)

    return Promise(outputs=outputs, apply=apply)


def _within(seen: Values, most: int) -> bool:
    return isinstance(seen[0], int) and 1 <= seen[0] <= most


def _different_ones(seen: Values, names: tuple[str, ...]) -> bool:
    """Return whether a list begins with distinct devices of these names, with no handle after them."""
    shown = handles(seen)
    return bool(shown) and len(set(shown)) == len(shown) and seen[: len(shown)] == shown and set(shown) <= set(names)


def _as_many_as_told(call: Call, seen: dict[str, Values], records: tuple[str, ...]) -> list[Complaint]:
    """Return a mismatch if the list's length does not match num_devices of the same call and num_entries."""
    number = seen.get("num_devices", [None])[0]
    if "devices" not in seen or not isinstance(number, int) or number < 1:
        return []
    wanted, listed = min(number, call.num_entries), handles(seen["devices"])
    if len(listed) == wanted:
        return []
    allowed, observed = f"{wanted} devices, since num_devices is {number}", f"{len(listed)} devices"
    return [Complaint(records[0], allowed, observed, symptoms.other_values(records))]


def _some_devices(seen: Values) -> bool:
    shown = handles(seen)
    return bool(shown) and len(shown) == len(set(shown))


def _default_listed(call: Call, model: Model) -> Promise:
    """Return the postcondition for the default device: always the same root device, and custom only without others."""
    platform, devices = platform_listed(call, model), matching_devices(call, model).devices
    default = model.defaults.get(platform.name, "")
    custom = model.value(CUSTOM)
    others = [device.name for device in devices if device.facts.get("CL_DEVICE_TYPE") != custom]
    choice = (default or next(iter(others or [device.name for device in devices])),)
    outputs: dict[str, Want] = {}
    if isinstance(call.num_devices, OutputBuffer):
        outputs["num_devices"] = OneOf(((1,),), (ONE_DEFAULT, SUCCESS))
    if isinstance(call.devices, OutputBuffer):
        names = [device.name for device in devices]

        def one_root(seen: Values) -> bool:
            shown = handles(seen)
            return len(shown) == 1 and shown[0] in names and (not default or shown == [default])

        allowed = f"the root device {default} as before" if default else f"one of the root devices {', '.join(names)}"
        one = Such(one_root, allowed, (ONE_DEFAULT, SUCCESS), choice)
        proper = Such(
            lambda seen: not others or not set(handles(seen)) & (set(names) - set(others)),
            "not a custom device, since there are others",
            (NOT_CUSTOM,),
            choice,
        )
        outputs["devices"] = Each((one, proper), choice)

    def apply(_value: object, seen: dict[str, Values]) -> None:
        shown = handles(seen.get("devices", []))
        if shown:
            model.defaults.setdefault(platform.name, shown[0])

    return Promise(outputs=outputs, apply=apply)


def matching_devices(call: Call, model: Model) -> Found:
    """Return the root devices of the type that a call requests."""
    return matching(call.device_type, platform_listed(call, model), model)
