"""Kernels with as many arguments as a limit of a device allows, generated from their names.

A name contains the number and the type of the arguments: ``use_16_samplers``. It may be longer than necessary. The
first argument is the buffer to which the kernel writes its results; it runs with one work-item.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clconform.oracles.model.argument_kernels import CONSTANT, DATA, GLOBAL, PRIVATE, WORD_BYTES
from clconform.oracles.model.parameters import KernelParameter

if TYPE_CHECKING:
    from clconform.oracles.model.devices import Device

READ, WRITE, CHANGE = (f"CL_KERNEL_ARG_ACCESS_{name}" for name in ("READ_ONLY", "WRITE_ONLY", "READ_WRITE"))
PIXEL = "(int2)(0, 0)"
MAX_POINTER_BYTES, ULONG_BYTES, VECTOR_SIZES = 8, 8, (1, 2, 4, 8, 16)
LEAST_PARAMETER_BYTES, FEW_ARGUMENTS, MANY_ARGUMENTS = 1024, 128, 255
"""The parameter size for which a kernel has few arguments, and the numbers of arguments for this and for other sizes.

The numbers are those in the description of CL_DEVICE_MAX_PARAMETER_SIZE.
"""
IMAGE_QUERY, PARAMETER_QUERY = "CL_DEVICE_IMAGE_SUPPORT", "CL_DEVICE_MAX_PARAMETER_SIZE"
CHANGED_IMAGES = "images_to_change"
NUMBERS = ("images_to_read", "images_to_write", CHANGED_IMAGES, "samplers", "constants")
"""The types of arguments whose number is limited."""


@dataclass(frozen=True)
class LimitedArgument:
    """A type of argument whose number or size a device limits.

    ``query``: the query for the limit. ``declaration``: the declaration in OpenCL C without the name. ``parameter``:
    the same as the model's parameter. ``word``: the expression for the word that the kernel stores for an argument,
    with the argument's name as a field; empty if it writes to the argument instead. ``word_offset``: the offset of the
    word in the argument's value or memory. ``extra``: a further argument before the others. ``version``: the OpenCL C
    version that the kernel requires.
    """

    query: str
    declaration: str
    parameter: KernelParameter
    word: str = ""
    word_offset: int = 0
    extra: tuple[KernelParameter, str] | None = None
    version: tuple[int, int] = (1, 2)

    @property
    def needs_images(self) -> bool:
        """Whether the kernel has images as arguments."""
        return "image" in self.declaration or self.extra is not None


def _image(access: str, word: str = "", query: str = "", *, version: tuple[int, int] = (1, 2)) -> LimitedArgument:
    qualifier = access.partition("_ACCESS_")[2].lower()
    parameter = KernelParameter("image", "image2d_t", GLOBAL, access)
    return LimitedArgument(query, f"{qualifier} image2d_t ", parameter, word, version=version)


def _vector(size: int) -> LimitedArgument:
    """Return an argument by value: a vector of 64-bit numbers, whose last four bytes the kernel stores."""
    name = f"ulong{size if size > 1 else ''}"
    last = f".s{size - 1:x}" if size > 1 else ""
    whole = ULONG_BYTES * size
    parameter = KernelParameter("value", name, PRIVATE, bytes=whole)
    return LimitedArgument(
        PARAMETER_QUERY, f"{name} ", parameter, f"(uint)({{0}}{last} >> 32)", whole - WORD_BYTES, version=(1, 0)
    )


IMAGE = KernelParameter("image", "image2d_t", GLOBAL, READ)
LIMITED_ARGUMENTS: dict[str, LimitedArgument] = {
    "images_to_read": _image(READ, f"read_imageui({{0}}, {PIXEL}).x", "CL_DEVICE_MAX_READ_IMAGE_ARGS"),
    "images_to_write": _image(WRITE, "", "CL_DEVICE_MAX_WRITE_IMAGE_ARGS"),
    CHANGED_IMAGES: _image(CHANGE, "", "CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS", version=(2, 0)),
    "samplers": LimitedArgument(
        "CL_DEVICE_MAX_SAMPLERS",
        "sampler_t ",
        KernelParameter("sampler", "sampler_t", PRIVATE),
        f"read_imageui(image, {{0}}, {PIXEL}).x",
        extra=(IMAGE, "read_only image2d_t image"),
    ),
    "constants": LimitedArgument(
        "CL_DEVICE_MAX_CONSTANT_ARGS",
        "__constant uint *",
        KernelParameter("fixed", "uint*", CONSTANT, qualifiers=("CL_KERNEL_ARG_TYPE_CONST",), bytes=WORD_BYTES),
        "{0}[0]",
        version=(1, 0),
    ),
    **{f"vectors_of_{size}": _vector(size) for size in VECTOR_SIZES},
}
"""Maps the end of a kernel's name to the type of its arguments."""


