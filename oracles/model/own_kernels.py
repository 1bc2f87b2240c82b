"""All kernels of the suites, of every family: their sources, and their arguments as declared there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.model.argument_kernels import ARGUMENT_KERNELS, DIFFERING
from clconform.oracles.model.enqueueing_kernels import ENQUEUEING_KERNELS
from clconform.oracles.model.image_kernels import IMAGE_KERNELS
from clconform.oracles.model.known_kernels import KERNELS
from clconform.oracles.model.option_kernels import TELL_OPTIONS
from clconform.oracles.model.pipe_kernels import PIPE_KERNELS
from clconform.oracles.model.range_kernels import RANGE_KERNELS
from clconform.oracles.model.spirv import IN_SUB_GROUPS, KERNEL, TELL_CONSTANTS

if TYPE_CHECKING:
    from clconform.oracles.model.parameters import Parameter

_FAMILIES = (KERNELS, IMAGE_KERNELS, PIPE_KERNELS, ARGUMENT_KERNELS, RANGE_KERNELS, ENQUEUEING_KERNELS)
SOURCES: dict[str, str] = {name: kernel.source for family in _FAMILIES for name, kernel in family.items()} | {
    DIFFERING.name: DIFFERING.source,
    TELL_OPTIONS.name: TELL_OPTIONS.source,
}
"""The source of each kernel by its name."""
PARAMETERS: dict[str, tuple[Parameter, ...]] = {
    KERNEL: (),
    IN_SUB_GROUPS: (),
    TELL_CONSTANTS: TELL_OPTIONS.arguments,
    TELL_OPTIONS.name: TELL_OPTIONS.arguments,
    **{name: kernel.arguments for family in _FAMILIES for name, kernel in family.items()},
}
"""The arguments of each kernel by its name, except a kernel whose arguments depend on its build."""
