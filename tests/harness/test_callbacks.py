"""Callbacks: recorded arguments for every prototype of the tables, and waiting for callbacks."""

from __future__ import annotations

import ctypes
import threading
from typing import TYPE_CHECKING, Any

import pytest

from clconform.calls.call import OBJECTS
from clconform.harness.addresses import Addresses
from clconform.harness.callbacks import GIVEN, MOST_NOTED, NOTHING, Block, Callbacks
from clconform.harness.decoding import UNREADABLE
from clconform.harness.errors import BadCall
from clconform.harness.machine import Machine
from clconform.harness.names import POINTED, Names

if TYPE_CHECKING:
    from clconform.spec_tables import Tables

EVENT = ("clSetEventCallback", "pfn_notify")
EVENT_TYPE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int32, ctypes.c_void_p)


@pytest.fixture
def names() -> Names:
    return Names()


@pytest.fixture
def callbacks(tables: Tables, names: Names) -> Callbacks:
    return Callbacks(tables, Machine(tables.types, tables.enumerants), names, Addresses())


def call(
    callbacks: Callbacks, kind: Any, function: str, parameter: str, *values: object, block: Block = NOTHING
) -> None:
    """Call a callback as a driver would."""
    kind(callbacks.address(function, parameter, "noted", block))(*values)


def test_an_event_a_status_and_user_data(callbacks: Callbacks, names: Names) -> None:
    name = names.name("cl_event", 0x1000)
    call(callbacks, EVENT_TYPE, *EVENT, 0x1000, -5, 7)
    (called,) = callbacks.take()
    assert called.arguments == {"event": name, "event_command_status": -5, "user_data": 7}
    assert (called.name, called.driver_thread) == ("noted", False)
    assert callbacks.take() == []


def test_an_object_that_was_forgotten_still_has_its_name(callbacks: Callbacks, names: Names) -> None:
    name = names.name("cl_event", 0x1000)
    names.forget([name])
    call(callbacks, EVENT_TYPE, *EVENT, 0x1000, 0, None)
    assert callbacks.take()[0].arguments["event"] == name


def test_an_object_that_gets_its_name_later(callbacks: Callbacks, names: Names) -> None:
    call(callbacks, EVENT_TYPE, *EVENT, 0x1000, 0, None)
    names.name("cl_event", 0x1000)
    call(callbacks, EVENT_TYPE, *EVENT, 0x2000, 0, None)
    assert [called.arguments["event"] for called in callbacks.take()] == ["event1", "no known object"]


def test_texts_and_data_of_the_implementations_own(callbacks: Callbacks) -> None:
    kind = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)
    call(callbacks, kind, "clCreateContext", "pfn_notify", b"oh\xff", 0x10, 3, None)
    told = {"errinfo": "oh\\xff", "private_info": GIVEN, "cb": 3, "user_data": None}
    assert callbacks.take()[0].arguments == told


def test_a_list_of_pointers(callbacks: Callbacks, names: Names) -> None:
    names.name(POINTED, 0x1000)
    listed = (ctypes.c_void_p * 3)(0x1000, None, 0x3000)
    kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_void_p)
    call(callbacks, kind, "clEnqueueSVMFree", "pfn_free_func", None, 3, ctypes.addressof(listed), 1)
    told = callbacks.take()[0].arguments
    assert (told["num_svm_pointers"], told["svm_pointers"]) == (3, ["pointer1", None, "no known memory"])


def test_data_without_a_name(callbacks: Callbacks) -> None:
    content = ctypes.create_string_buffer(b"\1\2\3\4")
    kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    address = ctypes.addressof(content)
    call(callbacks, kind, "clEnqueueNativeKernel", "user_func", address, block=Block(4))
    assert callbacks.take()[0].arguments == {"": "01020304"}


