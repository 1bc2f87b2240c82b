"""The lines of C that tell whether a deviation shows: by its result, its code, its rooms, or by no answer at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import UNTOUCHED, Died, Hung, Outcome, Output, Returned
from clconform.reports.c_values import ON_THE_BUS, c_name, c_number

if TYPE_CHECKING:
    from collections.abc import Collection

    from clconform.spec_tables.records import Function


def expecting(outcome: Outcome) -> list[str]:
    """Return the lines before a call that the driver is expected not to come back from; none before any other."""
    if isinstance(outcome, Died):
        return ['puts("\\nthe next call is expected to crash");']
    if isinstance(outcome, Hung):
        deadline = max(1, round(outcome.deadline))
        lines = [f'puts("\\nthe next call is expected to give no answer; waiting {deadline} s");']
        return [*lines, "signal(SIGALRM, too_late);", f"alarm({deadline});"]
    return []


def code_of(function: Function, outcome: Returned) -> tuple[int | None, str]:
    """Return the error code that came back, and where it lies in C; None where none came back."""
    if function.returns == "cl_int" and isinstance(outcome.value, int):
        return outcome.value, "result"
    values = outcome.outputs["errcode_ret"].values if "errcode_ret" in outcome.outputs else []
    if values and isinstance(values[0], int):
        return values[0], "*(cl_int *)errcode_ret.at"
    return None, ""


def same_value(returns: str, outcome: Returned, before: Collection[str]) -> list[str]:
    """Return the comparison of a function's own result; ``returns``: its type in C, ``before``: objects known then."""
    if outcome.value is None:
        return ["result == NULL"]
    if isinstance(outcome.value, str):
        return [f"result == {outcome.value}" if outcome.value in before else "result != NULL"]
    return [f"result == {c_number(int(outcome.value), returns)}"]


def same_output(name: str, output: Output, element: str, before: Collection[str], known: Collection[str]) -> list[str]:
    """Return the comparisons of a room; ``before``: objects known before the call, ``known``: those known after it."""
    objects = [value for value in output.values if isinstance(value, str) and value in known]
    same = []
    if element == "unsigned char" and not objects:
        same.append(f"written({name}) == {output.written}")
        if output.raw:
            data = "".join(f"\\{byte:03o}" for byte in output.raw)
            same.append(f'memcmp({name}.at, "{data}", {len(output.raw)}) == 0')
        return same
    kind = "void *" if element == "unsigned char" else element
    nothing = "0" if kind == ON_THE_BUS else "NULL"
    for position, value in enumerate(output.values):
        there = f"(({kind} *){name}.at)[{position}]"
        if value == UNTOUCHED:
            same.append(f"all({name}.at + {position} * sizeof({kind}), FILL, sizeof({kind}))")
        elif value is None:
            same.append(f"{there} == {nothing}")
        elif isinstance(value, str):
            same.append(f"(void *){there} == (void *){c_name(value)}" if value in before else f"{there} != {nothing}")
        elif isinstance(value, int):
            same.append(f"{there} == ({kind}){c_number(value, kind)}")
    return same
