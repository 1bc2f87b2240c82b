"""Error conditions of building and compiling programs (sections 5.8.4 and 5.8.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, Text, Texts
from clconform.oracles.chapters.programs.error_conditions.devices import (
    build_devices,
    evaluate_devices,
    find_foreign_devices,
)
from clconform.oracles.chapters.programs.languages import is_own_module
from clconform.oracles.chapters.programs.options import is_accepted_by_compilers, is_harmless
from clconform.oracles.chapters.programs.standards import (
    devices_lacking_feature,
    option_failing_everywhere,
    supports_parts,
)
from clconform.oracles.common.contexts import is_not_among, is_unassociated
from clconform.oracles.common.objects import find_invalid_object, is_invalid_object
from clconform.oracles.common.parameters import describe_disagreement
from clconform.oracles.engine.predicate_result import MUST, NO, UNKNOWN, PredicateResult, may, must_by, must_if
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.command_buffer_state import CommandBuffer
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.program_sources import expand_includes, is_invalid, lacks_definition, split_parts
from clconform.oracles.model.programs import (
    BinaryProgram,
    BuildState,
    BuiltInProgram,
    IlProgram,
    LinkedProgram,
    Program,
    SourceProgram,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.calls.values import Value
    from clconform.oracles.model.contexts import Context
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.state import Model

rules = Rules()

INCOMPLETE = (BuildState.GOING_ON,)


@rules.clause("clCompileProgram/CL_INVALID_PROGRAM/1")
def is_program_invalid(call: Call, model: Model) -> PredicateResult:
    """program is NULL or not a valid program.

    The error is optional if an element of input_headers was not created from source.
    """
    reply = is_invalid_object(call.program, "cl_program", model)
    return has_header_without_source(call, model) if reply is NO else reply


@rules.alternatives_of("clCompileProgram/CL_INVALID_PROGRAM/1")
def find_program_violation(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds: program is NULL or not a valid program."""
    return find_invalid_object("program", call.program, "cl_program", model)


def has_header_without_source(call: Call, model: Model) -> PredicateResult:
    """Return whether an element of input_headers was not created from source. The error for it is unspecified."""
    given = call.input_headers.values if isinstance(call.input_headers, ElementList) else ()
    headers = [model.find(each) for each in given]
    if all(isinstance(each, SourceProgram) for each in headers if each is not None):
        return NO
    return may("headers-without-source")


@rules.clause("clBuildProgram/CL_INVALID_DEVICE/1", "clCompileProgram/CL_INVALID_DEVICE/1")
def has_foreign_device(call: Call, model: Model) -> PredicateResult:
    """An element of device_list is NULL, or is not associated with the context of program.

    If program was not created from source, the error also applies to an element that is not a device of program.
    """
    return evaluate_devices(call.device_list, model, lambda device: _is_foreign(device, call, model))


def _is_foreign(device: Device, call: Call, model: Model) -> PredicateResult:
    """Return whether a valid device is not associated with the context of program, or with program."""
    program = model.find(call.program)
    if not isinstance(program, Program) or program.context is None:
        raise UnknownFactError("program")
    if not program.from_source:
        return is_not_among(program.devices, device)
    return is_unassociated(program.context, device)


@rules.alternatives_of("clBuildProgram/CL_INVALID_DEVICE/1", "clCompileProgram/CL_INVALID_DEVICE/1")
def find_invalid_devices(call: Call, model: Model) -> Iterator[str]:
    """Yield each element of device_list that is NULL, not valid, or not associated with program or its context."""
    program = model.find(call.program)
    owner = "the context of program" if isinstance(program, Program) and program.from_source else "program"
    return find_foreign_devices(call.device_list, model, lambda device: _is_foreign(device, call, model), owner)


