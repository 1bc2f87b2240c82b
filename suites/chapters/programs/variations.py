"""Programs made of modules and of built-in kernels (section 5.8.1): invalid variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Items, Text
from clconform.suites.chapters.programs.valid_calls import NO_SUCH_KERNEL
from clconform.suites.errors.variations import Variation, Variations

if TYPE_CHECKING:
    from collections.abc import Iterator


variations = Variations()

NO_MODULE = Data(bytes(20))
"""As long as the header of a SPIR-V module, but without its first word."""


@variations.of("clCreateProgramWithIL/CL_INVALID_VALUE/2", "clCreateProgramWithILKHR/CL_INVALID_VALUE/2")
def no_modules() -> Iterator[Variation]:
    """Yield bytes that are not a module."""
    yield Variation("20 bytes of zero", {"il": NO_MODULE, "length": len(NO_MODULE.content)})


@variations.of("clCreateProgramWithBuiltInKernels/CL_INVALID_VALUE/2")
def no_built_in_kernels() -> Iterator[Variation]:
    """Yield NULL, and a name that no device has built in."""
    yield Variation("kernel_names=NULL", {"kernel_names": None})
    yield Variation("a name that no kernel has", {"kernel_names": Text(NO_SUCH_KERNEL)})


@variations.of("clCreateProgramWithBuiltInKernels/CL_INVALID_DEVICE/1")
def devices_without_the_context() -> Iterator[Variation]:
    """Yield NULL in the list, and a device that the context does not have."""
    yield Variation("NULL in device_list", {"device_list": Items((None,))})
    yield Variation("a device not in the context", lambda kit, _given: {"device_list": Items((kit.another_device,))})
