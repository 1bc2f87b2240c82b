"""Programs and kernels to query: from source, binary and IL, before and after builds, after failed builds."""

from __future__ import annotations

import functools
import struct
from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, OutputBuffer, Text
from clconform.oracles.model.argument_kernels import QUALIFIED
from clconform.oracles.model.known_kernels import KERNELS
from clconform.oracles.model.parameters import Sort
from clconform.oracles.model.sources import VARIABLE
from clconform.oracles.model.spirv import IN_SUB_GROUPS, WITH_CONSTANTS, WITH_SUB_GROUPS
from clconform.suites.chapters.kernels.making import (
    CHANGED,
    PIPE,
    READ,
    WRITTEN,
    Place,
    built_for,
    kernel_with,
    two_devices,
)
from clconform.suites.chapters.partition.cases import part
from clconform.suites.chapters.partition.entries import CORE_ENTRY
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.programs import FROM_LANGUAGE, WITH_ARGUMENTS
from clconform.suites.queries.kinds import Kind, Kinds
from clconform.suites.steps import at_least, needs, one, succeeded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.suites.queries.kinds import About

WORD = struct.Struct("@N")
DESCRIBED = "add_scaled"
"""The kernel with arguments of every type."""
LOCAL_BYTES = 64
NO_PROGRAM = "this is no program\n"
KEEPING = (
    "__kernel void keep_much(__global uint *data)\n"
    "{\n"
    "    uint kept[1024];\n"
    "    for (uint i = 0; i < 1024u; i++)\n"
    "        kept[(i * 7u + data[0]) % 1024u] = data[i % 4u] + i;\n"
    "    data[0] = kept[data[1] % 1024u];\n"
    "}\n"
)
"""A kernel that needs private memory for each work-item; it is queried and never run."""
kinds = Kinds()
NOT_BUILT = ("clGetProgramInfo/CL_INVALID_PROGRAM_EXECUTABLE/1",)


def misbuilt(kit: Kit) -> Handle:
    """Create a program that is not valid OpenCL C, and try to build it."""
    program = kit.program_of(NO_PROGRAM)
    needs(not kit.builds(program), "the driver builds an invalid program")
    return program


def rebuilt(kit: Kit) -> Handle:
    """Create a program from a binary, and build it."""
    program = kit.program_from_binary()
    needs(kit.builds(program), "the driver does not build its own binary")
    return program


def built_from_language(kit: Kit) -> Handle:
    """Create a program from a small SPIR-V module, and build it."""
    program = kit.program_from_language()
    needs(kit.builds(program), "the driver does not build the module")
    return program


def of_all_devices(kit: Kit) -> Handle:
    """Create a program for all devices of the platform, and build it for all of them."""
    needs(kit.other_devices, "the platform has only one device")
    program = kit.within(kit.new_context(*kit.cl.devices)).program()
    outcome = kit.cl.clBuildProgram(program, 0, None, Text(""), None, None)
    needs(succeeded(outcome), "the driver does not build the kernels for all devices")
    return program


PROGRAMS: dict[str, Callable[[Kit], Handle]] = {
    "a program from source": Kit.program,
    "a built program": Kit.built,
    "a program built with options": lambda kit: kit.built(options=f"{WITH_ARGUMENTS} -DUNUSED=1"),
    "a program built for several devices": of_all_devices,
    "a program that does not build": misbuilt,
    "a program from a binary": Kit.program_from_binary,
    "a built program from a binary": rebuilt,
    "a program from intermediate language": Kit.program_from_language,
    "a built program from intermediate language": built_from_language,
    "a program from intermediate language by the extension": lambda kit: kit.program_from_language(
        functions=FROM_LANGUAGE[1:]
    ),
    "a program of a built-in kernel": lambda kit: kit.program_of_built_in_kernels(1),
    "a program of two built-in kernels": lambda kit: kit.program_of_built_in_kernels(2),
}


def _of_program(make: Callable[[Kit], Handle], kit: Kit) -> About:
    return {"program": make(kit)}


def _of_build(make: Callable[[Kit], Handle], kit: Kit) -> About:
    return {"program": make(kit), "device": kit.cl.device}


