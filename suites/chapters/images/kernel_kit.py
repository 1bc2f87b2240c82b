"""The kit of suites about texels: images of listed formats, colours, and kernels over images."""

from __future__ import annotations

import functools
import math
import re
import struct
from typing import TYPE_CHECKING

import pytest

from clconform.calls.values import Data, Handle, HandleBytes, Items, OutputBuffer, Text
from clconform.oracles.model.image_formats import layout_of
from clconform.oracles.model.image_kernels import (
    BEYOND,
    COLOUR_BYTES,
    IMAGE_KERNELS,
    MEASURES,
    TYPES_IN_C,
    ImageKernel,
    Work,
    name_of,
)
from clconform.oracles.model.images import Image
from clconform.suites.kit.formats import listed, needs_images
from clconform.suites.kit.images import OF_A_BUFFER, WIDTH
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import telling
from clconform.suites.kit.texels import place, read
from clconform.suites.steps import needs, one

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clconform.calls.values import Value
    from clconform.oracles.model.image_formats import TexelLayout

Format = tuple[str, str]
"""Channel order and channel data type, by name."""
READS, WRITES, BOTH = "CL_MEM_READ_ONLY", "CL_MEM_WRITE_ONLY", "CL_MEM_READ_WRITE"
ONE_BY_ONE = "CL_MEM_KERNEL_READ_AND_WRITE"
FEATURES = "CL_DEVICE_OPENCL_C_FEATURES"


