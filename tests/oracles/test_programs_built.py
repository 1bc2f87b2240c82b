"""Building, compiling and linking of programs: the error conditions of sections 5.8.2 to 5.8.5."""

from __future__ import annotations

import pytest

from clconform.calls.call import Output, Returned
from clconform.calls.values import Data, ElementList, Handle, HostCallback, OutputBuffer, Text, Texts
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

from .oracle_setup import OracleSetup, get_call_verdict, get_condition_ids
from .program_builds import (
    BUILD,
    COMPILE,
    CONTEXT,
    LINK,
    OTHER_PROGRAM,
    PROGRAM,
    SIMPLE_SOURCE,
    create_source_program,
    expect_build,
    expect_compile,
    expect_link,
    set_up_programs,
)

# a build that cannot succeed for one of two devices

IMAGES, STD_3_0 = "with_images", Text("-cl-std=CL3.0")
LISTED = (3 << 22, "__opencl_c_images")


def create_feature_world() -> OracleSetup:
    """Return a program that needs images, and two devices, of which only the first lists images."""
    world = set_up_programs(create_source_program(IMAGES), devices=2)
    world.roots[0].facts["CL_DEVICE_OPENCL_C_FEATURES"] = LISTED
    world.roots[1].facts["CL_DEVICE_OPENCL_C_FEATURES"] = ()
    return world


@pytest.mark.parametrize(
    ("devices", "options", "expected"),
    [
        ((1,), STD_3_0, ("", "")),
        ((2,), STD_3_0, ("clBuildProgram/CL_BUILD_PROGRAM_FAILURE/1", "")),
        ((1, 2), STD_3_0, ("clBuildProgram/CL_BUILD_PROGRAM_FAILURE/1", "")),
        ((2,), None, ("", "clBuildProgram/CL_BUILD_PROGRAM_FAILURE/1")),
    ],
)
def test_build_of_source_with_unlisted_feature_must_fail(
    devices: tuple[int, ...], options: Text | None, expected: tuple[str, str]
) -> None:
    world = create_feature_world()
    listed = ElementList(tuple(Handle(f"device{number}") for number in devices))
    call = world.call(BUILD, PROGRAM, len(devices), listed, options, None, None)
    assert get_call_verdict(world, call) == expected


@pytest.mark.parametrize(("code", "state"), [(-11, BuildState.FAILED), (-5, BuildState.UNKNOWN)])
def test_build_status_must_be_error_on_device_without_the_feature(code: int, state: BuildState) -> None:
    world = create_feature_world()
    listed = ElementList(tuple(Handle(device.name) for device in world.roots))
    expectation = world.expect(BUILD, PROGRAM, 2, listed, STD_3_0, None, None)
    world.oracle.judge(expectation, Returned(code))
    builds = world.model.get(SourceProgram, PROGRAM).builds
    assert builds["device2"].state is state
    assert builds["device1"].state is (BuildState.FAILED_FOR_SOME if code == -11 else BuildState.UNKNOWN)


# 5.8.2 and 5.8.3


@pytest.mark.parametrize(("version", "open_"), [("2.2", False), ("3.0", True)])
def test_program_release_callback_may_be_rejected_from_3_0(version: str, *, open_: bool) -> None:
    world = set_up_programs(create_source_program("add_index"), version=version)
    expectation = world.expect("clSetProgramReleaseCallback", PROGRAM, HostCallback("told"), None)
    assert get_condition_ids(expectation) == ("", "clSetProgramReleaseCallback/CL_INVALID_OPERATION/1" if open_ else "")


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
def test_unload_compiler_of_null_platform_is_rejected_without_loader(
    platform: Handle | None, *, loader: bool, expected: tuple[str, str]
) -> None:
    world = set_up_programs()
    world.model.through_loader = loader
    assert get_condition_ids(world.expect("clUnloadPlatformCompiler", platform)) == expected


