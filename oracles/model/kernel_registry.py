"""The sources and the declared arguments of all kernels of the suites."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.model.argument_kernels import ARGUMENT_KERNELS, BUILD_DEPENDENT
from clconform.oracles.model.buffer_kernels import KERNELS
from clconform.oracles.model.enqueueing_kernels import ENQUEUEING_KERNELS
from clconform.oracles.model.image_kernels import IMAGE_KERNELS
from clconform.oracles.model.limit_kernels import find_limit_kernel
from clconform.oracles.model.option_kernels import ECHO_OPTIONS
from clconform.oracles.model.pipe_kernels import PIPE_KERNELS
from clconform.oracles.model.range_kernels import RANGE_KERNELS
from clconform.oracles.model.spirv import ECHO_CONSTANTS, EMPTY_KERNEL, SUB_GROUPS_KERNEL

if TYPE_CHECKING:
    from clconform.oracles.model.parameters import KernelParameter

_FAMILIES = (KERNELS, IMAGE_KERNELS, PIPE_KERNELS, ARGUMENT_KERNELS, RANGE_KERNELS, ENQUEUEING_KERNELS)
SOURCES: dict[str, str] = {name: kernel.source for family in _FAMILIES for name, kernel in family.items()} | {
    BUILD_DEPENDENT.name: BUILD_DEPENDENT.source,
    ECHO_OPTIONS.name: ECHO_OPTIONS.source,
}
"""Maps names of kernels to their sources."""
PARAMETERS: dict[str, tuple[KernelParameter, ...]] = {
    EMPTY_KERNEL: (),
    SUB_GROUPS_KERNEL: (),
    ECHO_CONSTANTS: ECHO_OPTIONS.arguments,
    ECHO_OPTIONS.name: ECHO_OPTIONS.arguments,
    **{name: kernel.arguments for family in _FAMILIES for name, kernel in family.items()},
}
"""Maps names of kernels to their arguments; kernels whose arguments depend on the build are missing."""


def find_parameters(name: str) -> tuple[KernelParameter, ...] | None:
    """Return the arguments of a kernel of the suites, also of generated ones; None if they are unknown."""
    limited = find_limit_kernel(name)
    return limited.parameters if limited is not None else PARAMETERS.get(name)
