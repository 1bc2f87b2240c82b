"""Violations of tested requirements: which are found, which are not, and how they are classified."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Returned
from clconform.calls.harness_actions import build_call
from clconform.calls.values import ElementList, OutputBuffer
from clconform.harness import Target
from clconform.oracles.engine.predicate_result import MUST, NO
from clconform.runner.pytest_plugin.item_collection import SuiteItem
from clconform.runner.session.outcome_values import returned_handles
from clconform.selftest.outcome_mutation import violation_search
from clconform.selftest.outcome_mutation.altered_outcomes import ALTERATION_KINDS
from clconform.selftest.outcome_mutation.probes import AlteredOutcome
from clconform.selftest.outcome_mutation.results import (
    SearchResults,
    decode_results,
    encode_results,
    get_derived_requirements,
    get_kind,
)
from clconform.selftest.outcome_mutation.search_ledger import ItemSearch, Ledger
from clconform.selftest.outcome_mutation.violation import GENERAL_KINDS, RequirementViolation, get_rank, is_general
from clconform.selftest.outcome_mutation.violation_search import PlatformSearch
from clconform.spec_tables import load
from clconform.suites.chapters.linked_allocations import test_traces as traces
from clconform.suites.chapters.notifications import test_destructor_callbacks as destructor_callbacks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.runner.session.session import Session

REFUSED, COUNT = "clRetainContext/CL_INVALID_CONTEXT/1", "CL_CONTEXT_REFERENCE_COUNT"
SUCCESS, WITHOUT_EVENT = "clEnqueueReadBuffer/success", "clEnqueueReadBuffer/effect/5"


@pytest.fixture(scope="module")
def platform_search() -> Iterator[PlatformSearch]:
    found = PlatformSearch("flat-4", Target.simulated("flat-4"), load())
    yield found
    found.close()


def make_item(act: Callable[[Session], object]) -> SuiteItem:
    return SuiteItem("an item", (COUNT,), act)


def query_and_retain_null(cl: Session) -> None:
    """Query the reference count of a context, and retain a NULL context."""
    (context,) = returned_handles(cl.clCreateContext(None, 1, ElementList((cl.device,)), None, None, OutputBuffer(1)))
    cl.query("clGetContextInfo", context, COUNT)
    cl.clRetainContext(None)


def read_without_event(cl: Session) -> None:
    (context,) = returned_handles(cl.clCreateContext(None, 1, ElementList((cl.device,)), None, None, OutputBuffer(1)))
    (queue,) = returned_handles(cl.clCreateCommandQueue(context, cl.device, 0, OutputBuffer(1)))
    (buffer,) = returned_handles(cl.clCreateBuffer(context, 0, 16, None, OutputBuffer(1)))
    cl.clEnqueueReadBuffer(queue, buffer, 1, 0, 16, OutputBuffer(16), 0, None, None)


def search_act(
    platform_search: PlatformSearch, act: Callable[[Session], object]
) -> dict[str, RequirementViolation | None]:
    ledger = Ledger()
    ledger.add(platform_search.search_item(make_item(act), ledger.settled))
    assert ledger.errors == []
    return ledger.found


def test_search_finds_violations_of_error_condition_and_query_value(platform_search: PlatformSearch) -> None:
    found = search_act(platform_search, query_and_retain_null)
    for requirement, sort in ((REFUSED, "accepted"), (COUNT, "value")):
        violation = found[requirement]
        assert violation is not None
        assert (violation.kind, violation.named, violation.platform) == (sort, 1, "flat-4")
        assert get_kind(requirement, violation) == "itself"
        assert get_kind(requirement, violation, (requirement,)) == "with another"


def test_requirement_without_a_rule_is_violated_as_success_requirement(platform_search: PlatformSearch) -> None:
    found = search_act(platform_search, read_without_event)[WITHOUT_EVENT]
    assert found is not None
    assert (found.instead, found.kind in GENERAL_KINDS) == (SUCCESS, True)
    assert get_kind(WITHOUT_EVENT, found) == "as another"


def test_altered_value_violates_requirements_of_all_names_of_its_query() -> None:
    search = PlatformSearch("everything", Target.simulated("everything"), load())
    core, other = "CL_PLATFORM_NUMERIC_VERSION", "CL_PLATFORM_NUMERIC_VERSION_KHR"
    found = search_act(search, lambda cl: cl.query("clGetPlatformInfo", cl.platform, core))
    search.close()
    for requirement in (core, other):
        violation = found[requirement]
        assert violation is not None
        assert violation.kind == "value"


def test_violation_is_found_in_real_run_unless_rule_is_removed(platform_search: PlatformSearch) -> None:
    violation = search_act(platform_search, query_and_retain_null)[REFUSED]
    assert violation is not None
    rulebook = platform_search.session.rulebook
    assert REFUSED in platform_search.run_altered(make_item(query_and_retain_null), violation.altered)
    platform_search.session.set_rulebook(rulebook.with_predicate(REFUSED, lambda _call, _model: MUST))
    assert REFUSED in platform_search.run_altered(make_item(query_and_retain_null), violation.altered)
    platform_search.session.set_rulebook(rulebook.with_predicate(REFUSED, lambda _call, _model: NO))
    assert REFUSED not in platform_search.run_altered(make_item(query_and_retain_null), violation.altered)
    platform_search.session.set_rulebook(rulebook)


def test_unknown_altered_outcome_does_not_violate_any_requirement(platform_search: PlatformSearch) -> None:
    assert (
        platform_search.run_altered(
            make_item(query_and_retain_null), AlteredOutcome("clRetainContext #1", "no such outcome")
        )
        == frozenset()
    )


def test_altered_outcome_is_judged_on_a_copy_of_the_model(platform_search: PlatformSearch) -> None:
    """Otherwise, the judgements of actual calls would depend on earlier trials."""
    seen = set()

    def act(cl: Session) -> None:
        (context,) = returned_handles(
            cl.clCreateContext(None, 1, ElementList((cl.device,)), None, None, OutputBuffer(1))
        )
        before = cl.model.object_of(context).references
        call = build_call("clRetainContext", cl.tables.functions, context)
        seen.add(cl.oracle.judge_altered(call, Returned(-30)))  # type: ignore[attr-defined]
        assert cl.model.object_of(context).references == before

    platform_search.search_item(make_item(act), ())
    assert seen == {frozenset({"clRetainContext/success"})}


def make_violation(sort: str = "value", named: int = 1, instead: str = "") -> RequirementViolation:
    assert sort in ALTERATION_KINDS
    return RequirementViolation("flat-4", "an item", "clRetainContext #1", "0", sort, named, instead)  # type: ignore[arg-type]


def test_error_code_is_an_exact_violation_only_of_success_requirement() -> None:
    refused = make_violation("refused")
    assert not is_general("clRetainContext/success", refused)
    assert is_general("clRetainContext/effect/1", refused)
    assert is_general("clRetainContext/success", make_violation("refused", 2))
    assert get_kind("clRetainContext/effect/1", refused) == "by a failure"
    assert get_kind("clRetainContext/effect/1", None) == "not"


def test_ledger_stores_the_best_violation() -> None:
    ledger = Ledger()
    best = make_violation("value", 1)
    for each in (make_violation("refused"), None, make_violation("value", 2), best, make_violation("nothing", 1, "b")):
        ledger.add(ItemSearch(frozenset("a"), {"a": each}))
    assert ledger.found == {"a": best}
    assert (
        min(make_violation("value", 1, "b"), make_violation("refused"), best, key=lambda each: get_rank("a", each))
        == best
    )


def test_search_for_a_requirement_ends_after_a_few_items() -> None:
    ledger = Ledger()
    tries = 0
    while "a" not in ledger.settled:
        ledger.add(ItemSearch(frozenset("a"), {"a": None}))
        tries += 1
    assert 1 < tries < 10
    ledger.start_platform()
    assert "a" not in ledger.settled


def test_written_results_file_is_read_back() -> None:
    written = SearchResults(
        platforms=["flat-4"], unfinished="b", done=["c"], requirements={"b": make_violation(), "a": None}, errors=["e"]
    )
    content = encode_results(written)
    assert decode_results(content) == written
    assert content.decode().splitlines()[1].strip() == '"a": null,'
    assert decode_results(encode_results(SearchResults())) == SearchResults()
    with pytest.raises(ValueError, match="its format"):
        decode_results(content.replace(b"violations-3", b"violations-0"))


def test_earlier_query_violates_a_cross_query_rule() -> None:
    """A device with pipes must support the generic address space.

    Its query for this support is altered in the whole session.
    """
    search = PlatformSearch("everything", Target.simulated("everything"), load())
    needed = "CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT"

    def act(cl: Session) -> None:
        cl.query("clGetDeviceInfo", cl.device, "CL_DEVICE_PIPE_SUPPORT")

    violation = search_act(search, act)["CL_DEVICE_PIPE_SUPPORT/effect/1"]
    assert violation is not None
    assert (violation.query, violation.of, violation.kind) == (needed, "device1", "value")
    assert "CL_DEVICE_PIPE_SUPPORT/effect/1" in search.run_altered(make_item(act), violation.altered)
    other = violation.altered._replace(query="CL_DEVICE_MAX_NUM_SUB_GROUPS")
    assert "CL_DEVICE_PIPE_SUPPORT/effect/1" not in search.run_altered(make_item(act), other)
    search.close()


def test_callback_at_another_time_violates_release_requirement(platform_search: PlatformSearch) -> None:
    """A buffer's destructor callback is called while a sub-buffer of the buffer exists."""
    requirement = "clReleaseMemObject/effect/1"
    case = next(each for each in destructor_callbacks.cases() if each.requirement == requirement)
    violation = search_act(platform_search, case.action)[requirement]
    assert violation is not None
    assert (violation.kind, violation.named) == ("callback", 1)