SET_CONSTANT = "clSetProgramSpecializationConstant"
NOT_A_MODULE, NO_LANGUAGES, NO_COMPILER, NO_CONSTANT, OTHER_VALUE = (
    "clSetProgramSpecializationConstant/CL_INVALID_PROGRAM/1",
    "clSetProgramSpecializationConstant/CL_INVALID_OPERATION/1",
    "clSetProgramSpecializationConstant/CL_COMPILER_NOT_AVAILABLE/1",
    "clSetProgramSpecializationConstant/CL_INVALID_SPEC_ID/1",
    "clSetProgramSpecializationConstant/CL_INVALID_VALUE/1",
)
WITH_CONSTANT, WITHOUT_CONSTANT, VALUE = (
    CONSTANT_MODULES["SPIR-V_1.0", 64],
    EMPTY_MODULES["SPIR-V_1.0", 64],
    Data(bytes(8)),
)


@pytest.mark.parametrize(
    ("il", "given", "facts", "expected"),
    [
        (WITH_CONSTANT, (NUMBER.spec_id, NUMBER.bytes, VALUE), {}, ("", "")),
        (WITH_CONSTANT, (NUMBER.spec_id - 1, NUMBER.bytes, VALUE), {}, (NO_CONSTANT, OTHER_VALUE)),
        (WITHOUT_CONSTANT, (NUMBER.spec_id, NUMBER.bytes, VALUE), {}, (NO_CONSTANT, OTHER_VALUE)),
        (WITH_CONSTANT, (NUMBER.spec_id, 8, VALUE), {}, (OTHER_VALUE, "")),
        (WITH_CONSTANT, (BOOLEAN_CONSTANT.spec_id, BOOLEAN_CONSTANT.bytes, VALUE), {}, ("", "")),
        (WITH_CONSTANT, (BOOLEAN_CONSTANT.spec_id, NUMBER.bytes, VALUE), {}, (OTHER_VALUE, "")),
        (WITH_CONSTANT, (NUMBER.spec_id, NUMBER.bytes, None), {}, (OTHER_VALUE, "")),
        (b"others", (NUMBER.spec_id, NUMBER.bytes, VALUE), {}, ("", f"{NO_CONSTANT} {OTHER_VALUE}")),
        (WITH_CONSTANT, (NUMBER.spec_id, NUMBER.bytes, VALUE), {"CL_DEVICE_IL_VERSION": ""}, (NO_LANGUAGES, "")),
        (WITH_CONSTANT, (NUMBER.spec_id, NUMBER.bytes, VALUE), {"CL_DEVICE_COMPILER_AVAILABLE": 0}, (NO_COMPILER, "")),
    ],
)
def test_invalid_specialization_constant_is_rejected(
    il: bytes, given: tuple[object, ...], facts: dict[str, int | str], expected: tuple[str, str]
) -> None:
    world = set_up_programs(IlProgram("", il=il), **facts)
    assert get_call_verdict(world, world.call(SET_CONSTANT, PROGRAM, *given)) == expected


def test_specialization_constant_of_program_without_il_is_rejected() -> None:
    world = set_up_programs(create_source_program("add_index"))
    given = (NUMBER.spec_id, NUMBER.bytes, VALUE)
    assert NOT_A_MODULE in get_call_verdict(world, world.call(SET_CONSTANT, PROGRAM, *given))[0].split()
    assert NOT_A_MODULE in get_call_verdict(world, world.call(SET_CONSTANT, None, *given))[0].split()


@pytest.mark.parametrize(
    ("facts", "required", "optional"),
    [({"CL_DEVICE_IL_VERSION": ""}, NO_LANGUAGES, NOT_A_MODULE), ({}, NOT_A_MODULE, "")],
)
def test_specialization_constant_on_device_without_languages_is_an_invalid_operation(
    facts: dict[str, int | str], required: str, optional: str
) -> None:
    """Before, both errors were required, so that no call tested CL_INVALID_OPERATION alone."""
    world = set_up_programs(create_source_program("add_index"), **facts)
    verdict = get_call_verdict(world, world.call(SET_CONSTANT, PROGRAM, NUMBER.spec_id, NUMBER.bytes, VALUE))
    assert verdict[0] == required
    assert (NOT_A_MODULE in verdict[1].split()) == bool(optional)


# 5.8.4

FAILURE, NO_OPTIONS = "clBuildProgram/CL_BUILD_PROGRAM_FAILURE/1", "clBuildProgram/CL_INVALID_BUILD_OPTIONS/1"


