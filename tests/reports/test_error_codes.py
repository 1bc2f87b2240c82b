"""Error code coverage of a run: the listed pairs of function and error code that the driver returned."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.journal import FirstObservation, JournalLine, PlatformLine
from clconform.reports.error_codes import ErrorCodeCounts, count_error_codes, seen_pairs
from clconform.reports.journal_reader import parse_journal

from . import fabricated

if TYPE_CHECKING:
    from clconform.calls.call import Call

ITEM = "partition.equally::test_room[0]"


def first_seen(observed: str, call: Call = fabricated.MADE.call) -> FirstObservation:
    return FirstObservation(ITEM, "clCreateSubDevices/success", [], observed, "", call)


def lines(*more: JournalLine) -> list[JournalLine]:
    made = fabricated.lines()
    return [*made[:3], *more, *made[3:]]


def test_codes_that_came_back_count_once_and_success_never() -> None:
    journal = parse_journal(
        fabricated.content(
            lines(
                *(first_seen("CL_INVALID_VALUE"), first_seen("CL_INVALID_VALUE"), first_seen("CL_SUCCESS")),
                *(first_seen("CL_INVALID_OPERATION"), first_seen("died: signal SIGSEGV"), first_seen("2 handles")),
            )
        ),
        "j",
    )
    assert seen_pairs(journal) == {
        ("clCreateSubDevices", "CL_INVALID_VALUE"),
        ("clCreateSubDevices", "CL_INVALID_OPERATION"),
    }
    reach = count_error_codes(journal, fabricated.tables().requirements)
    assert reach == ErrorCodeCounts(listed=4, applicable=3, seen=1, seen_of_core=1, unlisted=1)


def test_pairs_of_extensions_are_told_apart_and_gates_are_heeded() -> None:
    made = lines(
        first_seen("CL_INVALID_VALUE", msgspec.structs.replace(fabricated.MADE.call, function=f"{fabricated.SUB}EXT"))
    )
    platform = made[1]
    assert isinstance(platform, PlatformLine)
    made[1] = msgspec.structs.replace(platform, not_applicable={})
    reach = count_error_codes(parse_journal(fabricated.content(made), "j"), fabricated.tables().requirements)
    assert reach == ErrorCodeCounts(listed=4, applicable=4, seen=1, seen_of_core=0, unlisted=0)
