"""Binaries that the user supplies: the model knows their kernels, and the driver may reject them (section 5.8.1)."""

from __future__ import annotations

import hashlib

import pytest

from clconform.calls.call import Output, Returned
from clconform.calls.values import BinaryOrigin, Data, ElementList, Handle, OutputBuffer, Text
from clconform.oracles.model.program_sources import EXTRA_KERNEL_MACRO, OPTIONAL_KERNEL, PARTS
from clconform.oracles.model.programs import BinaryProgram, BuildState

from .oracle_setup import OracleSetup, get_call_verdict
from .program_builds import CONTEXT, ERRCODE_OUTPUT, set_up_programs

PROGRAM, CONTENT = Handle("program9"), b"\1\2\3"
UNKNOWN = "clCreateProgramWithBinary/CL_INVALID_BINARY/1"
NOT_EXECUTABLE = "clBuildProgram/CL_INVALID_BINARY/1"


def supply(content: bytes = CONTENT, source: str = PARTS["add_index"], options: str = "") -> Data:
    """Return a binary with the origin of ``CONTENT``."""
    return Data(content, origin=BinaryOrigin(source, options, hashlib.sha256(CONTENT).hexdigest()))


def binary_arguments(world: OracleSetup, binary: Data) -> tuple[object, ...]:
    lengths = ElementList((len(binary.content),))
    return (CONTEXT, 1, ElementList((world.device,)), lengths, binary, OutputBuffer(1), ERRCODE_OUTPUT)


def load(binary: Data) -> OracleSetup:
    """Return a setup in which the driver has accepted a binary."""
    world = set_up_programs()
    expectation = world.expect("clCreateProgramWithBinary", *binary_arguments(world, binary))
    outputs = {"binary_status": Output([0], 4), "errcode_ret": Output([0], 4)}
    judgement = world.oracle.judge(expectation, Returned(PROGRAM.name, outputs))
    assert not judgement.deviations
    return world


def test_driver_may_reject_a_supplied_binary() -> None:
    world = set_up_programs()
    verdict = get_call_verdict(world, world.call("clCreateProgramWithBinary", *binary_arguments(world, supply())))
    assert verdict == ("", UNKNOWN)


def test_supplied_binary_has_the_kernels_and_options_of_its_source() -> None:
    program = load(supply(options="-w")).model.get(BinaryProgram, PROGRAM)
    assert (program.kernels, program.saved_state, program.saved_options) == (("add_index",), BuildState.BUILT, "-w")
    assert not program.sources


def test_kernels_of_supplied_binary_depend_on_its_macros() -> None:
    plain = load(supply(source=PARTS[OPTIONAL_KERNEL])).model.get(BinaryProgram, PROGRAM)
    more = load(supply(source=PARTS[OPTIONAL_KERNEL], options=f"-D {EXTRA_KERNEL_MACRO}"))
    assert plain.kernels == ("add_index",)
    assert more.model.get(BinaryProgram, PROGRAM).kernels == ("copy_plus_one", "add_index")


def test_contents_of_changed_binary_are_unknown() -> None:
    program = load(supply(b"\1\2\4")).model.get(BinaryProgram, PROGRAM)
    assert (program.kernels, program.saved_state, program.is_supplied) == ((), BuildState.NONE, False)


@pytest.mark.parametrize("options", [None, Text("")])
def test_build_of_supplied_binary_may_reject_it(options: Text | None) -> None:
    world = load(supply())
    given = (PROGRAM, 1, ElementList((world.device,)), options, None, None)
    required, allowed = get_call_verdict(world, world.call("clBuildProgram", *given))
    assert not required
    assert NOT_EXECUTABLE in allowed.split()


@pytest.mark.parametrize("source", ["\0", "any other text\0"])
def test_source_of_supplied_binary_is_unspecified(source: str) -> None:
    world = load(supply())
    name, size = world.value("CL_PROGRAM_SOURCE"), len(source)
    expectation = world.expect("clGetProgramInfo", PROGRAM, name, 100, OutputBuffer(100), OutputBuffer(1))
    outputs = {"param_value": Output([source], size), "param_value_size_ret": Output([size], 8)}
    assert not world.oracle.judge(expectation, Returned(0, outputs)).deviations
