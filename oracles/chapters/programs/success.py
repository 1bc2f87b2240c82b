"""Programs made from source, binaries, intermediate language and built-in kernels, and built (section 5.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Items, OutputBuffer, Text, Texts
from clconform.oracles.chapters.programs.clauses import devices_listed
from clconform.oracles.chapters.programs.languages import modules_for
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Anything, Promise
from clconform.oracles.model.own_kernels import SOURCES
from clconform.oracles.model.programs import (
    BinaryProgram,
    Build,
    BuildState,
    BuiltInProgram,
    IlProgram,
    Program,
    SourceProgram,
)
from clconform.oracles.model.spirv import KERNEL
from clconform.oracles.recurring.making import made

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.calls.call import Call
    from clconform.oracles.engine.wants import Element, Values
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.world import Model

rules = Rules()

ARGUMENT_INFO = "-cl-kernel-arg-info"


@rules.success("clCreateProgramWithSource")
def program_made(call: Call, model: Model) -> Promise:
    """The call creates a new program for the devices in context; CL_PROGRAM_SOURCE returns the given source."""
    context = model.context(call.context)
    source = "".join(call.strings.contents) if isinstance(call.strings, Texts) else ""
    program = SourceProgram(context=context, devices=list(context.devices), source=source)
    program.builds = _unbuilt(context.devices)
    names = [name for name, own in SOURCES.items() if own in source]
    if source == "".join(SOURCES[name] for name in names):
        program.kernels = tuple(names)
    return made(program, call, model)


@rules.success("clCreateProgramWithBinary")
def program_from_binary(call: Call, model: Model) -> Promise:
    """The call creates a new program for exactly the devices in device_list."""
    devices = devices_listed(call, model)
    program = BinaryProgram(context=model.context(call.context), devices=devices, builds=_unbuilt(devices))
    promise = made(program, call, model)
    if isinstance(call.binary_status, OutputBuffer):
        promise.outputs["binary_status"] = Anything((0,) * len(devices))
    return promise


@rules.success("clCreateProgramWithIL", "clCreateProgramWithILKHR")
def program_from_language(call: Call, model: Model) -> Promise:
    """The call creates a new program for the devices in context; a query for its IL returns the given IL."""
    context = model.context(call.context)
    program = IlProgram(context=context, devices=list(context.devices), builds=_unbuilt(context.devices))
    program.query = "CL_PROGRAM_IL_KHR" if call.function.endswith("KHR") else "CL_PROGRAM_IL"
    if isinstance(call.il, Data):
        program.il = call.il.content[: call.length]
        if program.il in modules_for(context.devices):
            program.kernels = (KERNEL,)
    return made(program, call, model)


@rules.success("clCreateProgramWithBuiltInKernels")
def program_of_built_in_kernels(call: Call, model: Model) -> Promise:
    """The call creates a new program with the given built-in kernels, for exactly the devices in device_list."""
    program = BuiltInProgram(context=model.context(call.context), devices=devices_listed(call, model))
    if isinstance(call.kernel_names, Text):
        program.kernels = tuple(call.kernel_names.content.split(";"))
    return made(program, call, model)


@rules.success("clBuildProgram")
def program_built(call: Call, model: Model) -> Promise:
    """The program is built for the devices in device_list, or for all its devices if that is NULL.

    With a callback, the build may finish after the call returns.
    """
    program = model.get(Program, call.program)
    devices = _built_for(call, program, model)
    options = _options(call)

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        program.built += [device for device in devices if device not in program.built]
        program.argument_info = ARGUMENT_INFO in options
        program.facts.clear()
        state = BuildState.BUILT if call.pfn_notify is None else BuildState.GOING_ON
        program.builds.update({device.name: Build(state, options) for device in devices})

    return Promise(apply=apply)


@rules.aftermath("clBuildProgram")
def build_failed(call: Call, model: Model, code: str) -> None:
    """Keep that a build was tried: its status is an error, and its log and options are known no more.

    Of several devices it need not have failed for all.
    """
    program = model.known(call.program)
    if code != "CL_BUILD_PROGRAM_FAILURE" or not isinstance(program, Program):
        return
    program.facts.clear()
    names = frozenset(device.name for device in _built_for(call, program, model))
    state = BuildState.FAILED_FOR_SOME if len(names) > 1 else BuildState.FAILED
    for name in sorted(names):
        earlier = program.builds.get(name, Build()).options
        program.builds[name] = Build(state, _options(call), names, earlier)


def _unbuilt(devices: Iterable[Device]) -> dict[str, Build]:
    return {device.name: Build() for device in devices}


def _built_for(call: Call, program: Program, model: Model) -> list[Device]:
    if isinstance(call.device_list, Items):
        return [model.device(value) for value in call.device_list.values]
    return program.devices


def _options(call: Call) -> str:
    return call.options.content if isinstance(call.options, Text) else ""