@dataclass(frozen=True)
class LimitKernel:
    """A kernel with ``count`` arguments of a type, after its first argument and the extra one.

    ``suffix``: the end of its name; an underscore and repetitions of one letter, or empty.
    """

    family: str
    count: int
    suffix: str = ""

    @property
    def argument(self) -> LimitedArgument:
        """The type of the arguments."""
        return LIMITED_ARGUMENTS[self.family]

    @property
    def name(self) -> str:
        """The name of the kernel."""
        return f"use_{self.count}_{self.family}{self.suffix}"

    @property
    def first_index(self) -> int:
        """The index of the first of the ``count`` arguments."""
        return 1 if self.argument.extra is None else 2

    @property
    def parameters(self) -> tuple[KernelParameter, ...]:
        """The arguments as the source declares them."""
        extra = () if self.argument.extra is None else (self.argument.extra[0],)
        return (DATA, *extra, *[self.argument.parameter] * self.count)

    @property
    def source(self) -> str:
        """The source of the kernel."""
        names = [f"a{index}" for index in range(self.count)]
        extra = [] if self.argument.extra is None else [self.argument.extra[1]]
        declared = ",\n    ".join(
            ["__global uint *data", *extra, *(f"{self.argument.declaration}{name}" for name in names)]
        )
        lines = [self._statement(index, name) for index, name in enumerate(names)]
        return f"__kernel void {self.name}({declared})\n{{\n{''.join(lines)}}}\n"

    def _statement(self, index: int, name: str) -> str:
        if self.argument.word:
            return f"    data[{index}] = {self.argument.word.format(name)};\n"
        return f"    write_imageui({name}, {PIXEL}, (uint4)({pixel_word(index)}u));\n    data[{index}] = {index}u;\n"

    def is_within_limits(self, device: Device) -> bool:
        """Return whether a device supports the number and the size of the arguments; UnknownFactError if unknown."""
        limited = self.argument
        if limited.needs_images and not device.number(IMAGE_QUERY):
            return False
        whole = device.number(PARAMETER_QUERY)
        if limited.query == PARAMETER_QUERY:
            used = limited.parameter.bytes * (1 + self.count)
        else:
            used = MAX_POINTER_BYTES * len(self.parameters)
            if device.number(limited.query) < self.count:
                return False
        return used <= whole and len(self.parameters) <= max_arguments(whole)


def pixel_word(index: int) -> int:
    """Return the number that a kernel writes to each channel of an image."""
    return 1000 + 7 * index


def max_arguments(parameter_bytes: int) -> int:
    """Return the largest number of arguments of a kernel on a device with this CL_DEVICE_MAX_PARAMETER_SIZE."""
    return FEW_ARGUMENTS if parameter_bytes <= LEAST_PARAMETER_BYTES else MANY_ARGUMENTS


def kernel_with_most_arguments(family: str, most: int, parameter_bytes: int) -> LimitKernel:
    """Return the kernel with as many arguments of a type as all limits allow; its count may be 0 or less.

    ``most``: the limit of the device for this type. ``parameter_bytes``: its CL_DEVICE_MAX_PARAMETER_SIZE.
    """
    before = LimitKernel(family, 1).first_index
    count = min(most, max_arguments(parameter_bytes) - before, parameter_bytes // MAX_POINTER_BYTES - before)
    return LimitKernel(family, count)


def kernel_with_largest_arguments(parameter_bytes: int) -> LimitKernel:
    """Return the kernel whose arguments have CL_DEVICE_MAX_PARAMETER_SIZE bytes together, as far as possible.

    The number of its arguments may be 0 or less.
    """
    most = max_arguments(parameter_bytes) - 1
    size = next((size for size in VECTOR_SIZES if parameter_bytes // (8 * size) - 1 <= most), VECTOR_SIZES[-1])
    return LimitKernel(f"vectors_of_{size}", min(most, parameter_bytes // (8 * size) - 1))


_NAME = re.compile(rf"use_(\d{{1,3}})_({'|'.join(LIMITED_ARGUMENTS)})(_x+|)")
_START = re.compile(r"__kernel void (\w+)\(")


@functools.cache
def find_limit_kernel(name: str) -> LimitKernel | None:
    """Return the kernel of this name, or None if the name is not that of such a kernel."""
    found = _NAME.fullmatch(name)
    return LimitKernel(found[2], int(found[1]), found[3]) if found is not None and int(found[1]) > 0 else None


def find_at_start(source: str) -> LimitKernel | None:
    """Return the kernel with whose source a text begins, or None."""
    found = _START.match(source)
    kernel = find_limit_kernel(found[1]) if found is not None else None
    return kernel if kernel is not None and source.startswith(kernel.source) else None
