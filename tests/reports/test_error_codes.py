"""Error code coverage of a run: the listed pairs of function and error code of which the driver returned the code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.journal import FirstObservation, PlatformLine
from clconform.reports.error_codes import ErrorCodeCounts, count_error_codes, seen_pairs
from clconform.reports.journal_reader import parse_journal

from . import fabricated_journals

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.calls.line_kinds import JournalLine

ITEM = "partition.equally::test_room[0]"


def create_sighting(outcome: str, call: Call = fabricated_journals.CREATED.call) -> FirstObservation:
    return FirstObservation(ITEM, "clCreateSubDevices/success", [], outcome, "", call)


def create_lines(*more: JournalLine) -> list[JournalLine]:
    made = fabricated_journals.journal_lines()
    return [*made[:3], *more, *made[3:]]


def test_each_returned_error_code_counts_once() -> None:
    journal = parse_journal(
        fabricated_journals.encode_journal(
            create_lines(
                *(
                    create_sighting("CL_INVALID_VALUE"),
                    create_sighting("CL_INVALID_VALUE"),
                    create_sighting("CL_SUCCESS"),
                ),
                *(
                    create_sighting("CL_INVALID_OPERATION"),
                    create_sighting("died: signal SIGSEGV"),
                    create_sighting("2 handles"),
                ),
            )
        ),
        "j",
    )
    assert seen_pairs(journal) == {
        ("clCreateSubDevices", "CL_INVALID_VALUE"),
        ("clCreateSubDevices", "CL_INVALID_OPERATION"),
    }
    reach = count_error_codes(journal, fabricated_journals.create_tables().requirements)
    assert reach == ErrorCodeCounts(listed=4, applicable=3, seen=1, seen_of_core=1, unlisted=1)


def test_error_codes_of_extension_functions_are_not_counted_as_core() -> None:
    made = create_lines(
        create_sighting(
            "CL_INVALID_VALUE",
            msgspec.structs.replace(fabricated_journals.CREATED.call, function=f"{fabricated_journals.SUB}EXT"),
        )
    )
    platform = made[1]
    assert isinstance(platform, PlatformLine)
    made[1] = msgspec.structs.replace(platform, not_applicable={})
    reach = count_error_codes(
        parse_journal(fabricated_journals.encode_journal(made), "j"), fabricated_journals.create_tables().requirements
    )
    assert reach == ErrorCodeCounts(listed=4, applicable=4, seen=1, seen_of_core=0, unlisted=0)
