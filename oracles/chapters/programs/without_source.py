"""Programs from a binary, from intermediate language, and of built-in kernels (section 5.8.1)."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from clconform.calls.values import Data, Items, Room, Text
from clconform.oracles.chapters.programs.success import NO_LANGUAGE, holding, new_program, unbuilt
from clconform.oracles.engine.answers import Answer, Reply, UnknownError
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Anything, Promise
from clconform.oracles.model.spirv import KERNEL, MODULES
from clconform.oracles.recurring.making import made

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.world import Device, Model

rules = Rules()


@rules.success("clCreateProgramWithBinary")
def program_from_binary(call: Call, model: Model) -> Promise:
    """A new program for exactly the devices given."""
    devices = _devices(call, model)
    child = new_program(call, model, devices)
    child.binary = True
    child.echoes |= NO_LANGUAGE
    for device in devices:
        child.echoes |= unbuilt(device, model)
    result = made("cl_program", call, model, child)
    if isinstance(call.binary_status, Room):
        result.outputs["binary_status"] = Anything((0,) * len(devices))
    return result


@rules.success("clCreateProgramWithIL", "clCreateProgramWithILKHR")
def program_from_language(call: Call, model: Model) -> Promise:
    """A new program for the context's devices, which repeats the bytes that it was made from."""
    context = model.context(call.context)
    child = new_program(call, model, list(context.devices))
    child.binary = True
    if isinstance(call.il, Data):
        language = call.il.content[: call.length]
        query = "CL_PROGRAM_IL_KHR" if call.function.endswith("KHR") else "CL_PROGRAM_IL"
        child.echoes[query] = (struct.unpack(f"{len(language)}b", language),)
        if language in _modules(context.devices):
            child.kernels = (KERNEL,)
    for device in context.devices:
        child.echoes |= unbuilt(device, model)
    return made("cl_program", call, model, child)


@rules.clause("clCreateProgramWithIL/CL_INVALID_VALUE/2", "clCreateProgramWithILKHR/CL_INVALID_VALUE/2")
def not_of_a_language(call: Call, model: Model) -> Reply:
    """The bytes are no module of an intermediate language that the devices take."""
    if not isinstance(call.il, Data) or not call.length:
        return Answer.NO
    if call.il.content[: call.length] in _modules(model.context(call.context).devices):
        return Answer.NO
    raise UnknownError("whether the bytes are a module")


def _modules(devices: list[Device]) -> list[bytes]:
    """Return our module in every form that one of the devices says it takes."""
    found = []
    for device in devices:
        told = device.facts.get("CL_DEVICE_IL_VERSION", device.facts.get("CL_DEVICE_IL_VERSION_KHR"))
        width = device.facts.get("CL_DEVICE_ADDRESS_BITS")
        names = told.split() if isinstance(told, str) else []
        found += [content for (name, bits), content in MODULES.items() if name in names and bits == width]
    return found


@rules.success("clCreateProgramWithBuiltInKernels")
def program_of_built_in_kernels(call: Call, model: Model) -> Promise:
    """A new program for exactly the devices given, which holds the kernels that were named."""
    child = new_program(call, model, _devices(call, model))
    child.binary, child.sort = True, "built-in"
    child.echoes |= NO_LANGUAGE
    if isinstance(call.kernel_names, Text):
        child.kernels = tuple(call.kernel_names.content.split(";"))
        child.echoes |= holding(child.kernels)
    return made("cl_program", call, model, child)


@rules.clause("clCreateProgramWithBuiltInKernels/CL_INVALID_VALUE/2")
def no_such_built_in_kernel(call: Call, model: Model) -> Reply:
    """No names are given, or one that no device of the list has built in."""
    if not isinstance(call.kernel_names, Text):
        return Answer.MUST
    known: set[str] = set()
    for device in _devices(call, model):
        told = device.facts.get("CL_DEVICE_BUILT_IN_KERNELS")
        if not isinstance(told, str):
            raise UnknownError("CL_DEVICE_BUILT_IN_KERNELS")
        known.update(told.split(";"))
    return not set(call.kernel_names.content.split(";")) <= known


def _devices(call: Call, model: Model) -> list[Device]:
    if not isinstance(call.device_list, Items):
        raise UnknownError("no devices")
    return [model.device(value) for value in call.device_list.values]
