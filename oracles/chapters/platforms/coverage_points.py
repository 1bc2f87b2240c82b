"""Coverage points for lists of platforms and devices (sections 4.1 and 4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import OutputBuffer
from clconform.oracles.chapters.platforms.device_types import DEFAULT
from clconform.oracles.chapters.platforms.error_conditions import LISTING_FUNCTIONS
from clconform.oracles.chapters.platforms.postconditions import NOT_CUSTOM, ONE_DEFAULT, SUCCESS, matching_devices
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wording import PERMISSION

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.spec_tables import Tables

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


def _describe_type(name: str) -> str:
    if name == "ALL":
        return "clGetDeviceIDs with CL_DEVICE_TYPE_ALL returns the root devices of all types."
    if name == "DEFAULT":
        return "clGetDeviceIDs with CL_DEVICE_TYPE_DEFAULT returns the default device of the platform."
    return f"clGetDeviceIDs with CL_DEVICE_TYPE_{name} returns only devices of that type."


@rules.completion
def _declare_listing(rules: Rules, _tables: Tables) -> None:
    """Declare the coverage points of the prose and of the table of device types."""
    for function in LISTING_FUNCTIONS:
        requirement, words = f"{function}/CL_PLATFORM_NOT_FOUND_KHR/1", "No platform is available."
        rules.untestable(requirement, words, "without a platform nothing can be tested")
    for number, words in (
        (1, "If platform is NULL, the behaviour is implementation-defined."),
        (4, "A call need not return every device of the platform."),
    ):
        rules.untestable(f"clGetDeviceIDs/effect/{number}", words, PERMISSION)
    rules.words[NOT_CUSTOM] = "The default device is not a custom device unless it is the only device of the platform."
    rules.coverage_point(
        ONE_DEFAULT,
        "clGetDeviceIDs",
        "clGetDeviceIDs with CL_DEVICE_TYPE_DEFAULT returns a single root device, the same in every call.",
        SUCCESS,
        holds=_lists_type(DEFAULT),
    )
    for name in ("CPU", "GPU", "ACCELERATOR", "CUSTOM", "DEFAULT", "ALL"):
        rules.coverage_point(
            f"cl_device_type:CL_DEVICE_TYPE_{name}",
            "clGetDeviceIDs",
            _describe_type(name),
            *((ONE_DEFAULT, NOT_CUSTOM) if name == "DEFAULT" else ()),
            SUCCESS,
            holds=_lists_type(f"CL_DEVICE_TYPE_{name}"),
        )
    for requirement, function in (
        ("clGetPlatformIDs/effect/1", "clGetPlatformIDs"),
        ("clIcdGetPlatformIDsKHR/effect/2", "clIcdGetPlatformIDsKHR"),
    ):
        words = "Checked on calls that return a list of platforms, if the number of platforms is known."
        rules.coverage_point(requirement, function, words, f"{function}/success", holds=_has_counted_platforms)
    rules.coverage_point(
        "clGetDeviceIDs/effect/5",
        "clGetDeviceIDs",
        "Checked on calls that return both the list and the number of devices.",
        SUCCESS,
        holds=_has_counted_devices,
    )
    rules.coverage_point(
        "clIcdGetPlatformIDsKHR/effect/1",
        "clIcdGetPlatformIDsKHR",
        "Checked on lists that contain the platform under test. The later calls use this platform.",
        "clIcdGetPlatformIDsKHR/success",
        holds=lambda asked: (
            asked.code == "CL_SUCCESS" and not set(asked.model.platforms).isdisjoint(_listed_names(asked))
        ),
    )


def _listed_names(asked: CompletedCall) -> list[object]:
    return [each for each in asked.outputs.get("platforms", []) if isinstance(each, str)]


def _has_counted_platforms(asked: CompletedCall) -> bool:
    told = asked.model.platform_listings.get(asked.call.function)
    return asked.code == "CL_SUCCESS" and "platforms" in asked.outputs and told is not None and told.number is not None


def _has_counted_devices(asked: CompletedCall) -> bool:
    return asked.code == "CL_SUCCESS" and {"devices", "num_devices"} <= asked.outputs.keys()
