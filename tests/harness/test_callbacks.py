"""The recorder of callbacks: it records the arguments for every callback prototype, and waits for invocations."""

from __future__ import annotations

import ctypes
import threading
from typing import TYPE_CHECKING, Any

import pytest

from clconform.calls.call import POINTED_OBJECTS
from clconform.harness.addresses import ProcessMemory
from clconform.harness.callbacks import EMPTY_BLOCK, MAX_RECORDED, PRIVATE_DATA, ArgumentBlock, CallbackRecorder
from clconform.harness.decoding import UNREADABLE
from clconform.harness.errors import BadCall
from clconform.harness.names import MEMORY, ObjectNames
from clconform.harness.type_layout import TypeLayouts

if TYPE_CHECKING:
    from clconform.spec_tables import Tables

EVENT = ("clSetEventCallback", "pfn_notify")
EVENT_TYPE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int32, ctypes.c_void_p)


@pytest.fixture
def names() -> ObjectNames:
    return ObjectNames()


@pytest.fixture
def callbacks(tables: Tables, names: ObjectNames) -> CallbackRecorder:
    return CallbackRecorder(tables, TypeLayouts(tables.types, tables.enumerants), names, ProcessMemory())


def invoke_callback(
    callbacks: CallbackRecorder,
    kind: Any,
    function: str,
    parameter: str,
    *values: object,
    block: ArgumentBlock = EMPTY_BLOCK,
) -> None:
    """Invoke the callback ``parameter`` of a function with ``values``, like a driver."""
    kind(callbacks.callback_address(function, parameter, "noted", block))(*values)


def test_event_callback_records_event_status_and_user_data(callbacks: CallbackRecorder, names: ObjectNames) -> None:
    name = names.name_of("cl_event", 0x1000)
    invoke_callback(callbacks, EVENT_TYPE, *EVENT, 0x1000, -5, 7)
    (called,) = callbacks.take_invocations()
    assert called.arguments == {"event": name, "event_command_status": -5, "user_data": 7}
    assert (called.name, called.driver_thread) == ("noted", False)
    assert callbacks.take_invocations() == []


def test_forgotten_object_keeps_name_in_callback(callbacks: CallbackRecorder, names: ObjectNames) -> None:
    name = names.name_of("cl_event", 0x1000)
    names.forget([name])
    invoke_callback(callbacks, EVENT_TYPE, *EVENT, 0x1000, 0, None)
    assert callbacks.take_invocations()[0].arguments["event"] == name


def test_object_that_gets_its_name_later_than_the_callback_is_recorded_by_name(
    callbacks: CallbackRecorder, names: ObjectNames
) -> None:
    invoke_callback(callbacks, EVENT_TYPE, *EVENT, 0x1000, 0, None)
    names.name_of("cl_event", 0x1000)
    invoke_callback(callbacks, EVENT_TYPE, *EVENT, 0x2000, 0, None)
    assert [called.arguments["event"] for called in callbacks.take_invocations()] == ["event1", "no known object"]


def test_context_callback_records_error_text_and_private_data(callbacks: CallbackRecorder) -> None:
    kind = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)
    invoke_callback(callbacks, kind, "clCreateContext", "pfn_notify", b"oh\xff", 0x10, 3, None)
    told = {"errinfo": "oh\\xff", "private_info": PRIVATE_DATA, "cb": 3, "user_data": None}
    assert callbacks.take_invocations()[0].arguments == told


def test_svm_free_callback_records_pointer_names(callbacks: CallbackRecorder, names: ObjectNames) -> None:
    names.name_of(MEMORY, 0x1000)
    listed = (ctypes.c_void_p * 3)(0x1000, None, 0x3000)
    kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_void_p)
    invoke_callback(callbacks, kind, "clEnqueueSVMFree", "pfn_free_func", None, 3, ctypes.addressof(listed), 1)
    told = callbacks.take_invocations()[0].arguments
    assert (told["num_svm_pointers"], told["svm_pointers"]) == (3, ["pointer1", None, "no known memory"])


def test_native_kernel_callback_records_argument_bytes(callbacks: CallbackRecorder) -> None:
    content = ctypes.create_string_buffer(b"\1\2\3\4")
    kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    address = ctypes.addressof(content)
    invoke_callback(callbacks, kind, "clEnqueueNativeKernel", "user_func", address, block=ArgumentBlock(4))
    assert callbacks.take_invocations()[0].arguments == {"": "01020304"}


