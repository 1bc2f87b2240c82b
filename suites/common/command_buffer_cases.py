"""Variations for conditions on command-buffers: state, queues, sync-points, handles, inherited conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.oracles.chapters.command_buffers.equivalent_calls import (
    BARRIER,
    INHERITING_FUNCTIONS,
    RECORDING_FUNCTIONS,
)
from clconform.oracles.model.command_buffer_state import CommandBuffer
from clconform.suites.errors.negative_cases import Variation, VariationRegistry, bind_values
from clconform.suites.helpers import is_available, is_success, skip_unless

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.calls.values import Value
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import ErrorCondition
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

variations = VariationRegistry()

MULTI_QUEUE_FUNCTION = "clRemapCommandBufferKHR"
"""A function of cl_khr_command_buffer_multi_device, which allows several queues for one command-buffer."""


@variations.declare_kind("state-finalized")
def _finalized_command_buffers(_clause: ErrorCondition, _tables: Tables) -> Iterator[Variation]:
    yield Variation(
        "a command-buffer that is finalized", lambda kit, _given: {"command_buffer": kit.finalized_command_buffer()}
    )


@variations.declare_kind("state-not-finalized")
def _recording_command_buffers(_clause: ErrorCondition, _tables: Tables) -> Iterator[Variation]:
    yield Variation("a command-buffer that is recording", lambda kit, _given: {"command_buffer": kit.command_buffer()})


def first_queue(kit: Kit, buffer: Value) -> Handle:
    """Return the first queue of a command-buffer."""
    known = kit.cl.model.find(buffer)
    if not isinstance(known, CommandBuffer):
        pytest.skip("the call names no command-buffer")
    return Handle(known.queues[0].name)


def create_for_two_queues(kit: Kit) -> tuple[Handle, Handle, Handle]:
    """Create a command-buffer for two queues of the device, and return the command-buffer and both queues."""
    skip_unless(is_available(kit.cl, MULTI_QUEUE_FUNCTION), "cl_khr_command_buffer_multi_device is not supported")
    first, second = kit.command_buffer_queue(), kit.command_buffer_queue()
    return kit.command_buffer(None, first, second), first, second


@variations.declare_kind("command-buffer-queue")
def _queues(clause: ErrorCondition, _tables: Tables) -> Iterator[Variation]:
    if len(clause.condition.parameters) == 1:
        yield Variation("the command-buffer's only queue, where NULL is required", _name_only_queue)
        return
    yield Variation(
        "a queue that is none of the command-buffer's",
        lambda kit, _given: {"command_queue": kit.command_buffer_queue()},
    )
    yield Variation("NULL, with two queues", lambda kit, _given: {"command_buffer": create_for_two_queues(kit)[0]})


def _name_only_queue(kit: Kit, given: Arguments) -> Mapping[str, Value]:
    skip_unless(not is_available(kit.cl, MULTI_QUEUE_FUNCTION), "cl_khr_command_buffer_multi_device is supported")
    return {"command_queue": first_queue(kit, given["command_buffer"])}


@variations.declare_valid_kind("command-buffer-queue")
def _own_queues(clause: ErrorCondition, _tables: Tables) -> Iterator[Variation]:
    if len(clause.condition.parameters) == 1:
        return
    yield Variation("the command-buffer's only queue", _name_supported_queue)
    yield Variation("the second of two queues", _name_second_queue)


def _name_supported_queue(kit: Kit, given: Arguments) -> Mapping[str, Value]:
    skip_unless(is_available(kit.cl, MULTI_QUEUE_FUNCTION), "cl_khr_command_buffer_multi_device is not supported")
    return {"command_queue": first_queue(kit, given["command_buffer"])}


def _name_second_queue(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    buffer, _, second = create_for_two_queues(kit)
    return {"command_buffer": buffer, "command_queue": second}


def record_barriers(kit: Kit, buffer: Value, count: int = 1) -> tuple[int, ...]:
    """Record barriers into a command-buffer, and return their sync-points."""
    found: list[int] = []
    for _ in range(count):
        outcome = kit.call(BARRIER, command_buffer=buffer, command_queue=_required_queue(kit, buffer))
        if is_success(outcome):
            found += [each for each in outcome.outputs["sync_point"].values if isinstance(each, int)]
    skip_unless(len(found) == count, "the driver records no barrier")
    return tuple(found)


def _required_queue(kit: Kit, buffer: Value) -> Handle | None:
    """Return a queue of a command-buffer that has several queues.

    The result is None for a command-buffer with one queue, because NULL then selects this queue.
    """
    known = kit.cl.model.find(buffer)
    return first_queue(kit, buffer) if isinstance(known, CommandBuffer) and len(known.queues) > 1 else None


@variations.declare_kind("sync-point-wait-list")
def _sync_point_lists(clause: ErrorCondition, _tables: Tables) -> Iterator[Variation]:
    count, listed = clause.condition.parameters
    yield Variation(f"{count}=1, NULL", {count: 1, listed: None})
    yield Variation(f"{count}=UINT_MAX, NULL", {count: 0xFFFFFFFF, listed: None})
    yield Variation(f"{count}=0, a list", bind_values(_list_sync_points, count, listed, 1, 0))


def _list_sync_points(
    kit: Kit, given: Arguments, count: str, listed: str, many: int, told: int | None
) -> Mapping[str, Value]:
    found = record_barriers(kit, given["command_buffer"], many)
    return {count: len(found) if told is None else told, listed: ElementList(found)}


@variations.declare_valid_kind("sync-point-wait-list")
def _barrier_sync_points(clause: ErrorCondition, _tables: Tables) -> Iterator[Variation]:
    count, listed = clause.condition.parameters
    for many, words in ((1, "a barrier"), (2, "two barriers")):
        yield Variation(f"waits for {words}", bind_values(_list_sync_points, count, listed, many, None))
    yield Variation("without a synchronization-point", {"sync_point": None})


UNKNOWN_NAME = 0x7FFF0001
"""A property name that no function defines."""


@variations.declare_kind("invalid-property-list")
def _unknown_names(clause: ErrorCondition, _tables: Tables) -> Iterator[Variation]:
    (name,) = clause.condition.parameters
    if clause.function in RECORDING_FUNCTIONS:
        yield Variation("an unknown property", {name: ElementList((UNKNOWN_NAME, 0, 0))})


@variations.declare_valid_kind("invalid-property-list")
def _empty_lists(clause: ErrorCondition, _tables: Tables) -> Iterator[Variation]:
    (name,) = clause.condition.parameters
    if clause.function in RECORDING_FUNCTIONS:
        yield Variation("a list without properties", {name: ElementList((0,))})


@variations.declare_kind("not-null-parameter")
def _requested_outputs(clause: ErrorCondition, _tables: Tables) -> Iterator[Variation]:
    for name in clause.condition.parameters:
        yield Variation(f"{name} not NULL", {name: OutputBuffer(1)})


@variations.declare_adapter(*INHERITING_FUNCTIONS)
def _adapt_to_recording(variation: Variation) -> Variation:
    """Adapt a variation of an enqueued command to the function that records this command.

    If the variation passes another queue, the adapted variation passes a command-buffer for that queue.
    """

    def difference(kit: Kit, given: Arguments) -> Mapping[str, Value]:
        queue = first_queue(kit, given["command_buffer"])
        changed = dict(variation.changes_for(kit, {**given, "command_queue": queue}))
        other = changed.pop("command_queue", queue)
        if isinstance(other, Handle) and other != queue:
            changed["command_buffer"] = kit.command_buffer(None, other)
        return changed

    return Variation(variation.test_value, difference)
