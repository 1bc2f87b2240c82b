"""Contexts on sub-devices and their ancestors: devices, reported values, and accepted queues."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Returned
from clconform.calls.values import Handle, Items, OutputBuffer
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.runner.session.answers import made
from clconform.suites.chapters.partition.cases import part
from clconform.suites.chapters.partition.entries import CORE_ENTRY, EXT_ENTRY, Entry, units
from clconform.suites.steps import needs, value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pytest

    from clconform.runner.session.session import Session

NAME = "partition.contexts"
CREATE = "clCreateContext/success"
DEVICES = "CL_CONTEXT_DEVICES"
QUERIES = (DEVICES, "CL_CONTEXT_NUM_DEVICES", "CL_CONTEXT_REFERENCE_COUNT", "CL_CONTEXT_PROPERTIES")
MOST_LISTED = 64
NEW_ONES = 4
QUEUE_DEVICE = "clCreateCommandQueue/CL_INVALID_DEVICE/1"


def context_on(cl: Session, *devices: Handle | None, properties: Items | None = None) -> Handle | None:
    """Return a new context on these devices, or None where the driver rejects it."""
    outcome = cl.clCreateContext(properties, len(devices), Items(devices), None, None, OutputBuffer(1))
    return next(iter(made(outcome)), None)


def tells(cl: Session, context: Handle | None) -> None:
    """Query all properties of a context."""
    if context is not None:
        for query in QUERIES:
            cl.query("clGetContextInfo", context, query)


def queue_on(cl: Session, context: Handle | None, device: Handle | None) -> Handle | None:
    """Return a new queue, or None where the driver rejects it."""
    if context is None:
        return None
    queue = next(iter(made(cl.clCreateCommandQueue(context, device, 0, OutputBuffer(1)))), None)
    if queue is not None:
        for query in ("CL_QUEUE_DEVICE", "CL_QUEUE_CONTEXT"):
            cl.query("clGetCommandQueueInfo", queue, query)
    return queue


def on_sub_device(cl: Session, entry: Entry) -> None:
    """Create a context on one sub-device, and a queue in it."""
    device = part(cl, entry)
    context = context_on(cl, device)
    tells(cl, context)
    queue_on(cl, context, device)


def on_all_parts(cl: Session, entry: Entry) -> None:
    """Create a context on all sub-devices of a partition."""
    devices = entry.split(cl, cl.device, entry.equally(cl, 1))
    needs(devices, "the device does not partition equally")
    context = context_on(cl, *devices)
    tells(cl, context)
    for device in devices:
        queue_on(cl, context, device)


def on_parent_and_part(cl: Session, entry: Entry) -> None:
    """Create a context on a device and one of its sub-devices."""
    device = part(cl, entry)
    context = context_on(cl, cl.device, device)
    tells(cl, context)
    for each in (cl.device, device):
        queue_on(cl, context, each)


def queue_of_a_descendant(cl: Session, entry: Entry) -> None:
    """Create a queue on a sub-device in a context of its ancestor only."""
    device = part(cl, entry)
    context = context_on(cl, cl.device)
    tells(cl, context)
    queue_on(cl, context, device)
    tells(cl, context)


def queue_of_an_ancestor(cl: Session, entry: Entry) -> None:
    """Create a queue on a root device in a context of its sub-device only."""
    context = context_on(cl, part(cl, entry))
    queue_on(cl, context, cl.device)


def queue_of_a_sibling(cl: Session, entry: Entry) -> None:
    """Create a queue on a sub-device in a context of another sub-device."""
    devices = entry.split(cl, cl.device, entry.equally(cl, 1))
    needs(len(devices) > 1, "the device does not partition into two equal sub-devices")
    queue_on(cl, context_on(cl, devices[0]), devices[1])


def device_released_first(cl: Session, entry: Entry) -> None:
    """Release a sub-device that a context and a queue still use, then use both."""
    device = part(cl, entry)
    context = context_on(cl, device)
    queue = queue_on(cl, context, device)
    getattr(cl, entry.release)(device)
    for _ in range(NEW_ONES):
        entry.create(cl, cl.device, entry.by_counts(cl, [1]), 1)
        entry.create(cl, cl.device, entry.equally(cl, 1), units(cl))
    if context is not None:
        cl.query("clGetContextInfo", context, "CL_CONTEXT_NUM_DEVICES")
    if queue is not None:
        cl.clFinish(queue)


def from_type(cl: Session, entry: Entry) -> None:
    """Create a context by device type while sub-devices exist; the context contains root devices only."""
    part(cl, entry)
    properties = Items((value(cl, "CL_CONTEXT_PLATFORM"), cl.platform, 0))
    outcome = cl.clCreateContextFromType(properties, value(cl, "CL_DEVICE_TYPE_ALL"), None, None, OutputBuffer(1))
    for context in made(outcome):
        cl.query("clGetContextInfo", context, DEVICES)


def listed_devices(cl: Session, entry: Entry) -> None:
    """List devices while sub-devices exist; the list contains root devices only."""
    part(cl, entry)
    for name in ("CL_DEVICE_TYPE_ALL", "CL_DEVICE_TYPE_CPU"):
        outcome = cl.clGetDeviceIDs(cl.platform, value(cl, name), 0, None, OutputBuffer(1))
        counted = outcome.outputs["num_devices"].values[0] if isinstance(outcome, Returned) else None
        if isinstance(counted, int) and 0 < counted < MOST_LISTED:
            cl.clGetDeviceIDs(cl.platform, value(cl, name), counted + 1, OutputBuffer(counted + 1), OutputBuffer(1))


def both(
    act: Callable[[Session, Entry], object], record: str, boundary: str, *records: str, fresh: bool = False
) -> list[Case]:
    """Return an item for each entry point."""

    def item(entry: Entry) -> Case:
        aims = (*records, f"{entry.function}/success")
        return Case(record, f"{boundary}, {entry.function}", lambda cl: act(cl, entry), aims, fresh)

    return [item(CORE_ENTRY), item(EXT_ENTRY)]


def cases() -> Iterator[Case]:
    """Yield items for contexts and queues on sub-devices."""
    yield from both(on_sub_device, CREATE, "a sub-device", *QUERIES, "CL_QUEUE_DEVICE")
    yield from both(on_all_parts, CREATE, "all sub-devices", *QUERIES)
    yield from both(on_parent_and_part, CREATE, "a device and its sub-device", *QUERIES)
    yield from both(queue_of_a_descendant, QUEUE_DEVICE, "a sub-device of the context's device", DEVICES)
    yield from both(queue_of_an_ancestor, QUEUE_DEVICE, "the parent of the context's device")
    yield from both(queue_of_a_sibling, QUEUE_DEVICE, "a sibling of the context's device")
    yield from both(device_released_first, "clReleaseDevice/success", "a device in use", fresh=True)
    yield from both(from_type, DEVICES, "root devices only")
    yield from both(listed_devices, "clGetDeviceIDs/success", "root devices only")
    yield Case("clCreateContext/CL_INVALID_DEVICE/1", "NULL in the list", lambda cl: context_on(cl, None))
    yield Case("clCreateContext/CL_INVALID_DEVICE/1", "a device and NULL", lambda cl: context_on(cl, cl.device, None))
    yield Case(
        "clCreateContext/CL_INVALID_VALUE/1",
        "devices=NULL",
        lambda cl: cl.clCreateContext(None, 1, None, None, None, OutputBuffer(1)),
    )
    yield Case(
        "clCreateContext/CL_INVALID_VALUE/2",
        "num_devices=0",
        lambda cl: cl.clCreateContext(None, 0, Items((cl.device,)), None, None, OutputBuffer(1)),
    )
    yield Case(
        "clCreateContext/CL_INVALID_PROPERTY/1",
        "an unknown name",
        lambda cl: context_on(cl, cl.device, properties=Items((0x7777, 0, 0))),
    )
    yield Case(
        CREATE,
        "with the platform named",
        lambda cl: tells(
            cl, context_on(cl, cl.device, properties=Items((value(cl, "CL_CONTEXT_PLATFORM"), cl.platform, 0)))
        ),
        QUERIES,
    )
    yield Case("clRetainContext/CL_INVALID_CONTEXT/1", "NULL", lambda cl: cl.clRetainContext(None))
    yield Case("clReleaseContext/CL_INVALID_CONTEXT/1", "NULL", lambda cl: cl.clReleaseContext(None))
    yield Case(QUEUE_DEVICE, "NULL", lambda cl: queue_on(cl, context_on(cl, cl.device), None))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases())


def test_contexts(cl: Session, case: Case) -> None:
    case.act(cl)
