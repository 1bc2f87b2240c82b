"""Platforms, devices and contexts for queries: one of each kind, created in every documented way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList
from clconform.suites.chapters.partition.entries import CORE_ENTRY, EXT_ENTRY
from clconform.suites.chapters.partition.partition_cases import create_sub_device
from clconform.suites.helpers import is_available, skip_unless
from clconform.suites.queries.kinds import ObjectKindRegistry

if TYPE_CHECKING:
    from clconform.suites.kit.kit import Kit
    from clconform.suites.queries.kinds import QuerySubject

kinds = ObjectKindRegistry()


@kinds.declare("the platform", "clGetPlatformInfo")
def platform(kit: Kit) -> QuerySubject:
    return {"platform": kit.cl.platform}


@kinds.declare("no platform", "clGetPlatformInfo", covers=("clGetPlatformInfo/CL_INVALID_PLATFORM/1",))
def no_platform(_kit: Kit) -> QuerySubject:
    return {"platform": None}


@kinds.declare("the root device", "clGetDeviceInfo")
def root_device(kit: Kit) -> QuerySubject:
    return {"device": kit.cl.device}


@kinds.declare("another root device", "clGetDeviceInfo")
def another_root_device(kit: Kit) -> QuerySubject:
    return {"device": kit.any_other_device}


@kinds.declare("a sub-device", "clGetDeviceInfo")
def sub_device(kit: Kit) -> QuerySubject:
    return {"device": create_sub_device(kit.cl, CORE_ENTRY)}


@kinds.declare("a sub-device by the extension", "clGetDeviceInfo")
def sub_device_by_the_extension(kit: Kit) -> QuerySubject:
    skip_unless(is_available(kit.cl, "clCreateSubDevicesEXT"), "cl_ext_device_fission is not supported")
    return {"device": create_sub_device(kit.cl, EXT_ENTRY)}


@kinds.declare("a context without properties", "clGetContextInfo")
def plain_context(kit: Kit) -> QuerySubject:
    return {"context": kit.context}


@kinds.declare("a context with its platform", "clGetContextInfo")
def context_with_platform(kit: Kit) -> QuerySubject:
    return {"context": kit.new_context(properties=kit.context_properties())}


@kinds.declare("a context of all devices", "clGetContextInfo")
def context_of_all_devices(kit: Kit) -> QuerySubject:
    return {"context": kit.new_context(*kit.cl.devices)}


@kinds.declare("a context of a type", "clGetContextInfo")
def context_of_a_type(kit: Kit) -> QuerySubject:
    return {"context": kit.context_of_type(kit.constant("CL_DEVICE_TYPE_ALL"))}


@kinds.declare("a context of a sub-device", "clGetContextInfo")
def context_of_sub_device(kit: Kit) -> QuerySubject:
    return {"context": kit.new_context(create_sub_device(kit.cl, CORE_ENTRY))}


@kinds.declare("a context synchronized by the user", "clGetContextInfo")
def synchronized_context(kit: Kit) -> QuerySubject:
    return {"context": kit.new_context(properties=kit.context_properties("CL_CONTEXT_INTEROP_USER_SYNC", 1))}


@kinds.declare("a context with every property", "clGetContextInfo")
def context_with_every_property(kit: Kit) -> QuerySubject:
    sharing = ("CL_CONTEXT_INTEROP_USER_SYNC", 0)
    more = ("CL_CONTEXT_TERMINATE_KHR", 1, "CL_CONTEXT_MEMORY_INITIALIZE_KHR", 3)
    return {"context": kit.new_context(properties=kit.context_properties(*sharing, *more))}


@kinds.declare("a context with an empty list", "clGetContextInfo")
def context_with_empty_list(kit: Kit) -> QuerySubject:
    return {"context": kit.new_context(properties=ElementList((0,)))}


@kinds.declare("a context of a device named three times", "clGetContextInfo")
def context_of_a_repeated_device(kit: Kit) -> QuerySubject:
    return {"context": kit.new_context(*[kit.cl.device] * 3)}


@kinds.declare("a context of the device's type", "clGetContextInfo")
def context_of_the_devices_type(kit: Kit) -> QuerySubject:
    return {"context": kit.context_of_type(kit.cl.fact("CL_DEVICE_TYPE") or 0)}
