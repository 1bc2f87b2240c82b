"""Kernels that write the arguments they received: values of different types, and memory of each address space.

Each kernel runs with one work-item, and stores 32-bit words in its first argument.
"""

from __future__ import annotations

from dataclasses import dataclass

from clconform.oracles.model.parameters import KernelParameter

GLOBAL, CONSTANT, LOCAL, PRIVATE = (
    f"CL_KERNEL_ARG_ADDRESS_{name}" for name in ("GLOBAL", "CONSTANT", "LOCAL", "PRIVATE")
)
WORD_BYTES = 4
NULL_WORD = 0x4E554C4C
"""The word that a kernel stores for a NULL pointer."""


@dataclass(frozen=True)
class ArgumentKernel:
    """A kernel that stores its arguments, word by word.

    ``arguments``: the first argument is the output. ``words``: for each further argument, the bytes in each stored
    word, as an offset in the argument and a number of bytes.
    """

    name: str
    source: str
    arguments: tuple[KernelParameter, ...]
    words: tuple[tuple[tuple[int, int], ...], ...] = ()


@dataclass(frozen=True)
class _ValueType:
    """An argument passed by value: its name, type in OpenCL C, and size in bytes.

    ``words``: an expression for each stored word; ``word_ranges``: the offset and the number of its bytes.
    """

    name: str
    type_name: str
    bytes: int
    words: tuple[str, ...]
    word_ranges: tuple[tuple[int, int], ...]


def _word_ranges(count: int, width: int = WORD_BYTES) -> tuple[tuple[int, int], ...]:
    return tuple((width * index, width) for index in range(count))


_VALUES = (
    _ValueType("one", "uchar", 1, ("(uint)one",), ((0, 1),)),
    _ValueType("two", "ushort", 2, ("(uint)two",), ((0, 2),)),
    _ValueType("four", "uint", 4, ("four",), ((0, 4),)),
    _ValueType("eight", "ulong", 8, ("(uint)eight", "(uint)(eight >> 32)"), _word_ranges(2)),
    _ValueType("real", "float", 4, ("as_uint(real)",), ((0, 4),)),
    _ValueType("pair", "uchar2", 2, ("(uint)pair.x", "(uint)pair.y"), _word_ranges(2, 1)),
    _ValueType("three", "uint3", 16, ("three.x", "three.y", "three.z"), _word_ranges(3)),
    _ValueType("reals", "float4", 16, tuple(f"as_uint(reals.{each})" for each in "xyzw"), _word_ranges(4)),
    _ValueType("many", "uint16", 64, tuple(f"many.s{each}" for each in "0123456789abcdef"), _word_ranges(16)),
    _ValueType("mixed", "mixture", 12, ("mixed.first", "(uint)mixed.second", "mixed.third"), ((0, 4), (4, 1), (8, 4))),
    _ValueType(
        "small", "letters", 3, tuple(f"(uint)small.{each}" for each in ("first", "second", "third")), _word_ranges(3, 1)
    ),
)


def _source(name: str, before: str, parameters: list[str], stored: list[str]) -> str:
    lines = "".join(f"    data[{index}] = {word};\n" for index, word in enumerate(stored))
    return f"{before}__kernel void {name}({', '.join(['__global uint *data', *parameters])})\n{{\n{lines}}}\n"


