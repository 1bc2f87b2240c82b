"""Error conditions of listing platforms and root devices (sections 4.1 and 4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.platforms.device_types import none_found, type_not_valid
from clconform.oracles.engine.answers import Answer, May, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.devices import Platform
from clconform.oracles.model.errors import UnknownError

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.world import Model

rules = Rules()

LISTING = ("clGetPlatformIDs", "clIcdGetPlatformIDsKHR")


@rules.clause("clGetPlatformInfo/CL_INVALID_PLATFORM/1", "clGetDeviceIDs/CL_INVALID_PLATFORM/1")
def platform_not_valid(call: Call, model: Model) -> Reply:
    """platform is not a valid platform; for NULL the behaviour is implementation-defined."""
    if call.platform is None:
        return May("null-platform")
    thing = model.known(call.platform)
    if thing is None:
        return Answer.UNDEFINED
    return Answer.NO if isinstance(thing, Platform) else May("other-type")


@rules.clause("clGetPlatformIDs/CL_PLATFORM_NOT_FOUND_KHR/1", "clIcdGetPlatformIDsKHR/CL_PLATFORM_NOT_FOUND_KHR/1")
def no_platform(call: Call, model: Model) -> Reply:
    """No platform is available."""
    del call
    return not model.platforms


@rules.clause("clGetDeviceIDs/CL_INVALID_DEVICE_TYPE/1")
def device_type_not_valid(call: Call, model: Model) -> Reply:
    """device_type does not contain a defined bit."""
    platform = model.known(call.platform)
    return type_not_valid(call.device_type, platform if isinstance(platform, Platform) else None, model)


@rules.clause("clGetDeviceIDs/CL_DEVICE_NOT_FOUND/1")
def no_such_device(call: Call, model: Model) -> Reply:
    """The platform does not have a device of device_type."""
    if call.platform is None:
        return May("null-platform")
    return none_found(call.device_type, platform_listed(call, model), model)


def platform_listed(call: Call, model: Model) -> Platform:
    """Return the platform whose devices a call lists."""
    platform = model.known(call.platform)
    if not isinstance(platform, Platform):
        raise UnknownError("which platform answers")
    return platform
