"""Creation of programs from sources and binaries: error conditions and binary statuses (section 5.8.1)."""

from __future__ import annotations

import pytest

from clconform.calls.call import UNTOUCHED, Output, Returned
from clconform.calls.truncation import MAX_BYTES
from clconform.calls.values import Data, ElementList, Handle, OffsetPointer, OutputBuffer, Pointers, Texts
from clconform.oracles.contents.storage import Storage, StorageView, defined_bytes
from clconform.oracles.model.pointer_memory import HostArea
from clconform.oracles.model.programs import (
    BinaryProgram,
    BuildState,
    SourceProgram,
)

from .oracle_setup import OracleSetup, get_call_verdict
from .program_builds import CONTEXT, ERRCODE_OUTPUT, PROGRAM, SIMPLE_SOURCE, create_source_program, set_up_programs

NO_SOURCE = "clCreateProgramWithSource/CL_INVALID_VALUE/1"
UNKNOWN_TEXT = OffsetPointer(Handle("area1"), 0)


@pytest.mark.parametrize(
    ("count", "strings", "lengths", "expected"),
    [
        (1, Texts((SIMPLE_SOURCE,)), None, ("", "")),
        (0, Texts((SIMPLE_SOURCE,)), None, (NO_SOURCE, "")),
        (1, None, None, (NO_SOURCE, "")),
        (1, Pointers((None,)), None, (NO_SOURCE, "")),
        (2, Pointers((UNKNOWN_TEXT, None)), None, (NO_SOURCE, "")),
        (1, Pointers((UNKNOWN_TEXT,)), None, ("undefined", "")),
        (1, Texts(("abc",)), ElementList((0,)), ("", "")),
        (1, Texts(("abc",)), ElementList((3,)), ("", "")),
        (1, Texts(("abc",)), ElementList((5,)), ("undefined", "")),
        (2, Texts(("abc", "d")), ElementList((3,)), ("undefined", "")),
        (2, Texts(("abc",)), None, ("undefined", "")),
    ],
)
def test_missing_source_strings_are_rejected(
    count: int, strings: object, lengths: object, expected: tuple[str, str]
) -> None:
    world = set_up_programs()
    call = world.call("clCreateProgramWithSource", CONTEXT, count, strings, lengths, ERRCODE_OUTPUT)
    assert get_call_verdict(world, call)[0] == expected[0]


@pytest.mark.parametrize(
    ("strings", "lengths", "source"),
    [
        (("ab", "cd"), None, "abcd"),
        (("ab\0x", "cd"), None, "abcd"),
        (("abx", "cd"), ElementList((2, 0)), "abcd"),
        (("a\0b", "cd"), ElementList((3, 2)), "abcd"),
        (("", "abcd"), None, "abcd"),
    ],
)
def test_program_source_is_joined_from_strings_without_terminators(
    strings: tuple[str, ...], lengths: ElementList, source: str
) -> None:
    world = set_up_programs()
    made = world.expect("clCreateProgramWithSource", CONTEXT, len(strings), Texts(strings), lengths, ERRCODE_OUTPUT)
    world.oracle.judge(made, Returned("program1", {"errcode_ret": Output([0], 4)}))
    assert world.model.get(SourceProgram, PROGRAM).source == source


NO_BINARIES, NOT_A_BINARY = (
    "clCreateProgramWithBinary/CL_INVALID_VALUE/2",
    "clCreateProgramWithBinary/CL_INVALID_BINARY/1",
)


