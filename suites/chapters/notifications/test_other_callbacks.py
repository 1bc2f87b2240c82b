"""Callbacks of builds and of clEnqueueSVMFree, and native kernels: each is invoked once, with its arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, Handle, HostCallback, OutputBuffer, Text
from clconform.runner.pytest_plugin.covers import TableCase, TableTest, bind_action
from clconform.runner.session.outcome_values import returned_handles
from clconform.suites.chapters.notifications.callbacks import CALLBACK_NAME, await_callback, check_not_called, flush
from clconform.suites.helpers import constant_value
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import SIZE, native_kernel_arguments
from clconform.suites.kit.programs import kernel_sources
from clconform.suites.queries.programs import INVALID_SOURCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.values import Handle, Value
    from clconform.runner.session.session import Session
    from clconform.suites.kit.events import UserEventGate

NAME = "notifications.other_callbacks"
BUILD, FREE, NATIVE = "clBuildProgram", "clEnqueueSVMFree", "clEnqueueNativeKernel"
OBJECTS, COPIED, ARGUMENTS_RELEASED = (f"{NATIVE}/effect/{number}" for number in (2, 3, 4))
STATUS = "CL_PROGRAM_BUILD_STATUS"
DATA = 11


def query_build_status(cl: Session, program: Handle) -> None:
    """Query a program's build status."""
    arguments = (program, cl.device, constant_value(cl, STATUS))
    cl.clGetProgramBuildInfo(*arguments, 4, OutputBuffer(4), None)


def build_with_callback(cl: Session, *sources: str) -> None:
    """Build a program with a callback."""
    program = Kit(cl).program_from_source(*sources)
    cl.clBuildProgram(program, 1, ElementList((cl.device,)), Text(""), HostCallback(CALLBACK_NAME), DATA)
    await_callback(cl)
    query_build_status(cl, program)


def build_twice(cl: Session) -> None:
    """Build a program twice, each time with another callback."""
    program = Kit(cl).program()
    for name in ("first", "second"):
        cl.clBuildProgram(program, 1, ElementList((cl.device,)), Text(""), HostCallback(name), DATA)
        await_callback(cl, name=name)


def build_without_user_data(cl: Session) -> None:
    """Build a program for all its devices, with a callback whose user data is NULL."""
    cl.clBuildProgram(Kit(cl).program("add_index"), 0, None, None, HostCallback(CALLBACK_NAME), None)
    await_callback(cl)


def free_by_callback(cl: Session, count: int) -> None:
    """Pass SVM to a callback of clEnqueueSVMFree that does not free the SVM, and check that the SVM stays valid."""
    kit = Kit(cl)
    _free_and_fill(kit, [kit.svm() for _ in range(count)], None)


def free_after_event(cl: Session) -> None:
    """Enqueue clEnqueueSVMFree with a callback after a user event."""
    kit = Kit(cl)
    _free_and_fill(kit, [kit.svm() for _ in range(2)], kit.gate())


def free_twice(cl: Session) -> None:
    """Enqueue clEnqueueSVMFree twice, each time with another callback."""
    kit = Kit(cl)
    for name, data in (("first", DATA), ("second", None)):
        memory = kit.svm()
        cl.clEnqueueSVMFree(kit.queue, 1, ElementList((memory,)), HostCallback(name), data, 0, None, None)
        kit.finish()
        await_callback(cl, name=name)


def _free_and_fill(kit: Kit, memory: list[Handle], gate: UserEventGate | None) -> None:
    cl, pattern = kit.cl, Data(b"\1\2\3\4")
    for each in memory:
        cl.clEnqueueSVMMemFill(kit.queue, each, pattern, 4, SIZE, 0, None, None)
    wait: tuple[int, ElementList | None] = gate.wait_list if gate else (0, None)
    cl.clEnqueueSVMFree(
        kit.queue, len(memory), ElementList(tuple(memory)), HostCallback(CALLBACK_NAME), DATA, *wait, None
    )
    _await_callback(kit, gate)
    for each in memory:
        cl.clEnqueueSVMMemFill(kit.queue, each, pattern, 4, SIZE, 0, None, None)
    kit.finish()