class ImageKit(Kit):
    """Images of a device's formats, and kernels that read and write them."""

    # formats

    def formats(self, image_type: str, *flags: str) -> list[Format]:
        """Return the formats of known layout that are listed for an image type and every one of these flags."""
        lists = [self.once((image_type, flag), functools.partial(self._listed, image_type, flag)) for flag in flags]
        return [each for each in lists[0] if all(each in other for other in lists) and layout_of(*each) is not None]

    def _listed(self, image_type: str, flag: str) -> list[Format]:
        needs_images(self)
        pairs = listed(self, self.context, self.value(flag), self.value(image_type))
        orders, types = (self.cl.tables.values_of_group(group) for group in ("cl_channel_order", "cl_channel_type"))
        by_value = {value: name for name, value in reversed([*orders.items(), *types.items()])}
        return [(by_value[order], by_value[kind]) for order, kind in pairs if order in by_value and kind in by_value]

    def of(self, image_type: str, image_format: Format, *flags: str, **fields: int) -> Handle:
        """Create an image of a type and format; a buffer image gets a buffer that is large enough."""
        on_buffer = image_type == OF_A_BUFFER
        size = fields.get("image_width", WIDTH) * known_layout(image_format).size
        source = self.buffer(size=size) if on_buffer else None
        return self.image(image_type, image_format, flags=flags or (BOTH,), source=source, **fields)

    # texels

    def texel_count(self, image: Handle) -> int:
        """Return the number of texels of an image."""
        return math.prod(self.cl.model.get(Image, image).shape.extent)

    def put_texels(self, image: Handle, content: bytes) -> None:
        """Write all texels of an image, and wait."""
        told: dict[str, Value] = {"input_row_pitch": 0, "input_slice_pitch": 0, "ptr": Data(content)}
        self.enqueue("clEnqueueWriteImage", **place(self.cl.model.get(Image, image), None, None), **told)

    def get_texels(self, image: Handle) -> None:
        """Read all texels of an image, and wait; the judge compares the values."""
        read(self, image)

    def fill(self, image: Handle, colour: bytes, origin: Sequence[int] = (0, 0, 0)) -> None:
        """Fill an image with a colour, from ``origin`` to its end."""
        extent = self.cl.model.get(Image, image).shape.extent
        left = Items(tuple(size - first for size, first in zip(extent, origin, strict=True)))
        self.enqueue(
            "clEnqueueFillImage", image=image, fill_color=Data(colour), origin=Items(tuple(origin)), region=left
        )

    # kernels

    def image_kernels(self, names: Iterable[str]) -> dict[str, Handle]:
        """Create known kernels over images in one program; skip where the driver does not build it."""
        known = [IMAGE_KERNELS[name] for name in names]
        for each in known:
            self._needs_for(each)
        sources = [each.source for each in known]
        program = self.program_of(*sources)
        done = self.builds(program, self._options(known))
        needs(done, f"the driver does not build the kernels{'' if done else self.first_complaint(program)}")
        return {each.name: one(self.cl.clCreateKernel(program, Text(each.name), OutputBuffer(1))) for each in known}

    def image_kernel(self, work: Work, image_type: str, image_format: Format) -> Handle:
        """Return the kernel for a kind of work on images of a type and format, created once."""
        name = name_of(work, image_type, known_layout(image_format).encoding, depth=image_format[0] == "CL_DEPTH")
        return self.once(("image kernel", name), lambda: self.image_kernels([name])[name])

    def launch(self, kernel: Handle, items: int, *arguments: Handle, queue: Handle | None = None) -> None:
        """Set the object arguments of a kernel, run it with work-groups of one work-item, and wait.

        The local size is fixed because some drivers compile a kernel again for each size.
        """
        for index, handle in enumerate(arguments):
            self.cl.clSetKernelArg(kernel, index, 8, HandleBytes(handle))
        sizes: dict[str, Value] = {"work_dim": 1, "global_work_offset": None, "local_work_size": Items((1,))}
        run = {"kernel": kernel, "global_work_size": Items((items,)), **sizes}
        self.enqueue("clEnqueueNDRangeKernel", queue=queue, **run)
        self.finish(queue)

    def see(self, image: Handle, image_type: str, image_format: Format) -> None:
        """Read all texels of an image into a buffer with a kernel, and read the buffer for the judge."""
        kernel, items = self.image_kernel(Work.READ, image_type, image_format), self.texel_count(image)
        colours = self.buffer(size=COLOUR_BYTES * items)
        self.launch(kernel, items, image, colours)
        self.read(colours, 0, COLOUR_BYTES * items)

    def paint(self, image: Handle, image_type: str, image_format: Format, colours: bytes) -> None:
        """Write a colour into each texel of an image with a kernel."""
        kernel, items = self.image_kernel(Work.WRITE, image_type, image_format), self.texel_count(image)
        buffer = self.buffer(size=len(colours))
        self.write(buffer, 0, colours)
        self.launch(kernel, items, image, buffer)

    def change(self, image: Handle, image_type: str, image_format: Format) -> None:
        """Read and rewrite each texel with a kernel, with its components rotated by one, and read the colours."""
        kernel, items = self.image_kernel(Work.CHANGE, image_type, image_format), self.texel_count(image)
        colours = self.buffer(size=COLOUR_BYTES * items)
        self.launch(kernel, items, image, colours)
        self.read(colours, 0, COLOUR_BYTES * items)

    def sample(
        self, image: Handle, image_type: str, image_format: Format, sampler: Handle, *, normalized: bool
    ) -> None:
        """Sample the texels of an image and some coordinates beyond its edges with a kernel, and read the result."""
        kernel = self.image_kernel(Work.REPEAT if normalized else Work.SAMPLE, image_type, image_format)
        sizes, extent = TYPES_IN_C[image_type].sizes, self.cl.model.get(Image, image).shape.extent
        items = math.prod(size + 2 * BEYOND * (axis < sizes) for axis, size in enumerate(extent))
        colours = self.buffer(size=COLOUR_BYTES * items)
        self.launch(kernel, items, image, sampler, colours)
        self.read(colours, 0, COLOUR_BYTES * items)

    def measure(self, image: Handle, kernel: Handle) -> None:
        """Query the sizes of an image in a kernel, and read them."""
        sizes = self.buffer(size=4 * MEASURES)
        self.launch(kernel, 1, image, sizes)
        self.read(sizes, 0, 4 * MEASURES)

    # the language

    def c_version(self) -> tuple[int, int]:
        """Return the version of OpenCL C that the device reports."""
        found = re.match(r"OpenCL C (\d+)\.(\d+)", self.cl.fact("CL_DEVICE_OPENCL_C_VERSION") or "OpenCL C 1.0")
        return (int(found[1]), int(found[2])) if found else (1, 0)

    def has_feature(self, name: str) -> bool:
        """Return whether the device lists a feature of OpenCL C 3.0, or has a version 2.x, which includes it."""
        listed = self.cl.fact(FEATURES) or ()
        return (2, 0) <= self.c_version() < (3, 0) or f"__opencl_c_{name}" in listed

    def _needs_for(self, kernel: ImageKernel) -> None:
        needs(self.c_version() >= (1, 2), "requires OpenCL C 1.2 (image types, and reading without a sampler)")
        if kernel.work is Work.CHANGE:
            needs(self.has_feature("read_write_images"), "the device lacks images that a kernel reads and writes")
        if kernel.writes and kernel.image_type.endswith("3D"):
            told = "cl_khr_3d_image_writes" in (self.cl.fact("CL_DEVICE_EXTENSIONS") or "").split()
            needs(told or self.has_feature("3d_image_writes"), "the device lacks writes to 3D images")

    def _options(self, kernels: Iterable[ImageKernel]) -> str:
        """Return the build options: a language version only where the default, 1.2, is not sufficient."""
        if not any(each.depth or each.work is Work.CHANGE for each in kernels):
            return ""
        return f"-cl-std=CL{'.'.join(map(str, self.c_version()))}"


def known_layout(image_format: Format) -> TexelLayout:
    """Return the memory layout of a format's texels; skip where the layout is unspecified."""
    layout = layout_of(*image_format)
    if layout is None:
        pytest.skip("how a texel lies in memory is open")
    return layout


def texels_of(image_format: Format, count: int, seed: int = 0) -> bytes:
    """Return test bytes for texels of a format; floating-point values are neither NaN nor huge."""
    layout = known_layout(image_format)
    if layout.encoding == "float":
        return struct.pack(f"<{count * layout.size // 4}f", *_fractions(count * layout.size // 4, seed))
    if layout.encoding == "half":
        return struct.pack(f"<{count * layout.size // 2}e", *_fractions(count * layout.size // 2, seed))
    return telling(count * layout.size, seed)


def _fractions(count: int, seed: int) -> list[float]:
    """Return numbers from 0 to 1 that are exact as 16-bit floating-point numbers."""
    return [byte / 256 for byte in telling(count, seed)]
