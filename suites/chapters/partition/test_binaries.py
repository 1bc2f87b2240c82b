"""Programs from binaries on sub-devices: devices that clCreateProgramWithBinary and clBuildProgram accept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, Handle, OutputBuffer, Text
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.runner.session.outcome_values import returned_handles
from clconform.suites.chapters.partition.entries import EXT_ENTRY
from clconform.suites.chapters.partition.partition_cases import create_sub_device
from clconform.suites.helpers import skip_unless

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.runner.session.session import Session

NAME = "partition.binaries"
CREATE = "clCreateProgramWithBinary/CL_INVALID_DEVICE/1"
BUILD = "clBuildProgram/CL_INVALID_DEVICE/1"
DEVICES = "cl_ext_device_fission:clCreateProgramWithBinary/1"
BINARY = Data(b"no driver's binary")


def create_program(cl: Session, context: Handle, device: Handle | None) -> list[Handle]:
    """Create a program from an invalid binary, which only a simulated driver accepts."""
    length = ElementList((len(BINARY.content),))
    return returned_handles(
        cl.clCreateProgramWithBinary(
            context, 1, ElementList((device,)), length, BINARY, OutputBuffer(1), OutputBuffer(1)
        )
    )


def create_context(cl: Session, device: Handle) -> Handle:
    """Create a context on one device, and return it."""
    contexts = returned_handles(cl.clCreateContext(None, 1, ElementList((device,)), None, None, OutputBuffer(1)))
    skip_unless(contexts, "the driver does not create a context")
    return contexts[0]


def build_for_sub_device(cl: Session) -> None:
    """Create a program for a sub-device in its parent's context, and build the program for each of the two devices."""
    device = create_sub_device(cl, EXT_ENTRY)
    context = create_context(cl, cl.device)
    for program in create_program(cl, context, device):
        cl.clBuildProgram(program, 1, ElementList((device,)), Text(""), None, None)
        for query in ("CL_PROGRAM_DEVICES", "CL_PROGRAM_BINARY_SIZES"):
            cl.query("clGetProgramInfo", program, query)
        cl.clBuildProgram(program, 1, ElementList((cl.device,)), Text(""), None, None)


def create_for_parent(cl: Session) -> None:
    """Create a program for a root device in a context that contains only a sub-device of it."""
    device = create_sub_device(cl, EXT_ENTRY)
    create_program(cl, create_context(cl, device), cl.device)


def cases() -> Iterator[TableCase]:
    """Yield items that create or build programs for a sub-device, for a parent device, and for NULL."""
    yield TableCase(DEVICES, "a sub-device of the context's device", build_for_sub_device, (BUILD, CREATE))
    yield TableCase(DEVICES, "the parent of the context's device", create_for_parent, (CREATE,))
    yield TableCase(CREATE, "NULL", lambda cl: create_program(cl, create_context(cl, cl.device), None))


test_binaries_accept_devices_of_the_context = TableTest(cases)