@rules.clause("clCompileProgram/CL_INVALID_VALUE/2")
def has_inconsistent_headers(call: Call, model: Model) -> PredicateResult:
    """num_input_headers, input_headers and header_include_names do not match.

    They do not match if num_input_headers is 0 and one of the lists is not NULL, or if num_input_headers is not 0 and
    one of the lists is NULL. The error is optional if an element of input_headers was not created from source.
    """
    given = (call.input_headers is not None, call.header_include_names is not None)
    if any(given) if call.num_input_headers == 0 else not all(given):
        return MUST
    return has_header_without_source(call, model)


@rules.alternatives_of("clCompileProgram/CL_INVALID_VALUE/2")
def find_inconsistent_headers(call: Call, model: Model) -> Iterator[str]:
    """Yield for each list of headers how it contradicts num_input_headers."""
    del model
    for listed in ("input_headers", "header_include_names"):
        if (call.num_input_headers == 0) != (call.arguments[listed] is None):
            yield describe_disagreement(call, "num_input_headers", listed)


@rules.clause("clBuildProgram/CL_INVALID_BUILD_OPTIONS/1", "clCompileProgram/CL_INVALID_COMPILER_OPTIONS/1")
def has_unsupported_option(call: Call, model: Model) -> PredicateResult:
    """options contains an option that section 5.8.6 does not list, or that a device does not support.

    If no device supports the option, the build must fail with this error or with the error for an invalid source.
    """
    program = model.get(Program, call.program)
    options = parse_options(call)
    if not options:
        return NO
    if isinstance(program, BinaryProgram):
        return may("options-of-a-binary")
    devices = build_devices(call, program.devices, model)
    if is_accepted_by_compilers(options, devices):
        return NO
    if isinstance(program, SourceProgram) and call.pfn_notify is None and option_failing_everywhere(options, devices):
        return must_by("unsupported-build-options")
    return may("vendor-build-options")


def parse_options(call: Call) -> str:
    """Return the options of a call; empty for NULL."""
    return call.options.content if isinstance(call.options, Text) else ""


@rules.clause(
    "clBuildProgram/CL_COMPILER_NOT_AVAILABLE/1",
    "clCompileProgram/CL_COMPILER_NOT_AVAILABLE/1",
)
def lacks_compiler(call: Call, model: Model) -> PredicateResult:
    """program was created from source or IL, and CL_DEVICE_COMPILER_AVAILABLE is CL_FALSE for a device of the build.

    The error is optional if another device of the build has a compiler.
    """
    program = model.get(Program, call.program)
    if isinstance(program, BinaryProgram | BuiltInProgram | LinkedProgram):
        return may("unknown-fact") if call.function == "clCompileProgram" else NO
    lacking = [
        device.number("CL_DEVICE_COMPILER_AVAILABLE") == 0 for device in build_devices(call, program.devices, model)
    ]
    if any(lacking) and not all(lacking):
        return may("one-device-without-a-compiler")
    return must_if(all(lacking))


@rules.clause("clBuildProgram/CL_BUILD_PROGRAM_FAILURE/1", "clCompileProgram/CL_COMPILE_PROGRAM_FAILURE/1")
def is_source_invalid(call: Call, model: Model) -> PredicateResult:
    """The source of program with the headers in input_headers is not valid OpenCL C, and pfn_notify is NULL.

    The error is also allowed if options contains an option that no device supports, and if no device has a compiler.
    """
    program = model.get(Program, call.program)
    if lacks_compiler(call, model).is_must:
        return may("no-compiler-fails-a-build")
    options, devices = parse_options(call), build_devices(call, program.devices, model)
    if is_own_module(program, devices):
        plain = is_accepted_by_compilers(options, devices) and is_harmless(options, "")
        return NO if plain else may("vendor-build-options")
    source = expand_source(call, program, model)
    if any(device.number("CL_DEVICE_TYPE") & model.constant_value("CL_DEVICE_TYPE_CUSTOM") for device in devices):
        return may("sources-of-custom-devices")
    if is_invalid(source):
        return may("build-fails-after-call") if call.pfn_notify is not None else MUST
    if option_failing_everywhere(options, devices):
        return may("build-fails-after-call") if call.pfn_notify is not None else must_by("unsupported-build-options")
    parts = split_parts(source)
    if parts is None or not is_harmless(options, source) or not is_accepted_by_compilers(options, devices):
        raise UnknownFactError("what compilers take")
    if devices_lacking_feature(parts, options, devices):
        return may("build-fails-after-call") if call.pfn_notify is not None else must_by("features-not-listed")
    if not supports_parts(parts, options, devices):
        raise UnknownFactError("what compilers take")
    whole = not lacks_definition(parts) or call.function == "clCompileProgram"
    if not whole:
        raise UnknownFactError("what compilers take")
    return NO


