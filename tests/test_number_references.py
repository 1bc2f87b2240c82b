"""Numbers that calls return keep their origin in arguments of later calls, also after adding a constant."""

from __future__ import annotations

import msgspec
import pytest

from clconform.calls.call import Call, NumberReference, Output, Returned
from clconform.calls.number_references import (
    MAX_CAPACITY,
    MissingNumberError,
    NumberOrigin,
    ReturnedNumber,
    mark_numbers,
    place_present_numbers,
    restore_numbers,
    take_references,
)
from clconform.calls.values import (
    BusAddresses,
    DispatchConfig,
    DispatchConfigs,
    ElementList,
    Handle,
    OffsetPointer,
    OutputBuffer,
    OutputBuffers,
    Pointers,
)

SEQUENCE: list[object] = []
SIZE = ReturnedNumber(7, NumberOrigin(3, "size", owner=SEQUENCE))


def test_number_keeps_its_origin_in_sums_and_products_with_constants() -> None:
    for number, factor, offset in (
        (SIZE, 1, 0),
        (SIZE + 2, 1, 2),
        (2 + SIZE, 1, 2),
        (SIZE - 1, 1, -1),
        (10 - SIZE, -1, 10),
        (3 * SIZE + 1, 3, 1),
        ((SIZE + 1) * 2, 2, 2),
    ):
        assert isinstance(number, ReturnedNumber)
        assert (number.origin.factor, number.origin.offset) == (factor, offset)
        assert number == factor * 7 + offset


@pytest.mark.parametrize("number", [SIZE + SIZE, SIZE - SIZE, SIZE * SIZE, SIZE // 2, SIZE % 2, -SIZE])
def test_other_results_are_plain_numbers(number: int) -> None:
    assert type(number) is int


CALL = Call(
    "f",
    {
        "size": SIZE + 1,
        "buffer": OutputBuffer(SIZE),
        "buffers": OutputBuffers((4, SIZE)),
        "list": ElementList((1, SIZE, None, Handle("mem1"))),
        "pointer": OffsetPointer(Handle("memory1"), SIZE),
        "pointers": Pointers((None, OffsetPointer(Handle("memory1"), SIZE))),
        "other": 5,
    },
)


def test_stored_call_has_plain_numbers_and_a_reference_for_each_origin() -> None:
    stored = take_references(CALL, SEQUENCE)
    assert [(each.parameter, each.position, each.offset) for each in stored.references] == [
        ("size", -1, 1),
        ("buffer", -1, 0),
        ("buffers", 1, 0),
        ("list", 1, 0),
        ("pointer", -1, 0),
        ("pointers", 1, 0),
    ]
    assert msgspec.json.decode(msgspec.json.encode(stored), type=Call) == stored
    assert stored.arguments == CALL.arguments
    assert take_references(restore_numbers(stored)) == stored


def test_numbers_of_another_sequence_and_in_extension_structures_become_plain() -> None:
    assert take_references(CALL, []).references == ()
    config = DispatchConfig(Handle("command1"), num_args=SIZE, global_work_size=(SIZE,))
    call = Call("f", {"configs": DispatchConfigs((config, None)), "bus": BusAddresses(SIZE, Handle("bus1"))})
    stored = take_references(call, SEQUENCE)
    assert stored == call
    msgspec.json.encode(stored)


def test_stored_reference_of_an_unmarked_call_is_dropped() -> None:
    """A stored call that is made again without its earlier calls must not refer to them."""
    assert take_references(Call("f", {"size": 1}, (NumberReference("size", 3, "size"),))) == Call("f", {"size": 1})


def test_present_numbers_replace_stored_ones() -> None:
    stored = take_references(CALL, SEQUENCE)
    present = mark_numbers(Returned(0, {"size": Output([9], 8)}), ["size"], 1, SEQUENCE)
    placed = place_present_numbers(stored, {3: present})
    assert (placed.size, placed.buffer.count, placed.list.values[1], placed.other) == (10, 9, 9, 5)
    assert take_references(placed, SEQUENCE).references[0].step == 1


@pytest.mark.parametrize(
    "outcome", [Returned(-30, {}), Returned(0, {"size": Output(["untouched"])}), Returned(0, {"size": Output([])})]
)
def test_missing_number_is_an_error(outcome: Returned) -> None:
    stored = take_references(CALL, SEQUENCE)
    with pytest.raises(MissingNumberError, match="no earlier call has returned the number for size"):
        place_present_numbers(stored, {3: outcome})


def test_capacity_that_is_too_large_is_an_error() -> None:
    stored = take_references(Call("f", {"buffer": OutputBuffer(SIZE)}), SEQUENCE)
    with pytest.raises(MissingNumberError, match="cannot be"):
        place_present_numbers(stored, {3: Returned(0, {"size": Output([MAX_CAPACITY + 1], 8)})})
