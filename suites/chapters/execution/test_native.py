"""Native kernels on devices that do not support them (section 5.10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Callback
from clconform.runner.pytest_plugin.aims import parametrize
from clconform.suites.cases import Cases
from clconform.suites.kit.kit import Kit
from clconform.suites.steps import needs

if TYPE_CHECKING:
    import pytest

    from clconform.runner.pytest_plugin.aims import Case
    from clconform.runner.session.session import Session

NAME = "execution.native"
cases = Cases(Kit)


@cases.of("clEnqueueNativeKernel/CL_INVALID_OPERATION/1", "a device without native kernels")
def not_on_this_device(kit: Kit) -> None:
    """Enqueue a native kernel where the device does not report support for native kernels."""
    able = kit.has("CL_DEVICE_EXECUTION_CAPABILITIES", "CL_EXEC_NATIVE_KERNEL")
    needs(not able, "the device supports native kernels")
    nothing = {"args": None, "cb_args": 0, "num_mem_objects": 0, "mem_list": None, "args_mem_loc": None}
    kit.enqueue("clEnqueueNativeKernel", user_func=Callback("native"), **nothing)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases)


def test_native(cl: Session, case: Case) -> None:
    case.act(cl)
