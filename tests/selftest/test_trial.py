"""The common part of trials of mutants and faults: items run with and without a change, and new deviations."""

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
    """A trial that counts deviations with the change that also occur without it."""

    repeated = 0
    effective = True

    def has_taken_effect(self) -> bool:
        """Return the value that the test sets."""
        return self.effective

    def on_known_deviation(self, call: Call) -> None:
        """Count the calls that return the incorrect count."""
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


def test_deviation_without_change_is_not_new_with_change(lenient_trial: LenientTrial) -> None:
    unchanged = lenient_trial.run_unchanged(make_item(query_retained_context))
    assert unchanged.complete
    assert {key.partition(" | ")[0] for key in unchanged.keys} == {FUNCTION}
    assert lenient_trial.run_changed(make_item(query_retained_context), unchanged.keys) == ""
    assert lenient_trial.repeated == 1


def test_deviation_only_with_change_is_new(lenient_trial: LenientTrial) -> None:
    assert lenient_trial.run_changed(make_item(query_retained_context), ()) == COUNT_DEVIATION
    assert lenient_trial.run_changed(make_item(lambda _cl: None), ()) == ""


def test_deviation_before_the_change_takes_effect_is_not_new(lenient_trial: LenientTrial) -> None:
    lenient_trial.effective = False
    assert lenient_trial.run_changed(make_item(query_retained_context), ()) == ""


def test_skipped_item_counts_up_to_the_skip(lenient_trial: LenientTrial) -> None:
    def before_any_call(cl: Session) -> None:
        pytest.skip(f"nothing on {cl.target}")

    assert lenient_trial.run_changed(make_item(skip_after_query), ())
    assert lenient_trial.run_unchanged(make_item(before_any_call)) == (frozenset(), True)


def test_item_with_undefined_call_is_incomplete(lenient_trial: LenientTrial) -> None:
    assert lenient_trial.run_unchanged(make_item(lambda cl: cl.clRetainDevice(Handle("device9")))) == (
        frozenset(),
        False,
    )


def test_first_new_deviation_is_returned(lenient_trial: LenientTrial) -> None:
    def careless(cl: Session) -> None:
        with suppress(NewDeviationError):
            query_retained_context(cl)
        with suppress(NewDeviationError):
            lenient_trial.record_deviation("something else")

    assert lenient_trial.run_changed(make_item(careless), ()) == COUNT_DEVIATION


def test_fresh_item_has_its_own_process(lenient_trial: LenientTrial) -> None:
    seen: list[int] = []
    for fresh in (False, False, True):
        lenient_trial.run_unchanged(make_item(lambda cl: seen.append(cl.worker.pid), fresh=fresh))
    first, second, third = seen
    assert first == second != third
