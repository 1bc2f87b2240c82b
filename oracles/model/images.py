"""Images, as their format and description say."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clconform.oracles.model.memory_objects import MemoryObject

if TYPE_CHECKING:
    from clconform.oracles.model.contexts import ContextObject


@dataclass(frozen=True)
class ImageFormat:
    """Channel order and channel data type, by value; ``element_size``: bytes of a texel, 0 where not known."""

    order: int = 0
    channel_type: int = 0
    element_size: int = 0


@dataclass(frozen=True)
class ImageShape:
    """An image's description.

    Fields as in cl_image_desc, in texels, layers and bytes. ``image_type``: by its name, ``CL_MEM_OBJECT_IMAGE2D`` and
    its like; pitches of 0 stand for rows and slices without gaps.
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


@dataclass(eq=False)
class Image(MemoryObject):
    """An image. ``source``: the memory object that it was made on, if any.

    ``on_memory_object``: its description named one, so that its pitches are open.
    """

    format: ImageFormat = field(default_factory=ImageFormat)
    shape: ImageShape = field(default_factory=ImageShape)
    source: MemoryObject | None = None
    on_memory_object: bool = False

    @property
    def parent(self) -> ContextObject | None:
        """The memory object that it was made on."""
        return self.source
