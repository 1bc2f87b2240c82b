"""Programs that are built several times: their properties after each build, and independence of programs (5.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, HostCallback, OutputBuffer, Text
from clconform.oracles.model.feature_sources import FEATURES as FEATURES_OF_C
from clconform.oracles.model.feature_sources import macro_of, part_needing_feature
from clconform.oracles.model.program_sources import (
    BREAKING_MACRO,
    EXTRA_KERNEL_MACRO,
    INVALID_LINE,
    OPTIONAL_KERNEL,
    PARTS,
    PORTABLE_KERNELS,
    include_line,
)
from clconform.runner.pytest_plugin.covers import TableTest
from clconform.suites.cases import CaseRegistry
from clconform.suites.chapters.execution.kernels import set_arguments
from clconform.suites.chapters.notifications.callbacks import CALLBACK_NAME, await_callback
from clconform.suites.chapters.programs.build_kit import (
    DEVICES,
    KERNEL_COUNT,
    KERNEL_NAMES,
    LOG,
    OPTIONS,
    STATUS,
    TYPE,
    BuildKit,
)
from clconform.suites.helpers import has_version, is_available, require_handle, skip_unless

if TYPE_CHECKING:
    from clconform.calls.values import Handle

NAME = "programs.builds"
BUILT, COMPILED, LINKED = "clBuildProgram/success", "clCompileProgram/success", "clLinkProgram/success"
DATA = 11
COUNTING = "count_bits"
"""The name of a kernel that is also that of its source part.

