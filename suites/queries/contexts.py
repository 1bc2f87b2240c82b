"""Platforms, devices, contexts and queues to ask: of each kind one, made in every way that the documents give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle, Items, Room, Value
from clconform.suites.chapters.partition.cases import part
from clconform.suites.chapters.partition.entries import CORE_ENTRY, EXT_ENTRY
from clconform.suites.queries.kinds import Kinds
from clconform.suites.steps import needs, one, promised, value

if TYPE_CHECKING:
    from clconform.runner.session.session import Session

About = dict[str, Value]
kinds = Kinds()


@kinds.of("the platform", "clGetPlatformInfo")
def platform(cl: Session) -> About:
    return {"platform": cl.platform}


@kinds.of("the root device", "clGetDeviceInfo")
def root_device(cl: Session) -> About:
    return {"device": cl.device}


@kinds.of("another root device", "clGetDeviceInfo")
def another_root_device(cl: Session) -> About:
    others = [device for device in cl.devices if device != cl.device]
    needs(others, "the platform has one device only")
    return {"device": others[0]}


@kinds.of("a sub-device", "clGetDeviceInfo")
def sub_device(cl: Session) -> About:
    return {"device": part(cl, CORE_ENTRY)}


@kinds.of("a sub-device by the extension", "clGetDeviceInfo")
def sub_device_by_the_extension(cl: Session) -> About:
    needs(promised(cl, "clCreateSubDevicesEXT"), "cl_ext_device_fission is not supported")
    return {"device": part(cl, EXT_ENTRY)}


def a_context(cl: Session) -> Handle:
    """Make a context of the device under test."""
    return one(cl.clCreateContext(None, 1, Items((cl.device,)), None, None, Room(1)))


@kinds.of("a context without properties", "clGetContextInfo")
def plain_context(cl: Session) -> About:
    return {"context": a_context(cl)}


@kinds.of("a context with its platform", "clGetContextInfo")
def context_with_platform(cl: Session) -> About:
    properties = Items((value(cl, "CL_CONTEXT_PLATFORM"), cl.platform, 0))
    return {"context": one(cl.clCreateContext(properties, 1, Items((cl.device,)), None, None, Room(1)))}


@kinds.of("a context of all devices", "clGetContextInfo")
def context_of_all(cl: Session) -> About:
    devices = cl.devices
    return {"context": one(cl.clCreateContext(None, len(devices), Items(tuple(devices)), None, None, Room(1)))}


@kinds.of("a context of a type", "clGetContextInfo")
def context_of_a_type(cl: Session) -> About:
    properties = Items((value(cl, "CL_CONTEXT_PLATFORM"), cl.platform, 0))
    every = value(cl, "CL_DEVICE_TYPE_ALL")
    return {"context": one(cl.clCreateContextFromType(properties, every, None, None, Room(1)))}


@kinds.of("a context of a sub-device", "clGetContextInfo")
def context_of_a_part(cl: Session) -> About:
    device = part(cl, CORE_ENTRY)
    return {"context": one(cl.clCreateContext(None, 1, Items((device,)), None, None, Room(1)))}


def context_with(cl: Session, *elements: str | int) -> About:
    """Make a context with a list of properties; names stand for their values."""
    values = [value(cl, each) if isinstance(each, str) else each for each in elements]
    properties = Items((value(cl, "CL_CONTEXT_PLATFORM"), cl.platform, *values, 0))
    return {"context": one(cl.clCreateContext(properties, 1, Items((cl.device,)), None, None, Room(1)))}


@kinds.of("a context synchronized by the user", "clGetContextInfo")
def synchronized_context(cl: Session) -> About:
    return context_with(cl, "CL_CONTEXT_INTEROP_USER_SYNC", 1)


@kinds.of("a context with every property", "clGetContextInfo")
def context_with_every_property(cl: Session) -> About:
    sharing = ("CL_CONTEXT_INTEROP_USER_SYNC", 0)
    return context_with(cl, *sharing, "CL_CONTEXT_TERMINATE_KHR", 1, "CL_CONTEXT_MEMORY_INITIALIZE_KHR", 3)


@kinds.of("a context with an empty list", "clGetContextInfo")
def context_with_empty_list(cl: Session) -> About:
    return {"context": one(cl.clCreateContext(Items((0,)), 1, Items((cl.device,)), None, None, Room(1)))}


@kinds.of("a context of a device named three times", "clGetContextInfo")
def context_of_a_repeated_device(cl: Session) -> About:
    return {"context": one(cl.clCreateContext(None, 3, Items((cl.device,) * 3), None, None, Room(1)))}


@kinds.of("a context of the device's type", "clGetContextInfo")
def context_of_the_devices_type(cl: Session) -> About:
    properties = Items((value(cl, "CL_CONTEXT_PLATFORM"), cl.platform, 0))
    of_type = cl.fact("CL_DEVICE_TYPE") or 0
    return {"context": one(cl.clCreateContextFromType(properties, of_type, None, None, Room(1)))}
