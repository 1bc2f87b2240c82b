"""Postconditions of updates of recorded kernels: arguments, infos and sizes (section 5.17.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call
from clconform.calls.values import ElementList
from clconform.oracles.chapters.command_buffers.command_updates import (
    SIZE_PARAMETERS,
    command_of,
    kernel_in,
    listed_configs,
    recorded_of,
    updated_enqueue,
)
from clconform.oracles.chapters.command_buffers.equivalent_calls import UPDATE
from clconform.oracles.chapters.command_buffers.updated_kernels import update_kernel
from clconform.oracles.engine.matchers import Postcondition
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.cl_object import ClObject
from clconform.oracles.model.command_buffer_state import CommandBuffer

if TYPE_CHECKING:
    from clconform.calls.values import DispatchConfig
    from clconform.oracles.engine.matchers import Element, Values
    from clconform.oracles.model.state import Model

rules = Rules()

SVM_SIZE_IGNORED = "OpenCL:kernel-command-update-structs/1"
SIZE_FIELDS = {"global_work_offset": "offset", "global_work_size": "global_size", "local_work_size": "local_size"}


@rules.postcondition(UPDATE)
def expect_updated(call: Call, model: Model) -> Postcondition:
    """Later executions of each command in configs use the new arguments, execution infos, offsets and sizes.

    Values that configs does not set do not change.
    """
    model.get(CommandBuffer, call.command_buffer)
    for config in listed_configs(call):
        recorded_of(config, model)

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        for config in listed_configs(call):
            _apply_update(config, model)

    return Postcondition(apply=apply)


def _apply_update(config: DispatchConfig, model: Model) -> None:
    command, recorded = command_of(config, model), recorded_of(config, model)
    before = kernel_in(recorded)
    kernel = update_kernel(config, recorded, model)
    call = updated_enqueue(config, recorded)
    kept = {name: call.arguments[name] for name in recorded.call.arguments}
    recorded.call = Call(recorded.call.function, kept)
    recorded.objects = {**recorded.objects, kernel.name: kernel}
    recorded.updated += 1
    old = [
        before.arguments[index].used_memory
        for index in before.arguments
        if kernel.arguments[index] is not before.arguments[index]
    ]
    recorded.replaced += tuple(each for each in old if isinstance(each, ClObject))
    if any(each.size for each in config.arg_svm_list or ()):
        recorded.covered_requirements |= {SVM_SIZE_IGNORED}
    for name in SIZE_PARAMETERS:
        sizes = call.arguments[name]
        if getattr(config, name) is not None and isinstance(sizes, ElementList):
            values = tuple(each for each in sizes.values[: call.work_dim] if isinstance(each, int))
            setattr(command, SIZE_FIELDS[name], values)
            command.changed_parameters.add(name)
    if config.num_args or config.num_svm_args:
        command.changed_parameters.add("arguments")
