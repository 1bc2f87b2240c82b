"""Minimises a failing sequence of calls: removes calls, then simplifies arguments, while the same failure remains."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from clconform.calls.call import Call, Returned, Step, call_handles, group_steps
from clconform.calls.harness_actions import HOST_ACTIONS, JOIN
from clconform.calls.host_threads import awaited_thread
from clconform.calls.number_references import ReturnedNumber, restore_numbers, take_references
from clconform.calls.values import BusAddresses, ElementList, Handle, OffsetPointer, OutputBuffer, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

KERNEL_ENQUEUES = ("clEnqueueNDRangeKernel", "clEnqueueTask")
SIZE_PARAMETERS = ("size", "image_desc", "image_width", "image_height", "image_depth", "buffer_create_info")
"""Parameters that determine the size of memory."""
SHARED_PREFIXES, QUERY_PREFIX = ("clCreateContext", "clCreateSubDevices"), "clGet"
"""Prefixes of functions whose objects nearly all calls use, and the prefix of functions that only query."""
FailureCheck: TypeAlias = "Callable[[list[Step]], list[Step] | None]"
"""Runs a shortened sequence; returns its steps up to the failing step, or None if no step fails."""


class MinimisingBudget:
    """The budget for minimising a sequence: seconds and runs.

    It is spent when either is used up.
    """

    def __init__(self, seconds: float, runs: int) -> None:
        self._until = time.monotonic() + seconds
        self._runs = runs

    @property
    def is_spent(self) -> bool:
        """Return whether the budget is used up."""
        return self._runs <= 0 or time.monotonic() >= self._until

    def spend_run(self) -> None:
        """Subtract one run from the budget."""
        self._runs -= 1


def minimise(sequence: Sequence[Step], fails: FailureCheck, budget: MinimisingBudget) -> list[Step]:
    """Return the shortest sequence found that still fails; ``sequence`` itself if no shorter sequence fails.

    Equal sequences are not run twice. The last call is the failing call, and always stays. If the sequence ends with
    concurrent calls, at least one of them stays, because any of them may have crashed the driver.
    """
    tried: set[bytes] = set()

    def attempt(candidate: list[Step]) -> list[Step] | None:
        mark = _sequence_key(candidate)
        if mark in tried:
            return None
        budget.spend_run()
        tried.add(mark)
        return fails(candidate)

    best = list(sequence)
    improved = True
    while improved:
        improved = False
        for candidates in (
            _with_needed_calls,
            _with_related_calls,
            _without_chunks,
            _with_sequential_calls,
            _without_host_threads,
            _with_simpler_arguments,
        ):
            better = _find_failing(candidates, best, attempt, budget)
            while better is not None:
                best, improved = better, True
                better = _find_failing(candidates, best, attempt, budget)
    return best


def _find_failing(
    candidates: Callable[[list[Step]], Iterator[list[Step]]],
    best: list[Step],
    attempt: Callable[[list[Step]], list[Step] | None],
    budget: MinimisingBudget,
) -> list[Step] | None:
    for candidate in candidates(best):
        if budget.is_spent:
            return None
        went = attempt(candidate)
        if went is not None and (len(went) < len(best) or _sequence_key(went) != _sequence_key(best)):
            return went
    return None


def _sequence_key(steps: list[Step]) -> bytes:
    """Return a key for the calls of a sequence, their grouping and their host threads."""
    return msgspec.msgpack.encode([[(step.call, step.host_thread) for step in group] for group in group_steps(steps)])


def _with_needed_calls(steps: list[Step]) -> Iterator[list[Step]]:
    """Yield the result of ``calls_needed_by_last`` if it is shorter than the sequence."""
    kept = calls_needed_by_last(steps)
    if len(kept) < len(steps):
        yield kept


def calls_needed_by_last(steps: Sequence[Step]) -> list[Step]:
    """Return the last call, preceded by only the calls that create its objects, directly or indirectly."""
    *before, last = steps
    wanted, kept = set(_used_names(last)), [last]
    for step in reversed(before):
        if wanted.intersection(_created_names(step)):
            wanted.update(_used_names(step))
            kept.append(step)
    return kept[::-1]


def shorten_sequence(steps: Sequence[Step]) -> list[Step]:
    """Return the last call, preceded by only the accepted calls that create or may change objects that it depends on.

    Contexts and devices do not count as changed objects. A sequence with calls on host threads stays unchanged.
    """
    *before, last = steps
    if any(step.host_thread for step in steps):
        return list(steps)
    shared = {
        name for step in before if step.call.function.startswith(SHARED_PREFIXES) for name in _created_names(step)
    }
    wanted, kept = set(_used_names(last)), [last]
    for step in reversed(before):
        changes = not step.call.function.startswith(QUERY_PREFIX) and not wanted.isdisjoint(
            set(_used_names(step)) - shared
        )
        if not _is_rejected(step) and (changes or wanted.intersection(_created_names(step))):
            wanted.update(_used_names(step))
            kept.append(step)
    return kept[::-1]


def _is_rejected(step: Step) -> bool:
    """Return whether a call returned an error code, or no object."""
    outcome = step.outcome
    if not isinstance(outcome, Returned) or step.call.function in HOST_ACTIONS:
        return False
    if outcome.value is None:
        return "errcode_ret" in step.call.arguments
    return isinstance(outcome.value, int) and outcome.value != 0


def _with_related_calls(steps: list[Step]) -> Iterator[list[Step]]:
    """Yield the last call, preceded by only the calls that create or may change its objects, if that is shorter.

    Contexts and devices do not count as changed objects, because nearly all calls use them. Queries change nothing.
    """
    *before, last = steps
    shared = {
        name for step in before if step.call.function.startswith(SHARED_PREFIXES) for name in _created_names(step)
    }
    its = {name for step in before for name in _created_names(step)}.intersection(_used_names(last)) - shared
    wanted, kept = set(_used_names(last)), [last]
    for step in reversed(before):
        changes = not step.call.function.startswith(QUERY_PREFIX) and not its.isdisjoint(_used_names(step))
        if changes or wanted.intersection(_created_names(step)):
            wanted.update(_used_names(step))
            kept.append(step)
    if len(kept) < len(steps):
        yield kept[::-1]


def _without_chunks(steps: list[Step]) -> Iterator[list[Step]]:
    """Yield sequences without some consecutive calls and the calls that use their objects; long chunks first."""
    size = len(steps) // 2
    while size:
        for start in range(0, len(steps) - size, size):
            yield remove_incomplete_calls([*steps[:start], *steps[start + size :]], steps)
        size //= 2
    for index in range(len(steps) - 1):
        yield remove_incomplete_calls([*steps[:index], *steps[index + 1 :]], steps)
    if len(group_steps(steps)[-1]) > 1:
        yield remove_incomplete_calls(steps[:-1], steps)


def _with_sequential_calls(steps: list[Step]) -> Iterator[list[Step]]:
    """Yield, for each group of concurrent calls, the sequence with the calls of this group made one after another."""
    for number in dict.fromkeys(group[0].together for group in group_steps(steps) if len(group) > 1):
        yield [msgspec.structs.replace(step, together=0) if step.together == number else step for step in steps]


def _without_host_threads(steps: list[Step]) -> Iterator[list[Step]]:
    """Yield, for each joined call on a host thread, the sequence with an ordinary call in place of the join."""
    for begin, step in enumerate(steps):
        if step.host_thread:
            ends = (index for index in range(begin, len(steps)) if awaited_thread(steps[index]) == step.host_thread)
            end = next(ends, -1)
            if end > 0 and steps[end].call.function == JOIN:
                plain = msgspec.structs.replace(steps[end], call=step.call, entered=0, returned=0)
                yield [*steps[:begin], *steps[begin + 1 : end], plain, *steps[end + 1 :]]


def remove_incomplete_calls(kept: list[Step], whole: list[Step]) -> list[Step]:
    """Return ``kept`` without calls that use objects which no call in ``kept`` creates.

    The last call always stays. ``whole``: the sequence from which ``kept`` was selected.
    """
    made_somewhere = {name for step in whole for name in _created_names(step)}
    known: set[str] = set()
    result = []
    for index, step in enumerate(kept):
        used = {name for name in _used_names(step) if name in made_somewhere}
        if used <= known or index == len(kept) - 1:
            result.append(step)
            known.update(_created_names(step))
    return result


def is_closed(kept: Sequence[Step], whole: Sequence[Step]) -> bool:
    """Return whether ``kept`` creates each object that it uses.

    Objects that ``whole`` does not create, such as platforms, do not count.
    """
    with_last_twice = [*kept, kept[-1]]  # ``remove_incomplete_calls`` never removes the last call
    return len(remove_incomplete_calls(with_last_twice, list(whole))) == len(with_last_twice)


def _used_names(step: Step) -> Iterator[str]:
    """Yield the names of the objects and outcomes that a call uses, and a name for the host thread that it joins."""
    yield from (handle.name for handle in call_handles(step.call))
    yield from (f"outcome of step {reference.step}" for reference in step.call.references)
    if awaited_thread(step):
        yield f"on host thread {awaited_thread(step)}"


def _created_names(step: Step) -> list[str]:
    """Return the names of the objects that first appear in a call, of its outcome, and of the call's host thread."""
    outcome = [f"outcome of step {step.id}"] if step.id else []
    thread = [f"on host thread {step.host_thread}"] if step.host_thread else []
    return [*step.new_names, *outcome, *thread]


