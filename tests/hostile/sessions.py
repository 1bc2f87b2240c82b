"""A session on a hostile driver, for tests of the confirmation of its deviations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.harness import Target
from clconform.runner.journal.recorder import Recorder
from clconform.runner.session.session import Session
from clconform.spec_tables import load

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from clconform.calls.journal import Deviation


def hostile_target(library: Path) -> Target:
    """Return the ``Target`` of the library; the environment variable HOSTILE selects its behaviour."""
    return Target.driver(str(library), direct=True)


def find_deviations(target: Target, act: Callable[[Session], object]) -> list[Deviation]:
    """Call ``act`` with a new session on the driver, and return the deviations."""
    recorder = Recorder(None)
    session = Session(target, load(), recorder)
    try:
        act(session)
    finally:
        session.close()
    return list(recorder.deviations.values())
