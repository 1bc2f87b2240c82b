"""Operands: the known values of the call that the text of a condition names."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.calls.call import Call, Died, Returned
from clconform.calls.number_references import take_references
from clconform.calls.values import Data, ElementList, Handle, Operand, OutputBuffer, Value
from clconform.oracles.engine import operands
from clconform.oracles.engine.operands import MAX_OPERAND_BYTES, find_operands, operands_of
from clconform.oracles.engine.rulebook import rulebook_of
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.memory_objects import Buffer, MemoryObject, SubBuffer
from clconform.oracles.model.queues import HostQueue
from clconform.spec_tables import load
from clconform.spec_tables.requirements import ErrorCondition
from clconform.suites.errors.variation_collection import collect_variations
from clconform.suites.kit.kit import Kit

from .kits import open_kit
from .oracle_setup import DevicePlan, OracleSetup

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.runner.session.session import Session


RECT_ARGUMENTS = {
    "command_queue": Handle("queue1"),
    "src_buffer": Handle("mem1"),
    "dst_buffer": None,
    "src_origin": ElementList((0, 0, 0)),
    "dst_origin": ElementList((0, 0, 0)),
    "region": ElementList((16, 1, 1)),
    "src_row_pitch": 16,
    "src_slice_pitch": 15,
    "dst_row_pitch": 0,
    "dst_slice_pitch": 0,
    "num_events_in_wait_list": 0,
    "event_wait_list": None,
    "event": OutputBuffer(1),
}
READ_ARGUMENTS = {
    "command_queue": Handle("queue1"),
    "buffer": Handle("mem2"),
    "blocking_read": 1,
    "offset": 8,
    "size": 60,
    "ptr": OutputBuffer(60),
    "num_events_in_wait_list": 0,
    "event_wait_list": None,
    "event": None,
}


@pytest.fixture
def world() -> OracleSetup:
    """Return two devices with one alignment and different sizes, a context, a queue, a buffer and a sub-buffer."""
    there = OracleSetup(DevicePlan(), DevicePlan())
    for number, device in enumerate(there.roots, start=1):
        device.facts["CL_DEVICE_MEM_BASE_ADDR_ALIGN"] = 1024
        device.facts["CL_DEVICE_MAX_MEM_ALLOC_SIZE"] = 4096 * number
    context = Context("context1", devices=list(there.roots))
    buffer = Buffer("mem1", context=context, size=64, flags=1)
    for thing in (
        context,
        HostQueue("queue1", context=context, queue_device=there.roots[1]),
        buffer,
        SubBuffer("mem2", context=context, size=32, buffer=buffer, origin=3),
        MemoryObject("mem3", context=context, tainted=True),
    ):
        there.model.add(thing)
    return there


def find_rect_operands(world: OracleSetup, words: str, **changes: Value) -> dict[str, Operand]:
    return find_operands(Call("clEnqueueCopyBufferRect", {**RECT_ARGUMENTS, **changes}), world.model, words)


def find_read_operands(world: OracleSetup, words: str, **changes: Value) -> dict[str, Operand]:
    return find_operands(Call("clEnqueueReadBuffer", {**READ_ARGUMENTS, **changes}), world.model, words)


PITCH_CONDITION = "src_slice_pitch is less than region[1] * src_row_pitch, or not a multiple of src_row_pitch."


def test_operands_have_the_order_of_the_condition_text(world: OracleSetup) -> None:
    found = find_rect_operands(world, PITCH_CONDITION)
    assert list(found.items()) == [("src_slice_pitch", 15), ("region[1] * src_row_pitch", 16), ("src_row_pitch", 16)]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("region[0]", 16),
        ("region[0] × src_row_pitch", 256),  # noqa: RUF001 (as a condition may write it)
        ("region[0] * region[1] * 4", 64),
        ("src_slice_pitch + src_row_pitch", 31),
        ("src_slice_pitch + region[0] * src_row_pitch", 271),
        ("2 * src_row_pitch + region[0] * 3", 80),
    ],
)
def test_expression_in_the_condition_text_is_an_operand_with_its_value(
    world: OracleSetup, expression: str, value: int
) -> None:
    assert find_rect_operands(world, f"It is more than {expression}.") == {expression: value}


def test_product_with_zero_pitch_shows_only_its_factors(world: OracleSetup) -> None:
    assert find_rect_operands(world, PITCH_CONDITION, src_row_pitch=0) == {
        "src_slice_pitch": 15,
        "region[1]": 1,
        "src_row_pitch": 0,
    }
    assert find_rect_operands(world, "src_row_pitch + src_slice_pitch is odd", src_row_pitch=0) == {
        "src_row_pitch + src_slice_pitch": 15
    }


def test_expression_with_unknown_value_is_not_an_operand(world: OracleSetup) -> None:
    assert find_rect_operands(world, PITCH_CONDITION, region=None) == {"src_slice_pitch": 15, "src_row_pitch": 16}
    assert find_rect_operands(world, "region[3] * src_row_pitch is 0") == {"src_row_pitch": 16}
    assert find_rect_operands(world, "region[1] * width is 0") == {"region[1]": 1}


def test_operands_that_are_handles_or_lists_are_shown_unchanged(world: OracleSetup) -> None:
    assert find_rect_operands(world, "src_buffer or dst_buffer is not a valid object, or region is NULL") == {
        "src_buffer": Handle("mem1"),
        "dst_buffer": None,
        "region": ElementList((16, 1, 1)),
    }


@pytest.mark.parametrize(
    "words",
    [
        "The offset is wrong.",
        "the execution status of an event in it is negative",
        "no valid event is given, or another event",
        "a sub-buffer, a buffer-like thing, bytesize and sizes",
        "it does not offset anything",
        "The same size twice, the whole size, whose offset is odd.",
    ],
)
def test_word_that_resembles_a_parameter_is_not_an_operand(world: OracleSetup, words: str) -> None:
    assert find_read_operands(world, words) == {}


def test_size_and_flags_of_a_memory_object_are_operands(world: OracleSetup) -> None:
    assert find_read_operands(world, "offset + size is more than the size of buffer, or ptr is NULL.") == {
        "offset + size": 68,
        "size of buffer": 32,
        "ptr": OutputBuffer(60),
    }
    assert find_read_operands(world, "It ends past the end of buffer.") == {"size of buffer": 32}
    assert find_read_operands(world, "buffer was created with CL_MEM_HOST_READ_ONLY.", buffer=Handle("mem1")) == {
        "flags of buffer": 1
    }
    assert find_read_operands(world, "CL_MEM_SIZE of buffer is 0") == {"CL_MEM_SIZE of buffer": 32}


@pytest.mark.parametrize("buffer", [None, Handle("mem3"), Handle("nothing7"), Handle("queue1")])
def test_properties_of_unknown_objects_are_not_operands(world: OracleSetup, buffer: Value) -> None:
    assert find_read_operands(world, "It ends past the end of buffer.", buffer=buffer) == {"buffer": buffer}


ALIGNMENT_CONDITION = (
    "buffer is a sub-buffer whose offset is not a multiple of CL_DEVICE_MEM_BASE_ADDR_ALIGN of the queue's device"
)


def test_offset_of_sub_buffer_is_not_confused_with_parameter_offset(world: OracleSetup) -> None:
    assert find_read_operands(world, ALIGNMENT_CONDITION) == {
        "offset of buffer": 3,
        "CL_DEVICE_MEM_BASE_ADDR_ALIGN": 1024,
    }


def test_device_limit_is_an_operand_if_all_devices_report_the_same(world: OracleSetup) -> None:
    most = "CL_DEVICE_MAX_MEM_ALLOC_SIZE"
    assert find_read_operands(world, f"size is more than {most}") == {"size": 60, most: 8192}
    assert find_read_operands(world, f"size is more than {most} of a device in context") == {"size": 60}
    assert find_read_operands(world, "CL_DEVICE_MEM_BASE_ADDR_ALIGN of a device in context") == {
        "CL_DEVICE_MEM_BASE_ADDR_ALIGN": 1024
    }
    del world.roots[1].facts[most]
    assert find_read_operands(world, f"size is more than {most}") == {"size": 60}
    assert find_read_operands(world, "CL_DEVICE_NAME, CL_QUEUE_SIZE and CL_MAP_READ are names") == {}


def test_device_limit_is_not_an_operand_if_devices_are_unknown(world: OracleSetup) -> None:
    context = world.model.context(Handle("context1"))
    context.candidates = list(world.roots)
    assert find_read_operands(world, "CL_DEVICE_MEM_BASE_ADDR_ALIGN of a device in context") == {}


def test_fields_of_a_structure_argument_are_operands(world: OracleSetup) -> None:
    call = Call("clCreateSubBuffer", {"buffer": Handle("mem1"), "buffer_create_info": Data(struct.pack("NN", 60, 5))})
    words = "origin + size of the region is more than the size of buffer."
    assert find_operands(call, world.model, words) == {"origin + size": 65, "size of buffer": 64}
    arrow = "buffer_create_info->origin is odd"
    assert find_operands(call, world.model, arrow) == {"buffer_create_info->origin": 60}
    torn = Call("clCreateSubBuffer", {**call.arguments, "buffer_create_info": Data(b"123")})
    assert find_operands(torn, world.model, words) == {"size of buffer": 64}


def test_fields_of_an_image_description_are_operands(world: OracleSetup) -> None:
    desc = ElementList((0x10F1, 7, 5, 1, 1, 0, 0, 0, 0, None))
    call = Call("clCreateImage", {"context": Handle("context1"), "image_desc": desc})
    words = "image_desc->image_width is 0, or image_height, or image_row_pitch * image_height is"
    assert find_operands(call, world.model, words) == {
        "image_desc->image_width": 7,
        "image_height": 5,
        "image_row_pitch": 0,
    }


def test_long_operands_are_shown_by_their_length(world: OracleSetup) -> None:
    assert find_read_operands(world, "ptr is NULL", ptr=Data(bytes(MAX_OPERAND_BYTES + 1))) == {
        "ptr": f"{MAX_OPERAND_BYTES + 1} bytes"
    }
    many = ElementList(tuple(range(MAX_OPERAND_BYTES)))
    assert find_read_operands(world, "event_wait_list is NULL", event_wait_list=many) == {
        "event_wait_list": f"{MAX_OPERAND_BYTES} elements"
    }


def test_operand_beyond_64_bits_is_exact_and_serialisable(world: OracleSetup) -> None:
    most = (1 << 64) - 1
    found = find_read_operands(world, "offset + size is more than the size of buffer", offset=most, size=most)
    assert found["offset + size"] == 2 * most
    assert msgspec.json.decode(msgspec.json.encode(found), type=dict[str, Operand]) == found


def test_operands_are_empty_after_an_internal_error(world: OracleSetup, monkeypatch: pytest.MonkeyPatch) -> None:
    call = Call("clEnqueueReadBuffer", dict(READ_ARGUMENTS))
    assert operands_of(call, world.model, "size is 0") == {"size": 60}
    monkeypatch.setattr(operands, "find_operands", lambda *_: 1 // 0)
    assert operands_of(call, world.model, "size is 0") == {}


def test_deviation_carries_operands(world: OracleSetup) -> None:
    """Operands come from the text of each condition that held. An unexpected rejection has no condition."""
    requirement = "clRetainContext/CL_INVALID_CONTEXT/1"
    expectation = world.expect("clRetainContext", None)
    for outcome in (Returned(0), Died("signal", "SIGSEGV")):
        (deviation,) = world.oracle.judge(expectation, outcome).deviations
        assert deviation.operands == {requirement: {"context": None}}
    right = world.expect("clRetainContext", Handle("context1"))
    (deviation,) = world.oracle.judge(right, Returned(-33)).deviations
    assert deviation.operands == {}


def test_deviation_has_no_operands_after_internal_error(world: OracleSetup, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operands, "find_operands", lambda *_: 1 // 0)
    (deviation,) = world.oracle.judge(world.expect("clRetainContext", None), Returned(0)).deviations
    assert deviation.operands == {}


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with open_kit("everything") as made:
        yield made.cl


def test_operands_of_every_variation_show_its_parameters(session: Session) -> None:
    """Each parameter is shown with its value in the call, and no condition raises an exception."""
    tables = load()
    words_of = rulebook_of(tables).texts.words_of
    with_operands = 0
    for clause in tables.requirements.values():
        if not isinstance(clause, ErrorCondition) or clause.function not in collect_variations().valid_calls:
            continue
        session.begin_example()  # otherwise the objects of all conditions accumulate and slow down later calls
        kit = Kit(session)
        for change in (None, *collect_variations().violating_variations(clause, tables)):
            try:
                arguments = kit.valid_arguments(clause.function)
                arguments.update(change.changes_for(kit, arguments) if change else {})
            except pytest.skip.Exception:
                continue
            call = take_references(Call(clause.function, arguments))
            found = find_operands(call, kit.cl.oracle.model, words_of(clause.id))
            with_operands += bool(found)
            given = {name: value for name, value in found.items() if name in arguments and not isinstance(value, str)}
            assert given == {name: arguments[name] for name in given}
    assert with_operands > 1000
