"""Programs through several builds: their properties after each build, independent of other programs (section 5.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Callback, Items, OutputBuffer, Text
from clconform.oracles.model.feature_sources import FEATURES as FEATURES_OF_C
from clconform.oracles.model.feature_sources import macro, with_feature
from clconform.oracles.model.sources import BREAKING, INVALID, OPTIONAL, PARTS, SIMPLE, WITH_ANOTHER, include
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.suites.cases import Cases
from clconform.suites.chapters.execution.kernels import with_arguments
from clconform.suites.chapters.notifications.waiting import TOLD, awaited
from clconform.suites.chapters.programs.bench import DEVICES, LOG, NAMES, NUMBER, OPTIONS, STATUS, TYPE, Bench
from clconform.suites.steps import at_least, needs, one, promised

if TYPE_CHECKING:
    import pytest

    from clconform.calls.values import Handle
    from clconform.runner.session.session import Session

NAME = "programs.builds"
BUILT, COMPILED, LINKED = "clBuildProgram/success", "clCompileProgram/success", "clLinkProgram/success"
DATA = 11
COUNTING = "count_bits"
"""A kernel and its source part, which require OpenCL C 1.2 like compiled and linked programs."""
FEATURES, FOR_FEATURES = "CL_DEVICE_OPENCL_C_FEATURES", "-cl-std=CL3.0"
MARK = "of_an_earlier_build_only"
"""A word that only the options of one build add to a program."""


cases: Cases[Bench] = Cases(Bench)


@cases.of(BUILT, "before and after a build", STATUS, OPTIONS, LOG, TYPE)
def before_and_after(bench: Bench) -> None:
    """Query a program before and after its build."""
    program = bench.program("add_index")
    bench.tell(program)
    bench.build(program, "-D FIRST=1")
    bench.tell(program)
    bench.kernel("add_index", program)


@cases.of(COMPILED, "an empty source", STATUS, TYPE)
def an_empty_source(bench: Bench) -> None:
    """Compile a program from an empty string, which is valid OpenCL C, and link it with another program."""
    nothing = bench.program_of("")
    bench.compile(nothing)
    bench.tell(nothing)
    bench.tell_linked(nothing, bench.compiled("add_index"))


@cases.of(BUILT, "an empty source is built", STATUS, TYPE)
def an_empty_source_is_built(bench: Bench) -> None:
    """Build a program from an empty string, which does not contain kernels."""
    program = bench.program_of("")
    bench.build(program)
    bench.tell(program)


@cases.of(BUILT, "built again with other options", OPTIONS)
def built_again(bench: Bench) -> None:
    """Build a program three times with different options."""
    program = bench.program("add_index")
    for options in ("-D FIRST=1", "-w -D SECOND=2", None):
        bench.build(program, options)
        bench.tell(program)


@cases.of(BUILT, "built again with other kernels", NAMES, NUMBER)
def built_with_other_kernels(bench: Bench) -> None:
    """Build a program repeatedly, every other time with an option that adds a kernel, and query its binaries."""
    program = bench.program_of(PARTS[OPTIONAL])
    for options in (f"-D {WITH_ANOTHER}", "", f"-D {WITH_ANOTHER}=1", ""):
        bench.build(program, options)
        bench.tell(program)
        bench.binary_of(program)


@cases.of(BUILT, "built after a failure", LOG, STATUS)
def built_after_a_failure(bench: Bench) -> None:
    """Build a program with options that make it invalid, then without them."""
    program = bench.program_of(PARTS["breakable"])
    bench.build(program, f"-D {BREAKING}={MARK}")
    bench.tell(program)
    bench.build(program, "-D WHOLE=1")
    bench.tell(program)


@cases.of("clBuildProgram/CL_BUILD_PROGRAM_FAILURE/1", "failed after a success", STATUS, OPTIONS)
def failed_after_a_success(bench: Bench) -> None:
    """Build a program, then with options that make it invalid."""
    program = bench.program_of(PARTS["breakable"])
    bench.build(program)
    bench.build(program, f"-D {BREAKING}={MARK}")
    bench.tell(program)


@cases.of("clBuildProgram/CL_BUILD_PROGRAM_FAILURE/1", "one of two programs", STATUS, LOG)
def one_of_two(bench: Bench) -> None:
    """Build a valid and an invalid program, and check that they and a third program are independent."""
    right, wrong, untouched = bench.program("add_index"), bench.program_of(INVALID), bench.program("copy_plus_one")
    bench.build(right)
    bench.build(wrong, "-D WRONG=1")
    for program in (right, wrong, untouched):
        bench.tell(program)
    bench.kernel("add_index", right)


@cases.of("clCompileProgram/CL_COMPILE_PROGRAM_FAILURE/1", "compiled after a failure", STATUS, OPTIONS)
def compiled_after_a_failure(bench: Bench) -> None:
    """Compile a program with options that make it invalid, then without them."""
    program = bench.program_of(PARTS["breakable"])
    bench.compile(program, f"-D {BREAKING}={MARK}")
    bench.tell(program)
    bench.compile(program)
    bench.tell(program)


@cases.of(COMPILED, "compiled and linked", LINKED, TYPE, NAMES)
def compiled_and_linked(bench: Bench) -> None:
    """Compile two programs, one of which calls a function of the other, and link them."""
    caller, definition = bench.program_of(PARTS["caller"]), bench.program_of(PARTS["definition"])
    for program in (caller, definition):
        bench.compile(program, "-D PART=1")
        bench.tell(program)
    bench.tell_linked(caller, definition)


@cases.of(LINKED, "programs with a kernel each", NAMES, NUMBER)
def linked_of_several(bench: Bench) -> None:
    """Link three programs with one kernel each, query the kernels of the result, and create them."""
    linked = bench.tell_linked(*(bench.compiled(part) for part in (*SIMPLE, COUNTING)))
    if linked is not None:
        for name in (*SIMPLE, COUNTING):
            bench.cl.clCreateKernel(linked, Text(name), OutputBuffer(1))


@cases.of(LINKED, "again, once an input was compiled anew", NAMES, NUMBER, COMPILED)
def linked_again(bench: Bench) -> None:
    """Link a program, compile it without one of its kernels, and link it again; the first result keeps both kernels."""
    program = bench.program_of(PARTS[OPTIONAL])
    linked = []
    for options in (f"-D {WITH_ANOTHER}", ""):
        bench.compile(program, options)
        linked.append(bench.link(program))
    for each in linked:
        if each is not None:
            bench.tell(each)
            bench.cl.clCreateKernel(each, Text("copy_plus_one"), OutputBuffer(1))


@cases.of(LINKED, "a library", TYPE, "OpenCL:library-linking-options/1")
def a_library(bench: Bench) -> None:
    """Create a library with a function, and link a kernel that calls the function with the library."""
    library = bench.link(bench.compiled("definition"), options="-create-library")
    needs(library, "the driver does not make the library")
    if library is not None:
        bench.tell(library)
        bench.tell_linked(bench.compiled("caller"), library)


@cases.of("clLinkProgram/CL_LINK_PROGRAM_FAILURE/1", "the program of a failed link", STATUS)
def a_failed_link(bench: Bench) -> None:
    """Link a kernel that calls an undefined function; the driver may return a program with an error status."""
    bench.tell_linked(bench.compiled("caller"))


@cases.of(COMPILED, "a header", NAMES, "clCompileProgram/effect/5", "clCompileProgram/effect/6")
def a_header(bench: Bench) -> None:
    """Compile a program that includes two headers in another order than they are listed."""
    one, other = bench.program_of(PARTS["add_index"]), bench.program_of(PARTS["copy_plus_one"])
    program = bench.program_of(include("first.h"), include("second.h"))
    bench.compile(program, second=other, first=one)
    bench.tell_linked(program)


@cases.of(COMPILED, "two headers of one name", NAMES, "clCompileProgram/effect/8")
def headers_of_one_name(bench: Bench) -> None:
    """Compile a program with two headers of the same name; the first one is used."""
    first, second = bench.program_of(PARTS["add_index"]), bench.program_of(PARTS["copy_plus_one"])
    program = bench.program_of(include("twice.h"))
    bench.compile(program, twice=first, twice_=second)
    bench.tell_linked(program)


@cases.of(COMPILED, "compiled after a build", TYPE, STATUS)
def compiled_after_a_build(bench: Bench) -> None:
    """Build a program, compile it, and build it again."""
    program = bench.program("add_index")
    bench.build(program, "-D BUILT=1")
    bench.compile(program, "-D COMPILED=1")
    bench.tell(program)
    bench.build(program, "-D AGAIN=1")
    bench.tell(program)


@cases.of("clCreateProgramWithBinary/success", "the binary of an executable", NAMES, "clBuildProgram/effect/11")
def the_binary_of_an_executable(bench: Bench) -> None:
    """Create a program from an executable's binary, and build it."""
    program = bench.program_of_binary(bench.binary_of(bench.built("add_index")))
    bench.tell(program)
    bench.build(program, None)
    bench.tell(program)
    bench.kernel("add_index", program)


