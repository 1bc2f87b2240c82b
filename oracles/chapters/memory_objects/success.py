"""Memory objects: buffers, their regions, images and pipes, and what they answer (sections 5.2 to 5.5)."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from clconform.calls.values import BusAddresses, Data, Items
from clconform.oracles.chapters.buffers.effects import run_of
from clconform.oracles.chapters.memory_objects.host_pointers import host_memory_of_a_region, host_memory_told
from clconform.oracles.contents.bus import surface_at
from clconform.oracles.contents.maps import reach
from clconform.oracles.contents.storage import Storage, View, by, plain
from clconform.oracles.engine.answers import UnknownError
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.world import Child, Context
from clconform.oracles.recurring.making import exactly, made
from clconform.oracles.recurring.property_lists import list_echo

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.wants import Promise
    from clconform.oracles.model.world import Answers, Model

rules = Rules()

_REGION = struct.Struct("@NN")
FROM_HOST = ("CL_MEM_USE_HOST_PTR", "CL_MEM_ALLOC_HOST_PTR", "CL_MEM_COPY_HOST_PTR")
ACCESS = ("CL_MEM_READ_WRITE", "CL_MEM_WRITE_ONLY", "CL_MEM_READ_ONLY")
HOST_ACCESS = ("CL_MEM_HOST_WRITE_ONLY", "CL_MEM_HOST_READ_ONLY", "CL_MEM_HOST_NO_ACCESS")
BYTES_OF_A_CHANNEL = {
    "CL_UNORM_INT8": 1,
    "CL_SIGNED_INT8": 1,
    "CL_UNSIGNED_INT8": 1,
    "CL_SNORM_INT8": 1,
    "CL_UNORM_INT16": 2,
    "CL_SIGNED_INT16": 2,
    "CL_UNSIGNED_INT16": 2,
    "CL_SNORM_INT16": 2,
    "CL_HALF_FLOAT": 2,
    "CL_SIGNED_INT32": 4,
    "CL_UNSIGNED_INT32": 4,
    "CL_FLOAT": 4,
}
CHANNELS = {"CL_R": 1, "CL_A": 1, "CL_RG": 2, "CL_RA": 2, "CL_RGBA": 4, "CL_BGRA": 4, "CL_ARGB": 4}
DESCRIPTION = (
    "image_type",
    "image_width",
    "image_height",
    "image_depth",
    "image_array_size",
    "image_row_pitch",
    "image_slice_pitch",
    "num_mip_levels",
    "num_samples",
    "mem_object",
)
"""The fields of an image's description, in order."""


def memory(call: Call, model: Model, context: Context, sort: str, flags: int) -> Child:
    """Return a memory object as every kind of it answers: its context, flags, and no parent."""
    child = Child("cl_mem", "", context=context, sort=sort, flags=flags)
    if not flags & sum(model.value(name) for name in ACCESS):
        implied = flags | model.value("CL_MEM_READ_WRITE")
        flag_answers: Answers = ((flags,), (implied,))
    else:
        flag_answers = exactly(flags)
    child.echoes = {
        "CL_MEM_CONTEXT": exactly(context.name),
        "CL_MEM_FLAGS": flag_answers,
        "CL_MEM_ASSOCIATED_MEMOBJECT": exactly(None),
        "CL_MEM_OFFSET": exactly(0),
    }
    child.echoes |= host_memory_told(call, model)
    child.echoes["CL_MEM_PROPERTIES"] = list_echo(call.arguments.get("properties"))
    return child


@rules.success("clCreateBuffer", "clCreateBufferWithProperties")
def buffer_made(call: Call, model: Model) -> Promise:
    """A new buffer of that size; its content is not defined unless it is copied from the host."""
    child = memory(call, model, model.context(call.context), "buffer", call.flags)
    child.size = call.size
    child.echoes["CL_MEM_TYPE"] = exactly(model.value("CL_MEM_OBJECT_BUFFER"))
    child.echoes["CL_MEM_SIZE"] = exactly(call.size)
    child.bus = surface_at(call.host_ptr, model)
    child.memory = _bytes_of(call, model)
    return made("cl_mem", call, model, child)


