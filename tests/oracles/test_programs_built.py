"""Building, compiling and linking of programs: the error conditions of sections 5.8.2 to 5.8.5."""

from __future__ import annotations

import pytest

from clconform.calls.call import Returned
from clconform.calls.values import Data, ElementList, Handle, HostCallback, Text, Texts
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.program_sources import INVALID_LINE, PARTS, include_line
from clconform.oracles.model.programs import (
    BinaryProgram,
    BuildState,
    BuiltInProgram,
    IlProgram,
    LinkedProgram,
    Program,
    ProgramBuild,
    SourceProgram,
)
from clconform.oracles.model.spirv import BOOLEAN_CONSTANT, CONSTANT_MODULES, EMPTY_MODULES, NUMBER

from .building import (
    BUILD,
    COMPILE,
    CONTEXT,
    LINK,
    OTHER,
    PROGRAM,
    SIMPLE,
    built,
    compiled,
    from_source,
    linked,
    world_of,
)
from .worlds import World, clauses, verdict_on

# a build that cannot succeed for one of two devices

IMAGES, OF_3 = "with_images", Text("-cl-std=CL3.0")
LISTED = (3 << 22, "__opencl_c_images")


def apart() -> World:
    """Return a program that needs images, and two devices, of which only the first lists images."""
    world = world_of(from_source(IMAGES), devices=2)
    world.roots[0].facts["CL_DEVICE_OPENCL_C_FEATURES"] = LISTED
    world.roots[1].facts["CL_DEVICE_OPENCL_C_FEATURES"] = ()
    return world


@pytest.mark.parametrize(
    ("devices", "options", "expected"),
    [
        ((1,), OF_3, ("", "")),
        ((2,), OF_3, ("clBuildProgram/CL_BUILD_PROGRAM_FAILURE/1", "")),
        ((1, 2), OF_3, ("clBuildProgram/CL_BUILD_PROGRAM_FAILURE/1", "")),
        ((2,), None, ("", "clBuildProgram/CL_BUILD_PROGRAM_FAILURE/1")),
    ],
)
def test_a_feature_that_is_not_listed(
    devices: tuple[int, ...], options: Text | None, expected: tuple[str, str]
) -> None:
    world = apart()
    listed = ElementList(tuple(Handle(f"device{number}") for number in devices))
    call = world.call(BUILD, PROGRAM, len(devices), listed, options, None, None)
    assert verdict_on(world, call) == expected


@pytest.mark.parametrize(("code", "state"), [(-11, BuildState.FAILED), (-5, BuildState.UNKNOWN)])
def test_only_the_device_without_the_feature_has_failed_for_sure(code: int, state: BuildState) -> None:
    world = apart()
    listed = ElementList(tuple(Handle(device.name) for device in world.roots))
    expectation = world.expect(BUILD, PROGRAM, 2, listed, OF_3, None, None)
    world.oracle.judge(expectation, Returned(code))
    builds = world.model.get(SourceProgram, PROGRAM).builds
    assert builds["device2"].state is state
    assert builds["device1"].state is (BuildState.FAILED_FOR_SOME if code == -11 else BuildState.UNKNOWN)


# 5.8.2 and 5.8.3


@pytest.mark.parametrize(("version", "open_"), [("2.2", False), ("3.0", True)])
def test_release_callbacks(version: str, *, open_: bool) -> None:
    world = world_of(from_source("add_index"), version=version)
    expectation = world.expect("clSetProgramReleaseCallback", PROGRAM, HostCallback("told"), None)
    assert clauses(expectation) == ("", "clSetProgramReleaseCallback/CL_INVALID_OPERATION/1" if open_ else "")


UNLOAD = "clUnloadPlatformCompiler/CL_INVALID_PLATFORM/1"


@pytest.mark.parametrize(
    ("platform", "loader", "expected"),
    [
        (Handle("platform1"), True, ("", "")),
        (None, False, (UNLOAD, "")),
        (None, True, ("", UNLOAD)),
        (CONTEXT, False, ("", UNLOAD)),
    ],
)
def test_unloaded_compilers(platform: Handle | None, *, loader: bool, expected: tuple[str, str]) -> None:
    world = world_of()
    world.model.through_loader = loader
    assert clauses(world.expect("clUnloadPlatformCompiler", platform)) == expected


