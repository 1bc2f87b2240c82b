"""pyopencl as an independent check: it reads values of the fake driver, or nothing if it does not support a query."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.harness import Target, Worker

if TYPE_CHECKING:
    from collections.abc import Iterator

UNITS, NAME, UNKNOWN_QUERY = 0x1002, 0x102B, 0x7FFF0001


@pytest.fixture
def worker(fake_driver: str) -> Iterator[Worker]:
    pytest.importorskip("pyopencl")
    with Worker(Target.driver(fake_driver, direct=True)) as started:
        yield started


@pytest.mark.parametrize(("name", "values"), [(UNITS, [4]), (NAME, ["Fake device"])])
def test_pyopencl_query_returns_value_of_named_device(worker: Worker, name: int, values: list[int | str]) -> None:
    assert worker.query_with_pyopencl("device1", name) == values


def test_pyopencl_query_returns_none_for_unknown_query_or_object(worker: Worker) -> None:
    assert worker.query_with_pyopencl("device1", UNKNOWN_QUERY) is None
    assert worker.query_with_pyopencl("pointer1", UNITS) is None
    assert worker.is_alive
