"""The common part of trials of mutants and faults: items run with and without a change, and new deviations."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from clconform.calls.values import Handle, Items, OutputBuffer
from clconform.harness import Target
from clconform.runner.pytest_plugin.items import Item
from clconform.runner.session.answers import made
from clconform.runner.session.session import Session
from clconform.selftest.trial import NoticedError, Trial
from clconform.spec_tables import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.call import Call

ASKED, COUNT = "clGetContextInfo", "CL_CONTEXT_REFERENCE_COUNT"
ONE = f"{ASKED}: 1"


class Lenient(Trial):
    """A trial that counts deviations with the change that also occur without it."""

    again = 0
    showing = True

    def shows(self) -> bool:
        """Return the value that the test sets."""
        return self.showing

    def deviated_as_before(self, call: Call) -> None:
        """Count the calls that return the incorrect count."""
        assert call.function == ASKED
        self.again += 1


@pytest.fixture
def trial() -> Iterator[Lenient]:
    """Return a trial on a platform where every object reports a reference count of one."""
    target = Target.simulated("flat-4", "--fault", "references-are-always-one")
    trial = Lenient(lambda observer: Session(target, load(), observer))
    yield trial
    trial.close()


def item(act: Callable[[Session], object], *, fresh: bool = False) -> Item:
    return Item("an item", (COUNT,), act, fresh)


def retained(cl: Session) -> None:
    """Query the reference count of a context that was retained."""
    (context,) = made(cl.clCreateContext(None, 1, Items((cl.device,)), None, None, OutputBuffer(1)))
    cl.clRetainContext(context)
    cl.query(ASKED, context, COUNT)


def skipped(cl: Session) -> None:
    retained(cl)
    pytest.skip("enough")


def test_what_deviates_without_a_change_is_kept_and_is_not_noticed_with_one(trial: Lenient) -> None:
    unchanged = trial.without(item(retained))
    assert unchanged.whole
    assert {key.partition(" | ")[0] for key in unchanged.keys} == {ASKED}
    assert trial.noticed_with(item(retained), unchanged.keys) == ""
    assert trial.again == 1


def test_what_deviates_with_a_change_only_is_noticed(trial: Lenient) -> None:
    assert trial.noticed_with(item(retained), ()) == ONE
    assert trial.noticed_with(item(lambda _cl: None), ()) == ""


def test_nothing_is_noticed_until_the_change_shows(trial: Lenient) -> None:
    trial.showing = False
    assert trial.noticed_with(item(retained), ()) == ""


def test_an_item_that_is_skipped_counts_up_to_there(trial: Lenient) -> None:
    def before_any_call(cl: Session) -> None:
        pytest.skip(f"nothing on {cl.target}")

    assert trial.noticed_with(item(skipped), ())
    assert trial.without(item(before_any_call)) == (frozenset(), True)


def test_an_item_that_makes_an_undefined_call_is_not_whole(trial: Lenient) -> None:
    assert trial.without(item(lambda cl: cl.clRetainDevice(Handle("device9")))) == (frozenset(), False)


def test_what_is_noticed_stays_where_the_item_goes_on(trial: Lenient) -> None:
    def careless(cl: Session) -> None:
        with suppress(NoticedError):
            retained(cl)
        with suppress(NoticedError):
            trial.notice("something else")

    assert trial.noticed_with(item(careless), ()) == ONE


def test_an_item_that_wants_it_has_a_process_of_its_own(trial: Lenient) -> None:
    seen: list[int] = []
    for fresh in (False, False, True):
        trial.without(item(lambda cl: seen.append(cl.worker.pid), fresh=fresh))
    first, second, third = seen
    assert first == second != third
