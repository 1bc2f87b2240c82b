"""Postconditions of listing platforms and root devices (sections 4.1 and 4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import OutputBuffer
from clconform.oracles.chapters.platforms.device_types import CUSTOM, DEFAULT, MatchingDevices, find_matching
from clconform.oracles.chapters.platforms.error_conditions import LISTING_FUNCTIONS, listed_platform
from clconform.oracles.engine import symptoms
from clconform.oracles.engine.interpretation import InterpretationId
from clconform.oracles.engine.matchers import (
    AllOf,
    Conditional,
    Matcher,
    Mismatch,
    OneOf,
    Postcondition,
    Satisfies,
    Values,
    handle_names,
)
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wording import cite_interpretation
from clconform.oracles.model.devices import PlatformListing
from clconform.oracles.model.errors import UnknownFactError

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

rules = Rules()

SUCCESS = "clGetDeviceIDs/success"
ONE_DEFAULT, NOT_CUSTOM = "clGetDeviceIDs/effect/2", "clGetDeviceIDs/effect/3"
ROOTS_ONLY = "cl_ext_device_fission:clGetDeviceIDs/1"


@rules.postcondition(*LISTING_FUNCTIONS)
def expect_platforms(call: Call, model: Model) -> Postcondition:
    """platforms receives at most num_entries distinct platforms; num_platforms receives the number of all platforms.

    The number of all platforms is the same in every call.
    """
    outputs: dict[str, Matcher] = {}
    requirements = (f"{call.function}/success",)
    told = model.platform_listings.setdefault(call.function, PlatformListing())
    if isinstance(call.num_platforms, OutputBuffer):
        choice = len(model.platforms)
        if told.number is None:
            outputs["num_platforms"] = Satisfies(_is_positive, "at least one platform", requirements, (choice,))
        else:
            outputs["num_platforms"] = OneOf(((told.number,),), requirements)
    if isinstance(call.platforms, OutputBuffer):
        names = tuple(model.platforms)[: call.num_entries]
        outputs["platforms"] = Satisfies(
            _platform_list_test(call, told, model), _describe_platforms(call, told), requirements, names
        )

    def apply(_value: object, seen: dict[str, Values]) -> None:
        number = seen.get("num_platforms", [None])[0]
        told.number = number if isinstance(number, int) else told.number
        shown = handle_names(seen.get("platforms", []))
        if told.number is not None and len(set(shown)) == told.number:
            told.names = frozenset(shown)

    return Postcondition(outputs=outputs, apply=apply)


def _is_positive(seen: Values) -> bool:
    return isinstance(seen[0], int) and seen[0] >= 1


def _platform_list_test(call: Call, told: PlatformListing, model: Model) -> Callable[[Values], bool]:
    """Return the check of a returned list of platforms.

    The list must not contain a platform twice. If the platforms are known from an earlier call, it must not contain
    other platforms. If it has space for all platforms, it must contain the platform under test.
    """
    way_in = LISTING_FUNCTIONS[0] if model.through_loader else LISTING_FUNCTIONS[1]

    def fit(seen: Values) -> bool:
        shown = handle_names(seen)
        if not shown or len(set(shown)) < len(shown) or (told.names and not set(shown) <= told.names):
            return False
        if told.number is None:
            return True
        every = call.num_entries >= told.number and call.function == way_in
        return len(shown) == min(told.number, call.num_entries) and (not every or set(model.platforms) <= set(shown))

    return fit


def _describe_platforms(call: Call, told: PlatformListing) -> str:
    """Return a description of the expected list of platforms."""
    if told.number is None:
        return "at least one platform, and none twice"
    again = ", the same as before" if told.names else ""
    return f"{min(told.number, call.num_entries)} different platforms{again}"


@rules.postcondition("clGetDeviceIDs")
def expect_devices(call: Call, model: Model) -> Postcondition:
    """devices receives at most num_entries distinct root devices of device_type; num_devices receives the number found.

    The call may find all or only some of the root devices of that type.
    """
    if call.platform is None:
        return Postcondition()
    if call.device_type == model.constant_value(DEFAULT):
        return _expect_default_device(call, model)
    found = matching_devices(call, model)
    names = tuple(device.name for device in found.devices)
    if not names:
        raise UnknownFactError("which devices answer to such a type")
    requirements = (SUCCESS, ROOTS_ONLY) if ROOTS_ONLY in model.tables.requirements else (SUCCESS,)
    outputs: dict[str, Matcher] = {}
    if not found.exact:
        if isinstance(call.num_devices, OutputBuffer):
            outputs["num_devices"] = Satisfies(_is_positive, "at least one device", requirements, (len(names),))
        if isinstance(call.devices, OutputBuffer):
            shown = names[: call.num_entries]
            outputs["devices"] = Satisfies(
                _has_distinct_devices, "at least one device, without duplicates", requirements, shown
            )
        return Postcondition(outputs=outputs)
    subset, most = InterpretationId("subset-of-devices"), len(names)
    if isinstance(call.num_devices, OutputBuffer):
        words = cite_interpretation(f"1 to {most}", subset)
        outputs["num_devices"] = Satisfies(lambda seen: _is_within(seen, most), words, requirements, (most,))
    if isinstance(call.devices, OutputBuffer):
        shown = names[: call.num_entries]
        words = cite_interpretation(f"1 to {len(shown)} different ones of the root devices {', '.join(names)}", subset)
        outputs["devices"] = Satisfies(lambda seen: _are_distinct_devices(seen, names), words, requirements, shown)

    def apply(_value: object, seen: dict[str, Values]) -> list[Mismatch]:
        return _compare_count(call, seen, requirements)

    return Postcondition(outputs=outputs, apply=apply)


def _is_within(seen: Values, most: int) -> bool:
    return isinstance(seen[0], int) and 1 <= seen[0] <= most


def _are_distinct_devices(seen: Values, names: tuple[str, ...]) -> bool:
    """Return whether a list begins with handles that are distinct and all in ``names``, followed by other elements."""
    shown = handle_names(seen)
    return bool(shown) and len(set(shown)) == len(shown) and seen[: len(shown)] == shown and set(shown) <= set(names)


def _compare_count(call: Call, seen: dict[str, Values], requirements: tuple[str, ...]) -> list[Mismatch]:
    """Return a mismatch if the number of listed devices is not the minimum of num_devices and num_entries."""
    number = seen.get("num_devices", [None])[0]
    if "devices" not in seen or not isinstance(number, int) or number < 1:
        return []
    wanted, listed = min(number, call.num_entries), handle_names(seen["devices"])
    if len(listed) == wanted:
        return []
    allowed, observed = f"{wanted} devices, since num_devices is {number}", f"{len(listed)} devices"
    return [Mismatch(requirements[0], allowed, observed, symptoms.unexpected_values(requirements))]


def _has_distinct_devices(seen: Values) -> bool:
    shown = handle_names(seen)
    return bool(shown) and len(shown) == len(set(shown))


def _expect_default_device(call: Call, model: Model) -> Postcondition:
    """Return the postcondition for CL_DEVICE_TYPE_DEFAULT.

    Every call returns the same root device. It is a custom device only if the platform has only custom devices.
    """
    platform, devices = listed_platform(call, model), matching_devices(call, model).devices
    default = model.default_devices.get(platform.name, "")
    custom = model.constant_value(CUSTOM)
    others = [device.name for device in devices if device.facts.get("CL_DEVICE_TYPE") != custom]
    choice = (default or next(iter(others or [device.name for device in devices])),)
    outputs: dict[str, Matcher] = {}
    if isinstance(call.num_devices, OutputBuffer):
        outputs["num_devices"] = OneOf(((1,),), (ONE_DEFAULT, SUCCESS))
    if isinstance(call.devices, OutputBuffer):
        names = [device.name for device in devices]

        def one_root(seen: Values) -> bool:
            shown = handle_names(seen)
            return len(shown) == 1 and shown[0] in names and (not default or shown == [default])

        allowed = f"the root device {default} as before" if default else f"one of the root devices {', '.join(names)}"
        written = Satisfies(lambda seen: bool(handle_names(seen)), "a device", (SUCCESS,), choice)
        one = Conditional(
            one_root, allowed, (ONE_DEFAULT, SUCCESS), choice, applies=lambda seen: bool(handle_names(seen))
        )
        proper = Satisfies(
            lambda seen: not others or not set(handle_names(seen)) & (set(names) - set(others)),
            "not a custom device, since there are others",
            (NOT_CUSTOM,),
            choice,
        )
        outputs["devices"] = AllOf((written, one, proper), choice)

    def apply(_value: object, seen: dict[str, Values]) -> None:
        shown = handle_names(seen.get("devices", []))
        if shown:
            model.default_devices.setdefault(platform.name, shown[0])

    return Postcondition(outputs=outputs, apply=apply)


def matching_devices(call: Call, model: Model) -> MatchingDevices:
    """Return the root devices of the type that a call requests."""
    return find_matching(call.device_type, listed_platform(call, model), model)