def _bytes_of(call: Call, model: Model) -> View | None:
    """Return the bytes of a new buffer: its own, copied from the host's or undefined, the host's, another device's."""
    if call.size == 0:
        return None
    if isinstance(call.host_ptr, BusAddresses):
        there = surface_at(call.host_ptr, model)
        whole = there.memory.memory if there is not None else None
        return whole.part(0, call.size) if whole is not None else None
    fresh = View(Storage(call.size), 0, call.size)
    if isinstance(call.host_ptr, Data):
        fresh.storage.write(fresh.spans(0, call.size), by(plain(call.host_ptr.content[: call.size]), ""))
    elif call.host_ptr is not None:
        given = reach(call.host_ptr, model)
        place = given.place(run_of(0, call.size))
        if call.flags & model.value("CL_MEM_USE_HOST_PTR"):
            given.view.storage.lent = True
            given.view.storage.last = f"{call.function}/success"
            return given.view.part(given.offset, call.size)
        fresh.storage.write(fresh.spans(0, call.size), by(place.read(), ""))
    return fresh


@rules.success("clCreateSubBuffer")
def region_made(call: Call, model: Model) -> Promise:
    """A new buffer that is a region of another one, with that one's flags where it has none of its own."""
    parent = model.child(call.buffer)
    if not isinstance(call.buffer_create_info, Data) or parent.context is None:
        raise UnknownError("region")
    origin, size = _REGION.unpack(call.buffer_create_info.content)
    child = memory(call, model, parent.context, "sub-buffer", call.flags)
    child.parent, child.size, child.offset = parent, size, parent.offset + origin
    child.flags = _inherited(call.flags, parent.flags, model)
    child.memory = parent.memory.part(origin, size) if parent.memory is not None else None
    child.echoes |= {
        "CL_MEM_TYPE": exactly(model.value("CL_MEM_OBJECT_BUFFER")),
        "CL_MEM_SIZE": exactly(size),
        "CL_MEM_ASSOCIATED_MEMOBJECT": exactly(parent.name),
        "CL_MEM_OFFSET": exactly(origin),
    }
    inherited = parent.echoes.get("CL_MEM_FLAGS", ())
    child.echoes["CL_MEM_FLAGS"] = tuple((_inherited(call.flags, flags[0], model),) for flags in inherited)
    child.echoes |= host_memory_of_a_region(parent, origin)
    return made("cl_mem", call, model, child)


def _inherited(flags: int, parents: object, model: Model) -> int:
    """Return the flags of a region: its own, and for each group that it leaves out the parent's."""
    own = flags
    given = parents if isinstance(parents, int) else 0
    for group in (ACCESS, HOST_ACCESS):
        mask = sum(model.value(name) for name in group)
        if not own & mask:
            own |= given & mask
    return own | given & sum(model.value(name) for name in FROM_HOST)


@rules.success("clCreateImage", "clCreateImageWithProperties")
def image_made(call: Call, model: Model) -> Promise:
    """A new image of that format and size."""
    if not isinstance(call.image_format, Items) or not isinstance(call.image_desc, Items):
        raise UnknownError("image")
    child = memory(call, model, model.context(call.context), "image", call.flags)
    fields = dict(zip(DESCRIPTION, call.image_desc.values, strict=True))
    source = model.known(fields["mem_object"])
    if isinstance(source, Child):
        child.parent = source
        child.echoes["CL_MEM_ASSOCIATED_MEMOBJECT"] = exactly(source.name)
        child.echoes.pop("CL_MEM_HOST_PTR", None)
        child.echoes.pop("CL_MEM_FLAGS", None)
    numbers = {name: value for name, value in fields.items() if isinstance(value, int)}
    if source is not None:
        numbers["mem_object"] = 1
    child.echoes |= _image_answers(call.image_format.values, numbers, model)
    if source is None:
        child.echoes["CL_IMAGE_BUFFER"] = exactly(None)
    elif isinstance(source, Child) and source.sort in ("buffer", "sub-buffer"):
        child.echoes["CL_IMAGE_BUFFER"] = exactly(source.name)
    return made("cl_mem", call, model, child)