def _build_on_nothing(kit: Kit) -> About:
    return {"program": kit.built(), "device": None}


def _build_on_a_part(kit: Kit) -> About:
    return {"program": kit.built(), "device": part(kit.cl, CORE_ENTRY)}


@kinds.family("clGetProgramInfo")
def programs() -> Iterator[Kind]:
    for words, make in PROGRAMS.items():
        yield Kind(words, functools.partial(_of_program, make), NOT_BUILT if make is Kit.program else ())


@kinds.family("clGetProgramBuildInfo")
def builds() -> Iterator[Kind]:
    for words, make in PROGRAMS.items():
        yield Kind(words, functools.partial(_of_build, make))
    no_device = ("clGetProgramBuildInfo/CL_INVALID_DEVICE/1",)
    yield Kind("a built program on a sub-device", _build_on_a_part, no_device)
    yield Kind("a built program on no device", _build_on_nothing, no_device)


def _described(kit: Kit, name: str, options: str = WITH_ARGUMENTS) -> Handle:
    """Create a kernel of a program that is built with options."""
    return kit.kernel(name, kit.built(options=options))


def _kernel(name: str, kit: Kit) -> About:
    return {"kernel": _described(kit, name)}


def _kernel_on(name: str, named: bool, kit: Kit) -> About:  # noqa: FBT001 (bound by partial)
    return {"kernel": _described(kit, name), "device": kit.cl.device if named else None}


def _built_in_kernel(kit: Kit) -> About:
    program = kit.program_of_built_in_kernels(1)
    kernel = one(kit.cl.clCreateKernel(program, Text(kit.built_in_kernels()[0]), OutputBuffer(1)))
    return {"kernel": kernel, "device": kit.cl.device}


def _kernel_on_a_part(kit: Kit) -> About:
    return {"kernel": _described(kit, DESCRIBED), "device": part(kit.cl, CORE_ENTRY)}


def _argument(index: int, options: str, kit: Kit) -> About:
    return {"kernel": _described(kit, DESCRIBED, options), "arg_index": index}


def _qualified(index: int, kit: Kit) -> About:
    return {"kernel": kernel_with(kit, QUALIFIED.name, WITH_ARGUMENTS), "arg_index": index}


def _object(place: Place, kit: Kit) -> About:
    return {"kernel": kernel_with(kit, place.kernel, WITH_ARGUMENTS), "arg_index": place.index}


def _of_devices(kit: Kit, *devices: Handle) -> Handle:
    """Create a kernel of a program that is built for several devices."""
    program = kit.within(kit.new_context(*devices)).program("add_index")
    for device in devices:
        built_for(kit, program, device)
    return kit.kernel("add_index", program)


def _of_binary(kit: Kit) -> Handle:
    return kit.kernel(DESCRIBED, rebuilt(kit))


def _from_binary(kit: Kit) -> About:
    return {"kernel": _of_binary(kit), "device": kit.cl.device}


def _without_a_device(kit: Kit) -> About:
    return {"kernel": _of_devices(kit, *two_devices(kit)), "device": None}


def _built_for_one_of_two(kit: Kit) -> Handle:
    """Create a kernel of a program with two devices that is built for one of them."""
    devices = two_devices(kit)
    _ask_for_sub_groups(kit, *devices)
    program = kit.within(kit.new_context(*devices)).program("add_index")
    built_for(kit, program, devices[0])
    return kit.kernel("add_index", program)


def _without_the_only_device(kit: Kit) -> About:
    return {"kernel": _built_for_one_of_two(kit), "device": None}


def _sub_groups_without_the_only_device(kit: Kit) -> About:
    return {**_sub_groups((16,), 0, kit), "kernel": _built_for_one_of_two(kit), "device": None}


def _ask_for_sub_groups(kit: Kit, *devices: Handle) -> None:
    """Query whether devices support sub-groups: if not, another code is also allowed."""
    for device in devices:
        if not kit.cl.applies("CL_DEVICE_MAX_NUM_SUB_GROUPS"):
            kit.cl.query("clGetDeviceInfo", device, "CL_DEVICE_MAX_NUM_SUB_GROUPS")


