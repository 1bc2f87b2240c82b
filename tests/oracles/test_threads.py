"""Calls that may run concurrently, and calls that may not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from clconform.calls.values import ElementList, Handle, HandleBytes, HostCallback, OutputBuffer
from clconform.oracles.engine.thread_safety import find_conflict
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.memory_objects import Buffer

from .oracle_setup import DevicePlan, OracleSetup

if TYPE_CHECKING:
    from clconform.calls.call import Call


@pytest.fixture
def oracle_setup() -> OracleSetup:
    made = OracleSetup(DevicePlan())
    context = Context("context1", devices=list(made.roots))
    made.model.add(context)
    for kind, name in ((Kernel, "kernel1"), (Kernel, "kernel2"), (Buffer, "mem1")):
        made.model.add(kind(name, context=context, references=2))
    return made


def create_calls(oracle_setup: OracleSetup, *each: tuple[Any, ...]) -> list[Call]:
    return [oracle_setup.call(function, *arguments) for function, *arguments in each]


MEM, KERNELS = Handle("mem1"), (Handle("kernel1"), Handle("kernel2"))
RETAIN, RELEASE = ("clRetainMemObject", MEM), ("clReleaseMemObject", MEM)
CREATE = ("clCreateUserEvent", Handle("context1"), OutputBuffer(1))
QUERY = ("clGetMemObjectInfo", MEM, 0x1105, 0, None, OutputBuffer(1))
QUERY_CONTEXT = ("clGetContextInfo", Handle("context1"), 0x1080, 0, None, OutputBuffer(1))
ALLOCATE = ("clSVMAlloc", Handle("context1"), 1, 64, 0)
FREE = [("clSVMFree", Handle("context1"), Handle(name)) for name in ("pointer1", "pointer2")]
LINK = ("clLinkProgram", Handle("context1"), 0, None, None, 0, None, None, None, OutputBuffer(1))
COMPILE = ("clCompileProgram", Handle("program1"), 0, None, None, 0, None, None, None, None)
LINK_PROGRAM = (*LINK[:5], 1, ElementList((Handle("program1"),)), *LINK[7:])
SET_DESTRUCTOR_CALLBACK = ("clSetMemObjectDestructorCallback", MEM, HostCallback("told"), None)
SET_ARGUMENTS = [("clSetKernelArg", kernel, 0, 8, HandleBytes(MEM)) for kernel in KERNELS]


@pytest.mark.parametrize(
    "each",
    [
        (QUERY, QUERY),
        (CREATE, CREATE),
        (RETAIN, RETAIN, RELEASE),
        (RELEASE, RELEASE),
        (CREATE, RETAIN),
        tuple(SET_ARGUMENTS),
        (QUERY, RETAIN),
        (FREE[0], FREE[1]),
        (ALLOCATE, ALLOCATE, FREE[0]),
        (LINK, LINK),
        (SET_DESTRUCTOR_CALLBACK, QUERY_CONTEXT),
    ],
)
def test_compatible_concurrent_calls_have_no_conflict(
    oracle_setup: OracleSetup, each: tuple[tuple[Any, ...], ...]
) -> None:
    assert find_conflict(create_calls(oracle_setup, *each), oracle_setup.model, oracle_setup.oracle.rulebook) == ""


@pytest.mark.parametrize(
    ("each", "words"),
    [
        ((QUERY, QUERY, QUERY, QUERY, RETAIN), "more than 4"),
        ((SET_ARGUMENTS[0], SET_ARGUMENTS[0]), "kernel1 is changed and used"),
        ((RELEASE, RELEASE, RELEASE), "released more often"),
        ((RELEASE, RELEASE, RETAIN), "would be destroyed while it is used"),
        ((RELEASE, RELEASE, SET_ARGUMENTS[0]), "would be destroyed while it is used"),
        ((CREATE, ("clUnloadCompiler",)), "clUnloadCompiler may change"),
        ((FREE[0], FREE[0]), "pointer1 is given back and used"),
        ((COMPILE, LINK_PROGRAM), "program1 is changed and used"),
        ((SET_DESTRUCTOR_CALLBACK, SET_DESTRUCTOR_CALLBACK), "mem1 is changed and used"),
    ],
)
def test_conflicting_concurrent_calls_are_reported_with_a_reason(
    oracle_setup: OracleSetup, each: tuple[tuple[Any, ...], ...], words: str
) -> None:
    assert words in find_conflict(create_calls(oracle_setup, *each), oracle_setup.model, oracle_setup.oracle.rulebook)
