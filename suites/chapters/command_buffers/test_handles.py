"""Invalid requests for the handle of a command, after a command that returned its handle (5.17)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from clconform.calls.values import OutputBuffer
from clconform.oracles.chapters.command_buffers.equivalent_calls import BARRIER, INHERITING_FUNCTIONS
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.suites.cases import CaseRegistry
from clconform.suites.helpers import is_available, require_handle, skip_unless
from clconform.suites.kit.kit import Kit

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "command_buffers.handles"
RECORD_KERNEL, UPDATE = "clCommandNDRangeKernelKHR", "clUpdateMutableCommandsKHR"

cases = CaseRegistry(Kit)
test_invalid_handle_requests_are_rejected = TableTest(cases)


def _request_invalid_handles(kit: Kit, function: str) -> None:
    """Record a kernel with its handle, then request a handle twice from an invalid call of ``function``."""
    skip_unless(is_available(kit.cl, UPDATE), "cl_khr_command_buffer_mutable_dispatch is not supported")
    require_handle(kit.call(RECORD_KERNEL, mutable_handle=OutputBuffer(1)), "mutable_handle")
    wrong = {"command_buffer": None} if function == RECORD_KERNEL else {}
    for _ in range(2):
        kit.call(function, mutable_handle=OutputBuffer(1), **wrong)


@cases.declare_family
def invalid_handle_requests() -> Iterator[TableCase]:
    """Yield an item for each function that records a command.

    Commands other than kernels do not have handles. A kernel has a handle, so its call passes NULL as the
    command-buffer.
    """
    for function in (*INHERITING_FUNCTIONS, BARRIER):
        aim = (
            f"{function}/CL_INVALID_COMMAND_BUFFER_KHR/1"
            if function == RECORD_KERNEL
            else f"{function}/CL_INVALID_VALUE/2"
        )
        yield cases.create_case(
            aim,
            "a rejected handle request, after another command",
            partial(_request_invalid_handles, function=function),
        )
