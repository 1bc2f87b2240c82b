"""A deviation that several items have observed is flaky only if the whole items do not show it again either."""

from __future__ import annotations

import msgspec
import pytest

from clconform.calls.journal import Confirmation, Deviation
from clconform.runner.deviations.item_repetition import MAX_REPEATED_ITEMS, confirm_by_items

KEY, OTHER = "f | f/A/1 | CL_SUCCESS", "g | g/A/1 | CL_SUCCESS"
FLAKY = Confirmation(KEY, "flaky", 0, 2, [])


def observe(item: str, key: str = KEY, **changes: object) -> Deviation:
    line = Deviation(item, key, ["f/A/1"], "deviates", "literal", ["CL_INVALID_VALUE"], "CL_SUCCESS", {}, [])
    return msgspec.structs.replace(line, **changes)


IN_TWO = [observe("x.y::a"), observe("x.y::b"), observe("x.y::c")]


class Items:
    """Items that show deviations when they are repeated; ``repeated``: those that were."""

    def __init__(self, **keys: str) -> None:
        self.keys = {f"x.y::{name}": key for name, key in keys.items()}
        self.repeated: list[str] = []

    def repeat(self, item: str) -> set[str]:
        """Return the keys that an item shows."""
        self.repeated.append(item)
        return {self.keys[item]} if item in self.keys else set()


def test_deviation_that_two_whole_items_show_again_is_confirmed() -> None:
    items = Items(a=KEY, b=KEY)
    (found,) = confirm_by_items(IN_TWO, {KEY: FLAKY}, items.repeat)
    assert (found.verdict, found.repeated, found.attempts, found.full_history) == ("deviates", 2, 2, True)
    assert "x.y::a, x.y::b" in found.note
    assert items.repeated == ["x.y::a", "x.y::b"]


@pytest.mark.parametrize("items", [Items(), Items(a=KEY), Items(a=KEY, b=OTHER)])
def test_deviation_that_an_item_does_not_show_again_stays_flaky(items: Items) -> None:
    assert list(confirm_by_items(IN_TWO, {KEY: FLAKY}, items.repeat)) == []


@pytest.mark.parametrize(
    ("lines", "changes"),
    [
        (IN_TWO, {"verdict": "deviates"}),
        (IN_TWO, {"known": True}),
        (IN_TWO, {"replaced_by": OTHER}),
        (IN_TWO[:1], {}),
        ([IN_TWO[0]] * 2, {}),
        ([msgspec.structs.replace(line, undecided=True) for line in IN_TWO], {}),
        ([msgspec.structs.replace(line, while_confirming=True) for line in IN_TWO], {}),
        ([msgspec.structs.replace(line, verdict="crashes", accepted_before=["f"]) for line in IN_TWO], {}),
    ],
    ids=["confirmed", "known", "replaced", "one item", "one item twice", "undecided", "confirming", "accepted"],
)
def test_items_of_other_deviations_are_not_repeated(lines: list[Deviation], changes: dict[str, object]) -> None:
    items = Items(a=KEY, b=KEY)
    assert list(confirm_by_items(lines, {KEY: msgspec.structs.replace(FLAKY, **changes)}, items.repeat)) == []
    assert items.repeated == []


def test_each_item_is_repeated_once_and_their_number_is_limited() -> None:
    keys = [f"{number} | f/A/1 | CL_SUCCESS" for number in range(MAX_REPEATED_ITEMS)]
    same = [observe(f"x.y::{name}", key) for key in keys for name in "ab"]
    items = Items(a=keys[0], b=keys[0])
    flaky = {key: msgspec.structs.replace(FLAKY, key=key) for key in keys}
    assert [found.key for found in confirm_by_items(same, flaky, items.repeat)] == [keys[0]]
    assert items.repeated == ["x.y::a", "x.y::b"]
    others, items = [observe(f"x.y::{key} {name}", key) for key in keys for name in "ab"], Items()
    items.keys = {line.item: line.key for line in others}
    assert len(list(confirm_by_items(others, flaky, items.repeat))) == MAX_REPEATED_ITEMS // 2
    assert len(items.repeated) == MAX_REPEATED_ITEMS
