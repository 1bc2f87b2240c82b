"""The ctypes forms of functions and calls, which the binding builds from the tables and from ``Call`` objects."""

from __future__ import annotations

import ctypes
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from clconform.harness.errors import DriverExceptionError

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.harness.decoding import OutputType
    from clconform.harness.memory import GuardedBuffer
    from clconform.harness.type_layout import TypeLayout
    from clconform.spec_tables.requirements import Parameter


class Slot(NamedTuple):
    """A parameter in ctypes.

    ``scalar``: the layout of a value, None for pointers. ``element``: the type that a pointer points to, None for
    ``void``. ``width``: the size of an element in bytes, 0 if the tables do not define it.
    """

    name: str
    of: Parameter
    scalar: TypeLayout | None
    element: OutputType | None
    width: int
    callback: bool


class Prototype(NamedTuple):
    """A function in ctypes: ``make(address)`` returns the callable.

    ``names``: the names of its parameters. ``returns``: the handle type of its result, or empty. ``lingers``: the
    driver may access the arguments' memory after the call has returned. ``on_the_bus``: the function returns bus
    addresses. ``reusable``: the parameters whose memory the application may reuse after some or all calls have
    returned.
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
    """A call that is ready to be made: the ctypes ``function``, its ``arguments`` and its output ``buffers``."""

    call: Call
    prototype: Prototype
    function: Any
    arguments: list[int | None]
    buffers: list[tuple[Slot, GuardedBuffer]]

    def make(self) -> tuple[Any, float]:
        """Make the call; return the function's result, and the duration in seconds.

        DriverExceptionError: the driver has raised a Python exception.
        """
        clock, function, arguments = time.perf_counter, self.function, self.arguments
        start = clock()
        try:
            result = function(*arguments)
        except (ctypes.ArgumentError, MemoryError):
            raise
        except BaseException as error:
            raise DriverExceptionError(error.__cause__ or error) from error
        return result, clock() - start
