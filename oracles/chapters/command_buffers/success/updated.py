"""What updates of recorded launches change: their arguments, infos and sizes, and nothing else (section 5.17.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call
from clconform.calls.values import Items
from clconform.oracles.chapters.command_buffers.effects import seen_by
from clconform.oracles.chapters.command_buffers.keeping import as_it_is
from clconform.oracles.chapters.command_buffers.standing_for import UPDATE
from clconform.oracles.chapters.command_buffers.updates import (
    ARRAYS,
    arguments_set,
    command_of,
    configs_in,
    infos_told,
    kernel_in,
    launched,
    pointers_set,
    recorded_of,
)
from clconform.oracles.chapters.kernels.success import argument_set, information_kept, pointer_set
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Promise
from clconform.oracles.model.cl_object import ClObject
from clconform.oracles.model.command_buffers import CommandBuffer
from clconform.oracles.model.kernels import Kernel

if TYPE_CHECKING:
    from clconform.calls.values import DispatchConfig
    from clconform.oracles.engine.wants import Element, Values
    from clconform.oracles.model.world import Model

rules = Rules()

SVM_SIZE_IGNORED = "OpenCL:kernel-command-update-structs/1"
FIELDS_OF = {"global_work_offset": "offset", "global_work_size": "global_size", "local_work_size": "local_size"}


@rules.success(UPDATE)
def commands_updated(call: Call, model: Model) -> Promise:
    """Launches of later instances have the given arguments, infos, offsets and sizes; what is not given stays."""
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
    kernel = as_it_is(before)
    if not isinstance(kernel, Kernel):
        return
    view = seen_by(model, {**recorded.things, kernel.name: kernel})
    for each in arguments_set(config, kernel.name):
        argument_set(each, view).apply(None, {})
    for each in pointers_set(config, kernel.name):
        pointer_set(each, view).apply(None, {})
    for each in infos_told(config, kernel.name):
        information_kept(each, view).apply(None, {})
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
            values = tuple(each for each in sizes.values[: config.work_dim] if isinstance(each, int))
            setattr(command, FIELDS_OF[name], values)
            command.changed.add(name)
    if config.num_args or config.num_svm_args:
        command.changed.add("arguments")
