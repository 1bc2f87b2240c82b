"""The line in which a driver names a place in its source groups its crashes."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from clconform.calls.call import Died, Returned
from clconform.reports.consequences import with_consequences
from clconform.reports.deviation_causes import group_causes
from clconform.reports.driver_messages import last_output_of, message_of
from clconform.spec_tables import load

from .test_consequences import READ, create_deviation

MESSAGES = {
    "clconform-worker: ./lib/CL/x.c:78: f: Assertion `a' failed.": "./lib/CL/x.c:78: f: Assertion `a' failed.",
    "It is unimplemented (./lib/CL/clCreateImage.c:61)": "It is unimplemented (./lib/CL/clCreateImage.c:61)",
    "thread '<unnamed>' panicked at 'overflow', api/memory.rs:316:16\nstack backtrace:": (
        "thread '<unnamed>' panicked at 'overflow', api/memory.rs:316:16"
    ),
    "1 error generated.\n/opt/w/clconform-worker-x86_64: Queue.cpp:262: false": "Queue.cpp:262: false",
    "PLEASE submit a bug report to https://example.com/support.html": "",
    "Segmentation fault": "",
    "": "",
}


@pytest.mark.parametrize("output", MESSAGES)
def test_message_is_the_line_that_names_a_place_in_the_source(output: str) -> None:
    crash = create_deviation(f"{READ}/success", "x", Died("abort", "SIGABRT", output), verdict="crashes")
    assert message_of(crash) == MESSAGES[output]
    assert last_output_of(crash) == output


def test_deviation_without_crash_has_no_message() -> None:
    assert message_of(create_deviation(f"{READ}/success", "x", Returned(0))) == ""


def test_crashes_with_the_same_message_have_one_cause_by_the_worst_consequence() -> None:
    output = "w: a.c:1: wrong"
    valid = create_deviation(f"{READ}/success", "x", Died("abort", "SIGABRT", output), verdict="crashes")
    invalid = replace(valid, id="00000001", requirements=[f"{READ}/CL_INVALID_VALUE/1"])
    other = create_deviation(f"{READ}/success", "y", Died("abort", "SIGABRT", "w: a.c:2: wrong"), verdict="crashes")
    tables = load()
    found = group_causes(with_consequences([invalid, other, valid], tables), tables.requirements)
    assert [(cause.message, cause.consequence, len(cause.deviations)) for cause in found] == [
        (output, "correct-programs", 2),
        ("w: a.c:2: wrong", "correct-programs", 1),
    ]
    assert [each.id for each in found[0].deviations] == [valid.id, invalid.id]