def test_altered_byte_violates_the_rules_of_its_trace(platform_search: PlatformSearch) -> None:
    case = next(each for each in traces.cases() if each.test_value == "the host first")
    found = search_act(platform_search, case.action)
    requirement = "linked-allocations:linked-allocation-commands/7"
    violation = found[requirement]
    assert violation is not None
    assert violation.kind == "contents"
    assert requirement in platform_search.run_altered(make_item(case.action), violation.altered)
    assert (
        get_kind(requirement, violation, get_derived_requirements(platform_search.session.rulebook)) == "with another"
    )


def test_condition_that_must_hold_cannot_be_listed_as_unviolable(
    platform_search: PlatformSearch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(violation_search, "NEVER_VIOLATED", {REFUSED: "a wrong reason"})
    assert platform_search.search_item(make_item(query_and_retain_null), ()).errors == (
        f"an item: {REFUSED} had to hold",
    )


def test_calls_with_several_conditions_are_tried_for_unfound_violations(platform_search: PlatformSearch) -> None:
    """A size of 0 and a NULL context: a success violates both error conditions."""
    clause = "clCreateBuffer/CL_INVALID_BUFFER_SIZE/1"

    def act(cl: Session) -> None:
        cl.clCreateBuffer(None, 0, 0, None, OutputBuffer(1))

    assert clause not in platform_search.search_item(make_item(act), ()).tried
    violation = platform_search.search_item(make_item(act), (), {clause}).tried[clause]
    assert violation is not None
    assert violation.kind == "accepted"
    assert violation.named > 1