The kernel requires OpenCL C 1.2, as compilation and linking do.
"""
FEATURES, FOR_FEATURES = "CL_DEVICE_OPENCL_C_FEATURES", "-cl-std=CL3.0"
UNIQUE_WORD = "of_an_earlier_build_only"
"""A word that a program contains only with the options of one build."""


cases: CaseRegistry[BuildKit] = CaseRegistry(BuildKit)
test_build_properties_follow_the_last_build = TableTest(cases)


@cases.declare(BUILT, "before and after a build", STATUS, OPTIONS, LOG, TYPE)
def query_around_build(bench: BuildKit) -> None:
    """Query a program before and after its build."""
    program = bench.program("add_index")
    bench.query_program(program)
    bench.build(program, "-D FIRST=1")
    bench.query_program(program)
    bench.kernel("add_index", program)


@cases.declare(COMPILED, "an empty source", STATUS, TYPE)
def compile_empty_source(bench: BuildKit) -> None:
    """Compile an empty string, which is valid OpenCL C, and link the program with another program."""
    nothing = bench.program_from_source("")
    bench.compile(nothing)
    bench.query_program(nothing)
    bench.link_and_query(nothing, bench.compiled_program("add_index"))


@cases.declare(BUILT, "an empty source is built", STATUS, TYPE)
def build_empty_source(bench: BuildKit) -> None:
    """Build an empty string, which does not contain kernels."""
    program = bench.program_from_source("")
    bench.build(program)
    bench.query_program(program)


@cases.declare(BUILT, "built again with other options", OPTIONS)
def build_with_other_options(bench: BuildKit) -> None:
    """Build a program three times with different options."""
    program = bench.program("add_index")
    for options in ("-D FIRST=1", "-w -D SECOND=2", None):
        bench.build(program, options)
        bench.query_program(program)


@cases.declare(BUILT, "built again with other kernels", KERNEL_NAMES, KERNEL_COUNT)
def build_with_other_kernels(bench: BuildKit) -> None:
    """Build a program repeatedly, alternately with and without an additional kernel, and query its binaries."""
    program = bench.program_from_source(PARTS[OPTIONAL_KERNEL])
    for options in (f"-D {EXTRA_KERNEL_MACRO}", "", f"-D {EXTRA_KERNEL_MACRO}=1", ""):
        bench.build(program, options)
        bench.query_program(program)
        bench.get_binary(program)


@cases.declare(BUILT, "built after a failure", LOG, STATUS)
def build_after_failure(bench: BuildKit) -> None:
    """Build a program with options that make it invalid, then without them."""
    program = bench.program_from_source(PARTS["breakable"])
    bench.build(program, f"-D {BREAKING_MACRO}={UNIQUE_WORD}")
    bench.query_program(program)
    bench.build(program, "-D WHOLE=1")
    bench.query_program(program)


@cases.declare("clBuildProgram/CL_BUILD_PROGRAM_FAILURE/1", "failed after a success", STATUS, OPTIONS)
def fail_after_success(bench: BuildKit) -> None:
    """Build a program, then build it again with options that make it invalid."""
    program = bench.program_from_source(PARTS["breakable"])
    bench.build(program)
    bench.build(program, f"-D {BREAKING_MACRO}={UNIQUE_WORD}")
    bench.query_program(program)


@cases.declare("clBuildProgram/CL_BUILD_PROGRAM_FAILURE/1", "one of two programs", STATUS, LOG)
def build_valid_and_invalid(bench: BuildKit) -> None:
    """Build a valid program, an invalid program and a third program. No build may affect another program."""
    right, wrong, untouched = (
        bench.program("add_index"),
        bench.program_from_source(INVALID_LINE),
        bench.program("copy_plus_one"),
    )
    bench.build(right)
    bench.build(wrong, "-D WRONG=1")
    for program in (right, wrong, untouched):
        bench.query_program(program)
    bench.kernel("add_index", right)


@cases.declare("clCompileProgram/CL_COMPILE_PROGRAM_FAILURE/1", "compiled after a failure", STATUS, OPTIONS)
def compile_after_failure(bench: BuildKit) -> None:
    """Compile a program with options that make it invalid, then without them."""
    program = bench.program_from_source(PARTS["breakable"])
    bench.compile(program, f"-D {BREAKING_MACRO}={UNIQUE_WORD}")
    bench.query_program(program)
    bench.compile(program)
    bench.query_program(program)


@cases.declare(COMPILED, "compiled and linked", LINKED, TYPE, KERNEL_NAMES)
def compile_and_link(bench: BuildKit) -> None:
    """Compile two programs, one of which calls a function of the other, and link them."""
    caller, definition = bench.program_from_source(PARTS["caller"]), bench.program_from_source(PARTS["definition"])
    for program in (caller, definition):
        bench.compile(program, "-D PART=1")
        bench.query_program(program)
    bench.link_and_query(caller, definition)


@cases.declare(LINKED, "programs with a kernel each", KERNEL_NAMES, KERNEL_COUNT)
def link_several_kernels(bench: BuildKit) -> None:
    """Link three programs with one kernel each, query the kernels of the result, and create them."""
    linked = bench.link_and_query(*(bench.compiled_program(part) for part in (*PORTABLE_KERNELS, COUNTING)))
    if linked is not None:
        for name in (*PORTABLE_KERNELS, COUNTING):
            bench.cl.clCreateKernel(linked, Text(name), OutputBuffer(1))


@cases.declare(LINKED, "again, after an input is compiled again", KERNEL_NAMES, KERNEL_COUNT, COMPILED)
def link_again_after_compilation(bench: BuildKit) -> None:
    """Link a program, compile it again without one of its kernels, and link it again.

    The first linked program keeps both kernels.
    """
    program = bench.program_from_source(PARTS[OPTIONAL_KERNEL])
    linked = []
    for options in (f"-D {EXTRA_KERNEL_MACRO}", ""):
        bench.compile(program, options)
        linked.append(bench.link(program))
    for each in linked:
        if each is not None:
            bench.query_program(each)
            bench.cl.clCreateKernel(each, Text("copy_plus_one"), OutputBuffer(1))


@cases.declare(LINKED, "a library", TYPE, "OpenCL:library-linking-options/1")
def link_with_library(bench: BuildKit) -> None:
    """Create a library with a function, and link a kernel that calls the function with the library."""
    library = bench.link(bench.compiled_program("definition"), options="-create-library")
    skip_unless(library, "the driver does not make the library")
    if library is not None:
        bench.query_program(library)
        bench.link_and_query(bench.compiled_program("caller"), library)


@cases.declare(
    "clLinkProgram/CL_LINK_PROGRAM_FAILURE/1", "the program of a failed link", STATUS, "clLinkProgram/effect/16"
)
def fail_to_link(bench: BuildKit) -> None:
    """Link a kernel that calls an undefined function; the driver returns a program with an error status."""
    bench.link_and_query(bench.compiled_program("caller"))


@cases.declare(COMPILED, "a header", KERNEL_NAMES, "clCompileProgram/effect/5", "clCompileProgram/effect/6")
def compile_with_headers(bench: BuildKit) -> None:
    """Compile a program that includes two headers; the list of headers has them in the opposite order."""
    one, other = bench.program_from_source(PARTS["add_index"]), bench.program_from_source(PARTS["copy_plus_one"])
    program = bench.program_from_source(include_line("first.h"), include_line("second.h"))
    bench.compile(program, second=other, first=one)
    bench.link_and_query(program)


@cases.declare(COMPILED, "two headers of one name", KERNEL_NAMES, "clCompileProgram/effect/8")
def compile_with_headers_of_one_name(bench: BuildKit) -> None:
    """Compile a program with two headers of one name; the first header is used."""
    first, second = bench.program_from_source(PARTS["add_index"]), bench.program_from_source(PARTS["copy_plus_one"])
    program = bench.program_from_source(include_line("twice.h"))
    bench.compile(program, twice=first, twice_=second)
    bench.link_and_query(program)


@cases.declare(COMPILED, "compiled after a build", TYPE, STATUS)
def compile_after_build(bench: BuildKit) -> None:
    """Build a program, compile it, and build it again."""
    program = bench.program("add_index")
    bench.build(program, "-D BUILT=1")
    bench.compile(program, "-D COMPILED=1")
    bench.query_program(program)
    bench.build(program, "-D AGAIN=1")
    bench.query_program(program)


@cases.declare(
    "clCreateProgramWithBinary/success", "the binary of an executable", KERNEL_NAMES, "clBuildProgram/effect/11"
)
def load_executable(bench: BuildKit) -> None:
    """Create a program from an executable's binary, and build it."""
    program = bench.program_from_bytes(bench.get_binary(bench.built_program("add_index")))
    bench.query_program(program)
    bench.build(program, None)
    bench.query_program(program)
    bench.kernel("add_index", program)


