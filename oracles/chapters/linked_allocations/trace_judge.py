"""Evaluation of a trace by the note on linked allocations: violations of its rules, and rules that the trace covers.

The calls of a runtime do not show when it created the host's allocation command, and with which of several devices this
allocation is linked. The judge therefore keeps all allocation states that agree with the calls so far, and reports a
call that does not agree with any of these states.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from clconform.calls.call import Returned
from clconform.calls.harness_actions import ALLOCATE
from clconform.calls.linked_allocations import HOST, TraceViolation
from clconform.oracles.chapters.linked_allocations import runtime_rules
from clconform.oracles.chapters.linked_allocations.allocation_state import (
    AllocationState,
    DeviceAllocationCommand,
    OpenMap,
    starting_states,
)
from clconform.oracles.chapters.linked_allocations.runtime_rules import NOTE
from clconform.oracles.chapters.linked_allocations.trace_steps import (
    CREATING,
    NoteViolationError,
    StepApplier,
    is_effective,
)

if TYPE_CHECKING:
    from clconform.calls.call import Step
    from clconform.calls.linked_allocations import ServedAccess, Trace, TraceAccess, TraceContext
    from clconform.oracles.chapters.linked_allocations.runtime_rules import NoteDialect
    from clconform.spec_tables import Tables

MAX_STATES = 64


@dataclass
class TraceEvaluation:
    """Result of the evaluation of a trace.

    ``violations``: the violations of the note. ``met``: the covered rules, each with the indices of the accesses that
    cover the rule.
    """

    violations: list[TraceViolation] = field(default_factory=list)
    met: dict[str, list[int]] = field(default_factory=dict)


def judge(trace: Trace, tables: Tables, dialect: NoteDialect = NOTE) -> TraceEvaluation:
    """Return the violations in a trace, and the rules that the trace covers."""
    return _TraceJudge(trace, tables, dialect).evaluate()


class _TraceJudge:
    """Evaluates a trace, access by access."""

    def __init__(self, trace: Trace, tables: Tables, dialect: NoteDialect) -> None:
        self._trace = trace
        self._dialect = dialect
        self._contexts: dict[str, TraceContext] = {context.name: context for context in trace.contexts}
        self._accounts = {memory.name: [AllocationState.initial(memory)] for memory in trace.objects}
        self._lost: set[str] = set()
        self._steps = StepApplier(tables, dialect, {}, {})
        self._reading = TraceEvaluation()

    def evaluate(self) -> TraceEvaluation:
        """Evaluate all accesses of the trace, and return the violations and the covered rules."""
        for step in self._trace.opening:
            self._steps.record_argument(step)
        for index, served in enumerate(self._trace.accesses):
            self._evaluate_access(index, served)
        met: dict[str, set[int]] = defaultdict(set)
        for accounts in self._accounts.values():
            for requirement, index in accounts[0].met:
                met[requirement].add(index)
        self._reading.met = {
            requirement: sorted(met[requirement]) for requirement in runtime_rules.RULE_TEXTS if requirement in met
        }
        return self._reading

    def _evaluate_access(self, index: int, served: ServedAccess) -> None:
        access, name = served.access, served.access.memory
        self._lost = set()
        if access.mode == "construct":
            self._accounts[name] = [replace(each, access=access) for each in self._accounts[name]]
        else:
            self._accounts[name] = self._starting_states(access, index)
        for number, step in enumerate(served.steps):
            self._steps.record_argument(step)
            if is_effective(step):
                for each in self._involved_objects(step, access):
                    self._apply_call(each, step, index, number)
        if access.mode == "construct":
            self._accounts[name] = [
                each.with_covered(index, runtime_rules.LAZY_ALLOCATION) for each in self._accounts[name]
            ]
        else:
            self._finish_access(index, served)

    def _starting_states(self, access: TraceAccess, index: int) -> list[AllocationState]:
        """Return at most MAX_STATES states of the accessed object in which the access may start."""
        others = any(
            account.devices or account.host
            for name, accounts in self._accounts.items()
            for account in accounts[:1]
            if name != access.memory
        )
        found: list[AllocationState] = []
        for account in self._accounts[access.memory]:
            for start in starting_states(account, access, index, self._contexts, self._dialect):
                known = start.with_covered(index, runtime_rules.SAME_OBJECT) if start.new and others else start
                if known not in found:
                    found.append(known)
        return found[:MAX_STATES]

    def _involved_objects(self, step: Step, access: TraceAccess) -> list[str]:
        """Return the names of the memory objects that a call involves.

        A call that allocates memory involves only the accessed object.
        """
        if step.call.function in (*CREATING, ALLOCATE):
            return [access.memory]
        return [
            name
            for name, accounts in self._accounts.items()
            if any(self._steps.involves(step, account) for account in accounts)
        ]

    def _apply_call(self, name: str, step: Step, index: int, number: int) -> None:
        """Apply a call to all states of an object, and keep the states that result.

        States that do not allow the call are dropped. If all states forbid the call, a violation is recorded, and the
        later calls of the access are not applied to the object.
        """
        if name in self._lost:
            return
        self._steps.owners = {
            pointer: owner
            for owner, accounts in self._accounts.items()
            for account in accounts
            for pointer in account.pointers
        }
        kept: list[AllocationState] = []
        wrong: list[NoteViolationError] = []
        for account in self._accounts[name]:
            try:
                told = self._steps.apply(step, account, index)
            except NoteViolationError as error:
                wrong.append(error)
            else:
                kept += [told] if told not in kept else []
        if kept:
            self._accounts[name] = kept
        elif wrong:
            self._lost.add(name)
            self._reading.violations.append(TraceViolation(wrong[0].record, str(wrong[0]), index, number))

    def _finish_access(self, index: int, served: ServedAccess) -> None:
        """Check that the allocation of an access exists and holds the latest bytes.

        The access is completed even after a violation.
        """
        access, name = served.access, served.access.memory
        accounts = self._accounts[name]
        if name not in self._lost:
            kept, wrong = [], []
            for account in accounts:
                try:
                    _check_ready(account)
                    kept.append(self._steps.apply_use(account, access.context, writes=True))
                except NoteViolationError as error:
                    wrong.append(error)
            if wrong and not kept:
                self._lost.add(name)
                self._reading.violations.append(TraceViolation(wrong[0].record, str(wrong[0]), index))
            accounts = kept or accounts
        if name in self._lost:
            accounts = [_assume_success(account, served) for account in accounts[:1]]
        else:
            accounts = [
                each.with_covered(index, runtime_rules.READY_AFTER_COMMAND) if each.new else each for each in accounts
            ]
        self._accounts[name] = [replace(account, last=access.context, moves=Counter()) for account in accounts]


def _check_ready(account: AllocationState) -> None:
    """Raise a NoteViolationError if the allocation that an access needs has not been created."""
    assert account.access is not None  # noqa: S101 (an access is in progress)
    wanted = account.devices.get(account.access.context)
    if wanted is not None and not wanted.handle:
        raise NoteViolationError(runtime_rules.CREATION, "no memory is allocated in the context of the access")


def _assume_success(account: AllocationState, served: ServedAccess) -> AllocationState:
    """Return the state after a successful access, so that the evaluation can continue after a violation."""
    access = served.access
    if access.context == HOST:
        mapped = account.mapped or (None if account.is_host_active else OpenMap(""))
        return replace(account, host=True, mapped=mapped, holders=account.holders | {HOST})
    devices = dict(account.devices)
    made = [
        step.outcome.value
        for step in served.steps
        if step.call.function in CREATING and isinstance(step.outcome, Returned) and isinstance(step.outcome.value, str)
    ]
    known: DeviceAllocationCommand = devices[access.context]
    devices[access.context] = replace(known, handle=known.handle or (made[0] if made else f"{access.context}'s"))
    mapped = None if account.partner == access.context else account.mapped
    holders = frozenset({access.context}) if access.writes else account.holders | {access.context}
    return replace(account, devices=devices, mapped=mapped, holders=holders, filled=True)
