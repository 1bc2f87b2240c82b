"""Platforms, devices and contexts to query: one of each kind, created in every documented way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Items
from clconform.suites.chapters.partition.cases import part
from clconform.suites.chapters.partition.entries import CORE_ENTRY, EXT_ENTRY
from clconform.suites.queries.kinds import Kinds
from clconform.suites.steps import needs, promised

if TYPE_CHECKING:
    from clconform.suites.kit.kit import Kit
    from clconform.suites.queries.kinds import About

kinds = Kinds()


@kinds.of("the platform", "clGetPlatformInfo")
def platform(kit: Kit) -> About:
    return {"platform": kit.cl.platform}


@kinds.of("no platform", "clGetPlatformInfo", aims=("clGetPlatformInfo/CL_INVALID_PLATFORM/1",))
def no_platform(_kit: Kit) -> About:
    return {"platform": None}


@kinds.of("the root device", "clGetDeviceInfo")
def root_device(kit: Kit) -> About:
    return {"device": kit.cl.device}


@kinds.of("another root device", "clGetDeviceInfo")
def another_root_device(kit: Kit) -> About:
    return {"device": kit.any_other_device}


@kinds.of("a sub-device", "clGetDeviceInfo")
def sub_device(kit: Kit) -> About:
    return {"device": part(kit.cl, CORE_ENTRY)}


@kinds.of("a sub-device by the extension", "clGetDeviceInfo")
def sub_device_by_the_extension(kit: Kit) -> About:
    needs(promised(kit.cl, "clCreateSubDevicesEXT"), "cl_ext_device_fission is not supported")
    return {"device": part(kit.cl, EXT_ENTRY)}


@kinds.of("a context without properties", "clGetContextInfo")
def plain_context(kit: Kit) -> About:
    return {"context": kit.context}


@kinds.of("a context with its platform", "clGetContextInfo")
def context_with_platform(kit: Kit) -> About:
    return {"context": kit.new_context(properties=kit.context_properties())}


@kinds.of("a context of all devices", "clGetContextInfo")
def context_of_all(kit: Kit) -> About:
    return {"context": kit.new_context(*kit.cl.devices)}


@kinds.of("a context of a type", "clGetContextInfo")
def context_of_a_type(kit: Kit) -> About:
    return {"context": kit.context_of_type(kit.value("CL_DEVICE_TYPE_ALL"))}


@kinds.of("a context of a sub-device", "clGetContextInfo")
def context_of_a_part(kit: Kit) -> About:
    return {"context": kit.new_context(part(kit.cl, CORE_ENTRY))}


@kinds.of("a context synchronized by the user", "clGetContextInfo")
def synchronized_context(kit: Kit) -> About:
    return {"context": kit.new_context(properties=kit.context_properties("CL_CONTEXT_INTEROP_USER_SYNC", 1))}


@kinds.of("a context with every property", "clGetContextInfo")
def context_with_every_property(kit: Kit) -> About:
    sharing = ("CL_CONTEXT_INTEROP_USER_SYNC", 0)
    more = ("CL_CONTEXT_TERMINATE_KHR", 1, "CL_CONTEXT_MEMORY_INITIALIZE_KHR", 3)
    return {"context": kit.new_context(properties=kit.context_properties(*sharing, *more))}


@kinds.of("a context with an empty list", "clGetContextInfo")
def context_with_empty_list(kit: Kit) -> About:
    return {"context": kit.new_context(properties=Items((0,)))}


@kinds.of("a context of a device named three times", "clGetContextInfo")
def context_of_a_repeated_device(kit: Kit) -> About:
    return {"context": kit.new_context(*[kit.cl.device] * 3)}


@kinds.of("a context of the device's type", "clGetContextInfo")
def context_of_the_devices_type(kit: Kit) -> About:
    return {"context": kit.context_of_type(kit.cl.fact("CL_DEVICE_TYPE") or 0)}
