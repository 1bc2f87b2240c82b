"""Violations of tested requirements: which are found, which are not, and how they are classified."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Returned
from clconform.calls.host import call_of
from clconform.calls.values import Items, OutputBuffer
from clconform.harness import Target
from clconform.oracles.engine.answers import Answer
from clconform.runner.pytest_plugin.items import Item
from clconform.runner.session.answers import made
from clconform.selftest.violations import searching
from clconform.selftest.violations.ledger import Ledger, Searched
from clconform.selftest.violations.searching import Search
from clconform.selftest.violations.shown import Written, answered_for, encoded, kind_of, read
from clconform.selftest.violations.violation import GENERAL, Violation, is_general, rank
from clconform.selftest.violations.watching import Altered
from clconform.selftest.violations.wrong_outcomes import SORTS
from clconform.spec_tables import load
from clconform.suites.chapters.linked import test_traces as traces
from clconform.suites.chapters.notifications import test_destructor_callbacks as destructor_callbacks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.runner.session.session import Session

REFUSED, COUNT = "clRetainContext/CL_INVALID_CONTEXT/1", "CL_CONTEXT_REFERENCE_COUNT"
SUCCESS, WITHOUT_EVENT = "clEnqueueReadBuffer/success", "clEnqueueReadBuffer/effect/5"


@pytest.fixture(scope="module")
def search() -> Iterator[Search]:
    found = Search("flat-4", Target.simulated("flat-4"), load())
    yield found
    found.close()


def item(act: Callable[[Session], object]) -> Item:
    return Item("an item", (COUNT,), act)


def retained(cl: Session) -> None:
    """Query the reference count of a context, and retain a NULL context."""
    (context,) = made(cl.clCreateContext(None, 1, Items((cl.device,)), None, None, OutputBuffer(1)))
    cl.query("clGetContextInfo", context, COUNT)
    cl.clRetainContext(None)


def read_without_an_event(cl: Session) -> None:
    (context,) = made(cl.clCreateContext(None, 1, Items((cl.device,)), None, None, OutputBuffer(1)))
    (queue,) = made(cl.clCreateCommandQueue(context, cl.device, 0, OutputBuffer(1)))
    (buffer,) = made(cl.clCreateBuffer(context, 0, 16, None, OutputBuffer(1)))
    cl.clEnqueueReadBuffer(queue, buffer, 1, 0, 16, OutputBuffer(16), 0, None, None)


def found_in(search: Search, act: Callable[[Session], object]) -> dict[str, Violation | None]:
    ledger = Ledger()
    ledger.add(search.search(item(act), ledger.settled))
    assert ledger.errors == []
    return ledger.found


def test_a_clause_is_violated_by_a_success_and_an_answer_by_another_one(search: Search) -> None:
    found = found_in(search, retained)
    for record, sort in ((REFUSED, "accepted"), (COUNT, "value")):
        violation = found[record]
        assert violation is not None
        assert (violation.sort, violation.named, violation.platform) == (sort, 1, "flat-4")
        assert kind_of(record, violation) == "itself"
        assert kind_of(record, violation, (record,)) == "with another"


def test_a_record_that_no_rule_names_is_found_under_another_name(search: Search) -> None:
    found = found_in(search, read_without_an_event)[WITHOUT_EVENT]
    assert found is not None
    assert (found.instead, found.sort in GENERAL) == (SUCCESS, True)
    assert kind_of(WITHOUT_EVENT, found) == "as another"


def test_a_wrong_answer_is_one_under_every_name_of_its_query() -> None:
    search = Search("everything", Target.simulated("everything"), load())
    core, other = "CL_PLATFORM_NUMERIC_VERSION", "CL_PLATFORM_NUMERIC_VERSION_KHR"
    found = found_in(search, lambda cl: cl.query("clGetPlatformInfo", cl.platform, core))
    search.close()
    for record in (core, other):
        violation = found[record]
        assert violation is not None
        assert violation.sort == "value"


def test_what_was_found_is_found_again_in_truth_unless_the_rule_is_gone(search: Search) -> None:
    violation = found_in(search, retained)[REFUSED]
    assert violation is not None
    rulebook = search.session.rulebook
    assert REFUSED in search.named_by(item(retained), violation.altered)
    search.session.judge_by(rulebook.with_predicate(REFUSED, lambda _call, _model: Answer.MUST))
    assert REFUSED in search.named_by(item(retained), violation.altered)
    search.session.judge_by(rulebook.with_predicate(REFUSED, lambda _call, _model: Answer.NO))
    assert REFUSED not in search.named_by(item(retained), violation.altered)
    search.session.judge_by(rulebook)


def test_without_a_wrong_outcome_nothing_is_named(search: Search) -> None:
    assert search.named_by(item(retained), Altered("clRetainContext #1", "no such outcome")) == frozenset()


def test_an_outcome_is_tried_on_a_copy(search: Search) -> None:
    """The judgements of actual calls are independent of earlier trials."""
    seen = set()

    def act(cl: Session) -> None:
        (context,) = made(cl.clCreateContext(None, 1, Items((cl.device,)), None, None, OutputBuffer(1)))
        before = cl.model.thing(context).references
        call = call_of("clRetainContext", cl.tables.functions, context)
        seen.add(cl.oracle.named_by(call, Returned(-30)))  # type: ignore[attr-defined]
        assert cl.model.thing(context).references == before

    search.search(item(act), ())
    assert seen == {frozenset({"clRetainContext/success"})}


def violation(sort: str = "value", named: int = 1, instead: str = "") -> Violation:
    assert sort in SORTS
    return Violation("flat-4", "an item", "clRetainContext #1", "0", sort, named, instead)  # type: ignore[arg-type]


def test_a_refusal_violates_success_alone_exactly() -> None:
    refused = violation("refused")
    assert not is_general("clRetainContext/success", refused)
    assert is_general("clRetainContext/effect/1", refused)
    assert is_general("clRetainContext/success", violation("refused", 2))
    assert kind_of("clRetainContext/effect/1", refused) == "by a failure"
    assert kind_of("clRetainContext/effect/1", None) == "not"


def test_the_best_violation_is_kept() -> None:
    ledger = Ledger()
    best = violation("value", 1)
    for each in (violation("refused"), None, violation("value", 2), best, violation("nothing", 1, "b")):
        ledger.add(Searched(frozenset("a"), {"a": each}))
    assert ledger.found == {"a": best}
    assert min(violation("value", 1, "b"), violation("refused"), best, key=lambda each: rank("a", each)) == best


def test_a_record_is_tried_in_a_few_items_only() -> None:
    ledger = Ledger()
    tries = 0
    while "a" not in ledger.settled:
        ledger.add(Searched(frozenset("a"), {"a": None}))
        tries += 1
    assert 1 < tries < 10
    ledger.begin_platform()
    assert "a" not in ledger.settled


def test_the_file_holds_what_was_found() -> None:
    written = Written(
        platforms=["flat-4"], unfinished="b", done=["c"], records={"b": violation(), "a": None}, errors=["e"]
    )
    content = encoded(written)
    assert read(content) == written
    assert content.decode().splitlines()[1].strip() == '"a": null,'
    assert read(encoded(Written())) == Written()
    with pytest.raises(ValueError, match="its format"):
        read(content.replace(b"violations-2", b"violations-0"))


def test_a_rule_between_two_answers_is_violated_by_another_answer_to_the_earlier_query() -> None:
    """A device with pipes has the generic address space; here its query is altered from the start of the session."""
    search = Search("everything", Target.simulated("everything"), load())
    needed = "CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT"

    def act(cl: Session) -> None:
        cl.query("clGetDeviceInfo", cl.device, "CL_DEVICE_PIPE_SUPPORT")

    violation = found_in(search, act)["CL_DEVICE_PIPE_SUPPORT/effect/1"]
    assert violation is not None
    assert (violation.query, violation.of, violation.sort) == (needed, "device1", "value")
    assert "CL_DEVICE_PIPE_SUPPORT/effect/1" in search.named_by(item(act), violation.altered)
    other = violation.altered._replace(query="CL_DEVICE_MAX_NUM_SUB_GROUPS")
    assert "CL_DEVICE_PIPE_SUPPORT/effect/1" not in search.named_by(item(act), other)
    search.close()


def test_a_callback_at_another_time_is_a_violation(search: Search) -> None:
    """A buffer's destructor callback is called while a sub-buffer of the buffer exists."""
    record = "clReleaseMemObject/effect/1"
    case = next(each for each in destructor_callbacks.cases() if each.record == record)
    violation = found_in(search, case.act)[record]
    assert violation is not None
    assert (violation.sort, violation.named) == ("callback", 1)


