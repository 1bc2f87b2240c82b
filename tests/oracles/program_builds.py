"""Models with programs, and the errors that must and may result from building, compiling and linking them."""

from __future__ import annotations

from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.program_sources import PARTS, split_parts
from clconform.oracles.model.programs import (
    BuildState,
    Program,
    ProgramBuild,
    SourceProgram,
)

from .oracle_setup import DevicePlan, OracleSetup, get_call_verdict

CONTEXT, PROGRAM, OTHER_PROGRAM = Handle("context1"), Handle("program1"), Handle("program2")
BUILD, COMPILE, LINK = "clBuildProgram", "clCompileProgram", "clLinkProgram"
ERRCODE_OUTPUT = OutputBuffer(1)
SIMPLE_SOURCE = PARTS["add_index"]
DEVICE_FACTS = {
    "CL_DEVICE_COMPILER_AVAILABLE": 1,
    "CL_DEVICE_LINKER_AVAILABLE": 1,
    "CL_DEVICE_SINGLE_FP_CONFIG": 0x3F,
    "CL_DEVICE_OPENCL_C_VERSION": "OpenCL C 1.2 test",
    "CL_DEVICE_OPENCL_C_ALL_VERSIONS": (1 << 22 | 2 << 12, "OpenCL C", 3 << 22, "OpenCL C"),
    "CL_DEVICE_TYPE": 2,
    "CL_DEVICE_IL_VERSION": "SPIR-V_1.0",
    "CL_DEVICE_ADDRESS_BITS": 64,
}


def set_up_programs(*programs: Program, devices: int = 1, version: str = "3.0", **facts: int | str) -> OracleSetup:
    """Return a model with these programs, named by their position, in a context of all devices."""
    world = OracleSetup(*[DevicePlan()] * devices, version=version)
    for device in world.roots:
        device.facts |= DEVICE_FACTS | facts
    context = Context(CONTEXT.name, devices=list(world.roots))
    world.model.add(context)
    for number, program in enumerate(programs, 1):
        program.name, program.context, program.devices = f"program{number}", context, list(world.roots)
        for device in world.roots:
            program.builds.setdefault(device.name, ProgramBuild())
        world.model.add(program)
    return world


def create_source_program(*parts: str, state: BuildState = BuildState.NONE) -> SourceProgram:
    """Return a program whose source consists of known parts."""
    source = "".join(PARTS[part] for part in parts)
    return SourceProgram("", source=source, parts=split_parts(source), builds={"device1": ProgramBuild(state)})


def expect_build(world: OracleSetup, **changes: object) -> tuple[str, str]:
    """Return the error conditions that must and may hold for a valid build with these changes."""
    return _expect_call(world, BUILD, {"program": PROGRAM}, changes)


def expect_compile(world: OracleSetup, **changes: object) -> tuple[str, str]:
    """Return the error conditions that must and may hold for a valid compilation with these changes."""
    headers = {"num_input_headers": 0, "input_headers": None, "header_include_names": None}
    return _expect_call(world, COMPILE, {"program": PROGRAM, **headers}, changes)


def expect_link(world: OracleSetup, **changes: object) -> tuple[str, str]:
    """Return the error conditions that must and may hold for a valid link of the first program with these changes."""
    inputs = {"num_input_programs": 1, "input_programs": ElementList((PROGRAM,))}
    return _expect_call(world, LINK, {"context": CONTEXT, **inputs, "errcode_ret": ERRCODE_OUTPUT}, changes)


def _expect_call(
    world: OracleSetup, function: str, own: dict[str, object], changes: dict[str, object]
) -> tuple[str, str]:
    usual = {"num_devices": 1, "device_list": ElementList((world.device,)), "options": None}
    given = {**usual, "pfn_notify": None, "user_data": None, **own, **changes}
    names = [each.name for each in world.model.tables.functions[function].parameters]
    return get_call_verdict(world, world.call(function, *(given[name] for name in names)))
