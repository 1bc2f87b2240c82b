"""Callbacks: the records of their arguments, for each prototype, the waits for them, and the limits of their number."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import pytest

from clconform.calls.call import POINTED_OBJECTS, Begun, Call, Returned
from clconform.calls.harness_actions import AWAIT, IN_CALLBACK
from clconform.calls.protocol import CallEnded, CallPending
from clconform.calls.values import Data, Handle, HostCallback, OffsetPointer, Pointers, Value
from clconform.harness.callbacks import MAX_USED_SHARE, PRIVATE_DATA, CallbackFunctions
from clconform.harness.decoding import UNREADABLE
from clconform.harness.errors import BadCall
from clconform.harness.names import MEMORY, ObjectNames
from clconform.harness.raw_messages import CALLBACKS_PER_SIGNATURE, MAX_COUNTERS
from clconform.harness.type_layout import TypeLayouts

from .scripted_driver import CALL_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import CallbackInvocation
    from clconform.spec_tables import Tables

    from .scripted_driver import ScriptedDriver

MAX_RECORDED = 256
"""The number of invocations that the worker records between two replies."""
EVENT_SIGNATURE, KERNEL_SIGNATURE = "vpip", "vp"
SIGNATURES = {"vp": 0, "vpp": 1, "vpip": 2, "vpupp": 3, "vpppp": 4}


class CallbackBench:
    """A scripted driver that invokes callbacks."""

    def __init__(self, scripted: ScriptedDriver, create_call: Callable[..., Call]) -> None:
        self.scripted = scripted
        self.driver, self.names, self.script = scripted.driver, scripted.names, scripted.functions
        self._create_call = create_call

    def call(self, function: str, *values: Value) -> Returned:
        """Make a call."""
        outcome = self.scripted.call(self._create_call(function, *values))
        outcome = outcome.outcome if isinstance(outcome, CallEnded) else outcome
        assert isinstance(outcome, Returned)
        return outcome

    def set_callback(self, name: str = "noted") -> Returned:
        """Pass a callback to clSetEventCallback."""
        return self.call("clSetEventCallback", None, 0, HostCallback(name), None)

    def invoke_event_callback(self, *words: int, name: str = "noted", **how: int) -> list[CallbackInvocation]:
        """Pass a callback to clSetEventCallback, which invokes it with these words; return the invocations."""
        self.script.reset()
        self.script.invoke(2, EVENT_SIGNATURE, *words, **how)
        found = self.set_callback(name).callbacks
        self.script.reset()
        return found

    def create_context(self, *words: int) -> dict[str, Any]:
        """Return the arguments of the callback of clCreateContext, which is invoked with these words."""
        self.script.invoke(3, "vpppp", *words)
        (called,) = self.call("clCreateContext", None, 0, None, HostCallback("noted"), None, None).callbacks
        return called.arguments

    def free_memory(self, *words: int) -> dict[str, Any]:
        """Return the arguments of the callback of clEnqueueSVMFree, which is invoked with these words."""
        self.script.invoke(3, "vpupp", *words)
        values = (None, 0, None, HostCallback("noted"), None, 0, None, None)
        (called,) = self.call("clEnqueueSVMFree", *values).callbacks
        return called.arguments

    def run_native_kernel(self, address: int, size: int, *offsets: int) -> dict[str, Any]:
        """Return the arguments of a native kernel that is invoked with the address of its argument block."""
        block = Handle(self.names.name_of(MEMORY, 0x7000))
        places = Pointers(tuple(OffsetPointer(block, offset) for offset in offsets))
        self.script.reset()
        self.script.invoke(1, KERNEL_SIGNATURE, address)
        values = (HostCallback("noted"), block, size, len(offsets), None, places, 0, None, None)
        (called,) = self.call("clEnqueueNativeKernel", None, *values).callbacks
        return called.arguments

    def put_bytes(self, content: bytes) -> int:
        """Return the address of bytes in the process."""
        self.call("clEnqueueWriteBuffer", None, None, 0, 0, 0, Data(content), 0, None, None)
        return self.script.words[5]

    def wait(self, times: int, milliseconds: int, name: str = "noted") -> Returned:
        """Wait for the invocations of a callback."""
        arguments: dict[str, Value] = {"callback": HostCallback(name), "times": times, "milliseconds": milliseconds}
        outcome = self.scripted.call(Call(AWAIT, arguments))
        assert isinstance(outcome, Returned)
        return outcome


@pytest.fixture
def bench(scripted: ScriptedDriver, create_call: Callable[..., Call]) -> CallbackBench:
    return CallbackBench(scripted, create_call)


@pytest.fixture
def callbacks(tables: Tables) -> CallbackFunctions:
    return CallbackFunctions(tables, TypeLayouts(tables.types, tables.enumerants), ObjectNames(), SIGNATURES)


def test_event_callback_records_event_status_and_user_data(bench: CallbackBench) -> None:
    name = bench.names.name_of("cl_event", 0x1000)
    (called,) = bench.invoke_event_callback(0x1000, (1 << 64) - 5, 7)
    assert called.arguments == {"event": name, "event_command_status": -5, "user_data": 7}
    assert (called.name, called.driver_thread) == ("noted", False)
    assert bench.set_callback("other").callbacks == []


def test_forgotten_object_keeps_name_in_callback(bench: CallbackBench) -> None:
    name = bench.names.name_of("cl_event", 0x1000)
    bench.names.forget([name])
    assert bench.invoke_event_callback(0x1000)[0].arguments["event"] == name


def test_object_that_gets_its_name_later_than_the_callback_is_recorded_by_name(bench: CallbackBench) -> None:
    """The call that invokes the callbacks returns the object of the first one."""
    bench.script.invoke(6, "vpp", 0x1000)
    bench.script.invoke(6, "vpp", 0x2000)
    bench.script.set_result(0x1000)
    outcome = bench.call("clLinkProgram", None, 0, None, None, 0, None, HostCallback("noted"), None, None)
    assert outcome.value == "program1"
    assert [called.arguments["program"] for called in outcome.callbacks] == ["program1", "no known object"]


def test_context_callback_records_error_text_and_private_data(bench: CallbackBench) -> None:
    told = {"errinfo": "oh\\xff", "private_info": PRIVATE_DATA, "cb": 3, "user_data": None}
    assert bench.create_context(bench.put_bytes(b"oh\xff\0"), 0x10, 3) == told


def test_long_error_text_is_cut(bench: CallbackBench) -> None:
    assert bench.create_context(bench.put_bytes(b"x" * 60_000 + b"\0"))["errinfo"] == "x" * 4096


def test_svm_free_callback_records_pointer_names(bench: CallbackBench) -> None:
    bench.names.name_of(MEMORY, 0x1000)
    told = bench.free_memory(0, 3, bench.put_bytes(struct.pack("3P", 0x1000, 0, 0x3000)), 1)
    assert (told["num_svm_pointers"], told["svm_pointers"]) == (3, ["pointer1", None, "no known memory"])


def test_native_kernel_callback_records_argument_bytes(bench: CallbackBench) -> None:
    assert bench.run_native_kernel(bench.put_bytes(b"\1\2\3\4"), 4) == {"": "01020304"}


def test_native_kernel_callback_records_bytes_of_pointed_objects(bench: CallbackBench) -> None:
    found = bench.put_bytes(b"\5\6\7\10\11")
    block = bench.put_bytes(struct.pack("4P", 0x1122, found, 0, 0x10))
    told = bench.run_native_kernel(block, 32, 8, 16, 24)
    assert told == {"": "2211" + "00" * 30, POINTED_OBJECTS: ["05060708", None, UNREADABLE]}
    assert bench.run_native_kernel(0, 32, 8, 16, 24) == {"": None, POINTED_OBJECTS: [UNREADABLE] * 3}


def test_worker_has_a_function_for_every_callback_of_the_tables(bench: CallbackBench, tables: Tables) -> None:
    assert bench.scripted.connection.callback_signatures == SIGNATURES
    layouts = TypeLayouts(tables.types, tables.enumerants)
    callbacks = CallbackFunctions(tables, layouts, ObjectNames(), SIGNATURES)
    for prototype in tables.callbacks.values():
        assert callbacks.argument(prototype.function, prototype.parameter, "noted")
    with pytest.raises(BadCall, match="do not define"):
        callbacks.argument("clFinish", "command_queue", "noted")


def test_each_callback_has_its_own_function(bench: CallbackBench) -> None:
    """The same name in the same example has the same function, as an application would pass it."""
    addresses = []
    for name in ("one", "two", "one"):
        bench.set_callback(name)
        addresses.append(bench.script.words[2])
    assert addresses[0] == addresses[2] != addresses[1]
    bench.driver.begin_example()
    bench.set_callback("one")
    assert bench.script.words[2] not in addresses


def test_wait_for_callback_ends_after_invocation_on_another_thread(bench: CallbackBench) -> None:
    assert bench.invoke_event_callback(0, 0, 0, delay=50_000) == []
    outcome = bench.wait(1, 5000)
    assert outcome.value == 1
    assert outcome.callbacks[0].driver_thread


def test_wait_for_callback_ends_after_timeout(bench: CallbackBench) -> None:
    assert bench.wait(1, 10) == Returned(0)


def test_callback_of_earlier_example_is_ignored(bench: CallbackBench) -> None:
    bench.set_callback()
    old = bench.script.words[2]
    bench.driver.begin_example()
    bench.script.invoke(old, EVENT_SIGNATURE)
    assert bench.call("clFinish", None).callbacks == []
    assert bench.wait(1, 0) == Returned(0)
    bench.invoke_event_callback()
    assert bench.wait(1, 0).value == 1


def test_invocation_before_the_example_ends_is_not_reported_in_the_next(bench: CallbackBench) -> None:
    bench.invoke_event_callback(0, 0, 0, delay=0)
    assert bench.wait(1, 5000).value == 1
    bench.set_callback("late")
    bench.script.invoke(bench.script.words[2], EVENT_SIGNATURE, delay=0)
    bench.call("clFinish", None)
    bench.script.reset()
    bench.driver.begin_example()
    assert bench.wait(1, 100, "other") == Returned(0)


@pytest.mark.parametrize("address", [0x10, (1 << 64) - 8, (1 << 63) - 1])
def test_invalid_addresses_in_callback_arguments_are_marked_unreadable(bench: CallbackBench, address: int) -> None:
    assert bench.create_context(address, address, 1 << 40)["errinfo"] == UNREADABLE
    bench.script.reset()
    assert bench.free_memory(0x1000, (1 << 32) - 1, address)["svm_pointers"] == UNREADABLE
    assert list(bench.run_native_kernel(address, 64).values()) == [UNREADABLE]


def test_callback_invocations_beyond_the_limit_are_counted_but_not_recorded(bench: CallbackBench) -> None:
    assert len(bench.invoke_event_callback(0x1000, 0, 0, times=MAX_RECORDED + 50)) == MAX_RECORDED
    assert bench.wait(1, 0) == Returned(MAX_RECORDED + 50)


def assign_to_callback(bench: CallbackBench, host_thread: int, name: str = "noted") -> None:
    """Let the next call on a host thread be made inside a callback."""
    arguments: dict[str, Value] = {"callback": HostCallback(name), "host_thread": host_thread}
    assert bench.scripted.call(Call(IN_CALLBACK, arguments)) == Returned(None)


def test_call_in_callback_is_made_only_by_the_next_invocation(
    bench: CallbackBench, create_call: Callable[..., Call]
) -> None:
    """The call is made before the callback returns, and invocations after the first do not make it again."""
    finish = create_call("clFinish", None)
    assign_to_callback(bench, 1)
    bench.set_callback()
    callback = bench.script.words[2]
    with pytest.raises(BadCall, match="no call in flight"):
        bench.driver.await_call(1, 0, CALL_SECONDS)
    assert bench.driver.begin_call(1, finish, CALL_SECONDS) == Begun(0)
    with pytest.raises(BadCall, match="has a call in flight"):
        bench.driver.begin_call(1, finish, CALL_SECONDS)
    assert bench.driver.await_call(1, 0, CALL_SECONDS) == CallPending()
    bench.script.reset()
    bench.script.invoke(callback, EVENT_SIGNATURE, times=1, delay=1000)
    bench.call("clFlush", None)
    bench.script.reset()
    ended = bench.driver.await_call(1, 5, CALL_SECONDS)
    assert isinstance(ended, CallEnded)
    assert 0 < ended.entered < ended.returned
    with pytest.raises(BadCall, match="no call in flight"):
        bench.driver.await_call(1, 0, CALL_SECONDS)
    bench.script.reset()
    bench.script.invoke(callback, EVENT_SIGNATURE, times=3, delay=0)
    bench.call("clFlush", None)
    bench.wait(4, 5000)
    assert bench.script.call_count == 1, "only clFlush"


def test_callback_of_another_name_does_not_make_the_call(
    bench: CallbackBench, create_call: Callable[..., Call]
) -> None:
    assign_to_callback(bench, 1)
    bench.driver.begin_call(1, create_call("clFinish", None), CALL_SECONDS)
    bench.invoke_event_callback(name="other")
    assert bench.driver.await_call(1, 0, CALL_SECONDS) == CallPending()
    bench.driver.begin_example()
    bench.set_callback()
    bench.invoke_event_callback()
    with pytest.raises(BadCall, match="no call in flight"):
        bench.driver.await_call(1, 0, CALL_SECONDS)


# the number of callbacks


def use_functions(callbacks: CallbackFunctions, count: int) -> None:
    for number in range(count):
        callbacks.argument("clSetEventCallback", "pfn_notify", f"callback {number}")


def test_functions_are_used_up_before_the_last_one(callbacks: CallbackFunctions) -> None:
    use_functions(callbacks, int(MAX_USED_SHARE * CALLBACKS_PER_SIGNATURE) - 1)
    assert not callbacks.are_used_up
    callbacks.begin_example()
    callbacks.argument("clCreateContext", "pfn_notify", "another signature")
    assert not callbacks.are_used_up
    callbacks.argument("clSetEventCallback", "pfn_notify", "another")
    assert callbacks.are_used_up


def test_callback_with_a_name_of_the_example_uses_no_further_function(callbacks: CallbackFunctions) -> None:
    for _ in range(2 * CALLBACKS_PER_SIGNATURE):
        callbacks.argument("clSetEventCallback", "pfn_notify", "noted")
    assert not callbacks.are_used_up


def test_too_many_callbacks_of_an_example_are_rejected(callbacks: CallbackFunctions) -> None:
    use_functions(callbacks, CALLBACKS_PER_SIGNATURE)
    with pytest.raises(BadCall, match="too many callbacks"):
        callbacks.argument("clSetEventCallback", "pfn_notify", "another")
    assert callbacks.argument("clSetEventCallback", "pfn_notify", "callback 0")


def test_too_many_names_of_an_example_are_rejected(callbacks: CallbackFunctions) -> None:
    for number in range(MAX_COUNTERS):
        assert callbacks.counter_of(f"callback {number}") == number
    for _ in range(2):
        with pytest.raises(BadCall, match=f"more than {MAX_COUNTERS} callbacks"):
            callbacks.counter_of("another")
    assert callbacks.counter_of("callback 7") == 7
    callbacks.begin_example()
    assert callbacks.counter_of("another") == 0
