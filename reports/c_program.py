"""Writes a deviation as one self-contained C program, which is what a driver's maintainer will ask for.

The program finds the platform, makes the same calls with the same values under the same names, prints each with its
result, and says at the end whether the deviation shows. Where the code returned is not among those allowed, any code
that is not allowed counts; where the code is right and the outputs are wrong, the same outputs count.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from clconform.calls.call import UNTOUCHED, Absent, Call, Died, Hung, Output, Returned, Step, groups
from clconform.calls.host import AWAIT, HOST_STEPS, NEXT_PROCESS, READ, function_of
from clconform.calls.values import BusAddresses, Callback, handles_in
from clconform.reports.c_callbacks import Callbacks, noted
from clconform.reports.c_values import (
    ON_THE_BUS,
    Argument,
    CProgramError,
    Values,
    c_comment,
    c_name,
    c_number,
    c_string,
)
from clconform.reports.c_verdict import code_of, expecting, same_output, same_value
from clconform.reports.escaping import visible_ascii
from clconform.reports.wording import Names, format_call, format_outcome

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.calls.values import Value
    from clconform.reports.facts import Facts
    from clconform.reports.result import DeviationResult, PlatformTested, Result
    from clconform.spec_tables.records import Function, Parameter

__all__ = ["CProgramError", "c_program"]

LONGEST_NAME = 100
"""Characters of a platform's name that the program looks for."""


class _Called(NamedTuple):
    name: str
    returns: str
    parameters: str
    extension: bool
    position: int
    absent: bool


def c_program(deviation: DeviationResult, result: Result, tables: Facts) -> str:
    """Return the C program that shows ``deviation``; CProgramError where there can be none."""
    platform = result.platform
    if platform is None or not deviation.sequence:
        raise CProgramError(f"deviation {deviation.id} has no sequence of calls on a platform")
    if platform.way == "simulated":
        raise CProgramError(
            "the simulated platform is no driver: what was found on it is replayed by `clconform replay`"
        )
    return _Writer(deviation, platform, result.run.clconform, tables).text()


@functools.cache
def _template() -> Template:
    environment = Environment(  # noqa: S701 (C, not HTML; every text passes c_string or c_comment)
        loader=PackageLoader("clconform.reports"), undefined=StrictUndefined, keep_trailing_newline=True
    )
    return environment.get_template("program.c")


