"""The kit for suites about texels: images of listed formats, colours, and kernels that access images."""

from __future__ import annotations

import functools
import math
import struct
from typing import TYPE_CHECKING

import pytest

from clconform.calls.values import Data, ElementList, Handle, HandleBytes, OutputBuffer, Text
from clconform.oracles.model.image_formats import texel_layout
from clconform.oracles.model.image_kernels import (
    COLOUR_BYTES,
    IMAGE_KERNELS,
    IMAGE_TYPES_IN_C,
    SIZE_COUNT,
    TEXELS_BEYOND_EDGE,
    ImageKernel,
    ImageOperation,
    kernel_name,
)
from clconform.oracles.model.images import Image
from clconform.spec_tables.versions import OLDEST, OPENCL_C, parse_version
from clconform.suites.helpers import require_handle, skip_unless
from clconform.suites.kit.formats import list_formats, skip_without_images
from clconform.suites.kit.images import IMAGE_OF_BUFFER, WIDTH
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import pattern_bytes
from clconform.suites.kit.texels import read_region, region_arguments

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clconform.calls.values import Value
    from clconform.oracles.model.image_formats import TexelLayout

Format = tuple[str, str]
"""The names of a channel order and of a channel data type."""
READ_ONLY, WRITE_ONLY, READ_WRITE = "CL_MEM_READ_ONLY", "CL_MEM_WRITE_ONLY", "CL_MEM_READ_WRITE"
READ_AND_WRITE = "CL_MEM_KERNEL_READ_AND_WRITE"
FEATURES = "CL_DEVICE_OPENCL_C_FEATURES"


