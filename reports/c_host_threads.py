"""Writes C for calls on host threads or inside callbacks: for each call a function, its start, and its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clconform.reports.c_values import CProgramError, c_name, c_string, type_prefix

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.reports.c_functions import ProgramFunctions
    from clconform.reports.c_values import ValueWriter
    from clconform.spec_tables.requirements import Function


class ThreadFunction(NamedTuple):
    """The C function of one call on a host thread.

    ``number``: the number of the function. ``host_thread``: the number of the host thread. ``fields``: the declarations
    of its inputs. ``arguments``: the arguments that it passes to the OpenCL function.
    """

    number: int
    host_thread: int
    fields: list[str]
    arguments: str


class ThreadCalls:
    """The calls on host threads of one program.

    ``functions``: the C function of each call. ``count``: one more than the highest number of a host thread.
    ``inside``: the callbacks that make a call. ``threads``: whether a call runs on a thread of its own.
    """

    def __init__(self, functions: ProgramFunctions, values: ValueWriter) -> None:
        self._functions, self._values = functions, values
        self.functions: list[ThreadFunction] = []
        self.count = 0
        self.inside: dict[str, None] = {}
        self.threads = False
        self._callers: dict[int, str] = {}

    def call_from_callback(self, host_thread: int, callback: str) -> str:
        """Let a callback make the next call of a host thread, and return the name of the callback."""
        self._callers[host_thread] = c_name(callback)
        return self._callers[host_thread]

    def begin_call(self, host_thread: int, function: Function, arguments: Mapping[str, str]) -> list[str]:
        """Return the lines that start a call on a host thread; ``arguments``: maps parameters to C expressions.

        CProgramError if the function returns an object. A callback is a C function of the program, so it is passed
        directly, not as an input of the thread.
        """
        if function.returns != "cl_int":
            reason = f"{function.name} returns an object on another host thread"
            raise CProgramError(f"{reason}; use `clconform replay`")
        number = len(self.functions) + 1
        self.count = max(self.count, host_thread + 1)
        parameters = ", ".join(self._values.parameter_type(parameter) for parameter in function.parameters)
        fields = [f"cl_int (CL_API_CALL *function)({parameters});"]
        given, passed = [function.name], []
        for parameter in function.parameters:
            if parameter.direction == "callback":
                passed.append(arguments[parameter.name])
                continue
            name = c_name(parameter.name)
            fields.append(f"{type_prefix(self._values.parameter_type(parameter))}{name};")
            given.append(arguments[parameter.name])
            passed.append(f"call_{number}.{name}")
        self.functions.append(ThreadFunction(number, host_thread, fields, ", ".join(passed)))
        caller = self._callers.get(host_thread)
        if caller is not None:
            self.inside[caller] = None
        self.threads |= caller is None
        begin = "begin(" if caller is None else f"begin_inside(&inside_{caller}, "
        return [
            f"call_{number} = (struct call_{number}){{{', '.join(given)}}};",
            f"{begin}{host_thread}, call_in_thread_{number}, {c_string(function.name)});",
        ]
