"""Pending calls on other host threads: which are allowed, when they can return, and when they must not.

A pending call is judged when it ends, in the state of the model at that time. This is exact because only calls that
wait are allowed on other host threads, and the condition for which they wait stays true once it is met. While a call is
pending, calls that could change its objects are not made. A host thread inside a callback may also make calls that do
not wait; such a call can return once the callback was called.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clconform.calls.call import Call, Died, Hung, Returned, call_handles
from clconform.calls.values import ElementList, Handle
from clconform.oracles.contents.access_rules import WAITING_FUNCTIONS, find_endless_wait
from clconform.oracles.contents.dependencies import is_blocking, may_return_early
from clconform.oracles.engine import symptoms
from clconform.oracles.engine.call_context import CallContext
from clconform.oracles.engine.commands import forget_written_memory
from clconform.oracles.engine.interpretation import InterpretationId
from clconform.oracles.engine.judgements import SUCCESS, Expectation, Judgement, ObservedDeviation
from clconform.oracles.engine.reentrant_calls import find_concurrency_obstacle, find_reentrancy_obstacle, was_called
from clconform.oracles.model.events import Event, UserEvent
from clconform.spec_tables.requirements import Effect

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clconform.calls.call import Outcome
    from clconform.calls.protocol import CallEnded
    from clconform.oracles.engine.judge import Oracle

BUILD_FUNCTIONS = ("clBuildProgram", "clCompileProgram", "clLinkProgram")
FINISH_TOPIC, BLOCKING_TOPIC = "finish-blocks-until-complete", "blocking-until-complete"
WAIT_TOPICS = ("host-waits-for-completion", FINISH_TOPIC, BLOCKING_TOPIC)
"""Topics of the requirements that a call does not return before certain commands are complete."""
MAP_FUNCTIONS = ("clEnqueueMapBuffer", "clEnqueueMapImage")
"""Calls that change the result of clGetMemObjectInfo before they return."""
EARLY_WRITE_RETURN = InterpretationId("blocking-write-before-3.0")
"""The interpretation by which a blocking write may return early on drivers of older versions."""
RETURNED_EARLY = "returned while a command that it waits for could not be complete"
NEVER = 0
"""Value of ``may_return_from`` for a call that cannot return yet."""


@dataclass
class HostThreadCall:
    """A pending call on a host thread, with its expectation at the start.

    ``entered``: the position of the call in the order of all calls. ``may_return_from``: the position from which the
    call may return. ``was_seen_waiting``: the call was observed to be pending while it could not return.
    """

    expectation: Expectation
    entered: int
    may_return_from: int = NEVER
    was_seen_waiting: bool = False

    @property
    def call(self) -> Call:
        """Return the pending call."""
        return self.expectation.call


class HostThreads:
    """The pending calls of one example, by host thread."""

    def __init__(self, oracle: Oracle) -> None:
        self._oracle = oracle
        self.pending: dict[int, HostThreadCall] = {}

    # allowed calls

    def find_start_obstacle(self, thread: int, call: Call) -> str:
        """Return why a call must not be started on a host thread, or an empty string."""
        if thread in self.pending:
            return f"a call is in flight on host thread {thread}"
        if thread in self._oracle.model.callback_threads:
            return find_reentrancy_obstacle(call, self._oracle.model) or self.find_obstacle(call)
        if call.function not in (*WAITING_FUNCTIONS, *BUILD_FUNCTIONS) and not is_blocking(call):
            return f"{call.function} is not among the calls that wait, so it is not started on a host thread"
        return self.find_obstacle(call)

    def expect(self, call: Call) -> Expectation:
        """Return the expectation for a call that starts on a host thread; the call may wait for later calls."""
        return self._oracle.expect(call, on_host_thread=True)

    def find_obstacle(self, call: Call) -> str:
        """Return why a call must not be made while the pending calls run, or an empty string."""
        for host_thread, other in self.pending.items():
            callback = self._oracle.model.callback_threads.get(host_thread)
            if callback is None:
                reason = self._find_conflict(call, other.call)
            else:
                reason = find_concurrency_obstacle(call, other.call, callback, self._oracle.model)
            if reason:
                return f"{reason}, while {other.call.function} is in flight on host thread {host_thread}"
        return ""

    def _find_conflict(self, call: Call, other: Call) -> str:
        model, function = self._oracle.model, self._oracle.tables.functions.get(call.function)
        used, mentioned = ({handle.name for handle in call_handles(each)} for each in (other, call))
        if call.function.startswith("clRelease") or function is None:
            things = [model.objects.get(name) for name in mentioned & used]
            lost = any(thing is not None and thing.references <= 1 for thing in things)
            return f"{call.function} would destroy what is used" if lost or (function is None and mentioned) else ""
        if call.function.startswith("clRetain"):
            return ""
        if other.function in BUILD_FUNCTIONS:
            return f"{call.function} uses what is built" if mentioned & used - _listed_devices(other) else ""
        if call.function == "clGetMemObjectInfo" and other.function in MAP_FUNCTIONS:
            return f"{call.function} may count the map"
        if function.queries or other.function == "clWaitForEvents":
            return ""
        queue = other.command_queue
        if call.function in WAITING_FUNCTIONS or not isinstance(call.arguments.get("command_queue"), Handle):
            changes = call.function.startswith("clSetUserEventStatus") or call.function in WAITING_FUNCTIONS
            return "" if changes or not mentioned & used else f"{call.function} uses the same objects"
        if call.command_queue == queue:
            return f"{call.function} uses the same command-queue"
        return f"{call.function} may use the same memory" if is_blocking(other) else ""

    # state changes

    def begin(self, thread: int, expectation: Expectation, entered: int) -> None:
        """Record that a call is pending on a host thread."""
        self._oracle.model.clear_cache()
        self.pending[thread] = begun = HostThreadCall(expectation, entered)
        if thread in self._oracle.model.callback_threads:
            self._oracle.model.reentrant_calls[thread] = begun.call
            return
        self._oracle.model.concurrent_calls[thread] = begun.call
        if self._can_return(begun):
            begun.may_return_from = entered

    def note_judged_call(self, entered: int) -> None:
        """Record that the call at position ``entered`` was judged. From this position on, pending calls may return."""
        for host_thread, other in self.pending.items():
            inside = host_thread in self._oracle.model.callback_threads
            if not inside and other.may_return_from == NEVER and self._can_return(other):
                other.may_return_from = entered

    def is_unclear(self, thread: int) -> bool:
        """Return whether a call inside a callback may already have allowed the call on this host thread to return."""
        inside = self._oracle.model.reentrant_calls
        return bool(inside) and thread not in inside

    def is_blocked(self, thread: int) -> bool:
        """Return whether the call on a host thread cannot return yet, according to the model."""
        callback = self._oracle.model.callback_threads.get(thread)
        if callback is not None:
            return not was_called(callback, self._oracle.model)
        return self.pending[thread].may_return_from == NEVER

    def _can_return(self, begun: HostThreadCall) -> bool:
        return bool(begun.expectation.required_errors) or not find_endless_wait(self._create_context(begun.call))

    def is_certain_to_return(self, thread: int) -> bool:
        """Return whether the model proves that the call on a host thread can return."""
        begun = self.pending[thread]
        if thread in self._oracle.model.callback_threads:
            return not self.is_blocked(thread)
        if begun.may_return_from == NEVER or begun.call.function in BUILD_FUNCTIONS:
            return False
        events = [self._oracle.model.find(each) for each in _listed_events(begun.call)]
        return all(
            isinstance(event, UserEvent) or (isinstance(event, Event) and event.command is not None) for event in events
        )

    # judging

    def judge_returned(self, thread: int, outcome: CallEnded) -> tuple[Expectation, Outcome, Judgement]:
        """Judge a call that has returned, in the current state of the model; its host thread becomes free.

        A success at a position at which the call could not return yet is an early return.
        """
        begun = self.pending.pop(thread)
        self._remove(thread)
        inside = thread in self._oracle.model.callback_threads
        early = not inside and (begun.may_return_from == NEVER or outcome.returned < begun.may_return_from)
        expectation = self._oracle.expect(begun.call, on_host_thread=True)
        returned = outcome.outcome
        if early and isinstance(returned, Returned) and self._oracle.error_code_of(begun.call, returned) == SUCCESS:
            forget_written_memory(self._create_context(begun.call))
            return begun.expectation, returned, self._judge_early_return(begun)
        judgement = self._oracle.judge(begun.expectation if early else expectation, returned)
        if begun.was_seen_waiting and judgement.observed == SUCCESS and not judgement.deviations:
            requirements = (
                *self._find_wait_requirements(begun.call),
                *self._find_general_wait_requirements(begun.call),
            )
            judgement.evidence += [(requirement, "conforms") for requirement in requirements]
        if inside:
            self.note_judged_call(outcome.entered)
        return expectation, returned, judgement

    def judge_lost(self, thread: int, outcome: Died | Hung) -> tuple[Expectation, Judgement]:
        """Judge a call during which the driver crashed, or that did not return in time.

        The call may have caused the crash. A hang is inconclusive unless the model proves that the call can return.
        """
        sure, begun = self.is_certain_to_return(thread), self.pending.pop(thread)
        judgement = self._oracle.judge(begun.expectation, outcome)
        self._remove(thread)
        if isinstance(outcome, Hung) and not sure:
            judgement.deviations.clear()
            judgement.interpretations.clear()
            judgement.evidence = [(requirement, "inconclusive") for requirement, _ in judgement.evidence]
        return begun.expectation, judgement

    def _remove(self, thread: int) -> None:
        """Record that the call on a host thread is no longer pending."""
        self._oracle.model.reentrant_calls.pop(thread, None)
        self._oracle.model.concurrent_calls.pop(thread, None)

    def judge_observed(self, thread: int, *, returned: bool) -> tuple[Expectation, Judgement]:
        """Judge a call on a host thread that was observed to have returned, or to be pending still."""
        begun = self.pending[thread]
        inside = thread in self._oracle.model.callback_threads
        if returned and begun.may_return_from == NEVER and not inside:
            return begun.expectation, self._judge_early_return(begun)
        begun.was_seen_waiting = begun.was_seen_waiting or not (returned or inside)
        return begun.expectation, Judgement("returned" if returned else "under way")

    def _judge_early_return(self, begun: HostThreadCall) -> Judgement:
        requirements = tuple(self._find_wait_requirements(begun.call)) or (f"{begun.call.function}/success",)
        rulebook = self._oracle.rulebook
        if may_return_early(begun.call, self._oracle.model):
            observed = f"{RETURNED_EARLY} ({EARLY_WRITE_RETURN})"
            return Judgement(observed, [(requirement, "inconclusive") for requirement in requirements])
        deviation = ObservedDeviation(
            requirements,
            "deviates",
            "literal",
            ("no return before the commands that it waits for are complete",),
            RETURNED_EARLY,
            {requirement: rulebook.texts.words_of(requirement) for requirement in requirements},
            symptoms.RETURNED_TOO_EARLY,
            also_violated=tuple(self._find_general_wait_requirements(begun.call)),
        )
        against = (*requirements, *deviation.also_violated)
        return Judgement(deviation.observed, [(requirement, "deviates") for requirement in against], [deviation])

    def _find_wait_requirements(self, call: Call) -> Iterator[str]:
        """Yield the requirements of the call's function that make the call wait."""
        for requirement in self._oracle.tables.requirements_of(call.function):
            if isinstance(requirement, Effect) and requirement.topic in WAIT_TOPICS:
                yield requirement.id

    def _find_general_wait_requirements(self, call: Call) -> Iterator[str]:
        """Yield the requirements of the prose that make the call wait and do not belong to a function."""
        topic = FINISH_TOPIC if call.function == "clFinish" else BLOCKING_TOPIC if is_blocking(call) else ""
        for requirement in self._oracle.tables.requirements.values() if topic else ():
            if isinstance(requirement, Effect) and not requirement.function and requirement.topic == topic:
                yield requirement.id

    def _create_context(self, call: Call) -> CallContext:
        return CallContext(call, self._oracle.model, self._oracle.rulebook)


def _listed_devices(call: Call) -> set[str]:
    listed = call.arguments.get("device_list")
    return (
        {each.name for each in listed.values if isinstance(each, Handle)} if isinstance(listed, ElementList) else set()
    )


def _listed_events(call: Call) -> Iterable[object]:
    """Return the events for which a call waits."""
    for name in ("event_list", "event_wait_list"):
        listed = call.arguments.get(name)
        if isinstance(listed, ElementList):
            return listed.values
    return ()
