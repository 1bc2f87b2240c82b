"""Programs and kernels to ask: from source, binary and modules, before a build, after one, after a failed one."""

from __future__ import annotations

import functools
import struct
from typing import TYPE_CHECKING

from clconform.calls.call import Returned
from clconform.calls.values import Data, Handle, Items, Room, Text, Texts
from clconform.oracles.model.known_kernels import KERNELS
from clconform.oracles.model.spirv import MODULES
from clconform.suites.queries.asking import Asker, told_size
from clconform.suites.queries.contexts import About, a_context
from clconform.suites.queries.kinds import Kinds
from clconform.suites.steps import needs, one, promised, value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.runner.session.session import Session
    from clconform.suites.queries.kinds import Maker

SOURCES = tuple(kernel.source for kernel in KERNELS.values())
WORD = struct.Struct("@N")
FROM_LANGUAGE = ("clCreateProgramWithIL", "clCreateProgramWithILKHR")
LARGEST_BINARY = 1 << 18
"""Bytes of a binary that are still worth keeping in a sequence of calls."""
MORE = 256
"""Bytes of room behind a binary: the same build may give a longer one when the sequence is made again."""
DESCRIBED = "add_scaled"
"""The kernel whose arguments are of every sort."""
kinds = Kinds()


def a_program(cl: Session, *sources: str) -> Handle:
    """Make a program from source."""
    return one(cl.clCreateProgramWithSource(a_context(cl), len(sources), Texts(sources), None, Room(1)))


def build(cl: Session, program: Handle, options: str = "") -> bool:
    """Build a program for the device under test, and tell whether that worked."""
    outcome = cl.clBuildProgram(program, 1, Items((cl.device,)), Text(options), None, None)
    return isinstance(outcome, Returned) and outcome.value == 0


def unbuilt(cl: Session) -> Handle:
    """Make a program and do not build it."""
    return a_program(cl, *SOURCES)


def built(cl: Session, options: str = "") -> Handle:
    """Make a program and build it; the item is skipped where the driver does not."""
    program = a_program(cl, *SOURCES)
    done = build(cl, program, options)
    needs(done, f"the driver does not build the kernels{'' if done else first_complaint(cl, program)}")
    return program


def first_complaint(cl: Session, program: Handle) -> str:
    """Return the first line of a program's build log, to be put behind what did not work; empty without one."""
    asker, name = Asker(cl, "clGetProgramBuildInfo", {"program": program, "device": cl.device}), "CL_PROGRAM_BUILD_LOG"
    size = told_size(asker.ask("size first", value(cl, name), 0, None))
    outcome = asker.ask("exact room", value(cl, name), size, Room(size)) if size else None
    log = outcome.outputs["param_value"].values if isinstance(outcome, Returned) and outcome.value == 0 else []
    lines = [line for line in "".join(map(str, log)).strip("\0").splitlines() if line.strip()]
    return f": {lines[0].strip()}" if lines else ""


def misbuilt(cl: Session) -> Handle:
    """Make a program that is no OpenCL C, and try to build it."""
    program = a_program(cl, "this is no program\n")
    needs(not build(cl, program), "the driver builds what is no program")
    return program


def from_binary(cl: Session) -> Handle:
    """Make a program of the binary that a build gave; the item is skipped where the driver gives none."""
    program = built(cl)
    sizes = cl.query("clGetProgramInfo", program, "CL_PROGRAM_BINARY_SIZES") or []
    needs(sizes and all(0 < size <= LARGEST_BINARY for size in sizes), "the driver gives no binary, or a large one")
    asker = Asker(cl, "clGetProgramInfo", {"program": program})
    outcome = asker.pointers(value(cl, "CL_PROGRAM_BINARIES"), [size + MORE for size in sizes])
    answer = outcome.outputs.get("param_value") if isinstance(outcome, Returned) and outcome.value == 0 else None
    digits = answer.values if answer else []
    needs(digits and isinstance(digits[0], str), "the driver gives no binary")
    content = bytes.fromhex(str(digits[0]))[: sizes[0]]
    lengths, binary = Items((len(content),)), Data(content)
    context = Handle(cl.query("clGetProgramInfo", program, "CL_PROGRAM_CONTEXT"))
    devices = Items((cl.device,))
    return one(cl.clCreateProgramWithBinary(context, 1, devices, lengths, binary, Room(1), Room(1)))


def rebuilt(cl: Session) -> Handle:
    """Make a program of a binary, and build it."""
    program = from_binary(cl)
    needs(build(cl, program), "the driver does not build its own binary")
    return program


def from_language(cl: Session) -> Handle:
    """Make a program of a small module in the first version of SPIR-V that the device takes."""
    function = next((each for each in FROM_LANGUAGE if promised(cl, each)), "")
    needs(function, "the platform takes no intermediate language")
    context = a_context(cl)
    told = cl.fact("CL_DEVICE_IL_VERSION") or cl.fact("CL_DEVICE_IL_VERSION_KHR") or ""
    width = cl.fact("CL_DEVICE_ADDRESS_BITS")
    names = [name for name in sorted(told.split()) if (name, width) in MODULES]
    needs(names, "the device takes no SPIR-V")
    content = MODULES[names[0], width]
    return one(getattr(cl, function)(context, Data(content), len(content), Room(1)))


