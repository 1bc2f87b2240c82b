"""Kernels of programs built for a device, on its sub-devices (section 5.8.9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, HandleBytes, Items, OutputBuffer, Text, Texts
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.suites.cases import Cases
from clconform.suites.chapters.execution.kernels import HANDLE
from clconform.suites.chapters.partition.cases import part
from clconform.suites.chapters.partition.entries import CORE_ENTRY
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import SIZE, telling
from clconform.suites.kit.programs import sources_of
from clconform.suites.steps import needs, one, succeeded

if TYPE_CHECKING:
    import pytest

    from clconform.calls.values import Handle
    from clconform.runner.session.session import Session

NAME = "execution.sub_devices"
BUILD = "clGetProgramBuildInfo/effect"
ITEMS = 4
cases: Cases[Kit] = Cases(Kit)


def _launched(kit: Kit, context: Handle, program: Handle, device: Handle) -> None:
    """Run the kernel of a built program on a device, and read its result."""
    kernel = one(kit.cl.clCreateKernel(program, Text("add_index"), OutputBuffer(1)))
    queue = one(kit.cl.clCreateCommandQueue(context, device, 0, OutputBuffer(1)))
    data = one(kit.cl.clCreateBuffer(context, kit.value("CL_MEM_READ_WRITE"), SIZE, None, OutputBuffer(1)))
    kit.cl.clEnqueueWriteBuffer(queue, data, 1, 0, SIZE, Data(telling(SIZE)), 0, None, None)
    kit.cl.clSetKernelArg(kernel, 0, HANDLE, HandleBytes(data))
    kit.cl.clEnqueueNDRangeKernel(queue, kernel, 1, None, Items((ITEMS,)), None, 0, None, None)
    kit.cl.clEnqueueReadBuffer(queue, data, 1, 0, SIZE, OutputBuffer(SIZE), 0, None, None)


@cases.of(f"{BUILD}/1", "built for the parent only", f"{BUILD}/2", "clEnqueueNDRangeKernel/success")
def built_for_the_parent(kit: Kit) -> None:
    """Build a program for the parent only, and run its kernel on the sub-device."""
    child = part(kit.cl, CORE_ENTRY)
    context = kit.new_context(kit.cl.device, child)
    source = Texts(sources_of("add_index"))
    program = one(kit.cl.clCreateProgramWithSource(context, 1, source, None, OutputBuffer(1)))
    needs(kit.builds(program), "the driver does not build the kernel")
    _launched(kit, context, program, child)


@cases.of(f"{BUILD}/3", "the binary of the parent", "clCreateProgramWithBinary/success")
def binary_of_the_parent(kit: Kit) -> None:
    """Create a program for a sub-device from its parent's binary, build it, and run its kernel."""
    content = kit.binary_of(kit.built("add_index"))
    child = part(kit.cl, CORE_ENTRY)
    context = kit.new_context(kit.cl.device, child)
    given = (Items((child,)), Items((len(content),)), Data(content))
    program = one(kit.cl.clCreateProgramWithBinary(context, 1, *given, OutputBuffer(1), OutputBuffer(1)))
    needs(succeeded(kit.cl.clBuildProgram(program, 1, Items((child,)), Text(""), None, None)), "it is not built")
    _launched(kit, context, program, child)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases)


def test_sub_devices(cl: Session, case: Case) -> None:
    case.act(cl)
