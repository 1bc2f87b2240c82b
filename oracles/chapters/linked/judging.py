"""Evaluates a trace by the note: calls that violate its rules, and rules that the trace covers.

A runtime's calls do not show all its decisions: when the host's allocation command was created, and which of several
devices it is linked with. The judge therefore keeps all accounts that the calls so far allow, and reports a call that
none of them allows.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from clconform.calls.call import Returned
from clconform.calls.host import ALLOCATE
from clconform.calls.traces import HOST, Violation
from clconform.oracles.chapters.linked import rules
from clconform.oracles.chapters.linked.account import Account, Allocation, OpenMap, commands
from clconform.oracles.chapters.linked.rules import NOTE
from clconform.oracles.chapters.linked.steps import CREATING, StepReader, WrongError, happened

if TYPE_CHECKING:
    from clconform.calls.call import Step
    from clconform.calls.traces import Access, Context, ServedAccess, Trace
    from clconform.oracles.chapters.linked.rules import Dialect
    from clconform.spec_tables import Tables

MOST_ACCOUNTS = 64


@dataclass
class Reading:
    """Result of a trace. ``met``: covered rules, each with the accesses that cover it."""

    violations: list[Violation] = field(default_factory=list)
    met: dict[str, list[int]] = field(default_factory=dict)


def judge(trace: Trace, tables: Tables, dialect: Dialect = NOTE) -> Reading:
    """Return the violations in a trace and the rules that it covers."""
    return _Judge(trace, tables, dialect).reading()


class _Judge:
    """Evaluates a trace, access by access."""

    def __init__(self, trace: Trace, tables: Tables, dialect: Dialect) -> None:
        self._trace = trace
        self._dialect = dialect
        self._contexts: dict[str, Context] = {context.name: context for context in trace.contexts}
        self._accounts = {memory.name: [Account.of(memory)] for memory in trace.objects}
        self._lost: set[str] = set()
        self._steps = StepReader(tables, dialect, {}, {})
        self._reading = Reading()

    def reading(self) -> Reading:
        """Return the result of the whole trace."""
        for step in self._trace.opening:
            self._steps.note(step)
        for index, served in enumerate(self._trace.accesses):
            self._serve(index, served)
        met: dict[str, set[int]] = defaultdict(set)
        for accounts in self._accounts.values():
            for record, index in accounts[0].met:
                met[record].add(index)
        self._reading.met = {record: sorted(met[record]) for record in rules.RULES if record in met}
        return self._reading

    def _serve(self, index: int, served: ServedAccess) -> None:
        access, name = served.access, served.access.memory
        self._lost = set()
        if access.mode == "construct":
            self._accounts[name] = [replace(each, access=access) for each in self._accounts[name]]
        else:
            self._accounts[name] = self._started(access, index)
        for number, step in enumerate(served.steps):
            self._steps.note(step)
            if happened(step):
                for each in self._concerned(step, access):
                    self._tell(each, step, index, number)
        if access.mode == "construct":
            self._accounts[name] = [each.meeting(index, rules.NOTHING_AT_CONSTRUCTION) for each in self._accounts[name]]
        else:
            self._settle(index, served)

    def _started(self, access: Access, index: int) -> list[Account]:
        """Return the accounts that an access may start from."""
        others = any(
            account.devices or account.host
            for name, accounts in self._accounts.items()
            for account in accounts[:1]
            if name != access.memory
        )
        found: list[Account] = []
        for account in self._accounts[access.memory]:
            for start in commands(account, access, index, self._contexts, self._dialect):
                known = start.meeting(index, rules.SAME_OBJECT) if start.new and others else start
                if known not in found:
                    found.append(known)
        return found[:MOST_ACCOUNTS]

    def _concerned(self, step: Step, access: Access) -> list[str]:
        """Return the memory objects that a call involves; new memory belongs to the accessed object."""
        if step.call.function in (*CREATING, ALLOCATE):
            return [access.memory]
        return [
            name
            for name, accounts in self._accounts.items()
            if any(self._steps.concerns(step, account) for account in accounts)
        ]

    def _tell(self, name: str, step: Step, index: int, number: int) -> None:
        """Apply a call to all accounts of an object; accounts that do not allow it are dropped if others do."""
        if name in self._lost:
            return
        self._steps.owners = {
            pointer: owner
            for owner, accounts in self._accounts.items()
            for account in accounts
            for pointer in account.pointers
        }
        kept: list[Account] = []
        wrong: list[WrongError] = []
        for account in self._accounts[name]:
            try:
                told = self._steps.told(step, account, index)
            except WrongError as error:
                wrong.append(error)
            else:
                kept += [told] if told not in kept else []
        if kept:
            self._accounts[name] = kept
        elif wrong:
            self._lost.add(name)
            self._reading.violations.append(Violation(wrong[0].record, str(wrong[0]), index, number))

    def _settle(self, index: int, served: ServedAccess) -> None:
        """Check that an access finds its allocation ready, and complete the access even after a violation."""
        access, name = served.access, served.access.memory
        accounts = self._accounts[name]
        if name not in self._lost:
            kept, wrong = [], []
            for account in accounts:
                try:
                    _ready(account)
                    kept.append(self._steps.used(account, access.context, writes=True))
                except WrongError as error:
                    wrong.append(error)
            if wrong and not kept:
                self._lost.add(name)
                self._reading.violations.append(Violation(wrong[0].record, str(wrong[0]), index))
            accounts = kept or accounts
        if name in self._lost:
            accounts = [_forced(account, served) for account in accounts[:1]]
        else:
            accounts = [each.meeting(index, rules.READY) if each.new else each for each in accounts]
        self._accounts[name] = [replace(account, last=access.context, moves=Counter()) for account in accounts]


def _ready(account: Account) -> None:
    """Raise a WrongError if the allocation of an access has not been created."""
    assert account.access is not None  # noqa: S101 (an access is in progress)
    wanted = account.devices.get(account.access.context)
    if wanted is not None and not wanted.handle:
        raise WrongError(rules.CREATION, "no memory is allocated in the context of the access")


def _forced(account: Account, served: ServedAccess) -> Account:
    """Return the account as if the access had succeeded, so that the trace can continue."""
    access = served.access
    if access.context == HOST:
        mapped = account.mapped or (None if account.host_active else OpenMap(""))
        return replace(account, host=True, mapped=mapped, holders=account.holders | {HOST})
    devices = dict(account.devices)
    made = [
        step.outcome.value
        for step in served.steps
        if step.call.function in CREATING and isinstance(step.outcome, Returned) and isinstance(step.outcome.value, str)
    ]
    known: Allocation = devices[access.context]
    devices[access.context] = replace(known, handle=known.handle or (made[0] if made else f"{access.context}'s"))
    mapped = None if account.partner == access.context else account.mapped
    holders = frozenset({access.context}) if access.writes else account.holders | {access.context}
    return replace(account, devices=devices, mapped=mapped, holders=holders, filled=True)
