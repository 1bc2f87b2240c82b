"""A session on a hostile driver, for tests of what becomes of the deviations that it meets."""

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


def target_of(library: Path) -> Target:
    """Return the driver that the library is, as the environment's HOSTILE says."""
    return Target.driver(str(library), direct=True)


def seen_in(target: Target, act: Callable[[Session], object]) -> list[Deviation]:
    """Return the deviations that a session has met in which something was done."""
    recorder = Recorder(None)
    session = Session(target, load(), recorder)
    try:
        act(session)
    finally:
        session.close()
    return list(recorder.deviations.values())