@pytest.mark.parametrize(
    ("lengths", "binaries", "expected"),
    [
        (ElementList((4,)), Data(b"\1\2\3\4"), ("", "")),
        (ElementList((3,)), Data(b"\1\2\3"), ("", NOT_A_BINARY)),
        (ElementList((4,)), Data(b"\1\2\3\5"), ("", NOT_A_BINARY)),
        (None, Data(b"\1\2\3\4"), (NO_BINARIES, NOT_A_BINARY)),
        (ElementList((4,)), None, (NO_BINARIES, NOT_A_BINARY)),
        (ElementList((0,)), Data(b"\1\2\3\4"), (NO_BINARIES, NOT_A_BINARY)),
        (ElementList((4,)), Pointers((None,)), (NO_BINARIES, NOT_A_BINARY)),
        (ElementList((5,)), Data(b"\1\2\3\4"), ("undefined", "")),
    ],
)
def test_missing_or_unknown_binary_is_rejected(
    lengths: ElementList | None, binaries: object, expected: tuple[str, str]
) -> None:
    program = SourceProgram("", binaries=["01020304"], facts={"CL_PROGRAM_BINARY_SIZES": (4,)})
    world = set_up_programs(program)
    devices = (1, ElementList((world.device,)))
    call = world.call(
        "clCreateProgramWithBinary", CONTEXT, *devices, lengths, binaries, OutputBuffer(1), ERRCODE_OUTPUT
    )
    assert get_call_verdict(world, call) == expected


