"""Cases that the options of a run exclude do not become items, but their requirements are recorded as deselected."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from clconform.runner.pytest_plugin.case_selection import OMITTED_KEY, SMOKE_CASES_KEY, select_cases
from clconform.runner.pytest_plugin.covers import TableCase
from clconform.runner.pytest_plugin.item_selection import ItemSelection
from clconform.spec_tables import loading

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

RETAIN, RELEASE, FLUSH = "clRetainDevice/success", "clReleaseDevice/success", "clFlush/success"


def create_case(requirement: str, test_value: str = "", *requirements: str) -> TableCase:
    return TableCase(requirement, test_value, lambda _cl: None, requirements)


CASES = [
    create_case(RETAIN, "a"),
    create_case(RETAIN, "b", FLUSH),
    create_case(RELEASE),
    create_case(FLUSH, "é"),
    create_case(FLUSH, "x"),
    create_case(FLUSH, "x"),
]


def create_metafunc(tier: str, *patterns: str, aims: Sequence[str] = ()) -> Any:
    stash = pytest.Stash()
    stash[SMOKE_CASES_KEY] = {"tried.cases::test": {f"[{RETAIN}[b]]"}}
    options = {"--cl-requirement": list(patterns), "--cl-tier": tier}
    definition = SimpleNamespace(
        nodeid="test_it.py::test",
        iter_markers=lambda _name: [SimpleNamespace(args=aims)],
    )
    config = SimpleNamespace(stash=stash, getoption=options.__getitem__)
    return SimpleNamespace(config=config, definition=definition, module=SimpleNamespace(NAME="tried.cases"))


@pytest.mark.parametrize(
    ("given", "made"),
    [
        (create_metafunc("default"), CASES),
        (create_metafunc("default", "clRetain*"), CASES[:2]),
        (create_metafunc("tables", FLUSH), [CASES[1], *CASES[3:]]),
        (create_metafunc("default", "clRetain*", aims=(RETAIN,)), CASES),
        (create_metafunc("default", "clFinish/success"), CASES[:1]),
        # pytest changes such ids or makes them unique, so the list does not contain them
        (create_metafunc("smoke"), [CASES[1], *CASES[3:]]),
        (create_metafunc("smoke", "clRetain*"), [CASES[1]]),
    ],
)
def test_cases_outside_the_selection_do_not_become_items(given: Any, made: list[TableCase]) -> None:
    assert list(select_cases(given, CASES)) == made
    left = [(each.requirement, *each.further_requirements) for each in CASES if each not in made]
    not_made = given.config.stash.get(OMITTED_KEY, [])
    assert [each for each in not_made if each in left] == left


@pytest.fixture
def _newer_tables() -> Iterator[None]:
    loading.select_folder(loading.REVISIONS / "3.1.1")
    yield
    loading.select_folder(loading.DATA)


NEWER = create_case("clEnqueueCopyBuffer/CL_INVALID_VALUE/2", "alone")


def test_smoke_test_omits_unlisted_cases() -> None:
    assert list(select_cases(create_metafunc("smoke"), [*CASES, NEWER])) == [CASES[1], *CASES[3:]]


@pytest.mark.usefixtures("_newer_tables")
def test_smoke_test_includes_cases_of_requirements_of_newer_revision() -> None:
    assert list(select_cases(create_metafunc("smoke"), [*CASES, NEWER])) == [CASES[1], *CASES[3:], NEWER]


def test_requirements_of_omitted_cases_are_deselected() -> None:
    item: Any = SimpleNamespace(iter_markers=lambda _name: [SimpleNamespace(args=(RETAIN,))])
    choice = ItemSelection([item], [], {}, [(RETAIN, FLUSH), (RELEASE,)])
    assert choice.omitted_requirements() == {FLUSH: "deselected", RELEASE: "deselected"}
