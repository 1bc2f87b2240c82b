"""Creation and cloning of kernels: tables of calls, written from sections 5.9.1 and 5.9.3."""

from __future__ import annotations

import pytest

from clconform.calls.call import UNTOUCHED, Call, Output, Returned
from clconform.calls.values import Data, Handle, HandleBytes, OutputBuffer, Text, Value
from clconform.oracles.engine.judge import Oracle
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.kernels import Kernel, KernelArgument
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.programs import (
    BuildState,
    BuiltInProgram,
    LinkedProgram,
    Program,
    ProgramBuild,
    SourceProgram,
)

from .oracle_setup import DevicePlan, OracleSetup, get_condition_ids

PROGRAM, KERNEL, BUFFER = Handle("program1"), Handle("kernel1"), Handle("mem1")
NAMES = ("add_index", "tell_memory")
NONE, BUILT, FAILED, GOING_ON = BuildState.NONE, BuildState.BUILT, BuildState.FAILED, BuildState.GOING_ON
NO_EXECUTABLE = "clCreateKernel/CL_INVALID_PROGRAM_EXECUTABLE/1"
NO_EXECUTABLE_FOR_ALL = "clCreateKernelsInProgram/CL_INVALID_PROGRAM_EXECUTABLE/1"
NO_NAME = "clCreateKernel/CL_INVALID_KERNEL_NAME/1"
DIFFERING = "clCreateKernel/CL_INVALID_KERNEL_DEFINITION/1"
NULL_NAME = "clCreateKernel/CL_INVALID_VALUE/1"
TOO_FEW = "clCreateKernelsInProgram/CL_INVALID_VALUE/1"
NO_KERNEL = "clCloneKernel/CL_INVALID_KERNEL/1"


def create_world(
    *states: BuildState,
    kernels: tuple[str, ...] = NAMES,
    kind: type[Program] = SourceProgram,
    options: tuple[str, ...] = ("", ""),
) -> OracleSetup:
    """Return a program for two devices, whose builds have these states and options."""
    there = OracleSetup(DevicePlan(), DevicePlan(), version="3.0", extensions="")
    context = Context("context1", devices=there.roots)
    pairs = list(zip(there.roots, states, options, strict=False))
    program = kind(PROGRAM.name, context=context, devices=there.roots, kernels=kernels)
    program.builds = {device.name: ProgramBuild(state, own) for device, state, own in pairs}
    program.built_devices = [device for device, state, _ in pairs if state in (BUILT, GOING_ON)]
    for thing in (context, program, Buffer(BUFFER.name, context=context, size=64)):
        there.model.add(thing)
    return there


def expect_creation(there: OracleSetup, name: Value) -> tuple[str, str]:
    """Return the error conditions that must and may hold for the creation of a kernel."""
    return get_condition_ids(there.expect("clCreateKernel", PROGRAM, name, OutputBuffer(1)))


@pytest.mark.parametrize(
    ("states", "kind", "told"),
    [
        ((BUILT, BUILT), SourceProgram, ("", "")),
        ((BUILT, NONE), SourceProgram, ("", "")),
        ((BUILT, FAILED), SourceProgram, ("", "")),
        ((NONE, NONE), SourceProgram, (NO_EXECUTABLE, "")),
        ((FAILED, NONE), SourceProgram, (NO_EXECUTABLE, "")),
        ((FAILED, FAILED), SourceProgram, (NO_EXECUTABLE, "")),
        ((GOING_ON, NONE), SourceProgram, ("", NO_EXECUTABLE)),
        ((BuildState.ENDED, NONE), SourceProgram, ("", NO_EXECUTABLE)),
        ((BuildState.FAILED_FOR_SOME,) * 2, SourceProgram, ("", NO_EXECUTABLE)),
        ((), Program, ("", NO_EXECUTABLE)),
        ((NONE, NONE), BuiltInProgram, ("", NO_EXECUTABLE)),
    ],
    ids=str,
)
def test_kernel_creation_without_executable_is_rejected(
    states: tuple[BuildState, ...], kind: type[Program], told: tuple[str, str]
) -> None:
    there = create_world(*states, kind=kind)
    must, may = expect_creation(there, Text("add_index"))
    assert (must, may.replace(NO_NAME, "").strip()) == told
    must, may = get_condition_ids(there.expect("clCreateKernelsInProgram", PROGRAM, 0, None, OutputBuffer(1)))
    assert (must, may) == tuple(NO_EXECUTABLE_FOR_ALL if each else "" for each in told)