@cases.declare(
    "clCreateProgramWithBinary/success", "the binary of a compiled program", TYPE, "clCompileProgram/effect/13"
)
def load_compiled_program(bench: BuildKit) -> None:
    """Create a program from a compiled program's binary, and link it."""
    program = bench.program_from_bytes(bench.get_binary(bench.compiled_program("add_index")))
    bench.query_program(program)
    bench.link_and_query(program)


@cases.declare("clCreateProgramWithBinary/success", "the binary of a library", TYPE, "clLinkProgram/effect/14")
def load_library(bench: BuildKit) -> None:
    """Create a program from a library's binary."""
    library = bench.linked_program(bench.compiled_program("definition"), options="-create-library")
    bench.query_program(bench.program_from_bytes(bench.get_binary(library)))


@cases.declare(
    "clUnloadPlatformCompiler/success",
    "a build after it",
    "clUnloadPlatformCompiler/effect/1",
    "clUnloadPlatformCompiler/CL_INVALID_PLATFORM/1",
)
def build_after_unloading_platform_compiler(bench: BuildKit) -> None:
    """Unload the platform's compiler between two builds."""
    skip_unless(is_available(bench.cl, "clUnloadPlatformCompiler"), "requires OpenCL 1.2 (clUnloadPlatformCompiler)")
    program = bench.program("add_index")
    for _ in range(2):
        bench.build(program)
        bench.cl.clUnloadPlatformCompiler(bench.cl.platform)
    bench.cl.clUnloadPlatformCompiler(None)
    bench.query_program(program)


@cases.declare("clUnloadCompiler/success", "a build after it", "clUnloadCompiler/effect/1")
def build_after_unloading_compiler(bench: BuildKit) -> None:
    """Unload all compilers between two builds, with the deprecated function."""
    skip_unless(is_available(bench.cl, "clUnloadCompiler"), "the platform need not have clUnloadCompiler")
    program = bench.program("add_index")
    for _ in range(2):
        bench.build(program)
        bench.cl.clUnloadCompiler()


@cases.declare(
    "clBuildProgram/CL_INVALID_OPERATION/2", "built after its kernels are released", "clReleaseKernel/effect/2"
)
def build_after_kernel_release(bench: BuildKit) -> None:
    """Build a program while one of its kernels exists, and again after the kernel's release."""
    program = bench.built_program("add_index")
    kernel = bench.kernel("add_index", program)
    bench.build(program, "-D REFUSED=1")
    bench.query_program(program)
    bench.cl.clReleaseKernel(kernel)
    bench.build(program, "-D TAKEN=1")
    bench.query_program(program)


@cases.declare("clBuildProgram/CL_INVALID_OPERATION/1", "during a build")
def build_during_build(bench: BuildKit) -> None:
    """Build a program asynchronously, and build it again before the first build is known to be complete."""
    program = bench.program()
    bench.build(program, "-D FIRST=1", CALLBACK_NAME)
    bench.build(program, "-D SECOND=1")
    await_callback(bench.cl)
    bench.query_build(program, STATUS, bench.cl.device)


