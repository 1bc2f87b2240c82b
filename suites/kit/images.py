"""Images of every type, and pipes."""

from __future__ import annotations

from clconform.calls.values import Data, ElementList, Handle, OutputBuffer, PointerArgument
from clconform.suites.helpers import has_version, is_available, require_handle, skip_unless
from clconform.suites.kit.memory import MemoryKit

WIDTH, HEIGHT, DEPTH, LAYERS = 16, 8, 4, 3
RGBA8 = ("CL_RGBA", "CL_UNSIGNED_INT8")
"""A format with four 8-bit channels, which every device with image support lists."""
PIXEL_BYTES = 4
IMAGE_TYPES: dict[str, tuple[int, int, int, int]] = {
    "CL_MEM_OBJECT_IMAGE1D": (WIDTH, 0, 0, 0),
    "CL_MEM_OBJECT_IMAGE1D_ARRAY": (WIDTH, 0, 0, LAYERS),
    "CL_MEM_OBJECT_IMAGE2D": (WIDTH, HEIGHT, 0, 0),
    "CL_MEM_OBJECT_IMAGE2D_ARRAY": (WIDTH, HEIGHT, 0, LAYERS),
    "CL_MEM_OBJECT_IMAGE3D": (WIDTH, HEIGHT, DEPTH, 0),
}
"""Maps image types to the width, height, depth and number of array layers of images."""
IMAGE_OF_BUFFER = "CL_MEM_OBJECT_IMAGE1D_BUFFER"
NO_IMAGES = "the device does not support images"


class ImageAndPipeKit(MemoryKit):
    """A kit with images and pipes in its context."""

    def image(
        self,
        image_type: str = "CL_MEM_OBJECT_IMAGE2D",
        image_format: tuple[str, str] = RGBA8,
        *,
        flags: tuple[str, ...] = ("CL_MEM_READ_WRITE",),
        source: Handle | None = None,
        host: PointerArgument = None,
        **fields: int,
    ) -> Handle:
        """Create an image with the size in ``IMAGE_TYPES``; skip the item if the device does not support images.

        ``image_format``: channel order and channel type. ``source``: the buffer or image from which the image is
        created; by default, a 1D image buffer gets a buffer of ``WIDTH`` pixels. ``host``: the host_ptr argument.
        ``fields``: values of changed fields in the image description.
        """
        skip_unless(self.cl.fact("CL_DEVICE_IMAGE_SUPPORT"), NO_IMAGES)
        skip_unless(is_available(self.cl, "clCreateImage"), "requires OpenCL 1.2 (clCreateImage)")
        if image_type == IMAGE_OF_BUFFER and source is None:
            source = self.buffer(size=WIDTH * PIXEL_BYTES)
        described = self.description(image_type, source, **fields)
        channels = self.format(*image_format)
        return require_handle(
            self.cl.clCreateImage(self.context, self.constant(*flags), channels, described, host, OutputBuffer(1))
        )

    def description(self, image_type: str, source: Handle | None = None, **fields: int) -> ElementList:
        """Return a ``cl_image_desc`` for a type, with the size in ``IMAGE_TYPES`` and some fields changed."""
        width, height, depth, layers = IMAGE_TYPES.get(image_type, (WIDTH, 0, 0, 0))
        usual: dict[str, int | Handle | None] = {
            "image_type": self.constant(image_type),
            "image_width": width,
            "image_height": height,
            "image_depth": depth,
            "image_array_size": layers,
            "image_row_pitch": 0,
            "image_slice_pitch": 0,
            "num_mip_levels": 0,
            "num_samples": 0,
            "mem_object": source,
        }
        return ElementList(tuple({**usual, **fields}.values()))

    def format(self, order: str, channel_type: str) -> ElementList:
        """Return a ``cl_image_format`` with this channel order and channel type."""
        return ElementList((self.constant(order), self.constant(channel_type)))

    def legacy_image(self, image_type: str) -> Handle:
        """Create a 2D or 3D image with the OpenCL 1.0 function for this image type."""
        skip_unless(self.cl.fact("CL_DEVICE_IMAGE_SUPPORT"), NO_IMAGES)
        given = (self.context, self.constant("CL_MEM_READ_WRITE"), self.format(*RGBA8), WIDTH, HEIGHT)
        if image_type == "CL_MEM_OBJECT_IMAGE2D":
            return require_handle(self.cl.clCreateImage2D(*given, 0, None, OutputBuffer(1)))
        return require_handle(self.cl.clCreateImage3D(*given, DEPTH, 0, 0, None, OutputBuffer(1)))

    def pipe(self, packet_bytes: int = 8, packets: int = 16, flags: int | None = None) -> Handle:
        """Create a pipe; skip the item if the device does not support pipes."""
        skip_unless(is_available(self.cl, "clCreatePipe"), "requires OpenCL 2.0 (pipes)")
        skip_unless(
            not has_version(self.cl, (3, 0)) or self.cl.fact("CL_DEVICE_PIPE_SUPPORT"),
            "the device does not support pipes",
        )
        bits = self.constant("CL_MEM_READ_WRITE", "CL_MEM_HOST_NO_ACCESS") if flags is None else flags
        return require_handle(self.cl.clCreatePipe(self.context, bits, packet_bytes, packets, None, OutputBuffer(1)))


PIXELS = Data(bytes(WIDTH * HEIGHT * PIXEL_BYTES))
"""The bytes of a whole 2D image."""