SET = "clSetProgramSpecializationConstant"
NOT_A_MODULE, NO_LANGUAGES, NO_COMPILER, NO_CONSTANT, OTHER_VALUE = (
    "clSetProgramSpecializationConstant/CL_INVALID_PROGRAM/1",
    "clSetProgramSpecializationConstant/CL_INVALID_OPERATION/1",
    "clSetProgramSpecializationConstant/CL_COMPILER_NOT_AVAILABLE/1",
    "clSetProgramSpecializationConstant/CL_INVALID_SPEC_ID/1",
    "clSetProgramSpecializationConstant/CL_INVALID_VALUE/1",
)
WITH, WITHOUT, VALUE = CONSTANT_MODULES["SPIR-V_1.0", 64], EMPTY_MODULES["SPIR-V_1.0", 64], Data(bytes(8))


@pytest.mark.parametrize(
    ("il", "given", "facts", "expected"),
    [
        (WITH, (NUMBER.spec_id, NUMBER.bytes, VALUE), {}, ("", "")),
        (WITH, (NUMBER.spec_id - 1, NUMBER.bytes, VALUE), {}, (NO_CONSTANT, OTHER_VALUE)),
        (WITHOUT, (NUMBER.spec_id, NUMBER.bytes, VALUE), {}, (NO_CONSTANT, OTHER_VALUE)),
        (WITH, (NUMBER.spec_id, 8, VALUE), {}, (OTHER_VALUE, "")),
        (WITH, (BOOLEAN_CONSTANT.spec_id, BOOLEAN_CONSTANT.bytes, VALUE), {}, ("", "")),
        (WITH, (BOOLEAN_CONSTANT.spec_id, NUMBER.bytes, VALUE), {}, (OTHER_VALUE, "")),
        (WITH, (NUMBER.spec_id, NUMBER.bytes, None), {}, (OTHER_VALUE, "")),
        (b"others", (NUMBER.spec_id, NUMBER.bytes, VALUE), {}, ("", f"{NO_CONSTANT} {OTHER_VALUE}")),
        (WITH, (NUMBER.spec_id, NUMBER.bytes, VALUE), {"CL_DEVICE_IL_VERSION": ""}, (NO_LANGUAGES, "")),
        (WITH, (NUMBER.spec_id, NUMBER.bytes, VALUE), {"CL_DEVICE_COMPILER_AVAILABLE": 0}, (NO_COMPILER, "")),
    ],
)
def test_constants(
    il: bytes, given: tuple[object, ...], facts: dict[str, int | str], expected: tuple[str, str]
) -> None:
    world = world_of(IlProgram("", il=il), **facts)
    assert verdict_on(world, world.call(SET, PROGRAM, *given)) == expected


def test_constants_are_those_of_a_module() -> None:
    world = world_of(from_source("add_index"))
    given = (NUMBER.spec_id, NUMBER.bytes, VALUE)
    assert NOT_A_MODULE in verdict_on(world, world.call(SET, PROGRAM, *given))[0].split()
    assert NOT_A_MODULE in verdict_on(world, world.call(SET, None, *given))[0].split()


# 5.8.4

FAILURE, NO_OPTIONS = "clBuildProgram/CL_BUILD_PROGRAM_FAILURE/1", "clBuildProgram/CL_INVALID_BUILD_OPTIONS/1"


