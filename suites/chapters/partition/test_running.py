"""Execution on sub-devices: program builds, kernels on their queues, and the resulting data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, HandleBytes, Items, OutputBuffer, Text, Texts
from clconform.oracles.model.known_kernels import KERNELS
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.suites.chapters.partition.cases import part, part_of_a_part
from clconform.suites.chapters.partition.entries import CORE_ENTRY, EXT_ENTRY, Entry
from clconform.suites.steps import needs, one, succeeded, value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pytest

    from clconform.runner.session.session import Session

NAME = "partition.running"
KERNEL = KERNELS["add_index"]
ELEMENTS = 64
CONTENT = b"".join((7 * index + 1).to_bytes(4, "little") for index in range(ELEMENTS))
RECORDS = (
    "clCreateProgramWithSource/success",
    "clBuildProgram/success",
    "clCreateKernel/success",
    "clSetKernelArg/success",
    "clCreateBuffer/success",
    "clEnqueueWriteBuffer/success",
    "clEnqueueNDRangeKernel/success",
    "clFinish/success",
    "CL_PROGRAM_DEVICES",
)
READ = "clEnqueueReadBuffer/success"


def work(cl: Session, context_devices: Sequence[Handle], queue_devices: Sequence[Handle]) -> None:
    """Run one kernel on the same buffer on a queue of each device, and read the buffer after each run."""
    context = one(
        cl.clCreateContext(None, len(context_devices), Items(tuple(context_devices)), None, None, OutputBuffer(1))
    )
    program = one(cl.clCreateProgramWithSource(context, 1, Texts((KERNEL.source,)), None, OutputBuffer(1)))
    devices = Items(tuple(queue_devices))
    built = cl.clBuildProgram(program, len(queue_devices), devices, Text(""), None, None)
    cl.query("clGetProgramInfo", program, "CL_PROGRAM_DEVICES")
    needs(succeeded(built), "the driver does not build the kernel")
    kernel = one(cl.clCreateKernel(program, Text(KERNEL.name), OutputBuffer(1)))
    flags = value(cl, "CL_MEM_READ_WRITE")
    memory = one(cl.clCreateBuffer(context, flags, len(CONTENT), None, OutputBuffer(1)))
    cl.clSetKernelArg(kernel, 0, 8, HandleBytes(memory))
    queues = [one(cl.clCreateCommandQueue(context, device, 0, OutputBuffer(1))) for device in queue_devices]
    cl.clEnqueueWriteBuffer(queues[0], memory, 1, 0, len(CONTENT), Data(CONTENT), 0, None, None)
    for queue in queues:
        cl.clEnqueueNDRangeKernel(queue, kernel, 1, None, Items((ELEMENTS,)), None, 0, None, None)
        cl.clFinish(queue)
        cl.clEnqueueReadBuffer(queue, memory, 1, 0, len(CONTENT), OutputBuffer(len(CONTENT)), 0, None, None)


def on_one(cl: Session, entry: Entry) -> None:
    """Run a kernel on one sub-device, in its own context."""
    device = part(cl, entry)
    work(cl, [device], [device])


def on_every_part(cl: Session, entry: Entry) -> None:
    """Run a kernel on all sub-devices one after another, in a context of all of them."""
    devices = entry.split(cl, cl.device, entry.equally(cl, 1))[:4]
    needs(len(devices) > 1, "the device does not partition into two equal sub-devices")
    work(cl, devices, devices)


def on_parent_and_part(cl: Session, entry: Entry) -> None:
    """Run a kernel on a device and then on its sub-device, in a context of both."""
    device = part(cl, entry)
    work(cl, [cl.device, device], [cl.device, device])


def on_part_of_a_part(cl: Session, entry: Entry) -> None:
    """Run a kernel on a sub-device of a sub-device."""
    _, quarters = part_of_a_part(cl, entry)
    work(cl, [quarters[0]], [quarters[0]])


WAYS = {
    "one sub-device": on_one,
    "every part": on_every_part,
    "a device and its part": on_parent_and_part,
    "a part of a part": on_part_of_a_part,
}


def works(entry: Entry, words: str, way: Callable[[Session, Entry], None]) -> Case:
    """Return an item that runs a kernel on sub-devices in one of the ways."""
    aims = (READ, *RECORDS)
    return Case(f"{entry.function}/success", f"a kernel on {words}", lambda cl: way(cl, entry), aims)


def cases() -> Iterator[Case]:
    """Yield items for kernels on the sub-devices of both entry points, and on the root device."""
    for entry in (CORE_ENTRY, EXT_ENTRY):
        for words, way in WAYS.items():
            yield works(entry, words, way)
    yield Case(READ, "a kernel on the root device", lambda cl: work(cl, [cl.device], [cl.device]), RECORDS)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases())


def test_running(cl: Session, case: Case) -> None:
    case.act(cl)