def built_from_language(cl: Session) -> Handle:
    """Make a program of a small module of SPIR-V, and build it."""
    program = from_language(cl)
    needs(build(cl, program), "the driver does not build the module")
    return program


def of_built_in_kernels(count: int, cl: Session) -> Handle:
    """Make a program of as many of the kernels that the device has built in."""
    needs(promised(cl, "clCreateProgramWithBuiltInKernels"), "programs of built-in kernels come with 1.2")
    names = [name for name in (cl.fact("CL_DEVICE_BUILT_IN_KERNELS") or "").split(";") if name]
    needs(len(names) >= count, f"the device has {len(names)} built-in kernels")
    text = Text(";".join(names[:count]))
    return one(cl.clCreateProgramWithBuiltInKernels(a_context(cl), 1, Items((cl.device,)), text, Room(1)))


def of_all_devices(cl: Session) -> Handle:
    """Make a program for all devices of the platform, and build it for all of them."""
    devices = cl.devices
    needs(len(devices) > 1, "the platform has one device only")
    context = one(cl.clCreateContext(None, len(devices), Items(tuple(devices)), None, None, Room(1)))
    program = one(cl.clCreateProgramWithSource(context, len(SOURCES), Texts(SOURCES), None, Room(1)))
    outcome = cl.clBuildProgram(program, 0, None, Text(""), None, None)
    needs(isinstance(outcome, Returned) and outcome.value == 0, "the driver does not build the kernels for all devices")
    return program


PROGRAMS: dict[str, Callable[[Session], Handle]] = {
    "a program from source": unbuilt,
    "a built program": built,
    "a program built with options": functools.partial(built, options="-cl-kernel-arg-info -DUNUSED=1"),
    "a program built for several devices": of_all_devices,
    "a program that does not build": misbuilt,
    "a program from a binary": from_binary,
    "a built program from a binary": rebuilt,
    "a program from intermediate language": from_language,
    "a built program from intermediate language": built_from_language,
    "a program of a built-in kernel": functools.partial(of_built_in_kernels, 1),
    "a program of two built-in kernels": functools.partial(of_built_in_kernels, 2),
}


def _of_program(make: Callable[[Session], Handle], cl: Session) -> About:
    return {"program": make(cl)}


def _of_build(make: Callable[[Session], Handle], cl: Session) -> About:
    return {"program": make(cl), "device": cl.device}


@kinds.family("clGetProgramInfo")
def programs() -> Iterator[tuple[str, Maker]]:
    for words, make in PROGRAMS.items():
        yield words, functools.partial(_of_program, make)


@kinds.family("clGetProgramBuildInfo")
def builds() -> Iterator[tuple[str, Maker]]:
    for words, make in PROGRAMS.items():
        yield words, functools.partial(_of_build, make)


def a_kernel(cl: Session, name: str, options: str = "-cl-kernel-arg-info") -> Handle:
    """Make a kernel of a program built for the device under test."""
    return one(cl.clCreateKernel(built(cl, options), Text(name), Room(1)))


def _kernel(name: str, cl: Session) -> About:
    return {"kernel": a_kernel(cl, name)}


def _kernel_on(name: str, named: bool, cl: Session) -> About:  # noqa: FBT001 (bound by partial)
    return {"kernel": a_kernel(cl, name), "device": cl.device if named else None}


def _argument(index: int, options: str, cl: Session) -> About:
    return {"kernel": a_kernel(cl, DESCRIBED, options), "arg_index": index}


def _sub_groups(words: tuple[int, ...] | None, cl: Session) -> About:
    content = None if words is None else Data(b"".join(WORD.pack(word) for word in words))
    size = 0 if words is None else WORD.size * len(words)
    kernel = a_kernel(cl, "add_index")
    return {"kernel": kernel, "device": cl.device, "input_value_size": size, "input_value": content}


@kinds.family("clGetKernelInfo")
def kernels() -> Iterator[tuple[str, Maker]]:
    for name in KERNELS:
        yield f"the kernel {name}", functools.partial(_kernel, name)


@kinds.family("clGetKernelWorkGroupInfo")
def kernels_on_devices() -> Iterator[tuple[str, Maker]]:
    for name in KERNELS:
        yield f"the kernel {name}", functools.partial(_kernel_on, name, True)
    yield "a kernel without naming its device", functools.partial(_kernel_on, DESCRIBED, False)


@kinds.family("clGetKernelArgInfo")
def arguments() -> Iterator[tuple[str, Maker]]:
    for index, each in enumerate(KERNELS[DESCRIBED].arguments):
        yield f"the argument {each.name}", functools.partial(_argument, index, "-cl-kernel-arg-info")
    yield "an argument that was not kept", functools.partial(_argument, 0, "")
    yield "an argument too many", functools.partial(_argument, 5, "-cl-kernel-arg-info")


@kinds.family("clGetKernelSubGroupInfo")
def sub_groups() -> Iterator[tuple[str, Maker]]:
    yield "a local size in one dimension", functools.partial(_sub_groups, (16,))
    yield "a local size in three dimensions", functools.partial(_sub_groups, (4, 2, 2))
    yield "a number of sub-groups", functools.partial(_sub_groups, (1,))
    yield "no input", functools.partial(_sub_groups, None)