@pytest.mark.parametrize(
    ("source", "options", "expected"),
    [
        (SIMPLE, None, ("", "")),
        (SIMPLE, "", ("", "")),
        (INVALID_LINE, None, (FAILURE, "")),
        (INVALID_LINE + SIMPLE, None, (FAILURE, "")),
        (SIMPLE + "x", None, ("", FAILURE)),
        (PARTS["caller"], None, ("", FAILURE)),
        (PARTS["caller"] + PARTS["definition"], None, ("", "")),
        (SIMPLE, "-cl-mad-enable -w", ("", "")),
        (SIMPLE, "-D UNUSED -D OTHER=2", ("", "")),
        (SIMPLE, "-D data=2", ("", FAILURE)),
        (PARTS["breakable"], "-D WHOLE", ("", "")),
        (PARTS["breakable"], "-D BROKEN=x", ("", FAILURE)),
        (SIMPLE, "-DUNUSED", ("", f"{FAILURE} {NO_OPTIONS}")),
        (SIMPLE, "-D", ("", f"{FAILURE} {NO_OPTIONS}")),
        (SIMPLE, "-cl-std=CL1.2", ("", "")),
        (SIMPLE, "-cl-std=CL2.0", (f"{FAILURE} {NO_OPTIONS}", "")),
        (SIMPLE, "-cl-std=CL4.0", ("", f"{FAILURE} {NO_OPTIONS}")),
        (SIMPLE, "-cl-fp32-correctly-rounded-divide-sqrt", (f"{FAILURE} {NO_OPTIONS}", "")),
        (PARTS["three_numbers"], "-cl-std=CL1.1", ("", "")),
        (PARTS["count_bits"], "-cl-std=CL1.1", ("", FAILURE)),
        (PARTS["count_bits"], "-cl-std=CL1.2", ("", "")),
        (PARTS["count_bits"], "", ("", "")),
        (PARTS["by_linear_id"], "", ("", FAILURE)),
        (PARTS["by_linear_id"], "-cl-std=CL3.0", ("", "")),
        (SIMPLE, "-Werror", ("", FAILURE)),
        (SIMPLE, "-create-library", ("", f"{FAILURE} {NO_OPTIONS}")),
        (SIMPLE, "-I . -D OTHER=2 -I .", ("", "")),
        (SIMPLE, "-I", ("", f"{FAILURE} {NO_OPTIONS}")),
        (SIMPLE, "-I somewhere", ("", f"{FAILURE} {NO_OPTIONS}")),
        (SIMPLE, ". -I", ("", f"{FAILURE} {NO_OPTIONS}")),
    ],
)
def test_sources_and_options(source: str, options: str | None, expected: tuple[str, str]) -> None:
    world = world_of(SourceProgram("", source=source))
    assert built(world, options=options if options is None else Text(options)) == expected


@pytest.mark.parametrize(
    ("part", "options", "features", "expected"),
    [
        ("with_pipes", "-cl-std=CL3.0", ("pipes", "images"), ("", "")),
        ("with_pipes", "-cl-std=CL3.0", ("images",), (FAILURE, "")),
        ("with_pipes", "-cl-std=CL3.0", (), (FAILURE, "")),
        ("with_pipes", "", ("pipes",), ("", FAILURE)),
        ("pipes_with_generic_address_space", "-cl-std=CL3.0", (), ("", "")),
        ("pipes_with_generic_address_space", "", (), ("", FAILURE)),
    ],
)
def test_macros_of_features_that_a_device_lists_are_defined(
    part: str, options: str, features: tuple[str, ...], expected: tuple[str, str]
) -> None:
    world = world_of(from_source(part))
    told = tuple(one for name in features for one in (3 << 22, f"__opencl_c_{name}"))
    world.roots[0].facts["CL_DEVICE_OPENCL_C_FEATURES"] = told
    assert built(world, options=Text(options)) == expected


def test_macros_of_a_device_that_has_not_told_are_unknown() -> None:
    assert built(world_of(from_source("with_pipes")), options=Text("-cl-std=CL3.0")) == ("", FAILURE)


@pytest.mark.parametrize(
    ("version", "told", "option", "expected"),
    [
        ("1.2", "1.2", "CL2.0", ("", f"{FAILURE} {NO_OPTIONS}")),
        ("2.0", "1.2", "CL2.0", (f"{FAILURE} {NO_OPTIONS}", "")),
        ("2.0", "2.0", "CL2.0", ("", "")),
        ("3.0", "3.0", "CL2.0", ("", f"{FAILURE} {NO_OPTIONS}")),
        ("3.0", "2.0", "CL2.0", ("", "")),
        ("1.2", "1.2", "CL3.0", ("", f"{FAILURE} {NO_OPTIONS}")),
    ],
)
def test_a_version_that_a_device_of_this_version_lacks_is_refused(
    version: str, told: str, option: str, expected: tuple[str, str]
) -> None:
    facts = {"CL_DEVICE_OPENCL_C_VERSION": f"OpenCL C {told} test"}
    world = world_of(SourceProgram("", source=SIMPLE), version=version, **facts)
    assert built(world, options=Text(f"-cl-std={option}")) == expected


