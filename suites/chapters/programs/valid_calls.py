"""One valid call of each function that creates, builds or releases programs (section 5.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, HostCallback, OutputBuffer, Text, Texts
from clconform.oracles.model.spirv import CONSTANT_MODULES, EMPTY_MODULES, NUMBER
from clconform.suites.kit.programs import kernel_sources
from clconform.suites.kit.valid_calls import ValidCalls

if TYPE_CHECKING:
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

UNKNOWN_KERNEL = "no kernel has this name"
valid_calls = ValidCalls()


@valid_calls.declare("clCreateProgramWithSource")
def program(kit: Kit) -> Arguments:
    """Create a program from one kernel's source."""
    return {"context": kit.context, "count": 1, "strings": Texts(kernel_sources("add_index")), "lengths": None}


@valid_calls.declare("clCreateProgramWithIL", "clCreateProgramWithILKHR")
def program_from_language(kit: Kit) -> Arguments:
    """Create a program from a small IL module; a device without IL support must reject it."""
    told = kit.cl.fact("CL_DEVICE_IL_VERSION") or kit.cl.fact("CL_DEVICE_IL_VERSION_KHR")
    module = kit.spirv_module() if told else EMPTY_MODULES["SPIR-V_1.0", 64]
    return {"context": kit.context, "il": Data(module), "length": len(module)}


@valid_calls.declare("clCreateProgramWithBinary")
def program_from_binary(kit: Kit) -> Arguments:
    """Create a program from another program's binary; skip where the driver does not return a binary."""
    content = kit.get_cached("binary", lambda: kit.get_binary(kit.built_program("add_index")))
    devices: Arguments = {"num_devices": 1, "device_list": ElementList((kit.cl.device,))}
    binary: Arguments = {"lengths": ElementList((len(content),)), "binaries": Data(content)}
    return {"context": kit.context, **devices, **binary, "binary_status": OutputBuffer(1)}


@valid_calls.declare("clCreateProgramWithBuiltInKernels")
def program_of_built_in_kernel(kit: Kit) -> Arguments:
    """Create a program from the device's first built-in kernel.

    On a device without built-in kernels, the call passes a name that must be rejected.
    """
    names = [*kit.built_in_kernel_names(), UNKNOWN_KERNEL]
    devices: Arguments = {"num_devices": 1, "device_list": ElementList((kit.cl.device,))}
    return {"context": kit.context, **devices, "kernel_names": Text(names[0])}


@valid_calls.declare("clRetainProgram", "clReleaseProgram")
def retain_or_release(kit: Kit) -> Arguments:
    """Retain or release a program that has one reference."""
    return {"program": kit.program("add_index")}


@valid_calls.declare("clSetProgramReleaseCallback")
def set_release_callback(kit: Kit) -> Arguments:
    """Register a callback for the release of a program."""
    return {"program": kit.program("add_index"), "pfn_notify": HostCallback("told")}


@valid_calls.declare("clSetProgramSpecializationConstant")
def set_constant(kit: Kit) -> Arguments:
    """Set a constant of a small IL module; skip where the device does not support IL."""
    given: Arguments = {"spec_id": NUMBER.spec_id, "spec_size": NUMBER.bytes, "spec_value": Data(b"\1" * NUMBER.bytes)}
    return {"program": kit.program_from_il(CONSTANT_MODULES), **given}


@valid_calls.declare("clBuildProgram")
def build(kit: Kit) -> Arguments:
    """Build a program of one kernel."""
    return {"program": kit.program("add_index"), **_list_device(kit), "options": Text("")}


@valid_calls.declare("clCompileProgram")
def compile_without_headers(kit: Kit) -> Arguments:
    """Compile a program of one kernel, without headers."""
    headers: Arguments = {"num_input_headers": 0, "input_headers": None, "header_include_names": None}
    return {"program": kit.program("add_index"), **_list_device(kit), "options": Text(""), **headers}


@valid_calls.declare("clLinkProgram")
def link(kit: Kit) -> Arguments:
    """Link a compiled program of one kernel; without a linker, link a program that is not compiled."""
    linked = kit.cl.fact("CL_DEVICE_LINKER_AVAILABLE") != 0
    program = kit.get_cached(
        "compiled", lambda: kit.compiled_program("add_index") if linked else kit.program("add_index")
    )
    inputs: Arguments = {"num_input_programs": 1, "input_programs": ElementList((program,))}
    return {"context": kit.context, **_list_device(kit), "options": Text(""), **inputs}


def _list_device(kit: Kit) -> Arguments:
    return {"num_devices": 1, "device_list": ElementList((kit.cl.device,))}


@valid_calls.declare("clUnloadPlatformCompiler")
def unload_platform_compiler(kit: Kit) -> Arguments:
    """Unload the platform's compiler."""
    return {"platform": kit.cl.platform}


@valid_calls.declare("clUnloadCompiler")
def unload_compiler(_kit: Kit) -> Arguments:
    """Unload the compiler."""
    return {}