@pytest.mark.parametrize(
    ("source", "options", "expected"),
    [
        (SIMPLE_SOURCE, None, ("", "")),
        (SIMPLE_SOURCE, "", ("", "")),
        (INVALID_LINE, None, (FAILURE, "")),
        (INVALID_LINE + SIMPLE_SOURCE, None, (FAILURE, "")),
        (SIMPLE_SOURCE + "x", None, ("", FAILURE)),
        (PARTS["caller"], None, ("", FAILURE)),
        (PARTS["caller"] + PARTS["definition"], None, ("", "")),
        (SIMPLE_SOURCE, "-cl-mad-enable -w", ("", "")),
        (SIMPLE_SOURCE, "-D UNUSED -D OTHER=2", ("", "")),
        (SIMPLE_SOURCE, "-D data=2", ("", FAILURE)),
        (PARTS["breakable"], "-D WHOLE", ("", "")),
        (PARTS["breakable"], "-D BROKEN=x", ("", FAILURE)),
        (SIMPLE_SOURCE, "-DUNUSED", ("", f"{FAILURE} {NO_OPTIONS}")),
        (SIMPLE_SOURCE, "-D", ("", f"{FAILURE} {NO_OPTIONS}")),
        (SIMPLE_SOURCE, "-cl-std=CL1.2", ("", "")),
        (SIMPLE_SOURCE, "-cl-std=CL2.0", (f"{FAILURE} {NO_OPTIONS}", "")),
        (SIMPLE_SOURCE, "-cl-std=CL4.0", ("", f"{FAILURE} {NO_OPTIONS}")),
        (SIMPLE_SOURCE, "-cl-fp32-correctly-rounded-divide-sqrt", (f"{FAILURE} {NO_OPTIONS}", "")),
        (PARTS["three_numbers"], "-cl-std=CL1.1", ("", "")),
        (PARTS["count_bits"], "-cl-std=CL1.1", ("", FAILURE)),
        (PARTS["count_bits"], "-cl-std=CL1.2", ("", "")),
        (PARTS["count_bits"], "", ("", "")),
        (PARTS["by_linear_id"], "", ("", FAILURE)),
        (PARTS["by_linear_id"], "-cl-std=CL3.0", ("", "")),
        (SIMPLE_SOURCE, "-Werror", ("", FAILURE)),
        (SIMPLE_SOURCE, "-create-library", ("", f"{FAILURE} {NO_OPTIONS}")),
        (SIMPLE_SOURCE, "-I . -D OTHER=2 -I .", ("", "")),
        (SIMPLE_SOURCE, "-I", ("", f"{FAILURE} {NO_OPTIONS}")),
        (SIMPLE_SOURCE, "-I somewhere", ("", f"{FAILURE} {NO_OPTIONS}")),
        (SIMPLE_SOURCE, ". -I", ("", f"{FAILURE} {NO_OPTIONS}")),
    ],
)
def test_build_of_invalid_source_or_options_is_rejected(
    source: str, options: str | None, expected: tuple[str, str]
) -> None:
    world = set_up_programs(SourceProgram("", source=source))
    assert expect_build(world, options=options if options is None else Text(options)) == expected


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
def test_build_depends_on_the_macros_of_listed_features(
    part: str, options: str, features: tuple[str, ...], expected: tuple[str, str]
) -> None:
    world = set_up_programs(create_source_program(part))
    told = tuple(one for name in features for one in (3 << 22, f"__opencl_c_{name}"))
    world.roots[0].facts["CL_DEVICE_OPENCL_C_FEATURES"] = told
    assert expect_build(world, options=Text(options)) == expected


def test_build_with_feature_macro_may_fail_before_the_feature_query() -> None:
    assert expect_build(set_up_programs(create_source_program("with_pipes")), options=Text("-cl-std=CL3.0")) == (
        "",
        FAILURE,
    )


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
def test_build_for_unsupported_language_version_is_rejected(
    version: str, told: str, option: str, expected: tuple[str, str]
) -> None:
    facts = {"CL_DEVICE_OPENCL_C_VERSION": f"OpenCL C {told} test"}
    world = set_up_programs(SourceProgram("", source=SIMPLE_SOURCE), version=version, **facts)
    assert expect_build(world, options=Text(f"-cl-std={option}")) == expected


