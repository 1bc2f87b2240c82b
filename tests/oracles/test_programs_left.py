"""Query values after builds, compilations and links, by the calls before (sections 5.8.4 to 5.8.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Output, Returned
from clconform.calls.values import ElementList, Handle, OutputBuffer, Text
from clconform.oracles.model.program_sources import VARIABLE_BYTES, VARIABLE_SOURCE
from clconform.oracles.model.programs import (
    BuildState,
    LinkedProgram,
    Program,
    ProgramBuild,
    SourceProgram,
)

if TYPE_CHECKING:
    from clconform.oracles.model.devices import Device

    from .worlds import World
from .building import BUILD, COMPILE, CONTEXT, LINK, PROGRAM, from_source, world_of

STATUS, OPTIONS, LOG, TYPE = (
    "CL_PROGRAM_BUILD_STATUS",
    "CL_PROGRAM_BUILD_OPTIONS",
    "CL_PROGRAM_BUILD_LOG",
    "CL_PROGRAM_BINARY_TYPE",
)
MARK = "of_an_earlier_build_only"
ERROR, NONE, SUCCESS = -2, -1, 0
REFUSED = -30


def build(world: World, options: str | None, result: int = 0, function: str = BUILD) -> None:
    """Judge a build or compilation; a call that will be rejected passes a device list with a count of 0."""
    headers = (0, None, None) if function == COMPILE else ()
    given = (
        PROGRAM,
        0 if result == REFUSED else 1,
        ElementList((world.device,)),
        options if options is None else Text(options),
        *headers,
    )
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
    """Return the verdict on a build query's value, by default for the first device; an empty string if none."""
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
    world = world_of(SourceProgram("", source=VARIABLE_SOURCE, builds={"device1": ProgramBuild()}))
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
        ([("-w", 0, BUILD), ("-g", REFUSED, BUILD)], OPTIONS, "-w", ""),
        ([("-w", 0, BUILD), ("-g", REFUSED, BUILD)], OPTIONS, "-g", "-O"),
        ([("-w", REFUSED, BUILD), ("-g", 0, BUILD)], OPTIONS, "-g", "-w"),
        ([("-w", REFUSED, BUILD), ("-g", -11, BUILD)], OPTIONS, "-g", "-w"),
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


def test_options_that_were_told_before_a_refused_call_may_be_others_after_it() -> None:
    world = world_of(from_source("add_index"))
    build(world, "-w")
    assert verdict(world, OPTIONS, "-w") == "conforms"
    build(world, "-cl-std=CL1.2", REFUSED, COMPILE)
    assert verdict(world, OPTIONS, "-cl-std=CL1.2") == "conforms"


@pytest.mark.parametrize("value", [NONE, SUCCESS])
def test_what_a_build_for_the_parent_device_leaves_for_a_sub_device_is_open(value: int) -> None:
    """A sub-device without a build of its own may use the binary of its parent device."""
    world = world_of(from_source("add_index"), devices=2)
    parent, part = world.roots
    part.parent = parent
    world.model.get(Program, PROGRAM).builds[part.name] = ProgramBuild()
    assert (verdict(world, STATUS, value, device=part) == "deviates") == (value != NONE)
    build(world, "-w")
    assert verdict(world, STATUS, value, device=part) != "deviates"


@pytest.mark.parametrize(("query", "value"), [(OPTIONS, ""), (OPTIONS, "-w"), (TYPE, 4), (TYPE, 0), (STATUS, NONE)])
@pytest.mark.parametrize("function", [BUILD, COMPILE])
def test_what_a_build_leaves_that_had_to_fail_is_open(function: str, query: str, value: object) -> None:
    world = world_of(LinkedProgram("", builds={"device1": ProgramBuild(BuildState.BUILT)}))
    assert (verdict(world, query, value) == "deviates") == ((query, value) not in ((OPTIONS, ""), (TYPE, 4)))
    build(world, "-w", 0, function)
    assert verdict(world, query, value) != "deviates"


@pytest.mark.parametrize("code", [-44, -59, -11])
@pytest.mark.parametrize(("query", "value"), [(STATUS, ERROR), (STATUS, NONE), (STATUS, SUCCESS), (OPTIONS, "-g")])
def test_what_a_build_leaves_is_open_that_fails_without_a_reason(code: int, query: str, value: object) -> None:
    world = world_of(from_source("add_index"))
    build(world, "-w")
    build(world, None, code)
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
    """Judge a link of the first program, and return the deviations."""
    expectation = world.expect(
        LINK,
        CONTEXT,
        1,
        ElementList((world.device,)),
        Text(options),
        1,
        ElementList((PROGRAM,)),
        None,
        None,
        OutputBuffer(1),
    )
    return list(world.oracle.judge(expectation, Returned(value, {"errcode_ret": Output([code], 4)})).deviations)


@pytest.mark.parametrize(("value", "code"), [("program9", -17), (None, -17)])
def test_a_failed_link_comes_with_a_program_or_none(value: str | None, code: int) -> None:
    world = world_of(from_source("caller", state=BuildState.COMPILED))
    assert link(world, "", value, code) == []
    if value is not None:
        assert verdict(world, STATUS, ERROR, Handle(value)) == "conforms"
        assert verdict(world, STATUS, SUCCESS, Handle(value)) == "deviates"


def test_a_failed_link_of_nothing_leaves_no_program_that_is_known() -> None:
    world = world_of(from_source("caller", state=BuildState.COMPILED))
    given = (CONTEXT, 1, ElementList((world.device,)), Text(""), 1, ElementList((None,)), None, None, OutputBuffer(1))
    world.oracle.judge(world.expect(LINK, *given), Returned("program9", {"errcode_ret": Output([-17], 4)}))
    assert "program9" not in world.model.objects


@pytest.mark.parametrize(("value", "code"), [("program9", -58), ("program9", -30)])
def test_other_errors_come_without_a_program(value: str, code: int) -> None:
    world = world_of(from_source("add_index", state=BuildState.COMPILED))
    assert link(world, "", value, code) != []


@pytest.mark.parametrize(("options", "right", "wrong"), [("", 4, 2), ("-create-library", 2, 4)])
def test_a_link_makes_an_executable_or_a_library(options: str, right: int, wrong: int) -> None:
    for answer, expected in ((right, "conforms"), (wrong, "deviates")):
        world = world_of(from_source("add_index", state=BuildState.COMPILED))
        assert link(world, options, "program9", 0) == []
        assert verdict(world, TYPE, answer, Handle("program9")) == expected


def test_a_linked_program_holds_the_kernels_of_its_inputs() -> None:
    world = world_of(from_source("add_index", state=BuildState.COMPILED))
    world.model.get(Program, PROGRAM).kernels = ("add_index",)
    link(world, "", "program9", 0)
    assert world.model.get(LinkedProgram, Handle("program9")).available_kernels == ("add_index",)
    link(world, "-create-library", "program8", 0)
    assert world.model.get(LinkedProgram, Handle("program8")).available_kernels == ()
