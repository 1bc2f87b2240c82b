"""Repeated compilation, linking, building and creation from a binary: each repetition has its full effect (5.8)."""

from __future__ import annotations

from clconform.calls.values import ElementList, HostCallback, OutputBuffer, Text
from clconform.oracles.model.program_sources import BREAKING_MACRO, CALLER, PARTS
from clconform.runner.pytest_plugin.covers import TableTest
from clconform.runner.session.outcome_values import returned_handles
from clconform.suites.cases import CaseRegistry
from clconform.suites.chapters.notifications.callbacks import await_callback
from clconform.suites.chapters.programs.build_kit import KERNEL_COUNT, KERNEL_NAMES, OPTIONS, STATUS, TYPE, BuildKit
from clconform.suites.helpers import is_available, skip_unless

NAME = "programs.rebuild"
REPETITIONS = ("first", "second", "third")
"""Names of the callbacks, one per repetition."""
DATA = 11
KERNEL_ARRAY_SIZE = 4
"""The size of the array for the kernels of a program. The program has only one kernel."""
cases: CaseRegistry[BuildKit] = CaseRegistry(BuildKit)
test_repeated_builds_take_effect = TableTest(cases)


@cases.declare("clCompileProgram/success", "three times, with callbacks", "clCompileProgram/effect/9")
def compile_repeatedly(bench: BuildKit) -> None:
    """Compile a program three times, each time with another callback."""
    skip_unless(is_available(bench.cl, "clCompileProgram"), "requires OpenCL 1.2 (compiled programs)")
    program = bench.program("add_index")
    for name in REPETITIONS:
        bench.cl.clCompileProgram(program, *bench.device_under_test, Text(""), 0, None, None, HostCallback(name), DATA)
        await_callback(bench.cl, name=name)


@cases.declare("clLinkProgram/success", "three times, with callbacks", "clLinkProgram/effect/9")
def link_repeatedly(bench: BuildKit) -> None:
    """Link a compiled program three times, each time with another callback."""
    skip_unless(is_available(bench.cl, "clLinkProgram"), "requires OpenCL 1.2 (linked programs)")
    compiled = ElementList((bench.compiled_program("add_index"),))
    for name in REPETITIONS:
        bench.cl.clLinkProgram(
            bench.context, *bench.device_under_test, Text(""), 1, compiled, HostCallback(name), DATA, OutputBuffer(1)
        )
        await_callback(bench.cl, name=name)


@cases.declare("clLinkProgram/CL_LINK_PROGRAM_FAILURE/1", "three times")
def fail_to_link_repeatedly(bench: BuildKit) -> None:
    """Link a kernel without the function that it calls, three times; each link fails."""
    program = bench.compiled_program(CALLER)
    for _ in REPETITIONS:
        bench.link(program)


@cases.declare("clCreateProgramWithBinary/success", "three times", "CL_PROGRAM_CONTEXT")
def create_from_binary_repeatedly(bench: BuildKit) -> None:
    """Create three programs from one binary, and query the context of each."""
    content = bench.get_binary(bench.built_program())
    for program in [bench.program_from_bytes(content) for _ in REPETITIONS]:
        bench.cl.query("clGetProgramInfo", program, "CL_PROGRAM_CONTEXT")


@cases.declare("clBuildProgram/success", "built, broken, and built again", STATUS, OPTIONS, TYPE)
def alternate_valid_and_invalid_options(bench: BuildKit) -> None:
    """Build a program alternately with valid and invalid options, and query it after each build."""
    program = bench.program_from_source(PARTS["breakable"])
    bench.query_program(program)
    for options in ("-D WHOLE=1", f"-D {BREAKING_MACRO}=1", "-D WHOLE=2", f"-D {BREAKING_MACRO}=2"):
        bench.build(program, options)
        bench.query_program(program)


@cases.declare("clCreateKernelsInProgram/success", "the kernels are counted again", KERNEL_COUNT, KERNEL_NAMES)
def count_kernels_after_each_build(bench: BuildKit) -> None:
    """Build a program three times; after each build, create, count and release all of its kernels."""
    program = bench.program("add_index")
    for _ in REPETITIONS:
        bench.build(program)
        bench.query_program(program)
        room = OutputBuffer(KERNEL_ARRAY_SIZE)
        for kernel in returned_handles(
            bench.cl.clCreateKernelsInProgram(program, KERNEL_ARRAY_SIZE, room, OutputBuffer(1)), "kernels"
        ):
            bench.cl.clReleaseKernel(kernel)
