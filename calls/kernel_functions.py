"""Lists the functions that set the arguments and the other state of a kernel."""

from __future__ import annotations

POINTER_SETTERS = ("clSetKernelArgSVMPointer", "clSetKernelArgMemPointerINTEL")
"""Functions that set an argument to an address: their ``arg_value`` is the address itself."""
ARGUMENT_SETTERS = ("clSetKernelArg", *POINTER_SETTERS)
"""Functions that set an argument of a kernel."""
KERNEL_STATE_SETTERS = (*ARGUMENT_SETTERS, "clSetKernelExecInfo")
"""Functions that change the state of a kernel, which its enqueues use."""
