"""Which calls may be made at the same time, so that their results do not depend on each other (appendix A)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from clconform.calls.call import handles_of
from clconform.calls.host import function_of
from clconform.oracles.contents.waiting import conflicting, is_blocking
from clconform.oracles.model.commands import Command
from clconform.oracles.model.errors import UnknownError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clconform.calls.call import Call
    from clconform.oracles.engine.judged_call import RulesAsked
    from clconform.oracles.model.world import Model

CHANGES_A_KERNEL = ("clSetKernelArg", "clSetKernelArgSVMPointer", "clSetKernelExecInfo", "clCloneKernel")
"""Functions that may only be called at the same time for different kernels."""
FREE = ("clFlush", "clSetEventCallback", *CHANGES_A_KERNEL)
"""Functions that do not affect each other, in any order."""


def in_each_others_way(calls: Sequence[Call], model: Model, rulebook: RulesAsked) -> str:
    """Return why the outcome of calls may depend on their order, or why they are undefined; empty if neither is so."""
    functions = [function_of(call.function, model.tables.functions) for call in calls]
    changing = [function for function in functions if not function.queries]
    if not changing:
        return ""
    if len(changing) < len(functions):
        return f"{changing[0].name} may change what queries see"
    for call, function in zip(calls, functions, strict=True):
        creates = function.creates and not call.function.startswith("clEnqueue")
        counts = call.function.startswith(("clRetain", "clRelease"))
        if not (creates or counts or call.function in FREE or _is_free_command(call)):
            return f"{call.function} may change what other calls see"
    return _same_kernel(calls) or _last_reference(calls, model) or _same_memory(calls, model, rulebook)


def _is_free_command(call: Call) -> bool:
    """Return whether a call enqueues a command that neither blocks nor waits for events."""
    return call.function.startswith("clEnqueue") and not is_blocking(call) and not call.arguments.get("event_wait_list")


def _same_kernel(calls: Iterable[Call]) -> str:
    kernels = Counter(call.kernel for call in calls if call.function in CHANGES_A_KERNEL and call.kernel is not None)
    twice = [kernel.name for kernel, times in kernels.items() if times > 1]
    return f"{twice[0]} is changed twice at the same time" if twice else ""


def _last_reference(calls: Sequence[Call], model: Model) -> str:
    """Return which object would be destroyed while another call uses it."""
    released = Counter(next(iter(call.arguments.values())) for call in calls if call.function.startswith("clRelease"))
    for handle, times in released.items():
        thing = model.known(handle)
        if thing is None or times > thing.references:
            return f"{handle} is released more often than it may be"
        uses = sum(any(handle == used for used in handles_of(call)) for call in calls)
        if times == thing.references and uses > times:
            return f"{thing.name} would be destroyed while it is used"
    return ""


def _same_memory(calls: Iterable[Call], model: Model, rulebook: RulesAsked) -> str:
    """Return which commands use the same memory, one of them writing."""
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
