"""Stable numbers of requirements that are added, moved, removed, restored and reworded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.tools.extract import id_ledger as numbers
from clconform.tools.extract.id_ledger import Ledger, LedgerItem

if TYPE_CHECKING:
    from pathlib import Path


def assign_numbers(ledger: Ledger, family: str, items: list[LedgerItem]) -> list[int]:
    return [entry.number for entry in numbers.assign_numbers(ledger, family, items)]


A, B, C = LedgerItem("a", ("x",)), LedgerItem("b", ("y",)), LedgerItem("c", ("z",))


def test_new_ledger_items_are_numbered_in_order() -> None:
    assert assign_numbers({}, "f", [A, B, C]) == [1, 2, 3]


def test_ledger_numbers_stay_if_an_item_is_inserted() -> None:
    ledger: Ledger = {}
    assign_numbers(ledger, "f", [A, B])
    assert assign_numbers(ledger, "f", [C, A, B]) == [3, 1, 2]


def test_ledger_numbers_stay_if_items_move() -> None:
    ledger: Ledger = {}
    assign_numbers(ledger, "f", [A, B, C])
    assert assign_numbers(ledger, "f", [C, A, B]) == [3, 1, 2]


def test_number_of_a_removed_item_is_not_reused() -> None:
    ledger: Ledger = {}
    assign_numbers(ledger, "f", [A, B, C])
    assert assign_numbers(ledger, "f", [A, C]) == [1, 3]
    assert assign_numbers(ledger, "f", [A, C, LedgerItem("d", ("w",))]) == [1, 3, 4]
    assert assign_numbers(ledger, "f", [A, B, C]) == [1, 2, 3]


def test_reworded_ledger_item_keeps_its_number() -> None:
    ledger: Ledger = {}
    assign_numbers(ledger, "f", [A, B, C])
    assert assign_numbers(ledger, "f", [A, LedgerItem("b, better", ("y",)), C]) == [1, 2, 3]
    assert assign_numbers(ledger, "f", [A, B, C]) == [1, 2, 3]


def test_changed_item_that_names_different_words_gets_a_new_number() -> None:
    ledger: Ledger = {}
    assign_numbers(ledger, "f", [A, B, C])
    assert assign_numbers(ledger, "f", [A, LedgerItem("n", ("other",)), C]) == [1, 4, 3]


def test_reworded_item_at_another_position_gets_a_new_number() -> None:
    ledger: Ledger = {}
    assign_numbers(ledger, "f", [A, B, C])
    assert assign_numbers(ledger, "f", [A, C, LedgerItem("b, better", ("y",))]) == [1, 3, 4]


def test_sentence_that_occurs_twice_has_two_numbers() -> None:
    ledger: Ledger = {}
    assert assign_numbers(ledger, "f", [A, A]) == [1, 2]
    assert assign_numbers(ledger, "f", [A, A]) == [1, 2]


def test_items_of_different_families_are_numbered_separately() -> None:
    ledger: Ledger = {}
    assert assign_numbers(ledger, "f", [A]) == [1]
    assert assign_numbers(ledger, "g", [B]) == [1]


def test_number_of_a_split_sentence_is_retired() -> None:
    ledger: Ledger = {}
    whole = LedgerItem("x or y", ("x", "y"))
    assert assign_numbers(ledger, "f", [A, whole]) == [1, 2]
    parts = [LedgerItem("x", ("x",), "x or y"), LedgerItem("y", ("x", "y"), "x or y")]
    assert assign_numbers(ledger, "f", [A, *parts]) == [1, 3, 4]
    assert [entry.number for entry in ledger["f"] if entry.retired] == [2]
    assert assign_numbers(ledger, "f", [A, *parts]) == [1, 3, 4]


def test_first_digest_of_ledger_entry_stays_first_after_rewordings() -> None:
    ledger: Ledger = {}
    assign_numbers(ledger, "f", [A])
    for digest in ("a, better", "a"):
        (entry,) = numbers.assign_numbers(ledger, "f", [LedgerItem(digest, ("x",))])
    assert entry.digests == ["a", "a, better"]


WHOLE = LedgerItem("x or y", ("x",))
PARTS = [LedgerItem("x", ("x",), WHOLE.digest), LedgerItem("y", ("x",), WHOLE.digest)]


def retired_numbers(ledger: Ledger) -> list[int]:
    return [entry.number for entry in ledger["f"] if entry.retired]


def test_part_of_a_split_item_gets_a_new_number() -> None:
    ledger: Ledger = {}
    assign_numbers(ledger, "f", [A, WHOLE, C])
    assert assign_numbers(ledger, "f", [A, PARTS[0], C]) == [1, 4, 3]
    assert retired_numbers(ledger) == [2]


def test_retired_number_is_not_reused() -> None:
    ledger: Ledger = {}
    assign_numbers(ledger, "f", [WHOLE])
    assert assign_numbers(ledger, "f", PARTS) == [2, 3]
    assert assign_numbers(ledger, "f", [WHOLE]) == [4]
    assert assign_numbers(ledger, "f", PARTS) == [2, 3]
    assert assign_numbers(ledger, "f", [*PARTS, LedgerItem("x, better", ("x",))]) == [2, 3, 5]


def test_splitting_a_reworded_item_retires_its_number() -> None:
    ledger: Ledger = {}
    assign_numbers(ledger, "f", [LedgerItem("y or x", ("x",))])
    assert assign_numbers(ledger, "f", [WHOLE]) == [1]
    assert assign_numbers(ledger, "f", PARTS) == [2, 3]
    assert retired_numbers(ledger) == [1]


def test_parts_of_an_item_that_remains_or_has_no_number_retire_no_number() -> None:
    ledger: Ledger = {}
    assert assign_numbers(ledger, "f", [A, WHOLE]) == [1, 2]
    assert assign_numbers(ledger, "f", [A, WHOLE, *PARTS]) == [1, 2, 3, 4]
    assert assign_numbers(ledger, "f", [A, LedgerItem("z", ("z",), "w or z")]) == [1, 5]
    assert retired_numbers(ledger) == []


def test_item_that_is_not_a_part_retires_no_number() -> None:
    ledger: Ledger = {}
    assign_numbers(ledger, "f", [A, WHOLE])
    assert assign_numbers(ledger, "f", [A, LedgerItem(WHOLE.digest, ("other",))]) == [1, 2]
    assert retired_numbers(ledger) == []


def test_restored_wording_is_listed_once_in_its_ledger_entry() -> None:
    ledger: Ledger = {}
    for digest in ("a", "a, better", "a, best", "a, better"):
        (entry,) = numbers.assign_numbers(ledger, "f", [LedgerItem(digest, ("x",))])
        assert entry.digests[0] == "a"
        assert entry.digests.count(digest) == 1


def test_numbering_an_older_revision_again_leaves_the_ledger_unchanged() -> None:
    ledger: Ledger = {}
    assign_numbers(ledger, "f", [A, B])
    assign_numbers(ledger, "f", [A, LedgerItem("b, better", B.names), LedgerItem("n", ("w",))])
    before = msgspec.json.encode(ledger)
    assert assign_numbers(ledger, "f", [A, B]) == [1, 2]
    assert msgspec.json.encode(ledger) == before


def test_revisions_share_the_ledger_of_their_parent_folder(tmp_path: Path) -> None:
    for folder in (tmp_path / "1.0", tmp_path / "1.1"):
        folder.mkdir()
    assert numbers.ledger_folder(tmp_path / "1.0") == tmp_path / "1.0"
    (tmp_path / numbers.LEDGER_FILE).touch()
    assert numbers.ledger_folder(tmp_path / "1.0") == numbers.ledger_folder(tmp_path / "1.1") == tmp_path
    (tmp_path / "1.1" / numbers.LEDGER_FILE).touch()
    assert numbers.ledger_folder(tmp_path / "1.1") == tmp_path / "1.1"