@rules.alternatives_of("clBuildProgram/CL_BUILD_PROGRAM_FAILURE/1", "clCompileProgram/CL_COMPILE_PROGRAM_FAILURE/1")
def find_build_failure(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds: the source is not valid, or an option or feature is not supported."""
    program = model.get(Program, call.program)
    if is_invalid(expand_source(call, program, model)):
        yield "the source of program with its headers is not valid OpenCL C"
    elif option_failing_everywhere(parse_options(call), build_devices(call, program.devices, model)):
        yield "options contains an option that no device supports"
    else:
        yield "the source of program uses a feature that a device does not list"


def expand_source(call: Call, program: Program, model: Model) -> str:
    """Return the source of a program, with its headers included. Raises UnknownFactError if the source is unknown."""
    if not isinstance(program, SourceProgram):
        raise UnknownFactError("source")
    names, headers = call.arguments.get("header_include_names"), call.arguments.get("input_headers")
    if not isinstance(names, Texts) or not isinstance(headers, ElementList):
        return program.source
    found = [model.get(Program, each) for each in headers.values]
    if not all(isinstance(each, SourceProgram) for each in found):
        raise UnknownFactError("headers")
    given: dict[str, str] = {}
    for name, header in zip(names.contents, found, strict=False):
        given.setdefault(name, header.source if isinstance(header, SourceProgram) else "")
    return expand_includes(program.source, given)


@rules.clause("clBuildProgram/CL_INVALID_OPERATION/1", "clCompileProgram/CL_INVALID_OPERATION/1")
def is_build_in_progress(call: Call, model: Model) -> PredicateResult:
    """An earlier build of program, for one of the devices in device_list, has not completed."""
    program = model.get(Program, call.program)
    names = {device.name for device in build_devices(call, program.devices, model)}
    going_on = any(build.state in INCOMPLETE for name, build in program.builds.items() if name in names)
    return may("build-in-progress") if going_on else NO


@rules.clause("clBuildProgram/CL_INVALID_OPERATION/2", "clCompileProgram/CL_INVALID_OPERATION/2")
def has_attached_kernels(call: Call, model: Model) -> PredicateResult:
    """Kernel objects are attached to program.

    The error is also allowed if program had kernels and a command that runs a kernel may not be complete, if a
    command-buffer may contain one of its kernels, or if a call that retains or releases one has failed without a
    reason.
    """
    program = model.get(Program, call.program)
    kernels = [each for each in model.objects_of_class(Kernel) if each.context in (program.context, None)]
    if any(each.program is program and each.references > 0 and not each.tainted for each in kernels):
        return MUST
    doubtful = program.may_have_kernels or any(each.program is None or each.program is program for each in kernels)
    in_use = program.has_uncertain_count or _may_run_kernels(model)
    return may("kernels-in-use") if doubtful or (program.had_kernels and in_use) else NO


RUNNING_FUNCTIONS = ("clEnqueueNDRangeKernel", "clEnqueueTask", "clEnqueueCommandBufferKHR")
"""The functions whose commands run kernels."""


def _may_run_kernels(model: Model) -> bool:
    """Return whether a command that runs a kernel may not be complete, or a command-buffer may contain a kernel."""
    running = any(each.function in RUNNING_FUNCTIONS for each in model.commands.pending)
    return running or any(True for _ in model.objects_of_class(CommandBuffer))


@rules.clause("clBuildProgram/CL_INVALID_OPERATION/3")
def has_nothing_to_build(call: Call, model: Model) -> PredicateResult:
    """program was created with clCreateProgramWithBuiltInKernels or clLinkProgram."""
    program = model.get(Program, call.program)
    _check_origin_known(program)
    return must_if(isinstance(program, BuiltInProgram | LinkedProgram))


@rules.alternatives_of("clBuildProgram/CL_INVALID_OPERATION/3", "clCompileProgram/CL_INVALID_OPERATION/3")
def find_creating_function(call: Call, model: Model) -> Iterator[str]:
    """Yield the function that created program."""
    program = model.get(Program, call.program)
    for kind, function in CREATING_FUNCTIONS.items():
        if isinstance(program, kind):
            yield f"program was created with {function}"


CREATING_FUNCTIONS: dict[type[Program], str] = {
    BinaryProgram: "clCreateProgramWithBinary",
    BuiltInProgram: "clCreateProgramWithBuiltInKernels",
    LinkedProgram: "clLinkProgram",
}
"""Maps each class of programs without anything to compile to the function that creates them."""


@rules.clause("clCompileProgram/CL_INVALID_OPERATION/3")
def has_nothing_to_compile(call: Call, model: Model) -> PredicateResult:
    """program was not created with clCreateProgramWithSource or clCreateProgramWithIL.

    The error is optional if program was created from binaries and options contains -x spir, or if an element of
    input_headers was not created from source.
    """
    program = model.get(Program, call.program)
    _check_origin_known(program)
    if isinstance(program, BinaryProgram):
        return may("unknown-fact") if "spir" in parse_options(call) else MUST
    return has_header_without_source(call, model) if isinstance(program, SourceProgram | IlProgram) else MUST


def _check_origin_known(program: Program) -> None:
    """Raise UnknownFactError if it is unknown how the program was created."""
    if type(program) is Program:
        raise UnknownFactError("how the program was made")


@rules.clause("clBuildProgram/CL_INVALID_BINARY/1")
def lacks_loaded_executable(call: Call, model: Model) -> PredicateResult:
    """program was created from binaries, and does not have a valid executable binary for a device in device_list."""
    program = model.get(Program, call.program)
    _check_origin_known(program)
    if not isinstance(program, BinaryProgram):
        return NO
    if program.saved_state is BuildState.BUILT and not program.is_supplied:
        return NO
    return may("unknown-binary")


rules.untestable(
    "clBuildProgram/CL_INVALID_BINARY/1",
    "program was created from binaries, and does not have a valid executable binary for a device in device_list.",
    "the suites do not build a program whose binary is not an executable, because section 5.8.4 requires an executable",
)


@rules.clause("clCompileProgram/CL_INVALID_CONTEXT/1")
def has_header_of_other_context(call: Call, model: Model) -> PredicateResult:
    """An element of input_headers does not belong to the context of program.

    The error is optional unless all devices of that context have version 3.1 or later.
    """
    own = model.get(Program, call.program).context
    return has_program_of_other_context(own, call.input_headers, model)


@rules.clause("clLinkProgram/CL_INVALID_CONTEXT/2")
def has_input_of_other_context(call: Call, model: Model) -> PredicateResult:
    """An element of input_programs does not belong to context.

    The error is optional unless all devices in context have version 3.1 or later.
    """
    return has_program_of_other_context(model.context(call.context), call.input_programs, model)


def has_program_of_other_context(own: Context | None, listed: Value, model: Model) -> PredicateResult:
    """Return whether a list contains a program of a context other than ``own``.

    The error is optional unless all devices of ``own`` have version 3.1 or later.
    """
    found = [model.find(each) for each in listed.values] if isinstance(listed, ElementList) else []
    others = {each.context for each in found if isinstance(each, Program)}
    if own is None or None in others:
        return UNKNOWN
    if others <= {own}:
        return NO
    return MUST if all(device.version >= (3, 1) for device in own.devices) else UNKNOWN