def test_what_the_pointers_in_a_block_lead_to(callbacks: Callbacks) -> None:
    found = ctypes.create_string_buffer(b"\5\6\7\10\11")
    block = (ctypes.c_void_p * 4)(0x1122, ctypes.addressof(found), None, 0x10)
    kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    places = Block(32, (8, 16, 24))
    call(callbacks, kind, "clEnqueueNativeKernel", "user_func", ctypes.addressof(block), block=places)
    call(callbacks, kind, "clEnqueueNativeKernel", "user_func", None, block=places)
    told, nothing = (each.arguments for each in callbacks.take())
    assert told == {"": "2211" + "00" * 30, OBJECTS: ["05060708", None, UNREADABLE]}
    assert nothing == {"": None, OBJECTS: [UNREADABLE] * 3}


def test_every_prototype_of_the_tables_can_be_called(callbacks: Callbacks, tables: Tables) -> None:
    for prototype in tables.callbacks.values():
        assert callbacks.address(prototype.function, prototype.parameter, "noted")
    with pytest.raises(BadCall, match="do not define"):
        callbacks.address("clFinish", "command_queue", "noted")


def test_another_thread_is_told_and_waited_for(callbacks: Callbacks) -> None:
    late = threading.Timer(0.05, call, (callbacks, EVENT_TYPE, *EVENT, None, 0, None))
    late.start()
    assert callbacks.wait("noted", 1, 5000) == 1
    assert callbacks.take()[0].driver_thread
    late.join()


def test_a_wait_ends_when_time_is_up(callbacks: Callbacks) -> None:
    assert callbacks.wait("noted", 1, 10) == 0


def test_what_was_handed_over_in_an_example_is_not_noted_in_the_next(callbacks: Callbacks) -> None:
    old = EVENT_TYPE(callbacks.address(*EVENT, "noted"))
    callbacks.begin()
    old(None, 0, None)
    assert (callbacks.take(), callbacks.wait("noted", 1, 0)) == ([], 0)
    call(callbacks, EVENT_TYPE, *EVENT, None, 0, None)
    assert callbacks.wait("noted", 1, 0) == 1


@pytest.mark.parametrize("address", [0x10, (1 << 64) - 8, (1 << 63) - 1])
def test_addresses_that_lead_nowhere_are_told_and_not_read(callbacks: Callbacks, address: int) -> None:
    errors = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)
    call(callbacks, errors, "clCreateContext", "pfn_notify", address, address, 1 << 40, None)
    pointers = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_void_p)
    call(callbacks, pointers, "clEnqueueSVMFree", "pfn_free_func", 0x1000, (1 << 32) - 1, address, None)
    native = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    call(callbacks, native, "clEnqueueNativeKernel", "user_func", address, block=Block(64))
    first, second, third = callbacks.take()
    assert first.arguments["errinfo"] == UNREADABLE
    assert second.arguments["svm_pointers"] == UNREADABLE
    assert list(third.arguments.values()) == [UNREADABLE]


def test_a_flood_of_calls_is_counted_and_not_kept(callbacks: Callbacks) -> None:
    callback = EVENT_TYPE(callbacks.address(*EVENT, "noted"))
    for _ in range(MOST_NOTED + 50):
        callback(0x1000, 0, None)
    assert len(callbacks.take()) == MOST_NOTED
    assert callbacks.wait("noted", 1, 0) == MOST_NOTED + 50


def test_what_is_done_inside_a_callback_comes_after_its_call_was_recorded(callbacks: Callbacks) -> None:
    """Code that waits for the callback then sees its invocation, in the same example."""
    seen: list[int] = []
    callbacks.inside("noted", lambda: seen.append(callbacks.wait("noted", 1, 0)))
    callbacks.inside("other", lambda: seen.append(-1))
    call(callbacks, EVENT_TYPE, *EVENT, 0x1000, 0, None)
    assert seen == [1]
    callbacks.begin()
    call(callbacks, EVENT_TYPE, *EVENT, 0x1000, 0, None)
    assert seen == [1]
