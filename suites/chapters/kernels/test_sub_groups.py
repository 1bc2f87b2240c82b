"""Sub-groups of kernels: their size and number for local sizes, and local sizes for a number of them (5.9.4)."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from clconform.calls.values import Data, OutputBuffer
from clconform.oracles.chapters.kernels.answers.sub_groups import COMPILED, COUNT, LOCAL, SIZE
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.suites.cases import Cases
from clconform.suites.kit.kit import Kit
from clconform.suites.steps import needs, promised, succeeded

if TYPE_CHECKING:
    import pytest

    from clconform.calls.values import Handle
    from clconform.runner.session.session import Session

NAME = "kernels.sub_groups"
WORD = struct.Struct("@N")
SIZES = ((16,), (64, 2), (16, 4, 2))
"""Local sizes."""
FAR_TOO_MANY = 1 << 20
"""More sub-groups than work-groups have work-items."""
cases: Cases[Kit] = Cases(Kit)


@cases.of(SIZE, "size and number for local sizes", COUNT, f"{SIZE}/effect/1", f"{SIZE}/effect/2", f"{COUNT}/effect/2")
def sizes_and_numbers(kit: Kit) -> None:
    """Ask a kernel for the size and the number of sub-groups of local sizes in one dimension, two and three."""
    kernel = kit.kernel("add_index")
    for local in SIZES:
        for query in (SIZE, COUNT):
            _ask(kit, kernel, query, local)


@cases.of(LOCAL, "local sizes for numbers", *(f"{LOCAL}/effect/{number}" for number in (1, 2, 3, 4)))
def local_sizes(kit: Kit) -> None:
    """Ask a kernel for local sizes with one sub-group, two, and far too many, and what they are made of."""
    kernel = kit.kernel("add_index")
    for number in (1, 2, FAR_TOO_MANY):
        for room in (1, 2, 3):
            told = _ask(kit, kernel, LOCAL, (number,), room)
        if told:
            for query in (SIZE, COUNT):
                _ask(kit, kernel, query, (told,))


@cases.of(COMPILED, "a kernel that asks for no number", f"{COMPILED}/effect/1")
def no_number(kit: Kit) -> None:
    """Ask a kernel for the number of sub-groups that its source requires."""
    _ask(kit, kit.kernel("add_index"), COMPILED, ())


def _ask(kit: Kit, kernel: Handle, query: str, numbers: tuple[int, ...], room: int = 1) -> int:
    """Ask about a kernel on the device under test; return the first number of the answer, 0 without one."""
    needs(promised(kit.cl, "clGetKernelSubGroupInfo"), "the platform does not tell of sub-groups")
    needs(kit.cl.fact("CL_DEVICE_MAX_NUM_SUB_GROUPS"), "the device does not support sub-groups")
    content = b"".join(map(WORD.pack, numbers))
    given = (len(content), Data(content) if content else None)
    size = room * WORD.size
    asked = (kernel, kit.cl.device, kit.value(query), *given, size, OutputBuffer(size), OutputBuffer(1))
    outcome = kit.cl.clGetKernelSubGroupInfo(*asked)
    told = outcome.outputs["param_value"].values[0] if succeeded(outcome) else 0
    return told if isinstance(told, int) else 0


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one item of each case."""
    parametrize(metafunc, cases)


def test_sub_groups(cl: Session, case: Case) -> None:
    case.act(cl)
