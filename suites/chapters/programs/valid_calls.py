"""One valid call of each function that creates, builds and releases programs (section 5.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Callback, Data, Items, OutputBuffer, Text, Texts
from clconform.oracles.model.spirv import MODULES, NUMBER, WITH_CONSTANTS
from clconform.suites.kit.programs import sources_of
from clconform.suites.kit.valid_calls import ValidCalls

if TYPE_CHECKING:
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

NO_SUCH_KERNEL = "no kernel has this name"
valid_calls = ValidCalls()


@valid_calls.declare("clCreateProgramWithSource")
def program(kit: Kit) -> Arguments:
    """Create a program from one kernel's source."""
    return {"context": kit.context, "count": 1, "strings": Texts(sources_of("add_index")), "lengths": None}


@valid_calls.declare("clCreateProgramWithIL", "clCreateProgramWithILKHR")
def program_from_language(kit: Kit) -> Arguments:
    """Create a program from a small IL module; a device without IL support must reject it."""
    told = kit.cl.fact("CL_DEVICE_IL_VERSION") or kit.cl.fact("CL_DEVICE_IL_VERSION_KHR")
    module = kit.module() if told else MODULES["SPIR-V_1.0", 64]
    return {"context": kit.context, "il": Data(module), "length": len(module)}


@valid_calls.declare("clCreateProgramWithBinary")
def program_from_binary(kit: Kit) -> Arguments:
    """Create a program from the binary of another one; skip where the driver does not return a binary."""
    content = kit.once("binary", lambda: kit.binary_of(kit.built("add_index")))
    devices: Arguments = {"num_devices": 1, "device_list": Items((kit.cl.device,))}
    binary: Arguments = {"lengths": Items((len(content),)), "binaries": Data(content)}
    return {"context": kit.context, **devices, **binary, "binary_status": OutputBuffer(1)}


@valid_calls.declare("clCreateProgramWithBuiltInKernels")
def program_of_a_built_in_kernel(kit: Kit) -> Arguments:
    """Create a program of the device's first built-in kernel; without one, pass a name that must be rejected."""
    names = [*kit.built_in_kernels(), NO_SUCH_KERNEL]
    devices: Arguments = {"num_devices": 1, "device_list": Items((kit.cl.device,))}
    return {"context": kit.context, **devices, "kernel_names": Text(names[0])}


@valid_calls.declare("clRetainProgram", "clReleaseProgram")
def program_with_one_reference(kit: Kit) -> Arguments:
    """Retain or release a program that has one reference."""
    return {"program": kit.program("add_index")}


@valid_calls.declare("clSetProgramReleaseCallback")
def told_of_the_release(kit: Kit) -> Arguments:
    """Register a callback for the release of a program."""
    return {"program": kit.program("add_index"), "pfn_notify": Callback("told")}


@valid_calls.declare("clSetProgramSpecializationConstant")
def constant_of_a_module(kit: Kit) -> Arguments:
    """Set a constant of a small IL module; skip where the device does not support IL."""
    given: Arguments = {"spec_id": NUMBER.spec_id, "spec_size": NUMBER.bytes, "spec_value": Data(b"\1" * NUMBER.bytes)}
    return {"program": kit.program_from_language(WITH_CONSTANTS), **given}


@valid_calls.declare("clBuildProgram")
def build(kit: Kit) -> Arguments:
    """Build a program of one kernel."""
    return {"program": kit.program("add_index"), **_for_the_device(kit), "options": Text("")}


@valid_calls.declare("clCompileProgram")
def compile_alone(kit: Kit) -> Arguments:
    """Compile a program of one kernel, without headers."""
    headers: Arguments = {"num_input_headers": 0, "input_headers": None, "header_include_names": None}
    return {"program": kit.program("add_index"), **_for_the_device(kit), "options": Text(""), **headers}


@valid_calls.declare("clLinkProgram")
def link(kit: Kit) -> Arguments:
    """Link a compiled program of one kernel; without a linker, link a program that is not compiled."""
    linked = kit.cl.fact("CL_DEVICE_LINKER_AVAILABLE") != 0
    program = kit.once("compiled", lambda: kit.compiled("add_index") if linked else kit.program("add_index"))
    inputs: Arguments = {"num_input_programs": 1, "input_programs": Items((program,))}
    return {"context": kit.context, **_for_the_device(kit), "options": Text(""), **inputs}


def _for_the_device(kit: Kit) -> Arguments:
    return {"num_devices": 1, "device_list": Items((kit.cl.device,))}


@valid_calls.declare("clUnloadPlatformCompiler")
def unload(kit: Kit) -> Arguments:
    """Unload the platform's compiler."""
    return {"platform": kit.cl.platform}


@valid_calls.declare("clUnloadCompiler")
def unload_any(_kit: Kit) -> Arguments:
    """Unload the compiler."""
    return {}