@cases.declare("clCompileProgram/CL_INVALID_OPERATION/1", "during a build")
def compile_during_build(bench: BuildKit) -> None:
    """Build a program asynchronously, and compile it before the build is known to be complete."""
    skip_unless(is_available(bench.cl, "clCompileProgram"), "requires OpenCL 1.2 (compiled programs)")
    program = bench.program()
    bench.build(program, "-D FIRST=1", CALLBACK_NAME)
    bench.compile(program, "-D SECOND=1")
    await_callback(bench.cl)
    bench.query_build(program, STATUS, bench.cl.device)


@cases.declare(
    "clCreateKernel/CL_INVALID_PROGRAM_EXECUTABLE/1",
    "during a build",
    "clCreateKernelsInProgram/CL_INVALID_PROGRAM_EXECUTABLE/1",
)
def create_kernels_during_build(bench: BuildKit) -> None:
    """Build a program asynchronously, and request its kernels before and after the build is known to be complete."""
    program = bench.program("add_index")
    bench.build(program, "", CALLBACK_NAME)
    for _ in range(2):
        bench.cl.clCreateKernel(program, Text("add_index"), OutputBuffer(1))
        bench.cl.clCreateKernelsInProgram(program, 1, OutputBuffer(1), OutputBuffer(1))
        await_callback(bench.cl)


@cases.declare("clLinkProgram/CL_INVALID_OPERATION/1", "during a compilation")
def link_during_compilation(bench: BuildKit) -> None:
    """Compile a program asynchronously, and link it before the compilation is known to be complete."""
    skip_unless(is_available(bench.cl, "clCompileProgram"), "requires OpenCL 1.2 (compiled programs)")
    program = bench.program()
    bench.cl.clCompileProgram(
        program, *bench.device_under_test, Text(""), 0, None, None, HostCallback(CALLBACK_NAME), None
    )
    bench.link(program)
    await_callback(bench.cl)
    bench.query_build(program, STATUS, bench.cl.device)


def compile_and_await_callback(bench: BuildKit, program: Handle) -> None:
    """Compile a program with a callback, wait for the callback, and query the status."""
    skip_unless(is_available(bench.cl, "clCompileProgram"), "requires OpenCL 1.2 (compiled programs)")
    bench.cl.clCompileProgram(
        program, *bench.device_under_test, Text(""), 0, None, None, HostCallback(CALLBACK_NAME), DATA
    )
    await_callback(bench.cl)
    bench.query_build(program, STATUS, bench.cl.device)


@cases.declare(COMPILED, "callback after compiling", "clCompileProgram/effect/9", "clCompileProgram/effect/12")
def compile_with_callback(bench: BuildKit) -> None:
    """Compile a program with a callback."""
    compile_and_await_callback(bench, bench.program("add_index"))


@cases.declare(
    "clCompileProgram/CL_COMPILE_PROGRAM_FAILURE/1", "callback after a failure", STATUS, "clCompileProgram/effect/9"
)
def fail_to_compile_with_callback(bench: BuildKit) -> None:
    """Compile an invalid program with a callback."""
    compile_and_await_callback(bench, bench.program_from_source(INVALID_LINE))


@cases.declare(LINKED, "callback after linking", "clLinkProgram/effect/9", "clLinkProgram/effect/10")
def link_with_callback(bench: BuildKit) -> None:
    """Link a program with a callback."""
    compiled = ElementList((bench.compiled_program("add_index"),))
    callback, number = HostCallback(CALLBACK_NAME), OutputBuffer(1)
    outcome = bench.cl.clLinkProgram(
        bench.context, *bench.device_under_test, Text(""), 1, compiled, callback, DATA, number
    )
    program = require_handle(outcome)
    await_callback(bench.cl)
    bench.query_build(program, STATUS, bench.cl.device)


@cases.declare(BUILT, "callback, and the status after it", STATUS, "clBuildProgram/effect/8")
def build_with_callback(bench: BuildKit) -> None:
    """Build a program with a callback, and query the status after the callback."""
    program = bench.program("add_index")
    bench.build(program, "-D FIRST=1", CALLBACK_NAME)
    await_callback(bench.cl)
    bench.query_build(program, STATUS, bench.cl.device)


@cases.declare(
    "clReleaseProgram/success", "a kernel of a released program", "clReleaseProgram/effect/2", "CL_KERNEL_PROGRAM"
)
def release_before_kernel(bench: BuildKit) -> None:
    """Release a program while one of its kernels exists, and run the kernel."""
    program = bench.built_program("add_index")
    kernel = set_arguments(bench, bench.kernel("add_index", program), bench.first_buffer)
    bench.cl.clReleaseProgram(program)
    for query in ("PROGRAM", "CONTEXT", "FUNCTION_NAME"):
        bench.cl.query("clGetKernelInfo", kernel, f"CL_KERNEL_{query}")
    sizes = {"work_dim": 1, "global_work_offset": None, "global_work_size": ElementList((4,)), "local_work_size": None}
    bench.enqueue("clEnqueueNDRangeKernel", kernel=kernel, **sizes)
    bench.read(bench.first_buffer, 0, 16)


