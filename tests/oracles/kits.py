"""The kit of the suites on simulated platforms, to get the oracle's expectations of valid calls with changes."""

from __future__ import annotations

import copy
import functools
from collections import Counter
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
    from clconform.runner.session.session import Session


@functools.cache
def _open_session(topology: str, tables: Path) -> Session:
    """Return a closed session with these tables. Its model contains the query results of a simulated platform."""
    del tables
    session = InProcessSession(Target.simulated(topology), load(), SessionObserver())
    session.close()
    return session


@contextmanager
def open_kit(topology: str) -> Iterator[Kit]:
    """Yield a kit on a simulated platform in this process. The platform's query results are reused."""
    session = copy.copy(_open_session(topology, loading.selected_folder()))
    session._hang_weights = Counter()
    session.begin_example()
    try:
        yield Kit(session)
    finally:
        session.close()


def expect_changed_call(kit: Kit, function: str, changed: dict[str, Value]) -> tuple[str, str]:
    """Return the ids of the error conditions that must and may hold for a valid call with changed arguments."""
    return get_condition_ids(kit.cl.oracle.expect(Call(function, kit.valid_arguments(function, **changed))))
