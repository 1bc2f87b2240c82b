"""A violation of each record that a call tested: which are found, which are none, and what is said of either."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Returned
from clconform.calls.host import call_of
from clconform.calls.values import Items, OutputBuffer
from clconform.harness import Target
from clconform.oracles.engine.answers import Answer
from clconform.runner.pytest_plugin.items import Item
from clconform.runner.session.session import made
from clconform.selftest.violations.ledger import Ledger, Searched
from clconform.selftest.violations.searching import Search
from clconform.selftest.violations.shown import Written, encoded, kind_of, read
from clconform.selftest.violations.violation import GENERAL, Violation, is_general, rank
from clconform.selftest.violations.watching import Altered
from clconform.selftest.violations.wrong_outcomes import SORTS
from clconform.spec_tables import load

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
    """Ask a context for its references, and retain none."""
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
    assert search.named_by(item(retained), Altered(1, "no such outcome")) == frozenset()


def test_an_outcome_is_tried_on_a_copy(search: Search) -> None:
    """The true calls after a trial are judged as if there had been none."""
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
    return Violation("flat-4", "an item", 1, "0", sort, named, instead)  # type: ignore[arg-type]


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
        read(content.replace(b"violations-1", b"violations-0"))
