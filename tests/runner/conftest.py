"""Fixture: sessions on simulated platforms, which are closed at the end of the test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.harness import Target
from clconform.runner.journal.recorder import Recorder
from clconform.runner.session.session import Session
from clconform.spec_tables import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Starter = Callable[..., Session]


@pytest.fixture
def start() -> Iterator[Starter]:
    """Return a function that starts a session on a simulated topology, with a recorder as its observer."""
    opened: list[Session] = []

    def started(topology: str = "numa-16", *, fault: str = "", device_index: int = 0) -> Session:
        target = Target.simulated(topology, *(("--fault", fault) if fault else ()))
        session = Session(target, load(), Recorder(None), device_index=device_index)
        opened.append(session)
        return session

    yield started
    for session in opened:
        session.close()
