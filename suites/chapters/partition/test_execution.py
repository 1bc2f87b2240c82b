"""Execution on sub-devices: programs are built for them, and kernels run on their queues."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, Handle, HandleBytes, OutputBuffer, Text, Texts
from clconform.oracles.model.buffer_kernels import KERNELS
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.suites.chapters.partition.entries import CORE_ENTRY, EXT_ENTRY, EntryPoint
from clconform.suites.chapters.partition.partition_cases import create_sub_device, split_twice
from clconform.suites.helpers import constant_value, is_success, require_handle, skip_unless

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from clconform.runner.session.session import Session

NAME = "partition.execution"
KERNEL = KERNELS["add_index"]
ELEMENTS = 64
CONTENT = b"".join((7 * index + 1).to_bytes(4, "little") for index in range(ELEMENTS))
OTHER_TARGETS = (
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


def run_kernel(cl: Session, context_devices: Sequence[Handle], queue_devices: Sequence[Handle]) -> None:
    """Run one kernel on the same buffer on a queue of each device, and read the buffer after each run."""
    context = require_handle(
        cl.clCreateContext(None, len(context_devices), ElementList(tuple(context_devices)), None, None, OutputBuffer(1))
    )
    program = require_handle(cl.clCreateProgramWithSource(context, 1, Texts((KERNEL.source,)), None, OutputBuffer(1)))
    devices = ElementList(tuple(queue_devices))
    built = cl.clBuildProgram(program, len(queue_devices), devices, Text(""), None, None)
    cl.query("clGetProgramInfo", program, "CL_PROGRAM_DEVICES")
    skip_unless(is_success(built), "the driver does not build the kernel")
    kernel = require_handle(cl.clCreateKernel(program, Text(KERNEL.name), OutputBuffer(1)))
    flags = constant_value(cl, "CL_MEM_READ_WRITE")
    memory = require_handle(cl.clCreateBuffer(context, flags, len(CONTENT), None, OutputBuffer(1)))
    cl.clSetKernelArg(kernel, 0, cl.model.pointer_bytes, HandleBytes(memory))
    queues = [require_handle(cl.clCreateCommandQueue(context, device, 0, OutputBuffer(1))) for device in queue_devices]
    cl.clEnqueueWriteBuffer(queues[0], memory, 1, 0, len(CONTENT), Data(CONTENT), 0, None, None)
    for queue in queues:
        cl.clEnqueueNDRangeKernel(queue, kernel, 1, None, ElementList((ELEMENTS,)), None, 0, None, None)
        cl.clFinish(queue)
        cl.clEnqueueReadBuffer(queue, memory, 1, 0, len(CONTENT), OutputBuffer(len(CONTENT)), 0, None, None)


def run_on_sub_device(cl: Session, entry: EntryPoint) -> None:
    """Run a kernel on one sub-device, in its own context."""
    device = create_sub_device(cl, entry)
    run_kernel(cl, [device], [device])


def run_on_all_sub_devices(cl: Session, entry: EntryPoint) -> None:
    """Run a kernel on all sub-devices one after another, in a context of all of them."""
    devices = entry.split(cl, cl.device, entry.equally(cl, 1))[:4]
    skip_unless(len(devices) > 1, "the device does not partition into two equal sub-devices")
    run_kernel(cl, devices, devices)


def run_on_parent_and_sub_device(cl: Session, entry: EntryPoint) -> None:
    """Run a kernel on a device and then on its sub-device, in a context of both."""
    device = create_sub_device(cl, entry)
    run_kernel(cl, [cl.device, device], [cl.device, device])


def run_on_nested_sub_device(cl: Session, entry: EntryPoint) -> None:
    """Run a kernel on a sub-device of a sub-device."""
    _, quarters = split_twice(cl, entry)
    run_kernel(cl, [quarters[0]], [quarters[0]])


DEVICE_SELECTIONS = {
    "one sub-device": run_on_sub_device,
    "every part": run_on_all_sub_devices,
    "a device and its part": run_on_parent_and_sub_device,
    "a part of a part": run_on_nested_sub_device,
}


def create_case(entry: EntryPoint, words: str, way: Callable[[Session, EntryPoint], None]) -> TableCase:
    """Return an item that runs a kernel on sub-devices by calling ``way``."""
    aims = (READ, *OTHER_TARGETS)
    return TableCase(f"{entry.function}/success", f"a kernel on {words}", lambda cl: way(cl, entry), aims)


def cases() -> Iterator[TableCase]:
    """Yield items for kernels on the sub-devices of both entry points, and on the root device."""
    for entry in (CORE_ENTRY, EXT_ENTRY):
        for words, way in DEVICE_SELECTIONS.items():
            yield create_case(entry, words, way)
    yield TableCase(
        READ, "a kernel on the root device", lambda cl: run_kernel(cl, [cl.device], [cl.device]), OTHER_TARGETS
    )


test_kernels_run_on_sub_devices = TableTest(cases)
