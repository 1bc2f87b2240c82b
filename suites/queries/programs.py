"""Programs and kernels for queries: from source, binary and IL, before and after builds, after failed builds."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.calls.machine_words import pack_words
from clconform.calls.values import Data, Handle, OutputBuffer, Text
from clconform.oracles.model.argument_kernels import QUALIFIED
from clconform.oracles.model.buffer_kernels import KERNELS
from clconform.oracles.model.parameters import ArgumentKind
from clconform.oracles.model.program_sources import VARIABLE_SOURCE
from clconform.oracles.model.spirv import CONSTANT_MODULES, SUB_GROUP_MODULES, SUB_GROUPS_KERNEL
from clconform.suites.chapters.kernels.argument_cases import (
    CHANGED_IMAGE,
    PIPE,
    READ_IMAGE,
    WRITTEN_IMAGE,
    ArgumentReference,
    build_for_device,
    create_kernel_with_options,
    get_two_devices,
)
from clconform.suites.chapters.partition.entries import CORE_ENTRY
from clconform.suites.chapters.partition.partition_cases import create_sub_device
from clconform.suites.helpers import has_version, is_success, require_handle, skip_unless
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.programs import ARG_INFO_OPTION, IL_FUNCTIONS
from clconform.suites.queries.kinds import ObjectKind, ObjectKindRegistry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.suites.queries.kinds import QuerySubject

DESCRIBED = "add_scaled"
"""The name of the kernel that has parameters of every type."""
LOCAL_BYTES = 64
INVALID_SOURCE = "this is no program\n"
PRIVATE_MEMORY_SOURCE = (
    "__kernel void keep_much(__global uint *data)\n"
    "{\n"
    "    uint kept[1024];\n"
    "    for (uint i = 0; i < 1024u; i++)\n"
    "        kept[(i * 7u + data[0]) % 1024u] = data[i % 4u] + i;\n"
    "    data[0] = kept[data[1] % 1024u];\n"
    "}\n"
)
"""The source of a kernel that needs private memory for each work-item; the kernel is queried and never run."""
kinds = ObjectKindRegistry()
NOT_BUILT = ("clGetProgramInfo/CL_INVALID_PROGRAM_EXECUTABLE/1",)


def unbuildable_program(kit: Kit) -> Handle:
    """Create a program whose source is not valid OpenCL C, and try to build the program."""
    program = kit.program_from_source(INVALID_SOURCE)
    skip_unless(not kit.try_build(program), "the driver builds an invalid program")
    return program


def program_built_from_binary(kit: Kit) -> Handle:
    """Create a program from a binary, and build it."""
    program = kit.program_from_binary()
    skip_unless(kit.try_build(program), "the driver does not build its own binary")
    return program


def program_built_from_il(kit: Kit) -> Handle:
    """Create a program from a small SPIR-V module, and build it."""
    program = kit.program_from_il()
    skip_unless(kit.try_build(program), "the driver does not build the module")
    return program


def program_of_all_devices(kit: Kit) -> Handle:
    """Create a program for all devices of the platform, and build it for all of them."""
    skip_unless(kit.other_devices, "the platform has only one device")
    program = kit.for_context(kit.new_context(*kit.cl.devices)).program()
    outcome = kit.cl.clBuildProgram(program, 0, None, Text(""), None, None)
    skip_unless(is_success(outcome), "the driver does not build the kernels for all devices")
    return program


PROGRAMS: dict[str, Callable[[Kit], Handle]] = {
    "a program from source": Kit.program,
    "a built program": Kit.built_program,
    "a program built with options": lambda kit: kit.built_program(options=f"{ARG_INFO_OPTION} -DUNUSED=1"),
    "a program built for several devices": program_of_all_devices,
    "a program that does not build": unbuildable_program,
    "a program from a binary": Kit.program_from_binary,
    "a built program from a binary": program_built_from_binary,
    "a program from intermediate language": Kit.program_from_il,
    "a built program from intermediate language": program_built_from_il,
    "a program from intermediate language by the extension": lambda kit: kit.program_from_il(
        functions=IL_FUNCTIONS[1:]
    ),
    "a program of a built-in kernel": lambda kit: kit.program_from_built_in_kernels(1),
    "a program of two built-in kernels": lambda kit: kit.program_from_built_in_kernels(2),
}


def _program_subject(make: Callable[[Kit], Handle], kit: Kit) -> QuerySubject:
    return {"program": make(kit)}


def _build_subject(make: Callable[[Kit], Handle], kit: Kit) -> QuerySubject:
    return {"program": make(kit), "device": kit.cl.device}


def _build_without_device(kit: Kit) -> QuerySubject:
    return {"program": kit.built_program(), "device": None}


def _build_on_sub_device(kit: Kit) -> QuerySubject:
    return {"program": kit.built_program(), "device": create_sub_device(kit.cl, CORE_ENTRY)}


@kinds.declare_family("clGetProgramInfo")
def programs() -> Iterator[ObjectKind]:
    for words, make in PROGRAMS.items():
        yield ObjectKind(words, functools.partial(_program_subject, make), NOT_BUILT if make is Kit.program else ())


@kinds.declare_family("clGetProgramBuildInfo")
def program_builds() -> Iterator[ObjectKind]:
    for words, make in PROGRAMS.items():
        yield ObjectKind(words, functools.partial(_build_subject, make))
    no_device = ("clGetProgramBuildInfo/CL_INVALID_DEVICE/1",)
    yield ObjectKind("a built program on a sub-device", _build_on_sub_device, no_device)
    yield ObjectKind("a built program on no device", _build_without_device, no_device)


def _kernel_with_options(kit: Kit, name: str, options: str = ARG_INFO_OPTION) -> Handle:
    """Create a kernel of a program that is built with these options."""
    return kit.kernel(name, kit.built_program(options=options))


def _kernel_subject(name: str, kit: Kit) -> QuerySubject:
    return {"kernel": _kernel_with_options(kit, name)}


def _kernel_on_device(name: str, named: bool, kit: Kit) -> QuerySubject:  # noqa: FBT001 (bound by partial)
    return {"kernel": _kernel_with_options(kit, name), "device": kit.cl.device if named else None}


def _built_in_kernel(kit: Kit) -> QuerySubject:
    program = kit.program_from_built_in_kernels(1)
    kernel = require_handle(kit.cl.clCreateKernel(program, Text(kit.built_in_kernel_names()[0]), OutputBuffer(1)))
    return {"kernel": kernel, "device": kit.cl.device}


def _kernel_on_sub_device(kit: Kit) -> QuerySubject:
    return {"kernel": _kernel_with_options(kit, DESCRIBED), "device": create_sub_device(kit.cl, CORE_ENTRY)}


def _argument(index: int, options: str, kit: Kit) -> QuerySubject:
    return {"kernel": _kernel_with_options(kit, DESCRIBED, options), "arg_index": index}


def _qualified_argument(index: int, kit: Kit) -> QuerySubject:
    return {"kernel": create_kernel_with_options(kit, QUALIFIED.name, ARG_INFO_OPTION), "arg_index": index}


def _object_argument(place: ArgumentReference, kit: Kit) -> QuerySubject:
    return {"kernel": create_kernel_with_options(kit, place.kernel, ARG_INFO_OPTION), "arg_index": place.index}


def _kernel_of_devices(kit: Kit, *devices: Handle) -> Handle:
    """Create a kernel of a program that is built for all of these devices."""
    program = kit.for_context(kit.new_context(*devices)).program("add_index")
    for device in devices:
        build_for_device(kit, program, device)
    return kit.kernel("add_index", program)


def _kernel_of_binary(kit: Kit) -> Handle:
    return kit.kernel(DESCRIBED, program_built_from_binary(kit))


def _kernel_from_binary(kit: Kit) -> QuerySubject:
    return {"kernel": _kernel_of_binary(kit), "device": kit.cl.device}


def _kernel_without_device(kit: Kit) -> QuerySubject:
    return {"kernel": _kernel_of_devices(kit, *get_two_devices(kit)), "device": None}


def _kernel_built_for_one_of_two(kit: Kit) -> Handle:
    """Create a kernel of a program for two devices that is built for only one of them."""
    devices = get_two_devices(kit)
    _query_sub_groups(kit, *devices)
    program = kit.for_context(kit.new_context(*devices)).program("add_index")
    build_for_device(kit, program, devices[0])
    return kit.kernel("add_index", program)


def _kernel_without_its_only_device(kit: Kit) -> QuerySubject:
    return {"kernel": _kernel_built_for_one_of_two(kit), "device": None}


def _sub_groups_without_only_device(kit: Kit) -> QuerySubject:
    return {**_sub_groups((16,), 0, kit), "kernel": _kernel_built_for_one_of_two(kit), "device": None}


def _query_sub_groups(kit: Kit, *devices: Handle) -> None:
    """Query whether devices support sub-groups; if they do not, the oracle also allows another error code."""
    for device in devices:
        if not kit.cl.find_inapplicability("CL_DEVICE_MAX_NUM_SUB_GROUPS"):
            kit.cl.query("clGetDeviceInfo", device, "CL_DEVICE_MAX_NUM_SUB_GROUPS")


def _sub_groups_without_one_of_two(kit: Kit) -> QuerySubject:
    devices = get_two_devices(kit)
    _query_sub_groups(kit, *devices)
    return {**_sub_groups((16,), 0, kit), "kernel": _kernel_of_devices(kit, *devices), "device": None}


def _sub_groups(words: tuple[int, ...], less: int, kit: Kit) -> QuerySubject:
    """Return the arguments of a sub-group query. ``words``: the size_t values in its input.

    ``less``: the number of bytes by which the input is shortened; an empty input is passed as NULL.
    """
    content = pack_words(words, kit.pointer_bytes)
    content = content[: len(content) - less]
    given = {"input_value_size": len(content), "input_value": Data(content) if content else None}
    return {"kernel": _kernel_with_options(kit, "add_index"), "device": kit.cl.device, **given}


def _kernel_with_required_sub_groups(kit: Kit) -> QuerySubject:
    """Return the arguments of a sub-group query for a kernel that requires a number of sub-groups.

    The item is skipped if the driver does not build the module.
    """
    program = kit.program_from_il(SUB_GROUP_MODULES)
    skip_unless(kit.try_build(program), "the driver does not build the module")
    kernel = require_handle(kit.cl.clCreateKernel(program, Text(SUB_GROUPS_KERNEL), OutputBuffer(1)))
    return {**_sub_groups((16,), 0, kit), "kernel": kernel}


def _sub_groups_without_device(kit: Kit) -> QuerySubject:
    return {**_sub_groups((16,), 0, kit), "device": None}


def _sub_groups_on_sub_device(kit: Kit) -> QuerySubject:
    device = create_sub_device(kit.cl, CORE_ENTRY)
    _query_sub_groups(kit, device)
    return {**_sub_groups((16,), 0, kit), "device": device}


@kinds.declare_family("clGetKernelInfo")
def kernels() -> Iterator[ObjectKind]:
    for name in KERNELS:
        yield ObjectKind(f"the kernel {name}", functools.partial(_kernel_subject, name))
    yield ObjectKind("a kernel from a binary", lambda kit: {"kernel": _kernel_of_binary(kit)})


USUAL_KERNEL_COVERS = ("clGetKernelWorkGroupInfo/CL_INVALID_VALUE/2", "clGetKernelWorkGroupInfo/CL_INVALID_VALUE/3")


@kinds.declare_family("clGetKernelWorkGroupInfo")
def kernels_on_devices() -> Iterator[ObjectKind]:
    for name in KERNELS:
        aims = USUAL_KERNEL_COVERS if name == DESCRIBED else ()
        yield ObjectKind(f"the kernel {name}", functools.partial(_kernel_on_device, name, True), aims)
    yield ObjectKind("a kernel without naming its device", functools.partial(_kernel_on_device, DESCRIBED, False))
    no_device = ("clGetKernelWorkGroupInfo/CL_INVALID_DEVICE/1",)
    yield ObjectKind("a kernel on a sub-device", _kernel_on_sub_device, no_device)
    yield ObjectKind("a built-in kernel", _built_in_kernel, USUAL_KERNEL_COVERS)
    yield ObjectKind("a kernel of two devices without naming one", _kernel_without_device, no_device)
    yield ObjectKind(
        "a kernel built for one of two devices without naming it", _kernel_without_its_only_device, no_device
    )
    yield ObjectKind("a kernel from a binary", _kernel_from_binary)


@kinds.declare_family("clGetKernelArgInfo")
def arguments() -> Iterator[ObjectKind]:
    for index, each in enumerate(KERNELS[DESCRIBED].arguments):
        yield ObjectKind(f"the argument {each.name}", functools.partial(_argument, index, ARG_INFO_OPTION))
    not_kept = ("clGetKernelArgInfo/CL_KERNEL_ARG_INFO_NOT_AVAILABLE/1",)
    for index, declared in enumerate(QUALIFIED.arguments):
        yield ObjectKind(f"the qualified argument {declared.name}", functools.partial(_qualified_argument, index))
    for place in (READ_IMAGE, WRITTEN_IMAGE, CHANGED_IMAGE, PIPE):
        yield ObjectKind(f"an object: {place}", functools.partial(_object_argument, place))
    yield ObjectKind("an argument that was not kept", functools.partial(_argument, 0, ""), not_kept)
    yield ObjectKind("an argument too many", functools.partial(_argument, 5, ARG_INFO_OPTION))


@kinds.declare_family("clGetKernelSubGroupInfo")
def sub_groups() -> Iterator[ObjectKind]:
    none = ("clGetKernelSubGroupInfo/CL_INVALID_OPERATION/1",)
    yield ObjectKind("a local size in one dimension", functools.partial(_sub_groups, (16,), 0), none)
    yield ObjectKind("a local size in three dimensions", functools.partial(_sub_groups, (4, 2, 2), 0))
    yield ObjectKind("a local size without naming the device", _sub_groups_without_device)
    yield ObjectKind("a kernel that requires a number of sub-groups", _kernel_with_required_sub_groups)
    yield ObjectKind("a number of sub-groups", functools.partial(_sub_groups, (1,), 0))
    wrong = ("clGetKernelSubGroupInfo/CL_INVALID_VALUE/2",)
    yield ObjectKind("no input", functools.partial(_sub_groups, (), 0), wrong)
    yield ObjectKind("an input that is a byte too short", functools.partial(_sub_groups, (16,), 1), wrong)
    no_device = ("clGetKernelSubGroupInfo/CL_INVALID_DEVICE/1",)
    yield ObjectKind("a local size on a sub-device", _sub_groups_on_sub_device, no_device)
    yield ObjectKind("a kernel of two devices without naming one", _sub_groups_without_one_of_two, no_device)
    yield ObjectKind(
        "a kernel built for one of two devices without naming it", _sub_groups_without_only_device, no_device
    )


def _retained_program(kit: Kit) -> QuerySubject:
    """Create a program, and retain it."""
    program = kit.program("add_index")
    kit.cl.clRetainProgram(program)
    return {"program": program}


def _program_of_one_kernel(name: str, kit: Kit) -> QuerySubject:
    """Build a program of one kernel; other programs have other numbers or names of kernels."""
    return {"program": kit.built_program(name)}


def _program_of_two_devices(kit: Kit) -> QuerySubject:
    """Build a program in a context of two devices, which may be sub-devices."""
    program = kit.for_context(kit.new_context(*get_two_devices(kit))).program("add_index")
    skip_unless(
        is_success(kit.cl.clBuildProgram(program, 0, None, Text(""), None, None)), "the driver does not build it"
    )
    return {"program": program}


def _program_with_variable(kit: Kit) -> QuerySubject:
    """Build a program with a program-scope variable, if the device supports such variables."""
    skip_unless((kit.cl.fact("CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE") or 0) > 0, "the device has no variables of programs")
    version = "3.0" if has_version(kit.cl, (3, 0)) else "2.0"
    program, done = kit.try_program(VARIABLE_SOURCE, options=f"-cl-std=CL{version}")
    skip_unless(done, "the driver does not build the variable")
    return {"program": program, "device": kit.cl.device}


def _program_from_other_module(function: str, kit: Kit) -> QuerySubject:
    return {"program": kit.program_from_il(CONSTANT_MODULES, (function,))}


def _retained_kernel(kit: Kit) -> QuerySubject:
    kernel = _kernel_with_options(kit, "add_index")
    kit.cl.clRetainKernel(kernel)
    return {"kernel": kernel}


def _kernel_with_local_memory(kit: Kit) -> QuerySubject:
    """Create a kernel with a local memory argument of a given size."""
    kernel = _kernel_with_options(kit, DESCRIBED)
    index = next(at for at, each in enumerate(KERNELS[DESCRIBED].arguments) if each.kind is ArgumentKind.LOCAL)
    kit.cl.clSetKernelArg(kernel, index, LOCAL_BYTES, None)
    return {"kernel": kernel, "device": kit.cl.device}


def _kernel_with_private_memory(kit: Kit) -> QuerySubject:
    program, done = kit.try_program(PRIVATE_MEMORY_SOURCE)
    skip_unless(done, "the driver does not build the kernel")
    return {
        "kernel": require_handle(kit.cl.clCreateKernel(program, Text("keep_much"), OutputBuffer(1))),
        "device": kit.cl.device,
    }


def _sub_groups_with_private_memory(kit: Kit) -> QuerySubject:
    return {**_sub_groups((16,), 0, kit), **_kernel_with_private_memory(kit)}


DISTINCT_PROGRAMS: dict[str, tuple[Callable[[Kit], QuerySubject], ...]] = {
    "clGetProgramInfo": (
        _retained_program,
        functools.partial(_program_of_one_kernel, "tally"),
        functools.partial(_program_of_one_kernel, "chase"),
        _program_of_two_devices,
        *(functools.partial(_program_from_other_module, function) for function in IL_FUNCTIONS),
    ),
    "clGetProgramBuildInfo": (_program_with_variable,),
    "clGetKernelInfo": (_retained_kernel,),
    "clGetKernelWorkGroupInfo": (_kernel_with_local_memory, _kernel_with_private_memory),
    "clGetKernelSubGroupInfo": (_sub_groups_with_private_memory, _kernel_with_required_sub_groups),
}
"""Maps query functions to functions that create objects which differ in one value from the usual kinds."""