@cases.of("clCreateProgramWithBinary/success", "the binary of a compiled program", TYPE, "clCompileProgram/effect/13")
def the_binary_of_a_compiled_program(bench: Bench) -> None:
    """Create a program from a compiled program's binary, and link it."""
    program = bench.program_of_binary(bench.binary_of(bench.compiled("add_index")))
    bench.tell(program)
    bench.tell_linked(program)


@cases.of("clCreateProgramWithBinary/success", "the binary of a library", TYPE, "clLinkProgram/effect/14")
def the_binary_of_a_library(bench: Bench) -> None:
    """Create a program from a library's binary."""
    library = bench.linked(bench.compiled("definition"), options="-create-library")
    bench.tell(bench.program_of_binary(bench.binary_of(library)))


@cases.of(
    "clUnloadPlatformCompiler/success",
    "a build after it",
    "clUnloadPlatformCompiler/effect/1",
    "clUnloadPlatformCompiler/CL_INVALID_PLATFORM/1",
)
def built_without_the_compiler(bench: Bench) -> None:
    """Unload the compiler between two builds."""
    needs(promised(bench.cl, "clUnloadPlatformCompiler"), "requires OpenCL 1.2 (clUnloadPlatformCompiler)")
    program = bench.program("add_index")
    for _ in range(2):
        bench.build(program)
        bench.cl.clUnloadPlatformCompiler(bench.cl.platform)
    bench.cl.clUnloadPlatformCompiler(None)
    bench.tell(program)