def run_native(cl: Session, arguments: bytes) -> None:
    """Enqueue a host function as a native kernel."""
    _enqueue_native(Kit(cl), arguments, None)


def run_native_twice(cl: Session) -> None:
    """Enqueue two native kernels with their own arguments, and query type and status of their events."""
    kit = Kit(cl)
    for number, name in enumerate(("first", "second")):
        given: dict[str, Value] = {"args": Data(bytes(range(number, number + 8))), "cb_args": 8}
        outcome = kit.call(NATIVE, user_func=HostCallback(name), event=OutputBuffer(1), **given)
        kit.finish()
        await_callback(cl, name=name)
        for event in returned_handles(outcome, "event"):
            cl.query("clGetEventInfo", event, "CL_EVENT_COMMAND_TYPE")
            cl.query("clGetEventInfo", event, "CL_EVENT_COMMAND_EXECUTION_STATUS")


def run_native_after_event(cl: Session, arguments: bytes) -> None:
    """Enqueue a native kernel after a user event."""
    kit = Kit(cl)
    _enqueue_native(kit, arguments, kit.gate())


def run_native_with_buffers(cl: Session, count: int) -> None:
    """Enqueue a native kernel whose arguments include buffers with different content."""
    kit = Kit(cl)
    buffers = [kit.buffer() for _ in range(count)]
    for number, buffer in enumerate(buffers):
        kit.call("clEnqueueFillBuffer", buffer=buffer, pattern=Data(bytes([number + 1] * 4)))
    kit.finish()
    kit.call(NATIVE, user_func=HostCallback(CALLBACK_NAME), event=None, **native_kernel_arguments(kit, *buffers))
    _await_callback(kit, None)


def _enqueue_native(kit: Kit, arguments: bytes, gate: UserEventGate | None) -> None:
    given: dict[str, Value] = {"args": Data(arguments) if arguments else None, "cb_args": len(arguments)}
    waits = gate.arguments if gate else {}
    kit.call(NATIVE, user_func=HostCallback(CALLBACK_NAME), event=None, **given, **waits)
    _await_callback(kit, gate)


def _await_callback(kit: Kit, gate: UserEventGate | None) -> None:
    """Set the user event of ``gate``, if there is one, and wait for the callback.

    Before the user event is set, the callback must not be invoked.
    """
    if gate:
        flush(kit.cl, kit.queue)
        check_not_called(kit.cl)
        gate.open()
    kit.finish()
    await_callback(kit.cl)


def create_case(function: str, words: str, steps: Callable[[Session], object], *others: str) -> TableCase:
    """Return an item that targets the success requirement of a function, and other requirements."""
    return TableCase(f"{function}/success", words, steps, others)


def cases() -> Iterator[TableCase]:
    """Yield items for builds, frees through callbacks, and native kernels."""
    yield create_case(BUILD, "callback after success", lambda cl: build_with_callback(cl, *kernel_sources()))
    yield create_case(BUILD, "callback after failure", bind_action(build_with_callback, INVALID_SOURCE))
    yield create_case(BUILD, "callbacks of two builds", build_twice)
    yield create_case(BUILD, "callback without user data", build_without_user_data)
    for count in (1, 2, 7):
        yield create_case(FREE, f"{count} to free by a callback", bind_action(free_by_callback, count))
    yield create_case(FREE, "by a callback, once an event is set", free_after_event)
    yield create_case(FREE, "by a callback, twice", free_twice)
    for size in (0, 1, 7, 8, 24):
        yield create_case(
            NATIVE, f"{size} bytes of arguments", bind_action(run_native, bytes(range(1, size + 1))), COPIED
        )
    yield create_case(NATIVE, "two of them", run_native_twice, COPIED)
    for count in (1, 2):
        yield create_case(
            NATIVE, f"{count} buffers among the arguments", bind_action(run_native_with_buffers, count), OBJECTS
        )
    yield create_case(
        NATIVE,
        "once an event is set",
        bind_action(run_native_after_event, b"\1\2\3\4\5\6\7\10"),
        COPIED,
        ARGUMENTS_RELEASED,
    )


test_other_callbacks_run_once = TableTest(cases)
