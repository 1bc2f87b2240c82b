"""Which calls can run concurrently (appendix A): every order of them is defined and leads to the same state."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from clconform.calls.call import handles_of
from clconform.calls.host import function_of
from clconform.calls.values import Handle
from clconform.oracles.contents.access_rules import WAITING
from clconform.oracles.contents.waiting import conflicting, is_blocking
from clconform.oracles.engine.lanes import BUILDING, MAPPING
from clconform.oracles.engine.orders import MOST_IN_ANY_ORDER, SETS
from clconform.oracles.model.commands import Command
from clconform.oracles.model.errors import UnknownError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clconform.calls.call import Call
    from clconform.oracles.engine.judged_call import RulesAsked
    from clconform.oracles.model.world import Model

LINKS = "clLinkProgram"
CHANGES_A_KERNEL = ("clSetKernelArg", "clSetKernelArgSVMPointer", "clSetKernelExecInfo", "clCloneKernel")
"""Functions that can run concurrently only for different kernels."""
CHANGES_ITS_OBJECT = (
    *CHANGES_A_KERNEL,
    "clSetKernelArgMemPointerINTEL",
    "clSetMemObjectDestructorCallback",
    "clSetContextDestructorCallback",
    "clSetProgramReleaseCallback",
    "clSetProgramSpecializationConstant",
    "clFinalizeCommandBufferKHR",
    "clReImportSemaphoreSyncFdKHR",
)
"""Functions that change their first argument, so that concurrent calls must not use it."""
GIVES_BACK = ("clSVMFree", "clMemFreeINTEL", "clMemBlockingFreeINTEL")
"""Functions that free the memory at their last argument."""
MAKES_MEMORY = ("clSVMAlloc", "clHostMemAllocINTEL", "clDeviceMemAllocINTEL", "clSharedMemAllocINTEL")
SUGGESTS = ("clGetKernelSuggestedLocalWorkSize", "clGetKernelSuggestedLocalWorkSizeKHR")
ASKS = ("clGetSupportedImageFormats", "clGetPlatformIDs", "clGetDeviceIDs", *SUGGESTS)
FREE = ("clFlush", "clSetEventCallback", "clUnloadPlatformCompiler", *MAKES_MEMORY, *ASKS)
"""Functions that do not affect each other, in any order."""


def in_each_others_way(calls: Sequence[Call], model: Model, rulebook: RulesAsked) -> str:
    """Return why concurrent calls may be undefined, or may leave an ambiguous state; empty if neither is possible."""
    functions = [function_of(call.function, model.tables.functions) for call in calls]
    changing = [function for function in functions if not function.queries]
    if not changing:
        return ""
    for call, function in zip(calls, functions, strict=True):
        creates = function.creates and not call.function.startswith("clEnqueue")
        counts = call.function.startswith(("clRetain", "clRelease"))
        known = (*FREE, *CHANGES_ITS_OBJECT, *GIVES_BACK, *WAITING, *BUILDING, SETS)
        free = call.function in known or call.function.startswith("clEnqueue")
        if not (function.queries or creates or counts or free):
            return f"{call.function} may change what other calls see"
    if len(calls) > MOST_IN_ANY_ORDER and (len(changing) < len(calls) or any(each.name == SETS for each in changing)):
        return f"the order of the calls matters, and they are more than {MOST_IN_ANY_ORDER}"
    return (
        _used_while_changed(calls)
        or _used_while_given_back(calls)
        or _last_reference(calls, model)
        or _commands_in_no_order(calls)
        or _same_memory(calls, model, rulebook)
    )


def _used_while_changed(calls: Sequence[Call]) -> str:
    """Return which object one call uses while another call sets a property of it or builds it."""
    for call in calls:
        if call.function not in (*CHANGES_ITS_OBJECT, *BUILDING) or call.function == LINKS:
            continue  # linked programs are only read
        first = next(iter(call.arguments.values()))
        if any(other is not call and any(first == used for used in handles_of(other)) for other in calls):
            return f"{first.name if isinstance(first, Handle) else first} is changed and used at the same time"
    return ""


def _used_while_given_back(calls: Sequence[Call]) -> str:
    """Return which memory one call uses while another call frees it."""
    for call in calls:
        if call.function in GIVES_BACK:
            *_, memory = call.arguments.values()
            if any(other is not call and any(memory == used for used in handles_of(other)) for other in calls):
                return (
                    f"{memory.name if isinstance(memory, Handle) else memory} is given back and used at the same time"
                )
    return ""


def _commands_in_no_order(calls: Sequence[Call]) -> str:
    """Return why it would be ambiguous which commands wait for others: their order is arbitrary."""
    enqueued = [call for call in calls if call.function.startswith("clEnqueue")]
    mapping = {call.function for call in enqueued if call.function in MAPPING}
    if len({is_blocking(call) for call in enqueued}) > 1 or (mapping and {call.function for call in calls} != mapping):
        return "blocking commands may come before or after others"
    if any(call.arguments.get("event_wait_list") != enqueued[0].arguments.get("event_wait_list") for call in enqueued):
        return "commands wait for different events"
    if enqueued and any(call.function == SETS and call.execution_status < 0 for call in calls):
        return "commands may be enqueued before or after an error"
    return ""


def _last_reference(calls: Sequence[Call], model: Model) -> str:
    """Return which object would be destroyed while another call uses it."""
    released = Counter(next(iter(call.arguments.values())) for call in calls if call.function.startswith("clRelease"))
    for handle, times in released.items():
        thing = model.known(handle)
        if thing is None or times > thing.references:
            return f"{handle} is released more often than it is referenced"
        uses = sum(any(handle == used for used in handles_of(call)) for call in calls)
        if times == thing.references and uses > times:
            return f"{thing.name} would be destroyed while it is used"
    return ""


def _same_memory(calls: Iterable[Call], model: Model, rulebook: RulesAsked) -> str:
    """Return which command uses the same memory as another one, if one of them writes it."""
    commands: list[Command] = []
    for call in calls:
        try:
            work = rulebook.effect_of(call, model)
        except UnknownError:
            return f"the memory effect of {call.function} is unknown"
        command = Command(call.function, None, frozenset(), work.reads, work.writes)
        if any(conflicting(command, other) for other in commands):
            return f"{call.function} uses the same memory as another call"
        commands.append(command)
    return ""