@cases.of("clUnloadCompiler/success", "a build after it", "clUnloadCompiler/effect/1")
def built_without_any_compiler(bench: Bench) -> None:
    """Unload all compilers between two builds, with the older function."""
    needs(promised(bench.cl, "clUnloadCompiler"), "the platform need not have clUnloadCompiler")
    program = bench.program("add_index")
    for _ in range(2):
        bench.build(program)
        bench.cl.clUnloadCompiler()


@cases.of("clBuildProgram/CL_INVALID_OPERATION/2", "built once its kernels are gone", "clReleaseKernel/effect/2")
def built_once_kernels_are_gone(bench: Bench) -> None:
    """Build a program while a kernel of it exists, and after its release."""
    program = bench.built("add_index")
    kernel = bench.kernel("add_index", program)
    bench.build(program, "-D REFUSED=1")
    bench.tell(program)
    bench.cl.clReleaseKernel(kernel)
    bench.build(program, "-D TAKEN=1")
    bench.tell(program)


@cases.of("clBuildProgram/CL_INVALID_OPERATION/1", "during a build")
def built_during_a_build(bench: Bench) -> None:
    """Build a program asynchronously, and again before the first build is known to be complete."""
    program = bench.program()
    bench.build(program, "-D FIRST=1", TOLD)
    bench.build(program, "-D SECOND=1")
    awaited(bench.cl)
    bench.of_build(program, STATUS, bench.cl.device)


@cases.of("clCompileProgram/CL_INVALID_OPERATION/1", "during a build")
def compiled_during_a_build(bench: Bench) -> None:
    """Build a program asynchronously, and compile it before the build is known to be complete."""
    needs(promised(bench.cl, "clCompileProgram"), "requires OpenCL 1.2 (compiled programs)")
    program = bench.program()
    bench.build(program, "-D FIRST=1", TOLD)
    bench.compile(program, "-D SECOND=1")
    awaited(bench.cl)
    bench.of_build(program, STATUS, bench.cl.device)


