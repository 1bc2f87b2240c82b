"""Variations for conditions on command-buffers: state, queue, sync-points, handles, inherited conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.values import Handle, Items, OutputBuffer
from clconform.oracles.chapters.command_buffers.standing_for import BARRIER, BORROWING, RECORDING
from clconform.oracles.model.command_buffers import CommandBuffer
from clconform.suites.errors.variations import Variation, Variations, bound
from clconform.suites.steps import needs, promised, succeeded

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.calls.values import Value
    from clconform.spec_tables import Tables
    from clconform.spec_tables.records import ErrorClause
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

variations = Variations()

SEVERAL = "clRemapCommandBufferKHR"
"""A function of the extension that supports command-buffers for several queues."""


@variations.of_kind("state-finalized")
def _after_the_end(_clause: ErrorClause, _tables: Tables) -> Iterator[Variation]:
    yield Variation("a command-buffer that is finalized", lambda kit, _given: {"command_buffer": kit.finalized()})


@variations.of_kind("state-not-finalized")
def _before_the_end(_clause: ErrorClause, _tables: Tables) -> Iterator[Variation]:
    yield Variation("a command-buffer that is recording", lambda kit, _given: {"command_buffer": kit.command_buffer()})


def own_queue(kit: Kit, buffer: Value) -> Handle:
    """Return the first queue of a command-buffer."""
    known = kit.cl.model.known(buffer)
    if not isinstance(known, CommandBuffer):
        pytest.skip("the call names no command-buffer")
    return Handle(known.queues[0].name)


def of_two_queues(kit: Kit) -> tuple[Handle, Handle, Handle]:
    """Create a command-buffer for two queues of the device, and return it with both queues."""
    needs(promised(kit.cl, SEVERAL), "cl_khr_command_buffer_multi_device is not supported")
    first, second = kit.plain_queue(), kit.plain_queue()
    return kit.command_buffer(None, first, second), first, second


@variations.of_kind("command-buffer-queue")
def _queues(clause: ErrorClause, _tables: Tables) -> Iterator[Variation]:
    if len(clause.condition.parameters) == 1:
        yield Variation("the command-buffer's only queue, where NULL is required", _named)
        return
    yield Variation(
        "a queue that is none of the command-buffer's", lambda kit, _given: {"command_queue": kit.plain_queue()}
    )
    yield Variation("NULL, with two queues", lambda kit, _given: {"command_buffer": of_two_queues(kit)[0]})


def _named(kit: Kit, given: Arguments) -> Mapping[str, Value]:
    needs(not promised(kit.cl, SEVERAL), "cl_khr_command_buffer_multi_device is supported")
    return {"command_queue": own_queue(kit, given["command_buffer"])}


@variations.of_kind_leaving_valid("command-buffer-queue")
def _own_queues(clause: ErrorClause, _tables: Tables) -> Iterator[Variation]:
    if len(clause.condition.parameters) == 1:
        return
    yield Variation("the command-buffer's only queue", _its_own)
    yield Variation("the second of two queues", _the_second)


def _its_own(kit: Kit, given: Arguments) -> Mapping[str, Value]:
    needs(promised(kit.cl, SEVERAL), "cl_khr_command_buffer_multi_device is not supported")
    return {"command_queue": own_queue(kit, given["command_buffer"])}


def _the_second(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    buffer, _, second = of_two_queues(kit)
    return {"command_buffer": buffer, "command_queue": second}


def points(kit: Kit, buffer: Value, count: int = 1) -> tuple[int, ...]:
    """Record barriers into a command-buffer, and return their sync-points."""
    found: list[int] = []
    for _ in range(count):
        outcome = kit.call(BARRIER, command_buffer=buffer, command_queue=_any_queue(kit, buffer))
        if succeeded(outcome):
            found += [each for each in outcome.outputs["sync_point"].values if isinstance(each, int)]
    needs(len(found) == count, "the driver records no barrier")
    return tuple(found)


def _any_queue(kit: Kit, buffer: Value) -> Handle | None:
    """Return a queue of a command-buffer for several queues, otherwise None: NULL selects the only queue."""
    known = kit.cl.model.known(buffer)
    return own_queue(kit, buffer) if isinstance(known, CommandBuffer) and len(known.queues) > 1 else None


@variations.of_kind("sync-point-wait-list")
def _lists_of_points(clause: ErrorClause, _tables: Tables) -> Iterator[Variation]:
    count, listed = clause.condition.parameters
    yield Variation(f"{count}=1, NULL", {count: 1, listed: None})
    yield Variation(f"{count}=UINT_MAX, NULL", {count: 0xFFFFFFFF, listed: None})
    yield Variation(f"{count}=0, a list", bound(_listed, count, listed, 1, 0))


def _listed(kit: Kit, given: Arguments, count: str, listed: str, many: int, told: int | None) -> Mapping[str, Value]:
    found = points(kit, given["command_buffer"], many)
    return {count: len(found) if told is None else told, listed: Items(found)}


@variations.of_kind_leaving_valid("sync-point-wait-list")
def _points_of_barriers(clause: ErrorClause, _tables: Tables) -> Iterator[Variation]:
    count, listed = clause.condition.parameters
    for many, words in ((1, "a barrier"), (2, "two barriers")):
        yield Variation(f"waits for {words}", bound(_listed, count, listed, many, None))
    yield Variation("no synchronization-point is asked for", {"sync_point": None})


UNKNOWN_NAME = 0x7FFF0001
"""A property name that is not defined for any function."""


@variations.of_kind("invalid-property-list")
def _unknown_names(clause: ErrorClause, _tables: Tables) -> Iterator[Variation]:
    (name,) = clause.condition.parameters
    if clause.function in RECORDING:
        yield Variation("an unknown property", {name: Items((UNKNOWN_NAME, 0, 0))})


@variations.of_kind_leaving_valid("invalid-property-list")
def _no_names(clause: ErrorClause, _tables: Tables) -> Iterator[Variation]:
    (name,) = clause.condition.parameters
    if clause.function in RECORDING:
        yield Variation("a list without properties", {name: Items((0,))})


@variations.of_kind("not-null-parameter")
def _asked_for(clause: ErrorClause, _tables: Tables) -> Iterator[Variation]:
    for name in clause.condition.parameters:
        yield Variation(f"{name} not NULL", {name: OutputBuffer(1)})


@variations.carries(*BORROWING)
def _recorded(variation: Variation) -> Variation:
    """Adapt a variation of an enqueued command to its recording: another queue means another command-buffer."""

    def difference(kit: Kit, given: Arguments) -> Mapping[str, Value]:
        queue = own_queue(kit, given["command_buffer"])
        changed = dict(variation.of(kit, {**given, "command_queue": queue}))
        other = changed.pop("command_queue", queue)
        if isinstance(other, Handle) and other != queue:
            changed["command_buffer"] = kit.command_buffer(None, other)
        return changed

    return Variation(variation.boundary, difference)
