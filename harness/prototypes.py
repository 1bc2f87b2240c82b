"""A function and a call of it in ctypes: what the binding builds from the tables and a ``Call``."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.harness.decoding import Content
    from clconform.harness.machine import Layout
    from clconform.harness.memory import GuardedBuffer
    from clconform.spec_tables.records import Parameter


class Slot(NamedTuple):
    """A parameter with what the binding knows about it.

    ``scalar``: how it is passed by value, None for pointers; ``element``: what it points to, None for ``void``;
    ``width``: the bytes of an element, 0 where the tables do not define them.
    """

    name: str
    of: Parameter
    scalar: Layout | None
    element: Content | None
    width: int
    callback: bool


class Prototype(NamedTuple):
    """A function ready to be called: ``make(address)`` is the ctypes function; ``returns`` a handle's type or empty.

    ``names``: of its parameters. ``on_the_bus``: whether it returns bus addresses. ``reusable``: the parameters whose
    memory the application may reuse after the return, in some calls or in all.
    """

    slots: tuple[Slot, ...]
    names: frozenset[str]
    make: Any
    returns: str
    queries: bool
    lingers: bool
    on_the_bus: bool
    reusable: frozenset[str]


class Prepared(NamedTuple):
    """A call in C: ``function`` is to be called with ``arguments``; ``buffers`` is where it may write."""

    call: Call
    prototype: Prototype
    function: Any
    arguments: list[int | None]
    buffers: list[tuple[Slot, GuardedBuffer]]

    def make(self) -> tuple[Any, float]:
        """Make the call; return the function's own result, and the seconds that it took."""
        clock, function, arguments = time.perf_counter, self.function, self.arguments
        start = clock()
        result = function(*arguments)
        return result, clock() - start