@pytest.mark.parametrize(
    ("name", "states", "kernels", "told"),
    [
        (Text("add_index"), (BUILT,), NAMES, ("", "")),
        (Text("tell_memory"), (BUILT,), NAMES, ("", "")),
        (Text("add_inde"), (BUILT,), NAMES, (NO_NAME, "")),
        (Text("ADD_INDEX"), (BUILT,), NAMES, (NO_NAME, "")),
        (Text(""), (BUILT,), NAMES, (NO_NAME, "")),
        (Text("chase"), (BUILT,), NAMES, (NO_NAME, "")),
        (Text("chase"), (BUILT,), (), ("", f"{DIFFERING} {NO_NAME}")),
        (Text("chase"), (NONE,), NAMES, (NO_EXECUTABLE, NO_NAME)),
        (None, (BUILT,), NAMES, (NULL_NAME, "")),
    ],
    ids=str,
)
def test_kernel_creation_with_unknown_name_is_rejected(
    name: Value, states: tuple[BuildState, ...], kernels: tuple[str, ...], told: tuple[str, str]
) -> None:
    assert expect_creation(create_world(*states, kernels=kernels), name) == told


def test_successful_kernel_creation_with_null_name_deviates() -> None:
    there = create_world(BUILT)
    oracle = Oracle(there.model)
    made = Returned("kernel1", {"errcode_ret": Output([0], 4)})
    judgement = oracle.judge(oracle.expect(there.call("clCreateKernel", PROGRAM, None, OutputBuffer(1))), made)
    assert [deviation.requirements for deviation in judgement.deviations] == [(NULL_NAME,)]


@pytest.mark.parametrize(
    ("parts", "told"),
    [(("caller",), f"{NO_EXECUTABLE} {NO_NAME}"), (("caller", "definition"), ""), (("definition", "caller"), "")],
)
def test_kernel_creation_may_fail_if_a_called_function_is_missing(parts: tuple[str, ...], told: str) -> None:
    there = create_world(BUILT, BUILT, kernels=("call_next",))
    program = there.model.get(Program, PROGRAM)
    program.parts = parts
    must, may = expect_creation(there, Text("call_next"))
    assert (must, sorted(may.split())) == ("", sorted(told.split()))
    assert program.available_kernels == (() if told else ("call_next",))


@pytest.mark.parametrize(
    ("states", "options", "kernels", "told"),
    [
        ((BUILT, BUILT), ("", "-DMORE"), ("differing",), (DIFFERING, "")),
        ((BUILT, BUILT), ("-DMORE", "-DMORE"), ("differing",), ("", "")),
        ((BUILT, BUILT), ("", ""), ("differing",), ("", "")),
        ((BUILT, NONE), ("", "-DMORE"), ("differing",), ("", DIFFERING)),
        ((BUILT,), ("-DMORE",), ("differing",), ("", "")),
        ((BUILT, BUILT), ("", "-DMORE"), ("add_index", "differing"), (DIFFERING, "")),
    ],
    ids=str,
)
def test_kernel_with_different_definitions_on_devices_is_rejected(
    states: tuple[BuildState, ...], options: tuple[str, str], kernels: tuple[str, ...], told: tuple[str, str]
) -> None:
    assert expect_creation(create_world(*states, options=options, kernels=kernels), Text("differing")) == told


@pytest.mark.parametrize(
    ("number", "room", "kernels", "told"),
    [
        (2, OutputBuffer(2), NAMES, ("", "")),
        (3, OutputBuffer(3), NAMES, ("", "")),
        (1, OutputBuffer(1), NAMES, (TOO_FEW, "")),
        (0, OutputBuffer(1), NAMES, (TOO_FEW, "")),
        (0, None, NAMES, ("", "")),
        (1, None, NAMES, ("", "")),
        (1, OutputBuffer(1), (), ("", TOO_FEW)),
        (0, OutputBuffer(1), ("differing",), (TOO_FEW, "")),
        (1, OutputBuffer(1), ("differing",), ("", "")),
        (2, OutputBuffer(1), NAMES, None),
    ],
    ids=str,
)
def test_kernels_in_program_with_too_small_output_are_rejected(
    number: int, room: Value, kernels: tuple[str, ...], told: tuple[str, str] | None
) -> None:
    asked = create_world(BUILT, kernels=kernels).expect(
        "clCreateKernelsInProgram", PROGRAM, number, room, OutputBuffer(1)
    )
    assert asked.undefined if told is None else get_condition_ids(asked) == told


@pytest.mark.parametrize(("number", "told"), [(1, TOO_FEW), (2, "")])
def test_output_for_all_kernels_of_unbuilt_program_is_not_too_small(number: int, told: str) -> None:
    there = create_world(NONE, kernels=NAMES)
    asked = there.expect("clCreateKernelsInProgram", PROGRAM, number, OutputBuffer(number), OutputBuffer(1))
    assert get_condition_ids(asked)[1] == told


