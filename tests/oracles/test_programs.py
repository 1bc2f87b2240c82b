"""Programs that were not made from source: what they answer, and which calls make none."""

from __future__ import annotations

import struct

import pytest

from clconform.calls.call import Output, Returned
from clconform.calls.values import Data, Handle, Items, Room, Text
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.spirv import MODULES

from .worlds import World, clauses

CONTEXT, PROGRAM = Handle("context1"), "program1"
IL, BUILT_IN = "clCreateProgramWithIL", "clCreateProgramWithBuiltInKernels"
MODULE = MODULES["SPIR-V_1.2", 64]


@pytest.fixture
def world() -> World:
    """Return a world whose device takes SPIR-V 1.0 and 1.2 and has two kernels built in."""
    world = World()
    world.roots[0].facts |= {
        "CL_DEVICE_IL_VERSION": "SPIR-V_1.0 SPIR-V_1.2",
        "CL_DEVICE_ADDRESS_BITS": 64,
        "CL_DEVICE_BUILT_IN_KERNELS": "copy;fill",
    }
    world.model.add(Context(CONTEXT.name, devices=list(world.roots)))
    return world


def make(world: World, function: str, *arguments: object) -> None:
    """Have a call make the program."""
    expectation = world.expect(function, CONTEXT, *arguments, Room(1))
    assert world.oracle.judge(expectation, Returned(PROGRAM, {"errcode_ret": Output([0], 4)})).blames == []


def told(world: World, query: str, values: list[int | float | str | None], size: int) -> int:
    """Return how many complaints there are of an answer of the program."""
    expectation = world.expect("clGetProgramInfo", Handle(PROGRAM), world.value(query), 256, Room(256), Room(1))
    outputs = {"param_value": Output(values, size), "param_value_size_ret": Output([size], 8)}
    return len(world.oracle.judge(expectation, Returned(0, outputs)).blames)


@pytest.mark.parametrize(
    ("il", "length", "expected"),
    [
        (Data(MODULE), len(MODULE), ("", "")),
        (Data(MODULES["SPIR-V_1.0", 64]), len(MODULE), ("", "")),
        (None, len(MODULE), ("clCreateProgramWithIL/CL_INVALID_VALUE/1", "")),
        (Data(MODULE), 0, ("clCreateProgramWithIL/CL_INVALID_VALUE/1", "")),
        (Data(MODULES["SPIR-V_1.1", 64]), len(MODULE), ("", "clCreateProgramWithIL/CL_INVALID_VALUE/2")),
        (Data(MODULES["SPIR-V_1.2", 32]), len(MODULE), ("", "clCreateProgramWithIL/CL_INVALID_VALUE/2")),
        (Data(MODULE), len(MODULE) - 4, ("", "clCreateProgramWithIL/CL_INVALID_VALUE/2")),
    ],
)
def test_modules(world: World, il: Data | None, length: int, expected: tuple[str, str]) -> None:
    assert clauses(world.expect(IL, CONTEXT, il, length, Room(1))) == expected


def test_a_program_repeats_its_module(world: World) -> None:
    make(world, IL, Data(MODULE), len(MODULE))
    signed: list[int | float | str | None] = list(struct.unpack(f"{len(MODULE)}b", MODULE))
    assert told(world, "CL_PROGRAM_IL", signed, len(MODULE)) == 0
    assert told(world, "CL_PROGRAM_IL", signed[:-1], len(MODULE) - 1) > 0


def test_a_program_without_source_need_not_have_a_string_for_it(world: World) -> None:
    make(world, IL, Data(MODULE), len(MODULE))
    assert told(world, "CL_PROGRAM_SOURCE", [], 0) == 0


def test_a_string_without_its_end_is_wrong_without_source_too(world: World) -> None:
    make(world, IL, Data(MODULE), len(MODULE))
    assert told(world, "CL_PROGRAM_SOURCE", ["kernel"], 6) > 0


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (Text("copy"), ("", "")),
        (Text("fill;copy"), ("", "")),
        (None, ("clCreateProgramWithBuiltInKernels/CL_INVALID_VALUE/2", "")),
        (Text("other"), ("clCreateProgramWithBuiltInKernels/CL_INVALID_VALUE/2", "")),
        (Text("copy;other"), ("clCreateProgramWithBuiltInKernels/CL_INVALID_VALUE/2", "")),
    ],
)
def test_names_of_built_in_kernels(world: World, names: Text | None, expected: tuple[str, str]) -> None:
    assert clauses(world.expect(BUILT_IN, CONTEXT, 1, Items((world.device,)), names, Room(1))) == expected


@pytest.mark.parametrize(("seen", "wrong"), [("copy;fill", False), ("fill;copy", False), ("copy", True)])
def test_a_program_holds_the_kernels_that_were_named(world: World, seen: str, wrong: bool) -> None:  # noqa: FBT001
    make(world, BUILT_IN, 1, Items((world.device,)), Text("copy;fill"))
    assert bool(told(world, "CL_PROGRAM_KERNEL_NAMES", [f"{seen}\0"], len(seen) + 1)) == wrong


def test_built_in_kernels_may_be_told_of_only_after_a_build(world: World) -> None:
    make(world, BUILT_IN, 1, Items((world.device,)), Text("copy"))
    query = world.value("CL_PROGRAM_NUM_KERNELS")
    asked = world.expect("clGetProgramInfo", Handle(PROGRAM), query, 8, Room(8), Room(1))
    assert clauses(asked) == ("", "clGetProgramInfo/CL_INVALID_PROGRAM_EXECUTABLE/1")
