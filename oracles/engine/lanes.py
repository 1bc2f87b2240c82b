"""Pending calls on other host threads: which are allowed, when they can return, and when they must not.

Such a call is judged when it ends, in the state at that time. That is exact for the calls that are allowed on other
host threads: they wait, and the condition for which they wait never changes again once it is met. While such a call is
pending, calls that could change its objects are not made. A host thread in a callback makes other calls; they can
return once the callback was called.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clconform.calls.call import Call, Died, Hung, Returned, handles_of
from clconform.calls.values import Handle, Items
from clconform.oracles.contents.access_rules import WAITING, endless
from clconform.oracles.contents.waiting import is_blocking, may_return_first
from clconform.oracles.engine import symptoms
from clconform.oracles.engine.answers import May
from clconform.oracles.engine.commands import leave_unknown
from clconform.oracles.engine.inside_callbacks import obstacle_to, was_called, why_not_inside
from clconform.oracles.engine.judged_call import JudgedCall
from clconform.oracles.engine.judgements import SUCCESS, Blame, Expectation, Judgement
from clconform.oracles.model.events import Event, UserEvent
from clconform.spec_tables.records import Effect

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clconform.calls.call import Outcome
    from clconform.calls.protocol import Ended
    from clconform.oracles.engine.judge import Oracle

BUILDING = ("clBuildProgram", "clCompileProgram", "clLinkProgram")
FINISHES, BLOCKS = "finish-blocks-until-complete", "blocking-until-complete"
WAITS = ("host-waits-for-completion", FINISHES, BLOCKS)
"""Topics of the requirements by which a call returns only when commands are complete."""
MAPPING = ("clEnqueueMapBuffer", "clEnqueueMapImage")
"""Calls that change the result of clGetMemObjectInfo before they return."""
COPIED = May("write-that-copies")
"""Why a blocking write may return early on drivers of older versions."""
RETURNED_EARLY = "returned while a command that it waits for could not be complete"
NEVER = 0
"""The position from which a call may return, as long as nothing allows it to return."""


@dataclass
class CallUnderWay:
    """A pending call on a host thread: its expectation at the start, and the position from which it may return.

    ``entered``: its own position. ``waited``: it was observed to be pending when it could not have returned.
    """

    expectation: Expectation
    entered: int
    may_return: int = NEVER
    waited: bool = False

    @property
    def call(self) -> Call:
        """Return the call itself."""
        return self.expectation.call


class Lanes:
    """The pending calls of one example, by host thread."""

    def __init__(self, oracle: Oracle) -> None:
        self._oracle = oracle
        self.under_way: dict[int, CallUnderWay] = {}

    # allowed calls

    def why_not(self, lane: int, call: Call) -> str:
        """Return why a call must not be started on a host thread, or an empty string."""
        if lane in self.under_way:
            return f"a call is in flight on host thread {lane}"
        if lane in self._oracle.model.in_callbacks:
            return why_not_inside(call, self._oracle.model) or self.obstacle(call)
        if call.function not in (*WAITING, *BUILDING) and not is_blocking(call):
            return f"{call.function} is not among the calls that wait, so it is not started on a host thread"
        return self.obstacle(call)

    def expect(self, call: Call) -> Expectation:
        """Return the expectation for a call at its start on a host thread, where it may wait for later calls."""
        return self._oracle.expect(call, elsewhere=True)

    def obstacle(self, call: Call) -> str:
        """Return why a call must not be made while others are pending, or an empty string."""
        for lane, other in self.under_way.items():
            callback = self._oracle.model.in_callbacks.get(lane)
            if callback is None:
                reason = self._obstacle(call, other.call)
            else:
                reason = obstacle_to(call, other.call, callback, self._oracle.model)
            if reason:
                return f"{reason}, while {other.call.function} is in flight on host thread {lane}"
        return ""

    def _obstacle(self, call: Call, other: Call) -> str:
        model, function = self._oracle.model, self._oracle.tables.functions.get(call.function)
        used, mentioned = ({handle.name for handle in handles_of(each)} for each in (other, call))
        if call.function.startswith("clRelease") or function is None:
            things = [model.things.get(name) for name in mentioned & used]
            lost = any(thing is not None and thing.references <= 1 for thing in things)
            return f"{call.function} would destroy what is used" if lost or (function is None and mentioned) else ""
        if call.function.startswith("clRetain"):
            return ""
        if other.function in BUILDING:
            return f"{call.function} uses what is built" if mentioned & used - _devices_in(other) else ""
        if call.function == "clGetMemObjectInfo" and other.function in MAPPING:
            return f"{call.function} may count the map"
        if function.queries or other.function == "clWaitForEvents":
            return ""
        queue = other.command_queue
        if call.function in WAITING or not isinstance(call.arguments.get("command_queue"), Handle):
            changes = call.function.startswith("clSetUserEventStatus") or call.function in WAITING
            return "" if changes or not mentioned & used else f"{call.function} uses the same objects"
        if call.command_queue == queue:
            return f"{call.function} uses the same command-queue"
        return f"{call.function} may use the same memory" if is_blocking(other) else ""

    # state changes

    def begun(self, lane: int, expectation: Expectation, entered: int) -> None:
        """Record that a call is pending."""
        self._oracle.model.move_on()
        self.under_way[lane] = begun = CallUnderWay(expectation, entered)
        if lane in self._oracle.model.in_callbacks:
            self._oracle.model.inside[lane] = begun.call
            return
        self._oracle.model.beside[lane] = begun.call
        if self._may_return(begun):
            begun.may_return = entered

    def happened(self, entered: int) -> None:
        """Record that the call with this position was judged; pending calls may be able to return from there on."""
        for lane, other in self.under_way.items():
            inside = lane in self._oracle.model.in_callbacks
            if not inside and other.may_return == NEVER and self._may_return(other):
                other.may_return = entered

    def unclear(self, lane: int) -> bool:
        """Return whether a call inside a callback, which may already have run, may let a pending call return."""
        inside = self._oracle.model.inside
        return bool(inside) and lane not in inside

    def hopeless(self, lane: int) -> bool:
        """Return whether the call on a host thread cannot return before something else happens."""
        callback = self._oracle.model.in_callbacks.get(lane)
        if callback is not None:
            return not was_called(callback, self._oracle.model)
        return self.under_way[lane].may_return == NEVER

    def _may_return(self, begun: CallUnderWay) -> bool:
        return bool(begun.expectation.musts) or not endless(self._judged(begun.call))

    def surely_returns(self, lane: int) -> bool:
        """Return whether the model proves that the call on a host thread can return."""
        begun = self.under_way[lane]
        if lane in self._oracle.model.in_callbacks:
            return not self.hopeless(lane)
        if begun.may_return == NEVER or begun.call.function in BUILDING:
            return False
        events = [self._oracle.model.known(each) for each in _listed(begun.call)]
        return all(
            isinstance(event, UserEvent) or (isinstance(event, Event) and event.command is not None) for event in events
        )

    # judging

    def ended(self, lane: int, outcome: Ended) -> tuple[Expectation, Outcome, Judgement]:
        """Judge a call that has returned, at its positions, in the current state; its host thread becomes free."""
        begun = self.under_way.pop(lane)
        self._over(lane)
        inside = lane in self._oracle.model.in_callbacks
        early = not inside and (begun.may_return == NEVER or outcome.returned < begun.may_return)
        expectation = self._oracle.expect(begun.call, elsewhere=True)
        returned = outcome.outcome
        if early and isinstance(returned, Returned) and self._oracle.code_of(begun.call, returned) == SUCCESS:
            leave_unknown(self._judged(begun.call))
            return begun.expectation, returned, self._too_early(begun)
        judgement = self._oracle.judge(begun.expectation if early else expectation, returned)
        if begun.waited and judgement.observed == SUCCESS and not judgement.blames:
            records = (*self._waits(begun.call), *self._said_of_all(begun.call))
            judgement.evidence += [(record, "conforms") for record in records]
        if inside:
            self.happened(outcome.entered)
        return expectation, returned, judgement

    def lost(self, lane: int, outcome: Died | Hung) -> tuple[Expectation, Judgement]:
        """Judge a call during which the driver crashed, or that did not return in time.

        The call may have caused the crash.
        """
        sure, begun = self.surely_returns(lane), self.under_way.pop(lane)
        judgement = self._oracle.judge(begun.expectation, outcome)
        self._over(lane)
        if isinstance(outcome, Hung) and not sure:
            judgement.blames.clear()
            judgement.readings.clear()
            judgement.evidence = [(record, "inconclusive") for record, _ in judgement.evidence]
        return begun.expectation, judgement

    def _over(self, lane: int) -> None:
        """Record that no call is pending on a host thread any more."""
        self._oracle.model.inside.pop(lane, None)
        self._oracle.model.beside.pop(lane, None)

    def seen(self, lane: int, *, returned: bool) -> tuple[Expectation, Judgement]:
        """Judge the observation that a call has returned, or is still pending."""
        begun = self.under_way[lane]
        inside = lane in self._oracle.model.in_callbacks
        if returned and begun.may_return == NEVER and not inside:
            return begun.expectation, self._too_early(begun)
        begun.waited = begun.waited or not (returned or inside)
        return begun.expectation, Judgement("returned" if returned else "under way")

    def _too_early(self, begun: CallUnderWay) -> Judgement:
        records = tuple(self._waits(begun.call)) or (f"{begun.call.function}/success",)
        rulebook = self._oracle.rulebook
        if may_return_first(begun.call, self._oracle.model):
            observed = f"{RETURNED_EARLY} ({COPIED.interpretation})"
            return Judgement(observed, [(record, "inconclusive") for record in records])
        blame = Blame(
            records,
            "deviates",
            "literal",
            ("no return before the commands that it waits for are complete",),
            RETURNED_EARLY,
            {record: rulebook.words_of(record) for record in records},
            symptoms.TOO_EARLY,
            also=tuple(self._said_of_all(begun.call)),
        )
        against = (*records, *blame.also)
        return Judgement(blame.observed, [(record, "deviates") for record in against], [blame])

    def _waits(self, call: Call) -> Iterator[str]:
        """Yield the function's own requirements by which a call waits."""
        for record in self._oracle.tables.records_of(call.function):
            if isinstance(record, Effect) and record.topic in WAITS:
                yield record.id

    def _said_of_all(self, call: Call) -> Iterator[str]:
        """Yield the requirements of the prose, for no particular function, by which a call waits."""
        topic = FINISHES if call.function == "clFinish" else BLOCKS if is_blocking(call) else ""
        for record in self._oracle.tables.records.values() if topic else ():
            if isinstance(record, Effect) and not record.function and record.topic == topic:
                yield record.id

    def _judged(self, call: Call) -> JudgedCall:
        return JudgedCall(call, self._oracle.model, self._oracle.rulebook)


def _devices_in(call: Call) -> set[str]:
    listed = call.arguments.get("device_list")
    return {each.name for each in listed.values if isinstance(each, Handle)} if isinstance(listed, Items) else set()


def _listed(call: Call) -> Iterable[object]:
    """Return the events for which a call waits."""
    for name in ("event_list", "event_wait_list"):
        listed = call.arguments.get(name)
        if isinstance(listed, Items):
            return listed.values
    return ()