class ImageKit(Kit):
    """A kit with images in all formats of a device, and kernels that read and write these images."""

    # formats

    def get_formats(self, image_type: str, *flags: str) -> list[Format]:
        """Return the formats that the device lists for an image type and for all of these flags.

        Formats whose memory layout is unspecified are left out.
        """
        lists = [
            self.get_cached((image_type, flag), functools.partial(self._listed, image_type, flag)) for flag in flags
        ]
        return [each for each in lists[0] if all(each in other for other in lists) and texel_layout(*each) is not None]

    def _listed(self, image_type: str, flag: str) -> list[Format]:
        skip_without_images(self)
        pairs = list_formats(self, self.context, self.constant(flag), self.constant(image_type))
        orders, types = (self.cl.tables.values_of_group(group) for group in ("cl_channel_order", "cl_channel_type"))
        by_value = {value: name for name, value in reversed([*orders.items(), *types.items()])}
        return [(by_value[order], by_value[kind]) for order, kind in pairs if order in by_value and kind in by_value]

    def create_image(self, image_type: str, image_format: Format, *flags: str, **fields: int) -> Handle:
        """Create an image with a type and a format; a 1D image buffer gets a buffer that is large enough."""
        on_buffer = image_type == IMAGE_OF_BUFFER
        size = fields.get("image_width", WIDTH) * get_layout(image_format).size
        source = self.buffer(size=size) if on_buffer else None
        return self.image(image_type, image_format, flags=flags or (READ_WRITE,), source=source, **fields)

    # texels

    def texel_count(self, image: Handle) -> int:
        """Return the number of texels of an image."""
        return math.prod(self.cl.model.get(Image, image).shape.extent)

    def put_texels(self, image: Handle, content: bytes) -> None:
        """Write all texels of an image with a blocking call."""
        told: dict[str, Value] = {"input_row_pitch": 0, "input_slice_pitch": 0, "ptr": Data(content)}
        self.enqueue("clEnqueueWriteImage", **region_arguments(self.cl.model.get(Image, image), None, None), **told)

    def get_texels(self, image: Handle) -> None:
        """Read all texels of an image with a blocking call; the judge compares the values."""
        read_region(self, image)

    def fill_image(self, image: Handle, colour: bytes, origin: Sequence[int] = (0, 0, 0)) -> None:
        """Fill an image with a colour, from ``origin`` to its end."""
        extent = self.cl.model.get(Image, image).shape.extent
        left = ElementList(tuple(size - first for size, first in zip(extent, origin, strict=True)))
        self.enqueue(
            "clEnqueueFillImage", image=image, fill_color=Data(colour), origin=ElementList(tuple(origin)), region=left
        )

    # kernels

    def create_image_kernels(self, names: Iterable[str]) -> dict[str, Handle]:
        """Create known kernels over images in one program; map their names to them, or skip if the build fails."""
        known = [IMAGE_KERNELS[name] for name in names]
        for each in known:
            self._needs_for(each)
        if self.cl.program_binaries is not None:  # one for each kernel, as there is no end to their combinations
            programs = [self._build_image_kernels([each]) for each in known]
        else:
            programs = [self._build_image_kernels(known)] * len(known)
        return {
            each.name: require_handle(self.cl.clCreateKernel(program, Text(each.name), OutputBuffer(1)))
            for each, program in zip(known, programs, strict=True)
        }

    def _build_image_kernels(self, kernels: Sequence[ImageKernel]) -> Handle:
        return self.program_built_from(*(each.source for each in kernels), options=self._options(kernels))

    def get_image_kernel(self, work: ImageOperation, image_type: str, image_format: Format) -> Handle:
        """Return the kernel that performs an operation on images of a type and format, created once."""
        name = kernel_name(work, image_type, get_layout(image_format).encoding, depth=image_format[0] == "CL_DEPTH")
        return self.get_cached(("image kernel", name), lambda: self.create_image_kernels([name])[name])

    def run_kernel(self, kernel: Handle, items: int, *arguments: Handle, queue: Handle | None = None) -> None:
        """Set the object arguments of a kernel, run the kernel with work-groups of one work-item, and finish the queue.

        The local size is fixed because some drivers compile a kernel again for each local size.
        """
        for index, handle in enumerate(arguments):
            self.cl.clSetKernelArg(kernel, index, self.pointer_bytes, HandleBytes(handle))
        sizes: dict[str, Value] = {"work_dim": 1, "global_work_offset": None, "local_work_size": ElementList((1,))}
        run = {"kernel": kernel, "global_work_size": ElementList((items,)), **sizes}
        self.enqueue("clEnqueueNDRangeKernel", queue=queue, **run)
        self.finish(queue)

    def read_by_kernel(self, image: Handle, image_type: str, image_format: Format) -> None:
        """Read all texels of an image into a buffer with a kernel, and read the buffer for the judge."""
        kernel, items = self.get_image_kernel(ImageOperation.READ, image_type, image_format), self.texel_count(image)
        colours = self.buffer(size=COLOUR_BYTES * items)
        self.run_kernel(kernel, items, image, colours)
        self.read(colours, 0, COLOUR_BYTES * items)

    def write_by_kernel(self, image: Handle, image_type: str, image_format: Format, colours: bytes) -> None:
        """Write each texel of an image with a kernel; ``colours``: the bytes of the colours."""
        kernel, items = self.get_image_kernel(ImageOperation.WRITE, image_type, image_format), self.texel_count(image)
        buffer = self.buffer(size=len(colours))
        self.write(buffer, 0, colours)
        self.run_kernel(kernel, items, image, buffer)

    def rotate_components(self, image: Handle, image_type: str, image_format: Format) -> None:
        """Run a kernel that reads each texel, writes it back with its components rotated, and returns the colours."""
        kernel, items = self.get_image_kernel(ImageOperation.CHANGE, image_type, image_format), self.texel_count(image)
        colours = self.buffer(size=COLOUR_BYTES * items)
        self.run_kernel(kernel, items, image, colours)
        self.read(colours, 0, COLOUR_BYTES * items)

    def sample_by_kernel(
        self, image: Handle, image_type: str, image_format: Format, sampler: Handle, *, normalized: bool
    ) -> None:
        """Sample the texels of an image and some coordinates beyond its edges with a kernel, and read the result."""
        kernel = self.get_image_kernel(
            ImageOperation.REPEAT if normalized else ImageOperation.SAMPLE, image_type, image_format
        )
        sizes, extent = IMAGE_TYPES_IN_C[image_type].sizes, self.cl.model.get(Image, image).shape.extent
        items = math.prod(size + 2 * TEXELS_BEYOND_EDGE * (axis < sizes) for axis, size in enumerate(extent))
        colours = self.buffer(size=COLOUR_BYTES * items)
        self.run_kernel(kernel, items, image, sampler, colours)
        self.read(colours, 0, COLOUR_BYTES * items)

    def query_sizes_by_kernel(self, image: Handle, kernel: Handle) -> None:
        """Query the sizes of an image in a kernel, and read the returned sizes."""
        sizes = self.buffer(size=4 * SIZE_COUNT)
        self.run_kernel(kernel, 1, image, sizes)
        self.read(sizes, 0, 4 * SIZE_COUNT)

    # the language

    def get_c_version(self) -> tuple[int, int]:
        """Return the version of OpenCL C that the device reports."""
        return parse_version(self.cl.fact("CL_DEVICE_OPENCL_C_VERSION") or "", OPENCL_C) or OLDEST

    def has_feature(self, name: str) -> bool:
        """Return whether the device lists an OpenCL C 3.0 feature, or supports OpenCL C 2.x, which includes it."""
        listed = self.cl.fact(FEATURES) or ()
        return (2, 0) <= self.get_c_version() < (3, 0) or f"__opencl_c_{name}" in listed

    def _needs_for(self, kernel: ImageKernel) -> None:
        skip_unless(
            self.get_c_version() >= (1, 2), "requires OpenCL C 1.2 (image types, and reading without a sampler)"
        )
        if kernel.operation is ImageOperation.CHANGE:
            skip_unless(self.has_feature("read_write_images"), "the device lacks images that a kernel reads and writes")
        if kernel.writes and kernel.image_type.endswith("3D"):
            told = "cl_khr_3d_image_writes" in (self.cl.fact("CL_DEVICE_EXTENSIONS") or "").split()
            skip_unless(told or self.has_feature("3d_image_writes"), "the device lacks writes to 3D images")

    def _options(self, kernels: Iterable[ImageKernel]) -> str:
        """Return the build options for these kernels.

        They select a language version only where the default, OpenCL C 1.2, is insufficient.
        """
        if not any(each.is_depth or each.operation is ImageOperation.CHANGE for each in kernels):
            return ""
        return f"-cl-std=CL{'.'.join(map(str, self.get_c_version()))}"


def get_layout(image_format: Format) -> TexelLayout:
    """Return the memory layout of a format's texels; skip where the layout is unspecified."""
    layout = texel_layout(*image_format)
    if layout is None:
        pytest.skip("how a texel lies in memory is open")
    return layout


def create_texels(image_format: Format, count: int, seed: int = 0) -> bytes:
    """Return test bytes for texels of a format; floating-point values are neither NaN nor huge."""
    layout = get_layout(image_format)
    if layout.encoding == "float":
        return struct.pack(f"<{count * layout.size // 4}f", *_fractions(count * layout.size // 4, seed))
    if layout.encoding == "half":
        return struct.pack(f"<{count * layout.size // 2}e", *_fractions(count * layout.size // 2, seed))
    return pattern_bytes(count * layout.size, seed)


def _fractions(count: int, seed: int) -> list[float]:
    """Return numbers from 0 to 1 that are exact as 16-bit floating-point numbers."""
    return [byte / 256 for byte in pattern_bytes(count, seed)]
