"""Kernels with an argument of each type, and valid values for these arguments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, Handle, HandleBytes, OutputBuffer, Text
from clconform.oracles.model.argument_kernels import ECHO_MEMORY, ECHO_VALUES, TAKE_QUEUE
from clconform.oracles.model.image_kernels import ImageOperation, kernel_name
from clconform.oracles.model.kernel_registry import PARAMETERS, SOURCES
from clconform.oracles.model.parameters import ArgumentKind
from clconform.oracles.model.pipe_kernels import PACKET_BYTES, PACKETS
from clconform.suites.chapters.partition.entries import CORE_ENTRY
from clconform.suites.helpers import has_version, require_handle, skip_unless
from clconform.suites.kit.formats import list_formats
from clconform.suites.kit.images import NO_IMAGES
from clconform.suites.kit.programs import KERNEL_NOT_BUILT

if TYPE_CHECKING:
    from clconform.calls.values import Value
    from clconform.oracles.model.parameters import KernelParameter
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

TWO_D, THREE_D, LAYERED = (f"CL_MEM_OBJECT_IMAGE{name}" for name in ("2D", "3D", "2D_ARRAY"))
READING_KERNEL, SAMPLING_KERNEL, WRITING_KERNEL, CHANGING_KERNEL = (
    kernel_name(work, TWO_D, "uint")
    for work in (ImageOperation.READ, ImageOperation.SAMPLE, ImageOperation.WRITE, ImageOperation.CHANGE)
)
READING_3D_KERNEL = kernel_name(ImageOperation.READ, THREE_D, "uint")
READING_LAYERS_KERNEL = kernel_name(ImageOperation.READ, LAYERED, "uint")
READING_DEPTH_KERNEL = kernel_name(ImageOperation.READ, TWO_D, "", depth=True)
PIPE_KERNEL = "pour"
DEPTH_FORMAT = ("CL_DEPTH", "CL_FLOAT")
LOCAL_BYTES = 64
TWO_PARTS = 2


@dataclass(frozen=True)
class ArgumentReference:
    """A reference to a kernel's argument: the name of the kernel and the name of the argument."""

    kernel: str
    name: str

    @property
    def index(self) -> int:
        """Return the index of the argument."""
        return next(index for index, each in enumerate(PARAMETERS[self.kernel]) if each.name == self.name)

    @property
    def declaration(self) -> KernelParameter:
        """Return the declaration of the argument."""
        return PARAMETERS[self.kernel][self.index]

    def __str__(self) -> str:
        """Return the type of the argument, with its address space or access qualifier if it has one."""
        declared = self.declaration
        kind = declared.address_qualifier if declared.kind is ArgumentKind.BUFFER else declared.access_qualifier
        told = kind.rpartition("_ARG_")[2].partition("_")[2].lower()
        if declared.kind in (ArgumentKind.BUFFER, ArgumentKind.IMAGE):
            return f"{told} {declared.type_name}"
        return {ArgumentKind.LOCAL: "local uint*", ArgumentKind.PIPE: "pipe uint"}.get(
            declared.kind, declared.type_name
        )


VALUES = tuple(ArgumentReference(ECHO_VALUES, each.name) for each in PARAMETERS[ECHO_VALUES][1:])
OTHER, FIXED, SHARED = (ArgumentReference(ECHO_MEMORY, name) for name in ("other", "fixed", "shared"))
READ_IMAGE, WRITTEN_IMAGE, CHANGED_IMAGE = (
    ArgumentReference(kernel, "image") for kernel in (READING_KERNEL, WRITING_KERNEL, CHANGING_KERNEL)
)
IMAGE_3D, LAYERED_IMAGE, DEPTH_IMAGE = (
    ArgumentReference(kernel, "image") for kernel in (READING_3D_KERNEL, READING_LAYERS_KERNEL, READING_DEPTH_KERNEL)
)
SAMPLER, QUEUE, PIPE = (
    ArgumentReference(SAMPLING_KERNEL, "sampler"),
    ArgumentReference(TAKE_QUEUE.name, "queue"),
    ArgumentReference(PIPE_KERNEL, "to"),
)
OBJECTS = (OTHER, FIXED, READ_IMAGE, SAMPLER, QUEUE, PIPE)
"""One argument for each type of object."""


def get_kernel(kit: Kit, name: str) -> Handle:
    """Return a kernel by name, created once; skip where the device or its compiler does not support it."""
    return kit.get_cached(("kernel with arguments", name), lambda: create_kernel(kit, name))


def create_kernel(kit: Kit, name: str) -> Handle:
    """Create a kernel of a program that is built once."""
    source = kit.get_cached(("program of", name), lambda: _build(kit, name))
    return require_handle(kit.cl.clCreateKernel(source, Text(name), OutputBuffer(1)))


def create_kernel_with_options(kit: Kit, name: str, options: str) -> Handle:
    """Create a kernel of a program that is built with these options."""
    return require_handle(kit.cl.clCreateKernel(_build(kit, name, options), Text(name), OutputBuffer(1)))


