"""Objects derived from other objects, which carry over the state that error conditions depend on."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from clconform.calls.call import Call
from clconform.calls.values import ElementList, Handle, HandleBytes, OutputBuffer, Text
from clconform.oracles.model.cl_object import ClObject
from clconform.oracles.model.command_buffer_state import CommandBuffer
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.events import Event
from clconform.oracles.model.images import Image
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.memory_objects import Buffer, MemoryObject, SubBuffer
from clconform.oracles.model.programs import BuildState, Program, SourceProgram
from clconform.oracles.model.queues import CommandQueue
from clconform.oracles.model.samplers import Sampler
from clconform.oracles.model.semaphores import Semaphore
from clconform.runner.session.errors import UndefinedCallError
from clconform.suites.helpers import constant_value, is_available, is_success, require_handle, skip_unless
from clconform.suites.kit.images import IMAGE_OF_BUFFER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from clconform.calls.values import Value
    from clconform.runner.session.session import Session
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

LINK_FLAGS = ("CL_MEM_USE_HOST_PTR", "CL_MEM_COPY_HOST_PTR", "CL_MEM_ALLOC_HOST_PTR")
"""Flags that an object created from another one does not get."""
IMAGES_OF_BUFFERS = {"CL_MEM_OBJECT_IMAGE1D": IMAGE_OF_BUFFER, "CL_MEM_OBJECT_IMAGE2D": "CL_MEM_OBJECT_IMAGE2D"}
"""Maps the types of images to the type of an image of the same size that is created from a buffer."""
RETAINED = "retained handle"
SUB_DEVICE = "sub-device"
BUILT_CARRIERS = ("linked program", "kernel of a linked program")
"""Carriers that take a build."""
REFERENCE_FUNCTIONS: dict[type[ClObject], str] = {
    Context: "Context",
    CommandQueue: "CommandQueue",
    MemoryObject: "MemObject",
    Program: "Program",
    Kernel: "Kernel",
    Event: "Event",
    Sampler: "Sampler",
    Semaphore: "SemaphoreKHR",
    CommandBuffer: "CommandBufferKHR",
}
"""The end of the names of the functions that retain and release objects of each class."""


class Carrier(NamedTuple):
    """A way to derive an object from another one.

    ``has_source``: whether the object of this class can be the source. ``derive``: creates the derived object; it skips
    the item if the device does not support it.
    """

    name: str
    has_source: Callable[[ClObject], bool]
    derive: Callable[[Kit, Handle], Handle]


def _clone(kit: Kit, handle: Handle) -> Handle:
    skip_unless(is_available(kit.cl, "clCloneKernel"), "requires OpenCL 2.1 (clCloneKernel)")
    return require_handle(kit.cl.clCloneKernel(handle, OutputBuffer(1)))


def _sub_buffer(kit: Kit, handle: Handle) -> Handle:
    return kit.sub_buffer(handle, 0, kit.cl.model.get(Buffer, handle).size)


def _image_of_buffer(kit: Kit, handle: Handle) -> Handle:
    """Create an image of the same type, size and format from a buffer with the flags of the image."""
    cl = kit.cl
    image = cl.model.get(Image, handle)
    skip_unless(image.context is cl.model.find(kit.context), "the image belongs to another context")
    shape, texel = image.shape, image.format.element_size
    pitch = cl.fact("CL_DEVICE_IMAGE_PITCH_ALIGNMENT") or 1
    row = -(-shape.width // pitch) * pitch * texel
    flags = image.flags & ~kit.constant(*LINK_FLAGS)
    buffer = require_handle(cl.clCreateBuffer(kit.context, flags, row * max(shape.height, 1), None, OutputBuffer(1)))
    kind = IMAGES_OF_BUFFERS[shape.image_type]
    rows = (shape.height, 0, 0, row) if shape.height else (0, 0, 0, 0)
    described = ElementList((kit.constant(kind), shape.width, *rows, 0, 0, 0, buffer))
    form = ElementList((image.format.order, image.format.channel_type))
    arguments = (kit.context, 0, form, described, None, OutputBuffer(1))
    names = [each.name for each in cl.tables.functions["clCreateImage"].parameters]
    call = Call("clCreateImage", dict(zip(names, arguments, strict=True)))
    expected = cl.oracle.expect(call)
    possible = not (expected.required_errors or expected.undefined)
    skip_unless(possible, "the device does not create such an image from a buffer")
    return require_handle(cl.call(call))


def _linked(kit: Kit, handle: Handle) -> Handle:
    """Create a program from the same source, compile it, and link it to an executable."""
    cl = kit.cl
    program = cl.model.get(SourceProgram, handle)
    skip_unless(program.context is cl.model.find(kit.context), "the program belongs to another context")
    skip_unless(is_available(cl, "clCompileProgram"), "requires OpenCL 1.2 (compiled programs)")
    source = kit.program_from_source(program.source)
    options = program.builds[cl.device.name].options
    devices = (1, ElementList((cl.device,)))
    outcome = cl.clCompileProgram(source, *devices, Text(options or ""), 0, None, None, None, None)
    skip_unless(is_success(outcome), "the driver does not compile the program")
    return kit.linked_program(source)


def _kernel_of_linked_program(kit: Kit, handle: Handle) -> Handle:
    """Create the kernel again from a linked program of the same source, and set the same arguments."""
    kernel = kit.cl.model.get(Kernel, handle)
    program = kernel.program
    skip_unless(program is not None and not kernel.uncertain_arguments, "the arguments of the kernel are uncertain")
    source = Handle(program.name) if program is not None else handle
    linked = kit.get_cached(("linked", source.name), lambda: _linked(kit, source))
    again = require_handle(kit.cl.clCreateKernel(linked, Text(kernel.function_name), OutputBuffer(1)))
    for index in sorted(kernel.arguments):
        setter = kernel.arguments[index].call
        skip_unless(setter is not None, "it is not known how an argument was set")
        if setter is not None:
            kit.cl.call(Call(setter.function, {**setter.arguments, "kernel": again}))
    return again


def _is_kernel_built_from_source(thing: ClObject) -> bool:
    return isinstance(thing, Kernel) and thing.program is not None and _is_built_from_source(thing.program)


def _is_built_from_source(thing: ClObject) -> bool:
    states = {build.state for build in thing.builds.values()} if isinstance(thing, SourceProgram) else set()
    return states == {BuildState.BUILT}


def _retain_and_release(kit: Kit, handle: Handle) -> Handle:
    thing = kit.cl.model.get(ClObject, handle)
    name = next(name for kind, name in REFERENCE_FUNCTIONS.items() if isinstance(thing, kind))
    getattr(kit.cl, f"clRetain{name}")(handle)
    getattr(kit.cl, f"clRelease{name}")(handle)
    return handle


CARRIERS = (
    Carrier("clone", lambda thing: isinstance(thing, Kernel), _clone),
    Carrier(
        "sub-buffer",
        lambda thing: isinstance(thing, Buffer) and not isinstance(thing, SubBuffer) and thing.bus is None,
        _sub_buffer,
    ),
    Carrier(
        "image of a buffer",
        lambda thing: isinstance(thing, Image) and thing.source is None and thing.shape.image_type in IMAGES_OF_BUFFERS,
        _image_of_buffer,
    ),
    Carrier("linked program", _is_built_from_source, _linked),
    Carrier("kernel of a linked program", _is_kernel_built_from_source, _kernel_of_linked_program),
    Carrier(RETAINED, lambda thing: isinstance(thing, tuple(REFERENCE_FUNCTIONS)), _retain_and_release),
)
"""The ways to derive an object for an argument; sub-devices stand for the device of all objects of a call instead."""


def create_sub_device(cl: Session) -> Handle:
    """Create a sub-device of the device under test, and query its values; skip the item if this is not possible."""
    skip_unless(is_available(cl, "clCreateSubDevices"), "requires OpenCL 1.2 (clCreateSubDevices)")
    by_counts = constant_value(cl, "CL_DEVICE_PARTITION_BY_COUNTS")
    kinds = cl.fact("CL_DEVICE_PARTITION_PROPERTIES") or ()
    skip_unless(by_counts in kinds, "the device is not partitioned by counts")
    created = cl.clCreateSubDevices(cl.device, ElementList((by_counts, 1, 0, 0)), 1, OutputBuffer(1), OutputBuffer(1))
    device = require_handle(created, "out_devices")
    for name in [each for each in cl.model.device(cl.device).facts if each in cl.tables.enumerants]:
        cl.query("clGetDeviceInfo", device, name)
    return device


class Substitution(NamedTuple):
    """A call in which a derived object replaces one object: the parameter, the carrier and all arguments."""

    parameter: str
    carrier: str
    source: Handle
    arguments: Arguments

    @property
    def words(self) -> str:
        """The substitution, for a test value."""
        return f"{self.parameter}: {self.carrier}"


def substitutions(
    kit: Kit, arguments: Mapping[str, Value], is_needed: Callable[[str, str], bool]
) -> Iterator[Substitution]:
    """Yield the calls in which one object is replaced by an object that is derived from it.

    ``is_needed``: returns whether a parameter and a carrier are to be combined.
    """
    for name, value in arguments.items():
        handle = _first_handle(value)
        thing = kit.cl.model.find(handle)
        if handle is None or thing is None:
            continue
        for carrier in CARRIERS:
            if not carrier.has_source(thing) or not is_needed(name, carrier.name):
                continue
            try:
                derived = carrier.derive(kit, handle)
            except (pytest.skip.Exception, UndefinedCallError):
                continue
            yield Substitution(name, carrier.name, handle, {**arguments, name: _replace(value, handle, derived)})


def _first_handle(value: Value) -> Handle | None:
    if isinstance(value, HandleBytes):
        return value.handle
    values = value.values if isinstance(value, ElementList) else (value,)
    return next((each for each in values if isinstance(each, Handle)), None)


def _replace(value: Value, handle: Handle, derived: Handle) -> Value:
    if isinstance(value, HandleBytes):
        return HandleBytes(derived)
    if isinstance(value, ElementList):
        return ElementList(tuple(derived if each == handle else each for each in value.values))
    return derived
