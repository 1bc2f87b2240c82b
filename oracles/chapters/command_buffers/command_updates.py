"""Updates of recorded kernels, and the calls that have the same effect as an update (section 5.17.7)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from clconform.calls.call import Call
from clconform.calls.values import DispatchConfigs, ElementList, Handle
from clconform.oracles.chapters.execution.nd_range import read_range
from clconform.oracles.model.command_buffer_state import MutableCommand
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.kernels import Kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.values import DispatchConfig
    from clconform.oracles.model.command_buffer_state import RecordedCommand
    from clconform.oracles.model.state import Model

SET, SET_POINTER, SET_INFO, ENQUEUE = (
    "clSetKernelArg",
    "clSetKernelArgSVMPointer",
    "clSetKernelExecInfo",
    "clEnqueueNDRangeKernel",
)
SIZE_PARAMETERS = ("global_work_offset", "global_work_size", "local_work_size")


def listed_configs(call: Call) -> list[DispatchConfig]:
    """Return the updates in configs of a call, without NULL elements."""
    listed = call.configs.values if isinstance(call.configs, DispatchConfigs) else ()
    return [each for each in listed if each is not None]


def command_of(config: DispatchConfig, model: Model) -> MutableCommand:
    """Return the command that an update changes; raise UnknownFactError if this command is not known."""
    return model.get(MutableCommand, config.command)


def recorded_of(config: DispatchConfig, model: Model) -> RecordedCommand:
    """Return the recorded command that an update changes; raise UnknownFactError if the command is not known."""
    recorded = command_of(config, model).recorded
    if recorded is None:
        raise UnknownFactError("the recorded command")
    return recorded


def kernel_in(recorded: RecordedCommand) -> Kernel:
    """Return the kernel of a recorded command, in the state that the kernel had at the recording."""
    kernel = next((each for each in recorded.objects.values() if isinstance(each, Kernel)), None)
    if kernel is None:
        raise UnknownFactError("the kernel")
    return kernel


def argument_calls(config: DispatchConfig, kernel: str) -> Iterator[Call]:
    """Yield the clSetKernelArg calls that are equivalent to the arguments in an update."""
    for each in config.arg_list or ():
        given = {"arg_index": each.index, "arg_size": each.size, "arg_value": each.value}
        yield Call(SET, {"kernel": Handle(kernel), **given})


def pointer_calls(config: DispatchConfig, kernel: str) -> Iterator[Call]:
    """Yield the clSetKernelArgSVMPointer calls that are equivalent to the pointers in an update."""
    for each in config.arg_svm_list or ():
        yield Call(SET_POINTER, {"kernel": Handle(kernel), "arg_index": each.index, "arg_value": each.value})


def info_calls(config: DispatchConfig, kernel: str) -> Iterator[Call]:
    """Yield the clSetKernelExecInfo calls that are equivalent to the execution infos in an update."""
    for each in config.exec_info_list or ():
        given = {"param_name": each.name, "param_value_size": each.size, "param_value": each.value}
        yield Call(SET_INFO, {"kernel": Handle(kernel), **given})


def dimensions_of(config: DispatchConfig, recorded: int) -> int:
    """Return the work_dim of an update; if it is 0, return the recorded work_dim, ``recorded``."""
    return config.work_dim or recorded


def updated_enqueue(config: DispatchConfig, recorded: RecordedCommand) -> Call:
    """Return the kernel enqueue that results from an update.

    Parameters that the update does not set keep their recorded values.
    """
    given = {name: ElementList(sizes) for name in SIZE_PARAMETERS if (sizes := getattr(config, name)) is not None}
    waits = {"num_events_in_wait_list": 0, "event_wait_list": None, "event": None}
    dimensions = dimensions_of(config, recorded.call.work_dim)
    return Call(ENQUEUE, {**recorded.call.arguments, "work_dim": dimensions, **given, **waits})


def count_groups(call: Call) -> int:
    """Return the number of work-groups of a kernel enqueue, 0 if the implementation chooses the group size."""
    try:
        found = read_range(call)
    except UnknownFactError:
        return 0
    local = found.local or (0,) * found.dimensions
    return math.prod(-(-size // each) if each else 0 for size, each in zip(found.sizes, local, strict=True))


EQUIVALENT_CALLS: dict[str, Callable[[DispatchConfig, str], Iterator[Call]]] = {
    SET: argument_calls,
    SET_POINTER: pointer_calls,
    SET_INFO: info_calls,
}
