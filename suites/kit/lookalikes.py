"""Objects of another context that have the same class as given objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.oracles.model.command_buffer_state import CommandBuffer
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.events import Event
from clconform.oracles.model.images import Image
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.memory_objects import Buffer, Pipe, SubBuffer
from clconform.oracles.model.pointer_memory import SvmAllocation, UsmAllocation
from clconform.oracles.model.programs import Program
from clconform.oracles.model.queues import DeviceQueue, HostQueue
from clconform.oracles.model.samplers import Sampler
from clconform.oracles.model.semaphores import Semaphore
from clconform.suites.helpers import require_handle
from clconform.suites.kit.images import IMAGE_OF_BUFFER

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.model.cl_object import ClObject
    from clconform.suites.kit.events import EventKit


def _create_similar_image(kit: EventKit, image: Image) -> Handle:
    """Create an image of the same type, format and size."""
    shape, form = image.shape, image.format
    source = kit.buffer() if shape.image_type == IMAGE_OF_BUFFER else None
    size = (shape.width, shape.height, shape.depth, shape.array_size)
    described = ElementList((kit.constant(shape.image_type), *size, 0, 0, 0, 0, source))
    flags, texel = kit.constant("CL_MEM_READ_WRITE"), ElementList((form.order, form.channel_type))
    return require_handle(kit.cl.clCreateImage(kit.context, flags, texel, described, None, OutputBuffer(1)))


FACTORIES: dict[type[ClObject], Callable[[EventKit, Any], Handle]] = {
    Context: lambda kit, _thing: kit.context,
    HostQueue: lambda kit, _thing: kit.queue,
    DeviceQueue: lambda kit, _thing: kit.device_queue(),
    SubBuffer: lambda kit, thing: kit.sub_buffer(kit.buffer(size=thing.size), 0, thing.size),
    Buffer: lambda kit, _thing: kit.first_buffer,
    Image: _create_similar_image,
    Pipe: lambda kit, _thing: kit.pipe(),
    Sampler: lambda kit, _thing: kit.sampler(),
    Program: lambda kit, _thing: kit.built_program("add_index"),
    Kernel: lambda kit, _thing: kit.kernel("add_index"),
    CommandBuffer: lambda kit, thing: kit.command_buffer() if thing.recording else kit.finalized_command_buffer(),
    Event: lambda kit, _thing: kit.event(),
    Semaphore: lambda kit, _thing: kit.semaphore(),
    SvmAllocation: lambda kit, _thing: kit.svm(),
    UsmAllocation: lambda kit, thing: kit.usm(thing.title),
}
"""The functions that create an object of each class; subclasses precede their base classes."""


def create_lookalike(kit: EventKit, thing: ClObject) -> Handle:
    """Create an object of the same class as ``thing``; skip the item if ``FACTORIES`` does not contain the class."""
    make = next((make for kind, make in FACTORIES.items() if isinstance(thing, kind)), None)
    if make is None:
        pytest.skip(f"no object of the class of {thing.name} can be created")
    return make(kit, thing)
