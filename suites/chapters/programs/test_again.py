"""Repeated compilation, linking, builds and creation from a binary: every repetition takes effect (5.8)."""

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
"""Names of the callbacks, one per repetition."""
DATA = 11
ROOM = 4
"""Array size for the kernels of a program, which has one kernel."""
cases: Cases[Bench] = Cases(Bench)


@cases.of("clCompileProgram/success", "three times, with callbacks", "clCompileProgram/effect/9")
def compiled_again(bench: Bench) -> None:
    """Compile a program three times, each time with another callback."""
    needs(promised(bench.cl, "clCompileProgram"), "requires OpenCL 1.2 (compiled programs)")
    program = bench.program("add_index")
    for name in TIMES:
        given = (Text(""), 0, None, None, Callback(name), DATA)
        bench.cl.clCompileProgram(program, *bench.on_the_device, *given)
        awaited(bench.cl, name=name)


@cases.of("clLinkProgram/success", "three times, with callbacks", "clLinkProgram/effect/9")
def linked_again(bench: Bench) -> None:
    """Link a compiled program three times, each time with another callback."""
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
    """Create three programs from one binary, and query the context of each."""
    content = bench.binary_of(bench.built())
    for program in [bench.program_of_binary(content) for _ in TIMES]:
        bench.cl.query("clGetProgramInfo", program, "CL_PROGRAM_CONTEXT")


@cases.of("clBuildProgram/success", "built, broken, and built again", STATUS, OPTIONS, TYPE)
def broken_between(bench: Bench) -> None:
    """Build a program alternately with valid and invalid options, and query it after each build."""
    program = bench.program_of(PARTS["breakable"])
    bench.tell(program)
    for options in ("-D WHOLE=1", f"-D {BREAKING}=1", "-D WHOLE=2", f"-D {BREAKING}=2"):
        bench.build(program, options)
        bench.tell(program)


@cases.of("clCreateKernelsInProgram/success", "the kernels are counted anew", NUMBER, NAMES)
def counted_anew(bench: Bench) -> None:
    """Build a program three times, and each time create all of its kernels, query their number and release them."""
    program = bench.program("add_index")
    for _ in TIMES:
        bench.build(program)
        bench.tell(program)
        room = OutputBuffer(ROOM)
        for kernel in made(bench.cl.clCreateKernelsInProgram(program, ROOM, room, OutputBuffer(1)), "kernels"):
            bench.cl.clReleaseKernel(kernel)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases)


def test_again(cl: Session, case: Case) -> None:
    case.act(cl)