@pytest.mark.parametrize(("version", "expected"), [("2.1", ""), ("2.0", f"{FAILURE} {NO_OPTIONS}")])
def test_options_have_a_first_version(version: str, expected: str) -> None:
    world = world_of(from_source("add_index"), version=version)
    assert built(world, options=Text("-cl-no-subgroup-ifp")) == ("", expected)


def test_a_build_in_the_background_need_not_return_its_failure() -> None:
    assert built(world_of(SourceProgram("", source=INVALID_LINE)), pfn_notify=HostCallback("told")) == ("", FAILURE)


BUILD_TWICE, BUILD_KERNELS, BUILD_NOTHING, BUILD_BINARY, BUILD_COMPILER = (
    "clBuildProgram/CL_INVALID_OPERATION/1",
    "clBuildProgram/CL_INVALID_OPERATION/2",
    "clBuildProgram/CL_INVALID_OPERATION/3",
    "clBuildProgram/CL_INVALID_BINARY/1",
    "clBuildProgram/CL_COMPILER_NOT_AVAILABLE/1",
)
COMPILE_TWICE, COMPILE_KERNELS, COMPILE_NOTHING, COMPILE_COMPILER = (
    "clCompileProgram/CL_INVALID_OPERATION/1",
    "clCompileProgram/CL_INVALID_OPERATION/2",
    "clCompileProgram/CL_INVALID_OPERATION/3",
    "clCompileProgram/CL_COMPILER_NOT_AVAILABLE/1",
)


@pytest.mark.parametrize(
    ("program", "must", "may"),
    [
        (from_source("add_index"), "", ""),
        (BuiltInProgram(""), f"{BUILD_NOTHING} {COMPILE_NOTHING}", ""),
        (LinkedProgram(""), f"{BUILD_NOTHING} {COMPILE_NOTHING}", ""),
        (BinaryProgram(""), COMPILE_NOTHING, BUILD_BINARY),
        (BinaryProgram("", saved_state=BuildState.BUILT), COMPILE_NOTHING, ""),
        (IlProgram(""), "", ""),
        (Program(""), "", f"{BUILD_NOTHING} {COMPILE_NOTHING} {BUILD_BINARY}"),
    ],
)
def test_what_can_be_built_and_compiled(program: Program, must: str, may: str) -> None:
    world = world_of(program)
    asked = {BUILD_NOTHING, COMPILE_NOTHING, BUILD_BINARY}
    musts, mays = zip(built(world), compiled(world), strict=True)
    assert asked.intersection(" ".join(musts).split()) == set(must.split())
    assert asked.intersection(" ".join(mays).split()) == set(may.split())


def test_kernels_keep_a_program_from_being_built() -> None:
    world = world_of(from_source("add_index"), from_source("add_index"))
    program, context = world.model.get(Program, PROGRAM), world.model.context(CONTEXT)
    kernel = Kernel("kernel1", context=context, program=world.model.get(Program, OTHER))
    world.model.add(kernel)
    assert (built(world), compiled(world)) == (("", ""), ("", ""))
    kernel.program = program
    assert (built(world), compiled(world)) == ((BUILD_KERNELS, ""), (COMPILE_KERNELS, ""))
    kernel.references = 0
    assert (built(world), compiled(world)) == (("", BUILD_KERNELS), ("", COMPILE_KERNELS))


@pytest.mark.parametrize(("state", "open_"), [(BuildState.GOING_ON, True), (BuildState.ENDED, False)])
def test_a_build_that_goes_on_may_keep_another_from_beginning(state: BuildState, *, open_: bool) -> None:
    world = world_of(from_source("add_index", state=state))
    assert BUILD_TWICE in built(world)[1].split() or not open_
    assert COMPILE_TWICE in compiled(world)[1].split() or not open_
    assert open_ or (built(world), compiled(world)) == (("", ""), ("", ""))


