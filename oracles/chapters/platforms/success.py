"""Platforms and root devices: how they are listed (sections 4.1 and 4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Room
from clconform.oracles.chapters.platforms.device_types import (
    CUSTOM,
    DEFAULT,
    Found,
    matching,
    none_found,
    type_not_valid,
)
from clconform.oracles.engine.answers import Answer, May, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Each, OneOf, Promise, Such, Values, Want, handles
from clconform.oracles.model.devices import Listing, Platform
from clconform.oracles.model.errors import UnknownError

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Call
    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.oracles.model.world import Model

rules = Rules()

LISTING = ("clGetPlatformIDs", "clIcdGetPlatformIDsKHR")
SUCCESS = "clGetDeviceIDs/success"
ONE_DEFAULT, NOT_CUSTOM = "clGetDeviceIDs/effect/2", "clGetDeviceIDs/effect/3"
ROOTS_ONLY = "cl_ext_device_fission:clGetDeviceIDs/1"
_PERMISSION = "a permission: nothing could violate it"


@rules.clause("clGetPlatformInfo/CL_INVALID_PLATFORM/1", "clGetDeviceIDs/CL_INVALID_PLATFORM/1")
def platform_not_valid(call: Call, model: Model) -> Reply:
    """The platform is no valid one; what happens with NULL is left to the implementation."""
    if call.platform is None:
        return May("null-platform")
    thing = model.known(call.platform)
    if thing is None:
        return Answer.UNDEFINED
    return Answer.NO if isinstance(thing, Platform) else May("other-type")


@rules.clause(*(f"{function}/CL_PLATFORM_NOT_FOUND_KHR/1" for function in LISTING))
def no_platform(call: Call, model: Model) -> Reply:
    """There is no platform at all."""
    del call
    return not model.platforms


for _function in LISTING:
    rules.untestable(
        f"{_function}/CL_PLATFORM_NOT_FOUND_KHR/1",
        "there is no platform at all",
        "where anything can be tested there is a platform",
    )


@rules.clause("clGetDeviceIDs/CL_INVALID_DEVICE_TYPE/1")
def device_type_not_valid(call: Call, model: Model) -> Reply:
    """The device type holds no bit that any document defines."""
    platform = model.known(call.platform)
    return type_not_valid(call.device_type, platform if isinstance(platform, Platform) else None, model)


@rules.clause("clGetDeviceIDs/CL_DEVICE_NOT_FOUND/1")
def no_such_device(call: Call, model: Model) -> Reply:
    """The platform has no device of the type asked for."""
    if call.platform is None:
        return May("null-platform")
    return none_found(call.device_type, _platform(call, model), model)


@rules.success(*LISTING)
def platforms_listed(call: Call, model: Model) -> Promise:
    """As many platforms as there are and as fit, each once and the same each time; the number tells how many."""
    outputs: dict[str, Want] = {}
    records = (f"{call.function}/success",)
    told = model.listings.setdefault(call.function, Listing())
    if isinstance(call.num_platforms, Room):
        choice = len(model.platforms)
        if told.number is None:
            outputs["num_platforms"] = Such(_at_least_one, "at least one platform", records, (choice,))
        else:
            outputs["num_platforms"] = OneOf(((told.number,),), records)
    if isinstance(call.platforms, Room):
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
    """Return the test for a list: no platform twice, none that was not there, and the one under test if all fit."""
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
    """Return what a list of platforms has to be."""
    if told.number is None:
        return "at least one platform, and none twice"
    again = ", the same as before" if told.names else ""
    return f"{min(told.number, call.num_entries)} different platforms{again}"


@rules.success("clGetDeviceIDs")
def devices_listed(call: Call, model: Model) -> Promise:
    """The root devices of that type, the same handles each time, as many as fit; and how many there are."""
    if call.platform is None:
        return Promise()
    if call.device_type == model.value(DEFAULT):
        return _default_listed(call, model)
    found = _matching(call, model)
    names = tuple(device.name for device in found.devices)
    if not names:
        raise UnknownError("which devices answer to such a type")
    records = (SUCCESS, ROOTS_ONLY) if ROOTS_ONLY in model.tables.records else (SUCCESS,)
    outputs: dict[str, Want] = {}
    if not found.exact:
        if isinstance(call.num_devices, Room):
            outputs["num_devices"] = Such(_at_least_one, "at least one device", records, (len(names),))
        if isinstance(call.devices, Room):
            shown = names[: call.num_entries]
            outputs["devices"] = Such(_some_devices, "at least one device, and none twice", records, shown)
        return Promise(outputs=outputs)
    if isinstance(call.num_devices, Room):
        outputs["num_devices"] = OneOf(((len(names),),), records)
    if isinstance(call.devices, Room):
        wanted = min(len(names), call.num_entries)

        def fits(seen: Values) -> bool:
            shown = handles(seen)
            return len(shown) == len(set(shown)) == len(handles(seen[:wanted])) == wanted and set(shown) <= set(names)

        outputs["devices"] = Such(fits, f"{wanted} of the root devices {', '.join(names)}", records, names[:wanted])
    return Promise(outputs=outputs)


def _some_devices(seen: Values) -> bool:
    shown = handles(seen)
    return bool(shown) and len(shown) == len(set(shown))


def _default_listed(call: Call, model: Model) -> Promise:
    """Return the promise for the default device: one root device, always the same, and no custom one among others."""
    platform, devices = _platform(call, model), _matching(call, model).devices
    default = model.defaults.get(platform.name, "")
    custom = model.value(CUSTOM)
    others = [device.name for device in devices if device.facts.get("CL_DEVICE_TYPE") != custom]
    choice = (default or next(iter(others or [device.name for device in devices])),)
    outputs: dict[str, Want] = {}
    if isinstance(call.num_devices, Room):
        outputs["num_devices"] = OneOf(((1,),), (ONE_DEFAULT, SUCCESS))
    if isinstance(call.devices, Room):
        names = [device.name for device in devices]

        def one_root(seen: Values) -> bool:
            shown = handles(seen)
            return len(shown) == 1 and shown[0] in names and (not default or shown == [default])

        allowed = f"the root device {default} as before" if default else f"one of the root devices {', '.join(names)}"
        one = Such(one_root, allowed, (ONE_DEFAULT, SUCCESS), choice)
        proper = Such(
            lambda seen: not others or not set(handles(seen)) & (set(names) - set(others)),
            "no custom device, since there are others",
            (NOT_CUSTOM,),
            choice,
        )
        outputs["devices"] = Each((one, proper), choice)

    def apply(_value: object, seen: dict[str, Values]) -> None:
        shown = handles(seen.get("devices", []))
        if shown:
            model.defaults.setdefault(platform.name, shown[0])

    return Promise(outputs=outputs, apply=apply)


def _platform(call: Call, model: Model) -> Platform:
    platform = model.known(call.platform)
    if not isinstance(platform, Platform):
        raise UnknownError("which platform answers")
    return platform


def _matching(call: Call, model: Model) -> Found:
    return matching(call.device_type, _platform(call, model), model)


def _asked_for(name: str) -> Callable[[AnsweredCall], bool]:
    """Return the situation that devices of one type alone are asked for, as one does, where there are such devices."""

    def holds(asked: AnsweredCall) -> bool:
        call = asked.call
        if call.device_type != asked.model.value(name) or not (call.devices or call.num_devices):
            return False
        listed = isinstance(call.devices, Room) == (call.num_entries > 0)
        return listed and (asked.code == "CL_SUCCESS" or bool(_matching(call, asked.model).devices))

    return holds


def _declare() -> None:
    """Declare what the sentences and the table of device types say beside the clauses."""
    for number, words in ((1, "a NULL platform is the implementation's own"), (4, "not every device need be listed")):
        rules.untestable(f"clGetDeviceIDs/effect/{number}", words, _PERMISSION)
    rules.words[NOT_CUSTOM] = "the default device is no custom device unless there is no other"
    rules.trigger(
        ONE_DEFAULT,
        "clGetDeviceIDs",
        "one root device is the default one, always the same",
        SUCCESS,
        holds=_asked_for(DEFAULT),
    )
    for name in ("CPU", "GPU", "ACCELERATOR", "CUSTOM", "DEFAULT", "ALL"):
        rules.trigger(
            f"cl_device_type:CL_DEVICE_TYPE_{name}",
            "clGetDeviceIDs",
            f"devices of the type {name} alone are listed",
            *((ONE_DEFAULT, NOT_CUSTOM) if name == "DEFAULT" else ()),
            SUCCESS,
            holds=_asked_for(f"CL_DEVICE_TYPE_{name}"),
        )


_declare()
