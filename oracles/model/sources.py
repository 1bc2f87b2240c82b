"""Sources of which it is known what becomes of them: parts that compile by themselves, and text that no compiler takes.

Programs that are made of known parts alone must compile; which of them can be linked together is known, too.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clconform.oracles.model.feature_sources import PARTS_WITH_MACROS
from clconform.oracles.model.known_kernels import KERNELS
from clconform.oracles.model.option_kernels import TELL_OPTIONS

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

SIMPLE = ("add_index", "copy_plus_one")
"""Known kernels that need nothing that a device may lack, in any version of OpenCL C."""
CALLER, DEFINITION, BREAKABLE = "caller", "definition", "breakable"
"""A kernel that calls a function, the function, and a kernel that does not compile with BREAKING defined."""
BREAKING = "BROKEN"
OPTIONAL, WITH_ANOTHER = "optional", "WITH_ANOTHER"
"""A program with one more kernel where a macro is defined, and the macro."""
CALLING = "call_next"
"""The name of the kernel that calls the function."""

PARTS: Mapping[str, str] = {
    **{name: KERNELS[name].source for name in SIMPLE},
    CALLER: (
        "uint next_number(uint number);\n"
        f"__kernel void {CALLING}(__global uint *data)\n"
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
    TELL_OPTIONS.name: TELL_OPTIONS.source,
    BREAKABLE: f"#ifdef {BREAKING}\n{BREAKING} this_is_no_declaration;\n#endif\n{KERNELS['add_index'].source}",
    OPTIONAL: f"#ifdef {WITH_ANOTHER}\n{KERNELS['copy_plus_one'].source}#endif\n{KERNELS['add_index'].source}",
    **PARTS_WITH_MACROS,
}
"""Part to its source."""
VARIABLE, VARIABLE_BYTES = (
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
"""A program with a variable of its own in global memory, which only devices that report some can have, and its size."""
SINCE: Mapping[str, tuple[int, int]] = {
    "three_numbers": (1, 1),
    "count_bits": (1, 2),
    "by_linear_id": (2, 0),
    **dict.fromkeys(PARTS_WITH_MACROS, (3, 0)),
}
"""Part that uses what OpenCL C has only since a version: vectors of three, ``popcount``, linear ids, macros."""
INVALID = "#error this is no program\n"
"""The first line of a source that no compiler may take."""
_KERNEL_OF = {CALLER: CALLING, BREAKABLE: "add_index", OPTIONAL: "add_index"}
_INCLUDE = re.compile(r'^#include "([^"\n]+)"\n', re.MULTILINE)


def include(name: str) -> str:
    """Return the line that includes a header."""
    return f'#include "{name}"\n'


def expanded(source: str, headers: Mapping[str, str]) -> str:
    """Return a source with the headers that it includes, by their names, in place of the lines that include them."""
    return _INCLUDE.sub(lambda found: headers.get(found[1], found[0]), source)


def parts_of(source: str) -> tuple[str, ...] | None:
    """Return the parts that a source consists of, in their order; None where there is anything else in it, or none."""
    found: list[str] = []
    while source:
        name = next((name for name, part in PARTS.items() if name not in found and source.startswith(part)), None)
        if name is None:
            return None
        found.append(name)
        source = source[len(PARTS[name]) :]
    return tuple(found) or None


def kernels_of(parts: tuple[str, ...], macros: Collection[str] = ()) -> tuple[str, ...]:
    """Return the names of the kernels in parts, where macros are defined."""
    another = ("copy_plus_one",) if OPTIONAL in parts and WITH_ANOTHER in macros else ()
    return (*another, *(_KERNEL_OF.get(part, part) for part in parts if part != DEFINITION))


def lacks_a_definition(parts: tuple[str, ...]) -> bool:
    """Return whether a function is called in one of the parts that none of them defines."""
    return CALLER in parts and DEFINITION not in parts


def is_invalid(source: str) -> bool:
    """Return whether a source begins with a line that must keep it from being compiled."""
    return source.startswith(INVALID)
