"""The kernels with which suites read and write images, for each image type and number type.

Each work-item processes one texel; its index counts texels row by row. Colours are in a buffer, four 32-bit numbers
each.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from enum import Enum

from clconform.oracles.model.parameters import KernelParameter

TEXELS_BEYOND_EDGE = 2
"""The number of texels that ``sample`` and ``repeat`` read beyond each edge."""
SIZE_COUNT = 4
"""The number of values that ``measure`` writes: width, height, depth, layers."""
COLOUR_BYTES = 16
GLOBAL = "CL_KERNEL_ARG_ADDRESS_GLOBAL"


class ImageOperation(Enum):
    """The operation of a kernel on an image."""

    READ = "reads each texel"
    SAMPLE = "reads each texel and some beyond the edges, by a sampler and texel coordinates"
    REPEAT = "reads each texel and some beyond the edges, by a sampler and normalized coordinates"
    WRITE = "writes each texel"
    CHANGE = "reads each texel and writes it with its numbers rotated by one position"
    MEASURE = "queries the sizes of the image"


@dataclass(frozen=True)
class ImageTypeInC:
    """An image type in OpenCL C.

    ``coordinate_type``: the type of texel coordinates. ``sizes``: the number of coordinates without the layer.
    ``has_layers``: images of the type have layers.
    """

    name: str
    coordinate_type: str
    sizes: int
    has_layers: bool = False


IMAGE_TYPES_IN_C = {
    "CL_MEM_OBJECT_IMAGE1D": ImageTypeInC("image1d", "int", 1),
    "CL_MEM_OBJECT_IMAGE1D_BUFFER": ImageTypeInC("image1d_buffer", "int", 1),
    "CL_MEM_OBJECT_IMAGE1D_ARRAY": ImageTypeInC("image1d_array", "int2", 1, has_layers=True),
    "CL_MEM_OBJECT_IMAGE2D": ImageTypeInC("image2d", "int2", 2),
    "CL_MEM_OBJECT_IMAGE2D_ARRAY": ImageTypeInC("image2d_array", "int4", 2, has_layers=True),
    "CL_MEM_OBJECT_IMAGE3D": ImageTypeInC("image3d", "int4", 3),
}
INTEGER_SUFFIXES = {"sint": ("i", "int"), "uint": ("ui", "uint")}
"""Maps encodings of integer texels to the suffix of the read and write functions, and to the type of their numbers."""
FLOAT_SUFFIX = ("f", "float")
ENABLE_3D_WRITES = "#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable"


@dataclass(frozen=True)
class ImageKernel:
    """A kernel over an image; its arguments are the image, a sampler if it uses one, and a buffer of colours.

    ``image_type``: the name of the image type. ``suffix``: the suffix of the functions that the kernel calls: f, i or
    ui. ``is_depth``: the channel order of the image is CL_DEPTH.
    """

    name: str
    operation: ImageOperation
    image_type: str
    suffix: str
    is_depth: bool
    source: str

    @property
    def samples(self) -> bool:
        """Return whether the kernel uses a sampler."""
        return self.operation in (ImageOperation.SAMPLE, ImageOperation.REPEAT)

    @property
    def writes(self) -> bool:
        """Return whether the kernel writes to the image."""
        return self.operation in (ImageOperation.WRITE, ImageOperation.CHANGE)

    @property
    def arguments(self) -> tuple[KernelParameter, ...]:
        """Return the arguments of the kernel as the source declares them."""
        access = {ImageOperation.WRITE: "WRITE_ONLY", ImageOperation.CHANGE: "READ_WRITE"}.get(
            self.operation, "READ_ONLY"
        )
        kind = f"{IMAGE_TYPES_IN_C[self.image_type].name}{'_depth' * self.is_depth}_t"
        image = KernelParameter("image", kind, GLOBAL, f"CL_KERNEL_ARG_ACCESS_{access}")
        sampler = [KernelParameter("sampler", "sampler_t", "CL_KERNEL_ARG_ADDRESS_PRIVATE")] * self.samples
        if self.operation is ImageOperation.MEASURE:
            return image, KernelParameter("colours", "uint*", GLOBAL, bytes=COLOUR_BYTES // 4)
        number = dict([*INTEGER_SUFFIXES.values(), FLOAT_SUFFIX])[self.suffix]
        const = ("CL_KERNEL_ARG_TYPE_CONST",) if self.operation is ImageOperation.WRITE else ()
        return image, *sampler, KernelParameter("colours", f"{number}4*", GLOBAL, qualifiers=const, bytes=COLOUR_BYTES)


def kernel_name(operation: ImageOperation, image_type: str, kind: str, *, depth: bool = False) -> str:
    """Return the name of the kernel for an image type and an encoding."""
    end = INTEGER_SUFFIXES.get(kind, FLOAT_SUFFIX)[0] if operation is not ImageOperation.MEASURE else ""
    return "_".join(filter(None, (operation.name.lower(), IMAGE_TYPES_IN_C[image_type].name, "depth" * depth, end)))


def _size_queries(kind: ImageTypeInC) -> list[str]:
    """Return the OpenCL C expressions for the image size along each coordinate except the last."""
    return [f"get_image_{name}(image)" for name in ("width", "height")[: kind.sizes + kind.has_layers - 1]]


def _coordinate_lines(kind: ImageTypeInC, beyond: int) -> list[str]:
    """Return the source lines that compute the coordinates x, y and z from the index of the work-item.

    ``beyond``: the number of texels beyond each edge; layers stay inside the image.
    """
    sizes = [f"{size} + {2 * beyond}" if beyond else size for size in _size_queries(kind)]
    names = ["x", "y", "z"][: kind.sizes + kind.has_layers]
    lines, rest = [], "(int)get_global_id(0)"
    lines.append(f"    int rest = {rest};")
    for index, name in enumerate(names):
        less = f" - {beyond}" if beyond and index < kind.sizes else ""
        if index < len(sizes):
            lines.append(f"    int {name} = rest % ({sizes[index]}){less};")
            lines.append(f"    rest /= {sizes[index]};" if not beyond else f"    rest /= ({sizes[index]});")
        else:
            lines.append(f"    int {name} = rest{less};")
    return lines


def _texel_coordinates(kind: ImageTypeInC) -> str:
    """Return the coordinates as an argument for the image functions of OpenCL C."""
    names = ["x", "y", "z"][: kind.sizes + kind.has_layers]
    if kind.coordinate_type == "int":
        return "x"
    return f"({kind.coordinate_type})({', '.join(names + ['0'] * (4 * (kind.coordinate_type == 'int4') - len(names)))})"


def _normalized_coordinates(kind: ImageTypeInC) -> str:
    """Return the normalized coordinates of a texel's centre; the layer is not normalized."""
    asked = [f"get_image_{name}(image)" for name in ("width", "height", "depth")[: kind.sizes]]
    parts = [f"((float){name} + 0.5f) / (float){size}" for name, size in zip(("x", "y", "z"), asked, strict=False)]
    if kind.has_layers:
        parts.append(f"(float){'xyz'[kind.sizes]}")
    if kind.coordinate_type == "int":
        return parts[0]
    count = 4 if kind.coordinate_type == "int4" else 2
    return f"(float{count})({', '.join(parts + ['0.0f'] * (count - len(parts)))})"