@pytest.mark.parametrize(
    ("lacking", "must", "may"), [((0, 0), True, False), ((0, 1), False, True), ((1, 1), False, False)]
)
def test_compilers_and_linkers(lacking: tuple[int, int], *, must: bool, may: bool) -> None:
    world = world_of(from_source("add_index", state=BuildState.COMPILED), devices=2)
    program = world.model.get(Program, PROGRAM)
    program.builds["device2"] = ProgramBuild(BuildState.COMPILED)
    for device, told in zip(world.roots, lacking, strict=True):
        device.facts |= {"CL_DEVICE_COMPILER_AVAILABLE": told, "CL_DEVICE_LINKER_AVAILABLE": told}
    everywhere = {"num_devices": 0, "device_list": None}
    found = [built(world, **everywhere), compiled(world, **everywhere), linked(world, **everywhere)]
    for (musts, mays), record in zip(found, (BUILD_COMPILER, COMPILE_COMPILER, LINKER), strict=True):
        assert (record in musts.split(), record in mays.split()) == (must, may)


# 5.8.5

HEADERS, COMPILE_FAILURE = "clCompileProgram/CL_INVALID_VALUE/2", "clCompileProgram/CL_COMPILE_PROGRAM_FAILURE/1"
COMPILE_OPTIONS = "clCompileProgram/CL_INVALID_COMPILER_OPTIONS/1"
NAME = Texts(("a.h",))


@pytest.mark.parametrize(
    ("number", "headers", "names", "expected"),
    [
        (0, None, None, COMPILE_FAILURE),
        (1, ElementList((OTHER,)), NAME, ""),
        (1, ElementList((OTHER,)), Texts(("b.h",)), COMPILE_FAILURE),
        (2, ElementList((OTHER, PROGRAM)), Texts(("a.h", "a.h")), ""),
        (2, ElementList((PROGRAM, OTHER)), Texts(("a.h", "a.h")), COMPILE_FAILURE),
    ],
)
def test_headers_stand_for_names(number: int, headers: object, names: object, expected: str) -> None:
    world = world_of(SourceProgram("", source=include_line("a.h")), from_source("add_index"))
    given = {"num_input_headers": number, "input_headers": headers, "header_include_names": names}
    assert compiled(world, **given) == ("", expected)


@pytest.mark.parametrize(
    ("number", "headers", "names", "wrong"),
    [
        (0, None, None, False),
        (1, ElementList((OTHER,)), NAME, False),
        (0, ElementList((OTHER,)), NAME, True),
        (0, None, NAME, True),
        (0, ElementList((OTHER,)), None, True),
        (1, None, None, True),
        (1, None, NAME, True),
        (1, ElementList((OTHER,)), None, True),
    ],
)
def test_headers_have_names(number: int, headers: object, names: object, *, wrong: bool) -> None:
    world = world_of(from_source("add_index"), from_source("add_index"))
    given = {"num_input_headers": number, "input_headers": headers, "header_include_names": names}
    assert compiled(world, **given) == (HEADERS if wrong else "", "")


NO_PROGRAM = "clCompileProgram/CL_INVALID_PROGRAM/1"


def test_a_program_is_compiled() -> None:
    world = world_of(from_source("add_index"))
    assert compiled(world) == ("", "")
    assert compiled(world, program=None)[0].split() == [NO_PROGRAM]


@pytest.mark.parametrize("may", [False, True])
def test_a_header_that_is_no_source_may_be_refused(*, may: bool) -> None:
    world = world_of(from_source("add_index"), LinkedProgram("") if may else from_source("caller"))
    given = {"input_headers": ElementList((Handle("program2"),)), "header_include_names": Texts(("part.h",))}
    musts, mays = compiled(world, num_input_headers=1, **given)
    assert not musts
    refusals = {NO_PROGRAM, HEADERS, COMPILE_NOTHING}
    assert refusals & set(mays.split()) == (refusals if may else set())


@pytest.mark.parametrize(
    ("source", "options", "expected"),
    [
        (SIMPLE, "-w", ("", "")),
        (INVALID_LINE, None, (COMPILE_FAILURE, "")),
        (PARTS["caller"], None, ("", "")),
        (SIMPLE, "-no-such-option", ("", f"{COMPILE_FAILURE} {COMPILE_OPTIONS}")),
    ],
)
def test_compilations(source: str, options: str | None, expected: tuple[str, str]) -> None:
    world = world_of(SourceProgram("", source=source))
    assert compiled(world, options=options if options is None else Text(options)) == expected


