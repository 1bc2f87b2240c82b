"""Postconditions of creating programs from source, binaries, IL and built-in kernels (section 5.8.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, OutputBuffer, Text, Texts
from clconform.oracles.chapters.programs.error_conditions.binaries import programs_with_binaries
from clconform.oracles.chapters.programs.error_conditions.devices import listed_devices
from clconform.oracles.chapters.programs.languages import is_own_module
from clconform.oracles.chapters.programs.options import parse_definitions
from clconform.oracles.common.object_creation import create_postcondition
from clconform.oracles.engine.matchers import OneOf, Postcondition
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.kernel_registry import SOURCES
from clconform.oracles.model.litmus_kernels import LITMUS_KERNELS
from clconform.oracles.model.program_sources import kernels_of, split_parts
from clconform.oracles.model.programs import (
    BinaryProgram,
    BuildState,
    BuiltInProgram,
    IlProgram,
    Program,
    ProgramBuild,
    SourceProgram,
)
from clconform.oracles.model.spirv import SUB_GROUP_MODULES, kernel_in_module

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.calls.call import Call, Returned
    from clconform.oracles.engine.matchers import Mismatch
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.state import Model

rules = Rules()


@rules.postcondition("clCreateProgramWithSource")
def expect_program_from_source(call: Call, model: Model) -> Postcondition:
    """The call creates a new program for the devices in context; CL_PROGRAM_SOURCE returns the given source."""
    context = model.context(call.context)
    source = _join_source(call)
    program = SourceProgram(context=context, devices=list(context.devices), source=source)
    program.string_count = call.count
    program.builds = _create_builds(context.devices)
    _set_contents(program, source)
    return create_postcondition(program, call, model)


def _set_contents(program: Program, source: str, options: str = "") -> None:
    """Set the parts and the kernels of a program, as far as its source is known.

    ``options``: the options of the build, for a program that is already built.
    """
    names = [name for name, own in SOURCES.items() if own in source]
    if source == "".join(SOURCES[name] for name in names):
        program.kernels = tuple(names)
    if not names:
        program.kernels = tuple(name for name, kernel in LITMUS_KERNELS.items() if kernel.source == source)
    program.parts = split_parts(source)
    if program.parts is not None:
        program.kernels = kernels_of(program.parts, [each.partition("=")[0] for each in parse_definitions(options)])


def _join_source(call: Call) -> str:
    """Return the concatenated strings of a source: each up to its given length, or up to its null terminator."""
    texts = call.strings.contents if isinstance(call.strings, Texts) else ()
    lengths = call.lengths.values if isinstance(call.lengths, ElementList) else (0,) * len(texts)
    found = []
    for text, length in zip(texts, lengths, strict=False):
        if length and isinstance(length, int):
            found.append(text[:length].replace("\0", ""))
        else:
            found.append(text.partition("\0")[0])
    return "".join(found)


@rules.postcondition("clCreateProgramWithBinary")
def expect_program_from_binary(call: Call, model: Model) -> Postcondition:
    """The call creates a new program for exactly the devices in device_list.

    The kernels of a binary that the user supplies are those of the source from which it was built.
    """
    devices = listed_devices(call, model)
    program = BinaryProgram(context=model.context(call.context), devices=devices, builds=_create_builds(devices))
    origins = programs_with_binaries(call, model)
    states = {origin.builds.get(origin.devices[0].name, ProgramBuild()).state for origin in origins}
    if len(states) == len({(origin.parts, origin.kernels) for origin in origins}) == 1:
        left = any(origin.may_keep_executable for origin in origins)  # the binary may then be that of an earlier build
        program.saved_state = BuildState.NONE if left else states.pop()
        program.parts, program.kernels = origins[0].parts, origins[0].kernels
        program.saved_options = _common_options(origins)
    program.sources = _stored_sources(origins)
    supplied = call.binaries.known_origin if isinstance(call.binaries, Data) and not origins else None
    if supplied is not None and len(devices) == 1:
        program.is_supplied, program.saved_state = True, BuildState.BUILT
        program.saved_options = supplied.options
        _set_contents(program, supplied.source, supplied.options)
    promise = create_postcondition(program, call, model)
    if isinstance(call.binary_status, OutputBuffer):
        success = ("clCreateProgramWithBinary/success",)
        promise.outputs["binary_status"] = OneOf(((0,) * len(devices),), success)
    return promise


def _stored_sources(origins: Iterable[Program]) -> tuple[str, ...]:
    """Return the sources that the binaries of these programs may contain; empty if one of them is unknown."""
    found: dict[str, None] = {}
    for origin in origins:
        sources = (origin.source,) if isinstance(origin, SourceProgram) else getattr(origin, "sources", ())
        if not sources:
            return ()
        found.update(dict.fromkeys(sources))
    return tuple(found)


def _common_options(origins: Iterable[Program]) -> str | None:
    """Return the build options of single-device programs from source, if all are equal; else None."""
    known = {
        origin.builds.get(origin.devices[0].name, ProgramBuild()).options if isinstance(origin, SourceProgram) else None
        for origin in origins
    }
    return known.pop() if len(known) == 1 else None


@rules.postcondition("clCreateProgramWithIL", "clCreateProgramWithILKHR")
def expect_program_from_il(call: Call, model: Model) -> Postcondition:
    """The call creates a new program for the devices in context; a query for its IL returns the given IL."""
    context = model.context(call.context)
    program = IlProgram(context=context, devices=list(context.devices), builds=_create_builds(context.devices))
    program.query = "CL_PROGRAM_IL_KHR" if call.function.endswith("KHR") else "CL_PROGRAM_IL"
    if isinstance(call.il, Data):
        program.il = call.il.content[: call.length]
        if is_own_module(program, context.devices) or program.il in SUB_GROUP_MODULES.values():
            program.kernels = (kernel_in_module(program.il),)
    return create_postcondition(program, call, model)


@rules.postcondition("clCreateProgramWithBuiltInKernels")
def expect_program_of_built_in_kernels(call: Call, model: Model) -> Postcondition:
    """The call creates a new program with the given built-in kernels, for exactly the devices in device_list."""
    program = BuiltInProgram(context=model.context(call.context), devices=listed_devices(call, model))
    if isinstance(call.kernel_names, Text):
        program.kernels = tuple(call.kernel_names.content.split(";"))
    return create_postcondition(program, call, model)


@rules.watch("clGetProgramInfo")
def record_binaries(call: Call, outcome: Returned, code: str, model: Model) -> tuple[list[Mismatch], set[str]]:
    """Record the binaries that a program reported, so that they are recognized later."""
    asked = call.function == "clGetProgramInfo" and call.param_name == model.constant_value("CL_PROGRAM_BINARIES")
    program = model.find(call.program) if asked and code == "CL_SUCCESS" else None
    told = outcome.outputs.get("param_value")
    if isinstance(program, Program) and told is not None:
        program.binaries = [value for value in told.values if isinstance(value, str)]
    return [], set()


def _create_builds(devices: Iterable[Device]) -> dict[str, ProgramBuild]:
    return {device.name: ProgramBuild() for device in devices}
