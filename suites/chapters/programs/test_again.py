"""Programs compiled, linked, built and made from a binary again: each time counts, not the first alone (5.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Callback, Items, OutputBuffer, Text
from clconform.oracles.model.sources import BREAKING, CALLER, PARTS
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.runner.session.answers import made
from clconform.suites.cases import Cases
from clconform.suites.chapters.notifications.waiting import awaited
from clconform.suites.chapters.programs.bench import NAMES, NUMBER, OPTIONS, STATUS, TYPE, Bench
from clconform.suites.steps import needs, promised

if TYPE_CHECKING:
    import pytest

    from clconform.runner.session.session import Session

NAME = "programs.again"
TIMES = ("first", "second", "third")
"""The names of the callbacks, one for each time."""
DATA = 11
ROOM = 4
"""For how many kernels there is room; a program here has one."""
cases: Cases[Bench] = Cases(Bench)


@cases.of("clCompileProgram/success", "three times, with callbacks", "clCompileProgram/effect/9")
def compiled_again(bench: Bench) -> None:
    """Compile a program three times, each time with a callback of its own."""
    needs(promised(bench.cl, "clCompileProgram"), "requires OpenCL 1.2 (compiled programs)")
    program = bench.program("add_index")
    for name in TIMES:
        given = (Text(""), 0, None, None, Callback(name), DATA)
        bench.cl.clCompileProgram(program, *bench.on_the_device, *given)
        awaited(bench.cl, name=name)


@cases.of("clLinkProgram/success", "three times, with callbacks", "clLinkProgram/effect/9")
def linked_again(bench: Bench) -> None:
    """Link a compiled program three times, each time with a callback of its own."""
    needs(promised(bench.cl, "clLinkProgram"), "requires OpenCL 1.2 (linked programs)")
    compiled = Items((bench.compiled("add_index"),))
    for name in TIMES:
        given = (Text(""), 1, compiled, Callback(name), DATA, OutputBuffer(1))
        bench.cl.clLinkProgram(bench.context, *bench.on_the_device, *given)
        awaited(bench.cl, name=name)


@cases.of("clLinkProgram/CL_LINK_PROGRAM_FAILURE/1", "three times")
def not_linked_again(bench: Bench) -> None:
    """Link a kernel without the function that it calls, three times."""
    program = bench.compiled(CALLER)
    for _ in TIMES:
        bench.link(program)


@cases.of("clCreateProgramWithBinary/success", "three times", "CL_PROGRAM_CONTEXT")
def made_again(bench: Bench) -> None:
    """Make three programs of one binary, and ask each for its context."""
    content = bench.binary_of(bench.built())
    for program in [bench.program_of_binary(content) for _ in TIMES]:
        bench.cl.query("clGetProgramInfo", program, "CL_PROGRAM_CONTEXT")


@cases.of("clBuildProgram/success", "built, broken, and built again", STATUS, OPTIONS, TYPE)
def broken_between(bench: Bench) -> None:
    """Build a program with options that break it every other time, and ask after each time."""
    program = bench.program_of(PARTS["breakable"])
    bench.tell(program)
    for options in ("-D WHOLE=1", f"-D {BREAKING}=1", "-D WHOLE=2", f"-D {BREAKING}=2"):
        bench.build(program, options)
        bench.tell(program)


@cases.of("clCreateKernelsInProgram/success", "the kernels are counted anew", NUMBER, NAMES)
def counted_anew(bench: Bench) -> None:
    """Build a program three times, and each time make all of its kernels, count them and release them."""
    program = bench.program("add_index")
    for _ in TIMES:
        bench.build(program)
        bench.tell(program)
        room = OutputBuffer(ROOM)
        for kernel in made(bench.cl.clCreateKernelsInProgram(program, ROOM, room, OutputBuffer(1)), "kernels"):
            bench.cl.clReleaseKernel(kernel)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one item of each case."""
    parametrize(metafunc, cases)


def test_again(cl: Session, case: Case) -> None:
    case.act(cl)
