"""The terminal summary names each deviation, and escapes driver text."""

from __future__ import annotations

import io
import re

from msgspec.structs import replace
from rich.console import Console

from clconform.calls.deviation_keys import UNEXPECTED_BYTES, build_key
from clconform.calls.journal import Confirmation, RunEnd
from clconform.reports.journal_reader import parse_journal
from clconform.reports.result_builder import assemble_result
from clconform.reports.terminal_summary import MAX_CAUSES_SHOWN, print_summary

from . import fabricated_journals


def print_result(
    lines: bytes, tables: fabricated_journals.FakeTables, *, color: bool = False, verbose: bool = False
) -> str:
    out = io.StringIO()
    console = Console(file=out, width=100, force_terminal=color, no_color=not color)
    result = assemble_result(parse_journal(lines, "j"), tables)
    print_summary(result, tables, console, result_path="out/result.json", verbose=verbose)
    return out.getvalue()


def test_summary_has_one_line_for_each_cause_and_counts_last() -> None:
    text = print_result(
        fabricated_journals.encode_journal(fabricated_journals.journal_lines()), fabricated_journals.create_tables()
    )
    assert "Only incorrect programs are affected: 1 crash, 1 wrong result" in text
    assert "Consequence unknown: 1 flaky deviation" in text
    (line,) = (line for line in text.splitlines() if line.startswith("577c2a37"))
    assert line == "577c2a37  deviates  clCreateSubDevices/CL_INVALID_VALUE/2: CL_SUCCESS"
    assert "num_devices is less than" not in text
    assert text.index("577c2a37") < text.index("Requirements: crashes 2") < text.index("To replay an ID")


def test_terminal_summary_shows_details_of_each_deviation() -> None:
    text = print_result(
        fabricated_journals.encode_journal(fabricated_journals.journal_lines()),
        fabricated_journals.create_tables(),
        verbose=True,
    )
    assert "1 crash, 1 wrong result, 1 flaky deviation" in text
    assert "577c2a37  deviates  clCreateSubDevices/CL_INVALID_VALUE/2" in text
    assert "num_devices is less than the number of sub-devices" in " ".join(text.split())
    assert "where       out_devices = <1-element output buffer>, num_devices = 1\n" in text
    assert "allowed     CL_INVALID_VALUE" in text
    assert "observed    CL_SUCCESS" in text
    assert "repeated    3 of 3" in text
    assert "{CL_DEVICE_PARTITION_EQUALLY, 1, 0}, 1, <1-element output buffer>, &num_devices_ret) -> CL_SUCCESS" in text
    assert "clconform replay out/result.json ID" in text


def test_attribution_note_is_shown_for_crashes_and_wrong_bytes_and_flaky_deviations() -> None:
    result = assemble_result(
        parse_journal(fabricated_journals.encode_journal(fabricated_journals.journal_lines()), "j"),
        fabricated_journals.create_tables(),
    )
    (plain,) = (each for each in result.deviations if each.verdict == "deviates")
    noted = replace(plain, note="another command may be to blame")
    for key, told in ((plain.key, False), (build_key(plain.function, plain.requirements, UNEXPECTED_BYTES), True)):
        deviation = replace(noted, key=key)
        assert deviation.attribution_note == (noted.note if told else "")
        out = io.StringIO()
        changed = replace(result, deviations=[deviation])
        print_summary(
            changed, fabricated_journals.create_tables(), Console(file=out, width=100), result_path="out/result.json"
        )
        assert (noted.note in out.getvalue()) == told
    assert (
        replace(noted, verdict="crashes").attribution_note
        == replace(noted, verdict="flaky").attribution_note
        == noted.note
    )
    assert replace(noted, verdict="crashes", attempts=0).attribution_note == ""


def test_device_that_was_slowed_down_is_shown() -> None:
    tables = fabricated_journals.create_tables()
    lines = fabricated_journals.journal_lines()
    assert "slowed down" not in print_result(fabricated_journals.encode_journal(lines), tables)
    slow = [replace(line, throttled="ssh:board: hot\x1b[31m") if isinstance(line, RunEnd) else line for line in lines]
    text = print_result(fabricated_journals.encode_journal(slow), tables)
    assert "a slow call may be reported as a hang: ssh:board: hot\\x1b[31m" in text


