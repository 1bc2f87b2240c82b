"""Postconditions of updates of recorded kernels: arguments, infos and sizes (section 5.17.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call
from clconform.calls.values import Items
from clconform.oracles.chapters.command_buffers.standing_for import UPDATE
from clconform.oracles.chapters.command_buffers.updated_kernels import kernel_after
from clconform.oracles.chapters.command_buffers.updates import (
    ARRAYS,
    command_of,
    configs_in,
    kernel_in,
    launched,
    recorded_of,
)
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Promise
from clconform.oracles.model.cl_object import ClObject
from clconform.oracles.model.command_buffers import CommandBuffer

if TYPE_CHECKING:
    from clconform.calls.values import DispatchConfig
    from clconform.oracles.engine.wants import Element, Values
    from clconform.oracles.model.world import Model

rules = Rules()

SVM_SIZE_IGNORED = "OpenCL:kernel-command-update-structs/1"
FIELDS_OF = {"global_work_offset": "offset", "global_work_size": "global_size", "local_work_size": "local_size"}


@rules.success(UPDATE)
def commands_updated(call: Call, model: Model) -> Promise:
    """Later instances use the given arguments, infos, offsets and sizes; other values do not change."""
    model.get(CommandBuffer, call.command_buffer)
    for config in configs_in(call):
        recorded_of(config, model)

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        for config in configs_in(call):
            _update(config, model)

    return Promise(apply=apply)


def _update(config: DispatchConfig, model: Model) -> None:
    command, recorded = command_of(config, model), recorded_of(config, model)
    before = kernel_in(recorded)
    kernel = kernel_after(config, recorded, model)
    call = launched(config, recorded)
    kept = {name: call.arguments[name] for name in recorded.call.arguments}
    recorded.call = Call(recorded.call.function, kept)
    recorded.things = {**recorded.things, kernel.name: kernel}
    recorded.updated += 1
    old = [
        before.arguments[index].used
        for index in before.arguments
        if kernel.arguments[index] is not before.arguments[index]
    ]
    recorded.replaced += tuple(each for each in old if isinstance(each, ClObject))
    if any(each.size for each in config.arg_svm_list or ()):
        recorded.shows |= {SVM_SIZE_IGNORED}
    for name in ARRAYS:
        sizes = call.arguments[name]
        if getattr(config, name) is not None and isinstance(sizes, Items):
            values = tuple(each for each in sizes.values[: call.work_dim] if isinstance(each, int))
            setattr(command, FIELDS_OF[name], values)
            command.changed.add(name)
    if config.num_args or config.num_svm_args:
        command.changed.add("arguments")
