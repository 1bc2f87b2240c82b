"""Callbacks of builds, of memory to be freed, and of native kernels: called once, with what they were given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Callback, Data, Handle, Items, Room, Text
from clconform.runner.pytest_plugin.aims import Case, act, parametrize
from clconform.suites.chapters.notifications.waiting import TOLD, a_moment, awaited, flush, set_status
from clconform.suites.queries.commands import Bench
from clconform.suites.queries.memory import SIZE
from clconform.suites.queries.programs import SOURCES, a_program
from clconform.suites.steps import needs, one, promised, value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pytest

    from clconform.runner.session.session import Session

NAME = "notifications.other_callbacks"
BUILD, FREE, NATIVE = "clBuildProgram", "clEnqueueSVMFree", "clEnqueueNativeKernel"
NO_PROGRAM = ("this is no program\n",)
STATUS = "CL_PROGRAM_BUILD_STATUS"
DATA = 11


def status_of(cl: Session, program: Handle) -> None:
    """Ask how a program's build went."""
    arguments = (program, cl.device, value(cl, STATUS))
    cl.clGetProgramBuildInfo(*arguments, 4, Room(4), None)


def build(cl: Session, sources: tuple[str, ...]) -> None:
    """Build a program, told of its end."""
    program = a_program(cl, *sources)
    cl.clBuildProgram(program, 1, Items((cl.device,)), Text(""), Callback(TOLD), DATA)
    awaited(cl)
    status_of(cl, program)


def build_twice(cl: Session) -> None:
    """Build a program twice, told of each end by another callback."""
    program = a_program(cl, *SOURCES)
    for name in ("first", "second"):
        cl.clBuildProgram(program, 1, Items((cl.device,)), Text(""), Callback(name), DATA)
        awaited(cl, name=name)


def without_user_data(cl: Session) -> None:
    """Build a program for all its devices, told of its end without user data."""
    cl.clBuildProgram(a_program(cl, SOURCES[0]), 0, None, None, Callback(TOLD), None)
    awaited(cl)


def freed(cl: Session, count: int, *, gated: bool = False) -> None:
    """Leave it to a callback to free shared memory, which stays what it was, since that does not."""
    needs(promised(cl, FREE), "shared virtual memory comes with 2.0")
    coarse = value(cl, "CL_DEVICE_SVM_COARSE_GRAIN_BUFFER")
    needs((cl.fact("CL_DEVICE_SVM_CAPABILITIES") or 0) & coarse, "the device has no shared virtual memory")
    bench = Bench(cl, gated=gated)
    flags = value(cl, "CL_MEM_READ_WRITE")
    memory = [one(cl.clSVMAlloc(bench.context, flags, SIZE, 0)) for _ in range(count)]
    pattern = Data(b"\1\2\3\4")
    for each in memory:
        cl.clEnqueueSVMMemFill(bench.queue, each, pattern, 4, SIZE, 0, None, None)
    pointers = Items(tuple(memory))
    cl.clEnqueueSVMFree(bench.queue, count, pointers, Callback(TOLD), DATA, *bench.wait, None)
    if bench.gate is not None:
        flush(cl, bench.queue)
        a_moment(cl)
        set_status(cl, bench.gate)
    cl.clFinish(bench.queue)
    awaited(cl)
    for each in memory:
        cl.clEnqueueSVMMemFill(bench.queue, each, pattern, 4, SIZE, 0, None, None)
    cl.clFinish(bench.queue)


def native(cl: Session, arguments: bytes, *, gated: bool = False) -> None:
    """Run a function of the host as a kernel."""
    kind = value(cl, "CL_EXEC_NATIVE_KERNEL")
    needs((cl.fact("CL_DEVICE_EXECUTION_CAPABILITIES") or 0) & kind, "the device runs no native kernels")
    bench = Bench(cl, gated=gated)
    given = Data(arguments) if arguments else None
    cl.clEnqueueNativeKernel(bench.queue, Callback(TOLD), given, len(arguments), 0, None, None, *bench.wait, None)
    if bench.gate is not None:
        flush(cl, bench.queue)
        a_moment(cl)
        set_status(cl, bench.gate)
    cl.clFinish(bench.queue)
    awaited(cl)


def case(function: str, words: str, steps: Callable[[Session], object]) -> Case:
    """Return an item that aims at a function's success."""
    return Case(f"{function}/success", words, steps)


def cases() -> Iterator[Case]:
    """Yield items of builds, of memory freed by a callback, and of native kernels."""
    yield case(BUILD, "told of a success", lambda cl: build(cl, SOURCES))
    yield case(BUILD, "told of a failure", lambda cl: build(cl, NO_PROGRAM))
    yield case(BUILD, "told twice", build_twice)
    yield case(BUILD, "told without user data", without_user_data)
    for count in (1, 2, 7):
        yield case(FREE, f"{count} to free by a callback", act(freed, count))
    yield case(FREE, "by a callback, once an event is set", lambda cl: freed(cl, 2, gated=True))
    for size in (0, 1, 8, 24):
        yield case(NATIVE, f"{size} bytes of arguments", act(native, bytes(range(1, size + 1))))
    yield case(NATIVE, "once an event is set", lambda cl: native(cl, b"\1\2\3\4\5\6\7\10", gated=True))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one item of each case."""
    parametrize(metafunc, cases())


def test_other_callbacks(cl: Session, case: Case) -> None:
    case.act(cl)
