"""Reduces the traces of a runtime to their accesses, and the actions of the calls for each access by context."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Absent, Returned
from clconform.calls.linked_allocations import HOST
from clconform.calls.values import Handle, HandleBytes, OffsetPointer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from clconform.calls.call import Call, Step
    from clconform.calls.linked_allocations import ServedAccess, Trace, TraceLine
    from clconform.calls.values import Value

ALLOCATE, LINKED, USE = "allocate", "allocate in host memory", "use"
TO_THE_HOST = {"map": "clEnqueueMapBuffer", "read": "clEnqueueReadBuffer"}
TO_THE_DEVICE = {"unmap": "clEnqueueUnmapMemObject", "write": "clEnqueueWriteBuffer"}
TRANSFERS = {function: words for words, function in (TO_THE_HOST | TO_THE_DEVICE).items()}
KERNEL_ENQUEUE = "clEnqueueNDRangeKernel"


class TraceAction(msgspec.Struct, frozen=True):
    """The action of one call on a memory object.

    ``context``: the context of the call. ``action``: allocate, use, or a transfer. ``was_sent``: the call was made.
    ``violation``: the rule of the runtime that the call violates.
    """

    context: str
    action: str
    was_sent: bool = True
    violation: str = ""


class TraceAccessResult(msgspec.Struct, frozen=True):
    """One access with its calls; ``violations``: the rules of the runtime that the access as a whole violates."""

    memory: str
    context: str
    mode: str
    actions: list[TraceAction]
    violations: list[str] = []
    driver_deviates: bool = False


class TraceResult(msgspec.Struct, frozen=True):
    """A trace for display; ``contexts``: the host comes first."""

    item: str
    title: str
    contexts: list[str]
    accesses: list[TraceAccessResult]

    @property
    def violations(self) -> list[str]:
        """The violations of the runtime's rules, in the order of the trace."""
        return [
            violation
            for access in self.accesses
            for violation in (*(each.violation for each in access.actions if each.violation), *access.violations)
        ]

    @property
    def num_driver_deviations(self) -> int:
        """The number of accesses in which the driver deviates."""
        return sum(access.driver_deviates for access in self.accesses)


def collect_traces(lines: Iterable[TraceLine]) -> list[TraceResult]:
    """Return the traces of a journal.

    Traces with violations come first.
    """
    found = [_trace_result(line) for line in lines]
    return sorted(found, key=lambda trace: not (trace.violations or trace.num_driver_deviations))


def _trace_result(line: TraceLine) -> TraceResult:
    trace = line.trace
    contexts = _ContextTracker(trace)
    accesses = []
    for index, served in enumerate(trace.accesses):
        violations = {violation.step: violation.condition for violation in line.violations if violation.access == index}
        accesses.append(_access_result(served, contexts, violations, driver_deviates=index in line.deviating_accesses))
    return TraceResult(line.item, trace.title, [HOST, *(context.name for context in trace.contexts)], accesses)


def _access_result(
    served: ServedAccess, contexts: _ContextTracker, violations: Mapping[int | None, str], *, driver_deviates: bool
) -> TraceAccessResult:
    actions: list[TraceAction] = []
    for number, step in enumerate(served.steps):
        action = contexts.action_of(step, served, violations.get(number, ""))
        if action is not None and (not actions or action != actions[-1] or action.action != USE):
            actions.append(action)
    access = served.access
    return TraceAccessResult(
        access.memory,
        access.context,
        access.mode,
        actions,
        [violations[None]] if None in violations else [],
        driver_deviates,
    )


class _ContextTracker:
    """Determines the context in which each call of a trace acts."""

    def __init__(self, trace: Trace) -> None:
        self._contexts = {context.handle: context.name for context in trace.contexts}
        self._buffers: dict[str, str] = {}
        self._kernels: dict[str, str] = {}
        self._host = {memory.user for memory in trace.objects if memory.user}

    def action_of(self, step: Step, served: ServedAccess, violation: str) -> TraceAction | None:
        """Return the action of a call on the memory objects of the trace, or None if the call does not affect them."""
        found = self._context_and_action(step, served)
        if found is None:
            return None
        context, what = found
        return TraceAction(context, what, not isinstance(step.outcome, Absent), violation)

    def _context_and_action(self, step: Step, served: ServedAccess) -> tuple[str, str] | None:
        call = step.call
        made = step.outcome.value if isinstance(step.outcome, Returned) else None
        if call.function == "clCreateBuffer":
            context = self._contexts.get(_name(call.context), served.access.context)
            if isinstance(made, str):
                self._buffers[made] = context
            on_host = call.arguments.get("host_ptr") is not None
            self._host |= {_name(call.host_ptr)} if on_host else set()
            return context, LINKED if on_host else ALLOCATE
        if call.function == "host_allocate":
            self._host |= {made} if isinstance(made, str) else set()
            return HOST, ALLOCATE
        if call.function in ("host_read", "host_write"):
            return (HOST, USE) if _name(call.pointer) in self._host else None
        if call.function == "clSetKernelArg":
            self._kernels[_name(call.kernel)] = _name(call.arg_value)
            return None
        return self._command_action(call, made)

    def _command_action(self, call: Call, made: object) -> tuple[str, str] | None:
        named = [_name(value) for value in call.arguments.values()]
        if call.function == KERNEL_ENQUEUE:
            named.append(self._kernels.get(_name(call.kernel), ""))
        context = next((self._buffers[name] for name in named if name in self._buffers), "")
        if not context or not call.function.startswith("clEnqueue"):
            return None
        what = TRANSFERS.get(call.function, USE)
        if what in ("read", "write") and not _name(call.arguments.get("ptr")):
            return context, USE
        if what == "map" and isinstance(made, str):
            self._host.add(made)
        return context, what


def _name(value: Value) -> str:
    if isinstance(value, (OffsetPointer, HandleBytes)):
        value = value.handle
    return value.name if isinstance(value, Handle) else ""