@cases.of(
    "clCreateKernel/CL_INVALID_PROGRAM_EXECUTABLE/1",
    "during a build",
    "clCreateKernelsInProgram/CL_INVALID_PROGRAM_EXECUTABLE/1",
)
def kernels_during_a_build(bench: Bench) -> None:
    """Build a program asynchronously, and request its kernels before and after the build is known to be complete."""
    program = bench.program("add_index")
    bench.build(program, "", TOLD)
    for _ in range(2):
        bench.cl.clCreateKernel(program, Text("add_index"), OutputBuffer(1))
        bench.cl.clCreateKernelsInProgram(program, 1, OutputBuffer(1), OutputBuffer(1))
        awaited(bench.cl)


@cases.of("clLinkProgram/CL_INVALID_OPERATION/1", "during a compilation")
def linked_during_a_compilation(bench: Bench) -> None:
    """Compile a program asynchronously, and link it before the compilation is known to be complete."""
    needs(promised(bench.cl, "clCompileProgram"), "requires OpenCL 1.2 (compiled programs)")
    program = bench.program()
    bench.cl.clCompileProgram(program, *bench.on_the_device, Text(""), 0, None, None, Callback(TOLD), None)
    bench.link(program)
    awaited(bench.cl)
    bench.of_build(program, STATUS, bench.cl.device)


def compiled_with_a_callback(bench: Bench, program: Handle) -> None:
    """Compile a program with a callback, wait for the callback, and query the status."""
    needs(promised(bench.cl, "clCompileProgram"), "requires OpenCL 1.2 (compiled programs)")
    bench.cl.clCompileProgram(program, *bench.on_the_device, Text(""), 0, None, None, Callback(TOLD), DATA)
    awaited(bench.cl)
    bench.of_build(program, STATUS, bench.cl.device)


@cases.of(COMPILED, "callback after compiling", "clCompileProgram/effect/9", "clCompileProgram/effect/12")
def told_of_a_compilation(bench: Bench) -> None:
    """Compile a program with a callback."""
    compiled_with_a_callback(bench, bench.program("add_index"))


@cases.of(
    "clCompileProgram/CL_COMPILE_PROGRAM_FAILURE/1", "callback after a failure", STATUS, "clCompileProgram/effect/9"
)
def told_of_a_failed_compilation(bench: Bench) -> None:
    """Compile an invalid program with a callback."""
    compiled_with_a_callback(bench, bench.program_of(INVALID))


@cases.of(LINKED, "callback after linking", "clLinkProgram/effect/9", "clLinkProgram/effect/10")
def told_of_a_link(bench: Bench) -> None:
    """Link a program with a callback."""
    compiled = Items((bench.compiled("add_index"),))
    given = (Text(""), 1, compiled, Callback(TOLD), DATA, OutputBuffer(1))
    program = one(bench.cl.clLinkProgram(bench.context, *bench.on_the_device, *given))
    awaited(bench.cl)
    bench.of_build(program, STATUS, bench.cl.device)


@cases.of(BUILT, "callback, and the status after it", STATUS, "clBuildProgram/effect/8")
def told_of_a_build(bench: Bench) -> None:
    """Build a program with a callback, and query the status after the callback."""
    program = bench.program("add_index")
    bench.build(program, "-D FIRST=1", TOLD)
    awaited(bench.cl)
    bench.of_build(program, STATUS, bench.cl.device)


@cases.of(
    "clReleaseProgram/success", "a kernel of a released program", "clReleaseProgram/effect/2", "CL_KERNEL_PROGRAM"
)
def released_before_its_kernel(bench: Bench) -> None:
    """Release a program while a kernel of it exists, and run the kernel."""
    program = bench.built("add_index")
    kernel = with_arguments(bench, bench.kernel("add_index", program), bench.first_buffer)
    bench.cl.clReleaseProgram(program)
    for query in ("PROGRAM", "CONTEXT", "FUNCTION_NAME"):
        bench.cl.query("clGetKernelInfo", kernel, f"CL_KERNEL_{query}")
    sizes = {"work_dim": 1, "global_work_offset": None, "global_work_size": Items((4,)), "local_work_size": None}
    bench.enqueue("clEnqueueNDRangeKernel", kernel=kernel, **sizes)
    bench.read(bench.first_buffer, 0, 16)


