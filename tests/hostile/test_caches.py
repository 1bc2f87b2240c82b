"""Deviations that depend on a compiler cache of an earlier driver process are not confirmed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.values import ElementList, OutputBuffer
from clconform.runner.deviations.confirmation_pools import ConfirmationSettings
from clconform.runner.deviations.parallel_confirmation import Confirmers, confirm_all
from clconform.runner.journal.recorder import Recorder
from clconform.runner.session.outcome_values import returned_handles

from . import building
from .sessions import find_deviations, hostile_target

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.runner.session.session import Session

pytestmark = pytest.mark.skipif(building.COMPILER is None, reason="needs a C compiler")


def retain_context(session: Session) -> None:
    with session.example():
        (context,) = returned_handles(
            session.clCreateContext(None, 1, ElementList((session.device,)), None, None, OutputBuffer(1))
        )
        session.clRetainContext(context)


def retain_context_twice(session: Session) -> None:
    retain_context(session)
    assert isinstance(session.observer, Recorder)
    assert not session.observer.deviations
    session.process.end()
    retain_context(session)


def test_deviation_from_cache_is_not_confirmed(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOSTILE", "falls_over_its_cache")
    (seen,) = find_deviations(hostile_target(library), retain_context_twice)
    assert seen.requirements == ["clRetainContext/success"]
    (end,) = confirm_all([seen], Confirmers(ConfirmationSettings(hostile_target(library))))
    assert (end.verdict, end.repeated) == ("flaky", 0)
