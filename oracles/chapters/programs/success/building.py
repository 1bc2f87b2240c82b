"""Postconditions of program builds, compilations and links, and effects of failed ones (sections 5.8.4 to 5.8.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Items
from clconform.oracles.chapters.programs.clauses.building import options_given, source_of
from clconform.oracles.chapters.programs.clauses.linking import LINKABLE, has_a_binary, inputs_of
from clconform.oracles.chapters.programs.constants import specialized
from clconform.oracles.chapters.programs.options import ARGUMENT_INFO, LIBRARY, defined
from clconform.oracles.chapters.programs.standards import lacks_a_feature
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Promise
from clconform.oracles.model.devices import Device, Platform
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.programs import (
    BinaryProgram,
    Build,
    BuildState,
    IlProgram,
    LinkedProgram,
    Program,
    SourceProgram,
)
from clconform.oracles.model.sources import OPTIONAL, kernels_of, parts_of
from clconform.oracles.recurring.making import made

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.calls.call import Call, Returned
    from clconform.oracles.engine.wants import Complaint, Element, Values
    from clconform.oracles.model.world import Model

rules = Rules()

FAILURES = ("CL_BUILD_PROGRAM_FAILURE", "CL_COMPILE_PROGRAM_FAILURE")
REFUSALS = ("CL_INVALID_PROGRAM", "CL_INVALID_VALUE", "CL_INVALID_DEVICE", "CL_INVALID_OPERATION")
"""Errors of calls that start no build; after other errors, it is unspecified whether a build was started."""
LINK, LINK_FAILURE = "clLinkProgram", "CL_LINK_PROGRAM_FAILURE"
OPTIONS = "CL_PROGRAM_BUILD_OPTIONS"


@rules.success("clBuildProgram")
def program_built(call: Call, model: Model) -> Promise:
    """The program is built for the devices in device_list, or for all its devices if that is NULL.

    With a callback, the build may finish after the call returns.
    """
    program = model.get(Program, call.program)
    devices = _built_for(call, program, model)

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        program.built += [device for device in devices if device not in program.built]
        program.argument_info = ARGUMENT_INFO in options_given(call)
        _note(call, program, devices, BuildState.BUILT)
        if isinstance(program, IlProgram):
            specialized(program, devices)

    return Promise(apply=apply)


@rules.success("clCompileProgram")
def program_compiled(call: Call, model: Model) -> Promise:
    """The program is compiled for the devices in device_list, or for all its devices if that is NULL.

    With a callback, the compilation may finish after the call returns.
    """
    program = model.get(Program, call.program)
    devices = _built_for(call, program, model)

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        if isinstance(program, SourceProgram) and call.num_input_headers:
            try:
                program.parts = parts_of(source_of(call, program, model))
            except UnknownError:
                program.parts = None
            program.kernels = kernels_of(program.parts or ())
            program.header_names = call.header_include_names.contents if program.parts is not None else ()
        _note(call, program, devices, BuildState.COMPILED)

    return Promise(apply=apply)


def _note(call: Call, program: Program, devices: Sequence[Device], state: BuildState) -> None:
    """Record that a build or compilation succeeded, or is in progress."""
    _forget_what_was_told(program)
    if isinstance(program, SourceProgram) and OPTIONAL in (program.parts or ()):
        _name_the_kernels(call, program, devices)
    begun = state if call.pfn_notify is None else BuildState.GOING_ON
    for device in devices:
        earlier = program.builds.get(device.name, Build())
        program.builds[device.name] = earlier.followed_by(begun, _options(call, program))


def _forget_what_was_told(program: Program) -> None:
    program.facts.clear()
    program.binaries.clear()
    program.refused_options = ()


def _name_the_kernels(call: Call, program: SourceProgram, devices: Sequence[Device]) -> None:
    """Update the kernels that depend on the build options; none are known if devices may differ."""
    others = {name for name, build in program.builds.items() if build.state is not BuildState.NONE}
    alone = others <= {device.name for device in devices}
    macros = {each.partition("=")[0] for each in defined(options_given(call))}
    program.kernels = kernels_of(program.parts or (), macros) if alone else ()


@rules.success("clLinkProgram")
def program_linked(call: Call, model: Model) -> Promise:
    """The call creates a new program for the devices in device_list, or in context if that is NULL.

    It is a library if options contains -create-library, else an executable of all kernels in input_programs.
    """
    return made(_linked(call, model, BuildState.BUILT), call, model)


def _linked(call: Call, model: Model, state: BuildState) -> LinkedProgram:
    """Return the program of a link that succeeded or failed."""
    context = model.context(call.context)
    listed = isinstance(call.device_list, Items)
    devices = [model.device(each) for each in call.device_list.values] if listed else list(context.devices)
    inputs = inputs_of(call, model)
    program = LinkedProgram(context=context, devices=devices, is_library=LIBRARY in options_given(call))
    if state is BuildState.BUILT and program.is_library:
        state = BuildState.LIBRARY
    if state is not BuildState.FAILED and call.pfn_notify is not None:
        state = BuildState.GOING_ON
    elif state is not BuildState.FAILED and call.errcode_ret is None:
        state = BuildState.UNKNOWN  # a failed link may also return a program
    for device in devices:
        found = [each.builds.get(device.name, Build()).state for each in inputs]
        linked = all(each in LINKABLE for each in found) or any(isinstance(each, BinaryProgram) for each in inputs)
        program.builds[device.name] = Build(state, options_given(call)) if linked else Build(BuildState.UNKNOWN)
        if linked and not program.is_library and state is not BuildState.FAILED:
            program.built.append(device)
    program.header_names = tuple(name for each in inputs for name in each.header_names)
    nothing = [device for device in devices if {has_a_binary(each, device) for each in inputs} == {False}]
    program.left_out = frozenset(device.name for device in nothing)
    parts = [each.parts for each in inputs]
    if all(each is not None for each in parts):
        program.parts = tuple(part for each in parts for part in each or ())
    twice = program.parts is not None and len(set(program.parts)) < len(program.parts)
    if not twice and all(each.kernels or each.parts is not None for each in inputs):
        program.kernels = tuple(name for each in inputs for name in each.kernels)
    return program


@rules.aftermath("clBuildProgram", "clCompileProgram")
def build_failed(call: Call, model: Model, code: str) -> None:
    """Record a failed build: its status is an error, and its log and options become unknown.

    After a rejected call, its options are kept because a driver may report them. With several devices, the build need
    not have failed for all. After other errors, and after a success that should have been an error, the state is
    unspecified.
    """
    program = model.known(call.program)
    if not isinstance(program, Program):
        return
    if code in REFUSALS:
        program.refused_options += (options_given(call),)
        program.facts = {fact: told for fact, told in program.facts.items() if OPTIONS not in fact}
        return
    _forget_what_was_told(program)
    devices = _tried_for(call, program, model)
    names = frozenset(device.name for device in devices if device is not None)
    failed = BuildState.FAILED_FOR_SOME if len(names) > 1 else BuildState.FAILED
    state = failed if code in FAILURES and None not in devices else BuildState.UNKNOWN
    culprits = _culprits(call, program, [device for device in devices if device is not None])
    for name in sorted(names):
        earlier = program.builds.get(name, Build())
        alone = state is failed and culprits == {name}
        program.builds[name] = earlier.followed_by(
            BuildState.FAILED if alone else state, _options(call, program), names
        )


def _culprits(call: Call, program: Program, devices: Sequence[Device]) -> set[str]:
    """Return the names of the devices for which a source cannot be built; none if unknown."""
    try:
        return {device.name for device in lacks_a_feature(program.parts or (), options_given(call), devices)}
    except UnknownError:
        return set()


@rules.watch(LINK)
def link_failed(call: Call, outcome: Returned, code: str, model: Model) -> tuple[list[Complaint], set[str]]:
    """Record the program that a driver returns for a failed link: its status is an error."""
    if call.function == LINK and code == LINK_FAILURE and isinstance(outcome.value, str):
        try:
            program = _linked(call, model, BuildState.FAILED)
        except UnknownError:  # an argument was also NULL or an invalid object
            return [], set()
        program.name = outcome.value
        model.add(program)
    return [], set()


rules.object_with(LINK, LINK_FAILURE)
rules.by_reading("failed-link", "clLinkProgram/success")


@rules.success("clUnloadPlatformCompiler", "clUnloadCompiler")
def compiler_unloaded(call: Call, model: Model) -> Promise:
    """The call has no effect that an application can observe: the compiler is loaded again when needed."""
    platform = model.known(call.arguments.get("platform"))
    unloaded = [platform] if isinstance(platform, Platform) else list(model.platforms.values())

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        for each in unloaded:
            each.unloaded_by = call.function

    return Promise(apply=apply)


def _built_for(call: Call, program: Program, model: Model) -> list[Device]:
    if isinstance(call.device_list, Items):
        return [model.device(value) for value in call.device_list.values]
    return program.devices


def _tried_for(call: Call, program: Program, model: Model) -> list[Device | None]:
    """Return the devices for which a failed build may have been tried; None for invalid devices."""
    if isinstance(call.device_list, Items):
        known = [model.known(value) for value in call.device_list.values]
        return [device if isinstance(device, Device) else None for device in known]
    return list(program.devices)


def _options(call: Call, program: Program) -> str | None:
    """Return the options of a build; None if those of the binary apply."""
    if call.options is None and isinstance(program, BinaryProgram):
        return None
    return options_given(call)
