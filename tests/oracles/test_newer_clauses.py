"""Clauses that only revisions from 3.1.0 on have: what breaks them on simulated platforms of 3.1, and what does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call
from clconform.oracles.engine.rulebook import rulebook_of
from clconform.spec_tables import load, loading
from clconform.suites.errors.collection import collected

from .kits import kit_on
from .worlds import clauses

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.suites.kit.kit import Kit

NEWER = (
    "clSetKernelArg/CL_INVALID_MEM_OBJECT/6",
    "clSetKernelArg/CL_INVALID_CONTEXT/1",
    "clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/6",
    "clCompileProgram/CL_INVALID_CONTEXT/1",
    "clLinkProgram/CL_INVALID_CONTEXT/2",
    "clEnqueueSVMMigrateMem/CL_INVALID_VALUE/5",
    "clEnqueueMapImage/CL_INVALID_MIP_LEVEL/1",
    "clEnqueueCommandBufferKHR/CL_INVALID_OPERATION/3",
    "clEnqueueCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/2",
    "clEnqueueCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/3",
    "clEnqueueCommandBufferKHR/CL_INVALID_DEVICE/1",
)
OF_QUERIES = ("clGetKernelWorkGroupInfo/CL_INVALID_VALUE/3",)
"""Asked by the suites of queries, not by a variation."""
TRIED: set[str] = set()
"""Filled by the first test: what one of the platforms cannot do is tried on the other."""


@pytest.fixture(scope="module")
def newer() -> Iterator[None]:
    """Choose the tables of 3.1.1."""
    loading.choose(loading.REVISIONS / "3.1.1")
    yield
    loading.choose(loading.DATA)


@pytest.fixture(params=["everything-3.1", "demanding-3.1"])
def kit(newer: None, request: pytest.FixtureRequest) -> Iterator[Kit]:
    """Return a kit on a platform of 3.1."""
    del newer
    with kit_on(request.param) as made:
        yield made


def held(kit: Kit, record: str, boundary: str) -> tuple[set[str], set[str]]:
    """Return which clauses must and may hold for the valid call, changed at a boundary if one is given."""
    function = record.partition("/")[0]
    given = kit.arguments(function)
    variation = next((each for each in collected().aiming_at(record) if each.boundary == boundary), None)
    changed = {**given, **variation.of(kit, given)} if variation is not None else given
    musts, mays = clauses(kit.cl.oracle.expect(Call(function, changed)))
    return set(musts.split()), set(mays.split())


@pytest.mark.parametrize("record", NEWER)
def test_each_variation_breaks_its_clause(kit: Kit, record: str) -> None:
    assert record not in held(kit, record, "")[0]
    for each in collected().aiming_at(record):
        try:
            musts, mays = held(kit, record, each.boundary)
        except pytest.skip.Exception:
            continue
        assert record in musts | mays, each.boundary
        if record in musts:
            TRIED.add(record)


def test_each_clause_was_broken_on_one_of_the_platforms() -> None:
    assert not TRIED or set(NEWER) == TRIED


@pytest.mark.usefixtures("newer")
@pytest.mark.parametrize("record", OF_QUERIES)
def test_a_clause_that_queries_ask(record: str) -> None:
    assert record in rulebook_of(load()).written
