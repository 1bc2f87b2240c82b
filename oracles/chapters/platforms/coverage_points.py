"""Coverage points for lists of platforms and devices (sections 4.1 and 4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import OutputBuffer
from clconform.oracles.chapters.platforms.device_types import DEFAULT
from clconform.oracles.chapters.platforms.postconditions import NOT_CUSTOM, ONE_DEFAULT, SUCCESS, matching_devices
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wording import PERMISSION

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.call_context import CompletedCall

rules = Rules()


def _lists_type(name: str) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: a valid call requests exactly the device type ``name``, and devices match it."""

    def holds(asked: CompletedCall) -> bool:
        call = asked.call
        if call.device_type != asked.model.constant_value(name) or not (call.devices or call.num_devices):
            return False
        listed = isinstance(call.devices, OutputBuffer) == (call.num_entries > 0)
        return listed and (asked.code == "CL_SUCCESS" or bool(matching_devices(call, asked.model).devices))

    return holds


def _listed_names(asked: CompletedCall) -> list[object]:
    return [each for each in asked.outputs.get("platforms", []) if isinstance(each, str)]


def _has_counted_platforms(asked: CompletedCall) -> bool:
    told = asked.model.platform_listings.get(asked.call.function)
    return asked.code == "CL_SUCCESS" and "platforms" in asked.outputs and told is not None and told.number is not None


def _has_counted_devices(asked: CompletedCall) -> bool:
    return asked.code == "CL_SUCCESS" and {"devices", "num_devices"} <= asked.outputs.keys()


for _requirement in (
    "clGetPlatformIDs/CL_PLATFORM_NOT_FOUND_KHR/1",
    "clIcdGetPlatformIDsKHR/CL_PLATFORM_NOT_FOUND_KHR/1",
):
    rules.untestable(_requirement, "No platform is available.", "without a platform nothing can be tested")
for _requirement, _words in (
    ("clGetDeviceIDs/effect/1", "If platform is NULL, the behaviour is implementation-defined."),
    ("clGetDeviceIDs/effect/4", "A call need not return every device of the platform."),
):
    rules.untestable(_requirement, _words, PERMISSION)
rules.words[NOT_CUSTOM] = "The default device is not a custom device unless it is the only device of the platform."
for _requirement, _words, *_parents in (
    ("cl_device_type:CL_DEVICE_TYPE_CPU", "returns only devices of that type."),
    ("cl_device_type:CL_DEVICE_TYPE_GPU", "returns only devices of that type."),
    ("cl_device_type:CL_DEVICE_TYPE_ACCELERATOR", "returns only devices of that type."),
    ("cl_device_type:CL_DEVICE_TYPE_CUSTOM", "returns only devices of that type."),
    ("cl_device_type:CL_DEVICE_TYPE_DEFAULT", "returns the default device of the platform.", ONE_DEFAULT, NOT_CUSTOM),
    ("cl_device_type:CL_DEVICE_TYPE_ALL", "returns the root devices of all types."),
):
    _type = _requirement.partition(":")[2]
    _text = f"clGetDeviceIDs with {_type} {_words}"
    rules.coverage_point(_requirement, "clGetDeviceIDs", _text, *_parents, SUCCESS, holds=_lists_type(_type))
for _requirement, _words, _holds in (
    (
        ONE_DEFAULT,
        "clGetDeviceIDs with CL_DEVICE_TYPE_DEFAULT returns a single root device, the same in every call.",
        _lists_type(DEFAULT),
    ),
    (
        "clGetDeviceIDs/effect/5",
        "Checked on calls that return both the list and the number of devices.",
        _has_counted_devices,
    ),
):
    rules.coverage_point(_requirement, "clGetDeviceIDs", _words, SUCCESS, holds=_holds)
_COUNTED_TEXT = "Checked on calls that return a list of platforms, if the number of platforms is known."
for _requirement, _words, _holds in (
    ("clGetPlatformIDs/effect/1", _COUNTED_TEXT, _has_counted_platforms),
    ("clIcdGetPlatformIDsKHR/effect/2", _COUNTED_TEXT, _has_counted_platforms),
    (
        "clIcdGetPlatformIDsKHR/effect/1",
        "Checked on lists that contain the platform under test. The later calls use this platform.",
        lambda asked: asked.code == "CL_SUCCESS" and not set(asked.model.platforms).isdisjoint(_listed_names(asked)),
    ),
):
    _function = _requirement.partition("/")[0]
    rules.coverage_point(_requirement, _function, _words, f"{_function}/success", holds=_holds)
