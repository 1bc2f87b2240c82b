"""Trials of mutants and faults: items are run with and without a change, and new deviations are recorded."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.harness import Target
from clconform.runner.pytest_plugin.item_collection import SuiteItem
from clconform.runner.session.outcome_values import returned_handles
from clconform.runner.session.session import Session
from clconform.selftest.trial import ItemTrial, NewDeviationError
from clconform.spec_tables import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.call import Call

FUNCTION, COUNT = "clGetContextInfo", "CL_CONTEXT_REFERENCE_COUNT"
COUNT_DEVIATION = f"{FUNCTION}: 1"


class LenientTrial(ItemTrial):
    """A trial that counts deviations that occur both with and without the change."""

    repeated = 0
    effective = True

    def has_taken_effect(self) -> bool:
        """Return the value that the test sets."""
        return self.effective

    def on_known_deviation(self, call: Call) -> None:
        """Count the calls whose deviation also occurs without the change."""
        assert call.function == FUNCTION
        self.repeated += 1


@pytest.fixture
def lenient_trial() -> Iterator[LenientTrial]:
    """Return a trial on a platform where every object reports a reference count of one."""
    target = Target.simulated("flat-4", "--fault", "reference-count-always-one")
    trial = LenientTrial(lambda observer: Session(target, load(), observer))
    yield trial
    trial.close()


def make_item(act: Callable[[Session], object], *, fresh: bool = False) -> SuiteItem:
    return SuiteItem("an item", (COUNT,), act, fresh)


def query_retained_context(cl: Session) -> None:
    """Query the reference count of a context that was retained."""
    (context,) = returned_handles(cl.clCreateContext(None, 1, ElementList((cl.device,)), None, None, OutputBuffer(1)))
    cl.clRetainContext(context)
    cl.query(FUNCTION, context, COUNT)


def skip_after_query(cl: Session) -> None:
    query_retained_context(cl)
    pytest.skip("enough")


def test_deviation_that_also_occurs_without_the_change_is_not_new(lenient_trial: LenientTrial) -> None:
    unchanged = lenient_trial.run_unchanged(make_item(query_retained_context))
    assert unchanged.complete
    assert {key.partition(" | ")[0] for key in unchanged.keys} == {FUNCTION}
    assert lenient_trial.run_changed(make_item(query_retained_context), unchanged.keys) == ""
    assert lenient_trial.repeated == 1


def test_deviation_that_occurs_only_with_the_change_is_new(lenient_trial: LenientTrial) -> None:
    assert lenient_trial.run_changed(make_item(query_retained_context), ()) == COUNT_DEVIATION
    assert lenient_trial.run_changed(make_item(lambda _cl: None), ()) == ""


def test_deviation_before_the_change_takes_effect_is_not_new(lenient_trial: LenientTrial) -> None:
    lenient_trial.effective = False
    assert lenient_trial.run_changed(make_item(query_retained_context), ()) == ""


def test_calls_before_the_skip_of_an_item_show_new_deviations(lenient_trial: LenientTrial) -> None:
    def before_any_call(cl: Session) -> None:
        pytest.skip(f"nothing on {cl.target}")

    assert lenient_trial.run_changed(make_item(skip_after_query), ())
    assert lenient_trial.run_unchanged(make_item(before_any_call)) == (frozenset(), True)


def test_item_with_undefined_call_is_incomplete(lenient_trial: LenientTrial) -> None:
    assert lenient_trial.run_unchanged(make_item(lambda cl: cl.clRetainDevice(Handle("device9")))) == (
        frozenset(),
        False,
    )


def test_first_of_several_new_deviations_is_returned(lenient_trial: LenientTrial) -> None:
    def careless(cl: Session) -> None:
        with suppress(NewDeviationError):
            query_retained_context(cl)
        with suppress(NewDeviationError):
            lenient_trial.record_deviation("something else")

    assert lenient_trial.run_changed(make_item(careless), ()) == COUNT_DEVIATION


def test_item_that_needs_a_new_process_gets_one(lenient_trial: LenientTrial) -> None:
    seen: list[int] = []
    for fresh in (False, False, True):
        lenient_trial.run_unchanged(make_item(lambda cl: seen.append(cl.process.worker.pid), fresh=fresh))
    first, second, third = seen
    assert first == second != third