@cases.declare("clRetainProgram/effect/1", "references of a program", "clRetainProgram/effect/2")
def query_reference_counts(bench: BuildKit) -> None:
    """Query the reference count of a program before and after a retain."""
    program = bench.program("add_index")
    for _ in range(2):
        bench.cl.query("clGetProgramInfo", program, "CL_PROGRAM_REFERENCE_COUNT")
        bench.cl.clRetainProgram(program)


@cases.declare(COMPILED, "for one of several devices", STATUS, "clCompileProgram/effect/2", "clLinkProgram/effect/3")
def compile_for_one_device(bench: BuildKit) -> None:
    """Compile a program for one of two devices, and link it.

    The other device must have neither a compiled object nor an executable.
    """
    other = bench.other_available_device
    both = bench.for_context(bench.new_context(bench.cl.device, other))
    program = both.program("add_index")
    both.compile(program, "-D FIRST=1")
    for device in (bench.cl.device, other):
        both.query_program(program, device)
    both.link_and_query(program)


@cases.declare(LINKED, "for a device without anything to link", TYPE, "clLinkProgram/effect/8")
def link_for_more_devices(bench: BuildKit) -> None:
    """Compile a program for one of two devices, then link it for both devices, although one lacks a compiled object."""
    other = bench.other_available_device
    both = bench.for_context(bench.new_context(bench.cl.device, other))
    program = both.program("add_index")
    both.compile(program)
    linked = both.link(program, devices=(2, ElementList((bench.cl.device, other))))
    if linked is not None:
        bench.cl.query("clGetProgramInfo", linked, DEVICES)
        for device in (bench.cl.device, other):
            both.query_build(linked, TYPE, device)


@cases.declare(BUILT, "for one of several devices", STATUS, "clBuildProgram/effect/3")
def build_for_one_device(bench: BuildKit) -> None:
    """Build a program for one of two devices, and check that nothing is built for the other device."""
    other = bench.other_available_device
    program = bench.for_context(bench.new_context(bench.cl.device, other)).program("add_index")
    bench.build(program, "-D FIRST=1")
    for device in (bench.cl.device, other):
        bench.query_program(program, device)


@cases.declare(
    "clBuildProgram/CL_BUILD_PROGRAM_FAILURE/1",
    "for one of two devices",
    STATUS,
    "clCompileProgram/CL_COMPILE_PROGRAM_FAILURE/1",
)
def fail_for_one_device(bench: BuildKit) -> None:
    """Build a program for two devices together, and for each of them.

    Only one of the devices has a feature that the program needs.
    """
    able, unable, part = _find_differing_devices(bench)
    both = bench.for_context(bench.new_context(able, unable))
    program, source = both.program_from_source(PARTS[part]), both.program_from_source(PARTS[part])
    for devices in ((able, unable), (able,), (unable,), (unable, able)):
        listed = (len(devices), ElementList(devices))
        both.build(program, FOR_FEATURES, devices=listed)
        both.compile(source, FOR_FEATURES, devices=listed)
        for device in (able, unable):
            both.query_program(program, device)
            both.query_program(source, device)
    both.build(program, FOR_FEATURES, devices=(1, ElementList((able,))))
    both.cl.clCreateKernel(program, Text(part), OutputBuffer(1))


def _find_differing_devices(bench: BuildKit) -> tuple[Handle, Handle, str]:
    """Return two devices and a source part.

    The source part needs an OpenCL C feature that only the first device has.
    """
    skip_unless(has_version(bench.cl, (3, 0)), "requires OpenCL 3.0 (features of OpenCL C)")
    first, second = bench.cl.device, bench.other_available_device
    told = [{str(each).rstrip("\0") for each in bench.cl.fact(FEATURES, device) or ()} for device in (first, second)]
    found = [(first, second, each) for each in FEATURES_OF_C if macro_of(each) in told[0] - told[1]]
    found += [(second, first, each) for each in FEATURES_OF_C if macro_of(each) in told[1] - told[0]]
    skip_unless(found, "the devices have compilers with the same optional features")
    able, unable, feature = found[0]
    return able, unable, part_needing_feature(feature)
