"""The kit of the suites on simulated platforms, to ask the oracle about valid calls with something changed."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from clconform.calls.call import Call
from clconform.harness import Target
from clconform.runner.session.session import Observer, Session
from clconform.spec_tables import load
from clconform.suites.kit.kit import Kit

from .worlds import clauses

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Value


@contextmanager
def kit_on(topology: str) -> Iterator[Kit]:
    """Yield a kit on a simulated platform."""
    session = Session(Target.simulated(topology), load(), Observer())
    try:
        yield Kit(session)
    finally:
        session.close()


def expected(kit: Kit, function: str, changed: dict[str, Value]) -> tuple[str, str]:
    """Return the ids of the clauses that must and may hold for a valid call with some arguments changed."""
    return clauses(kit.cl.oracle.expect(Call(function, kit.arguments(function, **changed))))
