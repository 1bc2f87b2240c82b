"""Checks whether calls can run concurrently (appendix A): every order must be defined and lead to the same state."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from clconform.calls.call import call_handles
from clconform.calls.harness_actions import find_function
from clconform.calls.values import Handle
from clconform.oracles.contents.access_rules import WAITING_FUNCTIONS
from clconform.oracles.contents.dependencies import is_blocking, is_conflicting
from clconform.oracles.engine.host_threads import BUILD_FUNCTIONS, MAP_FUNCTIONS
from clconform.oracles.engine.linearization import MAX_REORDERED_CALLS, SET_STATUS
from clconform.oracles.model.enqueued_command import Command
from clconform.oracles.model.errors import UnknownFactError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clconform.calls.call import Call
    from clconform.oracles.engine.call_context import RuleSource
    from clconform.oracles.model.state import Model

LINK_PROGRAM = "clLinkProgram"
KERNEL_SETTERS = ("clSetKernelArg", "clSetKernelArgSVMPointer", "clSetKernelExecInfo", "clCloneKernel")
"""Functions that can run concurrently only for different kernels."""
OBJECT_SETTERS = (
    *KERNEL_SETTERS,
    "clSetKernelArgMemPointerINTEL",
    "clSetMemObjectDestructorCallback",
    "clSetContextDestructorCallback",
    "clSetProgramReleaseCallback",
    "clSetProgramSpecializationConstant",
    "clFinalizeCommandBufferKHR",
    "clReImportSemaphoreSyncFdKHR",
)
"""Functions that change the object in their first argument, so that concurrent calls must not use this object."""
FREE_FUNCTIONS = ("clSVMFree", "clMemFreeINTEL", "clMemBlockingFreeINTEL")
"""Functions that free the memory at their last argument."""
ALLOCATION_FUNCTIONS = ("clSVMAlloc", "clHostMemAllocINTEL", "clDeviceMemAllocINTEL", "clSharedMemAllocINTEL")
SUGGESTION_FUNCTIONS = ("clGetKernelSuggestedLocalWorkSize", "clGetKernelSuggestedLocalWorkSizeKHR")
LIST_QUERIES = ("clGetSupportedImageFormats", "clGetPlatformIDs", "clGetDeviceIDs", *SUGGESTION_FUNCTIONS)
INDEPENDENT_FUNCTIONS = (
    "clFlush",
    "clSetEventCallback",
    "clUnloadPlatformCompiler",
    *ALLOCATION_FUNCTIONS,
    *LIST_QUERIES,
)
"""Functions whose concurrent calls do not affect each other."""


def find_conflict(calls: Sequence[Call], model: Model, rulebook: RuleSource) -> str:
    """Return why concurrent calls may be undefined or leave the model's state ambiguous, or an empty string."""
    functions = [find_function(call.function, model.tables.functions) for call in calls]
    changing = [function for function in functions if not function.queries]
    if not changing:
        return ""
    for call, function in zip(calls, functions, strict=True):
        creates = function.creates and not call.function.startswith("clEnqueue")
        counts = call.function.startswith(("clRetain", "clRelease"))
        known = (
            *INDEPENDENT_FUNCTIONS,
            *OBJECT_SETTERS,
            *FREE_FUNCTIONS,
            *WAITING_FUNCTIONS,
            *BUILD_FUNCTIONS,
            SET_STATUS,
        )
        free = call.function in known or call.function.startswith("clEnqueue")
        if not (function.queries or creates or counts or free):
            return f"{call.function} may change what other calls see"
    if len(calls) > MAX_REORDERED_CALLS and (
        len(changing) < len(calls) or any(each.name == SET_STATUS for each in changing)
    ):
        return f"the order of the calls matters, and they are more than {MAX_REORDERED_CALLS}"
    return (
        _find_use_during_change(calls)
        or _find_use_during_free(calls)
        or _find_early_destruction(calls, model)
        or _find_ambiguous_order(calls)
        or _find_shared_memory(calls, model, rulebook)
    )


def _find_use_during_change(calls: Sequence[Call]) -> str:
    """Return which object a call uses while a concurrent call sets a property of it or builds it, or ''."""
    for call in calls:
        if call.function not in (*OBJECT_SETTERS, *BUILD_FUNCTIONS) or call.function == LINK_PROGRAM:
            continue  # linked programs are only read
        first = next(iter(call.arguments.values()))
        if any(other is not call and any(first == used for used in call_handles(other)) for other in calls):
            return f"{first.name if isinstance(first, Handle) else first} is changed and used at the same time"
    return ""


def _find_use_during_free(calls: Sequence[Call]) -> str:
    """Return which memory one call uses while a concurrent call frees it, or an empty string."""
    for call in calls:
        if call.function in FREE_FUNCTIONS:
            *_, memory = call.arguments.values()
            if any(other is not call and any(memory == used for used in call_handles(other)) for other in calls):
                return (
                    f"{memory.name if isinstance(memory, Handle) else memory} is given back and used at the same time"
                )
    return ""


def _find_ambiguous_order(calls: Sequence[Call]) -> str:
    """Return why the dependencies between the commands of these calls would be ambiguous, or an empty string."""
    enqueued = [call for call in calls if call.function.startswith("clEnqueue")]
    mapping = {call.function for call in enqueued if call.function in MAP_FUNCTIONS}
    if len({is_blocking(call) for call in enqueued}) > 1 or (mapping and {call.function for call in calls} != mapping):
        return "blocking commands may come before or after others"
    if any(call.arguments.get("event_wait_list") != enqueued[0].arguments.get("event_wait_list") for call in enqueued):
        return "commands wait for different events"
    if enqueued and any(call.function == SET_STATUS and call.execution_status < 0 for call in calls):
        return "commands may be enqueued before or after an error"
    return ""


def _find_early_destruction(calls: Sequence[Call], model: Model) -> str:
    """Return which object a call would destroy while a concurrent call uses it, or an empty string."""
    released = Counter(next(iter(call.arguments.values())) for call in calls if call.function.startswith("clRelease"))
    for handle, times in released.items():
        thing = model.find(handle)
        if thing is None or times > thing.references:
            return f"{handle} is released more often than it is referenced"
        uses = sum(any(handle == used for used in call_handles(call)) for call in calls)
        if times == thing.references and uses > times:
            return f"{thing.name} would be destroyed while it is used"
    return ""


def _find_shared_memory(calls: Iterable[Call], model: Model, rulebook: RuleSource) -> str:
    """Return which concurrent commands use the same memory, if one of them writes to it; else an empty string."""
    commands: list[Command] = []
    for call in calls:
        try:
            work = rulebook.effect_of(call, model)
        except UnknownFactError:
            return f"the memory effect of {call.function} is unknown"
        command = Command(call.function, None, (), work.reads, work.writes)
        if any(is_conflicting(command, other) for other in commands):
            return f"{call.function} uses the same memory as another call"
        commands.append(command)
    return ""
