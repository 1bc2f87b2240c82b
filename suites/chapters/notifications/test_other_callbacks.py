"""Callbacks of builds, of deferred SVM frees, and of native kernels: called once, with their arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Callback, Data, Handle, Items, OutputBuffer, Text
from clconform.runner.pytest_plugin.aims import Case, act, parametrize
from clconform.runner.session.answers import made
from clconform.suites.chapters.notifications.waiting import TOLD, a_moment, awaited, flush
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import SIZE, block_of
from clconform.suites.kit.programs import sources_of
from clconform.suites.queries.programs import NO_PROGRAM
from clconform.suites.steps import value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pytest

    from clconform.calls.values import Handle, Value
    from clconform.runner.session.session import Session
    from clconform.suites.kit.events import Gate

NAME = "notifications.other_callbacks"
BUILD, FREE, NATIVE = "clBuildProgram", "clEnqueueSVMFree", "clEnqueueNativeKernel"
OBJECTS, COPIED, GONE = (f"{NATIVE}/effect/{number}" for number in (2, 3, 4))
STATUS = "CL_PROGRAM_BUILD_STATUS"
DATA = 11


def status_of(cl: Session, program: Handle) -> None:
    """Query a program's build status."""
    arguments = (program, cl.device, value(cl, STATUS))
    cl.clGetProgramBuildInfo(*arguments, 4, OutputBuffer(4), None)


def build(cl: Session, *sources: str) -> None:
    """Build a program with a callback."""
    program = Kit(cl).program_of(*sources)
    cl.clBuildProgram(program, 1, Items((cl.device,)), Text(""), Callback(TOLD), DATA)
    awaited(cl)
    status_of(cl, program)


def build_twice(cl: Session) -> None:
    """Build a program twice, each time with another callback."""
    program = Kit(cl).program()
    for name in ("first", "second"):
        cl.clBuildProgram(program, 1, Items((cl.device,)), Text(""), Callback(name), DATA)
        awaited(cl, name=name)


def without_user_data(cl: Session) -> None:
    """Build a program for all its devices, with a callback without user data."""
    cl.clBuildProgram(Kit(cl).program("add_index"), 0, None, None, Callback(TOLD), None)
    awaited(cl)


def freed(cl: Session, count: int) -> None:
    """Free SVM through a callback that does not free it, and check that the memory stays valid."""
    kit = Kit(cl)
    _free(kit, [kit.svm() for _ in range(count)], None)


def freed_later(cl: Session) -> None:
    """Free SVM through a callback after a user event."""
    kit = Kit(cl)
    _free(kit, [kit.svm() for _ in range(2)], kit.gate())


def freed_twice(cl: Session) -> None:
    """Free SVM through two callbacks, one after the other."""
    kit = Kit(cl)
    for name, data in (("first", DATA), ("second", None)):
        memory = kit.svm()
        cl.clEnqueueSVMFree(kit.queue, 1, Items((memory,)), Callback(name), data, 0, None, None)
        kit.finish()
        awaited(cl, name=name)


def _free(kit: Kit, memory: list[Handle], gate: Gate | None) -> None:
    cl, pattern = kit.cl, Data(b"\1\2\3\4")
    for each in memory:
        cl.clEnqueueSVMMemFill(kit.queue, each, pattern, 4, SIZE, 0, None, None)
    wait = gate.wait if gate else (0, None)
    cl.clEnqueueSVMFree(kit.queue, len(memory), Items(tuple(memory)), Callback(TOLD), DATA, *wait, None)
    _called_at_the_end(kit, gate)
    for each in memory:
        cl.clEnqueueSVMMemFill(kit.queue, each, pattern, 4, SIZE, 0, None, None)
    kit.finish()


def native(cl: Session, arguments: bytes) -> None:
    """Run a host function as a native kernel."""
    _run_native(Kit(cl), arguments, None)


def native_twice(cl: Session) -> None:
    """Run two native kernels with their own arguments and events, and query type and status of the events."""
    kit = Kit(cl)
    for number, name in enumerate(("first", "second")):
        given: dict[str, Value] = {"args": Data(bytes(range(number, number + 8))), "cb_args": 8}
        outcome = kit.call(NATIVE, user_func=Callback(name), event=OutputBuffer(1), **given)
        kit.finish()
        awaited(cl, name=name)
        for event in made(outcome, "event"):
            cl.query("clGetEventInfo", event, "CL_EVENT_COMMAND_TYPE")
            cl.query("clGetEventInfo", event, "CL_EVENT_COMMAND_EXECUTION_STATUS")


def native_later(cl: Session, arguments: bytes) -> None:
    """Run a native kernel after a user event."""
    kit = Kit(cl)
    _run_native(kit, arguments, kit.gate())


def native_with_objects(cl: Session, count: int) -> None:
    """Run a native kernel whose arguments include buffers with different content."""
    kit = Kit(cl)
    buffers = [kit.buffer() for _ in range(count)]
    for number, buffer in enumerate(buffers):
        kit.call("clEnqueueFillBuffer", buffer=buffer, pattern=Data(bytes([number + 1] * 4)))
    kit.finish()
    kit.call(NATIVE, user_func=Callback(TOLD), event=None, **block_of(kit, *buffers))
    _called_at_the_end(kit, None)


def _run_native(kit: Kit, arguments: bytes, gate: Gate | None) -> None:
    given: dict[str, Value] = {"args": Data(arguments) if arguments else None, "cb_args": len(arguments)}
    waits = gate.arguments if gate else {}
    kit.call(NATIVE, user_func=Callback(TOLD), event=None, **given, **waits)
    _called_at_the_end(kit, gate)


def _called_at_the_end(kit: Kit, gate: Gate | None) -> None:
    """Wait for the callback; with a gate, check that the callback is not called before the gate opens."""
    if gate:
        flush(kit.cl, kit.queue)
        a_moment(kit.cl)
        gate.open()
    kit.finish()
    awaited(kit.cl)


def case(function: str, words: str, steps: Callable[[Session], object], *others: str) -> Case:
    """Return an item that targets a function's success and other requirements."""
    return Case(f"{function}/success", words, steps, others)


def cases() -> Iterator[Case]:
    """Yield items for builds, frees through callbacks, and native kernels."""
    yield case(BUILD, "callback after success", lambda cl: build(cl, *sources_of()))
    yield case(BUILD, "callback after failure", act(build, NO_PROGRAM))
    yield case(BUILD, "callbacks of two builds", build_twice)
    yield case(BUILD, "callback without user data", without_user_data)
    for count in (1, 2, 7):
        yield case(FREE, f"{count} to free by a callback", act(freed, count))
    yield case(FREE, "by a callback, once an event is set", freed_later)
    yield case(FREE, "by a callback, twice", freed_twice)
    for size in (0, 1, 7, 8, 24):
        yield case(NATIVE, f"{size} bytes of arguments", act(native, bytes(range(1, size + 1))), COPIED)
    yield case(NATIVE, "two of them", native_twice, COPIED)
    for count in (1, 2):
        yield case(NATIVE, f"{count} buffers among the arguments", act(native_with_objects, count), OBJECTS)
    yield case(NATIVE, "once an event is set", act(native_later, b"\1\2\3\4\5\6\7\10"), COPIED, GONE)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases())


def test_other_callbacks(cl: Session, case: Case) -> None:
    case.act(cl)
