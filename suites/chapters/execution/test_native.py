"""Native kernels on devices that do not support them (section 5.10)."""

from __future__ import annotations

from clconform.calls.values import HostCallback
from clconform.runner.pytest_plugin.covers import TableTest
from clconform.suites.cases import CaseRegistry
from clconform.suites.helpers import skip_unless
from clconform.suites.kit.kit import Kit

NAME = "execution.native"
cases = CaseRegistry(Kit)
test_unsupported_native_kernel_is_rejected = TableTest(cases)


@cases.declare("clEnqueueNativeKernel/CL_INVALID_OPERATION/1", "a device without native kernels")
def enqueue_unsupported_native_kernel(kit: Kit) -> None:
    """Enqueue a native kernel where the device does not report support for native kernels."""
    able = kit.has_bits("CL_DEVICE_EXECUTION_CAPABILITIES", "CL_EXEC_NATIVE_KERNEL")
    skip_unless(not able, "the device supports native kernels")
    nothing = {"args": None, "cb_args": 0, "num_mem_objects": 0, "mem_list": None, "args_mem_loc": None}
    kit.enqueue("clEnqueueNativeKernel", user_func=HostCallback("native"), **nothing)