def test_unconfirmed_deviation_is_listed_separately_with_the_reason() -> None:
    lines = [
        replace(line, verdict="unconfirmed", attempts=0, repeated=0, note="not reached again: \x1b[31mEvil")
        if isinstance(line, Confirmation) and line.key == fabricated_journals.CRASHED_KEY
        else line
        for line in fabricated_journals.journal_lines()
    ]
    text = print_result(fabricated_journals.encode_journal(lines), fabricated_journals.create_tables())
    _, _, apart = text.partition("Unconfirmed, and not attributed to the driver: 1\n")
    assert "577c2a37  clCreateSubDevices/CL_INVALID_VALUE/2: CL_SUCCESS" in apart
    assert "reason      not reached again: \\x1b[31mEvil" in apart
    assert "577c2a37  deviates" not in text


def test_unconfirmed_deviations_with_the_same_reason_share_it() -> None:
    lines, tables = fabricated_journals.journal_lines(), fabricated_journals.create_tables()
    result = assemble_result(parse_journal(fabricated_journals.encode_journal(lines), "j"), tables)
    one, other = (replace(result.deviations[0], verdict="unconfirmed", note=note) for note in ("lost", "not reached"))
    out = io.StringIO()
    changed = replace(result, deviations=[replace(one, id="1"), replace(other, id="2"), replace(one, id="3")])
    print_summary(changed, tables, Console(file=out, width=100))
    _, _, apart = out.getvalue().partition("Unconfirmed, and not attributed to the driver: 3\n")
    words = [line.split(maxsplit=1) for line in apart.splitlines()[:5]]
    assert [first for first, _ in words] == ["1", "3", "reason", "2", "reason"]
    assert [words[index][1] for index in (2, 4)] == ["lost", "not reached"]


def test_hostile_text_is_escaped_in_terminal_summary() -> None:
    text = print_result(
        fabricated_journals.encode_journal(fabricated_journals.journal_lines(hostile=True)),
        fabricated_journals.create_tables(),
    )
    assert all(character.isprintable() or character == "\n" for character in text)
    assert "\\x1b[31mEvil" in text
    colored = print_result(
        fabricated_journals.encode_journal(fabricated_journals.journal_lines(hostile=True)),
        fabricated_journals.create_tables(),
        color=True,
    )
    assert "\x1b[31mEvil" not in colored
    assert "\x9b" not in colored


def test_runs_without_platform_or_deviations_have_terminal_summary() -> None:
    text = print_result(
        fabricated_journals.encode_journal(fabricated_journals.journal_lines()[:1]), fabricated_journals.create_tables()
    )
    assert "The run ended before a platform was found" in text
    text = print_result(
        fabricated_journals.encode_journal(fabricated_journals.journal_lines()[:2]), fabricated_journals.create_tables()
    )
    assert "replay" not in text


def test_deviations_beyond_the_limit_are_only_counted() -> None:
    lines, tables = fabricated_journals.create_large_journal(4000)
    journal = fabricated_journals.encode_journal(lines)
    text = print_result(journal, tables)
    shown = sum(bool(re.match("[0-9a-f]{8}  ", line)) for line in text.splitlines())
    assert shown <= MAX_CAUSES_SHOWN
    left = [int(number) for number in re.findall(r"\.\.\. and (\d+) more deviations?: see the report", text)]
    listed = [int(number) for number in re.findall(r"  (\d+) times: ", text)]
    assert sum(left) + sum(listed) + shown - len(listed) == 103
    assert "more deviation" not in print_result(journal, tables, verbose=True)


def test_each_consequence_has_one_heading_with_a_gate() -> None:
    lines, tables = fabricated_journals.journal_lines(), fabricated_journals.create_tables()
    result = assemble_result(parse_journal(fabricated_journals.encode_journal(lines), "j"), tables)
    known = fabricated_journals.add_gate(result, "new")
    first, second, *others = known.deviations
    mixed = replace(known, deviations=[replace(first, consequence="correct-programs"), second, *others])
    for changed in (mixed, replace(mixed, deviations=mixed.deviations[::-1])):
        out = io.StringIO()
        print_summary(changed, tables, Console(file=out, width=100))
        headings = [line for line in out.getvalue().splitlines() if " affected: " in line or "unknown: " in line]
        assert len(headings) == len(set(headings)) == 3
        assert headings[0].startswith("Correct programs")
