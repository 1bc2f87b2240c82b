"""Commands whose handle is requested but must not be returned, after a command that returns one (5.17)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from clconform.calls.values import OutputBuffer
from clconform.oracles.chapters.command_buffers.standing_for import BARRIER, BORROWING
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.suites.cases import Cases
from clconform.suites.kit.kit import Kit
from clconform.suites.steps import needs, one, promised

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    from clconform.runner.session.session import Session

NAME = "command_buffers.handles"
LAUNCH, UPDATE = "clCommandNDRangeKernelKHR", "clUpdateMutableCommandsKHR"

cases = Cases(Kit)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases)


def test_handles(cl: Session, case: Case) -> None:
    case.act(cl)


def _in_vain(kit: Kit, function: str) -> None:
    """Record a kernel with its handle, then request a handle twice from a command that must be rejected."""
    needs(promised(kit.cl, UPDATE), "cl_khr_command_buffer_mutable_dispatch is not supported")
    one(kit.call(LAUNCH, mutable_handle=OutputBuffer(1)), "mutable_handle")
    wrong = {"command_buffer": None} if function == LAUNCH else {}
    for _ in range(2):
        kit.call(function, mutable_handle=OutputBuffer(1), **wrong)


@cases.family
def handles_in_vain() -> Iterator[Case]:
    """Yield each command: commands other than kernels have no handle, and a kernel needs a valid command-buffer."""
    for function in (*BORROWING, BARRIER):
        aim = f"{function}/CL_INVALID_COMMAND_BUFFER_KHR/1" if function == LAUNCH else f"{function}/CL_INVALID_VALUE/2"
        yield cases.case(aim, "a handle in vain, behind another command", partial(_in_vain, function=function))