@pytest.mark.parametrize(("version", "expected"), [("2.1", ""), ("2.0", f"{FAILURE} {NO_OPTIONS}")])
def test_build_option_may_be_rejected_before_its_first_version(version: str, expected: str) -> None:
    world = set_up_programs(create_source_program("add_index"), version=version)
    assert expect_build(world, options=Text("-cl-no-subgroup-ifp")) == ("", expected)


def test_build_of_invalid_source_with_callback_may_return_success() -> None:
    assert expect_build(set_up_programs(SourceProgram("", source=INVALID_LINE)), pfn_notify=HostCallback("told")) == (
        "",
        FAILURE,
    )


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
        (create_source_program("add_index"), "", ""),
        (BuiltInProgram(""), f"{BUILD_NOTHING} {COMPILE_NOTHING}", ""),
        (LinkedProgram(""), f"{BUILD_NOTHING} {COMPILE_NOTHING}", ""),
        (BinaryProgram(""), COMPILE_NOTHING, BUILD_BINARY),
        (BinaryProgram("", saved_state=BuildState.BUILT), COMPILE_NOTHING, ""),
        (IlProgram(""), "", ""),
        (Program(""), "", f"{BUILD_NOTHING} {COMPILE_NOTHING} {BUILD_BINARY}"),
    ],
)
def test_build_and_compile_of_program_without_source_are_rejected(program: Program, must: str, may: str) -> None:
    world = set_up_programs(program)
    asked = {BUILD_NOTHING, COMPILE_NOTHING, BUILD_BINARY}
    musts, mays = zip(expect_build(world), expect_compile(world), strict=True)
    assert asked.intersection(" ".join(musts).split()) == set(must.split())
    assert asked.intersection(" ".join(mays).split()) == set(may.split())


def test_build_of_program_with_kernels_is_rejected() -> None:
    world = set_up_programs(create_source_program("add_index"), create_source_program("add_index"))
    program, context = world.model.get(Program, PROGRAM), world.model.context(CONTEXT)
    kernel = Kernel("kernel1", context=context, program=world.model.get(Program, OTHER_PROGRAM))
    world.model.add(kernel)
    assert (expect_build(world), expect_compile(world)) == (("", ""), ("", ""))
    kernel.program = program
    assert (expect_build(world), expect_compile(world)) == ((BUILD_KERNELS, ""), (COMPILE_KERNELS, ""))
    kernel.references = 0
    assert (expect_build(world), expect_compile(world)) == (("", BUILD_KERNELS), ("", COMPILE_KERNELS))


@pytest.mark.parametrize(("state", "open_"), [(BuildState.GOING_ON, True), (BuildState.ENDED, False)])
def test_build_during_another_build_may_be_rejected(state: BuildState, *, open_: bool) -> None:
    world = set_up_programs(create_source_program("add_index", state=state))
    assert BUILD_TWICE in expect_build(world)[1].split() or not open_
    assert COMPILE_TWICE in expect_compile(world)[1].split() or not open_
    assert open_ or (expect_build(world), expect_compile(world)) == (("", ""), ("", ""))


@pytest.mark.parametrize(
    ("lacking", "must", "may"), [((0, 0), True, False), ((0, 1), False, True), ((1, 1), False, False)]
)
def test_build_without_compiler_or_linker_is_rejected(lacking: tuple[int, int], *, must: bool, may: bool) -> None:
    world = set_up_programs(create_source_program("add_index", state=BuildState.COMPILED), devices=2)
    program = world.model.get(Program, PROGRAM)
    program.builds["device2"] = ProgramBuild(BuildState.COMPILED)
    for device, told in zip(world.roots, lacking, strict=True):
        device.facts |= {"CL_DEVICE_COMPILER_AVAILABLE": told, "CL_DEVICE_LINKER_AVAILABLE": told}
    everywhere = {"num_devices": 0, "device_list": None}
    found = [expect_build(world, **everywhere), expect_compile(world, **everywhere), expect_link(world, **everywhere)]
    for (musts, mays), requirement in zip(found, (BUILD_COMPILER, COMPILE_COMPILER, LINKER), strict=True):
        assert (requirement in musts.split(), requirement in mays.split()) == (must, may)


# 5.8.5

