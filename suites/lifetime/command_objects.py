"""The objects that each enqueue function takes, and the evidence that a completed command does not keep them.

Two callbacks are evidence: that of a memory object, which is called when the object is deleted, and that of a context,
which is called when nothing in the context exists any more.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from clconform.oracles.chapters.command_buffers.equivalent_calls import RECORDING_FUNCTIONS
from clconform.spec_tables import load
from clconform.suites.kit.valid_calls import all_valid_calls

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import Function, Parameter

OF_MEMORY, OF_CONTEXT = "clSetMemObjectDestructorCallback/success", "clSetContextDestructorCallback/success"
COUNTED_TYPES = ("cl_command_queue", "cl_mem", "cl_kernel", "cl_event", "cl_semaphore_khr", "cl_command_buffer_khr")
"""The types of reference-counted objects that enqueue functions take."""
KERNELS = ("clEnqueueNDRangeKernel", "clEnqueueTask", "clCommandNDRangeKernelKHR")
"""Functions that enqueue or record a kernel, and so also take its program and its arguments."""
MAP_COMMANDS = ("clEnqueueMapBuffer", "clEnqueueMapImage")
"""Functions whose memory object the application must not release before the region is unmapped."""
KERNEL_OBJECTS = {
    "program": False,
    "buffer argument": True,
    "image argument": True,
    "sampler argument": False,
    "SVM argument": False,
}
"""The objects that a kernel uses, and whether they are memory objects."""
OF_VALID_CALL = ("program", "buffer argument")
"""The objects among them that the kernel of the valid call uses."""
LISTS_OF_VARIATIONS = {("clEnqueueNativeKernel", "mem_list")}
"""Lists of objects that are empty in the valid call; an item with other objects fills them."""
OBJECTS_OF_OTHER_INTERFACES = ("Acquire", "Release")
"""Words in the names of functions that transfer objects of another interface."""
UNDESCRIBED = {"clEnqueueMemsetINTEL": "the document does not describe the function"}
"""Functions without a valid call, with the reasons."""


class Moment(Enum):
    """The time at which an item releases the objects of a command, relative to the command's execution."""

    BLOCKING = "after a blocking call"
    FINISHED = "after clFinish"
    UNFINISHED = "before the end of the command"
    ENQUEUED = "after an enqueue of the command-buffer"
    RECORDED = "before an enqueue of the command-buffer"
    NEVER_ENQUEUED = "without an enqueue of the command-buffer"


@dataclass(frozen=True)
class CommandObject:
    """An object that a function takes, or returns; ``name``: its parameter, or the object that a kernel uses.

    ``evidence``: the requirements whose callbacks show that a completed command does not keep the object. ``moments``:
    the times of its release that the items cover. ``reason``: why the items do not cover it; empty if they do.
    """

    function: str
    name: str
    evidence: tuple[str, ...] = ()
    moments: tuple[Moment, ...] = ()
    reason: str = ""


def enqueue_functions(tables: Tables | None = None) -> list[str]:
    """Return the functions that enqueue a command or record one, in alphabetical order."""
    known = tables or load()
    return sorted(name for name in known.functions if name.startswith("clEnqueue") or name in RECORDING_FUNCTIONS)


def blocking_parameters(function: Function) -> list[str]:
    """Return the parameters that request that a function returns after its command is complete."""
    return [parameter.name for parameter in function.parameters if parameter.name.startswith("blocking")]


def moments_of(function: Function) -> tuple[Moment, ...]:
    """Return the times at which the objects of a function's command are released."""
    if function.name in RECORDING_FUNCTIONS:
        return (Moment.ENQUEUED, Moment.RECORDED, Moment.NEVER_ENQUEUED)
    names = {parameter.name for parameter in function.parameters}
    waiting = {"num_events_in_wait_list", "event"} <= names
    return (
        *([Moment.BLOCKING] if blocking_parameters(function) else []),
        Moment.FINISHED,
        *([Moment.UNFINISHED] if waiting else []),
    )


def takes_memory(function: Function) -> bool:
    """Return whether a function takes memory objects, or a kernel that uses them."""
    return function.name in KERNELS or any(parameter.base == "cl_mem" for parameter in function.parameters)


def varied_moment(function: Function) -> Moment:
    """Return the time of the releases in items with other objects than those of the valid call."""
    return Moment.ENQUEUED if function.name in RECORDING_FUNCTIONS else Moment.UNFINISHED


def command_objects(function: Function) -> Iterator[CommandObject]:
    """Yield the objects that a function takes and returns, and those that its kernel uses."""
    for parameter in function.parameters:
        if not _is_object(function, parameter):
            continue
        reason = _reason(function, parameter)
        if reason:
            yield CommandObject(function.name, parameter.name, reason=reason)
        else:
            varied = (function.name, parameter.name) in LISTS_OF_VARIATIONS
            moments = (varied_moment(function),) if varied else moments_of(function)
            yield _covered(function, parameter.name, moments, is_memory=parameter.base == "cl_mem")
    for name, is_memory in KERNEL_OBJECTS.items() if function.name in KERNELS else ():
        moments = moments_of(function) if name in OF_VALID_CALL else (varied_moment(function),)
        yield _covered(function, name, moments, is_memory=is_memory)


def _covered(function: Function, name: str, moments: tuple[Moment, ...], *, is_memory: bool) -> CommandObject:
    return CommandObject(function.name, name, (OF_MEMORY, OF_CONTEXT) if is_memory else (OF_CONTEXT,), moments)


def _is_object(function: Function, parameter: Parameter) -> bool:
    """Return whether a parameter takes, or returns, objects or SVM and USM allocations."""
    allocation = parameter.base == "void" and ("SVM" in function.name or function.name.endswith("INTEL"))
    pointers = parameter.direction != "callback" and parameter.name not in ("pattern", "user_data")
    return parameter.base in COUNTED_TYPES or (allocation and pointers)


def _reason(function: Function, parameter: Parameter) -> str:
    """Return why no item covers an object; empty if one does."""
    if function.name not in all_valid_calls():
        return UNDESCRIBED[function.name]
    transfers = any(word in function.name for word in OBJECTS_OF_OTHER_INTERFACES)
    if transfers and parameter.name == "mem_objects":
        return "the objects belong to another interface, which a run does not have; the list of the call is empty"
    return ""