class _Writer:
    """Collects the parts of one program."""

    def __init__(self, deviation: DeviationResult, platform: PlatformTested, version: str, tables: Facts) -> None:
        self._deviation = deviation
        self._platform = platform
        self._version = version
        self._tables = tables
        self._names = Names(tables)
        ours = {function.document for function in tables.functions.values() if function.document.startswith("cl_")}
        core = {
            parameter.base
            for function in tables.functions.values()
            if function.document not in ours and not _is_extension(function)
            for parameter in function.parameters
        }
        self._values = Values(
            tables, self._names, core | {"cl_int", "cl_platform_id", "cl_device_id", "char", "size_t"}
        )
        self._callbacks = Callbacks(tables, self._values)
        self._known = {platform.handle: "cl_platform_id"}
        self._roots = [c_name(device.handle) for device in platform.devices]
        self._known.update(dict.fromkeys(self._roots, "cl_device_id"))
        self._codes = {name: value for value, name in self._names.errors.items()}

    def text(self) -> str:
        """Return the whole program."""
        steps = self._deviation.sequence
        if any(step.call.function == NEXT_PROCESS for step in steps):
            raise CProgramError("it takes two processes to show this, one after the other: replay it")
        last = steps[-1].outcome
        made = groups(steps)
        threads = [len(group) for group in made for _ in group]
        fatal = len(steps) - len(made[-1]) + 1  # where the driver went with several calls, the first may end it here
        blocks = [
            self._block(number, step, threads[number - 1], last=number == len(steps), fatal=number == fatal)
            for number, step in enumerate(steps, start=1)
        ]
        mentioned = re.findall(r"\bCL_[A-Z0-9_]+\b", "\n".join(blocks))
        titles = visible_ascii(", ".join(self._deviation.records))
        values = {
            "id": self._deviation.id,
            "title": c_comment(f"{titles}: {self._deviation.verdict}"),
            "titles": c_string(titles)[1:-1],
            "story": [c_comment(line) for line in self._story()],
            "version": c_comment(visible_ascii(self._version)),
            "direct": self._platform.way == "direct",
            "libraries": [c_comment(visible_ascii(library)) for library in self._platform.libraries],
            "dies": isinstance(last, Died),
            "alarmed": isinstance(last, Hung),
            "exits": isinstance(last, Died) and last.how == "exit",
            "defines": [
                (name, c_number(self._tables.enumerants[name].value, "cl_ulong"))
                for name in sorted(set(mentioned) & self._tables.enumerants.keys())
            ],
            "functions": self._functions(steps),
            "host_steps": any(step.call.function in HOST_STEPS for step in steps),
            "variables": list(self._known.items()),
            "codes": sorted(self._names.errors.items(), reverse=True),
            "allowed": c_string(", ".join(self._deviation.allowed)),
            "callbacks": self._callbacks,
            "positions": {"info": self._position("clGetPlatformInfo"), "devices": self._position("clGetDeviceIDs")},
            "opened": c_string(self._platform.libraries[0]) if self._platform.libraries else '""',
            "platform_name": c_string(self._platform.name[:LONGEST_NAME]),
            "platform_version": c_string(self._platform.version[:LONGEST_NAME]),
            "platform_handle": c_name(self._platform.handle),
            "roots": self._roots,
            "blocks": blocks,
        }
        return _template().render(values)

    def _story(self) -> list[str]:
        deviation = self._deviation
        lines = [f"{record}: {why}" for record, why in deviation.why.items()]
        lines += [f"allowed: {', '.join(deviation.allowed)}", f"observed: {deviation.observed}"]
        lines.append(f"seen on: {self._platform.name}, {self._platform.version}, device {self._platform.device_name}")
        if any(len(group) > 1 for group in groups(deviation.sequence)):
            lines.append("calls made from several host threads at once follow one another here, so it may not show")
        return [visible_ascii(line, limit=400) for line in lines]

    def _position(self, name: str) -> int:
        order = list(self._tables.dispatch)
        return order.index(name) if name in order else -1

    def _function(self, name: str) -> Function:
        try:
            return function_of(name, self._tables.functions)
        except KeyError:
            raise CProgramError(f"the tables have no function {name!r}") from None

    def _functions(self, steps: Iterable[Step]) -> list[_Called]:
        called: dict[str, _Called] = {}
        for step in steps:
            if step.call.function in HOST_STEPS:
                continue
            function = self._function(step.call.function)
            parameters = ", ".join(self._values.spelled(parameter) for parameter in function.parameters)
            returns = function.returns.rstrip("* ").removeprefix("const ")
            called[function.name] = _Called(
                function.name,
                f"{self._values.type(returns)} {'*' * function.returns.count('*')}".strip(),
                parameters or "void",
                extension=_is_extension(function),
                position=self._position(function.name),
                absent=isinstance(step.outcome, Absent),
            )
        return list(called.values())

    def _block(self, number: int, step: Step, threads: int, *, last: bool, fatal: bool) -> str:
        """Return the C for one step: the call, what it printed, what it made, and at the end the verdict.

        ``threads``: how many calls were made at the same time, this one among them.
        """
        function = self._function(step.call.function)
        text = f"{number}: {format_call(step.call, None, self._tables, self._names)}"
        lines = [
            *([f"/* One of {threads} calls made from several host threads at once. */"] if threads > 1 else []),
            f"/* {c_comment(visible_ascii(format_call(step.call, step.outcome, self._tables, self._names)))} */",
            "{",
        ]
        body: list[str] = []
        if isinstance(step.outcome, Absent):
            body += [f"puts({c_string(visible_ascii(text))});"]
            body += self._absent(function, step.outcome) if last else []
            return _indented([*lines, *_deeper(body), "}"])
        before = dict(self._known)
        self._declare_used(step.call)
        arguments = []
        rooms: dict[str, str] = {}
        for parameter in function.parameters:
            if parameter.name not in step.call.arguments:
                raise CProgramError(f"{function.name} is not given {parameter.name}")
            argument = self._argument(function, parameter, step.call.arguments[parameter.name])
            body += argument.declarations
            arguments.append(argument.expression)
            if argument.element:
                rooms[parameter.name] = argument.element
        body.append(f'printf("%s", {c_string(visible_ascii(text))});')
        if fatal:
            body += expecting(step.outcome)
        body.append("fflush(stdout);")
        called = function.name if function.name in HOST_STEPS else f"call_{function.name}"
        invoked = f"{called}({', '.join(arguments)});"
        if function.returns != "void":
            base = function.returns.rstrip("* ").removeprefix("const ")
            invoked = f"{self._values.type(base)} {'*' * function.returns.count('*')}result = {invoked}"
        body.append(invoked)
        body += self._printed(function, rooms)
        if isinstance(step.outcome, Returned):
            made = self._bound(function, step.outcome, rooms)
            body += [_nothing_made(function, step.outcome), *made] if made and not last else made
            if last:
                body += self._judged(step.call, step.outcome, rooms, before)
        if self._callbacks.functions and not last:
            body.append("forget_callbacks();")
        return _indented([*lines, *_deeper(body), "}"])

    def _argument(self, function: Function, parameter: Parameter, value: Value) -> Argument:
        """Return an argument; a callback is its function, or for a step that waits the count of its calls."""
        if not isinstance(value, Callback):
            return self._values.argument(parameter, value)
        if function.name == AWAIT:
            return Argument([], self._callbacks.awaited(value.name))
        return Argument([], self._callbacks.use(function.name, parameter.name, value.name))

    def _declare_used(self, call: Call) -> None:
        """Declare what the call mentions and nothing before it made (it stays NULL, and is printed as such)."""
        for value in call.arguments.values():
            kind = ON_THE_BUS if isinstance(value, BusAddresses) else "void *"
            for handle in handles_in(value):
                self._known.setdefault(c_name(handle.name), kind)

    def _printed(self, function: Function, rooms: dict[str, str]) -> list[str]:
        lines = []
        if function.returns == "cl_int":
            lines.append('printf(" -> %s\\n", code_name(result));')
        elif function.returns == "void":
            lines.append('puts("");')
        elif "*" in function.returns or self._values.is_handle(function.returns):
            lines.append('printf(" -> %p\\n", (void *)result);')
        else:
            lines.append('printf(" -> %lld\\n", (long long)result);')
        for name, element in rooms.items():
            if name == "errcode_ret":
                lines.append(f'printf("    errcode_ret = %s\\n", code_name(*(cl_int *){name}.at));')
            else:
                lines.append(f'show("{name}", {name}, sizeof({element}));')
        return lines

    def _bound(self, function: Function, outcome: Returned, rooms: dict[str, str]) -> list[str]:
        """Return the lines that give names to the objects first seen in the outcome."""
        lines = []
        if isinstance(outcome.value, str) and outcome.value not in self._known:
            pointed = function.returns.endswith("*")
            self._known[c_name(outcome.value)] = "void *" if pointed else self._values.type(function.returns)
            lines.append(f"{outcome.value} = result;")
        for parameter, output in outcome.outputs.items():
            for position, value in enumerate(output.values):
                if self._is_new_object(value, output, rooms.get(parameter, "")):
                    name = c_name(str(value))
                    element = rooms[parameter]
                    self._known[name] = "void *" if element == "unsigned char" else element
                    lines.append(f"memcpy(&{name}, {parameter}.at + {position} * sizeof {name}, sizeof {name});")
        return lines

    def _is_new_object(self, value: object, output: Output, element: str) -> bool:
        if not isinstance(value, str) or value == UNTOUCHED or not element or value in self._known:
            return False
        return element != "unsigned char" or (bool(re.fullmatch(r"[a-z_]+\d+", value)) and len(output.raw) > len(value))

    def _absent(self, function: Function, outcome: Absent) -> list[str]:
        position = self._position(function.name)
        observed = c_string(visible_ascii(f"{outcome.how}: {outcome.detail}"))
        checks = [f"!call_{function.name}"]
        if outcome.how == "empty-entry" and position >= 0:
            checks.append(f"!(*(void ***)platform)[{position}]")
        return [f"if ({' || '.join(checks)}) return deviation({observed});"]

    def _judged(self, call: Call, outcome: Returned, rooms: dict[str, str], before: dict[str, str]) -> list[str]:
        """Return the lines that say whether the deviation shows."""
        function = self._function(call.function)
        lines = [f'if (overrun({name})) return deviation("it wrote beyond {name}");' for name in rooms]
        if function.name == READ:
            lines.append('if (beyond_an_area()) return deviation("it wrote beyond the host area");')
        observed = c_string(visible_ascii(format_outcome(call, outcome, self._tables, self._names)))
        code, seen = code_of(function, outcome)
        allowed = {
            0 if name == "success" else self._codes[name]
            for name in self._deviation.allowed
            if name in self._codes or name == "success"
        }
        if code is not None and allowed and code not in allowed:
            refused = " && ".join(f"{seen} != {value}" for value in sorted(allowed, reverse=True))
            return [*lines, f"if ({refused}) return deviation(code_name({seen}));"]
        same = [] if code is None else [f"{seen} == {code}"]
        if code is None and function.returns != "void":
            same += same_value(self._values.type(function.returns), outcome, before)
        for name, output in outcome.outputs.items():
            if name != "errcode_ret" and name in rooms:
                same += same_output(name, output, rooms[name], before, self._known)
        if outcome.called_back:
            same.append(f"strcmp(called_back, {noted(outcome.called_back)}) == 0")
        lines.append(
            f"/* the outputs are to be compared: {c_comment(visible_ascii(self._deviation.observed, limit=300))} */"
        )
        return [*lines, f"if ({' && '.join(same) or '1'})", f"    return deviation({observed});"]


def _nothing_made(function: Function, outcome: Returned) -> str:
    """Return the line that ends the program where a call did not make what the next calls use."""
    failed = f"result != {outcome.value}" if function.returns == "cl_int" else "!result"
    return f"if ({failed}) return untried({c_string(function.name)});"


def _is_extension(function: Function) -> bool:
    return any(gate.subject == "extension" for gate in function.gates)


def _deeper(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _indented(lines: Iterable[str]) -> str:
    return "\n".join(_deeper(lines))
