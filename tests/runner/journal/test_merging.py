"""Parts of one run merge into the journal of the complete run; parts of different runs are rejected."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import msgspec
import pytest

from clconform.calls.image_formats import FormatLine, ListedFormats
from clconform.calls.journal import (
    ANOTHER_SHARD,
    BUDGET_SPENT,
    DESELECTED,
    Confirmation,
    Deviation,
    ImplementationNote,
    ItemEnd,
    KilledProcess,
    PlatformLine,
    RunEnd,
    RunHeader,
    Selection,
)
from clconform.calls.linked_allocations import Trace, TraceLine
from clconform.calls.partitions import DeviceSplit, PartitionLine
from clconform.reports.journal_reader import ItemLine, JournalContents, parse_journal
from clconform.reports.result_builder import assemble_result
from clconform.runner.journal.merging import merge_journals
from clconform.runner.journal.resuming import RunMismatchError

from ...reports import fabricated_journals  # noqa: TID252 (tests are no part of the installed package)

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.line_kinds import JournalLine

FIRST, SECOND = "partition.equally::test_room[0]", "partition.counts::test_counts"


def create_part(
    shard: str = "",
    item: str = "",
    change: Callable[[JournalLine], JournalLine] = lambda line: line,
    extra: tuple[JournalLine, ...] = (),
) -> JournalContents:
    """Return a journal with the lines of ``item``, or of both items if it is empty; ``change`` applies to each line."""
    lines: list[JournalLine] = []
    for line in fabricated_journals.journal_lines():
        if item and getattr(line, "item", item) != item:
            continue
        if isinstance(line, Selection) and item:
            lines.append(Selection(1, dict(line.not_run)))
        elif isinstance(line, RunHeader):
            lines.append(change(msgspec.structs.replace(line, shard=shard)))
        else:
            lines.append(change(line))
    return parse_journal(fabricated_journals.encode_journal([*lines[:-1], *extra, lines[-1]]), "part")


def merge_parts(*parts: JournalContents) -> JournalContents:
    lines, end = merge_journals({f"part{number}": journal for number, journal in enumerate(parts, 1)})
    return parse_journal(fabricated_journals.encode_journal([*lines, end]), "whole")


def merge_error(*parts: JournalContents) -> str:
    with pytest.raises(RunMismatchError) as caught:
        merge_journals({f"part{number}": journal for number, journal in enumerate(parts, 1)})
    assert str(caught.value).isprintable()
    return str(caught.value)


def test_two_shards_merge_to_the_journal_of_the_complete_run() -> None:
    one, other = create_part("1/2", FIRST), create_part("2/2", SECOND)
    result, expected = (
        assemble_result(journal, fabricated_journals.create_tables())
        for journal in (merge_parts(one, other), create_part())
    )
    assert result.requirements == expected.requirements
    assert result.deviations == expected.deviations
    assert result.summary == expected.summary
    assert (result.run.items, result.run.planned, result.run.shard) == (2, 2, "")
    assert result.run.seconds == 2 * expected.run.seconds, "each part took as long as the fabricated whole"


def change_header(**changes: object) -> Callable[[JournalLine], JournalLine]:
    return lambda line: msgspec.structs.replace(line, **changes) if isinstance(line, RunHeader) else line


def change_platform(**changes: object) -> Callable[[JournalLine], JournalLine]:
    def change(line: JournalLine) -> JournalLine:
        if not isinstance(line, PlatformLine):
            return line
        return msgspec.structs.replace(line, platform=msgspec.structs.replace(line.platform, **changes))

    return change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (change_header(seed=43), "seed: 42 there, 43 here"),
        (change_header(tables="t5"), "tables: t4b1e5 there, t5 here"),
        (change_header(revision="abc"), "code revision: none there, abc here"),
        (change_header(tier="smoke"), "tier: default there, smoke here"),
        (change_header(examples=9), "number of examples: 0 there, 9 here"),
        (change_header(device=1), "device number"),
        (change_header(robustness=True), "robustness"),
        (change_header(requirements=["clF/*"]), "requirement patterns: none there, clF/* here"),
        (change_header(paths=["suites/data"]), "paths"),
        (
            change_platform(name="Other \x1b[2J"),
            "platform's name: Portable Computing Language there, Other \\x1b[2J here",
        ),
        (change_platform(version="OpenCL 3.0 PoCL 5.0"), "platform's version"),
        (change_platform(devices=[]), "number of devices: 1 there, 0 here"),
    ],
)
def test_parts_of_different_runs_are_rejected(change: Callable[[JournalLine], JournalLine], said: str) -> None:
    message = merge_error(create_part("1/2"), create_part("2/2", change=change))
    assert said in message
    assert "part2" in message
    assert "part1" in message


def test_parts_may_run_different_suites() -> None:
    one, other = (create_part(item=item, change=change_header(paths=[item])) for item in (FIRST, SECOND))
    together = merge_parts(one, other)
    assert together.run.paths == sorted([FIRST, SECOND])
    assert (
        assemble_result(together, fabricated_journals.create_tables()).deviations
        == assemble_result(create_part(), fabricated_journals.create_tables()).deviations
    )


def test_merged_journal_has_all_kinds_of_item_lines() -> None:
    trace = TraceLine(FIRST, Trace("a trace", [], [], [], []))
    split = PartitionLine(
        FIRST, [DeviceSplit("device1", [], fabricated_journals.SUB, [0x1086, 2, 0], "CL_SUCCESS", [2, 2])]
    )
    formats = FormatLine(FIRST, [ListedFormats(1, 0x10F1, [(0x10B5, 0x10D2)])])
    note = ImplementationNote(FIRST, fabricated_journals.CRASHED, "CL_SUCCESS", fabricated_journals.CRASH.call)
    repeated = msgspec.structs.replace(
        create_part().deviations[0], key="only a repetition shows it", while_confirming=True
    )
    lines = fabricated_journals.journal_lines()
    end = next(number for number, line in enumerate(lines) if isinstance(line, ItemEnd))
    killed = KilledProcess(
        FIRST, "k", [fabricated_journals.CRASHED], "literal", ["CL_SUCCESS"], "killed SIGKILL", {}, []
    )
    lines = [*lines[:end], trace, split, formats, note, killed, *lines[end:-1], repeated, lines[-1]]
    together = merge_parts(parse_journal(fabricated_journals.encode_journal(lines), "part"))
    told = (
        together.notes,
        together.extra_lines,
        together.first_seen,
        together.killed,
    )
    kinds = {type(line) for lines in told for line in lines}
    assert {*kinds, Deviation} == set(get_args(ItemLine)), "a new kind of line is to be merged too"
    assert repeated in together.deviations


@pytest.mark.parametrize(
    ("shards", "said"),
    [
        (("1/3", "2/3"), "2 of 3 shards given; missing: 3/3"),
        (("1/2", "1/2"), "shard 1/2 is also in part1"),
        (("1/2", ""), "part2: not a shard"),
        (("1/2", "2/3"), "shards of different runs: 1/2, 2/3"),
    ],
)
def test_incomplete_set_of_shards_is_rejected(shards: tuple[str, str], said: str) -> None:
    assert said in merge_error(*(create_part(shard) for shard in shards))


def test_part_of_unfinished_run_is_rejected() -> None:
    cut = create_part("1/2", FIRST)
    cut.cut_short, cut.end = True, None
    assert "clconform run --resume part1" in merge_error(cut, create_part("2/2", SECOND))


def test_requirement_omitted_by_all_parts_has_the_most_specific_reason() -> None:
    reasons: list[dict[str, str]] = [
        {"a": DESELECTED, "b": ANOTHER_SHARD, "c": ANOTHER_SHARD, "d": ANOTHER_SHARD},
        {"a": DESELECTED, "b": BUDGET_SPENT, "c": "clF cannot be called"},
    ]
    parts = [create_part(f"{number}/2", item) for number, item in ((1, FIRST), (2, SECOND))]
    for journal, not_run in zip(parts, reasons, strict=True):
        journal.not_run = not_run
    assert merge_parts(*parts).not_run == {"a": DESELECTED, "b": BUDGET_SPENT, "c": "clF cannot be called"}


def test_merged_journal_keeps_shortest_reproduced_confirmation() -> None:
    key = fabricated_journals.GROUP_KEY
    flaky = Confirmation(key, "flaky", 0, 2, [fabricated_journals.CRASH])
    long = Confirmation(key, "crashes", 2, 2, [fabricated_journals.CREATED, fabricated_journals.CRASH])
    short = Confirmation(key, "crashes", 2, 2, [fabricated_journals.CRASH])
    for one, other in ((flaky, long), (long, flaky)):
        assert (
            merge_parts(create_part("1/2", extra=(one,)), create_part("2/2", extra=(other,))).confirmations[key].verdict
            == "crashes"
        )
    assert (
        merge_parts(create_part("1/2", extra=(long,)), create_part("2/2", extra=(short,))).confirmations[key] == short
    )


def test_merged_journal_keeps_the_later_run_of_a_repeated_item() -> None:
    def slower(line: JournalLine) -> JournalLine:
        return (
            msgspec.structs.replace(line, calls=99)
            if getattr(line, "item", "") == FIRST and hasattr(line, "calls")
            else line
        )

    together = merge_parts(create_part(), create_part(change=slower))
    assert together.items[FIRST].calls == 99
    assert len(together.deviations) == 3
    assert together.planned == 2


def test_merged_run_with_interrupted_part_is_interrupted() -> None:
    def stopped(line: JournalLine) -> JournalLine:
        return msgspec.structs.replace(line, interrupted=True) if isinstance(line, RunEnd) else line

    end = merge_parts(create_part("1/2", FIRST, stopped), create_part("2/2", SECOND)).end
    assert end is not None
    assert end.interrupted
