"""The kit of the suites on simulated platforms, to get the oracle's expectations of valid calls with changes."""

from __future__ import annotations

import functools
from contextlib import contextmanager
from typing import TYPE_CHECKING

from clconform.calls.call import Call
from clconform.harness import Target
from clconform.runner.session.observer import SessionObserver
from clconform.spec_tables import load, loading
from clconform.suites.kit.kit import Kit

from ..sessions import InProcessSession  # noqa: TID252 (tests are not part of the installed package)
from .oracle_setup import get_condition_ids

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from clconform.calls.values import Value
    from clconform.runner.session.device_discovery import SessionBase


@functools.cache
def _query_base(topology: str, tables: Path) -> SessionBase:
    """Return the query results of a simulated platform in a session with these tables."""
    del tables
    session = InProcessSession(Target.simulated(topology), load(), SessionObserver())
    session.close()
    return session.base


@contextmanager
def open_kit(topology: str) -> Iterator[Kit]:
    """Yield a kit on a simulated platform in this process. The platform's query results are reused."""
    base = _query_base(topology, loading.selected_folder())
    session = InProcessSession(Target.simulated(topology), load(), SessionObserver(), base)
    try:
        yield Kit(session)
    finally:
        session.close()


def expect_changed_call(kit: Kit, function: str, changed: dict[str, Value]) -> tuple[str, str]:
    """Return the ids of the error conditions that must and may hold for a valid call with changed arguments."""
    return get_condition_ids(kit.cl.oracle.expect(Call(function, kit.valid_arguments(function, **changed))))
