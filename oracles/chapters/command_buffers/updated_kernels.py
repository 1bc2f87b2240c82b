"""The kernel of a recorded command with the arguments and execution infos of an update (section 5.17.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.command_buffers.command_updates import (
    argument_calls,
    info_calls,
    kernel_in,
    pointer_calls,
)
from clconform.oracles.chapters.command_buffers.effects import recorded_view
from clconform.oracles.chapters.command_buffers.snapshot import take_snapshot
from clconform.oracles.chapters.kernels.postconditions import expect_argument, expect_exec_info, expect_pointer
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.kernels import Kernel

if TYPE_CHECKING:
    from clconform.calls.values import DispatchConfig
    from clconform.oracles.model.command_buffer_state import RecordedCommand
    from clconform.oracles.model.state import Model


def update_kernel(config: DispatchConfig, recorded: RecordedCommand, model: Model) -> Kernel:
    """Return a copy of a recorded command's kernel with the arguments and execution infos of an update.

    Raise UnknownFactError if the kernel or a new argument is not known.
    """
    kernel = take_snapshot(kernel_in(recorded))
    if not isinstance(kernel, Kernel):
        raise UnknownFactError("the kernel")
    view = recorded_view(model, {**recorded.objects, kernel.name: kernel})
    for each in argument_calls(config, kernel.name):
        expect_argument(each, view).apply(None, {})
    for each in pointer_calls(config, kernel.name):
        expect_pointer(each, view).apply(None, {})
    for each in info_calls(config, kernel.name):
        expect_exec_info(each, view).apply(None, {})
    return kernel
