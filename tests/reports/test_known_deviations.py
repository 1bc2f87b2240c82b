"""The file of known deviations: each error is reported with its position, its value and a suggestion."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.calls.journal import MAX_DEVIATION_TEST_VALUES
from clconform.reports.deviation_values import find_unnamed_values
from clconform.reports.driver_versions import is_in_range, is_range, version_numbers
from clconform.reports.journal_reader import parse_journal
from clconform.reports.known_deviations import (
    KnownDeviationIndex,
    KnownDeviationsError,
    format_known_deviations,
    parse_known_deviations,
    read_known_deviations,
)
from clconform.reports.result_builder import assemble_result

from . import fabricated_journals

if TYPE_CHECKING:
    from pathlib import Path

VALID_ENTRY = 'requirement = "clF/A/1"\nverdict = "deviates"\nreason = "bug 7"\n'


def test_entry_with_all_keys_is_read() -> None:
    more = 'flaky = true\nuntil = 2027-03-31\ndriver = ">=3.0, <4"\ndeviation = "86f203a7"\nobserved = "CL_SUCCESS"\n'
    more += 'symptom = "wrong bytes"\ntests = ["x.y::test_x[a]", "x.y::test_x[b]"]\ntest_values = ["size=0"]\n'
    first, second = parse_known_deviations(
        f"# known\n\n[[known]]\n{VALID_ENTRY}\n[[known]]\n{VALID_ENTRY}{more}", "k.toml"
    )
    assert (first.requirement, first.verdict, first.reason, first.flaky, first.until) == (
        *("clF/A/1", "deviates", "bug 7"),
        *(False, None),
    )
    assert (first.number, first.line, second.number, second.line) == (1, 3, 2, 8)
    assert (second.flaky, second.until, second.driver) == (True, dt.date(2027, 3, 31), ">=3.0, <4")
    assert (second.deviation, second.observed) == ("86f203a7", "CL_SUCCESS")
    assert (second.symptom, second.tests) == ("wrong bytes", ("x.y::test_x[a]", "x.y::test_x[b]"))
    assert (first.test_values, second.test_values) == ((), ("size=0",))
    assert second.position == "entry 2 (line 8)"


def test_empty_file_has_no_known_deviations() -> None:
    assert parse_known_deviations("# nothing is known\n", "k.toml") == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[expected]\n", "line 1"),
        ('unknown = "x"\n', "unknown key unknown; write each entry under [[known]]"),
        ("known = 3\n", "write [[known]] above each"),
        ("known = [1]\n", "write [[known]] above each"),
        (f"[[expected]]\n{VALID_ENTRY}", "convert it with `clconform dev migrate k.toml`"),
        (f"[[known]]\n{VALID_ENTRY}verdikt = 3\n", "entry 1 (line 1): unknown key verdikt; did you mean verdict?"),
        (f"[[known]]\n{VALID_ENTRY}colour = 3\n", "unknown key colour; valid keys: requirement, verdict"),
        (f"\n[[known]]\n{VALID_ENTRY}[[known]]\n", "entry 2 (line 6): requirement is missing"),
        ('[[known]]\nrequirement = "a"\nverdict = "deviates"\nreason = " "\n', "reason is empty; write the reason"),
        ('[[known]]\nrequirement = ""\nverdict = "deviates"\nreason = "x"\n', "requirement is empty"),
        ('[[known]]\nrequirement = "a"\nverdict = "fails"\nreason = "x"\n', 'verdict = "fails": write "deviates" or'),
        ('[[known]]\nrequirement = "a"\nverdict = "flaky"\nreason = "x"\n', "flaky = true"),
        (
            '[[known]]\nrequirement = 3\nverdict = "deviates"\nreason = "x"\n',
            "requirement = 3: write a requirement's id",
        ),
        (f'[[known]]\n{VALID_ENTRY}until = "2027-03-31"\n', 'until = "2027-03-31": write a date without quotes'),
        (f"[[known]]\n{VALID_ENTRY}until = 2027-03-31T10:00:00\n", "until = 2027-03-31 10:00:00: write a date"),
        (f"[[known]]\n{VALID_ENTRY}flaky = 1\n", "flaky = 1: write true or false"),
        (f"[[known]]\n{VALID_ENTRY}reason = false\n", "line 5"),
        (f'[[known]]\n{VALID_ENTRY}driver = "3.x"\n', 'driver = "3.x": write a range'),
        (f'[[known]]\n{VALID_ENTRY}driver = ">=3,"\n', 'driver = ">=3,": write a range'),
        (f'[[known]]\n{VALID_ENTRY}deviation = "86F2"\n', 'deviation = "86F2": write a deviation\'s id'),
        (f'[[known]]\n{VALID_ENTRY}observed = "\\u001b[2J"\ncolour = "x"\n', "unknown key colour"),
        (f'[[known]]\n{VALID_ENTRY}tests = "x.y::test_x"\n', 'tests = "x.y::test_x": write a list of the ids of tests'),
        (f"[[known]]\n{VALID_ENTRY}tests = []\n", "tests = []: write a list"),
        (f'[[known]]\n{VALID_ENTRY}test_values = "size=0"\n', 'test_values = "size=0": write a list of test values'),
        (f'[[known]]\n{VALID_ENTRY}test_values = [" "]\n', "test_values = [...]: write a list of test values"),
        (f'[[known]]\n{VALID_ENTRY}tests = ["x.y::test_x", 3]\n', "tests = [...]: write a list"),
        ('[[known]]\nrequirement = "a"\nverdict = "\\u001b[2J"\nreason = "x"\n', 'verdict = "\\\\x1b[2J"'),
    ],
)
def test_invalid_entry_is_rejected_with_its_position(text: str, said: str) -> None:
    with pytest.raises(KnownDeviationsError) as caught:
        parse_known_deviations(text, "k.toml")
    message = str(caught.value)
    assert said in message
    assert message.startswith("k.toml")
    assert message.isprintable()


def test_missing_or_undecodable_file_of_known_deviations_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(KnownDeviationsError, match="clconform known --from RESULT"):
        read_known_deviations(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b"# caf\xe9\n")
    with pytest.raises(KnownDeviationsError, match=r"not UTF-8 text .byte 0xe9 at offset 5"):
        read_known_deviations(tmp_path / "latin.toml")


def test_generated_file_lists_all_deviations_without_driver_text() -> None:
    journal = parse_journal(fabricated_journals.encode_journal(fabricated_journals.journal_lines(hostile=True)), "j")
    result = assemble_result(journal, fabricated_journals.create_tables())
    text = format_known_deviations(result)
    assert all(character.isascii() and (character.isprintable() or character == "\n") for character in text)
    entries = parse_known_deviations(text, "k.toml")
    ids = ["" if deviation.verdict == "crashes" else deviation.id for deviation in result.deviations]
    assert [entry.deviation for entry in entries] == ids, "another run may end a process by another signal"
    assert [entry.requirement for entry in entries] == [deviation.requirements[0] for deviation in result.deviations]
    assert [(entry.verdict, entry.flaky) for entry in entries] == [
        ("crashes", False),
        ("deviates", False),
        ("hangs", True),
    ], "what was flaky is expected with the verdict that it has where it shows"


def test_generated_entries_list_up_to_20_tests_except_after_a_smoke_test() -> None:
    found = assemble_result(
        parse_journal(fabricated_journals.encode_journal(fabricated_journals.journal_lines()), "j"),
        fabricated_journals.create_tables(),
    )
    named = [entry.tests for entry in parse_known_deviations(format_known_deviations(found), "k.toml")]
    assert named == [() if each.verdict != "deviates" else tuple(each.tests) for each in found.deviations]
    assert any(named)
    run = msgspec.structs.replace(found.run, tier="smoke")
    smoke = parse_known_deviations(format_known_deviations(msgspec.structs.replace(found, run=run)), "k.toml")
    assert not any(entry.tests for entry in smoke), "which tests of a smoke test see a deviation may change"
    many = [f"x.y::test_x[{number}]" for number in range(21)]
    seen = [msgspec.structs.replace(each, tests=many) for each in found.deviations]
    more = parse_known_deviations(format_known_deviations(msgspec.structs.replace(found, deviations=seen)), "k.toml")
    assert not any(entry.tests for entry in more)


def test_generated_entries_list_test_values_except_after_a_smoke_test() -> None:
    found = assemble_result(
        parse_journal(fabricated_journals.encode_journal(fabricated_journals.journal_lines()), "j"),
        fabricated_journals.create_tables(),
    )
    values = ["size=0", "n\u00e4me " + 200 * "xy"]

    def entry_values(tier: str, test_values: list[str]) -> dict[str, tuple[str, ...]]:
        run = msgspec.structs.replace(found.run, tier=tier)
        deviations = [msgspec.structs.replace(each, test_values=test_values) for each in found.deviations]
        text = format_known_deviations(msgspec.structs.replace(found, run=run, deviations=deviations))
        return {entry.verdict: entry.test_values for entry in parse_known_deviations(text, "k.toml")}

    named = entry_values("default", values)
    assert named == {"crashes": named["deviates"], "deviates": named["deviates"], "hangs": ()}
    assert find_unnamed_values(values, named["deviates"], several=False) == []
    assert find_unnamed_values(["size=1"], named["deviates"], several=False) == ["size=1"]
    full = [str(number) for number in range(MAX_DEVIATION_TEST_VALUES)]
    for tier, given in (("smoke", values), ("default", full)):
        assert not any(entry_values(tier, given).values())


def test_pattern_of_an_entry_matches_requirement_ids() -> None:
    entries = parse_known_deviations(
        f"[[known]]\n{VALID_ENTRY}[[known]]\n{VALID_ENTRY.replace('F/A/1', 'F/*')}", "k.toml"
    )
    assert KnownDeviationIndex(entries).entries_for("clF/A/1") == entries
    assert KnownDeviationIndex(entries).entries_for("clF/B/1") == entries[1:]


@pytest.mark.parametrize(
    ("version", "numbers"),
    [
        ("3.0-rc2", [3, 0]),
        ("2026.21.3.0.4_160000", [2026, 21, 3, 0, 4]),
        ("Mesa 22.3.6", [22, 3, 6]),
        ("LLVM14 build 1.8", [1, 8]),
        ("580", [580]),
        ("main", None),
        ("", None),
        ("7" * 1_000_000, None),
    ],
)
def test_version_numbers_are_extracted_from_text(version: str, numbers: list[int] | None) -> None:
    assert version_numbers(version) == numbers


@pytest.mark.parametrize(
    ("version", "wanted", "holds"),
    [
        ("3.0", ">=3", True),
        ("3", "==3.0", True),
        ("3.10", ">3.9", True),
        ("3.1", "< 3.1", False),
        ("3.1", "<=3.1 , >= 3.1", True),
        ("3.1", "!=3.1", False),
        ("4.0", ">=3, <4", False),
        ("main", ">=0", False),
    ],
)
def test_version_is_in_range_only_if_it_meets_all_bounds(version: str, wanted: str, *, holds: bool) -> None:
    assert is_range(wanted)
    assert is_in_range(version, wanted) is holds


@pytest.mark.parametrize("text", ["", "3.0", ">=", ">=3.0 <4", "~3", ">=3.0,", ">=3.x"])
def test_invalid_version_range_is_rejected(text: str) -> None:
    assert not is_range(text)