def _with_simpler_arguments(steps: list[Step]) -> Iterator[list[Step]]:
    """Yield sequences with one simplified argument in one call.

    Sizes of memory stay the same in calls before a kernel enqueue: otherwise a kernel enqueue that the driver accepts
    although it is invalid could access memory out of bounds.
    """
    launch = max((index for index, step in enumerate(steps) if step.call.function in KERNEL_ENQUEUES), default=-1)
    for index, step in enumerate(steps):
        arguments = restore_numbers(step.call).arguments
        for name, value in arguments.items():
            for simpler in () if index < launch and name in SIZE_PARAMETERS else _simpler_values(value):
                call = take_references(Call(step.call.function, {**arguments, name: simpler}))
                yield [*steps[:index], msgspec.structs.replace(step, call=call), *steps[index + 1 :]]


def _simpler_values(value: Value) -> Iterator[Value]:
    """Yield simpler arguments; a number that an earlier call returned is only replaced by 1.

    Any other constant might only fit the numbers of one process.
    """
    if isinstance(value, ReturnedNumber):
        yield from (1,) if value > 1 else ()
    elif isinstance(value, int) and not isinstance(value, bool) and abs(value) > 1:
        yield from dict.fromkeys((1, value // 2, value - 1 if value > 0 else value + 1))
    elif isinstance(value, OffsetPointer):
        yield from _nearer_addresses(value)
    elif isinstance(value, BusAddresses):
        yield from (BusAddresses(place, value.signal) for place in _nearer_addresses(value.surface))
        yield from (BusAddresses(value.surface, place) for place in _nearer_addresses(value.signal))
    elif isinstance(value, OutputBuffer):
        yield None
        if value.count > 1:
            yield from (OutputBuffer(count) for count in _simpler_values(value.count) if isinstance(count, int))
    elif isinstance(value, ElementList):
        yield from _shorter_lists(value)


def _shorter_lists(listed: ElementList) -> Iterator[ElementList]:
    """Yield lists without one of the elements, then lists with a smaller value for one of the numbers."""
    for index in range(len(listed.values)):
        yield ElementList((*listed.values[:index], *listed.values[index + 1 :]))
    for index, element in enumerate(listed.values):
        if isinstance(element, int) and 1 < element < 1 << 12:
            for smaller in _simpler_values(element):
                if isinstance(smaller, int):
                    yield ElementList((*listed.values[:index], smaller, *listed.values[index + 1 :]))


def _nearer_addresses(place: Value) -> Iterator[Handle | OffsetPointer]:
    """Yield addresses nearer to the start of the memory; none if ``place`` is the start or is not an address."""
    if isinstance(place, OffsetPointer):
        yield place.handle
        yield from (
            OffsetPointer(place.handle, offset) for offset in _simpler_values(place.offset) if isinstance(offset, int)
        )