@pytest.mark.parametrize(("last", "expected"), [(b"\1", ("", "")), (b"\2", ("", NOT_A_BINARY))])
def test_known_binary_is_recognised_by_its_stored_beginning(last: bytes, expected: tuple[str, str]) -> None:
    content = bytes(MAX_BYTES // 2 - 1) + last + b"and more"
    told = (bytes(MAX_BYTES // 2 - 1) + b"\1").hex()
    size = len(content)
    world = set_up_programs(SourceProgram("", binaries=[told], facts={"CL_PROGRAM_BINARY_SIZES": (size,)}))
    given = (1, ElementList((world.device,)), ElementList((size,)), Data(content), OutputBuffer(1), ERRCODE_OUTPUT)
    assert get_call_verdict(world, world.call("clCreateProgramWithBinary", CONTEXT, *given)) == expected


def test_binary_status_of_a_binary_from_a_query_must_be_success() -> None:
    world = set_up_programs(SourceProgram("", binaries=["0102"], facts={"CL_PROGRAM_BINARY_SIZES": (2,)}))
    given = (1, ElementList((world.device,)), ElementList((2,)), Data(b"\1\2"), OutputBuffer(1), ERRCODE_OUTPUT)
    for status, wrong in ((0, False), (-42, True)):
        expectation = world.expect("clCreateProgramWithBinary", CONTEXT, *given)
        outputs = {"binary_status": Output([status], 4), "errcode_ret": Output([0], 4)}
        assert bool(world.oracle.judge(expectation, Returned("program9", outputs)).deviations) == wrong


@pytest.mark.parametrize(("built_before", "loaded"), [(False, BuildState.COMPILED), (True, BuildState.NONE)])
def test_program_from_compiled_binary_is_compiled_unless_source_program_was_built(
    *, built_before: bool, loaded: BuildState
) -> None:
    program = create_source_program("add_index", state=BuildState.COMPILED)
    world = set_up_programs(program)
    program.binaries, program.facts = ["0102"], {"CL_PROGRAM_BINARY_SIZES": (2,)}
    program.built_devices = list(world.roots) if built_before else []
    given = (1, ElementList((world.device,)), ElementList((2,)), Data(b"\1\2"), None, ERRCODE_OUTPUT)
    expectation = world.expect("clCreateProgramWithBinary", CONTEXT, *given)
    world.oracle.judge(expectation, Returned("program9", {"errcode_ret": Output([0], 4)}))
    assert world.model.get(BinaryProgram, Handle("program9")).saved_state is loaded


STATUS_OF_EACH = "clCreateProgramWithBinary/effect/1"
VALID, TRUNCATED = b"\1\2\3\4", b"\1\2"


def create_two_binaries(*given: bytes | None) -> tuple[OracleSetup, tuple[object, ...]]:
    """Return a setup with a program for each of two devices, and arguments for a call with these binaries."""
    programs = [SourceProgram("", binaries=["01020304"], facts={"CL_PROGRAM_BINARY_SIZES": (4,)}) for _ in range(2)]
    world = set_up_programs(*programs, devices=2)
    for program, device in zip(programs, world.roots, strict=True):
        program.devices = [device]
    places: list[OffsetPointer | None] = []
    for number, content in enumerate(given):
        storage = Storage(LARGEST)
        storage.write(((0, len(content or b"")),), defined_bytes(content or b""))
        area = HostArea(f"pointer{number}", size=LARGEST, memory=StorageView(storage, 0, LARGEST))
        world.model.add(area)
        places.append(None if content is None else OffsetPointer(Handle(area.name), 0))
    lengths = ElementList(tuple(4 if content is None else len(content) for content in given))
    devices = ElementList(tuple(Handle(device.name) for device in world.roots))
    return world, (CONTEXT, 2, devices, lengths, Pointers(tuple(places)), OutputBuffer(2), ERRCODE_OUTPUT)


LARGEST = 8


@pytest.mark.parametrize(
    ("binaries", "expected"),
    [
        ((VALID, VALID), ("", "")),
        ((VALID, TRUNCATED), ("", NOT_A_BINARY)),
        ((TRUNCATED, VALID), ("", NOT_A_BINARY)),
        ((VALID, None), (NO_BINARIES, NOT_A_BINARY)),
        ((None, VALID), (NO_BINARIES, NOT_A_BINARY)),
        ((VALID, b""), (NO_BINARIES, NOT_A_BINARY)),
        ((VALID, bytes(LARGEST + 1)), ("undefined", "")),
    ],
)
def test_invalid_binary_for_one_of_two_devices_is_rejected(
    binaries: tuple[bytes | None, ...], expected: tuple[str, str]
) -> None:
    world, given = create_two_binaries(*(None if each is None else each[:LARGEST] for each in binaries))
    if any(each is not None and len(each) > LARGEST for each in binaries):
        given = (*given[:3], ElementList((4, LARGEST + 1)), *given[4:])
    assert get_call_verdict(world, world.call("clCreateProgramWithBinary", *given)) == expected


INVALID_BINARY, INVALID_VALUE = -42, -30


@pytest.mark.parametrize(
    ("binaries", "code", "statuses", "is_wrong"),
    [
        ((VALID, TRUNCATED), INVALID_BINARY, [0, INVALID_BINARY], False),
        ((VALID, TRUNCATED), INVALID_BINARY, [0, 0], True),
        ((VALID, TRUNCATED), INVALID_BINARY, [INVALID_BINARY, INVALID_BINARY], True),
        ((VALID, TRUNCATED), INVALID_BINARY, [UNTOUCHED, INVALID_BINARY], True),
        ((TRUNCATED, TRUNCATED), INVALID_BINARY, [0, INVALID_BINARY], False),
        ((TRUNCATED, TRUNCATED), INVALID_BINARY, [UNTOUCHED, INVALID_BINARY], True),
        ((VALID, None), INVALID_VALUE, [0, INVALID_VALUE], False),
        ((VALID, None), INVALID_VALUE, [UNTOUCHED, INVALID_VALUE], False),
        ((VALID, None), INVALID_VALUE, [0, UNTOUCHED], True),
        ((b"", VALID), INVALID_VALUE, [INVALID_VALUE, 0], False),
        ((b"", VALID), INVALID_VALUE, [INVALID_BINARY, 0], True),
        ((VALID, TRUNCATED), -5, [UNTOUCHED, UNTOUCHED], False),
    ],
)
def test_rejected_program_creation_must_set_status_of_each_binary(
    binaries: tuple[bytes | None, ...], code: int, statuses: list[int | str], *, is_wrong: bool
) -> None:
    world, given = create_two_binaries(*binaries)
    outputs = {"binary_status": Output(list(statuses)), "errcode_ret": Output([code], 4)}
    judgement = world.oracle.judge(world.expect("clCreateProgramWithBinary", *given), Returned(None, outputs))
    assert [requirement for deviation in judgement.deviations for requirement in deviation.requirements] == (
        [STATUS_OF_EACH] if is_wrong else []
    )
