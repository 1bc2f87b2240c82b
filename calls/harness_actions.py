"""Harness actions, represented as calls of functions; the worker itself executes them.

An area that ``host_allocate`` creates lies between guard bytes and lives until the end of the example: a driver may use
the area until the last object that uses it is destroyed, and only a callback would report this moment. ``host_write``
and ``host_read`` access any memory that the host can reach: areas, mapped regions, SVM. ``host_await`` waits until a
callback has been invoked the given number of times since the start of the example, or until the timeout, and returns
the number of invocations.

``host_join`` waits until the pending call on a host thread returns; its outcome is that of the call. ``host_returned``
also waits for the call, at most for the given time, and returns 1 if the call has returned, else 0; the call stays
pending. ``host_in_callback`` assigns a thread number to the thread of the next invocation of a callback: the next call
on that number is made from inside the callback.

``host_atomics`` executes atomic operations on each of some instances in memory (``calls/atomics.py``), and returns
1; a command may access the same memory concurrently. ``host_next_process`` ends the driver process without cleanup; a
new process continues the example, and knows only platforms and root devices.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call
from clconform.spec_tables.requirements import Function, Parameter, Section

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.calls.values import Value

ALLOCATE, WRITE, READ, AWAIT = "host_allocate", "host_write", "host_read", "host_await"
NEXT_PROCESS = "host_next_process"
ATOMICS = "host_atomics"
JOIN, HAS_RETURNED, IN_CALLBACK = "host_join", "host_returned", "host_in_callback"
_NO_SECTION = Section("", "")


def _size_parameter(name: str) -> Parameter:
    return Parameter(name, "size_t", "size_t", 0, const=False, direction="in")


def _source_parameter(name: str) -> Parameter:
    return Parameter(name, "const void*", "void", 1, const=True, direction="in")


def _target_parameter(name: str) -> Parameter:
    return Parameter(name, "void*", "void", 1, const=False, direction="out")


def _text_parameter(name: str) -> Parameter:
    return Parameter(name, "const char*", "char", 1, const=True, direction="in")


def _number_parameter(name: str) -> Parameter:
    return Parameter(name, "cl_uint", "cl_uint", 0, const=False, direction="in")


def _callback_parameter(name: str) -> Parameter:
    return Parameter(name, "void (*)(void)", "void", 1, const=False, direction="callback")


def _action(name: str, returns: str, *parameters: Parameter) -> Function:
    return Function(name, returns, parameters, "", _NO_SECTION, error_by="none")


HOST_ACTIONS: dict[str, Function] = {
    step.name: step
    for step in (
        _action(ALLOCATE, "void*", _size_parameter("size"), _size_parameter("alignment")),
        _action(WRITE, "void", _target_parameter("pointer"), _size_parameter("size"), _source_parameter("content")),
        _action(READ, "void", _source_parameter("pointer"), _size_parameter("size"), _target_parameter("content")),
        _action(
            ATOMICS,
            "cl_uint",
            _target_parameter("pointer"),
            _size_parameter("instances"),
            _text_parameter("operations"),
        ),
        _action(JOIN, "void", _number_parameter("host_thread")),
        _action(HAS_RETURNED, "cl_uint", _number_parameter("host_thread"), _number_parameter("milliseconds")),
        _action(IN_CALLBACK, "void", _number_parameter("host_thread"), _callback_parameter("callback")),
        _action(
            AWAIT,
            "cl_uint",
            _callback_parameter("callback"),
            _number_parameter("times"),
            _number_parameter("milliseconds"),
        ),
        _action(NEXT_PROCESS, "void"),
    )
}
"""Maps names to actions.

In order: allocate ``size`` bytes at a multiple of ``alignment``; write bytes; read bytes; execute atomic operations;
wait for a call on a host thread, without or with a time limit; begin a call inside a callback; wait for a callback; end
the process.
"""


def build_call(name: str, functions: Mapping[str, Function], *arguments: Value) -> Call:
    """Return a call of a function or a harness action from its arguments in the prototype's order.

    TypeError: the number of arguments is incorrect. KeyError: the function does not exist.
    """
    parameters = [parameter.name for parameter in find_function(name, functions).parameters]
    if len(arguments) != len(parameters):
        raise TypeError(f"{name} takes {len(parameters)} arguments ({', '.join(parameters)}), not {len(arguments)}")
    return Call(name, dict(zip(parameters, arguments, strict=True)))


def find_function(name: str, functions: Mapping[str, Function]) -> Function:
    """Return the function or harness action of that name; KeyError if there is none."""
    return HOST_ACTIONS.get(name) or functions[name]
