"""Programs from source strings: the part of each string that counts, with and without lengths (section 5.8.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Items, OutputBuffer, Text, Texts
from clconform.oracles.model.sources import INVALID, PARTS
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.suites.cases import Cases
from clconform.suites.kit.kit import Kit
from clconform.suites.steps import one

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    from clconform.runner.session.session import Session

NAME = "programs.sources"
FIRST, SECOND = PARTS["add_index"], PARTS["copy_plus_one"]
STRINGS: dict[str, tuple[tuple[str, ...], tuple[int, ...] | None]] = {
    "two strings": ((FIRST, SECOND), None),
    "a kernel in two halves": ((FIRST[:20], FIRST[20:]), None),
    "lengths of 0": ((FIRST, SECOND), (0, 0)),
    "a length for one of two": ((FIRST, SECOND), (len(FIRST), 0)),
    "lengths before the ends": ((FIRST + INVALID, SECOND + INVALID), (len(FIRST), len(SECOND))),
    "a null before the end": ((f"{FIRST}\0{INVALID}",), None),
    "empty strings": (("", FIRST, ""), None),
}
"""Strings and lengths that form known kernels."""
cases: Cases[Kit] = Cases(Kit)


@cases.family
def sources() -> Iterator[Case]:
    """Yield an item for each way to pass the strings."""
    effects = tuple(f"clCreateProgramWithSource/effect/{number}" for number in (1, 2, 3))
    for words, (strings, lengths) in STRINGS.items():
        others = ("CL_PROGRAM_SOURCE", *effects)
        yield cases.case("clCreateProgramWithSource/success", words, told, strings, lengths, others=others)


def told(kit: Kit, strings: tuple[str, ...], lengths: tuple[int, ...] | None) -> None:
    """Create a program, query its source, and build it."""
    cl, given = kit.cl, Items(lengths) if lengths is not None else None
    made = cl.clCreateProgramWithSource(kit.context, len(strings), Texts(strings), given, OutputBuffer(1))
    program = one(made)
    cl.query("clGetProgramInfo", program, "CL_PROGRAM_SOURCE")
    cl.clBuildProgram(program, 1, Items((cl.device,)), Text(""), None, None)
    if not cl.applies("CL_PROGRAM_KERNEL_NAMES"):
        cl.query("clGetProgramInfo", program, "CL_PROGRAM_KERNEL_NAMES")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases)


def test_sources(cl: Session, case: Case) -> None:
    case.act(cl)
