"""Writes the C lines that check for a deviation: a result, an error code, outputs, or a hang."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import UNTOUCHED, Died, Hung, Outcome, Output, Returned
from clconform.reports.c_callbacks import recorded_callbacks
from clconform.reports.c_data import MAX_LISTED_BYTES, WIDTH, declare_bytes
from clconform.reports.c_outputs import BYTE, ERROR
from clconform.reports.c_values import BUS_ADDRESS_TYPE, CNumber, CProgramError, c_name, c_number, c_string
from clconform.reports.call_formatting import format_outcome
from clconform.reports.escaping import escape_non_ascii

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from clconform.calls.call import Absent, Call
    from clconform.reports.c_outputs import COutputBuffer
    from clconform.reports.call_formatting import ValueNames
    from clconform.reports.report_tables import ReportTables
    from clconform.reports.run_result import DeviationResult
    from clconform.spec_tables.requirements import Function

NO_TERMINATOR, EARLY_TERMINATOR, OTHER_SIZE = "no terminator", "a terminator inside", "other size"
"""The symptoms of a value whose end or size is incorrect."""
NUMBER_SIZES = (4, 8)
"""Sizes in bytes of the outputs that are compared as one number."""
MIN_HEXADECIMAL = 1 << 16
"""Numbers from this value on are written in hexadecimal."""


def expected_end_lines(outcome: Outcome) -> tuple[list[str], set[str]]:
    """Return the lines before a call that is expected not to return, and the helpers that they call."""
    if isinstance(outcome, Hung):
        deadline = max(1, round(outcome.seconds))
        said = f'puts("the next call is expected to hang; waiting {deadline} s");'
        return [said, "signal(SIGALRM, too_late);", f"alarm({deadline});"], {"too_late"}
    if isinstance(outcome, Died):
        ends = outcome.how == "exit"
        said = 'puts("the next call is expected to crash");'
        return [said, *(["atexit(driver_ended_it);"] if ends else [])], {"driver_ended_it"} if ends else set()
    return [], set()


def error_code_of(function: Function, outcome: Returned) -> tuple[int | None, str]:
    """Return the error code of an outcome, and the name of the parameter that received the code.

    The name is empty if the function returned the code. Without an error code, return None and an empty name.
    """
    if function.returns == "cl_int" and isinstance(outcome.value, int):
        return outcome.value, ""
    values = outcome.outputs[ERROR].values if ERROR in outcome.outputs else []
    if values and isinstance(values[0], int):
        return values[0], ERROR
    return None, ""


def result_comparison(returns: str, outcome: Returned, before: Collection[str]) -> list[str]:
    """Return the C conditions that compare the result of the last call with the observed result.

    ``returns``: the C type of the result. ``before``: the objects that existed before the call.
    """
    if outcome.value is None:
        return ["result == NULL"]
    if isinstance(outcome.value, str):
        return [f"result == {outcome.value}" if outcome.value in before else "result != NULL"]
    return [f"result == {c_number(int(outcome.value), returns)}"]


class DeviationCheck:
    """The check of the outcome of the last call.

    ``uses``: the helpers in use. ``codes``: the error codes that the check mentions. ``reads_result``: whether it reads
    the variable ``result``.
    """

    def __init__(self, deviation: DeviationResult, tables: ReportTables, names: ValueNames, pointer_bytes: int) -> None:
        """Start without checks; ``pointer_bytes``: the size of a pointer on the machine of the program."""
        self._deviation = deviation
        self._pointer_bytes = pointer_bytes
        self._tables = tables
        self._names = names
        known = {name: code for code, name in names.errors.items()} | {"success": 0}
        self._allowed = {known[name] for name in deviation.allowed if name in known}
        self.codes: set[int] = {0, *self._allowed}
        self.uses: set[str] = set()
        self.reads_result = False

    def compared_outputs(self, function: Function, outcome: Returned) -> set[str]:
        """Return the names of the outputs that the check compares; none if the error code alone shows the deviation."""
        return set() if self._is_code_deviation(function, outcome) else outcome.outputs.keys() - {ERROR}

    def _is_code_deviation(self, function: Function, outcome: Returned) -> bool:
        code, _ = error_code_of(function, outcome)
        return code is not None and bool(self._allowed) and code not in self._allowed

    def missing_function_lines(self, outcome: Absent, missing: str) -> list[str]:
        """Return the lines that report a missing function."""
        self.uses.add("deviation")
        observed = c_string(escape_non_ascii(f"{outcome.how}: {outcome.detail}"))
        return [f"if ({missing}) return deviation({observed});"]

    def check_lines(
        self,
        function: Function,
        kind: str,
        call: Call,
        outcome: Returned,
        buffers: Mapping[str, COutputBuffer],
        areas: Mapping[str, str],
        before: Collection[str],
        known: Collection[str],
    ) -> list[str]:
        """Return the lines after the last call, which check its outcome.

        ``kind``: the C type of its result. ``areas``: the host areas with their sizes. ``before``, ``known``: objects
        before and after the call.
        """
        self.uses.add("deviation")
        code, where = error_code_of(function, outcome)
        seen = "result"
        lines = []
        if ERROR in buffers:
            buffer = buffers[ERROR]
            seen = buffer.first_element if where else seen
            self.uses.add("name_of")
            lines.append(f'printf("    errcode_ret = %s\\n", name_of({buffer.first_element}));')
        beyond = _overrun_checks(buffers.values(), areas)
        self.uses |= {"overrun"} if beyond else set()
        if code is not None:
            self.codes.add(code)
        if self._is_code_deviation(function, outcome):
            self.reads_result = seen == "result"
            self.uses.add("name_of")
            refused = " && ".join(f"{seen} != {self._code(one)}" for one in sorted(self._allowed, reverse=True))
            return [*lines, *beyond, f"if ({refused}) return deviation(name_of({seen}));"]
        same = [] if code is None else [f"{seen} == {self._code(code)}"]
        if code is None and function.returns != "void":
            same += result_comparison(kind, outcome, before)
        self.reads_result = any(one.startswith("result ") for one in same)
        compared = OutputComparison(before, known, [name for name in self._deviation.allowed if name in before])
        for name, output in outcome.outputs.items():
            if name != ERROR and name in buffers:
                compared.add(output, buffers[name])
                lines.append(self._print_line(name, output, buffers[name]))
        conditions, declarations = self._compare_outputs(outcome, buffers, compared)
        same += conditions
        if outcome.callbacks:
            self._check_callback_handles(outcome)
            self.uses.add("note_callback")
            same.append(f"strcmp(called_back, {recorded_callbacks(outcome.callbacks, self._pointer_bytes)}) == 0")
        observed = c_string(escape_non_ascii(format_outcome(call, outcome, self._tables, self._names)))
        condition = " && ".join(same) or "1"
        if len(condition) > WIDTH:
            condition = " &&\n    ".join(same)
        end = [f"if ({condition})", f"    return deviation({observed});"]
        if sum(map(len, end)) < WIDTH - 4:
            end = [f"if ({condition}) return deviation({observed});"]
        return [*lines, *beyond, *declarations, *end]

    def _compare_outputs(
        self, outcome: Returned, buffers: Mapping[str, COutputBuffer], compared: OutputComparison
    ) -> tuple[list[str], list[str]]:
        """Return the conditions that compare the outputs with the observed ones, and the lines that they need."""
        text = self._text_condition(outcome, buffers)
        if text:
            self.uses.add("written")
            return [text], []
        self.uses |= compared.uses
        return compared.same, compared.lines

    def _text_condition(self, outcome: Returned, buffers: Mapping[str, COutputBuffer]) -> str:
        """Return the condition for an incorrect end or size of a value; empty for other symptoms.

        It does not compare the value itself, which may contain a path, a version or a time, and differ between runs.
        """
        value, size = buffers.get("param_value"), buffers.get("param_value_size_ret")
        if value is None or value.element != BYTE:
            return ""
        length = f"written({value.name}, {value.size})"
        if self._deviation.symptom == NO_TERMINATOR:
            return f"(!{length} || {value.name}[{length} - 1])"
        if self._deviation.symptom == EARLY_TERMINATOR:
            return f"{length} && memchr({value.name}, 0, {length} - 1)"
        if self._deviation.symptom == OTHER_SIZE and size is not None:
            is_text = any(isinstance(one, str) for one in outcome.outputs["param_value"].values)
            expected = f"{length} + ({length} && {value.name}[{length} - 1])" if is_text else length
            return f"{size.first_element} && {size.first_element} != {expected}"
        return ""

    def _check_callback_handles(self, outcome: Returned) -> None:
        """Raise CProgramError if a callback receives a deviating handle, or a deviating list of handles.

        The program records only numeric arguments of callbacks.
        """
        for called in outcome.callbacks:
            for name, value in called.arguments.items():
                if isinstance(value, str | list) and self._deviation.symptom.startswith(f"another {name}"):
                    raise CProgramError(f"only the {name} argument of a callback shows this; use `clconform replay`")

    def _code(self, code: int) -> str:
        return self._names.errors.get(code, str(code))

    def _print_line(self, title: str, output: Output, buffer: COutputBuffer) -> str:
        """Return the line that prints an output buffer."""
        type_ = self._tables.types.get(buffer.element)
        if buffer.has_one_element and type_ is not None and UNTOUCHED not in output.values:
            if type_.kind == "handle":
                return f'printf("    {title} = %p\\n", (void *){buffer.first_element});'
            if type_.kind in {"scalar", "bitfield"}:
                return f'printf("    {title} = %lld\\n", (long long){buffer.first_element});'
        if buffer.element == BYTE and len(output.raw) == buffer.length and buffer.length in NUMBER_SIZES:
            read = "cl_uint" if buffer.length == min(NUMBER_SIZES) else "cl_ulong"
            return f'printf("    {title} = %#llx\\n", (unsigned long long)*({read} *){buffer.name});'
        self.uses.add("show")
        return f'show("{title}", {buffer.address}, {buffer.size});'


def _overrun_checks(buffers: Iterable[COutputBuffer], areas: Mapping[str, str]) -> list[str]:
    """Return the lines that check the guard bytes of output buffers and host areas."""
    lines = [
        f'if (overrun({buffer.name}, {buffer.size})) return deviation("it wrote past the end of {buffer.name}");'
        for buffer in buffers
        if buffer.guarded
    ]
    lines += [
        f'if (overrun({name}, {size})) return deviation("it wrote past the end of the host area");'
        for name, size in areas.items()
    ]
    return lines


class OutputComparison:
    """The comparisons of the outputs of the last call, and the lines and helpers that they need."""

    def __init__(self, before: Collection[str], known: Collection[str], allowed: Sequence[str] = ()) -> None:
        """Start without outputs.

        ``before``, ``known``: objects before and after the call. ``allowed``: allowed results.
        """
        self._before = before
        self._known = known
        self._allowed = allowed
        self.same: list[str] = []
        self.lines: list[str] = []
        self.uses: set[str] = set()

    def add(self, output: Output, buffer: COutputBuffer) -> None:
        """Add the comparison of one buffer with the observed output."""
        objects = [value for value in output.values if isinstance(value, str) and value in self._known]
        if buffer.element == BYTE and not objects:
            self._compare_bytes(output, buffer)
            return
        kind = "void *" if buffer.element == BYTE else buffer.element
        nothing = "0" if kind == BUS_ADDRESS_TYPE else "NULL"
        for position, value in enumerate(output.values):
            there = f"{buffer.name}[{position}]" if kind == buffer.element else f"((void **){buffer.name})[{position}]"
            there = there if buffer.guarded else buffer.name
            if value == UNTOUCHED:
                self._compare_untouched(f"&{there}" if position else buffer.address, f"sizeof({kind})")
            elif value is None:
                self.same.append(f"{there} == {nothing}")
            elif isinstance(value, str) and value in self._before:
                self.same.append(f"(void *){there} == (void *){c_name(value)}")
            elif isinstance(value, str):
                self.same.append(f"{there} != {nothing}")
                self.same += [f"(void *){there} != (void *){c_name(name)}" for name in self._allowed]
            elif isinstance(value, int):
                number = c_number(value, "size_t" if kind.endswith("*") else kind)
                self.same.append(f"{there} == {'(void *)' if kind.endswith('*') else ''}{number}")

    def _compare_bytes(self, output: Output, buffer: COutputBuffer) -> None:
        raw, written, name = output.raw, output.written, buffer.name
        if len(raw) in NUMBER_SIZES:
            type_ = "cl_uint" if len(raw) == min(NUMBER_SIZES) else "cl_ulong"
            value = int.from_bytes(raw, "little")
            number = (
                f"{value}u"
                if value < MIN_HEXADECIMAL
                else f"{value:#x}{'u' if len(raw) == min(NUMBER_SIZES) else 'ull'}"
            )
            self.same.append(f"*({type_} *){name} == {number}")
        elif len(raw) > MAX_LISTED_BYTES:
            lines, series = declare_bytes(f"{name}_then", raw, "static unsigned char")
            self.lines += lines
            self.uses |= {"series"} if series else set()
            self.same.append(f"memcmp({name}, {name}_then, {len(raw)}) == 0")
        elif raw:
            data = "".join(f"\\{byte:03o}" for byte in raw)
            self.same.append(f'memcmp({name}, "{data}", {len(raw)}) == 0')
        elif written:
            self.same.append(f"{name}[{written - 1}] != FILL")
        if buffer.length > written:
            length = c_number(buffer.length, "size_t")
            rest = f"{length} - {written}" if isinstance(buffer.length, CNumber) else str(buffer.length - written)
            if isinstance(buffer.length, CNumber):
                self.same.append(f"{length} >= {written}")
            self._compare_untouched(f"{name} + {written}" if written else name, rest)

    def _compare_untouched(self, at: str, size: str) -> None:
        self.uses |= {"all", "fill"}
        self.same.append(f"all({at}, FILL, {size})")
