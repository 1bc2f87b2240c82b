"""Host steps, in the form of functions: calls like others, which the worker itself executes.

An area made by ``host_allocate`` lies between guard bytes and lives as long as the example: a driver may use it until
the last object that uses it is destroyed, and only a callback would report when. ``host_write`` and ``host_read`` reach
any memory that the host can reach: areas, mapped regions, shared memory. ``host_await`` waits until a callback has been
called the given number of times since the example began, or until the timeout, and returns the number of calls.
``host_join`` waits until the call that is under way on a lane returns; its outcome is that call's.
``host_returned`` waits likewise, at most for the given time, and returns 1 if the call has returned, else 0; the call
stays under way.
``host_in_callback`` makes a lane of the thread in which a callback is called next: the call that is begun on that lane
afterwards is made from inside the callback.
``host_atomics`` makes atomic operations on each of some instances in memory (``calls/atomics.py``), and returns 1, or 0
where the machine has no library for them; a command may work on the same memory meanwhile.
``host_next_process`` ends the driver's process as it is; a new one continues, which knows only platforms and root
devices.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call
from clconform.spec_tables.records import Function, Parameter, Section

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.calls.values import Value

ALLOCATE, WRITE, READ, AWAIT = "host_allocate", "host_write", "host_read", "host_await"
NEXT_PROCESS = "host_next_process"
ATOMICS = "host_atomics"
JOIN, HAS_RETURNED, IN_CALLBACK = "host_join", "host_returned", "host_in_callback"
_NOWHERE = Section("", "")


def _size(name: str) -> Parameter:
    return Parameter(name, "size_t", "size_t", 0, const=False, direction="in")


def _from(name: str) -> Parameter:
    return Parameter(name, "const void*", "void", 1, const=True, direction="in")


def _to(name: str) -> Parameter:
    return Parameter(name, "void*", "void", 1, const=False, direction="out")


def _text(name: str) -> Parameter:
    return Parameter(name, "const char*", "char", 1, const=True, direction="in")


def _number(name: str) -> Parameter:
    return Parameter(name, "cl_uint", "cl_uint", 0, const=False, direction="in")


def _callback(name: str) -> Parameter:
    return Parameter(name, "void (*)(void)", "void", 1, const=False, direction="callback")


def _step(name: str, returns: str, *parameters: Parameter) -> Function:
    return Function(name, returns, parameters, "", _NOWHERE, error_by="none")


HOST_STEPS: dict[str, Function] = {
    step.name: step
    for step in (
        _step(ALLOCATE, "void*", _size("size"), _size("alignment")),
        _step(WRITE, "void", _to("pointer"), _size("size"), _from("content")),
        _step(READ, "void", _from("pointer"), _size("size"), _to("content")),
        _step(ATOMICS, "cl_uint", _to("pointer"), _size("instances"), _text("operations")),
        _step(JOIN, "void", _number("lane")),
        _step(HAS_RETURNED, "cl_uint", _number("lane"), _number("milliseconds")),
        _step(IN_CALLBACK, "void", _number("lane"), _callback("callback")),
        _step(AWAIT, "cl_uint", _callback("callback"), _number("times"), _number("milliseconds")),
        _step(NEXT_PROCESS, "void"),
    )
}
"""The steps by name: an area of ``size`` bytes at a multiple of ``alignment``; bytes into memory; bytes out of it;
atomic operations on it; waits for a call on a lane; a lane inside a callback; a wait for a callback; the end of the
process."""


def call_of(name: str, functions: Mapping[str, Function], *arguments: Value) -> Call:
    """Return a call of a function, or of a host step, by its arguments in the prototype's order.

    TypeError: their number is another one. KeyError: there is no such function.
    """
    parameters = [parameter.name for parameter in function_of(name, functions).parameters]
    if len(arguments) != len(parameters):
        raise TypeError(f"{name} takes {len(parameters)} arguments ({', '.join(parameters)}), not {len(arguments)}")
    return Call(name, dict(zip(parameters, arguments, strict=True)))


def function_of(name: str, functions: Mapping[str, Function]) -> Function:
    """Return the function of that name, of the tables or a host step; KeyError if there is none."""
    return HOST_STEPS.get(name) or functions[name]
