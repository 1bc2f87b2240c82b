"""A platform that accepts an invalid call has a deviation for that call, and none for its consequences."""

from __future__ import annotations

import pytest

from clconform.oracles.engine.judge import Oracle
from clconform.runner.pytest_plugin.items import Item, collect
from clconform.selftest.accepting.further_blames import further_blames
from clconform.spec_tables import load
from clconform.tools.resuming import SUITES

from ..sampling import one_in  # noqa: TID252 (tests are not part of the installed package)

FUNCTIONS = (
    "clCreateSubDevices",
    "clSetDefaultDeviceCommandQueue",
    "clLinkProgram",
    "clSetUserEventStatus",
    "clBuildProgram",
)


FAILING = (
    "clSetUserEventStatus",
    "clReleaseMemObject",
    "clReleaseDevice",
    "clTerminateContextKHR",
)
LACKING = ("clSetUserEventStatus",)


@pytest.fixture(scope="module")
def items() -> list[Item]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        patch.delenv("PYTEST_ADDOPTS", raising=False)
        return [item for item in collect(SUITES) if not item.functions.isdisjoint((*FUNCTIONS, *FAILING))]


def test_one_blame_is_enough(items: list[Item]) -> None:
    tried = further_blames("everything", FUNCTIONS, one_in(3, items), load())
    assert tried.wrong > 50
    assert tried.items > tried.unable
    assert tried.further == []


def test_which_queue_is_the_default_is_open_after_a_call_that_had_to_fail(items: list[Item]) -> None:
    tried = further_blames("hints", ["clSetDefaultDeviceCommandQueue"], items, load())
    assert tried.wrong > 0
    assert tried.further == []


def test_a_judge_that_forgets_nothing_is_noticed(items: list[Item], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Oracle, "_leave", lambda *_: None)
    tried = further_blames("everything", ("clBuildProgram",), items, load())
    assert {blame.function for blame in tried.further} == {"clBuildProgram"}


def test_after_a_failure_without_a_reason_all_is_open_that_the_call_may_have_done(items: list[Item]) -> None:
    tried = further_blames("everything", FAILING, one_in(3, items), load(), "fails")
    assert tried.wrong > 40
    assert tried.further == []


def test_a_judge_that_trusts_such_a_failure_is_noticed(items: list[Item], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Oracle, "_leave", lambda *_: None)
    tried = further_blames("everything", FAILING, items, load(), "fails")
    assert {blame.function for blame in tried.further} == {*FAILING}


def test_after_a_lack_of_resources_nothing_is_blamed(items: list[Item]) -> None:
    tried = further_blames("everything", LACKING, items, load(), "lacks")
    assert tried.wrong > 20
    assert tried.further == []


def test_a_judge_that_takes_a_lack_of_resources_for_a_refusal_is_noticed(
    items: list[Item], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Oracle, "_leave", lambda *_: None)
    tried = further_blames("everything", LACKING, items, load(), "lacks")
    assert {blame.function for blame in tried.further} == {*LACKING}


def test_an_unknown_platform_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown topology 'nowhere'"):
        further_blames("nowhere", FUNCTIONS, [], load())