@cases.of("clRetainProgram/effect/1", "references of a program", "clRetainProgram/effect/2")
def references(bench: Bench) -> None:
    """Query the reference count of a program before and after a retain."""
    program = bench.program("add_index")
    for _ in range(2):
        bench.cl.query("clGetProgramInfo", program, "CL_PROGRAM_REFERENCE_COUNT")
        bench.cl.clRetainProgram(program)


@cases.of(COMPILED, "for one of several devices", STATUS, "clCompileProgram/effect/2", "clLinkProgram/effect/3")
def compiled_for_one_of_several(bench: Bench) -> None:
    """Compile a program for one of two devices, and link it for that device; the other device gets nothing."""
    other = bench.another_device
    both = bench.within(bench.new_context(bench.cl.device, other))
    program = both.program("add_index")
    both.compile(program, "-D FIRST=1")
    for device in (bench.cl.device, other):
        both.tell(program, device)
    both.tell_linked(program)


@cases.of(LINKED, "for a device without anything to link", TYPE, "clLinkProgram/effect/8")
def linked_for_more(bench: Bench) -> None:
    """Compile a program for one of two devices, and link it for both; the other device gets nothing."""
    other = bench.another_device
    both = bench.within(bench.new_context(bench.cl.device, other))
    program = both.program("add_index")
    both.compile(program)
    linked = both.link(program, devices=(2, Items((bench.cl.device, other))))
    if linked is not None:
        bench.cl.query("clGetProgramInfo", linked, DEVICES)
        for device in (bench.cl.device, other):
            both.of_build(linked, TYPE, device)


@cases.of(BUILT, "for one of several devices", STATUS, "clBuildProgram/effect/3")
def for_one_of_several(bench: Bench) -> None:
    """Build a program for one of two devices; nothing is built for the other."""
    other = bench.another_device
    program = bench.within(bench.new_context(bench.cl.device, other)).program("add_index")
    bench.build(program, "-D FIRST=1")
    for device in (bench.cl.device, other):
        bench.tell(program, device)


@cases.of(
    "clBuildProgram/CL_BUILD_PROGRAM_FAILURE/1",
    "for one of two devices",
    STATUS,
    "clCompileProgram/CL_COMPILE_PROGRAM_FAILURE/1",
)
def failed_for_one_of_two(bench: Bench) -> None:
    """Build a program that needs a feature of only one of two devices, for both and for each device."""
    able, unable, part = _apart(bench)
    both = bench.within(bench.new_context(able, unable))
    program, source = both.program_of(PARTS[part]), both.program_of(PARTS[part])
    for devices in ((able, unable), (able,), (unable,), (unable, able)):
        listed = (len(devices), Items(devices))
        both.build(program, FOR_FEATURES, devices=listed)
        both.compile(source, FOR_FEATURES, devices=listed)
        for device in (able, unable):
            both.tell(program, device)
            both.tell(source, device)
    both.build(program, FOR_FEATURES, devices=(1, Items((able,))))
    both.cl.clCreateKernel(program, Text(part), OutputBuffer(1))


def _apart(bench: Bench) -> tuple[Handle, Handle, str]:
    """Return a device, another device without some optional feature of OpenCL C, and the source part that needs it."""
    needs(at_least(bench.cl, (3, 0)), "requires OpenCL 3.0 (features of OpenCL C)")
    first, second = bench.cl.device, bench.another_device
    told = [{str(each).rstrip("\0") for each in bench.cl.fact(FEATURES, device) or ()} for device in (first, second)]
    found = [(first, second, each) for each in FEATURES_OF_C if macro(each) in told[0] - told[1]]
    found += [(second, first, each) for each in FEATURES_OF_C if macro(each) in told[1] - told[0]]
    needs(found, "the devices have compilers with the same optional features")
    able, unable, feature = found[0]
    return able, unable, with_feature(feature)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases)


def test_builds(cl: Session, case: Case) -> None:
    case.act(cl)
