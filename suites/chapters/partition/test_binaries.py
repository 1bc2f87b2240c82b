"""Programs from binaries on sub-devices: accepted devices, and devices that a build accepts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, Items, OutputBuffer, Text
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.runner.session.answers import made
from clconform.suites.chapters.partition.cases import part
from clconform.suites.chapters.partition.entries import EXT_ENTRY
from clconform.suites.steps import needs

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    from clconform.runner.session.session import Session

NAME = "partition.binaries"
CREATE = "clCreateProgramWithBinary/CL_INVALID_DEVICE/1"
BUILD = "clBuildProgram/CL_INVALID_DEVICE/1"
DEVICES = "cl_ext_device_fission:clCreateProgramWithBinary/1"
BINARY = Data(b"no driver's binary")


def program_for(cl: Session, context: Handle, device: Handle | None) -> list[Handle]:
    """Create a program from an invalid binary, which only a simulated driver accepts."""
    length = Items((len(BINARY.content),))
    return made(
        cl.clCreateProgramWithBinary(context, 1, Items((device,)), length, BINARY, OutputBuffer(1), OutputBuffer(1))
    )


def context_on(cl: Session, device: Handle) -> Handle:
    """Return a new context on one device."""
    contexts = made(cl.clCreateContext(None, 1, Items((device,)), None, None, OutputBuffer(1)))
    needs(contexts, "the driver does not create a context")
    return contexts[0]


def on_descendant(cl: Session) -> None:
    """Create a program for a sub-device in a context of its parent, and build it for both."""
    device = part(cl, EXT_ENTRY)
    context = context_on(cl, cl.device)
    for program in program_for(cl, context, device):
        cl.clBuildProgram(program, 1, Items((device,)), Text(""), None, None)
        for query in ("CL_PROGRAM_DEVICES", "CL_PROGRAM_BINARY_SIZES"):
            cl.query("clGetProgramInfo", program, query)
        cl.clBuildProgram(program, 1, Items((cl.device,)), Text(""), None, None)


def on_stranger(cl: Session) -> None:
    """Create a program for a root device in a context of its sub-device."""
    device = part(cl, EXT_ENTRY)
    program_for(cl, context_on(cl, device), cl.device)


def cases() -> Iterator[Case]:
    """Yield items for sub-devices, other devices, and NULL."""
    yield Case(DEVICES, "a sub-device of the context's device", on_descendant, (BUILD, CREATE))
    yield Case(DEVICES, "the parent of the context's device", on_stranger, (CREATE,))
    yield Case(CREATE, "NULL", lambda cl: program_for(cl, context_on(cl, cl.device), None))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases())


def test_binaries(cl: Session, case: Case) -> None:
    case.act(cl)
