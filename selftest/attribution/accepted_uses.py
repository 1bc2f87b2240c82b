"""Runs items on a simulated platform that accepts every invalid call, and collects the later uses of such calls.

No document defines the use of an object or a state that an accepted invalid call has created. So every such use is an
error of this project. The uses are found by the names in the calls alone, independently of the model.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clconform.calls.call import Returned
from clconform.calls.harness_actions import HOST_ACTIONS
from clconform.calls.kernel_functions import KERNEL_STATE_SETTERS
from clconform.calls.values import find_handles
from clconform.oracles.engine.accepted_calls import UNDEFINED_USE_IF_ACCEPTED
from clconform.oracles.engine.judgements import SUCCESS
from clconform.runner.session.observer import SessionObserver
from clconform.selftest.attribution.platform_sessions import open_session, run_limited
from clconform.simulator.answer_policy import FirstAllowedPolicy
from clconform.simulator.topologies import require_platform

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clconform.calls.call import Call, Outcome, Step
    from clconform.oracles.engine.judgements import Expectation, Judgement
    from clconform.runner.pytest_plugin.item_collection import SuiteItem
    from clconform.spec_tables import Tables

PERMANENT_TYPES = ("platform", "device")
"""The beginnings of the names of platforms and devices. A call does not change these objects."""
SHARED_TYPES = ("context", "queue")
"""The beginnings of the names of objects that calls which create other objects do not change."""


@dataclass(frozen=True)
class AcceptedUse:
    """A call of ``function`` with an object of an accepted invalid call of ``accepted``; ``item``: the first item."""

    function: str
    accepted: str
    name: str
    item: str


@dataclass
class UseSummary:
    """The numbers of ``items``, of ``accepted_calls`` and of ``failed_items``, and the later ``uses``."""

    items: int = 0
    accepted_calls: int = 0
    failed_items: int = 0
    uses: list[AcceptedUse] = field(default_factory=list)


class _AcceptingPolicy(FirstAllowedPolicy):
    """A result policy by which no call fails."""

    def choose_error(self, expectation: Expectation) -> str:
        """Return an empty string: the call succeeds, whether it should fail or not."""
        del expectation
        return ""


class _UseObserver(SessionObserver):
    """Collects the uses of accepted invalid calls, by the names of handles and pointers.

    ``doubtful``: maps the names that later calls must not use to the function that accepted a call. ``launches``: the
    same for kernels that must not be enqueued.
    """

    def __init__(self, tables: Tables) -> None:
        self.tried = UseSummary()
        self.item = ""
        self._tables = tables
        self._doubtful: dict[str, str] = {}
        self._launches: dict[str, str] = {}
        self._known: set[tuple[str, str]] = set()

    def on_example_start(self) -> None:
        """Forget the names of the last example."""
        self._doubtful, self._launches = {}, {}

    def on_thread_call(self, expectation: Expectation, step: Step) -> None:
        """Check a call on a host thread."""
        del step
        self._check(expectation)

    def on_judged_call(
        self, expectation: Expectation, outcome: Outcome, judgement: Judgement, steps: list[Step], test_value: str
    ) -> None:
        """Check a call, and note its objects if it was accepted although it is invalid."""
        del steps, test_value
        call = expectation.call
        if call.function in HOST_ACTIONS and call.function.startswith("host_join"):
            return
        self._check(expectation)
        if judgement.observed != SUCCESS or not isinstance(outcome, Returned) or call.function in HOST_ACTIONS:
            return
        interpretations = {held.interpretation for held in expectation.optional_errors}
        if expectation.required_errors:
            self._note(call, outcome, invalid=True)
        elif not interpretations.isdisjoint(UNDEFINED_USE_IF_ACCEPTED):
            self._note(call, outcome, invalid=False)

    def _note(self, call: Call, outcome: Returned, *, invalid: bool) -> None:
        function = self._tables.functions[call.function]
        self.tried.accepted_calls += 1
        if function.queries:
            return
        given = set(_names_in(call))
        made = {outcome.value} if isinstance(outcome.value, str) else set()
        for parameter in function.parameters:
            if parameter.base in (function.creates, "cl_event") and parameter.name in outcome.outputs:
                made |= {value for value in outcome.outputs[parameter.name].values if isinstance(value, str)}
        shared: tuple[str, ...] = SHARED_TYPES if function.creates and not call.function.startswith("clEnqueue") else ()
        if call.function.startswith("clEnqueue"):
            shared = ("context",)
        changed = {name for name in given if not name.startswith(shared)} if invalid else set()
        for name in made | changed:
            if not name.startswith(PERMANENT_TYPES) or name not in given:
                self._doubtful[name] = call.function
        for name in given:
            if name.startswith(PERMANENT_TYPES):
                self._doubtful.pop(name, None)
        if call.function in KERNEL_STATE_SETTERS:
            self._launches.update(dict.fromkeys(_names_in(call, "kernel"), call.function))

    def _check(self, expectation: Expectation) -> None:
        call = expectation.call
        for name in _names_in(call):
            if name in self._doubtful:
                self._add(call, name, self._doubtful[name])
        enqueues = call.function.startswith(("clEnqueue", "clCommand"))
        if enqueues and not expectation.required_errors:  # an error condition of the enqueue may be about the argument
            for name in _names_in(call, "kernel"):
                if name in self._launches:
                    self._add(call, name, self._launches[name])

    def _add(self, call: Call, name: str, accepted: str) -> None:
        if (call.function, accepted) not in self._known:
            self._known.add((call.function, accepted))
            self.tried.uses.append(AcceptedUse(call.function, accepted, name, self.item))


def _names_in(call: Call, parameter: str = "") -> Iterator[str]:
    """Yield the names of the handles and pointers in all arguments of a call, or in one of them."""
    for name, value in call.arguments.items():
        if parameter in ("", name):
            for handle in find_handles(value):
                yield handle.name


def find_uses_of_accepted_calls(topology: str, items: Iterable[SuiteItem], tables: Tables) -> UseSummary:
    """Run items on a platform that accepts every invalid call; return the uses of objects of such calls.

    An item ends early if the session refuses a call, or if the model cannot define or perform an invalid call.
    HarnessError for an unknown topology.
    """
    watching = _UseObserver(tables)
    session = open_session(topology, tables, watching, _AcceptingPolicy(require_platform(topology)))
    tried = watching.tried
    for item in items:
        if any(map(session.find_inapplicability, item.requirements)):
            continue
        watching.item = item.name
        tried.items += 1
        if not run_limited(item, session):
            tried.failed_items += 1
            session.process.end()
    session.close()
    return tried