HEADERS, COMPILE_FAILURE = "clCompileProgram/CL_INVALID_VALUE/2", "clCompileProgram/CL_COMPILE_PROGRAM_FAILURE/1"
COMPILE_OPTIONS = "clCompileProgram/CL_INVALID_COMPILER_OPTIONS/1"
NAME = Texts(("a.h",))


@pytest.mark.parametrize(
    ("number", "headers", "names", "expected"),
    [
        (0, None, None, COMPILE_FAILURE),
        (1, ElementList((OTHER_PROGRAM,)), NAME, ""),
        (1, ElementList((OTHER_PROGRAM,)), Texts(("b.h",)), COMPILE_FAILURE),
        (2, ElementList((OTHER_PROGRAM, PROGRAM)), Texts(("a.h", "a.h")), ""),
        (2, ElementList((PROGRAM, OTHER_PROGRAM)), Texts(("a.h", "a.h")), COMPILE_FAILURE),
    ],
)
def test_compile_may_fail_if_no_header_has_the_included_name(
    number: int, headers: object, names: object, expected: str
) -> None:
    world = set_up_programs(SourceProgram("", source=include_line("a.h")), create_source_program("add_index"))
    given = {"num_input_headers": number, "input_headers": headers, "header_include_names": names}
    assert expect_compile(world, **given) == ("", expected)


@pytest.mark.parametrize(
    ("number", "headers", "names", "wrong"),
    [
        (0, None, None, False),
        (1, ElementList((OTHER_PROGRAM,)), NAME, False),
        (0, ElementList((OTHER_PROGRAM,)), NAME, True),
        (0, None, NAME, True),
        (0, ElementList((OTHER_PROGRAM,)), None, True),
        (1, None, None, True),
        (1, None, NAME, True),
        (1, ElementList((OTHER_PROGRAM,)), None, True),
    ],
)
def test_compile_with_mismatched_headers_and_names_is_rejected(
    number: int, headers: object, names: object, *, wrong: bool
) -> None:
    world = set_up_programs(create_source_program("add_index"), create_source_program("add_index"))
    given = {"num_input_headers": number, "input_headers": headers, "header_include_names": names}
    assert expect_compile(world, **given) == (HEADERS if wrong else "", "")


NO_PROGRAM = "clCompileProgram/CL_INVALID_PROGRAM/1"


def test_compile_of_null_program_is_rejected() -> None:
    world = set_up_programs(create_source_program("add_index"))
    assert expect_compile(world) == ("", "")
    assert expect_compile(world, program=None)[0].split() == [NO_PROGRAM]


@pytest.mark.parametrize("may", [False, True])
def test_compile_with_header_program_without_source_may_be_rejected(*, may: bool) -> None:
    world = set_up_programs(
        create_source_program("add_index"), LinkedProgram("") if may else create_source_program("caller")
    )
    given = {"input_headers": ElementList((Handle("program2"),)), "header_include_names": Texts(("part.h",))}
    musts, mays = expect_compile(world, num_input_headers=1, **given)
    assert not musts
    refusals = {NO_PROGRAM, HEADERS, COMPILE_NOTHING}
    assert refusals & set(mays.split()) == (refusals if may else set())


@pytest.mark.parametrize(
    ("source", "options", "expected"),
    [
        (SIMPLE_SOURCE, "-w", ("", "")),
        (INVALID_LINE, None, (COMPILE_FAILURE, "")),
        (PARTS["caller"], None, ("", "")),
        (SIMPLE_SOURCE, "-no-such-option", ("", f"{COMPILE_FAILURE} {COMPILE_OPTIONS}")),
    ],
)
def test_compilation_of_invalid_source_or_options_is_rejected(
    source: str, options: str | None, expected: tuple[str, str]
) -> None:
    world = set_up_programs(SourceProgram("", source=source))
    assert expect_compile(world, options=options if options is None else Text(options)) == expected


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
def test_link_of_invalid_inputs_or_options_is_rejected(
    parts: tuple[str, ...], options: str | None, expected: tuple[str, str]
) -> None:
    world = set_up_programs(*(create_source_program(part, state=COMPILED) for part in parts))
    inputs = ElementList(tuple(Handle(f"program{number}") for number in range(1, len(parts) + 1)))
    given = {"num_input_programs": len(parts), "input_programs": inputs}
    assert expect_link(world, **given, options=options if options is None else Text(options)) == expected


