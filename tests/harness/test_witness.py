"""pyopencl as an independent check: it reads values of the fake driver, or nothing if it does not support a query."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.harness import Target, Worker

if TYPE_CHECKING:
    from collections.abc import Iterator

UNITS, NAME, NOBODYS = 0x1002, 0x102B, 0x7FFF0001


@pytest.fixture
def worker(fake: str) -> Iterator[Worker]:
    pytest.importorskip("pyopencl")
    with Worker(Target.driver(fake, direct=True)) as started:
        yield started


@pytest.mark.parametrize(("name", "values"), [(UNITS, [4]), (NAME, ["Fake device"])])
def test_the_witness_reads_the_same_handle(worker: Worker, name: int, values: list[int | str]) -> None:
    assert worker.witness("device1", name) == values


def test_the_witness_is_silent_where_it_cannot_read(worker: Worker) -> None:
    assert worker.witness("device1", NOBODYS) is None
    assert worker.witness("pointer1", UNITS) is None
    assert worker.alive
