"""Images with their formats and descriptions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clconform.oracles.model.memory_objects import MemoryObject

if TYPE_CHECKING:
    from clconform.oracles.model.contexts import ContextObject
    from clconform.oracles.model.image_formats import TexelLayout

DIMENSIONS = {
    "CL_MEM_OBJECT_IMAGE1D": 1,
    "CL_MEM_OBJECT_IMAGE1D_BUFFER": 1,
    "CL_MEM_OBJECT_IMAGE1D_ARRAY": 2,
    "CL_MEM_OBJECT_IMAGE2D": 2,
    "CL_MEM_OBJECT_IMAGE2D_ARRAY": 3,
    "CL_MEM_OBJECT_IMAGE3D": 3,
}
"""Maps image types to the number of coordinates of a texel."""


@dataclass(frozen=True)
class ImageFormat:
    """The values of a channel order and a channel data type; ``layout``: the texel's layout, or None if unspecified."""

    order: int = 0
    channel_type: int = 0
    layout: TexelLayout | None = None

    @property
    def element_size(self) -> int:
        """Return the number of bytes of a texel, or 0 if unknown."""
        return self.layout.size if self.layout is not None else 0


@dataclass(frozen=True)
class ImageDescription:
    """The description of an image, with the fields of cl_image_desc.

    ``image_type``: the name of the type, such as ``CL_MEM_OBJECT_IMAGE2D``. A pitch of 0 stands for rows or slices
    without gaps.
    """

    image_type: str = ""
    width: int = 0
    height: int = 0
    depth: int = 0
    array_size: int = 0
    row_pitch: int = 0
    slice_pitch: int = 0
    mip_levels: int = 0
    samples: int = 0

    @property
    def dimensions(self) -> int:
        """Return the number of coordinates of a texel, the layer included: 1 to 3; 0 for an unknown type."""
        return DIMENSIONS.get(self.image_type, 0)

    @property
    def is_array(self) -> bool:
        """Return whether the image has layers."""
        return self.image_type.endswith("ARRAY")

    @property
    def extent(self) -> tuple[int, int, int]:
        """Return the bounds of the three texel coordinates: sizes and layers, and 1 for unused coordinates."""
        layers = self.array_size
        if self.dimensions == DIMENSIONS["CL_MEM_OBJECT_IMAGE1D"]:
            return self.width, 1, 1
        if self.dimensions == DIMENSIONS["CL_MEM_OBJECT_IMAGE2D"]:
            return self.width, layers if self.is_array else self.height, 1
        return self.width, self.height, layers if self.is_array else self.depth

    def row_distance(self, element_size: int) -> int:
        """Return the distance in bytes between rows of host memory with this description (section 5.3.1.2)."""
        return self.row_pitch or self.width * element_size

    def slice_distance(self, element_size: int) -> int:
        """Return the distance in bytes between slices or layers of host memory with this description."""
        rows = 1 if self.image_type == "CL_MEM_OBJECT_IMAGE1D_ARRAY" else self.height
        return self.slice_pitch or self.row_distance(element_size) * rows


@dataclass(eq=False)
class Image(MemoryObject):
    """An image, created by the function ``created_by`` from the memory object ``source``, if any.

    ``has_memory_object``: its description contained a memory object, so its pitches are unspecified. ``strides``: the
    distances in bytes between texels that are adjacent in the first, second and third coordinate; None if unspecified.
    """

    format: ImageFormat = field(default_factory=ImageFormat)
    shape: ImageDescription = field(default_factory=ImageDescription)
    source: MemoryObject | None = None
    has_memory_object: bool = False
    strides: tuple[int, int, int] | None = None
    created_by: str = ""

    @property
    def parent(self) -> ContextObject | None:
        """The memory object from which the image was created."""
        return self.source