@pytest.mark.parametrize("returned", [None, "program9"])
@pytest.mark.parametrize(
    ("parts", "options", "notified", "required"),
    [
        (("caller",), None, False, True),
        (("caller",), Text("-cl-fast-relaxed-math"), False, True),
        (("caller",), Text("-w"), False, False),
        (("caller",), Text("-create-library"), False, False),
        (("add_index", "add_index"), None, False, False),
        (("caller",), None, True, False),
    ],
)
def test_failed_link_with_valid_arguments_must_return_a_program(
    parts: tuple[str, ...], options: Text | None, returned: str | None, *, notified: bool, required: bool
) -> None:
    world = set_up_programs(*(create_source_program(part, state=COMPILED) for part in parts))
    inputs = ElementList(tuple(Handle(f"program{number}") for number in range(1, len(parts) + 1)))
    callback = HostCallback("linked") if notified else None
    devices = ElementList((world.device,))
    expectation = world.expect(LINK, CONTEXT, 1, devices, options, len(parts), inputs, callback, None, OutputBuffer(1))
    judgement = world.oracle.judge(expectation, Returned(returned, {"errcode_ret": Output([-17], 4)}))
    expected = [("clLinkProgram/effect/16",)] if required and returned is None else []
    assert [deviation.requirements for deviation in judgement.deviations] == expected
    assert ("program9" in world.model.objects) == (returned is not None)


@pytest.mark.parametrize(
    ("programs", "expected"),
    [
        (
            (create_source_program("add_index", state=COMPILED), create_source_program("copy_plus_one", state=NONE)),
            (MIXED, LINK_FAILURE),
        ),
        ((create_source_program("add_index", state=NONE),), ("", f"{MIXED} {LINK_FAILURE}")),
        ((create_source_program("add_index", state=DONE),), ("", f"{MIXED} {LINK_FAILURE}")),
        (
            (create_source_program("add_index", state=BuildState.GOING_ON),),
            ("", f"{LINK_TWICE} {MIXED} {LINK_FAILURE}"),
        ),
        ((create_source_program("add_index", state=BuildState.LIBRARY),), ("", "")),
        ((BinaryProgram("", saved_state=COMPILED, parts=("add_index",)),), ("", "")),
        ((BinaryProgram("", parts=("add_index",)),), ("", f"{MIXED} {LINK_FAILURE}")),
    ],
)
def test_link_of_inputs_that_are_not_all_compiled_is_rejected(
    programs: tuple[Program, ...], expected: tuple[str, str]
) -> None:
    world = set_up_programs(*programs)
    inputs = ElementList(tuple(Handle(f"program{number}") for number in range(1, len(programs) + 1)))
    assert expect_link(world, num_input_programs=len(programs), input_programs=inputs) == expected


@pytest.mark.parametrize(
    ("number", "inputs", "wrong"),
    [(1, ElementList((PROGRAM,)), False), (0, ElementList((PROGRAM,)), True), (1, None, True), (0, None, True)],
)
def test_link_without_inputs_is_rejected(number: int, inputs: object, *, wrong: bool) -> None:
    world = set_up_programs(create_source_program("add_index", state=COMPILED))
    musts, _ = expect_link(world, num_input_programs=number, input_programs=inputs)
    assert (NO_INPUTS in musts.split()) == wrong


NO_DEVICE = {
    BUILD: "clBuildProgram/CL_INVALID_DEVICE/1",
    COMPILE: "clCompileProgram/CL_INVALID_DEVICE/1",
    LINK: "clLinkProgram/CL_INVALID_DEVICE/1",
}


@pytest.mark.parametrize(("device", "wrong"), [(Handle("device1"), False), (None, True), (Handle("device2"), True)])
def test_build_for_device_outside_the_program_is_rejected(device: Handle | None, *, wrong: bool) -> None:
    world = set_up_programs(create_source_program("add_index", state=COMPILED), devices=2)
    world.model.context(CONTEXT).devices.pop()
    for ask, function in ((expect_build, BUILD), (expect_compile, COMPILE), (expect_link, LINK)):
        musts, _ = ask(world, device_list=ElementList((device,)))
        assert (NO_DEVICE[function] in musts.split()) == wrong
