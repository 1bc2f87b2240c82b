"""Cases that a run's options leave out do not become items, but their requirements are still known."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from clconform.runner.pytest_plugin.aims import Case
from clconform.runner.pytest_plugin.cases import LISTED_KEY, NOT_MADE_KEY, wanted_cases
from clconform.runner.pytest_plugin.selection import Choice
from clconform.spec_tables import loading

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

RETAIN, RELEASE, FLUSH = "clRetainDevice/success", "clReleaseDevice/success", "clFlush/success"


def case(record: str, boundary: str = "", *records: str) -> Case:
    return Case(record, boundary, lambda _cl: None, records)


CASES = [
    case(RETAIN, "a"),
    case(RETAIN, "b", FLUSH),
    case(RELEASE),
    case(FLUSH, "é"),
    case(FLUSH, "x"),
    case(FLUSH, "x"),
]


def metafunc(tier: str, *patterns: str, aims: Sequence[str] = (), ways: bool = False) -> Any:
    stash = pytest.Stash()
    stash[LISTED_KEY] = {"tried.cases::test": {f"[{RETAIN}[b]]"}}
    options = {"--cl-record": list(patterns), "--cl-tier": tier}
    definition = SimpleNamespace(
        nodeid="test_it.py::test",
        iter_markers=lambda _name: [SimpleNamespace(args=aims)],
        get_closest_marker=lambda _name: "ways" if ways else None,
    )
    config = SimpleNamespace(stash=stash, getoption=options.__getitem__)
    return SimpleNamespace(config=config, definition=definition, module=SimpleNamespace(NAME="tried.cases"))


@pytest.mark.parametrize(
    ("given", "made"),
    [
        (metafunc("default"), CASES),
        (metafunc("default", "clRetain*"), CASES[:2]),
        (metafunc("tables", FLUSH), [CASES[1], *CASES[3:]]),
        (metafunc("default", "clRetain*", aims=(RETAIN,)), CASES),
        (metafunc("default", "clFinish/success"), CASES[:1]),
        # pytest changes such ids or makes them unique, so the list does not contain them
        (metafunc("smoke"), [CASES[1], *CASES[3:]]),
        (metafunc("smoke", "clRetain*"), [CASES[1]]),
        (metafunc("smoke", ways=True), CASES),
    ],
)
def test_what_is_not_asked_for_is_not_made(given: Any, made: list[Case]) -> None:
    assert list(wanted_cases(given, CASES)) == made
    left = [(each.record, *each.records) for each in CASES if each not in made]
    not_made = given.config.stash.get(NOT_MADE_KEY, [])
    assert [each for each in not_made if each in left] == left


@pytest.fixture
def _newer_tables() -> Iterator[None]:
    loading.choose(loading.REVISIONS / "3.1.1")
    yield
    loading.choose(loading.DATA)


NEWER = case("clEnqueueCopyBuffer/CL_INVALID_VALUE/2", "alone")


def test_a_smoke_test_lacks_what_is_not_in_its_list() -> None:
    assert list(wanted_cases(metafunc("smoke"), [*CASES, NEWER])) == [CASES[1], *CASES[3:]]


@pytest.mark.usefixtures("_newer_tables")
def test_a_smoke_test_has_the_cases_of_newer_records() -> None:
    assert list(wanted_cases(metafunc("smoke"), [*CASES, NEWER])) == [CASES[1], *CASES[3:], NEWER]


def test_the_records_of_what_was_not_made_are_deselected_unless_an_item_has_them() -> None:
    item: Any = SimpleNamespace(iter_markers=lambda _name: [SimpleNamespace(args=(RETAIN,))])
    choice = Choice([item], [], {}, [(RETAIN, FLUSH), (RELEASE,)])
    assert choice.not_run() == {FLUSH: "deselected", RELEASE: "deselected"}