def test_native_kernel_callback_records_bytes_of_pointed_objects(callbacks: CallbackRecorder) -> None:
    found = ctypes.create_string_buffer(b"\5\6\7\10\11")
    block = (ctypes.c_void_p * 4)(0x1122, ctypes.addressof(found), None, 0x10)
    kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    places = ArgumentBlock(32, (8, 16, 24))
    invoke_callback(callbacks, kind, "clEnqueueNativeKernel", "user_func", ctypes.addressof(block), block=places)
    invoke_callback(callbacks, kind, "clEnqueueNativeKernel", "user_func", None, block=places)
    told, nothing = (each.arguments for each in callbacks.take_invocations())
    assert told == {"": "2211" + "00" * 30, POINTED_OBJECTS: ["05060708", None, UNREADABLE]}
    assert nothing == {"": None, POINTED_OBJECTS: [UNREADABLE] * 3}


def test_every_callback_of_the_tables_has_an_address(callbacks: CallbackRecorder, tables: Tables) -> None:
    for prototype in tables.callbacks.values():
        assert callbacks.callback_address(prototype.function, prototype.parameter, "noted")
    with pytest.raises(BadCall, match="do not define"):
        callbacks.callback_address("clFinish", "command_queue", "noted")


def test_wait_for_callback_ends_after_invocation_on_another_thread(callbacks: CallbackRecorder) -> None:
    late = threading.Timer(0.05, invoke_callback, (callbacks, EVENT_TYPE, *EVENT, None, 0, None))
    late.start()
    assert callbacks.wait_for_calls("noted", 1, 5000) == 1
    assert callbacks.take_invocations()[0].driver_thread
    late.join()


def test_wait_for_callback_ends_after_timeout(callbacks: CallbackRecorder) -> None:
    assert callbacks.wait_for_calls("noted", 1, 10) == 0


def test_callback_of_earlier_example_is_ignored(callbacks: CallbackRecorder) -> None:
    old = EVENT_TYPE(callbacks.callback_address(*EVENT, "noted"))
    callbacks.begin_example()
    old(None, 0, None)
    assert (callbacks.take_invocations(), callbacks.wait_for_calls("noted", 1, 0)) == ([], 0)
    invoke_callback(callbacks, EVENT_TYPE, *EVENT, None, 0, None)
    assert callbacks.wait_for_calls("noted", 1, 0) == 1


@pytest.mark.parametrize("address", [0x10, (1 << 64) - 8, (1 << 63) - 1])
def test_invalid_addresses_in_callback_arguments_are_marked_unreadable(
    callbacks: CallbackRecorder, address: int
) -> None:
    errors = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)
    invoke_callback(callbacks, errors, "clCreateContext", "pfn_notify", address, address, 1 << 40, None)
    pointers = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_void_p)
    invoke_callback(callbacks, pointers, "clEnqueueSVMFree", "pfn_free_func", 0x1000, (1 << 32) - 1, address, None)
    native = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    invoke_callback(callbacks, native, "clEnqueueNativeKernel", "user_func", address, block=ArgumentBlock(64))
    first, second, third = callbacks.take_invocations()
    assert first.arguments["errinfo"] == UNREADABLE
    assert second.arguments["svm_pointers"] == UNREADABLE
    assert list(third.arguments.values()) == [UNREADABLE]


def test_callback_invocations_beyond_the_limit_are_counted_but_not_recorded(callbacks: CallbackRecorder) -> None:
    callback = EVENT_TYPE(callbacks.callback_address(*EVENT, "noted"))
    for _ in range(MAX_RECORDED + 50):
        callback(0x1000, 0, None)
    assert len(callbacks.take_invocations()) == MAX_RECORDED
    assert callbacks.wait_for_calls("noted", 1, 0) == MAX_RECORDED + 50


def test_callback_action_runs_after_the_invocation_is_recorded(callbacks: CallbackRecorder) -> None:
    """The action can already count the invocation. After the next example begins, the action no longer runs."""
    seen: list[int] = []
    callbacks.set_action("noted", lambda: seen.append(callbacks.wait_for_calls("noted", 1, 0)))
    callbacks.set_action("other", lambda: seen.append(-1))
    invoke_callback(callbacks, EVENT_TYPE, *EVENT, 0x1000, 0, None)
    assert seen == [1]
    callbacks.begin_example()
    invoke_callback(callbacks, EVENT_TYPE, *EVENT, 0x1000, 0, None)
    assert seen == [1]
