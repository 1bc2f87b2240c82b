"""Error conditions of listing platforms and root devices (sections 4.1 and 4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.platforms.device_types import is_type_invalid, lacks_matching
from clconform.oracles.engine.predicate_result import NO, UNDEFINED, PredicateResult, may, must_if
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.devices import Platform
from clconform.oracles.model.errors import UnknownFactError

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

rules = Rules()

LISTING_FUNCTIONS = ("clGetPlatformIDs", "clIcdGetPlatformIDsKHR")


@rules.clause("clGetPlatformInfo/CL_INVALID_PLATFORM/1", "clGetDeviceIDs/CL_INVALID_PLATFORM/1")
def is_platform_invalid(call: Call, model: Model) -> PredicateResult:
    """platform is not a valid platform. For NULL the behaviour is implementation-defined."""
    if call.platform is None:
        return may("null-platform")
    thing = model.find(call.platform)
    if thing is None:
        return UNDEFINED
    return NO if isinstance(thing, Platform) else may("handle-of-other-type")


@rules.clause("clGetPlatformIDs/CL_PLATFORM_NOT_FOUND_KHR/1", "clIcdGetPlatformIDsKHR/CL_PLATFORM_NOT_FOUND_KHR/1")
def lacks_platform(call: Call, model: Model) -> PredicateResult:
    """No platform is available."""
    del call
    return must_if(not model.platforms)


@rules.clause("clGetDeviceIDs/CL_INVALID_DEVICE_TYPE/1")
def is_device_type_invalid(call: Call, model: Model) -> PredicateResult:
    """device_type does not contain any bit that the documents define for cl_device_type."""
    platform = model.find(call.platform)
    return is_type_invalid(call.device_type, platform if isinstance(platform, Platform) else None, model)


@rules.clause("clGetDeviceIDs/CL_DEVICE_NOT_FOUND/1")
def lacks_device(call: Call, model: Model) -> PredicateResult:
    """platform does not have a root device that matches device_type."""
    if call.platform is None:
        return may("null-platform")
    return lacks_matching(call.device_type, listed_platform(call, model), model)


def listed_platform(call: Call, model: Model) -> Platform:
    """Return the platform whose devices a call lists."""
    platform = model.find(call.platform)
    if not isinstance(platform, Platform):
        raise UnknownFactError("which platform answers")
    return platform
