"""Values that build queries must return after builds, compilations and links (sections 5.8.4 to 5.8.7)."""

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

    from .oracle_setup import OracleSetup
from .program_builds import BUILD, COMPILE, CONTEXT, LINK, PROGRAM, create_source_program, set_up_programs

STATUS, OPTIONS, LOG, TYPE = (
    "CL_PROGRAM_BUILD_STATUS",
    "CL_PROGRAM_BUILD_OPTIONS",
    "CL_PROGRAM_BUILD_LOG",
    "CL_PROGRAM_BINARY_TYPE",
)
MARK = "of_an_earlier_build_only"
ERROR, NONE, SUCCESS = -2, -1, 0
REFUSED = -30


def judge_build(world: OracleSetup, options: str | None, result: int = 0, function: str = BUILD) -> None:
    """Judge a build or compilation. A call that will be rejected passes a device list with a count of 0."""
    headers = (0, None, None) if function == COMPILE else ()
    given = (
        PROGRAM,
        0 if result == REFUSED else 1,
        ElementList((world.device,)),
        options if options is None else Text(options),
        *headers,
    )
    world.oracle.judge(world.expect(function, *given, None, None), Returned(result))


def judge_build_query(
    world: OracleSetup,
    query: str,
    value: object,
    program: Handle = PROGRAM,
    *,
    number_bytes: int = 4,
    device: Device | None = None,
) -> str:
    """Return the verdict on a build query's value, by default for the first device, or an empty string if none."""
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
def test_reported_variable_bytes_below_those_of_the_source_deviate(more: int, told: str) -> None:
    world = set_up_programs(SourceProgram("", source=VARIABLE_SOURCE, builds={"device1": ProgramBuild()}))
    query, answer = "CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE", VARIABLE_BYTES + more
    assert judge_build_query(world, query, answer, number_bytes=8) != "deviates"
    judge_build(world, "-cl-std=CL3.0")
    assert judge_build_query(world, query, answer, number_bytes=8) == told


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
def test_build_query_must_return_values_of_the_last_build(
    steps: list[tuple[str | None, int, str]], query: str, right: object, wrong: object
) -> None:
    for answer, expected in ((right, "conforms"), (wrong, "deviates")):
        world = set_up_programs(create_source_program("add_index"))
        for options, result, function in steps:
            judge_build(world, options, result, function)
        assert judge_build_query(world, query, answer) == expected


def test_reported_options_may_change_after_a_rejected_call() -> None:
    world = set_up_programs(create_source_program("add_index"))
    judge_build(world, "-w")
    assert judge_build_query(world, OPTIONS, "-w") == "conforms"
    judge_build(world, "-cl-std=CL1.2", REFUSED, COMPILE)
    assert judge_build_query(world, OPTIONS, "-cl-std=CL1.2") == "conforms"


@pytest.mark.parametrize("value", [NONE, SUCCESS])
def test_build_status_of_sub_device_is_unspecified_after_parent_build(value: int) -> None:
    """A sub-device without a build of its own may use the binary of its parent device."""
    world = set_up_programs(create_source_program("add_index"), devices=2)
    parent, part = world.roots
    part.parent = parent
    world.model.get(Program, PROGRAM).builds[part.name] = ProgramBuild()
    assert (judge_build_query(world, STATUS, value, device=part) == "deviates") == (value != NONE)
    judge_build(world, "-w")
    assert judge_build_query(world, STATUS, value, device=part) != "deviates"


@pytest.mark.parametrize(("query", "value"), [(OPTIONS, ""), (OPTIONS, "-w"), (TYPE, 4), (TYPE, 0), (STATUS, NONE)])
@pytest.mark.parametrize("function", [BUILD, COMPILE])
def test_build_queries_are_unspecified_after_unexpected_success(function: str, query: str, value: object) -> None:
    world = set_up_programs(LinkedProgram("", builds={"device1": ProgramBuild(BuildState.BUILT)}))
    assert (judge_build_query(world, query, value) == "deviates") == ((query, value) not in ((OPTIONS, ""), (TYPE, 4)))
    judge_build(world, "-w", 0, function)
    assert judge_build_query(world, query, value) != "deviates"


@pytest.mark.parametrize("code", [-44, -59, -11])
@pytest.mark.parametrize(("query", "value"), [(STATUS, ERROR), (STATUS, NONE), (STATUS, SUCCESS), (OPTIONS, "-g")])
def test_build_queries_are_unspecified_after_unexpected_failure(code: int, query: str, value: object) -> None:
    world = set_up_programs(create_source_program("add_index"))
    judge_build(world, "-w")
    judge_build(world, None, code)
    assert judge_build_query(world, query, value) != "deviates"


@pytest.mark.parametrize("value", [ERROR, SUCCESS])
def test_build_status_is_unspecified_after_rejected_options(value: int) -> None:
    world = set_up_programs(create_source_program("add_index"))
    judge_build(world, "-no-such-option", -43)
    assert judge_build_query(world, STATUS, value) != "deviates"


@pytest.mark.parametrize("query", [LOG, OPTIONS])
def test_build_log_and_options_query_may_return_a_mark_from_the_build_options(query: str) -> None:
    world = set_up_programs(create_source_program("add_index"))
    judge_build(world, f"-D WORD={MARK}", -11)
    assert judge_build_query(world, query, f"-D WORD={MARK}") != "deviates"


def judge_link(world: OracleSetup, options: str, value: str | None, code: int) -> list[object]:
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


def test_failed_link_returns_a_program_with_link_error() -> None:
    world = set_up_programs(create_source_program("caller", state=BuildState.COMPILED))
    assert judge_link(world, "", "program9", -17) == []
    assert judge_build_query(world, STATUS, ERROR, Handle("program9")) == "conforms"
    assert judge_build_query(world, STATUS, SUCCESS, Handle("program9")) == "deviates"


def test_rejected_link_of_null_program_adds_no_program_to_the_model() -> None:
    world = set_up_programs(create_source_program("caller", state=BuildState.COMPILED))
    given = (CONTEXT, 1, ElementList((world.device,)), Text(""), 1, ElementList((None,)), None, None, OutputBuffer(1))
    world.oracle.judge(world.expect(LINK, *given), Returned("program9", {"errcode_ret": Output([-17], 4)}))
    assert "program9" not in world.model.objects


@pytest.mark.parametrize(("value", "code"), [("program9", -58), ("program9", -30)])
def test_program_returned_by_a_rejected_link_deviates(value: str, code: int) -> None:
    world = set_up_programs(create_source_program("add_index", state=BuildState.COMPILED))
    assert judge_link(world, "", value, code) != []


@pytest.mark.parametrize(("options", "right", "wrong"), [("", 4, 2), ("-create-library", 2, 4)])
def test_link_option_decides_between_executable_and_library(options: str, right: int, wrong: int) -> None:
    for answer, expected in ((right, "conforms"), (wrong, "deviates")):
        world = set_up_programs(create_source_program("add_index", state=BuildState.COMPILED))
        assert judge_link(world, options, "program9", 0) == []
        assert judge_build_query(world, TYPE, answer, Handle("program9")) == expected


def test_linked_executable_has_the_kernels_of_its_inputs() -> None:
    world = set_up_programs(create_source_program("add_index", state=BuildState.COMPILED))
    world.model.get(Program, PROGRAM).kernels = ("add_index",)
    judge_link(world, "", "program9", 0)
    assert world.model.get(LinkedProgram, Handle("program9")).available_kernels == ("add_index",)
    judge_link(world, "-create-library", "program8", 0)
    assert world.model.get(LinkedProgram, Handle("program8")).available_kernels == ()
