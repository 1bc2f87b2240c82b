"""Native kernels on devices that do not support them (section 5.10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import HostCallback
from clconform.runner.pytest_plugin.covers import parametrize
from clconform.suites.cases import CaseRegistry
from clconform.suites.helpers import skip_unless
from clconform.suites.kit.kit import Kit

if TYPE_CHECKING:
    import pytest

    from clconform.runner.pytest_plugin.covers import TableCase
    from clconform.runner.session.session import Session

NAME = "execution.native"
cases = CaseRegistry(Kit)


@cases.declare("clEnqueueNativeKernel/CL_INVALID_OPERATION/1", "a device without native kernels")
def enqueue_unsupported_native_kernel(kit: Kit) -> None:
    """Enqueue a native kernel where the device does not report support for native kernels."""
    able = kit.has_bits("CL_DEVICE_EXECUTION_CAPABILITIES", "CL_EXEC_NATIVE_KERNEL")
    skip_unless(not able, "the device supports native kernels")
    nothing = {"args": None, "cb_args": 0, "num_mem_objects": 0, "mem_list": None, "args_mem_loc": None}
    kit.enqueue("clEnqueueNativeKernel", user_func=HostCallback("native"), **nothing)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases)


def test_unsupported_native_kernel_is_rejected(cl: Session, case: TableCase) -> None:
    case.action(cl)
