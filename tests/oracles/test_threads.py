"""Calls that may be made at the same time, and those that may not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from clconform.calls.values import Handle, HandleBytes, OutputBuffer
from clconform.oracles.engine.threads import in_each_others_way
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.memory_objects import Buffer

from .worlds import Plan, World

if TYPE_CHECKING:
    from clconform.calls.call import Call


@pytest.fixture
def world() -> World:
    made = World(Plan())
    context = Context("context1", devices=list(made.roots))
    made.model.add(context)
    for kind, name in ((Kernel, "kernel1"), (Kernel, "kernel2"), (Buffer, "mem1")):
        made.model.add(kind(name, context=context, references=2))
    return made


def calls(world: World, *each: tuple[Any, ...]) -> list[Call]:
    return [world.call(function, *arguments) for function, *arguments in each]


MEM, KERNELS = Handle("mem1"), (Handle("kernel1"), Handle("kernel2"))
RETAIN, RELEASE = ("clRetainMemObject", MEM), ("clReleaseMemObject", MEM)
CREATE = ("clCreateUserEvent", Handle("context1"), OutputBuffer(1))
ASK = ("clGetMemObjectInfo", MEM, 0x1105, 0, None, OutputBuffer(1))
SET = [("clSetKernelArg", kernel, 0, 8, HandleBytes(MEM)) for kernel in KERNELS]


@pytest.mark.parametrize(
    "each",
    [
        (ASK, ASK),
        (CREATE, CREATE),
        (RETAIN, RETAIN, RELEASE),
        (RELEASE, RELEASE),
        (CREATE, RETAIN),
        tuple(SET),
        (ASK, RETAIN),
    ],
)
def test_these_may(world: World, each: tuple[tuple[Any, ...], ...]) -> None:
    assert in_each_others_way(calls(world, *each), world.model, world.oracle.rulebook) == ""


@pytest.mark.parametrize(
    ("each", "words"),
    [
        ((ASK, ASK, ASK, ASK, RETAIN), "more than 4"),
        ((SET[0], SET[0]), "kernel1 is changed and used"),
        ((RELEASE, RELEASE, RELEASE), "released more often"),
        ((RELEASE, RELEASE, RETAIN), "would be destroyed while it is used"),
        ((RELEASE, RELEASE, SET[0]), "would be destroyed while it is used"),
        ((CREATE, ("clUnloadCompiler",)), "clUnloadCompiler may change"),
    ],
)
def test_these_may_not(world: World, each: tuple[tuple[Any, ...], ...], words: str) -> None:
    assert words in in_each_others_way(calls(world, *each), world.model, world.oracle.rulebook)
