"""Stable numbers of requirements that are added, moved, removed, restored and reworded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.tools.extract import id_ledger as numbers
from clconform.tools.extract.id_ledger import Ledger, LedgerItem

if TYPE_CHECKING:
    from pathlib import Path


def assign(ledger: Ledger, family: str, items: list[LedgerItem]) -> list[int]:
    return [entry.number for entry in numbers.assign_numbers(ledger, family, items)]


A, B, C = LedgerItem("a", ("x",)), LedgerItem("b", ("y",)), LedgerItem("c", ("z",))


def test_first_come_first_numbered() -> None:
    assert assign({}, "f", [A, B, C]) == [1, 2, 3]


def test_numbers_stay_when_a_clause_is_added_before() -> None:
    ledger: Ledger = {}
    assign(ledger, "f", [A, B])
    assert assign(ledger, "f", [C, A, B]) == [3, 1, 2]


def test_numbers_stay_when_clauses_move() -> None:
    ledger: Ledger = {}
    assign(ledger, "f", [A, B, C])
    assert assign(ledger, "f", [C, A, B]) == [3, 1, 2]


def test_a_removed_number_is_never_used_again() -> None:
    ledger: Ledger = {}
    assign(ledger, "f", [A, B, C])
    assert assign(ledger, "f", [A, C]) == [1, 3]
    assert assign(ledger, "f", [A, C, LedgerItem("d", ("w",))]) == [1, 3, 4]
    assert assign(ledger, "f", [A, B, C]) == [1, 2, 3]


def test_a_reworded_clause_keeps_its_number() -> None:
    ledger: Ledger = {}
    assign(ledger, "f", [A, B, C])
    assert assign(ledger, "f", [A, LedgerItem("b, better", ("y",)), C]) == [1, 2, 3]
    assert assign(ledger, "f", [A, B, C]) == [1, 2, 3]


def test_a_clause_about_other_names_is_a_new_one() -> None:
    ledger: Ledger = {}
    assign(ledger, "f", [A, B, C])
    assert assign(ledger, "f", [A, LedgerItem("n", ("other",)), C]) == [1, 4, 3]


def test_a_reworded_clause_elsewhere_is_a_new_one() -> None:
    ledger: Ledger = {}
    assign(ledger, "f", [A, B, C])
    assert assign(ledger, "f", [A, C, LedgerItem("b, better", ("y",))]) == [1, 3, 4]


def test_the_same_sentence_twice_has_two_numbers() -> None:
    ledger: Ledger = {}
    assert assign(ledger, "f", [A, A]) == [1, 2]
    assert assign(ledger, "f", [A, A]) == [1, 2]


def test_families_do_not_mix() -> None:
    ledger: Ledger = {}
    assert assign(ledger, "f", [A]) == [1]
    assert assign(ledger, "g", [B]) == [1]


def test_what_was_split_retires_the_number_of_the_whole() -> None:
    ledger: Ledger = {}
    whole = LedgerItem("x or y", ("x", "y"))
    assert assign(ledger, "f", [A, whole]) == [1, 2]
    parts = [LedgerItem("x", ("x",), "x or y"), LedgerItem("y", ("x", "y"), "x or y")]
    assert assign(ledger, "f", [A, *parts]) == [1, 3, 4]
    assert [entry.number for entry in ledger["f"] if entry.retired] == [2]
    assert assign(ledger, "f", [A, *parts]) == [1, 3, 4]


def test_the_first_wording_stays_the_first() -> None:
    ledger: Ledger = {}
    assign(ledger, "f", [A])
    for digest in ("a, better", "a"):
        (entry,) = numbers.assign_numbers(ledger, "f", [LedgerItem(digest, ("x",))])
    assert entry.digests == ["a", "a, better"]


WHOLE = LedgerItem("x or y", ("x",))
PARTS = [LedgerItem("x", ("x",), WHOLE.digest), LedgerItem("y", ("x",), WHOLE.digest)]


def retired(ledger: Ledger) -> list[int]:
    return [entry.number for entry in ledger["f"] if entry.retired]


def test_no_part_is_a_rewording_of_the_whole() -> None:
    ledger: Ledger = {}
    assign(ledger, "f", [A, WHOLE, C])
    assert assign(ledger, "f", [A, PARTS[0], C]) == [1, 4, 3]
    assert retired(ledger) == [2]


def test_a_retired_number_is_never_given_again() -> None:
    ledger: Ledger = {}
    assign(ledger, "f", [WHOLE])
    assert assign(ledger, "f", PARTS) == [2, 3]
    assert assign(ledger, "f", [WHOLE]) == [4]
    assert assign(ledger, "f", PARTS) == [2, 3]
    assert assign(ledger, "f", [*PARTS, LedgerItem("x, better", ("x",))]) == [2, 3, 5]


def test_a_whole_in_a_later_wording_is_retired_as_well() -> None:
    ledger: Ledger = {}
    assign(ledger, "f", [LedgerItem("y or x", ("x",))])
    assert assign(ledger, "f", [WHOLE]) == [1]
    assert assign(ledger, "f", PARTS) == [2, 3]
    assert retired(ledger) == [1]


def test_a_whole_that_is_still_there_or_was_never_numbered_retires_nothing() -> None:
    ledger: Ledger = {}
    assert assign(ledger, "f", [A, WHOLE]) == [1, 2]
    assert assign(ledger, "f", [A, WHOLE, *PARTS]) == [1, 2, 3, 4]
    assert assign(ledger, "f", [A, LedgerItem("z", ("z",), "w or z")]) == [1, 5]
    assert retired(ledger) == []


def test_what_stands_alone_retires_nothing() -> None:
    ledger: Ledger = {}
    assign(ledger, "f", [A, WHOLE])
    assert assign(ledger, "f", [A, LedgerItem(WHOLE.digest, ("other",))]) == [1, 2]
    assert retired(ledger) == []


def test_the_same_wording_after_a_while_has_its_place_in_the_list_of_wordings() -> None:
    ledger: Ledger = {}
    for digest in ("a", "a, better", "a, best", "a, better"):
        (entry,) = numbers.assign_numbers(ledger, "f", [LedgerItem(digest, ("x",))])
        assert entry.digests[0] == "a"
        assert entry.digests.count(digest) == 1


def test_an_older_revision_read_again_changes_nothing() -> None:
    ledger: Ledger = {}
    assign(ledger, "f", [A, B])
    assign(ledger, "f", [A, LedgerItem("b, better", B.names), LedgerItem("n", ("w",))])
    before = msgspec.json.encode(ledger)
    assert assign(ledger, "f", [A, B]) == [1, 2]
    assert msgspec.json.encode(ledger) == before


def test_revisions_side_by_side_share_what_is_above_them(tmp_path: Path) -> None:
    for folder in (tmp_path / "1.0", tmp_path / "1.1"):
        folder.mkdir()
    assert numbers.ledger_folder(tmp_path / "1.0") == tmp_path / "1.0"
    (tmp_path / numbers.LEDGER_FILE).touch()
    assert numbers.ledger_folder(tmp_path / "1.0") == numbers.ledger_folder(tmp_path / "1.1") == tmp_path
    (tmp_path / "1.1" / numbers.LEDGER_FILE).touch()
    assert numbers.ledger_folder(tmp_path / "1.1") == tmp_path / "1.1"
