"""The image that a call requests: type, sizes, pitches and memory object (section 5.3.1.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, Handle, OffsetPointer
from clconform.oracles.chapters.buffers.error_conditions.external_memory import read_properties
from clconform.oracles.chapters.images.postconditions import DESCRIPTOR_FIELDS, FORMAT_FIELDS, parse_format
from clconform.oracles.model.errors import NullObjectError, UnknownFactError
from clconform.oracles.model.images import DIMENSIONS, ImageDescription
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.pointer_memory import PointerMemory

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.calls.values import Value
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.state import Model

OF_A_BUFFER = "CL_MEM_OBJECT_IMAGE1D_BUFFER"
QUERIES_2D = ("CL_DEVICE_IMAGE2D_MAX_WIDTH", "CL_DEVICE_IMAGE2D_MAX_HEIGHT")
QUERIES_3D = ("CL_DEVICE_IMAGE3D_MAX_WIDTH", "CL_DEVICE_IMAGE3D_MAX_HEIGHT", "CL_DEVICE_IMAGE3D_MAX_DEPTH")
LAYER_QUERY = "CL_DEVICE_IMAGE_MAX_ARRAY_SIZE"
LIMITS: dict[str, dict[str, str]] = {
    "CL_MEM_OBJECT_IMAGE1D": {"width": QUERIES_2D[0]},
    OF_A_BUFFER: {"width": "CL_DEVICE_IMAGE_MAX_BUFFER_SIZE"},
    "CL_MEM_OBJECT_IMAGE1D_ARRAY": {"width": QUERIES_2D[0], "array_size": LAYER_QUERY},
    "CL_MEM_OBJECT_IMAGE2D": dict(zip(("width", "height"), QUERIES_2D, strict=True)),
    "CL_MEM_OBJECT_IMAGE2D_ARRAY": {
        **dict(zip(("width", "height"), QUERIES_2D, strict=True)),
        "array_size": LAYER_QUERY,
    },
    "CL_MEM_OBJECT_IMAGE3D": dict(zip(("width", "height", "depth"), QUERIES_3D, strict=True)),
}
"""Maps an image type to the sizes that the type uses, each with the device query for the maximum."""


@dataclass(frozen=True)
class RequestedImage:
    """The image that a creating call requests.

    ``shape``: the description as passed, with an empty type if image_type is undefined. ``texel``: the size of an
    element in bytes; 0 if it is not known. ``source``: the memory object that the image is created from, as passed.
    ``host``: whether host_ptr is not NULL. ``imported``: whether the call passes external memory.
    """

    shape: ImageDescription
    texel: int
    source: Value
    host: bool
    imported: bool

    @property
    def sizes(self) -> dict[str, int]:
        """The sizes that the image type uses, in pixels and layers."""
        return {name: getattr(self.shape, name) for name in LIMITS.get(self.shape.image_type, {})}

    @property
    def element(self) -> int:
        """The size of an element in bytes; raises UnknownFactError if the format is NULL or has an unspecified size."""
        if self.texel == 0:
            raise UnknownFactError("the size of an image element")
        return self.texel

    @property
    def row(self) -> int:
        """The distance between two rows in bytes: image_row_pitch, or for 0, the size of image_width elements."""
        return self.shape.row_pitch or self.shape.width * self.element

    @property
    def rows(self) -> int:
        """The number of rows of a slice or layer."""
        return 1 if self.shape.dimensions == 1 or self.shape.image_type.endswith("1D_ARRAY") else self.shape.height

    @property
    def slices(self) -> int:
        """The number of slices or layers; 0 for a 1D or 2D image."""
        if self.shape.is_array:
            return self.shape.array_size
        return self.shape.depth if self.shape.image_type.endswith("3D") else 0

    @property
    def host_bytes(self) -> int:
        """The minimum number of bytes at host_ptr."""
        if not self.slices:
            return self.row * self.rows
        return (self.shape.slice_pitch or self.row * self.rows) * self.slices


def describe_image(call: Call, model: Model) -> RequestedImage:
    """Return the image that a creating call requests; raise NullObjectError if image_desc is NULL."""
    return model.cached(_describe_image, call)


def _describe_image(call: Call, model: Model) -> RequestedImage:
    if "image_desc" in call.arguments:
        fields, source = _parse_fields(call)
    else:
        kind = "CL_MEM_OBJECT_IMAGE3D" if call.function.endswith("3D") else "CL_MEM_OBJECT_IMAGE2D"
        fields = {name: value for name, value in call.arguments.items() if isinstance(value, int)}
        fields, source = {**fields, "image_type": model.constant_value(kind)}, None
    named = model.tables.name_of(fields["image_type"], "cl_mem_object_type") or ""
    sizes = {name: fields.get(f"image_{name}", 0) for name in ("width", "height", "depth", "array_size")}
    pitches = {name: fields.get(f"image_{name}", 0) for name in ("row_pitch", "slice_pitch")}
    shape = ImageDescription(
        named if named in DIMENSIONS else "",
        **sizes,
        **pitches,
        mip_levels=fields.get("num_mip_levels", 0),
        samples=fields.get("num_samples", 0),
    )
    form = call.image_format
    texel = parse_format(form, model).element_size if isinstance(form, ElementList) else 0
    names = read_properties(call.arguments.get("properties"), model)
    return RequestedImage(shape, texel, source, call.host_ptr is not None, bool(names))


def is_incomplete(call: Call) -> bool:
    """Return whether image_format or image_desc of a call lacks fields."""
    given = ((call.image_format, FORMAT_FIELDS), (call.arguments.get("image_desc"), DESCRIPTOR_FIELDS))
    return any(isinstance(one, ElementList) and len(one.values) < len(fields) for one, fields in given)


def _parse_fields(call: Call) -> tuple[dict[str, int], Value]:
    """Map the names of the numeric fields in image_desc to their values; also return the memory object in it."""
    if call.image_desc is None:
        raise NullObjectError("image_desc")
    if not isinstance(call.image_desc, ElementList) or len(call.image_desc.values) != len(DESCRIPTOR_FIELDS):
        raise UnknownFactError("image_desc")
    fields = dict(zip(DESCRIPTOR_FIELDS, call.image_desc.values, strict=True))
    numbers = {name: value for name, value in fields.items() if isinstance(value, int)}
    if len(numbers) < len(DESCRIPTOR_FIELDS) - 1:
        raise UnknownFactError("image_desc")
    source = fields["mem_object"]
    return numbers, source if isinstance(source, Handle) else None


def devices_with_images(call: Call, model: Model) -> list[Device]:
    """Return the devices of a context that support images; raise UnknownFactError if the devices are not known."""
    devices = model.context(call.context).devices
    if not devices:
        raise UnknownFactError("the devices of the context")
    return [device for device in devices if device.number("CL_DEVICE_IMAGE_SUPPORT")]


def source_buffer(description: RequestedImage, model: Model) -> Buffer | None:
    """Return the buffer that a requested image is created from, or None."""
    source = model.find(description.source)
    return source if isinstance(source, Buffer) else None


def available_bytes(value: Value, model: Model) -> int:
    """Return the number of bytes of host memory at a pointer argument; raise UnknownFactError if it is not known."""
    if isinstance(value, Data):
        return value.size
    memory = model.find(value.handle if isinstance(value, OffsetPointer) else value)
    if not isinstance(memory, PointerMemory):
        raise UnknownFactError("the host memory")
    return memory.size - (value.offset if isinstance(value, OffsetPointer) else 0)
