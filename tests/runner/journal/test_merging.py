"""Parts of one run merge into the journal of the whole run; parts of different runs are rejected."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import msgspec
import pytest

from clconform.calls.journal import (
    ANOTHER_SHARD,
    BUDGET_SPENT,
    DESELECTED,
    Confirmation,
    Deviation,
    FormatLine,
    ItemEnd,
    Killed,
    Line,
    ListedFormats,
    Note,
    PartitionLine,
    PlatformLine,
    RunEnd,
    RunHeader,
    Selection,
    Split,
    TraceLine,
)
from clconform.calls.traces import Trace
from clconform.reports.assembling import assemble
from clconform.reports.reading import Journal, OfItem, parse_journal
from clconform.runner.journal.merging import merged
from clconform.runner.journal.resuming import OtherRunError

from ...reports import fabricated  # noqa: TID252 (tests are no part of the installed package)

if TYPE_CHECKING:
    from collections.abc import Callable

FIRST, SECOND = "partition.equally::test_room[0]", "partition.counts::test_counts"


def part(
    shard: str = "", item: str = "", change: Callable[[Line], Line] = lambda line: line, extra: tuple[Line, ...] = ()
) -> Journal:
    """Return a journal with the lines of one item, or of both if ``item`` is empty; ``change`` applies to each line."""
    lines: list[Line] = []
    for line in fabricated.lines():
        if item and getattr(line, "item", item) != item:
            continue
        if isinstance(line, Selection) and item:
            lines.append(Selection(1, dict(line.not_run)))
        elif isinstance(line, RunHeader):
            lines.append(change(msgspec.structs.replace(line, shard=shard)))
        else:
            lines.append(change(line))
    return parse_journal(fabricated.content([*lines[:-1], *extra, lines[-1]]), "part")


def whole(*parts: Journal) -> Journal:
    lines, end = merged({f"part{number}": journal for number, journal in enumerate(parts, 1)})
    return parse_journal(fabricated.content([*lines, end]), "whole")


def refused(*parts: Journal) -> str:
    with pytest.raises(OtherRunError) as caught:
        merged({f"part{number}": journal for number, journal in enumerate(parts, 1)})
    assert str(caught.value).isprintable()
    return str(caught.value)


def test_two_shards_say_what_the_whole_says() -> None:
    one, other = part("1/2", FIRST), part("2/2", SECOND)
    result, expected = (assemble(journal, fabricated.tables()) for journal in (whole(one, other), part()))
    assert result.records == expected.records
    assert result.deviations == expected.deviations
    assert result.summary == expected.summary
    assert (result.run.items, result.run.planned, result.run.shard) == (2, 2, "")
    assert result.run.seconds == 2 * expected.run.seconds, "each part took as long as the fabricated whole"


def header(**changes: object) -> Callable[[Line], Line]:
    return lambda line: msgspec.structs.replace(line, **changes) if isinstance(line, RunHeader) else line


def platform(**changes: object) -> Callable[[Line], Line]:
    def change(line: Line) -> Line:
        if not isinstance(line, PlatformLine):
            return line
        return msgspec.structs.replace(line, platform=msgspec.structs.replace(line.platform, **changes))

    return change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (header(seed=43), "seed: 42 there, 43 here"),
        (header(tables="t5"), "tables: t4b1e5 there, t5 here"),
        (header(revision="abc"), "code revision: none there, abc here"),
        (header(tier="smoke"), "tier: default there, smoke here"),
        (header(examples=9), "number of examples: 0 there, 9 here"),
        (header(device=1), "device number"),
        (header(robustness=True), "robustness"),
        (header(records=["clF/*"]), "record patterns: none there, clF/* here"),
        (header(paths=["suites/data"]), "paths"),
        (platform(name="Other \x1b[2J"), "platform's name: Portable Computing Language there, Other \\x1b[2J here"),
        (platform(version="OpenCL 3.0 PoCL 5.0"), "platform's version"),
        (platform(devices=[]), "number of devices: 1 there, 0 here"),
    ],
)
def test_parts_of_different_runs_are_refused_with_what_differs(change: Callable[[Line], Line], said: str) -> None:
    message = refused(part("1/2"), part("2/2", change=change))
    assert said in message
    assert "part2" in message
    assert "part1" in message


def test_parts_that_are_no_shards_may_be_of_different_suites() -> None:
    one, other = (part(item=item, change=header(paths=[item])) for item in (FIRST, SECOND))
    together = whole(one, other)
    assert together.run.paths == sorted([FIRST, SECOND])
    assert assemble(together, fabricated.tables()).deviations == assemble(part(), fabricated.tables()).deviations


def test_every_kind_of_line_of_an_item_is_kept() -> None:
    trace = TraceLine(FIRST, Trace("a trace", [], [], [], []))
    split = PartitionLine(FIRST, [Split("device1", [], fabricated.SUB, [0x1086, 2, 0], "CL_SUCCESS", [2, 2])])
    formats = FormatLine(FIRST, [ListedFormats(1, 0x10F1, [(0x10B5, 0x10D2)])])
    note = Note(FIRST, fabricated.CRASHED, "CL_SUCCESS", fabricated.CRASH.call)
    repeated = msgspec.structs.replace(part().deviations[0], key="only a repetition shows it", while_confirming=True)
    lines = fabricated.lines()
    end = next(number for number, line in enumerate(lines) if isinstance(line, ItemEnd))
    killed = Killed(FIRST, "k", [fabricated.CRASHED], "literal", ["CL_SUCCESS"], "killed SIGKILL", {}, [])
    lines = [*lines[:end], trace, split, formats, note, killed, *lines[end:-1], repeated, lines[-1]]
    together = whole(parse_journal(fabricated.content(lines), "part"))
    told = (
        together.notes,
        together.traces,
        together.partitions,
        together.formats,
        together.first_seen,
        together.killed,
    )
    kinds = {type(line) for lines in told for line in lines}
    assert {*kinds, Deviation} == set(get_args(OfItem)), "a new kind of line is to be merged too"
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
def test_shards_that_make_no_whole_are_refused(shards: tuple[str, str], said: str) -> None:
    assert said in refused(*(part(shard) for shard in shards))


def test_a_part_that_was_cut_short_is_to_be_resumed_first() -> None:
    cut = part("1/2", FIRST)
    cut.cut_short, cut.end = True, None
    assert "clconform run --resume part1" in refused(cut, part("2/2", SECOND))


def test_a_record_was_not_run_where_no_part_has_run_it() -> None:
    reasons: list[dict[str, str]] = [
        {"a": DESELECTED, "b": ANOTHER_SHARD, "c": ANOTHER_SHARD, "d": ANOTHER_SHARD},
        {"a": DESELECTED, "b": BUDGET_SPENT, "c": "clF cannot be called"},
    ]
    parts = [part(f"{number}/2", item) for number, item in ((1, FIRST), (2, SECOND))]
    for journal, not_run in zip(parts, reasons, strict=True):
        journal.not_run = not_run
    assert whole(*parts).not_run == {"a": DESELECTED, "b": BUDGET_SPENT, "c": "clF cannot be called"}


def test_of_two_findings_the_one_that_repeated_counts_and_of_equals_the_shorter() -> None:
    key = fabricated.GROUP_KEY
    flaky = Confirmation(key, "flaky", 0, 2, [fabricated.CRASH])
    long = Confirmation(key, "crashes", 2, 2, [fabricated.MADE, fabricated.CRASH])
    short = Confirmation(key, "crashes", 2, 2, [fabricated.CRASH])
    for one, other in ((flaky, long), (long, flaky)):
        assert whole(part("1/2", extra=(one,)), part("2/2", extra=(other,))).confirmations[key].verdict == "crashes"
    assert whole(part("1/2", extra=(long,)), part("2/2", extra=(short,))).confirmations[key] == short


def test_of_an_item_that_two_parts_have_run_the_later_counts() -> None:
    def slower(line: Line) -> Line:
        return (
            msgspec.structs.replace(line, calls=99)
            if getattr(line, "item", "") == FIRST and hasattr(line, "calls")
            else line
        )

    together = whole(part(), part(change=slower))
    assert together.items[FIRST].calls == 99
    assert len(together.deviations) == 3
    assert together.planned == 2


def test_a_run_that_was_stopped_stays_so() -> None:
    def stopped(line: Line) -> Line:
        return msgspec.structs.replace(line, interrupted=True) if isinstance(line, RunEnd) else line

    end = whole(part("1/2", FIRST, stopped), part("2/2", SECOND)).end
    assert end is not None
    assert end.interrupted
