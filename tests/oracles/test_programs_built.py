"""Programs made, built, compiled and linked: which calls must fail, by the errors of sections 5.8.1 to 5.8.5."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import UNTOUCHED, Output, Returned
from clconform.calls.cutting import LONGEST_BYTES
from clconform.calls.values import Callback, Data, Handle, Inside, Items, OutputBuffer, Pointers, Text, Texts
from clconform.oracles.contents.storage import Storage, View, plain
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.pointed_memory import HostArea
from clconform.oracles.model.programs import (
    BinaryProgram,
    Build,
    BuildState,
    BuiltInProgram,
    IlProgram,
    LinkedProgram,
    Program,
    SourceProgram,
)
from clconform.oracles.model.sources import INVALID, PARTS, VARIABLE, VARIABLE_BYTES, include, parts_of
from clconform.oracles.model.spirv import MODULES, NUMBER, TRUTH, WITH_CONSTANTS

from .worlds import Plan, World, clauses, verdict_on

if TYPE_CHECKING:
    from clconform.oracles.model.devices import Device

CONTEXT, PROGRAM, OTHER = Handle("context1"), Handle("program1"), Handle("program2")
BUILD, COMPILE, LINK = "clBuildProgram", "clCompileProgram", "clLinkProgram"
CODE = OutputBuffer(1)
SIMPLE = PARTS["add_index"]
FACTS = {
    "CL_DEVICE_COMPILER_AVAILABLE": 1,
    "CL_DEVICE_LINKER_AVAILABLE": 1,
    "CL_DEVICE_SINGLE_FP_CONFIG": 0x3F,
    "CL_DEVICE_OPENCL_C_VERSION": "OpenCL C 1.2 test",
    "CL_DEVICE_OPENCL_C_ALL_VERSIONS": (1 << 22 | 2 << 12, "OpenCL C", 3 << 22, "OpenCL C"),
    "CL_DEVICE_TYPE": 2,
    "CL_DEVICE_IL_VERSION": "SPIR-V_1.0",
    "CL_DEVICE_ADDRESS_BITS": 64,
}


def world_of(*programs: Program, devices: int = 1, version: str = "3.0", **facts: int | str) -> World:
    """Return a world with these programs, named in their order, in a context of all devices."""
    world = World(*[Plan()] * devices, version=version)
    for device in world.roots:
        device.facts |= FACTS | facts
    context = Context(CONTEXT.name, devices=list(world.roots))
    world.model.add(context)
    for number, program in enumerate(programs, 1):
        program.name, program.context, program.devices = f"program{number}", context, list(world.roots)
        for device in world.roots:
            program.builds.setdefault(device.name, Build())
        world.model.add(program)
    return world


def from_source(*parts: str, state: BuildState = BuildState.NONE) -> SourceProgram:
    """Return a program of known parts."""
    source = "".join(PARTS[part] for part in parts)
    return SourceProgram("", source=source, parts=parts_of(source), builds={"device1": Build(state)})


def built(world: World, **changes: object) -> tuple[str, str]:
    """Return the clauses that must and may hold for a build that is valid but for these changes."""
    return _asked(world, BUILD, {"program": PROGRAM}, changes)


def compiled(world: World, **changes: object) -> tuple[str, str]:
    """Return the same for a compilation."""
    headers = {"num_input_headers": 0, "input_headers": None, "header_include_names": None}
    return _asked(world, COMPILE, {"program": PROGRAM, **headers}, changes)


def linked(world: World, **changes: object) -> tuple[str, str]:
    """Return the same for a link of the first program."""
    inputs = {"num_input_programs": 1, "input_programs": Items((PROGRAM,))}
    return _asked(world, LINK, {"context": CONTEXT, **inputs, "errcode_ret": CODE}, changes)


def _asked(world: World, function: str, own: dict[str, object], changes: dict[str, object]) -> tuple[str, str]:
    usual = {"num_devices": 1, "device_list": Items((world.device,)), "options": None}
    given = {**usual, "pfn_notify": None, "user_data": None, **own, **changes}
    names = [each.name for each in world.model.tables.functions[function].parameters]
    return verdict_on(world, world.call(function, *(given[name] for name in names)))


# 5.8.1

NO_SOURCE = "clCreateProgramWithSource/CL_INVALID_VALUE/1"
TEXT = Inside(Handle("area1"), 0)


@pytest.mark.parametrize(
    ("count", "strings", "lengths", "expected"),
    [
        (1, Texts((SIMPLE,)), None, ("", "")),
        (0, Texts((SIMPLE,)), None, (NO_SOURCE, "")),
        (1, None, None, (NO_SOURCE, "")),
        (1, Pointers((None,)), None, (NO_SOURCE, "")),
        (2, Pointers((TEXT, None)), None, (NO_SOURCE, "")),
        (1, Pointers((TEXT,)), None, ("undefined", "")),
        (1, Texts(("abc",)), Items((0,)), ("", "")),
        (1, Texts(("abc",)), Items((3,)), ("", "")),
        (1, Texts(("abc",)), Items((5,)), ("undefined", "")),
        (2, Texts(("abc", "d")), Items((3,)), ("undefined", "")),
        (2, Texts(("abc",)), None, ("undefined", "")),
    ],
)
def test_sources(count: int, strings: object, lengths: object, expected: tuple[str, str]) -> None:
    world = world_of()
    call = world.call("clCreateProgramWithSource", CONTEXT, count, strings, lengths, CODE)
    assert verdict_on(world, call)[0] == expected[0]


@pytest.mark.parametrize(
    ("strings", "lengths", "source"),
    [
        (("ab", "cd"), None, "abcd"),
        (("ab\0x", "cd"), None, "abcd"),
        (("abx", "cd"), Items((2, 0)), "abcd"),
        (("a\0b", "cd"), Items((3, 2)), "abcd"),
        (("", "abcd"), None, "abcd"),
    ],
)
def test_a_source_joins_its_strings_without_nulls(strings: tuple[str, ...], lengths: Items, source: str) -> None:
    world = world_of()
    made = world.expect("clCreateProgramWithSource", CONTEXT, len(strings), Texts(strings), lengths, CODE)
    world.oracle.judge(made, Returned("program1", {"errcode_ret": Output([0], 4)}))
    assert world.model.get(SourceProgram, PROGRAM).source == source


NO_BINARIES, NOT_A_BINARY = (
    "clCreateProgramWithBinary/CL_INVALID_VALUE/2",
    "clCreateProgramWithBinary/CL_INVALID_BINARY/1",
)


@pytest.mark.parametrize(
    ("lengths", "binaries", "expected"),
    [
        (Items((4,)), Data(b"\1\2\3\4"), ("", "")),
        (Items((3,)), Data(b"\1\2\3"), ("", NOT_A_BINARY)),
        (Items((4,)), Data(b"\1\2\3\5"), ("", NOT_A_BINARY)),
        (None, Data(b"\1\2\3\4"), (NO_BINARIES, NOT_A_BINARY)),
        (Items((4,)), None, (NO_BINARIES, NOT_A_BINARY)),
        (Items((0,)), Data(b"\1\2\3\4"), (NO_BINARIES, NOT_A_BINARY)),
        (Items((4,)), Pointers((None,)), (NO_BINARIES, NOT_A_BINARY)),
        (Items((5,)), Data(b"\1\2\3\4"), ("undefined", "")),
    ],
)
def test_binaries(lengths: Items | None, binaries: object, expected: tuple[str, str]) -> None:
    program = SourceProgram("", binaries=["01020304"], facts={"CL_PROGRAM_BINARY_SIZES": (4,)})
    world = world_of(program)
    devices = (1, Items((world.device,)))
    call = world.call("clCreateProgramWithBinary", CONTEXT, *devices, lengths, binaries, OutputBuffer(1), CODE)
    assert verdict_on(world, call) == expected


@pytest.mark.parametrize(("last", "expected"), [(b"\1", ("", "")), (b"\2", ("", NOT_A_BINARY))])
def test_a_binary_is_known_by_the_beginning_that_was_stored(last: bytes, expected: tuple[str, str]) -> None:
    content = bytes(LONGEST_BYTES // 2 - 1) + last + b"and more"
    told = (bytes(LONGEST_BYTES // 2 - 1) + b"\1").hex()
    size = len(content)
    world = world_of(SourceProgram("", binaries=[told], facts={"CL_PROGRAM_BINARY_SIZES": (size,)}))
    given = (1, Items((world.device,)), Items((size,)), Data(content), OutputBuffer(1), CODE)
    assert verdict_on(world, world.call("clCreateProgramWithBinary", CONTEXT, *given)) == expected


def test_the_status_of_a_binary_that_was_told_is_success() -> None:
    world = world_of(SourceProgram("", binaries=["0102"], facts={"CL_PROGRAM_BINARY_SIZES": (2,)}))
    given = (1, Items((world.device,)), Items((2,)), Data(b"\1\2"), OutputBuffer(1), CODE)
    for status, wrong in ((0, False), (-42, True)):
        expectation = world.expect("clCreateProgramWithBinary", CONTEXT, *given)
        outputs = {"binary_status": Output([status], 4), "errcode_ret": Output([0], 4)}
        assert bool(world.oracle.judge(expectation, Returned("program9", outputs)).blames) == wrong


OF_EACH = "clCreateProgramWithBinary/effect/1"
OWN, CUT = b"\1\2\3\4", b"\1\2"


def two_binaries(*given: bytes | None) -> tuple[World, tuple[object, ...]]:
    """Return a world with a program for each of two devices, and the arguments of a call with these binaries."""
    programs = [SourceProgram("", binaries=["01020304"], facts={"CL_PROGRAM_BINARY_SIZES": (4,)}) for _ in range(2)]
    world = world_of(*programs, devices=2)
    for program, device in zip(programs, world.roots, strict=True):
        program.devices = [device]
    places: list[Inside | None] = []
    for number, content in enumerate(given):
        storage = Storage(LARGEST)
        storage.write(((0, len(content or b"")),), plain(content or b""))
        area = HostArea(f"pointer{number}", size=LARGEST, memory=View(storage, 0, LARGEST))
        world.model.add(area)
        places.append(None if content is None else Inside(Handle(area.name), 0))
    lengths = Items(tuple(4 if content is None else len(content) for content in given))
    devices = Items(tuple(Handle(device.name) for device in world.roots))
    return world, (CONTEXT, 2, devices, lengths, Pointers(tuple(places)), OutputBuffer(2), CODE)


LARGEST = 8


@pytest.mark.parametrize(
    ("binaries", "expected"),
    [
        ((OWN, OWN), ("", "")),
        ((OWN, CUT), ("", NOT_A_BINARY)),
        ((CUT, OWN), ("", NOT_A_BINARY)),
        ((OWN, None), (NO_BINARIES, NOT_A_BINARY)),
        ((None, OWN), (NO_BINARIES, NOT_A_BINARY)),
        ((OWN, b""), (NO_BINARIES, NOT_A_BINARY)),
        ((OWN, bytes(LARGEST + 1)), ("undefined", "")),
    ],
)
def test_binaries_for_two_devices(binaries: tuple[bytes | None, ...], expected: tuple[str, str]) -> None:
    world, given = two_binaries(*(None if each is None else each[:LARGEST] for each in binaries))
    if any(each is not None and len(each) > LARGEST for each in binaries):
        given = (*given[:3], Items((4, LARGEST + 1)), *given[4:])
    assert verdict_on(world, world.call("clCreateProgramWithBinary", *given)) == expected


UNFIT, NOTHING = -42, -30


@pytest.mark.parametrize(
    ("binaries", "code", "statuses", "is_wrong"),
    [
        ((OWN, CUT), UNFIT, [0, UNFIT], False),
        ((OWN, CUT), UNFIT, [0, 0], True),
        ((OWN, CUT), UNFIT, [UNFIT, UNFIT], True),
        ((OWN, CUT), UNFIT, [UNTOUCHED, UNFIT], True),
        ((CUT, CUT), UNFIT, [0, UNFIT], False),
        ((CUT, CUT), UNFIT, [UNTOUCHED, UNFIT], True),
        ((OWN, None), NOTHING, [0, NOTHING], False),
        ((OWN, None), NOTHING, [UNTOUCHED, NOTHING], False),
        ((OWN, None), NOTHING, [0, UNTOUCHED], True),
        ((b"", OWN), NOTHING, [NOTHING, 0], False),
        ((b"", OWN), NOTHING, [UNFIT, 0], True),
        ((OWN, CUT), -5, [UNTOUCHED, UNTOUCHED], False),
    ],
)
def test_a_refused_call_has_a_status_for_each_binary(
    binaries: tuple[bytes | None, ...], code: int, statuses: list[int | str], *, is_wrong: bool
) -> None:
    world, given = two_binaries(*binaries)
    outputs = {"binary_status": Output(list(statuses)), "errcode_ret": Output([code], 4)}
    judgement = world.oracle.judge(world.expect("clCreateProgramWithBinary", *given), Returned(None, outputs))
    assert [record for blame in judgement.blames for record in blame.records] == ([OF_EACH] if is_wrong else [])


# a build that cannot succeed for one of two devices

IMAGES, OF_3 = "with_images", Text("-cl-std=CL3.0")
LISTED = (3 << 22, "__opencl_c_images")


def apart() -> World:
    """Return a program that needs images on two devices, of which the second does not list them."""
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
    listed = Items(tuple(Handle(f"device{number}") for number in devices))
    call = world.call(BUILD, PROGRAM, len(devices), listed, options, None, None)
    assert verdict_on(world, call) == expected


@pytest.mark.parametrize(("code", "state"), [(-11, BuildState.FAILED), (-5, BuildState.UNKNOWN)])
def test_only_the_device_without_the_feature_has_failed_for_sure(code: int, state: BuildState) -> None:
    world = apart()
    listed = Items(tuple(Handle(device.name) for device in world.roots))
    expectation = world.expect(BUILD, PROGRAM, 2, listed, OF_3, None, None)
    world.oracle.judge(expectation, Returned(code))
    builds = world.model.get(SourceProgram, PROGRAM).builds
    assert builds["device2"].state is state
    assert builds["device1"].state is (BuildState.FAILED_FOR_SOME if code == -11 else BuildState.UNKNOWN)


# 5.8.2 and 5.8.3


@pytest.mark.parametrize(("version", "open_"), [("2.2", False), ("3.0", True)])
def test_release_callbacks(version: str, *, open_: bool) -> None:
    world = world_of(from_source("add_index"), version=version)
    expectation = world.expect("clSetProgramReleaseCallback", PROGRAM, Callback("told"), None)
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
WITH, WITHOUT, VALUE = WITH_CONSTANTS["SPIR-V_1.0", 64], MODULES["SPIR-V_1.0", 64], Data(bytes(8))


@pytest.mark.parametrize(
    ("il", "given", "facts", "expected"),
    [
        (WITH, (NUMBER.spec_id, NUMBER.bytes, VALUE), {}, ("", "")),
        (WITH, (NUMBER.spec_id - 1, NUMBER.bytes, VALUE), {}, (NO_CONSTANT, OTHER_VALUE)),
        (WITHOUT, (NUMBER.spec_id, NUMBER.bytes, VALUE), {}, (NO_CONSTANT, OTHER_VALUE)),
        (WITH, (NUMBER.spec_id, 8, VALUE), {}, (OTHER_VALUE, "")),
        (WITH, (TRUTH.spec_id, TRUTH.bytes, VALUE), {}, ("", "")),
        (WITH, (TRUTH.spec_id, NUMBER.bytes, VALUE), {}, (OTHER_VALUE, "")),
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
        (INVALID, None, (FAILURE, "")),
        (INVALID + SIMPLE, None, (FAILURE, "")),
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
    assert built(world_of(SourceProgram("", source=INVALID)), pfn_notify=Callback("told")) == ("", FAILURE)


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
        (BinaryProgram("", loaded=BuildState.BUILT), COMPILE_NOTHING, ""),
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
    program.builds["device2"] = Build(BuildState.COMPILED)
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
        (1, Items((OTHER,)), NAME, ""),
        (1, Items((OTHER,)), Texts(("b.h",)), COMPILE_FAILURE),
        (2, Items((OTHER, PROGRAM)), Texts(("a.h", "a.h")), ""),
        (2, Items((PROGRAM, OTHER)), Texts(("a.h", "a.h")), COMPILE_FAILURE),
    ],
)
def test_headers_stand_for_names(number: int, headers: object, names: object, expected: str) -> None:
    world = world_of(SourceProgram("", source=include("a.h")), from_source("add_index"))
    given = {"num_input_headers": number, "input_headers": headers, "header_include_names": names}
    assert compiled(world, **given) == ("", expected)


@pytest.mark.parametrize(
    ("number", "headers", "names", "wrong"),
    [
        (0, None, None, False),
        (1, Items((OTHER,)), NAME, False),
        (0, Items((OTHER,)), NAME, True),
        (0, None, NAME, True),
        (0, Items((OTHER,)), None, True),
        (1, None, None, True),
        (1, None, NAME, True),
        (1, Items((OTHER,)), None, True),
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
    given = {"input_headers": Items((Handle("program2"),)), "header_include_names": Texts(("part.h",))}
    musts, mays = compiled(world, num_input_headers=1, **given)
    assert not musts
    refusals = {NO_PROGRAM, HEADERS, COMPILE_NOTHING}
    assert refusals & set(mays.split()) == (refusals if may else set())


@pytest.mark.parametrize(
    ("source", "options", "expected"),
    [
        (SIMPLE, "-w", ("", "")),
        (INVALID, None, (COMPILE_FAILURE, "")),
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
    inputs = Items(tuple(Handle(f"program{number}") for number in range(1, len(parts) + 1)))
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
        ((BinaryProgram("", loaded=COMPILED, parts=("add_index",)),), ("", "")),
        ((BinaryProgram("", parts=("add_index",)),), ("", f"{MIXED} {LINK_FAILURE}")),
    ],
)
def test_inputs_are_compiled(programs: tuple[Program, ...], expected: tuple[str, str]) -> None:
    world = world_of(*programs)
    inputs = Items(tuple(Handle(f"program{number}") for number in range(1, len(programs) + 1)))
    assert linked(world, num_input_programs=len(programs), input_programs=inputs) == expected


@pytest.mark.parametrize(
    ("number", "inputs", "wrong"),
    [(1, Items((PROGRAM,)), False), (0, Items((PROGRAM,)), True), (1, None, True), (0, None, True)],
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
        musts, _ = ask(world, device_list=Items((device,)))
        assert (NO_DEVICE[function] in musts.split()) == wrong


# what a build leaves

STATUS, OPTIONS, LOG, TYPE = (
    "CL_PROGRAM_BUILD_STATUS",
    "CL_PROGRAM_BUILD_OPTIONS",
    "CL_PROGRAM_BUILD_LOG",
    "CL_PROGRAM_BINARY_TYPE",
)
MARK = "of_an_earlier_build_only"
ERROR, NONE, SUCCESS = -2, -1, 0


def build(world: World, options: str | None, result: int = 0, function: str = BUILD) -> None:
    """Have a program built, or compiled."""
    headers = (0, None, None) if function == COMPILE else ()
    given = (PROGRAM, 1, Items((world.device,)), options if options is None else Text(options), *headers)
    world.oracle.judge(world.expect(function, *given, None, None), Returned(result))


def verdict(
    world: World,
    query: str,
    value: object,
    program: Handle = PROGRAM,
    *,
    number_bytes: int = 4,
    device: Device | None = None,
) -> str:
    """Return what the oracle says of an answer about the build for the first device, or nothing."""
    answer = f"{value}\0" if isinstance(value, str) else value
    size = len(answer) if isinstance(answer, str) else number_bytes
    asked = world.expect(
        "clGetProgramBuildInfo",
        program,
        Handle(device.name) if device else world.device,
        world.value(query),
        size,
        OutputBuffer(size),
        OutputBuffer(1),
    )
    outputs = {"param_value": Output([answer], size), "param_value_size_ret": Output([size], 8)}
    return dict(world.oracle.judge(asked, Returned(0, outputs)).evidence).get(query, "")


@pytest.mark.parametrize(("more", "told"), [(0, "conforms"), (8, "conforms"), (-1, "deviates")])
def test_variables_take_their_bytes_once_the_program_is_built(more: int, told: str) -> None:
    world = world_of(SourceProgram("", source=VARIABLE, builds={"device1": Build()}))
    query, answer = "CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE", VARIABLE_BYTES + more
    assert verdict(world, query, answer, number_bytes=8) != "deviates"
    build(world, "-cl-std=CL3.0")
    assert verdict(world, query, answer, number_bytes=8) == told


@pytest.mark.parametrize(
    ("steps", "query", "right", "wrong"),
    [
        ([("-w", 0, BUILD)], OPTIONS, "-w", ""),
        ([("-w", 0, BUILD), (None, 0, BUILD)], OPTIONS, "", "-w"),
        ([("-w", 0, BUILD), ("-g", -11, BUILD)], OPTIONS, "-g", "-w"),
        ([("-w", 0, BUILD), ("-g", -15, COMPILE)], STATUS, ERROR, SUCCESS),
        ([("-w", 0, BUILD), ("-g", -30, BUILD)], OPTIONS, "-w", "-g"),
        ([("-w", -11, BUILD), ("-g", 0, COMPILE)], STATUS, SUCCESS, ERROR),
        ([("-w", 0, BUILD), ("-g", 0, COMPILE)], TYPE, 1, 4),
        ([("-w", 0, COMPILE), ("-g", 0, BUILD)], TYPE, 4, 1),
        ([(f"-D WORD={MARK}", -11, BUILD), ("", 0, BUILD)], LOG, "warning: none", f"error: {MARK}"),
    ],
)
def test_a_build_leaves_what_it_was_given(
    steps: list[tuple[str | None, int, str]], query: str, right: object, wrong: object
) -> None:
    for answer, expected in ((right, "conforms"), (wrong, "deviates")):
        world = world_of(from_source("add_index"))
        for options, result, function in steps:
            build(world, options, result, function)
        assert verdict(world, query, answer) == expected


@pytest.mark.parametrize("value", [NONE, SUCCESS])
def test_what_a_build_for_the_parent_device_leaves_for_a_sub_device_is_open(value: int) -> None:
    """The binary of the parent device is that of a sub-device for which nothing was built."""
    world = world_of(from_source("add_index"), devices=2)
    parent, part = world.roots
    part.parent = parent
    world.model.get(Program, PROGRAM).builds[part.name] = Build()
    assert (verdict(world, STATUS, value, device=part) == "deviates") == (value != NONE)
    build(world, "-w")
    assert verdict(world, STATUS, value, device=part) != "deviates"


@pytest.mark.parametrize(("query", "value"), [(OPTIONS, ""), (OPTIONS, "-w"), (TYPE, 4), (TYPE, 0), (STATUS, NONE)])
@pytest.mark.parametrize("function", [BUILD, COMPILE])
def test_what_a_build_leaves_that_had_to_fail_is_open(function: str, query: str, value: object) -> None:
    world = world_of(LinkedProgram("", builds={"device1": Build(BuildState.BUILT)}))
    assert (verdict(world, query, value) == "deviates") == ((query, value) not in ((OPTIONS, ""), (TYPE, 4)))
    build(world, "-w", 0, function)
    assert verdict(world, query, value) != "deviates"


@pytest.mark.parametrize("value", [ERROR, SUCCESS])
def test_what_refused_options_leave_is_open(value: int) -> None:
    world = world_of(from_source("add_index"))
    build(world, "-no-such-option", -43)
    assert verdict(world, STATUS, value) != "deviates"


@pytest.mark.parametrize("query", [LOG, OPTIONS])
def test_the_log_may_name_what_its_own_options_define(query: str) -> None:
    world = world_of(from_source("add_index"))
    build(world, f"-D WORD={MARK}", -11)
    assert verdict(world, query, f"-D WORD={MARK}") != "deviates"


def link(world: World, options: str, value: str | None, code: int) -> list[object]:
    """Have the first program linked, and return the complaints."""
    expectation = world.expect(
        LINK, CONTEXT, 1, Items((world.device,)), Text(options), 1, Items((PROGRAM,)), None, None, OutputBuffer(1)
    )
    return list(world.oracle.judge(expectation, Returned(value, {"errcode_ret": Output([code], 4)})).blames)


@pytest.mark.parametrize(("value", "code"), [("program9", -17), (None, -17)])
def test_a_failed_link_comes_with_a_program_or_none(value: str | None, code: int) -> None:
    world = world_of(from_source("caller", state=COMPILED))
    assert link(world, "", value, code) == []
    if value is not None:
        assert verdict(world, STATUS, ERROR, Handle(value)) == "conforms"
        assert verdict(world, STATUS, SUCCESS, Handle(value)) == "deviates"


def test_a_failed_link_of_nothing_leaves_no_program_that_is_known() -> None:
    world = world_of(from_source("caller", state=COMPILED))
    given = (CONTEXT, 1, Items((world.device,)), Text(""), 1, Items((None,)), None, None, OutputBuffer(1))
    world.oracle.judge(world.expect(LINK, *given), Returned("program9", {"errcode_ret": Output([-17], 4)}))
    assert "program9" not in world.model.things


@pytest.mark.parametrize(("value", "code"), [("program9", -58), ("program9", -30)])
def test_other_errors_come_without_a_program(value: str, code: int) -> None:
    world = world_of(from_source("add_index", state=COMPILED))
    assert link(world, "", value, code) != []


@pytest.mark.parametrize(("options", "right", "wrong"), [("", 4, 2), ("-create-library", 2, 4)])
def test_a_link_makes_an_executable_or_a_library(options: str, right: int, wrong: int) -> None:
    for answer, expected in ((right, "conforms"), (wrong, "deviates")):
        world = world_of(from_source("add_index", state=COMPILED))
        assert link(world, options, "program9", 0) == []
        assert verdict(world, TYPE, answer, Handle("program9")) == expected


def test_a_linked_program_holds_the_kernels_of_its_inputs() -> None:
    world = world_of(from_source("add_index", state=COMPILED))
    world.model.get(Program, PROGRAM).kernels = ("add_index",)
    link(world, "", "program9", 0)
    assert world.model.get(LinkedProgram, Handle("program9")).holds == ("add_index",)
    link(world, "-create-library", "program8", 0)
    assert world.model.get(LinkedProgram, Handle("program8")).holds == ()
