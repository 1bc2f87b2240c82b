"""A platform that accepts an invalid call deviates in this call, but not in later calls that it affects."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.harness import HarnessError
from clconform.oracles.engine.judge import Oracle
from clconform.runner.session import session as session_module
from clconform.selftest.attribution.follow_up_deviations import find_follow_up_deviations
from clconform.spec_tables import load

from ..case_sampling import one_in  # noqa: TID252 (tests are not part of the installed package)
from .suite_items import collect_suite_items

if TYPE_CHECKING:
    from clconform.runner.pytest_plugin.item_collection import SuiteItem

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
RESOURCE_FUNCTIONS = ("clSetUserEventStatus",)


@pytest.fixture(scope="module")
def suite_items() -> list[SuiteItem]:
    return [item for item in collect_suite_items() if not item.target_functions.isdisjoint((*FUNCTIONS, *FAILING))]


def test_accepted_invalid_call_does_not_cause_follow_up_deviations(suite_items: list[SuiteItem]) -> None:
    tried = find_follow_up_deviations("everything", FUNCTIONS, one_in(3, suite_items), load())
    assert tried.faulty_results > 50
    assert tried.items > tried.failed_items
    assert tried.follow_ups == []


def test_accepted_default_queue_does_not_cause_follow_up_deviations(suite_items: list[SuiteItem]) -> None:
    tried = find_follow_up_deviations("hints", ["clSetDefaultDeviceCommandQueue"], suite_items, load())
    assert tried.faulty_results > 0
    assert tried.follow_ups == []


def test_judge_that_assumes_known_state_after_accepted_call_is_detected(
    suite_items: list[SuiteItem], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Oracle, "_apply_aftermath", lambda *_: None)
    monkeypatch.setattr(session_module, "exclude_unusable", lambda expectation, _model: expectation)
    tried = find_follow_up_deviations("everything", ("clBuildProgram",), suite_items, load())
    assert {deviation.function for deviation in tried.follow_ups} == {"clBuildProgram"}


def test_unlisted_error_does_not_cause_follow_up_deviations(suite_items: list[SuiteItem]) -> None:
    tried = find_follow_up_deviations("everything", FAILING, one_in(3, suite_items), load(), "fails")
    assert tried.faulty_results > 40
    assert tried.follow_ups == []


def test_judge_that_assumes_known_state_after_unlisted_error_is_detected(
    suite_items: list[SuiteItem], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Oracle, "_apply_aftermath", lambda *_: None)
    tried = find_follow_up_deviations("everything", FAILING, suite_items, load(), "fails")
    assert {deviation.function for deviation in tried.follow_ups} == {*FAILING}


def test_out_of_resources_error_does_not_cause_follow_up_deviations(suite_items: list[SuiteItem]) -> None:
    tried = find_follow_up_deviations("everything", RESOURCE_FUNCTIONS, suite_items, load(), "lacks")
    assert tried.faulty_results > 20
    assert tried.follow_ups == []


def test_judge_that_assumes_known_state_after_resource_error_is_detected(
    suite_items: list[SuiteItem], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Oracle, "_apply_aftermath", lambda *_: None)
    tried = find_follow_up_deviations("everything", RESOURCE_FUNCTIONS, suite_items, load(), "lacks")
    assert {deviation.function for deviation in tried.follow_ups} == {*RESOURCE_FUNCTIONS}


def test_unknown_topology_is_rejected() -> None:
    with pytest.raises(HarnessError, match="unknown topology 'nowhere'"):
        find_follow_up_deviations("nowhere", FUNCTIONS, [], load())
