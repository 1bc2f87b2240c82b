"""Kernels at the limits of the device: the number of images, samplers and constants, and the size of arguments.

Each limit is reached as far as the other limits allow: a kernel with the largest number of images, for example, also
has a buffer for its results, and stays within the limits of the number and the size of all arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, HandleBytes, OutputBuffer, Text
from clconform.oracles.chapters.kernels.limit_effects import PIXEL_FORMAT
from clconform.oracles.model.argument_kernels import ECHO_MEMORY, WORD_BYTES
from clconform.oracles.model.limit_kernels import (
    CHANGED_IMAGES,
    LIMITED_ARGUMENTS,
    NUMBERS,
    PARAMETER_QUERY,
    LimitKernel,
    kernel_with_largest_arguments,
    kernel_with_most_arguments,
)
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.suites.cases import CaseRegistry
from clconform.suites.chapters.kernels.argument_cases import FIXED, LOCAL_BYTES, OTHER, SHARED, create_kernel
from clconform.suites.helpers import has_version, require_handle, skip_unless
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import SIZE, pattern_bytes
from clconform.suites.kit.programs import KERNEL_NOT_BUILT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Handle

NAME = "kernels.limits"
RUN, SET, BUILT = (f"{name}/success" for name in ("clEnqueueNDRangeKernel", "clSetKernelArg", "clBuildProgram"))
SHARED_OBJECTS = 3
"""The number of objects among which the arguments that a kernel only reads are distributed."""
PIXEL_BYTES = 16
LARGEST_MEMORY = 1 << 26
"""The number of bytes up to which memory of the largest size is created; a larger limit is not reached."""
cases = CaseRegistry(Kit)
test_kernels_reach_limits = TableTest(cases)


@cases.declare_family
def argument_numbers() -> Iterator[TableCase]:
    """Yield a kernel with the largest number of arguments of each type, and one with the largest arguments."""
    for kind in NUMBERS:
        words = f"{LIMITED_ARGUMENTS[kind].query}: {kind}"
        yield cases.create_case(RUN, words, use_most, kind, others=(BUILT, SET))
    yield cases.create_case(RUN, f"{PARAMETER_QUERY}: bytes of arguments", use_largest, others=(BUILT, SET))


def use_most(kit: Kit, kind: str) -> None:
    """Run a kernel with as many arguments of a type as all limits allow."""
    limited = LIMITED_ARGUMENTS[kind]
    most, whole = kit.cl.fact(limited.query) or 0, kit.cl.fact(PARAMETER_QUERY) or 0
    known = kernel_with_most_arguments(kind, most, whole)
    skip_unless(known.count > 0, f"{limited.query} is {most}")
    skip_unless(
        not limited.needs_images or kit.cl.fact("CL_DEVICE_IMAGE_SUPPORT"), "the device does not support images"
    )
    _run(kit, known)


def use_largest(kit: Kit) -> None:
    """Run a kernel whose arguments have CL_DEVICE_MAX_PARAMETER_SIZE bytes together, as far as their number allows."""
    whole = kit.cl.fact(PARAMETER_QUERY) or 0
    known = kernel_with_largest_arguments(whole)
    skip_unless(known.count > 0, f"{PARAMETER_QUERY} is {whole}")
    _run(kit, known)


def _run(kit: Kit, known: LimitKernel) -> None:
    """Build a kernel, set its arguments, run it, and read what it has written."""
    newest = "-cl-std=CL3.0" if has_version(kit.cl, (3, 0)) else "-cl-std=CL2.0"
    options = newest if known.family == CHANGED_IMAGES else ""
    program = kit.program_built_from(known.source, options=options, failure=KERNEL_NOT_BUILT)
    kernel = require_handle(kit.cl.clCreateKernel(program, Text(known.name), OutputBuffer(1)))
    results = kit.create_filled_buffer(WORD_BYTES * known.count, seed=9)
    values = list(_values(kit, known))
    if known.argument.extra is not None:
        values.insert(0, HandleBytes(_image(kit, 0)))
    kit.cl.clSetKernelArg(kernel, 0, kit.pointer_bytes, HandleBytes(results))
    for index, value in enumerate(values, start=1):
        size = len(value.content) if isinstance(value, Data) else kit.pointer_bytes
        kit.cl.clSetKernelArg(kernel, index, size, value)
    _enqueue(kit, kernel)
    kit.read(results, 0, WORD_BYTES * known.count)
    if not known.argument.word:
        for value in (values[0], values[len(values) // 2], values[-1]):
            _read_pixel(kit, value)


def _values(kit: Kit, known: LimitKernel) -> Iterator[HandleBytes | Data]:
    """Yield the values of the limited arguments; images that the kernel writes are distinct."""
    if known.family.startswith("vectors"):
        size = known.argument.parameter.bytes
        yield from (Data(pattern_bytes(size, seed)) for seed in range(known.count))
        return
    if not known.argument.word:
        yield from (HandleBytes(_image(kit, seed)) for seed in range(known.count))
        return
    if known.family == "samplers":
        made = [kit.sampler(0, mode) for mode in ("CL_ADDRESS_CLAMP_TO_EDGE", "CL_ADDRESS_CLAMP", "CL_ADDRESS_NONE")]
    elif known.family == "constants":
        made = [kit.create_filled_buffer(SIZE, seed=seed) for seed in range(SHARED_OBJECTS)]
    else:
        made = [_image(kit, seed) for seed in range(SHARED_OBJECTS)]
    yield from (HandleBytes(made[index % len(made)]) for index in range(known.count))


def _image(kit: Kit, seed: int) -> Handle:
    """Create an image of one pixel with test bytes."""
    flags = ("CL_MEM_READ_WRITE", "CL_MEM_COPY_HOST_PTR")
    content = Data(pattern_bytes(PIXEL_BYTES, seed))
    return kit.image(image_format=PIXEL_FORMAT, flags=flags, host=content, image_width=1, image_height=1)


def _read_pixel(kit: Kit, value: HandleBytes | Data) -> None:
    if isinstance(value, HandleBytes):
        kit.enqueue(
            "clEnqueueReadImage",
            image=value.handle,
            origin=ElementList((0, 0, 0)),
            region=ElementList((1, 1, 1)),
            row_pitch=0,
            slice_pitch=0,
            ptr=OutputBuffer(PIXEL_BYTES),
        )


def _enqueue(kit: Kit, kernel: Handle) -> None:
    one_item = {"work_dim": 1, "global_work_offset": None, "local_work_size": None}
    kit.enqueue("clEnqueueNDRangeKernel", kernel=kernel, global_work_size=ElementList((1,)), **one_item)


# the size of memory


@cases.declare_family
def memory_sizes() -> Iterator[TableCase]:
    """Yield a kernel with a constant buffer of the largest size, and one with all local memory."""
    words = "CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE: bytes of a constant buffer"
    yield cases.create_case(RUN, words, use_constant_buffer, others=(SET,))
    yield cases.create_case(RUN, "CL_DEVICE_LOCAL_MEM_SIZE: bytes of local memory", use_local_memory, others=(SET,))


def use_constant_buffer(kit: Kit) -> None:
    """Run a kernel with a buffer of CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE bytes in constant memory."""
    size = min(
        kit.cl.fact(query) or 0 for query in ("CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE", "CL_DEVICE_MAX_MEM_ALLOC_SIZE")
    )
    skip_unless(WORD_BYTES <= size <= LARGEST_MEMORY, f"the largest constant buffer has {size} bytes")
    buffer = kit.buffer(size=size)
    kit.write(buffer, 0, pattern_bytes(SIZE, 3))
    _run_echo(kit, create_kernel(kit, ECHO_MEMORY), buffer, LOCAL_BYTES)


def use_local_memory(kit: Kit) -> None:
    """Run a kernel with all local memory that the kernel itself does not use."""
    kernel, query = create_kernel(kit, ECHO_MEMORY), kit.constant("CL_KERNEL_LOCAL_MEM_SIZE")
    told = OutputBuffer(8)
    kit.cl.clGetKernelWorkGroupInfo(kernel, kit.cl.device, query, 8, told, None)
    own = kit.cl.model.object_of(kernel).facts.get(f"CL_KERNEL_LOCAL_MEM_SIZE@{kit.cl.device.name}", 0)
    size = (kit.cl.fact("CL_DEVICE_LOCAL_MEM_SIZE") or 0) - (own if isinstance(own, int) else 0)
    skip_unless(WORD_BYTES <= size <= LARGEST_MEMORY, f"the device has {size} bytes of local memory")
    _run_echo(kit, kernel, kit.create_filled_buffer(SIZE, seed=4), size)


def _run_echo(kit: Kit, kernel: Handle, fixed: Handle, local_bytes: int) -> None:
    """Run the kernel that writes its memory arguments."""
    data = kit.create_filled_buffer(SIZE, seed=5)
    kit.cl.clSetKernelArg(kernel, 0, kit.pointer_bytes, HandleBytes(data))
    kit.cl.clSetKernelArg(kernel, OTHER.index, kit.pointer_bytes, HandleBytes(kit.create_filled_buffer(SIZE, seed=6)))
    kit.cl.clSetKernelArg(kernel, FIXED.index, kit.pointer_bytes, HandleBytes(fixed))
    kit.cl.clSetKernelArg(kernel, SHARED.index, local_bytes, None)
    kit.cl.clSetKernelArg(kernel, SHARED.index + 1, WORD_BYTES, Data(pattern_bytes(WORD_BYTES, 7)))
    _enqueue(kit, kernel)
    kit.read(data, 0, SIZE)
