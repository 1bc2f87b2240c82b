"""Programs from source strings: the part of each string that is used, with and without lengths (section 5.8.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, OutputBuffer, Text, Texts
from clconform.oracles.model.program_sources import INVALID_LINE, PARTS
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.suites.cases import CaseRegistry
from clconform.suites.helpers import require_handle
from clconform.suites.kit.kit import Kit

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "programs.sources"
FIRST, SECOND = PARTS["add_index"], PARTS["copy_plus_one"]
STRINGS: dict[str, tuple[tuple[str, ...], tuple[int, ...] | None]] = {
    "two strings": ((FIRST, SECOND), None),
    "a kernel in two halves": ((FIRST[:20], FIRST[20:]), None),
    "lengths of 0": ((FIRST, SECOND), (0, 0)),
    "a length for one of two": ((FIRST, SECOND), (len(FIRST), 0)),
    "lengths before the ends": ((FIRST + INVALID_LINE, SECOND + INVALID_LINE), (len(FIRST), len(SECOND))),
    "a null before the end": ((f"{FIRST}\0{INVALID_LINE}",), None),
    "empty strings": (("", FIRST, ""), None),
}
"""Maps descriptions to strings and lengths that together form known kernels."""
cases: CaseRegistry[Kit] = CaseRegistry(Kit)
test_source_strings_respect_lengths = TableTest(cases)


@cases.declare_family
def source_strings() -> Iterator[TableCase]:
    """Yield an item for each combination of strings and lengths."""
    effects = tuple(f"clCreateProgramWithSource/effect/{number}" for number in (1, 2, 3))
    for words, (strings, lengths) in STRINGS.items():
        others = ("CL_PROGRAM_SOURCE", *effects)
        yield cases.create_case(
            "clCreateProgramWithSource/success", words, create_query_and_build, strings, lengths, others=others
        )


def create_query_and_build(kit: Kit, strings: tuple[str, ...], lengths: tuple[int, ...] | None) -> None:
    """Create a program, query its source, and build it."""
    cl, given = kit.cl, ElementList(lengths) if lengths is not None else None
    made = cl.clCreateProgramWithSource(kit.context, len(strings), Texts(strings), given, OutputBuffer(1))
    program = require_handle(made)
    cl.query("clGetProgramInfo", program, "CL_PROGRAM_SOURCE")
    cl.clBuildProgram(program, 1, ElementList((cl.device,)), Text(""), None, None)
    if not cl.find_inapplicability("CL_PROGRAM_KERNEL_NAMES"):
        cl.query("clGetProgramInfo", program, "CL_PROGRAM_KERNEL_NAMES")