def _without_a_device_for_sub_groups(kit: Kit) -> About:
    devices = two_devices(kit)
    _ask_for_sub_groups(kit, *devices)
    return {**_sub_groups((16,), 0, kit), "kernel": _of_devices(kit, *devices), "device": None}


def _sub_groups(words: tuple[int, ...], less: int, kit: Kit) -> About:
    """Return the arguments with these size_t values as input, shortened by ``less`` bytes; NULL if empty."""
    content = b"".join(WORD.pack(word) for word in words)
    content = content[: len(content) - less]
    given = {"input_value_size": len(content), "input_value": Data(content) if content else None}
    return {"kernel": _described(kit, "add_index"), "device": kit.cl.device, **given}


def _of_required_sub_groups(kit: Kit) -> About:
    """Create a kernel that requires a number of sub-groups; skip the item if the driver rejects the module."""
    program = kit.program_from_language(WITH_SUB_GROUPS)
    needs(kit.builds(program), "the driver does not build the module")
    kernel = one(kit.cl.clCreateKernel(program, Text(IN_SUB_GROUPS), OutputBuffer(1)))
    return {**_sub_groups((16,), 0, kit), "kernel": kernel}


def _sub_groups_without_a_device(kit: Kit) -> About:
    return {**_sub_groups((16,), 0, kit), "device": None}


def _sub_groups_on_a_part(kit: Kit) -> About:
    device = part(kit.cl, CORE_ENTRY)
    _ask_for_sub_groups(kit, device)
    return {**_sub_groups((16,), 0, kit), "device": device}


@kinds.family("clGetKernelInfo")
def kernels() -> Iterator[Kind]:
    for name in KERNELS:
        yield Kind(f"the kernel {name}", functools.partial(_kernel, name))
    yield Kind("a kernel from a binary", lambda kit: {"kernel": _of_binary(kit)})


OF_A_USUAL_KERNEL = ("clGetKernelWorkGroupInfo/CL_INVALID_VALUE/2", "clGetKernelWorkGroupInfo/CL_INVALID_VALUE/3")


@kinds.family("clGetKernelWorkGroupInfo")
def kernels_on_devices() -> Iterator[Kind]:
    for name in KERNELS:
        aims = OF_A_USUAL_KERNEL if name == DESCRIBED else ()
        yield Kind(f"the kernel {name}", functools.partial(_kernel_on, name, True), aims)
    yield Kind("a kernel without naming its device", functools.partial(_kernel_on, DESCRIBED, False))
    no_device = ("clGetKernelWorkGroupInfo/CL_INVALID_DEVICE/1",)
    yield Kind("a kernel on a sub-device", _kernel_on_a_part, no_device)
    yield Kind("a built-in kernel", _built_in_kernel, OF_A_USUAL_KERNEL)
    yield Kind("a kernel of two devices without naming one", _without_a_device, no_device)
    yield Kind("a kernel built for one of two devices without naming it", _without_the_only_device, no_device)
    yield Kind("a kernel from a binary", _from_binary)


@kinds.family("clGetKernelArgInfo")
def arguments() -> Iterator[Kind]:
    for index, each in enumerate(KERNELS[DESCRIBED].arguments):
        yield Kind(f"the argument {each.name}", functools.partial(_argument, index, WITH_ARGUMENTS))
    not_kept = ("clGetKernelArgInfo/CL_KERNEL_ARG_INFO_NOT_AVAILABLE/1",)
    for index, declared in enumerate(QUALIFIED.arguments):
        yield Kind(f"the qualified argument {declared.name}", functools.partial(_qualified, index))
    for place in (READ, WRITTEN, CHANGED, PIPE):
        yield Kind(f"an object: {place}", functools.partial(_object, place))
    yield Kind("an argument that was not kept", functools.partial(_argument, 0, ""), not_kept)
    yield Kind("an argument too many", functools.partial(_argument, 5, WITH_ARGUMENTS))