@pytest.mark.parametrize(("number", "told"), [(0, (TOO_FEW, "")), (1, ("", TOO_FEW)), (2, ("", ""))])
def test_output_too_small_for_differing_kernel_may_be_rejected(number: int, told: tuple[str, str]) -> None:
    there = create_world(BUILT, BUILT, options=("", "-DMORE"), kernels=("add_index", "differing"))
    room = OutputBuffer(max(number, 1))
    assert get_condition_ids(there.expect("clCreateKernelsInProgram", PROGRAM, number, room, OutputBuffer(1))) == told


@pytest.mark.parametrize(("options", "number"), [(("", "-DMORE"), 1), (("-DMORE", "-DMORE"), 2)])
def test_reported_kernel_count_excludes_kernels_that_differ_on_devices(options: tuple[str, str], number: int) -> None:
    there = create_world(BUILT, BUILT, options=options, kernels=("add_index", "differing"))
    asked = there.expect("clCreateKernelsInProgram", PROGRAM, 0, None, OutputBuffer(1))
    outcomes = {
        count: there.oracle.judge(asked, Returned(0, {"num_kernels_ret": Output([count], 4)})) for count in (1, 2)
    }
    assert [count for count, judgement in outcomes.items() if not judgement.deviations] == [number]


def judge_all_kernels(there: OracleSetup, names: list[str | None], count: int = 2) -> list[str]:
    """Return the requirements that the kernels returned by a call violate."""
    expected = there.expect("clCreateKernelsInProgram", PROGRAM, 2, OutputBuffer(2), OutputBuffer(1))
    outputs = {"kernels": Output(list(names), 16), "num_kernels_ret": Output([count], 4)}
    judgement = there.oracle.judge(expected, Returned(0, outputs))
    return [requirement for deviation in judgement.deviations for requirement in deviation.requirements]


@pytest.mark.parametrize(
    ("names", "count", "wrong"),
    [
        (["kernel1", "kernel2"], 2, []),
        (["kernel1", "kernel1"], 2, ["clCreateKernelsInProgram/success"]),
        (["kernel1", None], 2, ["clCreateKernelsInProgram/success"]),
        (["kernel1", "kernel2"], 3, ["clCreateKernelsInProgram/success"]),
    ],
    ids=str,
)
def test_kernels_in_program_that_are_null_or_repeated_deviate(
    names: list[str | None], count: int, wrong: list[str]
) -> None:
    assert judge_all_kernels(create_world(BUILT), names, count) == wrong


@pytest.mark.parametrize(
    ("states", "kind", "kernels", "wrong"),
    [
        ((BUILT,), SourceProgram, (), False),
        ((BUILT,), SourceProgram, NAMES, True),
        ((BuildState.UNKNOWN,), SourceProgram, NAMES, False),
        ((BuildState.UNKNOWN,), LinkedProgram, NAMES, False),
    ],
)
def test_kernel_count_zero_of_program_with_known_kernels_deviates(
    states: tuple[BuildState, ...], kind: type[Program], kernels: tuple[str, ...], *, wrong: bool
) -> None:
    there = create_world(*states, kind=kind, kernels=kernels)
    assert bool(judge_all_kernels(there, [UNTOUCHED, UNTOUCHED], 0)) == wrong


def judge_program_query(there: OracleSetup, name: str) -> list[str]:
    """Return the requirements that a value of CL_KERNEL_PROGRAM of the first kernel violates."""
    query = there.value("CL_KERNEL_PROGRAM")
    expected = there.expect("clGetKernelInfo", KERNEL, query, 8, OutputBuffer(8), OutputBuffer(1))
    outputs = {"param_value": Output([name], 8), "param_value_size_ret": Output([8], 8)}
    judgement = there.oracle.judge(expected, Returned(0, outputs))
    return [requirement for deviation in judgement.deviations for requirement in deviation.requirements]


@pytest.mark.parametrize(("released", "wrong"), [(False, ["CL_KERNEL_PROGRAM"]), (True, [])])
def test_unexpected_kernel_of_released_program_is_unspecified(*, released: bool, wrong: list[str]) -> None:
    """A driver that creates the kernel may retain the program.

    A query then returns a handle that the model does not know.
    """
    there = create_world(NONE)
    assert judge_all_kernels(there, ["kernel1", UNTOUCHED], 1) == [NO_EXECUTABLE_FOR_ALL]
    assert judge_program_query(there, "program1") == []
    if released:
        there.oracle.judge(there.expect("clReleaseProgram", PROGRAM), Returned(0))
    assert judge_program_query(there, "program2") == wrong


