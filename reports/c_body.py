"""Writes the calls of a C program in order, and collects the helpers, names and functions that the calls need."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from clconform.calls.call import Absent, Begun, Call, Died, Returned, Step, call_handles, group_steps
from clconform.calls.harness_actions import ALLOCATE, ATOMICS, AWAIT, HAS_RETURNED, IN_CALLBACK, JOIN, READ, WRITE
from clconform.calls.host_threads import awaited_thread, pair_with_calls
from clconform.calls.number_references import place_references
from clconform.calls.values import BusAddresses, HostCallback, OutputBuffer, OutputBuffers, find_handles
from clconform.reports.c_callbacks import ProgramCallbacks
from clconform.reports.c_deviation_check import DeviationCheck, error_code_of, expected_end_lines
from clconform.reports.c_functions import ProgramFunctions, is_extension
from clconform.reports.c_helpers import HELPERS, with_dependencies
from clconform.reports.c_host_threads import ThreadCalls
from clconform.reports.c_memory_reuse import MemoryReuse
from clconform.reports.c_outputs import BYTE, COutput, OutputWriter, created_objects
from clconform.reports.c_values import (
    BUS_ADDRESS_TYPE,
    CNumber,
    CProgramError,
    ValueWriter,
    c_comment,
    c_name,
    c_string,
    type_prefix,
)
from clconform.reports.call_formatting import ValueNames

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from clconform.calls.call import NumberReference, Output
    from clconform.reports.report_tables import ReportTables
    from clconform.reports.run_result import DeviationResult, PlatformTested
    from clconform.spec_tables.requirements import Function, Parameter

RESERVED_NAMES = (
    "argc",
    "argv",
    "wanted",
    "count",
    "name",
    "platforms",
    "found_devices",
    "by_name",
    "ids",
    "made",
    "got",
    "counted",
    "called_back",
    "result",
    "library",
    "host_allocate",
    "host_atomics",
    "memcpy",
    "lanes",
    "begin",
    "begin_inside",
    "sleep_for",
    "host_join",
    "host_returned",
)
COPY_ARGUMENTS = {WRITE: ("pointer", "content", "size"), READ: ("content", "pointer", "size")}
"""Maps the harness actions that copy bytes to their arguments, in the order of the parameters of ``memcpy``."""
WIDTH = 114
ENQUEUE_PREFIX = "clEnqueue"
"""The prefix of functions whose commands may run while later calls are made."""

TOO_EARLY = "returned too early"
"""The symptom of a call that returns before the events that it must wait for."""


class _ThreadCall(NamedTuple):
    """A call on a host thread.

    ``written``: its arguments in C. ``before``: the objects that exist before the call.
    """

    function: Function
    call: Call
    written: dict[str, COutput]
    before: dict[str, str]


class ProgramBody:
    """Writes the calls of one program as lines of C.

    The collections are complete after ``lines`` has been called. ``names``: finds the names of values. ``uses``: the
    helpers in use. ``named``: the names of values in use. ``codes``: the names of the error codes in use. ``devices``:
    the root devices. ``roots``: the root devices that the calls mention, with their positions.
    """

    def __init__(self, deviation: DeviationResult, platform: PlatformTested, tables: ReportTables) -> None:
        self._deviation = deviation
        self.names = ValueNames(tables)
        self._values = ValueWriter(tables, self.names, _header_types(tables))
        self.callbacks = ProgramCallbacks(tables, self._values)
        self.functions = ProgramFunctions(
            tables, self._values, c_name(platform.handle), direct=platform.access == "direct"
        )
        self.lanes = ThreadCalls(self.functions, self._values)
        self._under_way: dict[int, _ThreadCall] = {}
        self._pointer_bytes = platform.pointer_bytes
        self._outputs = OutputWriter(tables, self._values, self._unique_name, platform.pointer_bytes)
        self._verdict = DeviationCheck(deviation, tables, self.names, platform.pointer_bytes)
        self._reuse = MemoryReuse(deviation, tables)
        devices = [c_name(device.handle) for device in platform.devices]
        self.devices = devices
        self._known = {platform.handle: "cl_platform_id"} | dict.fromkeys(devices, "cl_device_id")
        self._locals = {*HELPERS, *RESERVED_NAMES, "roots"}
        self.roots: list[tuple[str, int]] = []
        self._numbers: dict[tuple[int, str, int], str] = {}
        self._needed = {
            (reference.step, reference.output) for step in deviation.sequence for reference in step.call.references
        }
        self._reads_areas = deviation.sequence[-1].call.function == READ
        self._areas: dict[str, str] = {}
        self.uses: set[str] = set()
        self.named: set[str] = set()
        self.codes: list[str] = []

    def lines(self) -> list[str]:
        """Return the lines of the calls and of the final check for the deviation."""
        steps = self._deviation.sequence
        compared = self._compared_objects(steps[-1])
        mentioned = _mentioned_objects(steps) | compared
        self.roots = [(name, position) for position, name in enumerate(self.devices) if name in mentioned]
        self.functions.collect(step.call.function for step in steps if not isinstance(step.outcome, Absent))
        made = group_steps(steps)
        together: dict[int, int] = {}
        for position, group in zip(accumulate(map(len, made), initial=0), made, strict=False):
            if len(group) > 1:
                together[position] = len(group)
        fatal = len(steps) - len(made[-1])  # in concurrent calls, any of them may end the process here
        end = steps[-1].outcome
        forgets = isinstance(end, Returned) and bool(end.callbacks)
        written: list[str] = []
        for position, step in enumerate(steps):
            last = position == len(steps) - 1
            if position in together:
                written.append(
                    f"/* The next {together[position]} calls were made concurrently from several host threads. */"
                )
            expected, uses = (
                expected_end_lines(step.outcome)
                if position == fatal and not isinstance(step.outcome, Begun)
                else ([], set())
            )
            self.uses |= uses
            written += self._step_lines(step, _mentioned_objects(steps[position + 1 :]) | compared, expected, last=last)
            if forgets and not last and self.callbacks.functions:
                self.uses.add("forget_callbacks")
                written.append("forget_callbacks();")
        if isinstance(end, Died):
            self.uses.add("await_crash")
            written.append("await_crash();")
        if any(step.call.function.startswith(ENQUEUE_PREFIX) for step in steps[:-1]):
            self.uses.add("pauses")
            written.append("try_again(argv);")
        if "driver_ended_it" in self.uses:
            written.append("finished = 1;")
        self._collect_helpers()
        return [line for text in written for line in text.split("\n")]

    def _compared_objects(self, last: Step) -> set[str]:
        """Return the objects with which the program compares the outcome of the last call."""
        if not isinstance(last.outcome, Returned):
            return set()
        *_, (_, call) = pair_with_calls(self._deviation.sequence)
        function = self.functions.function(call.function)
        names = self._verdict.compared_outputs(function, last.outcome)
        values = [value for name in names for value in last.outcome.outputs[name].values]
        if error_code_of(function, last.outcome)[0] is None:
            values.append(last.outcome.value)
        return {value for value in values if isinstance(value, str)}

    def _collect_helpers(self) -> None:
        self.uses |= self._values.uses | self._outputs.uses | self._verdict.uses | self.functions.uses
        if self.callbacks.functions:
            self.uses.add("callbacks")
        errors = self.names.errors
        self.codes = [errors[code] for code in sorted(self._verdict.codes, reverse=True) if code in errors]
        self.named |= self._values.named
        if "name_of" in with_dependencies(self.uses):
            self.named.update(self.codes)

    def _unique_name(self, name: str) -> str:
        """Return a unique name for a variable."""
        found, number = name, 1
        while found in self._locals:
            number += 1
            found = f"{name}_{number}"
        self._locals.add(found)
        return found

    def _step_lines(self, step: Step, later: set[str], expected: list[str], *, last: bool) -> list[str]:
        """Return the lines of one step; ``later``: the objects that later steps mention."""
        step = msgspec.structs.replace(step, call=place_references(step.call, self._c_number))
        function = self.functions.function(step.call.function)
        if isinstance(step.outcome, Begun):
            return self._begin_lines(function, step, later)
        if awaited_thread(step):
            return [*expected, *self._wait_lines(step, last=last)]
        if function.name == IN_CALLBACK and isinstance(step.call.callback, HostCallback):
            name = self.lanes.call_from_callback(step.call.host_thread, step.call.callback.name)
            return [f"/* The next call on host thread {step.call.host_thread} is made from inside {name}. */"]
        if function.name in (ALLOCATE, ATOMICS):
            self.uses.add(function.name)
        if isinstance(step.outcome, Absent):
            missing = self.functions.missing_condition(function, step.outcome) if last else ""
            said = f"puts({c_string(f'{function.name}: not called')});"
            return [said, *(self._verdict.missing_function_lines(step.outcome, missing) if last else [])]
        before = dict(self._known)
        lines, written = self._argument_lines(function, step, later, last=last)
        lines += expected
        arguments = [written[name].expression for name in COPY_ARGUMENTS.get(function.name, written)]
        if last and isinstance(step.outcome, Returned):
            return lines + self._judged_call_lines(function, step.call, step.outcome, arguments, written, before)
        return lines + self._call_lines(function, step, arguments, written, later)

    def _argument_lines(
        self, function: Function, step: Step, later: set[str], *, last: bool
    ) -> tuple[list[str], dict[str, COutput]]:
        """Return the lines before a call, and a mapping from its parameters to their arguments in C."""
        lines = self._declare_unknown(step.call)
        written: dict[str, COutput] = {}
        for parameter in function.parameters:
            if parameter.name not in step.call.arguments:
                raise CProgramError(f"{function.name}: the call has no argument {parameter.name}")
            written[parameter.name] = self._argument(function, parameter, step, later, last=last)
            lines += written[parameter.name].before
        return lines, written

    def _begin_lines(self, function: Function, step: Step, later: set[str]) -> list[str]:
        """Return the lines that start a call on a host thread.

        If this call deviates, the program stores its outputs for the check at its end.
        """
        before, end = dict(self._known), self._deviation.sequence[-1]
        judged = (
            end.call.function == JOIN and awaited_thread(end) == step.host_thread and isinstance(end.outcome, Returned)
        )
        ended = msgspec.structs.replace(step, outcome=end.outcome) if judged else step
        lines, written = self._argument_lines(function, ended, later, last=judged)
        self._under_way[step.host_thread] = _ThreadCall(function, step.call, written, before)
        given = {name: one.expression for name, one in written.items()}
        begun = self.lanes.begin_call(step.host_thread, function, given)
        self.uses |= {"sleep_for", "lanes"} if self.lanes.threads else {"lanes"}
        return [*lines, *begun]

    def _wait_lines(self, step: Step, *, last: bool) -> list[str]:
        """Return the lines that wait for a call on a host thread.

        After the last step, these include the lines that check the call's outcome.
        """
        host_thread = awaited_thread(step)
        if host_thread not in self._under_way:
            raise CProgramError(f"no call is under way on host thread {host_thread}")
        self.uses.add(step.call.function)
        if step.call.function == HAS_RETURNED:
            asked = f"host_returned({host_thread}, {step.call.milliseconds})"
            if not last:
                return [f"{asked};"]
            self.uses.add("deviation")
            return [f'if ({asked}) return deviation("{TOO_EARLY}");']
        if not last or not isinstance(step.outcome, Returned):
            return [f"host_join({host_thread});"]
        if self._deviation.symptom == TOO_EARLY:
            raise CProgramError("only the order in which calls return shows this; use `clconform replay`")
        begun = self._under_way[host_thread]
        buffers = {name: one.buffer for name, one in begun.written.items() if one.buffer}
        verdict = self._verdict.check_lines(
            begun.function, "cl_int", begun.call, step.outcome, buffers, self._areas, begun.before, self._known
        )
        opening = "cl_int result = " if self._verdict.reads_result else ""
        return [f"{opening}host_join({host_thread});", *verdict]

    def _call_lines(
        self,
        function: Function,
        step: Step,
        arguments: list[str],
        written: dict[str, COutput],
        later: set[str],
    ) -> list[str]:
        """Return the lines of a call whose outcome is not checked, with declarations of the objects it creates."""
        outcome = step.outcome if isinstance(step.outcome, Returned) else None
        kind = self.functions.result_type(function)
        opening, makes = "", any(one.creates_objects for one in written.values())
        if outcome and isinstance(outcome.value, str) and outcome.value not in self._known:
            self._known[c_name(outcome.value)] = kind
            makes = True
            if function.name == ALLOCATE and self._reads_areas:
                self._areas[outcome.value] = arguments[0]
            if outcome.value in later or outcome.value in self._areas:
                opening = f"{type_prefix(kind)}{outcome.value} = "
        way = self._call_macro(function, outcome, makes=makes)
        lines = _wrapped_call(f"{opening}{way}(", function.name, arguments)
        if way == "CALL" and outcome and isinstance(outcome.value, int) and outcome.value:
            lines[-1] += f" /* {c_comment(self.names.error(outcome.value))} */"
        return [*lines, *(line for one in written.values() for line in one.after)]

    def _judged_call_lines(
        self,
        function: Function,
        call: Call,
        outcome: Returned,
        arguments: list[str],
        written: dict[str, COutput],
        before: Collection[str],
    ) -> list[str]:
        """Return the lines of the last call, and the lines that check its outcome."""
        kind = self.functions.result_type(function)
        if isinstance(outcome.value, str):
            self._known.setdefault(c_name(outcome.value), kind)
        buffers = {name: one.buffer for name, one in written.items() if one.buffer}
        verdict = self._verdict.check_lines(function, kind, call, outcome, buffers, self._areas, before, self._known)
        way = self._call_macro(function, outcome, makes=False)
        opening = f"{type_prefix(kind)}result = " if self._verdict.reads_result and way != "CALL" else ""
        return [*_wrapped_call(f"{opening}{way}(", function.name, arguments), *verdict]

    def _call_macro(self, function: Function, outcome: Returned | None, *, makes: bool) -> str:
        """Return the name of the macro that makes and prints a call; ``makes``: the call creates objects."""
        if function.returns == "void":
            way = "RUN"
        elif function.returns == "cl_int":
            way = "DO" if makes and outcome is not None and outcome.value == 0 else "CALL"
        elif "*" in function.returns or self._values.is_handle(function.returns):
            way = "MAKE" if makes else "GET"
        else:
            way = "COUNT"
        self.uses.add(way.lower())
        return way

    def _argument(
        self, function: Function, parameter: Parameter, step: Step, later: set[str], *, last: bool
    ) -> COutput:
        """Return an argument in C.

        A callback is written as the name of its C function, or as its call counter in a step that waits for the
        callback.
        """
        value = step.call.arguments[parameter.name]
        outcome = step.outcome
        if isinstance(value, HostCallback):
            if function.name == AWAIT:
                self.uses.add("host_await")
                return COutput([], self.callbacks.counter_expression(value.name))
            return COutput([], self.callbacks.callback_expression(function.name, parameter.name, value.name))
        if isinstance(value, OutputBuffers):
            return self._outputs.pointer_list(parameter, value)
        if not isinstance(value, OutputBuffer):
            if last or not self._reuse.is_reused(function, parameter.name, step.call):
                argument = self._values.argument(parameter, value, self._unique_name)
                return COutput(argument.declarations, argument.expression)
            argument = self._values.argument(parameter, value, self._unique_name, longest=0)
            self.uses.add("reuse")
            again = f"reuse({argument.name}, sizeof {argument.name});"
            return COutput(argument.declarations, argument.expression, (again,))
        if (step.id, parameter.name) in self._needed and isinstance(outcome, Returned):
            return self._number_output(parameter, value, step.id, outcome.outputs[parameter.name])
        element = self._outputs.buffer(parameter, value).element
        made = (
            created_objects(parameter.name, element, outcome, self._known, self._pointer_bytes)
            if isinstance(outcome, Returned)
            else {}
        )
        if last and isinstance(outcome, Returned):
            output = (
                outcome.outputs.get(parameter.name)
                if parameter.name in self._verdict.compared_outputs(function, outcome)
                else None
            )
            guarded = parameter.name in outcome.overrun
            written = self._outputs.judged_output(parameter, value, output, guarded=guarded)
        elif last:
            written = self._outputs.filled_output(parameter, value)
        else:
            written = self._outputs.plain_output(parameter, value, made, later)
        self._known.update(dict.fromkeys(made.values(), "void *" if element == BYTE else element))
        return written._replace(creates_objects=bool(made))

    def _number_output(self, parameter: Parameter, value: OutputBuffer, step: int, output: Output) -> COutput:
        """Return an output whose numbers later calls use; ``step``: the id of its step."""
        written, expressions = self._outputs.number_output(parameter, value, output)
        self._numbers.update(
            ((step, parameter.name, element), expression) for element, expression in enumerate(expressions)
        )
        return written

    def _c_number(self, reference: NumberReference, value: int) -> int:
        """Return the number of a reference; a constant if the program does not make the call that returns it."""
        name = self._numbers.get((reference.step, reference.output, reference.element))
        if name is None:
            return value
        product = name if reference.factor == 1 else f"{reference.factor} * {name}"
        offset = f" {'-' if reference.offset < 0 else '+'} {abs(reference.offset)}" if reference.offset else ""
        return CNumber(value, f"({product}{offset})" if product != name or offset else name)

    def _declare_unknown(self, call: Call) -> list[str]:
        """Return declarations of the objects that a call mentions but no earlier call has created.

        Their value is NULL.
        """
        lines = []
        for value in call.arguments.values():
            kind = BUS_ADDRESS_TYPE if isinstance(value, BusAddresses) else "void *"
            for handle in find_handles(value):
                if handle.name not in self._known:
                    self._known[c_name(handle.name)] = kind
                    lines.append(f"{type_prefix(kind)}{handle.name} = {'NULL' if kind.endswith('*') else '0'};")
        return lines


def _wrapped_call(opening: str, name: str, arguments: Iterable[str]) -> list[str]:
    """Return a call inside the macro that prints it, as one or more lines."""
    name = "memcpy" if name in COPY_ARGUMENTS else name
    lines, parts = [], list(arguments)
    line = f"{opening}{name}("
    for position, part in enumerate(parts):
        end = "));" if position == len(parts) - 1 else ","
        if len(line) + len(part) + len(end) + 1 > WIDTH:
            lines.append(line)
            line = f"    {part}{end}"
        else:
            line += f"{' ' if position and line.endswith(',') else ''}{part}{end}"
    return [*lines, line if parts else f"{line}));"]


def _mentioned_objects(steps: Iterable[Step]) -> set[str]:
    """Return the names of the objects that the calls mention."""
    made = [step.call for step in steps if not isinstance(step.outcome, Absent)]
    return {handle.name for call in made for handle in call_handles(call)}


def _header_types(tables: ReportTables) -> set[str]:
    """Return the types that all headers define: the types of core functions, and the types that every program uses."""
    extensions = {each.document for each in tables.functions.values() if each.document.startswith("cl_")}
    core = {
        parameter.base
        for function in tables.functions.values()
        if function.document not in extensions and not is_extension(function)
        for parameter in function.parameters
    }
    return core | {"cl_int", "cl_platform_id", "cl_device_id", "char", "size_t"}