DATA = KernelParameter("data", "uint*", GLOBAL, bytes=WORD_BYTES)
ECHO_VALUES, ECHO_MEMORY = "tell_values", "tell_memory"
ARGUMENT_KERNELS: dict[str, ArgumentKernel] = {
    kernel.name: kernel
    for kernel in (
        ArgumentKernel(
            ECHO_VALUES,
            _source(
                ECHO_VALUES,
                "typedef struct {\n    uint first;\n    uchar second;\n    uint third;\n} mixture;\n"
                "typedef struct {\n    uchar first;\n    uchar second;\n    uchar third;\n} letters;\n",
                [f"{kind.type_name} {kind.name}" for kind in _VALUES],
                [word for kind in _VALUES for word in kind.words],
            ),
            (DATA, *(KernelParameter(kind.name, kind.type_name, PRIVATE, bytes=kind.bytes) for kind in _VALUES)),
            tuple(kind.word_ranges for kind in _VALUES),
        ),
        ArgumentKernel(
            ECHO_MEMORY,
            _source(
                ECHO_MEMORY,
                "",
                ["__global const uint *other", "__constant uint *fixed", "__local uint *shared", "uint offset"],
                [f"other ? other[0] : {NULL_WORD}u", f"fixed ? fixed[0] : {NULL_WORD}u", "shared[0] = offset"],
            ),
            (
                DATA,
                KernelParameter("other", "uint*", GLOBAL, qualifiers=("CL_KERNEL_ARG_TYPE_CONST",), bytes=WORD_BYTES),
                KernelParameter("fixed", "uint*", CONSTANT, qualifiers=("CL_KERNEL_ARG_TYPE_CONST",), bytes=WORD_BYTES),
                KernelParameter("shared", "uint*", LOCAL, bytes=WORD_BYTES),
                KernelParameter("offset", "uint", PRIVATE, bytes=WORD_BYTES),
            ),
            (((0, 4),), ((0, 4),), (), ((0, 4),)),
        ),
    )
}
TAKE_QUEUE = ArgumentKernel(
    "take_queue",
    "__kernel void take_queue(__global uint *data, queue_t queue)\n{\n    data[0] = 1u;\n}\n",
    (DATA, KernelParameter("queue", "queue_t", PRIVATE)),
)
"""A kernel with a device queue as an argument; its stored values are not checked.

It requires OpenCL C 2.0, or 3.0 with device-side enqueue.
"""
ARGUMENT_KERNELS[TAKE_QUEUE.name] = TAKE_QUEUE
EXTRA_ARGUMENT_OPTION = "-DMORE"
"""The build option that adds an argument to the kernel ``BUILD_DEPENDENT``."""
BUILD_DEPENDENT = ArgumentKernel(
    "differing",
    "#ifdef MORE\n__kernel void differing(__global uint *data, uint more)\n"
    "#else\n__kernel void differing(__global uint *data)\n#endif\n{\n    data[0] = 1u;\n}\n",
    (),
)
"""A kernel whose arguments depend on the options of the build."""
POINTEE_CONST, POINTEE_VOLATILE, RESTRICTED = (
    (f"CL_KERNEL_ARG_TYPE_{name}",) for name in ("CONST", "VOLATILE", "RESTRICT")
)
QUALIFIED = ArgumentKernel(
    "qualified",
    "__kernel void qualified(__global uint *data, __global uint const *to_const, __global uint *const const_pointer,\n"
    "                        __global uint volatile *to_volatile, __global uint *volatile volatile_pointer,\n"
    "                        __constant uint *fixed, __global float4 *restrict alone, const uint by_value,\n"
    "                        unsigned char unsigned_one, unsigned short unsigned_two, unsigned int unsigned_four,\n"
    "                        unsigned long unsigned_eight)\n"
    "{\n    data[0] = 1u;\n}\n",
    (
        DATA,
        KernelParameter("to_const", "uint*", GLOBAL, qualifiers=POINTEE_CONST, bytes=WORD_BYTES),
        KernelParameter("const_pointer", "uint*", GLOBAL, bytes=WORD_BYTES),
        KernelParameter("to_volatile", "uint*", GLOBAL, qualifiers=POINTEE_VOLATILE, bytes=WORD_BYTES),
        KernelParameter("volatile_pointer", "uint*", GLOBAL, bytes=WORD_BYTES),
        KernelParameter("fixed", "uint*", CONSTANT, qualifiers=POINTEE_CONST, bytes=WORD_BYTES),
        KernelParameter("alone", "float4*", GLOBAL, qualifiers=RESTRICTED, bytes=16),
        KernelParameter("by_value", "uint", PRIVATE, bytes=WORD_BYTES),
        KernelParameter("unsigned_one", "uchar", PRIVATE, bytes=1),
        KernelParameter("unsigned_two", "ushort", PRIVATE, bytes=2),
        KernelParameter("unsigned_four", "uint", PRIVATE, bytes=WORD_BYTES),
        KernelParameter("unsigned_eight", "ulong", PRIVATE, bytes=8),
    ),
)
"""A kernel whose arguments have every qualifier in every position; its stored values are not checked."""
ARGUMENT_KERNELS[QUALIFIED.name] = QUALIFIED
