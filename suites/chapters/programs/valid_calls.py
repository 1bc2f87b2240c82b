"""One valid call of each function that makes programs (section 5.8.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Items, Text, Texts
from clconform.suites.kit.programs import sources_of
from clconform.suites.kit.valid_calls import ValidCalls

if TYPE_CHECKING:
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

NO_SUCH_KERNEL = "no kernel has this name"
valid_calls = ValidCalls()


@valid_calls.declare("clCreateProgramWithSource")
def program(kit: Kit) -> Arguments:
    """Make a program of one kernel's source."""
    return {"context": kit.context, "count": 1, "strings": Texts(sources_of("add_index")), "lengths": None}


@valid_calls.declare("clCreateProgramWithIL", "clCreateProgramWithILKHR")
def program_from_language(kit: Kit) -> Arguments:
    """Make a program of a small module; the item is skipped where the device takes none."""
    module = kit.module()
    return {"context": kit.context, "il": Data(module), "length": len(module)}


@valid_calls.declare("clCreateProgramWithBuiltInKernels")
def program_of_a_built_in_kernel(kit: Kit) -> Arguments:
    """Make a program of the device's first built-in kernel; without one, an unknown name must be refused."""
    names = [*kit.built_in_kernels(), NO_SUCH_KERNEL]
    devices: Arguments = {"num_devices": 1, "device_list": Items((kit.cl.device,))}
    return {"context": kit.context, **devices, "kernel_names": Text(names[0])}
