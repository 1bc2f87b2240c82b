"""Kernels on sub-devices, from a build or a binary of the parent device (section 5.8.9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, HandleBytes, OutputBuffer, Text, Texts
from clconform.runner.pytest_plugin.covers import TableTest
from clconform.suites.cases import CaseRegistry
from clconform.suites.chapters.partition.entries import CORE_ENTRY
from clconform.suites.chapters.partition.partition_cases import create_sub_device
from clconform.suites.helpers import is_success, require_handle, skip_unless
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import SIZE, pattern_bytes
from clconform.suites.kit.programs import kernel_sources

if TYPE_CHECKING:
    from clconform.calls.values import Handle

NAME = "execution.sub_devices"
BUILD = "clGetProgramBuildInfo/effect"
ITEMS = 4
cases: CaseRegistry[Kit] = CaseRegistry(Kit)
test_programs_of_parent_run_on_sub_devices = TableTest(cases)


def _run_kernel(kit: Kit, context: Handle, program: Handle, device: Handle) -> None:
    """Run the kernel of a built program on a device, and read the kernel's result."""
    kernel = require_handle(kit.cl.clCreateKernel(program, Text("add_index"), OutputBuffer(1)))
    queue = require_handle(kit.cl.clCreateCommandQueue(context, device, 0, OutputBuffer(1)))
    data = require_handle(
        kit.cl.clCreateBuffer(context, kit.constant("CL_MEM_READ_WRITE"), SIZE, None, OutputBuffer(1))
    )
    kit.cl.clEnqueueWriteBuffer(queue, data, 1, 0, SIZE, Data(pattern_bytes(SIZE)), 0, None, None)
    kit.cl.clSetKernelArg(kernel, 0, kit.pointer_bytes, HandleBytes(data))
    kit.cl.clEnqueueNDRangeKernel(queue, kernel, 1, None, ElementList((ITEMS,)), None, 0, None, None)
    kit.cl.clEnqueueReadBuffer(queue, data, 1, 0, SIZE, OutputBuffer(SIZE), 0, None, None)


@cases.declare(
    "clGetProgramBuildInfo/effect/1",
    "built for the parent only",
    "clGetProgramBuildInfo/effect/2",
    "clEnqueueNDRangeKernel/success",
)
def run_build_of_parent(kit: Kit) -> None:
    """Build a program only for the parent device, and run its kernel on a sub-device."""
    child = create_sub_device(kit.cl, CORE_ENTRY)
    context = kit.new_context(kit.cl.device, child)
    source = Texts(kernel_sources("add_index"))
    program = require_handle(kit.cl.clCreateProgramWithSource(context, 1, source, None, OutputBuffer(1)))
    skip_unless(kit.try_build(program), "the driver does not build the kernel")
    _run_kernel(kit, context, program, child)


@cases.declare("clGetProgramBuildInfo/effect/3", "the binary of the parent", "clCreateProgramWithBinary/success")
def run_binary_of_parent(kit: Kit) -> None:
    """Create a program for a sub-device from its parent's binary, build it, and run its kernel."""
    content = kit.get_binary(kit.built_program("add_index"))
    child = create_sub_device(kit.cl, CORE_ENTRY)
    context = kit.new_context(kit.cl.device, child)
    given = (ElementList((child,)), ElementList((len(content),)), Data(content))
    program = require_handle(kit.cl.clCreateProgramWithBinary(context, 1, *given, OutputBuffer(1), OutputBuffer(1)))
    skip_unless(
        is_success(kit.cl.clBuildProgram(program, 1, ElementList((child,)), Text(""), None, None)), "it is not built"
    )
    _run_kernel(kit, context, program, child)
