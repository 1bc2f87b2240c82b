"""Postconditions of program builds, compilations and links, and effects of failed ones (sections 5.8.4 to 5.8.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList
from clconform.oracles.chapters.programs.constants import record_specialization
from clconform.oracles.chapters.programs.error_conditions.building import expand_source, parse_options
from clconform.oracles.chapters.programs.error_conditions.linking import LINKABLE, has_binary, linked_inputs
from clconform.oracles.chapters.programs.options import ARGUMENT_INFO, CREATE_LIBRARY, parse_definitions
from clconform.oracles.chapters.programs.standards import devices_lacking_feature
from clconform.oracles.common.object_creation import create_postcondition
from clconform.oracles.engine.interpretation import InterpretationId
from clconform.oracles.engine.matchers import Postcondition
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.devices import Device, Platform
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.program_sources import OPTIONAL_KERNEL, kernels_of, split_parts
from clconform.oracles.model.programs import (
    BinaryProgram,
    BuildState,
    IlProgram,
    LinkedProgram,
    Program,
    ProgramBuild,
    SourceProgram,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.calls.call import Call
    from clconform.oracles.engine.matchers import Element, Values
    from clconform.oracles.model.state import Model

rules = Rules()

FAILURES = ("CL_BUILD_PROGRAM_FAILURE", "CL_COMPILE_PROGRAM_FAILURE")
REJECTION_CODES = ("CL_INVALID_PROGRAM", "CL_INVALID_VALUE", "CL_INVALID_DEVICE", "CL_INVALID_OPERATION")
"""Errors of calls that do not start a build; after other errors, it is unspecified whether a build was started."""
LINK, LINK_FAILURE = "clLinkProgram", "CL_LINK_PROGRAM_FAILURE"
OPTIONS = "CL_PROGRAM_BUILD_OPTIONS"


@rules.postcondition("clBuildProgram")
def expect_build(call: Call, model: Model) -> Postcondition:
    """program is built for the devices in device_list, or for all devices of program if device_list is NULL.

    If pfn_notify is not NULL, the build may finish after the call returns.
    """
    program = model.get(Program, call.program)
    devices = _build_devices(call, program, model)

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        program.built_devices += [device for device in devices if device not in program.built_devices]
        program.keeps_argument_info = ARGUMENT_INFO in parse_options(call)
        _record_build(call, program, devices, BuildState.BUILT)
        if isinstance(program, IlProgram):
            record_specialization(program, devices)

    return Postcondition(apply=apply)


@rules.postcondition("clCompileProgram")
def expect_compilation(call: Call, model: Model) -> Postcondition:
    """program is compiled for the devices in device_list, or for all devices of program if device_list is NULL.

    If pfn_notify is not NULL, the compilation may finish after the call returns.
    """
    program = model.get(Program, call.program)
    devices = _build_devices(call, program, model)

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        if isinstance(program, SourceProgram) and call.num_input_headers:
            try:
                program.parts = split_parts(expand_source(call, program, model))
            except UnknownFactError:
                program.parts = None
            program.kernels = kernels_of(program.parts or ())
            program.header_names = call.header_include_names.contents if program.parts is not None else ()
        _record_build(call, program, devices, BuildState.COMPILED)

    return Postcondition(apply=apply)


def _record_build(call: Call, program: Program, devices: Sequence[Device], state: BuildState) -> None:
    """Record that a build or compilation succeeded, or is in progress."""
    _forget_query_results(program)
    if isinstance(program, SourceProgram) and OPTIONAL_KERNEL in (program.parts or ()):
        _update_kernels(call, program, devices)
    begun = state if call.pfn_notify is None else BuildState.GOING_ON
    for device in devices:
        earlier = program.builds.get(device.name, ProgramBuild())
        program.builds[device.name] = earlier.followed_by(begun, _effective_options(call, program))


def _forget_query_results(program: Program) -> None:
    program.facts.clear()
    program.binaries.clear()
    program.rejected_options = ()


def _update_kernels(call: Call, program: SourceProgram, devices: Sequence[Device]) -> None:
    """Update the kernel of a program whose existence depends on the build options.

    The kernels become unknown if the program may have been built for other devices with other options.
    """
    others = {name for name, build in program.builds.items() if build.state is not BuildState.NONE}
    alone = others <= {device.name for device in devices}
    macros = {each.partition("=")[0] for each in parse_definitions(parse_options(call))}
    program.kernels = kernels_of(program.parts or (), macros) if alone else ()


@rules.postcondition("clLinkProgram")
def expect_linked_program(call: Call, model: Model) -> Postcondition:
    """The call creates a new program for the devices in device_list, or in context if device_list is NULL.

    The program is a library if options contains -create-library, and otherwise an executable with all kernels in
    input_programs.
    """
    return create_postcondition(_create_linked_program(call, model, BuildState.BUILT), call, model)


def _create_linked_program(call: Call, model: Model, state: BuildState) -> LinkedProgram:
    """Return the program that a clLinkProgram call creates.

    ``state``: BUILT after a successful link, FAILED after a failed link. The state of the returned program may differ:
    it may be a library, the link may still be in progress, or its result may be unknown.
    """
    context = model.context(call.context)
    listed = isinstance(call.device_list, ElementList)
    devices = [model.device(each) for each in call.device_list.values] if listed else list(context.devices)
    inputs = linked_inputs(call, model)
    program = LinkedProgram(context=context, devices=devices, is_library=CREATE_LIBRARY in parse_options(call))
    if state is BuildState.BUILT and program.is_library:
        state = BuildState.LIBRARY
    if state is not BuildState.FAILED and call.pfn_notify is not None:
        state = BuildState.GOING_ON
    elif state is not BuildState.FAILED and call.errcode_ret is None:
        state = BuildState.UNKNOWN  # a failed link may also return a program
    for device in devices:
        found = [each.builds.get(device.name, ProgramBuild()).state for each in inputs]
        linked = all(each in LINKABLE for each in found) or any(isinstance(each, BinaryProgram) for each in inputs)
        program.builds[device.name] = (
            ProgramBuild(state, parse_options(call)) if linked else ProgramBuild(BuildState.UNKNOWN)
        )
        if linked and not program.is_library and state is not BuildState.FAILED:
            program.built_devices.append(device)
    program.header_names = tuple(name for each in inputs for name in each.header_names)
    nothing = [device for device in devices if {has_binary(each, device) for each in inputs} == {False}]
    program.skipped_devices = frozenset(device.name for device in nothing)
    parts = [each.parts for each in inputs]
    if all(each is not None for each in parts):
        program.parts = tuple(part for each in parts for part in each or ())
    twice = program.parts is not None and len(set(program.parts)) < len(program.parts)
    if not twice and all(each.kernels or each.parts is not None for each in inputs):
        program.kernels = tuple(name for each in inputs for name in each.kernels)
    return program


@rules.aftermath("clBuildProgram", "clCompileProgram")
def record_failed_build(call: Call, model: Model, code: str) -> None:
    """Record a failed build: the build status is an error, and the build log and options become unknown.

    If the call was rejected before a build started, a driver may report the options of that call. With several devices,
    the build may have failed for only some of them. After other errors, and after an unexpected success, the state is
    unspecified.
    """
    program = model.find(call.program)
    if not isinstance(program, Program):
        return
    if code in REJECTION_CODES:
        program.rejected_options += (parse_options(call),)
        program.facts = {fact: told for fact, told in program.facts.items() if OPTIONS not in fact}
        return
    _forget_query_results(program)
    devices = _attempted_devices(call, program, model)
    names = frozenset(device.name for device in devices if device is not None)
    failed = BuildState.FAILED_FOR_SOME if len(names) > 1 else BuildState.FAILED
    state = failed if code in FAILURES and None not in devices else BuildState.UNKNOWN
    culprits = _failing_devices(call, program, [device for device in devices if device is not None])
    for name in sorted(names):
        earlier = program.builds.get(name, ProgramBuild())
        alone = state is failed and culprits == {name}
        program.builds[name] = earlier.followed_by(
            BuildState.FAILED if alone else state, _effective_options(call, program), names
        )


def _failing_devices(call: Call, program: Program, devices: Sequence[Device]) -> set[str]:
    """Return the names of the devices for which a source cannot be built; empty if they are unknown."""
    try:
        return {device.name for device in devices_lacking_feature(program.parts or (), parse_options(call), devices)}
    except UnknownFactError:
        return set()


@rules.object_with_error(LINK, LINK_FAILURE, "clLinkProgram/effect/16", InterpretationId("failed-link"))
def record_failed_link(call: Call, name: str, model: Model) -> None:
    """Record the program that a driver returns for a failed link. The build status of this program is an error."""
    try:
        program = _create_linked_program(call, model, BuildState.FAILED)
    except UnknownFactError:  # an argument was also NULL or an invalid object
        return
    program.name = name
    model.add(program)


@rules.postcondition("clUnloadPlatformCompiler", "clUnloadCompiler")
def expect_unloaded_compiler(call: Call, model: Model) -> Postcondition:
    """The call does not have an effect that an application can observe. A later build loads the compiler again."""
    platform = model.find(call.arguments.get("platform"))
    unloaded = [platform] if isinstance(platform, Platform) else list(model.platforms.values())

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        for each in unloaded:
            each.unloaded_by = call.function

    return Postcondition(apply=apply)


def _build_devices(call: Call, program: Program, model: Model) -> list[Device]:
    if isinstance(call.device_list, ElementList):
        return [model.device(value) for value in call.device_list.values]
    return program.devices


def _attempted_devices(call: Call, program: Program, model: Model) -> list[Device | None]:
    """Return the devices for which a failed build may have been attempted; None in place of an invalid device."""
    if isinstance(call.device_list, ElementList):
        known = [model.find(value) for value in call.device_list.values]
        return [device if isinstance(device, Device) else None for device in known]
    return list(program.devices)


def _effective_options(call: Call, program: Program) -> str | None:
    """Return the options of a build; None if the options with which the binary was built apply."""
    if call.options is None and isinstance(program, BinaryProgram):
        return None
    return parse_options(call)
