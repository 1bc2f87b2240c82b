"""Platforms, devices, contexts and queues to ask: of each kind one, made in every way that the documents give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle, Items, Room, Value
from clconform.suites.partition.cases import part
from clconform.suites.partition.entries import CORE_ENTRY, EXT_ENTRY
from clconform.suites.queries.kinds import kind
from clconform.suites.steps import needs, one, promised, value

if TYPE_CHECKING:
    from clconform.judge.session import Session

About = dict[str, Value]


@kind("the platform", "clGetPlatformInfo")
def platform(cl: Session) -> About:
    return {"platform": cl.platform}


@kind("the root device", "clGetDeviceInfo")
def root_device(cl: Session) -> About:
    return {"device": cl.device}


@kind("another root device", "clGetDeviceInfo")
def another_root_device(cl: Session) -> About:
    others = [device for device in cl.devices if device != cl.device]
    needs(others, "the platform has one device only")
    return {"device": others[0]}


@kind("a sub-device", "clGetDeviceInfo")
def sub_device(cl: Session) -> About:
    return {"device": part(cl, CORE_ENTRY)}


@kind("a sub-device by the extension", "clGetDeviceInfo")
def sub_device_by_the_extension(cl: Session) -> About:
    needs(promised(cl, "clCreateSubDevicesEXT"), "cl_ext_device_fission is not supported")
    return {"device": part(cl, EXT_ENTRY)}


def a_context(cl: Session) -> Handle:
    """Make a context of the device under test."""
    return one(cl.clCreateContext(None, 1, Items((cl.device,)), None, None, Room(1)))


@kind("a context without properties", "clGetContextInfo")
def plain_context(cl: Session) -> About:
    return {"context": a_context(cl)}


@kind("a context with its platform", "clGetContextInfo")
def context_with_platform(cl: Session) -> About:
    properties = Items((value(cl, "CL_CONTEXT_PLATFORM"), cl.platform, 0))
    return {"context": one(cl.clCreateContext(properties, 1, Items((cl.device,)), None, None, Room(1)))}


@kind("a context of all devices", "clGetContextInfo")
def context_of_all(cl: Session) -> About:
    devices = cl.devices
    return {"context": one(cl.clCreateContext(None, len(devices), Items(tuple(devices)), None, None, Room(1)))}


@kind("a context of a type", "clGetContextInfo")
def context_of_a_type(cl: Session) -> About:
    properties = Items((value(cl, "CL_CONTEXT_PLATFORM"), cl.platform, 0))
    every = value(cl, "CL_DEVICE_TYPE_ALL")
    return {"context": one(cl.clCreateContextFromType(properties, every, None, None, Room(1)))}


@kind("a context of a sub-device", "clGetContextInfo")
def context_of_a_part(cl: Session) -> About:
    device = part(cl, CORE_ENTRY)
    return {"context": one(cl.clCreateContext(None, 1, Items((device,)), None, None, Room(1)))}


def a_queue(cl: Session, context: Handle, properties: int = 0) -> Handle:
    """Make a queue on the device under test."""
    return one(cl.clCreateCommandQueue(context, cl.device, properties, Room(1)))


def queue_by_list(cl: Session, properties: Items | None) -> About:
    """Make a queue with a list of properties."""
    needs(promised(cl, "clCreateCommandQueueWithProperties"), "queues take no list of properties before 2.0")
    outcome = cl.clCreateCommandQueueWithProperties(a_context(cl), cl.device, properties, Room(1))
    return {"command_queue": one(outcome)}


@kind("a queue", "clGetCommandQueueInfo")
def plain_queue(cl: Session) -> About:
    return {"command_queue": a_queue(cl, a_context(cl))}


@kind("a profiling queue", "clGetCommandQueueInfo")
def profiling_queue(cl: Session) -> About:
    return {"command_queue": a_queue(cl, a_context(cl), value(cl, "CL_QUEUE_PROFILING_ENABLE"))}


@kind("a queue out of order", "clGetCommandQueueInfo")
def out_of_order_queue(cl: Session) -> About:
    bit = value(cl, "CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE")
    needs((cl.fact("CL_DEVICE_QUEUE_PROPERTIES") or 0) & bit, "the device has no queue out of order")
    return {"command_queue": a_queue(cl, a_context(cl), bit)}


@kind("a queue with a NULL list", "clGetCommandQueueInfo")
def queue_with_null(cl: Session) -> About:
    return queue_by_list(cl, None)


@kind("a queue with an empty list", "clGetCommandQueueInfo")
def queue_with_empty_list(cl: Session) -> About:
    return queue_by_list(cl, Items((0,)))


@kind("a queue with a list", "clGetCommandQueueInfo")
def queue_with_list(cl: Session) -> About:
    bits = value(cl, "CL_QUEUE_PROFILING_ENABLE")
    return queue_by_list(cl, Items((value(cl, "CL_QUEUE_PROPERTIES"), bits, 0)))


@kind("a queue on the device", "clGetCommandQueueInfo")
def queue_on_device(cl: Session) -> About:
    known = cl.fact("CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE")
    needs(known, "the device has no queues of its own")
    names = ("CL_QUEUE_ON_DEVICE", "CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE")
    bits = sum(value(cl, name) for name in names)
    size = cl.fact("CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE") or known
    return queue_by_list(cl, Items((value(cl, "CL_QUEUE_PROPERTIES"), bits, value(cl, "CL_QUEUE_SIZE"), size, 0)))
