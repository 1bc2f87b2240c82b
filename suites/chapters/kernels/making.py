"""Kernels with an argument of each sort, and valid values for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, HandleBytes, Items, OutputBuffer, Text
from clconform.oracles.model.argument_kernels import TAKE_QUEUE, TELL_MEMORY, TELL_VALUES
from clconform.oracles.model.image_kernels import Work, name_of
from clconform.oracles.model.own_kernels import PARAMETERS, SOURCES
from clconform.oracles.model.parameters import Sort
from clconform.oracles.model.pipe_kernels import PACKET_BYTES, PACKETS
from clconform.suites.chapters.partition.entries import CORE_ENTRY
from clconform.suites.kit.formats import listed
from clconform.suites.kit.images import NO_IMAGES
from clconform.suites.steps import at_least, needs, one

if TYPE_CHECKING:
    from clconform.calls.values import Value
    from clconform.oracles.model.parameters import Parameter
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

TWO_D, THREE_D, LAYERED = (f"CL_MEM_OBJECT_IMAGE{name}" for name in ("2D", "3D", "2D_ARRAY"))
READS, SAMPLES, WRITES, CHANGES = (
    name_of(work, TWO_D, "uint") for work in (Work.READ, Work.SAMPLE, Work.WRITE, Work.CHANGE)
)
READS_3D = name_of(Work.READ, THREE_D, "uint")
READS_LAYERS = name_of(Work.READ, LAYERED, "uint")
READS_DEPTH = name_of(Work.READ, TWO_D, "", depth=True)
POURS = "pour"
DEPTHS = ("CL_DEPTH", "CL_FLOAT")
LOCAL_BYTES = 64
TWO_PARTS = 2


@dataclass(frozen=True)
class Place:
    """An argument of a kernel, by the kernel's name and the argument's."""

    kernel: str
    name: str

    @property
    def index(self) -> int:
        """Return the index of the argument."""
        return next(index for index, each in enumerate(PARAMETERS[self.kernel]) if each.name == self.name)

    @property
    def declared(self) -> Parameter:
        """Return the declaration of the argument."""
        return PARAMETERS[self.kernel][self.index]

    def __str__(self) -> str:
        """Return the type or sort of the argument, with its address space or access qualifier where it has one."""
        declared = self.declared
        kind = declared.address if declared.sort is Sort.BUFFER else declared.access
        told = kind.rpartition("_ARG_")[2].partition("_")[2].lower()
        if declared.sort in (Sort.BUFFER, Sort.IMAGE):
            return f"{told} {declared.type_name}"
        return {Sort.LOCAL: "local uint*", Sort.PIPE: "pipe uint"}.get(declared.sort, declared.type_name)


VALUES = tuple(Place(TELL_VALUES, each.name) for each in PARAMETERS[TELL_VALUES][1:])
OTHER, FIXED, SHARED = (Place(TELL_MEMORY, name) for name in ("other", "fixed", "shared"))
READ, WRITTEN, CHANGED = (Place(kernel, "image") for kernel in (READS, WRITES, CHANGES))
DEEP, READ_LAYERS, READ_DEPTH = (Place(kernel, "image") for kernel in (READS_3D, READS_LAYERS, READS_DEPTH))
SAMPLER, QUEUE, PIPE = Place(SAMPLES, "sampler"), Place(TAKE_QUEUE.name, "queue"), Place(POURS, "to")
OBJECTS = (OTHER, FIXED, READ, SAMPLER, QUEUE, PIPE)
"""One argument for each sort of object."""


def kernel_of(kit: Kit, name: str) -> Handle:
    """Return a kernel by name, created once; skip where the device or its compiler does not support it."""
    return kit.once(("kernel with arguments", name), lambda: new_kernel(kit, name))


def new_kernel(kit: Kit, name: str) -> Handle:
    """Create a kernel of a program that is built once."""
    source = kit.once(("program of", name), lambda: _built(kit, name))
    return one(kit.cl.clCreateKernel(source, Text(name), OutputBuffer(1)))


def kernel_with(kit: Kit, name: str, options: str) -> Handle:
    """Create a kernel of a program that is built with these options."""
    return one(kit.cl.clCreateKernel(_built(kit, name, options), Text(name), OutputBuffer(1)))


def _built(kit: Kit, name: str, more: str = "") -> Handle:
    sorts = {each.sort for each in PARAMETERS[name]}
    needs(Sort.IMAGE not in sorts or kit.cl.fact("CL_DEVICE_IMAGE_SUPPORT"), NO_IMAGES)
    later = sorts & {Sort.PIPE, Sort.QUEUE} or name == CHANGES
    needs(not later or at_least(kit.cl, (2, 0)), "requires OpenCL C 2.0")
    if Sort.QUEUE in sorts:
        _needs_of_3_0(kit, "CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES", "the device runs no commands of its own")
    if Sort.PIPE in sorts:
        _needs_of_3_0(kit, "CL_DEVICE_PIPE_SUPPORT", "the device does not support pipes")
    options = ("-cl-std=CL3.0" if at_least(kit.cl, (3, 0)) else "-cl-std=CL2.0") if later else ""
    program = kit.program_of(SOURCES[name])
    done = kit.builds(program, f"{options} {more}".strip())
    needs(done, f"the driver does not build the kernel{'' if done else kit.first_complaint(program)}")
    return program


def _needs_of_3_0(kit: Kit, query: str, reason: str) -> None:
    needs(not at_least(kit.cl, (3, 0)) or kit.cl.fact(query), reason)


def given(kit: Kit, place: Place, value: Value, size: int | None = None) -> Arguments:
    """Return the arguments of a call that sets an argument; ``size`` is the declared size by default."""
    right = place.declared.size or LOCAL_BYTES
    return {
        "kernel": kernel_of(kit, place.kernel),
        "arg_index": place.index,
        "arg_size": right if size is None else size,
        "arg_value": value,
    }


def right(kit: Kit, place: Place) -> Value:
    """Return a valid value for an argument; skip where the kernel is not supported."""
    kernel_of(kit, place.kernel)
    declared = place.declared
    if declared.sort is Sort.LOCAL:
        return None
    if declared.sort is Sort.VALUE:
        return Data(bytes(range(1, declared.bytes + 1)))
    return HandleBytes(kit.once(("argument", place), lambda: _object(kit, place)))


def _object(kit: Kit, place: Place) -> Handle:
    """Create an object for an argument."""
    sort = place.declared.sort
    if sort is Sort.IMAGE:
        return image_for(kit, place)
    if sort is Sort.PIPE:
        return kit.pipe(PACKET_BYTES, PACKETS)
    if sort is Sort.SAMPLER:
        return kit.sampler()
    return kit.device_queue() if sort is Sort.QUEUE else kit.first_buffer


def image_for(kit: Kit, place: Place, *flags: str) -> Handle:
    """Create an image of the type that an argument declares."""
    image_type = {READS_3D: THREE_D, READS_LAYERS: LAYERED}.get(place.kernel, TWO_D)
    if place.kernel == READS_DEPTH:
        return depth_image(kit)
    return kit.image(image_type, flags=flags or ("CL_MEM_READ_WRITE",))


def depth_image(kit: Kit) -> Handle:
    """Create a depth image; skip where the device does not support kernels on depth images."""
    kernel_of(kit, READS_DEPTH)
    told = listed(kit, kit.context, kit.value("CL_MEM_READ_ONLY"), kit.value(TWO_D))
    needs(tuple(map(kit.value, DEPTHS)) in told, "the device has no images of depths")
    return kit.image(TWO_D, DEPTHS, flags=("CL_MEM_READ_ONLY",))


def two_devices(kit: Kit) -> tuple[Handle, Handle]:
    """Return two devices to build programs for: the device under test and another one, or two sub-devices."""
    others = [device for device in kit.other_devices if kit.cl.fact("CL_DEVICE_AVAILABLE", device)]
    if others:
        return kit.cl.device, others[0]
    half = max(1, (kit.cl.fact("CL_DEVICE_MAX_COMPUTE_UNITS") or 1) // TWO_PARTS)
    parts = CORE_ENTRY.split(kit.cl, kit.cl.device, CORE_ENTRY.equally(kit.cl, half))
    needs(len(parts) >= TWO_PARTS, "the platform has one device, which cannot be divided")
    return parts[0], parts[1]


def built_for(kit: Kit, program: Handle, device: Handle, options: str = "") -> None:
    """Build a program for one device; skip where the build fails."""
    outcome = kit.cl.clBuildProgram(program, 1, Items((device,)), Text(options), None, None)
    needs(getattr(outcome, "value", None) == 0, "the driver does not build the kernel")
