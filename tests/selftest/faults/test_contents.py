"""Each fault of memory contents is found by the state machine's programs within a third of their default examples."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.runner.session.examples import EXAMPLES_BY_TIER, item_seed
from clconform.selftest.faults import contents
from clconform.suites.data import test_programs as suite

from .attribution import get_random_messages

if TYPE_CHECKING:
    from clconform.runner.session.session import Session

QUEUE_CONFIG, FEW = "one queue", EXAMPLES_BY_TIER["default"] // 3
# For each fault, the requirement that deviates. For a stale map, whose bytes another command has written, the step that
# shows the deviation. For a sub-buffer at an incorrect origin, whose bytes any command may have written, the value.
EXPECTED = {
    "rectangle-loses-last-byte": "BufferRect/success: ",
    "fill-skips-last-pattern": "clEnqueueFillBuffer/success: ",
    "buffer-maps-stale": "of the example: host_read(",
    "unmap-discards-writes": "clEnqueueUnmapMemObject/success: ",
    "copy-rotated-by-one-byte": "clEnqueueCopyBuffer/success: ",
    "sub-buffer-origin-ignored": "/success: byte 0 is ",
    "read-overruns-host-area": "clEnqueueReadBuffer/success: pointer overrun",
}


def test_every_memory_content_fault_has_an_expected_result() -> None:
    assert set(contents.faults.entries) == set(EXPECTED)


def run_programs(cl: Session) -> None:
    suite.test_random_buffer_commands_keep_contents(
        cl, item_seed(1, f"{suite.NAME}::test_random_buffer_commands_keep_contents[{QUEUE_CONFIG}]"), QUEUE_CONFIG
    )


@pytest.mark.parametrize("fault", EXPECTED)
def test_memory_content_fault_causes_the_expected_deviation(fault: str) -> None:
    assert EXPECTED[fault] in get_random_messages("numa-16", fault, FEW, run_programs, EXPECTED[fault])


def test_conforming_platform_has_no_deviation() -> None:
    assert not get_random_messages("numa-16", "", FEW, run_programs)
