"""The kernel of a recorded command with the arguments and infos of an update (section 5.17.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.command_buffers.effects import seen_by
from clconform.oracles.chapters.command_buffers.keeping import as_it_is
from clconform.oracles.chapters.command_buffers.updates import arguments_set, infos_told, kernel_in, pointers_set
from clconform.oracles.chapters.kernels.success import argument_set, information_kept, pointer_set
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.kernels import Kernel

if TYPE_CHECKING:
    from clconform.calls.values import DispatchConfig
    from clconform.oracles.model.command_buffers import Recorded
    from clconform.oracles.model.world import Model


def kernel_after(config: DispatchConfig, recorded: Recorded, model: Model) -> Kernel:
    """Return a copy of a command's kernel as an update changes it; UnknownError if that is not known."""
    kernel = as_it_is(kernel_in(recorded))
    if not isinstance(kernel, Kernel):
        raise UnknownError("the kernel")
    view = seen_by(model, {**recorded.things, kernel.name: kernel})
    for each in arguments_set(config, kernel.name):
        argument_set(each, view).apply(None, {})
    for each in pointers_set(config, kernel.name):
        pointer_set(each, view).apply(None, {})
    for each in infos_told(config, kernel.name):
        information_kept(each, view).apply(None, {})
    return kernel