def judge_name_query(there: OracleSetup, kernel: str, name: str) -> list[str]:
    """Return the requirements that a value of a kernel's CL_KERNEL_FUNCTION_NAME violates."""
    size = len(name) + 1
    query = there.value("CL_KERNEL_FUNCTION_NAME")
    expected = there.expect("clGetKernelInfo", Handle(kernel), query, size, OutputBuffer(size), OutputBuffer(1))
    raw = f"{name}\0"
    outputs = {
        "param_value": Output([raw], size, raw.encode()),
        "param_value_size_ret": Output([size], 8),
    }
    judgement = there.oracle.judge(expected, Returned(0, outputs))
    return [requirement for deviation in judgement.deviations for requirement in deviation.requirements]


def test_kernels_of_one_call_are_identified_by_name_queries() -> None:
    there = create_world(BUILT)
    judge_all_kernels(there, ["kernel1", "kernel2"])
    first, second = (there.model.get(Kernel, Handle(name)) for name in ("kernel1", "kernel2"))
    assert (first.parameters, first.unset_arguments) == (None, None)
    assert judge_name_query(there, "kernel1", "tell_memory") == []
    assert first.unset_arguments == (0, 1, 2, 3, 4)
    assert judge_name_query(there, "kernel2", "tell_memory") == ["CL_KERNEL_FUNCTION_NAME"]
    assert second.function_name == "tell_memory"


def add_kernel(there: OracleSetup, *given: int) -> Kernel:
    """Add a kernel to the model, with these arguments set."""
    program = there.model.get(SourceProgram, PROGRAM)
    kernel = Kernel(KERNEL.name, context=program.context, program=program, function="tell_memory")
    kernel.arguments = {index: KernelArgument(None, 8) for index in given}
    there.model.add(kernel)
    return kernel


@pytest.mark.parametrize(
    ("source", "told"), [(KERNEL, ("", "")), (None, (NO_KERNEL, "")), (BUFFER, ("", NO_KERNEL))], ids=str
)
def test_clone_of_an_object_that_is_not_a_kernel_is_rejected(source: Value, told: tuple[str, str]) -> None:
    there = create_world(BUILT)
    add_kernel(there)
    assert get_condition_ids(there.expect("clCloneKernel", source, OutputBuffer(1))) == told


def judge_return(there: OracleSetup, call: Call, value: int | str, **outputs: Output) -> None:
    """Judge a call that has returned."""
    there.oracle.judge(there.oracle.expect(call), Returned(value, outputs))


def test_cloned_kernel_has_copied_and_independent_arguments() -> None:
    there = create_world(BUILT)
    source = add_kernel(there, 0, 3)
    source.uncertain_arguments = {2}
    clone_call = there.call("clCloneKernel", KERNEL, OutputBuffer(1))
    judge_return(there, clone_call, "kernel2", errcode_ret=Output([0], 4))
    clone = there.model.get(Kernel, Handle("kernel2"))
    assert (clone.function_name, clone.unset_arguments, clone.uncertain_arguments) == ("tell_memory", (1, 4), {2})
    judge_return(there, there.call("clSetKernelArg", Handle("kernel2"), 4, 4, Data(bytes(4))), 0)
    assert (clone.unset_arguments, source.unset_arguments) == ((1,), (1, 4))


@pytest.mark.parametrize(
    ("size", "given", "code", "unset", "doubtful"),
    [
        (8, HandleBytes(BUFFER), "CL_SUCCESS", (0, 2, 3, 4), set()),
        (8, None, "CL_SUCCESS", (0, 2, 3, 4), set()),
        (4, HandleBytes(BUFFER), "CL_INVALID_ARG_SIZE", (0, 1, 2, 3, 4), set()),
        (4, HandleBytes(BUFFER), "CL_SUCCESS", (0, 2, 3, 4), {1}),
        (8, HandleBytes(BUFFER), "CL_OUT_OF_RESOURCES", (0, 2, 3, 4), {1}),
    ],
    ids=str,
)
def test_model_tracks_the_kernel_arguments_that_are_not_set(
    size: int, given: Value, code: str, unset: tuple[int, ...], doubtful: set[int]
) -> None:
    there = create_world(BUILT)
    kernel = add_kernel(there)
    judge_return(there, there.call("clSetKernelArg", KERNEL, 1, size, given), there.value(code))
    assert (kernel.unset_arguments, kernel.uncertain_arguments) == (unset, doubtful)
    judge_return(there, there.call("clSetKernelArg", KERNEL, 1, 8, HandleBytes(BUFFER)), 0)
    assert (kernel.unset_arguments, kernel.uncertain_arguments) == ((0, 2, 3, 4), set())