def _kernel_source(work: ImageOperation, image_type: str, end: str, number: str, *, depth: bool) -> str:
    kind, name = (
        IMAGE_TYPES_IN_C[image_type],
        kernel_name(work, image_type, {"i": "sint", "ui": "uint"}.get(end, ""), depth=depth),
    )
    access = {ImageOperation.WRITE: "__write_only", ImageOperation.CHANGE: "__read_write"}.get(work, "__read_only")
    image = f"{access} {kind.name}{'_depth' * depth}_t image"
    if work is ImageOperation.MEASURE:
        return _measure_source(name, image, kind)
    beyond = TEXELS_BEYOND_EDGE if work in (ImageOperation.SAMPLE, ImageOperation.REPEAT) else 0
    last = f"__global const {number}4 *colours" if work is ImageOperation.WRITE else f"__global {number}4 *colours"
    given = ["sampler_t sampler"] if beyond else []
    place = _normalized_coordinates(kind) if work is ImageOperation.REPEAT else _texel_coordinates(kind)
    read = f"read_image{end}(image, {'sampler, ' * bool(beyond)}{place})"
    if depth:
        read = f"(float4)({read}, 0.0f, 0.0f, 1.0f)"
    one = "colours[get_global_id(0)]"
    body = {
        ImageOperation.WRITE: [f"    write_image{end}(image, {_texel_coordinates(kind)}, {one}{'.x' * depth});"],
        ImageOperation.CHANGE: [
            f"    {number}4 colour = {read};",
            f"    {one} = colour;",
            f"    write_image{end}(image, {_texel_coordinates(kind)}, colour.yzwx);",
        ],
    }.get(work, [f"    {one} = {read};"])
    head = f"__kernel void {name}({', '.join([image, *given, last])})"
    unlocked = [ENABLE_3D_WRITES] if image_type.endswith("3D") and access != "__read_only" else []
    return "\n".join([*unlocked, head, "{", *_coordinate_lines(kind, beyond), *body, "}", ""])


def _measure_source(name: str, image: str, kind: ImageTypeInC) -> str:
    told = ["get_image_width(image)"]
    told.append("get_image_height(image)" if kind.sizes > 1 else "0")
    told.append("get_image_depth(image)" if kind.name == "image3d" else "0")
    told.append("get_image_array_size(image)" if kind.has_layers else "0")
    lines = [f"    colours[{index}] = (uint){each};" for index, each in enumerate(told)]
    return "\n".join([f"__kernel void {name}({image}, __global uint *colours)", "{", *lines, "}", ""])


def _create_kernels() -> list[ImageKernel]:
    found = []
    for work, image_type in itertools.product(ImageOperation, IMAGE_TYPES_IN_C):
        if image_type == "CL_MEM_OBJECT_IMAGE1D_BUFFER" and work in (ImageOperation.SAMPLE, ImageOperation.REPEAT):
            continue  # such images do not support samplers
        ends = (
            [*INTEGER_SUFFIXES.values(), FLOAT_SUFFIX]
            if work is not ImageOperation.CHANGE
            else list(INTEGER_SUFFIXES.values())
        )
        for end, number in ends if work is not ImageOperation.MEASURE else [("", "uint")]:
            source = _kernel_source(work, image_type, end, number, depth=False)
            kind = {"i": "sint", "ui": "uint"}.get(end, "")
            found.append(ImageKernel(kernel_name(work, image_type, kind), work, image_type, end, False, source))
            if end == "f" and image_type in ("CL_MEM_OBJECT_IMAGE2D", "CL_MEM_OBJECT_IMAGE2D_ARRAY"):
                source = _kernel_source(work, image_type, end, number, depth=True)
                found.append(
                    ImageKernel(kernel_name(work, image_type, "", depth=True), work, image_type, end, True, source)
                )
    return found


IMAGE_KERNELS: dict[str, ImageKernel] = {kernel.name: kernel for kernel in _create_kernels()}
