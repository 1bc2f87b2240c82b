"""Deviations that depend on a compiler cache of an earlier driver process are not confirmed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.values import Items, OutputBuffer
from clconform.runner.deviations.following import confirm_all
from clconform.runner.journal.recorder import Recorder
from clconform.runner.session.answers import made
from clconform.spec_tables import load

from . import building
from .sessions import seen_in, target_of

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.runner.session.session import Session

pytestmark = pytest.mark.skipif(building.COMPILER is None, reason="needs a C compiler")


def retain(session: Session) -> None:
    with session.example():
        (context,) = made(session.clCreateContext(None, 1, Items((session.device,)), None, None, OutputBuffer(1)))
        session.clRetainContext(context)


def retain_in_two_processes(session: Session) -> None:
    retain(session)
    assert isinstance(session.observer, Recorder)
    assert not session.observer.deviations
    session.restart()
    retain(session)


def test_a_deviation_that_comes_of_an_earlier_process_is_not_confirmed(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOSTILE", "falls_over_its_cache")
    (seen,) = seen_in(target_of(library), retain_in_two_processes)
    assert seen.records == ["clRetainContext/success"]
    (end,) = confirm_all([seen], target_of(library), load())
    assert (end.verdict, end.repeated) == ("flaky", 0)