def _build(kit: Kit, name: str, extra_options: str = "") -> Handle:
    sorts = {each.kind for each in PARAMETERS[name]}
    skip_unless(ArgumentKind.IMAGE not in sorts or kit.cl.fact("CL_DEVICE_IMAGE_SUPPORT"), NO_IMAGES)
    later = sorts & {ArgumentKind.PIPE, ArgumentKind.QUEUE} or name == CHANGING_KERNEL
    skip_unless(not later or has_version(kit.cl, (2, 0)), "requires OpenCL C 2.0")
    if ArgumentKind.QUEUE in sorts:
        _needs_feature_of_3_0(kit, "CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES", "the device runs no commands of its own")
    if ArgumentKind.PIPE in sorts:
        _needs_feature_of_3_0(kit, "CL_DEVICE_PIPE_SUPPORT", "the device does not support pipes")
    options = ("-cl-std=CL3.0" if has_version(kit.cl, (3, 0)) else "-cl-std=CL2.0") if later else ""
    every_option = f"{options} {extra_options}".strip()
    return kit.program_built_from(SOURCES[name], options=every_option, failure=KERNEL_NOT_BUILT)


def _needs_feature_of_3_0(kit: Kit, query: str, reason: str) -> None:
    skip_unless(not has_version(kit.cl, (3, 0)) or kit.cl.fact(query), reason)


def setter_arguments(kit: Kit, argument: ArgumentReference, value: Value, size: int | None = None) -> Arguments:
    """Return the arguments of a call that sets an argument.

    ``size``: arg_size, by default the declared size of the argument.
    """
    right = argument.declaration.argument_size(kit.pointer_bytes) or LOCAL_BYTES
    return {
        "kernel": get_kernel(kit, argument.kernel),
        "arg_index": argument.index,
        "arg_size": right if size is None else size,
        "arg_value": value,
    }


def get_valid_value(kit: Kit, argument: ArgumentReference) -> Value:
    """Return a valid value for an argument; skip where its kernel is not supported."""
    get_kernel(kit, argument.kernel)
    declared = argument.declaration
    if declared.kind is ArgumentKind.LOCAL:
        return None
    if declared.kind is ArgumentKind.VALUE:
        return Data(bytes(range(1, declared.bytes + 1)))
    return HandleBytes(kit.get_cached(("argument", argument), lambda: _create_object(kit, argument)))


def _create_object(kit: Kit, argument: ArgumentReference) -> Handle:
    """Create an object for an argument."""
    sort = argument.declaration.kind
    if sort is ArgumentKind.IMAGE:
        return create_image_for(kit, argument)
    if sort is ArgumentKind.PIPE:
        return kit.pipe(PACKET_BYTES, PACKETS)
    if sort is ArgumentKind.SAMPLER:
        return kit.sampler()
    return kit.device_queue() if sort is ArgumentKind.QUEUE else kit.first_buffer


def create_image_for(kit: Kit, argument: ArgumentReference, *flags: str) -> Handle:
    """Create an image of the type that an argument declares."""
    image_type = {READING_3D_KERNEL: THREE_D, READING_LAYERS_KERNEL: LAYERED}.get(argument.kernel, TWO_D)
    if argument.kernel == READING_DEPTH_KERNEL:
        return create_depth_image(kit)
    return kit.image(image_type, flags=flags or ("CL_MEM_READ_WRITE",))


def create_depth_image(kit: Kit) -> Handle:
    """Create a depth image; skip where the device does not support kernels on depth images."""
    get_kernel(kit, READING_DEPTH_KERNEL)
    told = list_formats(kit, kit.context, kit.constant("CL_MEM_READ_ONLY"), kit.constant(TWO_D))
    skip_unless(tuple(map(kit.constant, DEPTH_FORMAT)) in told, "the device does not support depth images")
    return kit.image(TWO_D, DEPTH_FORMAT, flags=("CL_MEM_READ_ONLY",))


def get_two_devices(kit: Kit) -> tuple[Handle, Handle]:
    """Return two devices to build programs for.

    They are the device under test and another device, or two sub-devices of the device under test.
    """
    others = [device for device in kit.other_devices if kit.cl.fact("CL_DEVICE_AVAILABLE", device)]
    if others:
        return kit.cl.device, others[0]
    half = max(1, (kit.cl.fact("CL_DEVICE_MAX_COMPUTE_UNITS") or 1) // TWO_PARTS)
    parts = CORE_ENTRY.split(kit.cl, kit.cl.device, CORE_ENTRY.equally(kit.cl, half))
    skip_unless(len(parts) >= TWO_PARTS, "the platform has one device, which cannot be divided")
    return parts[0], parts[1]


def build_for_device(kit: Kit, program: Handle, device: Handle, options: str = "") -> None:
    """Build a program for one device; skip where the build fails."""
    outcome = kit.cl.clBuildProgram(program, 1, ElementList((device,)), Text(options), None, None)
    skip_unless(getattr(outcome, "value", None) == 0, "the driver does not build the kernel")
