"""Contexts on sub-devices and their ancestors: listed devices, reported values, and accepted queues."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Returned
from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.runner.session.outcome_values import returned_handles
from clconform.suites.chapters.partition.entries import CORE_ENTRY, EXT_ENTRY, EntryPoint, get_units
from clconform.suites.chapters.partition.partition_cases import create_sub_device
from clconform.suites.helpers import constant_value, skip_unless

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.runner.session.session import Session

NAME = "partition.contexts"
CREATE = "clCreateContext/success"
DEVICES = "CL_CONTEXT_DEVICES"
QUERIES = (DEVICES, "CL_CONTEXT_NUM_DEVICES", "CL_CONTEXT_REFERENCE_COUNT", "CL_CONTEXT_PROPERTIES")
MAX_LISTED = 64
NEW_PARTITIONS = 4
QUEUE_DEVICE = "clCreateCommandQueue/CL_INVALID_DEVICE/1"


def create_context(cl: Session, *devices: Handle | None, properties: ElementList | None = None) -> Handle | None:
    """Create a context on these devices, and return it, or None where the driver rejects it."""
    outcome = cl.clCreateContext(properties, len(devices), ElementList(devices), None, None, OutputBuffer(1))
    return next(iter(returned_handles(outcome)), None)


def query_context(cl: Session, context: Handle | None) -> None:
    """Query all properties of a context."""
    if context is not None:
        for query in QUERIES:
            cl.query("clGetContextInfo", context, query)


def create_queue(cl: Session, context: Handle | None, device: Handle | None) -> Handle | None:
    """Create a queue, and return it, or None where the driver rejects it."""
    if context is None:
        return None
    queue = next(iter(returned_handles(cl.clCreateCommandQueue(context, device, 0, OutputBuffer(1)))), None)
    if queue is not None:
        for query in ("CL_QUEUE_DEVICE", "CL_QUEUE_CONTEXT"):
            cl.query("clGetCommandQueueInfo", queue, query)
    return queue


def use_sub_device(cl: Session, entry: EntryPoint) -> None:
    """Create a context on one sub-device, and a queue in it."""
    device = create_sub_device(cl, entry)
    context = create_context(cl, device)
    query_context(cl, context)
    create_queue(cl, context, device)


def use_all_sub_devices(cl: Session, entry: EntryPoint) -> None:
    """Create a context on all sub-devices of a partition."""
    devices = entry.split(cl, cl.device, entry.equally(cl, 1))
    skip_unless(devices, "the device does not partition equally")
    context = create_context(cl, *devices)
    query_context(cl, context)
    for device in devices:
        create_queue(cl, context, device)


def use_parent_and_sub_device(cl: Session, entry: EntryPoint) -> None:
    """Create a context on a device and one of its sub-devices."""
    device = create_sub_device(cl, entry)
    context = create_context(cl, cl.device, device)
    query_context(cl, context)
    for each in (cl.device, device):
        create_queue(cl, context, each)


def queue_on_descendant(cl: Session, entry: EntryPoint) -> None:
    """Create a queue on a sub-device in a context of its ancestor only."""
    device = create_sub_device(cl, entry)
    context = create_context(cl, cl.device)
    query_context(cl, context)
    create_queue(cl, context, device)
    query_context(cl, context)


def queue_on_ancestor(cl: Session, entry: EntryPoint) -> None:
    """Create a queue on a root device in a context of its sub-device only."""
    context = create_context(cl, create_sub_device(cl, entry))
    create_queue(cl, context, cl.device)


def queue_on_sibling(cl: Session, entry: EntryPoint) -> None:
    """Create a queue on a sub-device in a context of another sub-device."""
    devices = entry.split(cl, cl.device, entry.equally(cl, 1))
    skip_unless(len(devices) > 1, "the device does not partition into two equal sub-devices")
    create_queue(cl, create_context(cl, devices[0]), devices[1])


def release_device_first(cl: Session, entry: EntryPoint) -> None:
    """Release a sub-device that a context and a queue still use, then use both."""
    device = create_sub_device(cl, entry)
    context = create_context(cl, device)
    queue = create_queue(cl, context, device)
    getattr(cl, entry.release)(device)
    for _ in range(NEW_PARTITIONS):
        entry.create(cl, cl.device, entry.by_counts(cl, [1]), 1)
        entry.create(cl, cl.device, entry.equally(cl, 1), get_units(cl))
    if context is not None:
        cl.query("clGetContextInfo", context, "CL_CONTEXT_NUM_DEVICES")
    if queue is not None:
        cl.clFinish(queue)


def create_context_from_type(cl: Session, entry: EntryPoint) -> None:
    """Create a context by device type while sub-devices exist; the context must contain only root devices."""
    create_sub_device(cl, entry)
    properties = ElementList((constant_value(cl, "CL_CONTEXT_PLATFORM"), cl.platform, 0))
    outcome = cl.clCreateContextFromType(
        properties, constant_value(cl, "CL_DEVICE_TYPE_ALL"), None, None, OutputBuffer(1)
    )
    for context in returned_handles(outcome):
        cl.query("clGetContextInfo", context, DEVICES)


def list_devices(cl: Session, entry: EntryPoint) -> None:
    """List devices while sub-devices exist; the list must contain only root devices."""
    create_sub_device(cl, entry)
    for name in ("CL_DEVICE_TYPE_ALL", "CL_DEVICE_TYPE_CPU"):
        outcome = cl.clGetDeviceIDs(cl.platform, constant_value(cl, name), 0, None, OutputBuffer(1))
        counted = outcome.outputs["num_devices"].values[0] if isinstance(outcome, Returned) else None
        if isinstance(counted, int) and 0 < counted < MAX_LISTED:
            cl.clGetDeviceIDs(
                cl.platform, constant_value(cl, name), counted + 1, OutputBuffer(counted + 1), OutputBuffer(1)
            )


def cases_of_both_entry_points(
    act: Callable[[Session, EntryPoint], object],
    requirement: str,
    test_value: str,
    *requirements: str,
    fresh: bool = False,
) -> list[TableCase]:
    """Return an item for each entry point."""

    def item(entry: EntryPoint) -> TableCase:
        aims = (*requirements, f"{entry.function}/success")
        return TableCase(requirement, f"{test_value}, {entry.function}", lambda cl: act(cl, entry), aims, fresh)

    return [item(CORE_ENTRY), item(EXT_ENTRY)]


def cases() -> Iterator[TableCase]:
    """Yield items for contexts and queues on sub-devices."""
    yield from cases_of_both_entry_points(use_sub_device, CREATE, "a sub-device", *QUERIES, "CL_QUEUE_DEVICE")
    yield from cases_of_both_entry_points(use_all_sub_devices, CREATE, "all sub-devices", *QUERIES)
    yield from cases_of_both_entry_points(use_parent_and_sub_device, CREATE, "a device and its sub-device", *QUERIES)
    yield from cases_of_both_entry_points(
        queue_on_descendant, QUEUE_DEVICE, "a sub-device of the context's device", DEVICES
    )
    yield from cases_of_both_entry_points(queue_on_ancestor, QUEUE_DEVICE, "the parent of the context's device")
    yield from cases_of_both_entry_points(queue_on_sibling, QUEUE_DEVICE, "a sibling of the context's device")
    yield from cases_of_both_entry_points(
        release_device_first, "clReleaseDevice/success", "a device in use", fresh=True
    )
    yield from cases_of_both_entry_points(create_context_from_type, DEVICES, "root devices only")
    yield from cases_of_both_entry_points(list_devices, "clGetDeviceIDs/success", "root devices only")
    yield TableCase("clCreateContext/CL_INVALID_DEVICE/1", "NULL in the list", lambda cl: create_context(cl, None))
    yield TableCase(
        "clCreateContext/CL_INVALID_DEVICE/1", "a device and NULL", lambda cl: create_context(cl, cl.device, None)
    )
    yield TableCase(
        "clCreateContext/CL_INVALID_VALUE/1",
        "devices=NULL",
        lambda cl: cl.clCreateContext(None, 1, None, None, None, OutputBuffer(1)),
    )
    yield TableCase(
        "clCreateContext/CL_INVALID_VALUE/2",
        "num_devices=0",
        lambda cl: cl.clCreateContext(None, 0, ElementList((cl.device,)), None, None, OutputBuffer(1)),
    )
    yield TableCase(
        "clCreateContext/CL_INVALID_PROPERTY/1",
        "an unknown name",
        lambda cl: create_context(cl, cl.device, properties=ElementList((0x7777, 0, 0))),
    )
    yield TableCase(
        CREATE,
        "with the platform named",
        lambda cl: query_context(
            cl,
            create_context(
                cl, cl.device, properties=ElementList((constant_value(cl, "CL_CONTEXT_PLATFORM"), cl.platform, 0))
            ),
        ),
        QUERIES,
    )
    yield TableCase("clRetainContext/CL_INVALID_CONTEXT/1", "NULL", lambda cl: cl.clRetainContext(None))
    yield TableCase("clReleaseContext/CL_INVALID_CONTEXT/1", "NULL", lambda cl: cl.clReleaseContext(None))
    yield TableCase(QUEUE_DEVICE, "NULL", lambda cl: create_queue(cl, create_context(cl, cl.device), None))


test_contexts_accept_their_devices = TableTest(cases)
