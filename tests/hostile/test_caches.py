"""What a driver's process has left in a cache for later ones is not among the calls that are repeated."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.values import Items, OutputBuffer
from clconform.harness import Target
from clconform.runner.deviations.following import confirm_all
from clconform.runner.journal.recorder import Recorder
from clconform.runner.session.answers import made
from clconform.runner.session.session import Session
from clconform.spec_tables import load

from . import building

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(building.COMPILER is None, reason="needs a C compiler")


def retain(session: Session) -> None:
    with session.example():
        (context,) = made(session.clCreateContext(None, 1, Items((session.device,)), None, None, OutputBuffer(1)))
        session.clRetainContext(context)


def test_a_deviation_that_comes_of_an_earlier_process_is_not_confirmed(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOSTILE", "falls_over_its_cache")
    target, recorder = Target.driver(str(library), direct=True), Recorder(None)
    session = Session(target, load(), recorder)
    try:
        retain(session)
        assert not recorder.deviations
        session.restart()
        retain(session)
    finally:
        session.close()
    (seen,) = recorder.deviations.values()
    assert seen.records == ["clRetainContext/success"]
    (end,) = confirm_all([seen], target, load())
    assert (end.verdict, end.repeated) == ("flaky", 0)
