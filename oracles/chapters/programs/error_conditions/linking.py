"""Error conditions of linking programs (section 5.8.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList
from clconform.oracles.chapters.programs.error_conditions.building import INCOMPLETE, parse_options
from clconform.oracles.chapters.programs.error_conditions.devices import (
    build_devices,
    evaluate_devices,
    find_foreign_devices,
)
from clconform.oracles.chapters.programs.options import CREATE_LIBRARY, is_accepted_by_linkers
from clconform.oracles.common.contexts import is_unassociated
from clconform.oracles.common.parameters import find_null
from clconform.oracles.engine.predicate_result import MUST, NO, PredicateResult, may, must_by, must_if
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.program_sources import lacks_definition
from clconform.oracles.model.programs import BinaryProgram, BuildState, LinkedProgram, Program, ProgramBuild

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.state import Model

rules = Rules()

LINKABLE = (BuildState.COMPILED, BuildState.LIBRARY)


def linked_inputs(call: Call, model: Model) -> list[Program]:
    """Return the programs in input_programs."""
    given = call.input_programs.values if isinstance(call.input_programs, ElementList) else ()
    return [model.get(Program, each) for each in given[: call.num_input_programs]]


@rules.clause("clLinkProgram/CL_INVALID_VALUE/2")
def lacks_input_programs(call: Call, _model: Model) -> PredicateResult:
    """num_input_programs is 0, or input_programs is NULL."""
    return must_if(call.num_input_programs == 0 or call.input_programs is None)


@rules.alternatives_of("clLinkProgram/CL_INVALID_VALUE/2")
def find_missing_input_programs(call: Call, _model: Model) -> Iterator[str]:
    """Yield each alternative that holds: num_input_programs is 0, or input_programs is NULL."""
    if call.num_input_programs == 0:
        yield "num_input_programs is 0"
    yield from find_null(call, "input_programs")


@rules.clause("clLinkProgram/CL_INVALID_DEVICE/1")
def has_foreign_device(call: Call, model: Model) -> PredicateResult:
    """An element of device_list is NULL, or is not associated with context."""
    return evaluate_devices(
        call.device_list, model, lambda device: is_unassociated(model.context(call.context), device)
    )


@rules.alternatives_of("clLinkProgram/CL_INVALID_DEVICE/1")
def find_invalid_devices(call: Call, model: Model) -> Iterator[str]:
    """Yield each element of device_list that is NULL, not a valid device, or not associated with context."""
    return find_foreign_devices(
        call.device_list, model, lambda device: is_unassociated(model.context(call.context), device), "context"
    )


@rules.clause("clLinkProgram/CL_INVALID_LINKER_OPTIONS/1")
def has_unsupported_option(call: Call, model: Model) -> PredicateResult:
    """options contains an option that section 5.8.7 does not list, or that a device does not support."""
    options = parse_options(call)
    if not options or is_accepted_by_linkers(options, build_devices(call, model.context(call.context).devices, model)):
        return NO
    return may("vendor-build-options")


@rules.clause("clLinkProgram/CL_INVALID_OPERATION/1")
def is_input_build_in_progress(call: Call, model: Model) -> PredicateResult:
    """The build of a program in input_programs has not completed."""
    going_on = any(
        build.state in INCOMPLETE for program in linked_inputs(call, model) for build in program.builds.values()
    )
    return may("build-in-progress") if going_on else NO


@rules.clause("clLinkProgram/CL_INVALID_OPERATION/2")
def has_partly_compiled_inputs(call: Call, model: Model) -> PredicateResult:
    """Some programs in input_programs, but not all, have a compiled binary or a library for a device."""
    programs = linked_inputs(call, model)
    devices = build_devices(call, model.context(call.context).devices, model)
    replies = [_is_mixed([has_binary(program, device) for program in programs]) for device in devices]
    if MUST in replies:
        return MUST
    return next((reply for reply in replies if reply.is_may), NO)


def _is_mixed(has: list[bool | None]) -> PredicateResult:
    """Return the result of ``has_partly_compiled_inputs`` for one device.

    ``has``: whether each program has a compiled binary or a library; None if that is unknown.
    """
    if True in has and False in has:
        return MUST
    if None in has:
        return may("linkable-programs")
    return NO if all(has) else may("nothing-to-link")


def has_binary(program: Program, device: Device) -> bool | None:
    """Return whether a program has a compiled binary or a library for a device; None if unknown."""
    state = program.builds.get(device.name, ProgramBuild()).state
    if state in LINKABLE:
        return True
    if isinstance(program, BinaryProgram):
        return True if program.saved_state in LINKABLE else None
    if program.from_source and not isinstance(program, LinkedProgram) and type(program) is not Program:
        return False if state is BuildState.NONE and device.parent is None else None
    return None


@rules.clause("clLinkProgram/CL_LINKER_NOT_AVAILABLE/1")
def lacks_linker(call: Call, model: Model) -> PredicateResult:
    """CL_DEVICE_LINKER_AVAILABLE is CL_FALSE for a device in device_list, or in context if device_list is NULL.

    The error is optional if another of these devices has a linker.
    """
    devices = build_devices(call, model.context(call.context).devices, model)
    lacking = [device.number("CL_DEVICE_LINKER_AVAILABLE") == 0 for device in devices]
    if any(lacking) and not all(lacking):
        return may("one-device-without-a-compiler")
    return must_if(all(lacking))


@rules.clause("clLinkProgram/CL_LINK_PROGRAM_FAILURE/1")
def cannot_be_linked(call: Call, model: Model) -> PredicateResult:
    """options does not contain -create-library, and a kernel in input_programs calls an undefined function.

    A function is undefined if none of the programs in input_programs defines it.
    """
    parts: list[str] = []
    inputs, devices = linked_inputs(call, model), build_devices(call, model.context(call.context).devices, model)
    if not all(has_binary(program, device) for program in inputs for device in devices):
        return may("nothing-to-link")
    for program in inputs:
        if program.parts is None:
            raise UnknownFactError("parts")
        parts += program.parts
    if call.pfn_notify is not None or call.errcode_ret is None:
        return may("build-fails-after-call")
    is_library, lacking = CREATE_LIBRARY in parse_options(call), lacks_definition(tuple(parts))
    if (is_library and lacking) or len(set(parts)) < len(parts):
        raise UnknownFactError("what linkers take")
    return must_by("undefined-functions") if lacking else NO
