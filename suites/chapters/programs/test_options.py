"""Build options and their effects: a kernel writes the macros that it was compiled with (section 5.8.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, Text, Texts
from clconform.oracles.model.option_kernels import ECHO_OPTIONS, WORDS
from clconform.oracles.model.program_sources import PARTS
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.suites.cases import CaseRegistry
from clconform.suites.chapters.programs.echo_kernels import build_and_read
from clconform.suites.helpers import is_available, skip_unless
from clconform.suites.kit.kit import Kit

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "programs.options"
RUN, BUILT, COMPILED = (f"{name}/success" for name in ("clEnqueueNDRangeKernel", "clBuildProgram", "clCompileProgram"))
AS_ONE, AS_TOKENS = (f"OpenCL:preprocessor-options/{number}" for number in (3, 4))
NOT_REQUESTED, FAST_MATH = (f"OpenCL:optimization-options/{number}" for number in (2, 3))
STANDARDS = {
    "": ("count_bits", "OpenCL:options-controlling-the-opencl-c-version/10"),
    "-cl-std=CL1.1": ("three_numbers", "OpenCL:options-controlling-the-opencl-c-version/6"),
    "-cl-std=CL1.2": ("count_bits", "OpenCL:options-controlling-the-opencl-c-version/7"),
    "-cl-std=CL2.0": ("by_linear_id", "OpenCL:options-controlling-the-opencl-c-version/8"),
    "-cl-std=CL3.0": ("by_linear_id", "OpenCL:options-controlling-the-opencl-c-version/9"),
}
"""Maps options for versions of OpenCL C to the source part that requires the version, and to the exercised effect."""
REJECTED = {
    "a version that the device lacks": ("-cl-std=CL2.0", "OpenCL:options-controlling-the-opencl-c-version/3"),
    "roots that the device does not round": (
        "-cl-fp32-correctly-rounded-divide-sqrt",
        "OpenCL:math-intrinsics-options/1",
    ),
}
"""Maps descriptions to options that a device may have to reject, and to the exercised effect."""
REJECTIONS = (
    "clBuildProgram/CL_INVALID_BUILD_OPTIONS/1",
    "clBuildProgram/CL_BUILD_PROGRAM_FAILURE/1",
    "clCompileProgram/CL_INVALID_COMPILER_OPTIONS/1",
    "clCompileProgram/CL_COMPILE_PROGRAM_FAILURE/1",
)
FOR_SOURCES = (
    "OpenCL:preprocessor-options/2",
    "OpenCL:math-intrinsics-options/3",
    "OpenCL:options-to-request-or-suppress-warnings/1",
    "OpenCL:options-controlling-the-opencl-c-version/5",
)
OPTIONS: dict[str, tuple[str, ...]] = {
    "-D FIRST": (AS_ONE,),
    "-D FIRST -D SECOND": (AS_ONE,),
    "-D FIRST=7": (AS_TOKENS,),
    "-D FIRST= -D SECOND=3": (AS_TOKENS,),
    "-D FIRST=2+3": (AS_TOKENS,),
    "-D SECOND=FIRST -D FIRST=2+3": (AS_TOKENS,),
    "-w -D FIRST=5 -D SECOND=FIRST -cl-mad-enable": (AS_TOKENS, NOT_REQUESTED),
    "-cl-fast-relaxed-math": (FAST_MATH,),
    "-cl-fast-relaxed-math -D SECOND": (FAST_MATH, AS_ONE),
    "": (NOT_REQUESTED,),
}
"""Maps build options to the effects that they exercise."""
cases: CaseRegistry[Kit] = CaseRegistry(Kit)
test_build_options_take_effect = TableTest(cases)


@cases.declare_family
def option_cases() -> Iterator[TableCase]:
    """Yield a build with each build option."""
    for words, (requirement, *others) in OPTIONS.items():
        yield cases.create_case(
            requirement, words or "no options", build_and_read_options, words, others=(RUN, BUILT, *others)
        )


@cases.declare_family
def version_cases() -> Iterator[TableCase]:
    """Yield builds with each version option, without one, and with options that the device may have to reject."""
    for option, (part, requirement) in STANDARDS.items():
        yield cases.create_case(
            requirement, option or "no version named", build_with_option, option, part, others=(BUILT, COMPILED)
        )
    for words, (option, requirement) in REJECTED.items():
        yield cases.create_case(requirement, words, build_with_option, option, "add_index", others=REJECTIONS)


def build_with_option(kit: Kit, option: str, part: str) -> None:
    """Build and compile a source part with an option."""
    for function, headers in (("clBuildProgram", ()), ("clCompileProgram", (0, None, None))):
        if is_available(kit.cl, function):
            program, devices = kit.program_from_source(PARTS[part]), (1, ElementList((kit.cl.device,)))
            getattr(kit.cl, function)(program, *devices, Text(option), *headers, None, None)


@cases.declare(BUILT, "a module with options of sources", *FOR_SOURCES)
def build_module_with_options(kit: Kit) -> None:
    """Build and compile an IL module with options that apply to OpenCL C sources only."""
    for options in ("-D UNUSED=1", "-w", "-cl-std=CL1.2", "-cl-single-precision-constant"):
        kit.try_build(kit.program_from_il(), options)


@cases.declare(COMPILED, "a module with headers", "clCompileProgram/effect/14")
def compile_module_with_headers(kit: Kit) -> None:
    """Compile an IL module with a header, although headers apply to OpenCL C sources only."""
    skip_unless(is_available(kit.cl, "clCompileProgram"), "requires OpenCL 1.2 (compiled programs)")
    program, header = kit.program_from_il(), kit.program_from_source("#define UNUSED 1\n")
    headers = (1, ElementList((header,)), Texts(("unused.h",)))
    kit.cl.clCompileProgram(program, 1, ElementList((kit.cl.device,)), Text(""), *headers, None, None)


@cases.declare(BUILT, "built again with other definitions", RUN, AS_TOKENS)
def build_with_other_definitions(kit: Kit) -> None:
    """Build a program twice with different definitions, and check that the second build ignores those of the first."""
    program = kit.program_from_source(ECHO_OPTIONS.source)
    for options in ("-D FIRST=7 -D SECOND=8", "-D SECOND=9"):
        build_and_read(kit, program, ECHO_OPTIONS.name, WORDS, options)


@cases.declare(BUILT, "a binary without options", RUN, "clBuildProgram/effect/5")
def build_binary_without_options(kit: Kit) -> None:
    """Build a program with options, then build its binary without options; the binary keeps the first options."""
    program = kit.program_from_source(ECHO_OPTIONS.source)
    build_and_read(kit, program, ECHO_OPTIONS.name, WORDS, "-D FIRST=7 -D SECOND")
    build_and_read(kit, kit.program_from_bytes(kit.get_binary(program)), ECHO_OPTIONS.name, WORDS, None)


def build_and_read_options(kit: Kit, options: str) -> None:
    """Build the kernel with options, and read the values that it writes."""
    build_and_read(kit, kit.program_from_source(ECHO_OPTIONS.source), ECHO_OPTIONS.name, WORDS, options)