def _image_answers(formats: tuple[object, ...], fields: dict[str, int], model: Model) -> dict[str, Answers]:
    kind = model.tables.name_of(fields["image_type"], "cl_mem_object_type") or ""
    array = kind.endswith("ARRAY")
    answers: dict[str, Answers] = {
        "CL_MEM_TYPE": exactly(fields["image_type"]),
        "CL_IMAGE_FORMAT": (tuple(one if isinstance(one, int) else 0 for one in formats),),
        "CL_IMAGE_WIDTH": exactly(fields["image_width"]),
        "CL_IMAGE_HEIGHT": exactly(0 if "IMAGE1D" in kind else fields["image_height"]),
        "CL_IMAGE_DEPTH": exactly(fields["image_depth"] if kind.endswith("IMAGE3D") else 0),
        "CL_IMAGE_ARRAY_SIZE": exactly(fields["image_array_size"] if array else 0),
        "CL_IMAGE_NUM_MIP_LEVELS": exactly(fields["num_mip_levels"]),
        "CL_IMAGE_NUM_SAMPLES": exactly(fields["num_samples"]),
    }
    flat = kind.endswith(("IMAGE1D", "IMAGE1D_BUFFER", "IMAGE2D"))
    if flat:
        answers["CL_IMAGE_SLICE_PITCH"] = exactly(0)
    size = _element_size(formats, model)
    if size:
        answers["CL_IMAGE_ELEMENT_SIZE"] = exactly(size)
        if "mem_object" not in fields:
            row = fields["image_row_pitch"] or fields["image_width"] * size
            answers["CL_IMAGE_ROW_PITCH"] = exactly(row)
            rows = 1 if "IMAGE1D" in kind else fields["image_height"]
            if not flat:
                answers["CL_IMAGE_SLICE_PITCH"] = exactly(fields["image_slice_pitch"] or row * rows)
    return answers


def _element_size(formats: tuple[object, ...], model: Model) -> int:
    order, channel = (one if isinstance(one, int) else 0 for one in formats)
    channels = CHANNELS.get(model.tables.name_of(order, "cl_channel_order") or "", 0)
    return channels * BYTES_OF_A_CHANNEL.get(model.tables.name_of(channel, "cl_channel_type") or "", 0)


@rules.success("clCreateImage2D", "clCreateImage3D")
def older_image_made(call: Call, model: Model) -> Promise:
    """A new image of that format and size, made as before there was a description for it."""
    if not isinstance(call.image_format, Items):
        raise UnknownError("image")
    child = memory(call, model, model.context(call.context), "image", call.flags)
    kind = "CL_MEM_OBJECT_IMAGE3D" if call.function.endswith("3D") else "CL_MEM_OBJECT_IMAGE2D"
    fields = dict.fromkeys(DESCRIPTION[:-1], 0) | {
        name: value for name, value in call.arguments.items() if isinstance(value, int)
    }
    fields["image_type"] = model.value(kind)
    child.echoes |= _image_answers(call.image_format.values, fields, model)
    child.echoes["CL_IMAGE_BUFFER"] = exactly(None)
    return made("cl_mem", call, model, child)


@rules.success("clCreatePipe")
def pipe_made(call: Call, model: Model) -> Promise:
    """A new pipe for that many packets of that size."""
    child = memory(call, model, model.context(call.context), "pipe", call.flags)
    child.echoes.pop("CL_MEM_FLAGS")
    child.echoes |= {
        "CL_MEM_TYPE": exactly(model.value("CL_MEM_OBJECT_PIPE")),
        "CL_PIPE_PACKET_SIZE": exactly(call.pipe_packet_size),
        "CL_PIPE_MAX_PACKETS": exactly(call.pipe_max_packets),
        "CL_PIPE_PROPERTIES": list_echo(call.properties),
    }
    return made("cl_mem", call, model, child)
