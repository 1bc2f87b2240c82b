"""Error conditions of linking programs (section 5.8.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Items
from clconform.oracles.chapters.programs.clauses.building import INCOMPLETE, options_given
from clconform.oracles.chapters.programs.clauses.devices import devices_of, first_against
from clconform.oracles.chapters.programs.options import LIBRARY, taken_by_a_linker
from clconform.oracles.engine.answers import Answer, May, Must, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.programs import BinaryProgram, Build, BuildState, LinkedProgram, Program
from clconform.oracles.model.sources import lacks_a_definition
from clconform.oracles.recurring.contexts import association

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.world import Model

rules = Rules()

LINKABLE = (BuildState.COMPILED, BuildState.LIBRARY)


def inputs_of(call: Call, model: Model) -> list[Program]:
    """Return the programs that are linked."""
    given = call.input_programs.values if isinstance(call.input_programs, Items) else ()
    return [model.get(Program, each) for each in given[: call.num_input_programs]]


@rules.clause("clLinkProgram/CL_INVALID_VALUE/2")
def nothing_given(call: Call, _model: Model) -> Reply:
    """num_input_programs is 0, or input_programs is NULL."""
    return call.num_input_programs == 0 or call.input_programs is None


@rules.clause("clLinkProgram/CL_INVALID_DEVICE/1")
def device_not_of_the_context(call: Call, model: Model) -> Reply:
    """An element of device_list is NULL, or is not associated with context."""
    return first_against(call.device_list, model, lambda device: association(model.context(call.context), device))


@rules.clause("clLinkProgram/CL_INVALID_LINKER_OPTIONS/1")
def options_of_no_linker(call: Call, model: Model) -> Reply:
    """options contains an option that section 5.8.7 does not list, or that a device does not support."""
    options = options_given(call)
    if not options or taken_by_a_linker(options, devices_of(call, model.context(call.context).devices, model)):
        return Answer.NO
    return May("options-of-vendors")


@rules.clause("clLinkProgram/CL_INVALID_OPERATION/1")
def an_input_still_building(call: Call, model: Model) -> Reply:
    """The build of a program in input_programs has not completed."""
    going_on = any(build.state in INCOMPLETE for program in inputs_of(call, model) for build in program.builds.values())
    return May("builds-end-unseen") if going_on else Answer.NO


@rules.clause("clLinkProgram/CL_INVALID_OPERATION/2")
def some_not_compiled(call: Call, model: Model) -> Reply:
    """Some programs in input_programs, but not all, have a compiled binary or a library for a device."""
    programs = inputs_of(call, model)
    devices = devices_of(call, model.context(call.context).devices, model)
    replies = [_mixed([has_a_binary(program, device) for program in programs]) for device in devices]
    if Answer.MUST in replies:
        return Answer.MUST
    found = next((reply for reply in replies if isinstance(reply, May)), None)
    return found or Answer.NO


def _mixed(has: list[bool | None]) -> Reply:
    """Return the predicate result for one device.

    ``has``: for each program whether it has a compiled binary or a library, None if unknown.
    """
    if True in has and False in has:
        return Answer.MUST
    if None in has:
        return May("what-can-be-linked")
    return Answer.NO if all(has) else May("nothing-to-link")


def has_a_binary(program: Program, device: Device) -> bool | None:
    """Return whether a program has a compiled binary or a library for a device; None if unknown."""
    state = program.builds.get(device.name, Build()).state
    if state in LINKABLE:
        return True
    if isinstance(program, BinaryProgram):
        return True if program.loaded in LINKABLE else None
    if program.from_source and not isinstance(program, LinkedProgram) and type(program) is not Program:
        return False if state is BuildState.NONE and device.parent is None else None
    return None


@rules.clause("clLinkProgram/CL_LINKER_NOT_AVAILABLE/1")
def no_linker(call: Call, model: Model) -> Reply:
    """A device has no linker: CL_DEVICE_LINKER_AVAILABLE is CL_FALSE."""
    devices = devices_of(call, model.context(call.context).devices, model)
    lacking = [device.number("CL_DEVICE_LINKER_AVAILABLE") == 0 for device in devices]
    if any(lacking) and not all(lacking):
        return May("one-device-without-a-compiler")
    return all(lacking)


@rules.clause("clLinkProgram/CL_LINK_PROGRAM_FAILURE/1")
def not_to_be_linked(call: Call, model: Model) -> Reply:
    """options requests an executable, and a kernel calls a function that no program in input_programs defines."""
    parts: list[str] = []
    inputs, devices = inputs_of(call, model), devices_of(call, model.context(call.context).devices, model)
    if not all(has_a_binary(program, device) for program in inputs for device in devices):
        return May("nothing-to-link")
    for program in inputs:
        if program.parts is None:
            raise UnknownError("parts")
        parts += program.parts
    if call.pfn_notify is not None or call.errcode_ret is None:
        return May("ends-after-the-call")
    is_library, lacking = LIBRARY in options_given(call), lacks_a_definition(tuple(parts))
    if (is_library and lacking) or len(set(parts)) < len(parts):
        raise UnknownError("what linkers take")
    return Must("functions-defined-nowhere") if lacking else Answer.NO