@kinds.family("clGetKernelSubGroupInfo")
def sub_groups() -> Iterator[Kind]:
    none = ("clGetKernelSubGroupInfo/CL_INVALID_OPERATION/1",)
    yield Kind("a local size in one dimension", functools.partial(_sub_groups, (16,), 0), none)
    yield Kind("a local size in three dimensions", functools.partial(_sub_groups, (4, 2, 2), 0))
    yield Kind("a local size without naming the device", _sub_groups_without_a_device)
    yield Kind("a kernel that requires a number of sub-groups", _of_required_sub_groups)
    yield Kind("a number of sub-groups", functools.partial(_sub_groups, (1,), 0))
    wrong = ("clGetKernelSubGroupInfo/CL_INVALID_VALUE/2",)
    yield Kind("no input", functools.partial(_sub_groups, (), 0), wrong)
    yield Kind("an input that is a byte too short", functools.partial(_sub_groups, (16,), 1), wrong)
    no_device = ("clGetKernelSubGroupInfo/CL_INVALID_DEVICE/1",)
    yield Kind("a local size on a sub-device", _sub_groups_on_a_part, no_device)
    yield Kind("a kernel of two devices without naming one", _without_a_device_for_sub_groups, no_device)
    yield Kind(
        "a kernel built for one of two devices without naming it", _sub_groups_without_the_only_device, no_device
    )


def _retained(kit: Kit) -> About:
    """Create a program, and retain it."""
    program = kit.program("add_index")
    kit.cl.clRetainProgram(program)
    return {"program": program}


def _of_one_kernel(name: str, kit: Kit) -> About:
    """Build a program of one kernel, which differs from others in the number or the names of its kernels."""
    return {"program": kit.built(name)}


def _of_parts(kit: Kit) -> About:
    """Build a program in a context of two devices, which may be sub-devices."""
    program = kit.within(kit.new_context(*two_devices(kit))).program("add_index")
    needs(succeeded(kit.cl.clBuildProgram(program, 0, None, Text(""), None, None)), "the driver does not build it")
    return {"program": program}


def _of_memory(kit: Kit) -> About:
    """Build a program with a program-scope variable, if the device supports these."""
    needs((kit.cl.fact("CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE") or 0) > 0, "the device has no variables of programs")
    program = kit.program_of(VARIABLE)
    version = "3.0" if at_least(kit.cl, (3, 0)) else "2.0"
    needs(kit.builds(program, f"-cl-std=CL{version}"), "the driver does not build the variable")
    return {"program": program, "device": kit.cl.device}


def _of_another_module(function: str, kit: Kit) -> About:
    return {"program": kit.program_from_language(WITH_CONSTANTS, (function,))}


def _retained_kernel(kit: Kit) -> About:
    kernel = _described(kit, "add_index")
    kit.cl.clRetainKernel(kernel)
    return {"kernel": kernel}


def _with_local_memory(kit: Kit) -> About:
    """Create a kernel with a local memory argument of a given size."""
    kernel = _described(kit, DESCRIBED)
    index = next(at for at, each in enumerate(KERNELS[DESCRIBED].arguments) if each.sort is Sort.LOCAL)
    kit.cl.clSetKernelArg(kernel, index, LOCAL_BYTES, None)
    return {"kernel": kernel, "device": kit.cl.device}


def _with_private_memory(kit: Kit) -> About:
    program = kit.program_of(KEEPING)
    needs(kit.builds(program), "the driver does not build the kernel")
    return {"kernel": one(kit.cl.clCreateKernel(program, Text("keep_much"), OutputBuffer(1))), "device": kit.cl.device}


def _sub_groups_with_private_memory(kit: Kit) -> About:
    return {**_sub_groups((16,), 0, kit), **_with_private_memory(kit)}


APART: dict[str, tuple[Callable[[Kit], About], ...]] = {
    "clGetProgramInfo": (
        _retained,
        functools.partial(_of_one_kernel, "tally"),
        functools.partial(_of_one_kernel, "chase"),
        _of_parts,
        *(functools.partial(_of_another_module, function) for function in FROM_LANGUAGE),
    ),
    "clGetProgramBuildInfo": (_of_memory,),
    "clGetKernelInfo": (_retained_kernel,),
    "clGetKernelWorkGroupInfo": (_with_local_memory, _with_private_memory),
    "clGetKernelSubGroupInfo": (_sub_groups_with_private_memory, _of_required_sub_groups),
}
"""Objects that differ in one value from the usual kinds, by query function."""
