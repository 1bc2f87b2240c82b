"""Each fault of memory contents is found by the state machine's programs within a third of their default examples."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.runner.session.examples import EXAMPLES, item_seed
from clconform.selftest.planted import contents
from clconform.selftest.planted.every_fault import every_fault
from clconform.suites.data import test_programs as suite

from .blaming import told_by

if TYPE_CHECKING:
    from clconform.runner.session.session import Session

WAY, FEW = "one queue", EXAMPLES["default"] // 3
# For each fault, the requirement that deviates. For a stale map, whose bytes another command has written, the step that
# finds it. For a sub-buffer at an incorrect origin, whose bytes any command may have written, the observed value.
EXPECTED = {
    "rectangle-loses-its-last-byte": "BufferRect/success: ",
    "fill-one-pattern-short": "clEnqueueFillBuffer/success: ",
    "stale-map": "of the example: host_read(",
    "unmap-loses-what-was-written": "clEnqueueUnmapMemObject/success: ",
    "copy-shifted-by-one": "clEnqueueCopyBuffer/success: ",
    "sub-buffer-at-the-start": "/success: byte 0 is ",
    "reads-beyond-the-area": "clEnqueueReadBuffer/success: pointer overrun",
}


def test_every_fault_has_its_row() -> None:
    assert {name for name, fault in every_fault().items() if fault.__module__ == contents.__name__} == set(EXPECTED)


def programs(cl: Session) -> None:
    suite.test_programs(cl, item_seed(1, f"{suite.NAME}::test_programs[{WAY}]"), WAY)


@pytest.mark.parametrize("fault", EXPECTED)
def test_a_fault_is_found_out(fault: str) -> None:
    assert EXPECTED[fault] in told_by("numa-16", fault, FEW, programs, EXPECTED[fault])


def test_no_fault_is_found_where_there_is_none() -> None:
    assert not told_by("numa-16", "", FEW, programs)
