"""Builds, compilation and linking of programs (sections 5.8.4 and 5.8.5): invalid and valid variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, OutputBuffer, Text, Texts
from clconform.oracles.chapters.programs.options import CURRENT_DIRECTORY
from clconform.oracles.model.program_sources import INVALID_LINE, PARTS, include_line
from clconform.suites.errors.negative_cases import Variation, VariationRegistry, bind_values
from clconform.suites.helpers import is_available, is_success, require_handle, skip_unless
from clconform.suites.kit.kit import Kit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from clconform.calls.values import Handle, Value
    from clconform.suites.kit.valid_calls import Arguments

variations = VariationRegistry()

UNKNOWN = Text("-no-option-has-this-name")
MATHEMATICS = (
    "-cl-denorms-are-zero -cl-fast-relaxed-math -cl-finite-math-only -cl-mad-enable -cl-no-signed-zeros "
    "-cl-single-precision-constant -cl-unsafe-math-optimizations"
)
OPTIONS = (
    MATHEMATICS,
    "-cl-opt-disable",
    "-D UNUSED -D OTHER=2",
    f"-I {CURRENT_DIRECTORY}",
    "-w",
    "-Werror",
    "-cl-kernel-arg-info",
    "-cl-std=CL1.2",
    "-cl-fp32-correctly-rounded-divide-sqrt",
    "-cl-uniform-work-group-size -g",
    "-cl-no-subgroup-ifp",
)
"""Strings of compiler options. Compatible options are combined into one string."""

# clBuildProgram and clCompileProgram


@variations.declare(
    "clBuildProgram/CL_INVALID_DEVICE/1", "clCompileProgram/CL_INVALID_DEVICE/1", "clLinkProgram/CL_INVALID_DEVICE/1"
)
def devices_outside_the_context() -> Iterator[Variation]:
    """Yield NULL in the list of devices, and a device outside the context."""
    yield Variation("NULL in device_list", {"device_list": ElementList((None,))})
    yield Variation(
        "a device not in the context", lambda kit, _given: {"device_list": ElementList((kit.other_available_device,))}
    )


@variations.declare(
    "clBuildProgram/CL_INVALID_BUILD_OPTIONS/1",
    "clCompileProgram/CL_INVALID_COMPILER_OPTIONS/1",
    "clLinkProgram/CL_INVALID_LINKER_OPTIONS/1",
)
def unknown_options() -> Iterator[Variation]:
    """Yield an option that no document defines."""
    yield Variation("an option of nobody", {"options": UNKNOWN})


@variations.declare(
    "clBuildProgram/CL_COMPILER_NOT_AVAILABLE/1",
    "clCompileProgram/CL_COMPILER_NOT_AVAILABLE/1",
    "clLinkProgram/CL_LINKER_NOT_AVAILABLE/1",
)
def unsupported_valid_calls() -> Iterator[Variation]:
    """Yield the valid call, which must fail on a device without a compiler or linker."""
    yield Variation("the valid call", {})


@variations.declare("clBuildProgram/CL_BUILD_PROGRAM_FAILURE/1", "clCompileProgram/CL_COMPILE_PROGRAM_FAILURE/1")
def invalid_sources() -> Iterator[Variation]:
    """Yield a source that must not compile, alone and before a kernel."""
    yield Variation("#error", lambda kit, _given: {"program": kit.program_from_source(INVALID_LINE)})
    yield Variation(
        "#error before a kernel",
        lambda kit, _given: {"program": kit.program_from_source(INVALID_LINE, PARTS["add_index"])},
    )


@variations.declare("clBuildProgram/CL_INVALID_OPERATION/2", "clCompileProgram/CL_INVALID_OPERATION/2")
def programs_with_kernels() -> Iterator[Variation]:
    """Yield a program with a kernel: a new kernel, a retained and released kernel, or a clone of a released kernel."""
    yield Variation("a kernel", _with_kernel)
    yield Variation("a kernel that was retained and released", _with_retained_kernel)
    yield Variation("a clone", _with_clone)


def _with_kernel(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    program = kit.built_program("add_index")
    kit.kernel("add_index", program)
    return {"program": program}


def _with_retained_kernel(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    program = kit.built_program("add_index")
    kernel = kit.kernel("add_index", program)
    kit.cl.clRetainKernel(kernel)
    kit.cl.clReleaseKernel(kernel)
    return {"program": program}


def _with_clone(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    skip_unless(is_available(kit.cl, "clCloneKernel"), "requires OpenCL 2.1 (clones of kernels)")
    program = kit.built_program("add_index")
    kernel = kit.kernel("add_index", program)
    require_handle(kit.cl.clCloneKernel(kernel, OutputBuffer(1)))
    kit.cl.clReleaseKernel(kernel)
    return {"program": program}


@variations.declare("clBuildProgram/CL_INVALID_OPERATION/3", "clCompileProgram/CL_INVALID_OPERATION/3")
def programs_without_source() -> Iterator[Variation]:
    """Yield programs without source code: a program of built-in kernels, and a linked program."""
    yield Variation("a built-in kernel", lambda kit, _given: {"program": kit.program_from_built_in_kernels(1)})
    yield Variation(
        "a linked program", lambda kit, _given: {"program": kit.linked_program(kit.compiled_program("add_index"))}
    )


@variations.declare("clCompileProgram/CL_INVALID_OPERATION/3")
def programs_from_binaries() -> Iterator[Variation]:
    """Yield a program from a binary."""
    yield Variation("a binary", _with_binary)


def _with_binary(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    return {"program": kit.program_from_bytes(kit.get_binary(kit.built_program("add_index")))}


@variations.declare("clBuildProgram/success", "clCompileProgram/success")
def valid_options() -> Iterator[Variation]:
    """Yield changes of arguments that keep a build valid.

    They pass NULL or a specified option as options, NULL as device_list, a program with an existing kernel, or a
    program from IL with ``-Werror``.
    """
    yield Variation("options=NULL", {"options": None})
    yield Variation("device_list=NULL", {"num_devices": 0, "device_list": None})
    for each in OPTIONS:
        yield Variation(each, {"options": Text(each)})
    yield Variation("with a kernel of another program", _with_kernel_of_another_program)
    yield Variation(
        "a module, -Werror", lambda kit, _given: {"program": kit.program_from_il(), "options": Text("-Werror")}
    )


def _with_kernel_of_another_program(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    """Create a kernel of another program than the built one.

    Return an empty mapping, because the arguments stay valid.
    """
    kit.kernel("add_index")
    return {}


@variations.declare("clCompileProgram/CL_INVALID_PROGRAM/1")
def null_programs() -> Iterator[Variation]:
    """Yield NULL as the program to compile, without headers and with a valid header."""
    yield Variation("program=NULL", {"program": None})
    yield Variation(
        "program=NULL with a header", lambda kit, given: {**_with_headers(kit, given, 1, True, True), "program": None}
    )


@variations.declare("clCompileProgram/CL_INVALID_VALUE/2")
def inconsistent_headers() -> Iterator[Variation]:
    """Yield headers with 0 as their number, and the number 1 with NULL as the headers or as their names."""
    yield Variation("num_input_headers=0 with headers", bind_values(_with_headers, 0, True, True))
    yield Variation("num_input_headers=0 with header_include_names", bind_values(_with_headers, 0, False, True))
    yield Variation("num_input_headers=0 with input_headers", bind_values(_with_headers, 0, True, False))
    yield Variation("num_input_headers=1 with NULL", bind_values(_with_headers, 1, False, False))
    yield Variation("num_input_headers=1, input_headers=NULL", bind_values(_with_headers, 1, False, True))
    yield Variation("num_input_headers=1, header_include_names=NULL", bind_values(_with_headers, 1, True, False))


@variations.declare("clCompileProgram/success")
def valid_headers() -> Iterator[Variation]:
    """Yield a header that the source includes, and a header that the source does not include."""
    yield Variation("an unused header", bind_values(_with_headers, 1, True, True))
    yield Variation("a header", _with_included_header)


def _with_headers(kit: Kit, _given: Arguments, number: int, programs: bool, names: bool) -> Mapping[str, Value]:  # noqa: FBT001 (bound)
    given = ElementList((kit.program_from_source("#define UNUSED 1\n"),)) if programs else None
    named = Texts(("unused.h",)) if names else None
    return {"num_input_headers": number, "input_headers": given, "header_include_names": named}


def _with_included_header(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    header, name = kit.program_from_source(PARTS["add_index"]), "kernels.h"
    given: dict[str, Value] = {"input_headers": ElementList((header,)), "header_include_names": Texts((name,))}
    return {"program": kit.program_from_source(include_line(name)), "num_input_headers": 1, **given}


@variations.declare("clCompileProgram/CL_INVALID_CONTEXT/1")
def headers_of_another_context() -> Iterator[Variation]:
    """Yield a header program of another context."""
    yield Variation("a header of another context", _with_foreign_header)


def _with_foreign_header(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    header = kit.foreign.program_from_source("#define UNUSED 1\n")
    return {
        "num_input_headers": 1,
        "input_headers": ElementList((header,)),
        "header_include_names": Texts(("unused.h",)),
    }


# clLinkProgram


@variations.declare("clLinkProgram/CL_INVALID_CONTEXT/2")
def inputs_of_another_context() -> Iterator[Variation]:
    """Yield a compiled program of another context."""
    yield Variation(
        "a program of another context",
        lambda kit, _given: {"input_programs": ElementList((kit.foreign.compiled_program("add_index"),))},
    )


@variations.declare("clLinkProgram/CL_INVALID_VALUE/2")
def empty_inputs() -> Iterator[Variation]:
    """Yield 0 as the number of programs, and NULL as the list of programs."""
    yield Variation("num_input_programs=0", {"num_input_programs": 0})
    yield Variation("input_programs=NULL", {"input_programs": None})
    yield Variation("num_input_programs=0, input_programs=NULL", {"num_input_programs": 0, "input_programs": None})


@variations.declare("clLinkProgram/CL_INVALID_OPERATION/2")
def uncompiled_inputs() -> Iterator[Variation]:
    """Yield lists that contain a program without a compilation, with a failed compilation, or created from IL."""
    yield Variation("compiled, and not", bind_values(_with_uncompiled_input, False))
    yield Variation("not compiled, and compiled", bind_values(_with_uncompiled_input, True))
    yield Variation("not compiled", lambda kit, _given: {"input_programs": ElementList((kit.program("add_index"),))})
    yield Variation(
        "compiled, and not compiled with success", bind_values(_with_additional_input, _create_failed_compilation)
    )
    yield Variation("compiled, and from a language", bind_values(_with_additional_input, Kit.program_from_il))


def _with_additional_input(kit: Kit, given: Arguments, create: Callable[[Kit], Handle]) -> Mapping[str, Value]:
    compiled = given["input_programs"].values if isinstance(given["input_programs"], ElementList) else ()
    return {"num_input_programs": 2, "input_programs": ElementList((*compiled, create(kit)))}


def _create_failed_compilation(kit: Kit) -> Handle:
    program = kit.program_from_source(INVALID_LINE)
    given = (1, ElementList((kit.cl.device,)), Text(""), 0, None, None, None, None)
    skip_unless(not is_success(kit.cl.clCompileProgram(program, *given)), "the driver compiles an invalid program")
    return program


def _with_uncompiled_input(kit: Kit, given: Arguments, first: bool) -> Mapping[str, Value]:  # noqa: FBT001 (bound)
    compiled = given["input_programs"].values if isinstance(given["input_programs"], ElementList) else ()
    pair = (*compiled, kit.program("copy_plus_one"))
    return {"num_input_programs": 2, "input_programs": ElementList(pair[::-1] if first else pair)}


@variations.declare("clLinkProgram/CL_LINK_PROGRAM_FAILURE/1")
def undefined_functions() -> Iterator[Variation]:
    """Yield a compiled kernel that calls an undefined function."""
    yield Variation("a function without a definition", bind_values(_with_parts, "caller"))


@variations.declare("clLinkProgram/success")
def valid_links() -> Iterator[Variation]:
    """Yield valid links.

    They link several programs or a library, pass linker options, or pass NULL as the options or as the device list.
    """
    yield Variation("options=NULL", {"options": None})
    yield Variation("device_list=NULL", {"num_devices": 0, "device_list": None})
    yield Variation("two programs", bind_values(_with_parts, "add_index", "copy_plus_one"))
    yield Variation("a function of another program", bind_values(_with_parts, "caller", "definition"))
    yield Variation("-create-library", {"options": Text("-create-library")})
    yield Variation("-create-library without a definition", _with_incomplete_library)
    yield Variation("the same kernel twice", bind_values(_with_parts, "copy_plus_one", "copy_plus_one"))
    yield Variation("-enable-link-options", {"options": Text("-create-library -enable-link-options")})
    mathematics = "-cl-denorms-are-zero -cl-fast-relaxed-math -cl-finite-math-only -cl-no-signed-zeros"
    every = f"{mathematics} -cl-unsafe-math-optimizations"
    yield Variation(every, {"options": Text(every)})
    yield Variation("-cl-no-subgroup-ifp", {"options": Text("-cl-no-subgroup-ifp")})


def _with_incomplete_library(kit: Kit, given: Arguments) -> Mapping[str, Value]:
    return {**_with_parts(kit, given, "caller"), "options": Text("-create-library")}


def _with_parts(kit: Kit, _given: Arguments, *parts: str) -> Mapping[str, Value]:
    programs = tuple(kit.compiled_program(part) for part in parts)
    return {"num_input_programs": len(programs), "input_programs": ElementList(programs)}
