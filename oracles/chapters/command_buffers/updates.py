"""Updates of recorded kernels, and the calls that they are equivalent to (section 5.17.7)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from clconform.calls.call import Call
from clconform.calls.values import DispatchConfigs, Handle, Items
from clconform.oracles.chapters.execution.ranges import range_of
from clconform.oracles.model.command_buffers import MutableCommand
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.kernels import Kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.values import DispatchConfig
    from clconform.oracles.model.command_buffers import Recorded
    from clconform.oracles.model.world import Model

SET, SET_POINTER, TELL, RUN = (
    "clSetKernelArg",
    "clSetKernelArgSVMPointer",
    "clSetKernelExecInfo",
    "clEnqueueNDRangeKernel",
)
ARRAYS = ("global_work_offset", "global_work_size", "local_work_size")


def configs_in(call: Call) -> list[DispatchConfig]:
    """Return the updates that a call lists, without NULL elements."""
    listed = call.configs.values if isinstance(call.configs, DispatchConfigs) else ()
    return [each for each in listed if each is not None]


def command_of(config: DispatchConfig, model: Model) -> MutableCommand:
    """Return the command that an update changes; UnknownError if it is not known."""
    return model.get(MutableCommand, config.command)


def recorded_of(config: DispatchConfig, model: Model) -> Recorded:
    """Return the recorded command that an update changes; UnknownError if it is not known."""
    recorded = command_of(config, model).recorded
    if recorded is None:
        raise UnknownError("the recorded command")
    return recorded


def kernel_in(recorded: Recorded) -> Kernel:
    """Return the kernel of a recorded command, in its recorded state."""
    kernel = next((each for each in recorded.things.values() if isinstance(each, Kernel)), None)
    if kernel is None:
        raise UnknownError("the kernel")
    return kernel


def arguments_set(config: DispatchConfig, kernel: str) -> Iterator[Call]:
    """Yield the calls that set the arguments of an update."""
    for each in config.arg_list or ():
        given = {"arg_index": each.index, "arg_size": each.size, "arg_value": each.value}
        yield Call(SET, {"kernel": Handle(kernel), **given})


def pointers_set(config: DispatchConfig, kernel: str) -> Iterator[Call]:
    """Yield the calls that set the pointers of an update."""
    for each in config.arg_svm_list or ():
        yield Call(SET_POINTER, {"kernel": Handle(kernel), "arg_index": each.index, "arg_value": each.value})


def infos_told(config: DispatchConfig, kernel: str) -> Iterator[Call]:
    """Yield the calls that set the infos of an update."""
    for each in config.exec_info_list or ():
        given = {"param_name": each.name, "param_value_size": each.size, "param_value": each.value}
        yield Call(TELL, {"kernel": Handle(kernel), **given})


def dimensions_of(config: DispatchConfig, recorded: int) -> int:
    """Return the dimensions of an update; 0 stands for the recorded ones."""
    return config.work_dim or recorded


def launched(config: DispatchConfig, recorded: Recorded) -> Call:
    """Return the kernel enqueue that an update results in; fields that it does not set keep their values."""
    given = {name: Items(sizes) for name in ARRAYS if (sizes := getattr(config, name)) is not None}
    waits = {"num_events_in_wait_list": 0, "event_wait_list": None, "event": None}
    dimensions = dimensions_of(config, recorded.call.work_dim)
    return Call(RUN, {**recorded.call.arguments, "work_dim": dimensions, **given, **waits})


def groups_in(call: Call) -> int:
    """Return the number of work-groups of a kernel enqueue, 0 if the implementation chooses their size."""
    try:
        found = range_of(call)
    except UnknownError:
        return 0
    local = found.local or (0,) * found.dimensions
    return math.prod(-(-size // each) if each else 0 for size, each in zip(found.sizes, local, strict=True))


STANDS_FOR: dict[str, Callable[[DispatchConfig, str], Iterator[Call]]] = {
    SET: arguments_set,
    SET_POINTER: pointers_set,
    TELL: infos_told,
}
