"""Sources with a known compilation result: parts that compile alone, and text that compilers must reject.

A program that consists only of known parts must compile. The model also knows which parts can be linked together.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clconform.oracles.model.buffer_kernels import KERNELS
from clconform.oracles.model.feature_sources import PARTS_WITH_MACROS
from clconform.oracles.model.limit_kernels import find_at_start, find_limit_kernel
from clconform.oracles.model.option_kernels import ECHO_OPTIONS

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

PORTABLE_KERNELS = ("add_index", "copy_plus_one")
"""Kernels that compile in any version of OpenCL C without optional features."""
CALLER, DEFINITION, BREAKABLE = "caller", "definition", "breakable"
"""A kernel that calls a function, the function, and a kernel that does not compile if ``BREAKING_MACRO`` is defined."""
BREAKING_MACRO = "BROKEN"
OPTIONAL_KERNEL, EXTRA_KERNEL_MACRO = "optional", "WITH_ANOTHER"
"""A source part with another kernel if a macro is defined, and the macro."""
CALLER_KERNEL = "call_next"
"""The name of the kernel that calls the function."""

PARTS: Mapping[str, str] = {
    **{name: KERNELS[name].source for name in PORTABLE_KERNELS},
    CALLER: (
        "uint next_number(uint number);\n"
        f"__kernel void {CALLER_KERNEL}(__global uint *data)\n"
        "{\n"
        "    size_t i = get_global_id(0);\n"
        "    data[i] = next_number(data[i]);\n"
        "}\n"
    ),
    "three_numbers": (
        "__kernel void three_numbers(__global uint *data)\n"
        "{\n"
        "    uint3 three = (uint3)(data[0]);\n"
        "    data[0] = three.x + three.y + three.z;\n"
        "}\n"
    ),
    "count_bits": "__kernel void count_bits(__global uint *data)\n{\n    data[0] = popcount(data[0]);\n}\n",
    "by_linear_id": "__kernel void by_linear_id(__global uint *data)\n{\n    data[get_global_linear_id()] += 1u;\n}\n",
    DEFINITION: "uint next_number(uint number);\nuint next_number(uint number)\n{\n    return number + 1u;\n}\n",
    ECHO_OPTIONS.name: ECHO_OPTIONS.source,
    BREAKABLE: (
        f"#ifdef {BREAKING_MACRO}\n{BREAKING_MACRO} this_is_no_declaration;\n#endif\n{KERNELS['add_index'].source}"
    ),
    OPTIONAL_KERNEL: (
        f"#ifdef {EXTRA_KERNEL_MACRO}\n{KERNELS['copy_plus_one'].source}#endif\n{KERNELS['add_index'].source}"
    ),
    **PARTS_WITH_MACROS,
}
"""Maps names of source parts to their sources."""
VARIABLE_SOURCE, VARIABLE_BYTES = (
    (
        "__global uint kept[4] = { 1u, 2u, 3u, 4u };\n"
        "__kernel void change_kept(__global uint *data)\n"
        "{\n"
        "    size_t i = get_global_id(0) % 4;\n"
        "    kept[i] += data[i];\n"
        "    data[i] = kept[i];\n"
        "}\n"
    ),
    16,
)
"""A program with a program scope global variable, and the size of the variable.

Only devices with a nonzero CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE support such programs.
"""
MINIMUM_VERSIONS: Mapping[str, tuple[int, int]] = {
    "three_numbers": (1, 1),
    "count_bits": (1, 2),
    "by_linear_id": (2, 0),
    **dict.fromkeys(PARTS_WITH_MACROS, (3, 0)),
}
"""Maps names of source parts to the OpenCL C versions that they require, for example for vectors of three or
``popcount``.
"""
INVALID_LINE = "#error this is no program\n"
"""The first line of a source that compilers must reject."""
_KERNEL_OF = {CALLER: CALLER_KERNEL, BREAKABLE: "add_index", OPTIONAL_KERNEL: "add_index"}
_INCLUDE = re.compile(r'^#include "([^"\n]+)"\n', re.MULTILINE)


def minimum_version(part: str) -> tuple[int, int]:
    """Return the OpenCL C version that a source part requires."""
    limited = find_limit_kernel(part)
    return limited.argument.version if limited is not None else MINIMUM_VERSIONS.get(part, (1, 0))


def include_line(name: str) -> str:
    """Return the source line that includes a header."""
    return f'#include "{name}"\n'


def expand_includes(source: str, headers: Mapping[str, str]) -> str:
    """Return a source in which each line that includes one of ``headers`` is replaced by the header."""
    return _INCLUDE.sub(lambda found: headers.get(found[1], found[0]), source)


def split_parts(source: str) -> tuple[str, ...] | None:
    """Return the names of the parts of a source, in order; None if it is empty or contains text outside known parts."""
    found: list[str] = []
    while source:
        name = next((name for name, part in PARTS.items() if name not in found and source.startswith(part)), None)
        limited = find_at_start(source) if name is None else None
        if name is None and limited is None:
            return None
        found.append(limited.name if limited is not None else str(name))
        source = source[len(limited.source if limited is not None else PARTS[found[-1]]) :]
    return tuple(found) or None


def kernels_of(parts: tuple[str, ...], macros: Collection[str] = ()) -> tuple[str, ...]:
    """Return the names of the kernels in the parts if these macros are defined."""
    another = ("copy_plus_one",) if OPTIONAL_KERNEL in parts and EXTRA_KERNEL_MACRO in macros else ()
    return (*another, *(_KERNEL_OF.get(part, part) for part in parts if part != DEFINITION))


def lacks_definition(parts: tuple[str, ...]) -> bool:
    """Return whether one of the parts calls a function, and none of the parts defines it."""
    return CALLER in parts and DEFINITION not in parts


def is_invalid(source: str) -> bool:
    """Return whether a source begins with a line that compilers must reject."""
    return source.startswith(INVALID_LINE)