NO_INPUTS, LINKER, LINK_FAILURE, LINK_OPTIONS, LINK_TWICE, MIXED = (
    "clLinkProgram/CL_INVALID_VALUE/2",
    "clLinkProgram/CL_LINKER_NOT_AVAILABLE/1",
    "clLinkProgram/CL_LINK_PROGRAM_FAILURE/1",
    "clLinkProgram/CL_INVALID_LINKER_OPTIONS/1",
    "clLinkProgram/CL_INVALID_OPERATION/1",
    "clLinkProgram/CL_INVALID_OPERATION/2",
)
COMPILED, NONE, DONE = BuildState.COMPILED, BuildState.NONE, BuildState.BUILT


@pytest.mark.parametrize(
    ("parts", "options", "expected"),
    [
        (("add_index",), None, ("", "")),
        (("caller", "definition"), None, ("", "")),
        (("caller",), None, (LINK_FAILURE, "")),
        (("caller",), "-create-library", ("", LINK_FAILURE)),
        (("add_index", "add_index"), None, ("", LINK_FAILURE)),
        (("add_index",), "-cl-fast-relaxed-math", ("", "")),
        (("add_index",), "-create-library -enable-link-options", ("", "")),
        (("add_index",), "-enable-link-options", ("", LINK_OPTIONS)),
        (("add_index",), "-w", ("", LINK_OPTIONS)),
    ],
)
def test_links(parts: tuple[str, ...], options: str | None, expected: tuple[str, str]) -> None:
    world = world_of(*(from_source(part, state=COMPILED) for part in parts))
    inputs = ElementList(tuple(Handle(f"program{number}") for number in range(1, len(parts) + 1)))
    given = {"num_input_programs": len(parts), "input_programs": inputs}
    assert linked(world, **given, options=options if options is None else Text(options)) == expected


@pytest.mark.parametrize(
    ("programs", "expected"),
    [
        ((from_source("add_index", state=COMPILED), from_source("copy_plus_one", state=NONE)), (MIXED, LINK_FAILURE)),
        ((from_source("add_index", state=NONE),), ("", f"{MIXED} {LINK_FAILURE}")),
        ((from_source("add_index", state=DONE),), ("", f"{MIXED} {LINK_FAILURE}")),
        ((from_source("add_index", state=BuildState.GOING_ON),), ("", f"{LINK_TWICE} {MIXED} {LINK_FAILURE}")),
        ((from_source("add_index", state=BuildState.LIBRARY),), ("", "")),
        ((BinaryProgram("", saved_state=COMPILED, parts=("add_index",)),), ("", "")),
        ((BinaryProgram("", parts=("add_index",)),), ("", f"{MIXED} {LINK_FAILURE}")),
    ],
)
def test_inputs_are_compiled(programs: tuple[Program, ...], expected: tuple[str, str]) -> None:
    world = world_of(*programs)
    inputs = ElementList(tuple(Handle(f"program{number}") for number in range(1, len(programs) + 1)))
    assert linked(world, num_input_programs=len(programs), input_programs=inputs) == expected


@pytest.mark.parametrize(
    ("number", "inputs", "wrong"),
    [(1, ElementList((PROGRAM,)), False), (0, ElementList((PROGRAM,)), True), (1, None, True), (0, None, True)],
)
def test_links_have_inputs(number: int, inputs: object, *, wrong: bool) -> None:
    world = world_of(from_source("add_index", state=COMPILED))
    musts, _ = linked(world, num_input_programs=number, input_programs=inputs)
    assert (NO_INPUTS in musts.split()) == wrong


NO_DEVICE = {
    BUILD: "clBuildProgram/CL_INVALID_DEVICE/1",
    COMPILE: "clCompileProgram/CL_INVALID_DEVICE/1",
    LINK: "clLinkProgram/CL_INVALID_DEVICE/1",
}


@pytest.mark.parametrize(("device", "wrong"), [(Handle("device1"), False), (None, True), (Handle("device2"), True)])
def test_builds_are_for_devices_of_the_context(device: Handle | None, *, wrong: bool) -> None:
    world = world_of(from_source("add_index", state=COMPILED), devices=2)
    world.model.context(CONTEXT).devices.pop()
    for ask, function in ((built, BUILD), (compiled, COMPILE), (linked, LINK)):
        musts, _ = ask(world, device_list=ElementList((device,)))
        assert (NO_DEVICE[function] in musts.split()) == wrong