def test_a_wrong_byte_in_an_access_is_one_of_the_rules_that_its_trace_meets(search: Search) -> None:
    case = next(each for each in traces.cases() if each.boundary == "the host first")
    found = found_in(search, case.act)
    record = "linked-allocations:linked-allocation-commands/7"
    violation = found[record]
    assert violation is not None
    assert violation.sort == "contents"
    assert record in search.named_by(item(case.act), violation.altered)
    assert kind_of(record, violation, answered_for(search.session.rulebook)) == "with another"


def test_a_clause_that_had_to_hold_is_none_that_nothing_violates(
    search: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "NEVER_VIOLATED", {REFUSED: "a wrong reason"})
    assert search.search(item(retained), ()).errors == (f"an item: {REFUSED} had to hold",)


def test_of_what_is_not_found_calls_count_that_test_it_with_other_records(search: Search) -> None:
    """A size of 0 and a NULL context: a success violates both error conditions."""
    clause = "clCreateBuffer/CL_INVALID_BUFFER_SIZE/1"

    def act(cl: Session) -> None:
        cl.clCreateBuffer(None, 0, 0, None, OutputBuffer(1))

    assert clause not in search.search(item(act), ()).tried
    violation = search.search(item(act), (), {clause}).tried[clause]
    assert violation is not None
    assert violation.sort == "accepted"
    assert violation.named > 1
