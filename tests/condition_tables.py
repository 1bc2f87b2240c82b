"""The tables of near misses and of carried-over conditions: ``python -m tests.condition_tables``.

Each row of the first table is an error condition and an operand, each row of the second one an error condition and a
carrier. A cell contains the calls that the error suite makes on simulated platforms, or the reason why there is none.
"""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest

from clconform.harness import BadCall, Target
from clconform.oracles.engine.condition_rules import ABOUT_RESOURCES
from clconform.oracles.engine.rulebook import rulebook_of
from clconform.runner.journal.recorder import Recorder
from clconform.spec_tables import load
from clconform.suites.errors.carried_conditions import (
    AFTER_RELEASE,
    MAY,
    MUST,
    UNDEFINED,
    CarriedCall,
    sub_device_cases,
)
from clconform.suites.errors.carriers import SUB_DEVICE
from clconform.suites.errors.near_miss_tests import VALID_CALL, NearCall, near_miss_cases
from clconform.suites.errors.negative_tests import single_violation_cases
from clconform.suites.errors.variation_collection import collect_variations

from .sessions import InProcessSession

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clconform.runner.pytest_plugin.covers import TableCase
    from clconform.spec_tables.requirements import ErrorCondition

TOPOLOGIES = ("everything", "two-alignments", "images-of-some")
"""The simulated platforms on which the calls are made: after the first, only those of conditions without a call."""
CARRIERS_OF_TYPE: dict[str, tuple[str, ...]] = {
    "cl_kernel": ("clone", "kernel of a linked program", "retained handle"),
    "cl_mem": ("sub-buffer", "image of a buffer", "retained handle"),
    "cl_program": ("linked program", "retained handle"),
    "cl_context": ("retained handle",),
    "cl_command_queue": ("retained handle",),
    "cl_event": ("retained handle",),
    "cl_sampler": ("retained handle",),
}
"""Maps C types of parameters to the carriers for their objects."""
SITUATIONS = {
    "CL_DEVICE_NOT_AVAILABLE/1": "only a platform with an unavailable device",
    "CL_INVALID_MEM_OBJECT/1": "only a run with --robustness",
    "CL_INVALID_OPERATION/1": "only a platform with a device that lacks the feature",
}
"""Maps the end of ids to the situations that the simulated platforms lack."""
MAX_SHOWN = 3
"""The maximum number of calls in a cell."""


class Row(NamedTuple):
    """A row: an error condition, an operand or a carrier, and the calls, or else the reason why there is none."""

    clause: str
    subject: str
    calls: tuple[str, ...]
    reason: str = ""

    @property
    def text(self) -> str:
        """The row in Markdown."""
        shown = "; ".join(self.calls[:MAX_SHOWN]) + (f" (of {len(self.calls)})" if len(self.calls) > MAX_SHOWN else "")
        return f"| {self.clause} | {self.subject} | {(shown or self.reason).replace('|', '/')} |"


def _run(cases: Iterable[TableCase], topology: str) -> Iterator[object]:
    """Run items on a simulated platform, and yield what their actions return."""
    session = InProcessSession(Target.simulated(topology), load(), Recorder(None))
    for case in cases:
        if not session.find_inapplicability(case.requirement):
            try:
                with session.example():
                    made = case.action(session)
            except (pytest.skip.Exception, BadCall):
                continue
            if isinstance(made, list):
                yield from made
    session.close()


@functools.cache
def near_calls() -> tuple[NearCall, ...]:
    """Return the near misses that the items make on the simulated platforms."""
    calls: list[NearCall] = []
    for topology in TOPOLOGIES:
        known = {call.clause for call in calls}
        lacking = {clause.function for clause in error_conditions() if clause.id not in known and _is_violated(clause)}
        cases = [case for case in near_miss_cases(load()) if case.requirement.split("/")[0] in lacking]
        calls += [call for call in _run(cases, topology) if isinstance(call, NearCall)]
    return tuple(calls)


@functools.cache
def carried_calls() -> tuple[CarriedCall, ...]:
    """Return the calls through derived objects, made or not, on the simulated platforms."""
    calls: list[CarriedCall] = []
    for topology in TOPOLOGIES:
        known = {call.clause for call in calls}
        cases = [case for case in single_violation_cases(load()) if case.requirement not in known]
        calls += [call for call in _run([*cases, *sub_device_cases(load())], topology) if isinstance(call, CarriedCall)]
    return tuple(calls)


def _is_violated(clause: ErrorCondition) -> bool:
    """Return whether the error suite has violations of a condition that some platform allows."""
    return not find_reason(clause)


def error_conditions() -> list[ErrorCondition]:
    """Return all error conditions of the tables."""
    return [clause for function in load().functions for clause in load().error_conditions_of(function)]


def find_reason(clause: ErrorCondition) -> str:
    """Return the reason why the error suite does not violate a condition; empty if it does."""
    place = f"section {clause.section.number or clause.section.title}"
    untestable = rulebook_of(load()).untestable.get(clause.id, "")
    if clause.condition.kind in ABOUT_RESOURCES:
        return f"a lack of resources, which no argument decides ({place})"
    if untestable:
        return f"{untestable} ({place})"
    if clause.function not in collect_variations().valid_calls:
        return f"another suite tests the function with exactly sufficient outputs and defined values ({place})"
    if not collect_variations().violating_variations(clause, load()):
        return f"no argument of the valid call decides the condition, which another suite covers ({place})"
    return ""


def near_miss_rows() -> list[Row]:
    """Return the table of near misses: error condition by operand."""
    found: dict[tuple[str, str], list[str]] = {}
    for call in near_calls():
        found.setdefault((call.clause, call.operand or "together"), []).append(call.test_value)
    rows: list[Row] = []
    for clause in error_conditions():
        own = {operand: calls for (name, operand), calls in found.items() if name == clause.id}
        if not own:
            rows.append(Row(clause.id, "all", (), find_reason(clause) or _lack(clause)))
        for operand, calls in sorted(own.items()):
            rows.append(Row(clause.id, operand, tuple(dict.fromkeys(sorted(calls, key=VALID_CALL.__eq__)))))
    return rows


def _lack(clause: ErrorCondition) -> str:
    """Return the reason for a condition whose violations the simulated platforms do not allow."""
    gates = ", ".join(f"{each.name} {each.since}".strip() for each in clause.applicability)
    place = f"section {clause.section.number or clause.section.title}"
    needed = f"only a platform with {gates}" if gates else SITUATIONS.get(clause.id.split("/", 1)[1], "")
    return f"{needed} has the violation ({place})" if needed else ""


def carried_rows() -> list[Row]:
    """Return the table of carried-over conditions: error condition by carrier."""
    found: dict[tuple[str, str], list[CarriedCall]] = {}
    for call in carried_calls():
        found.setdefault((call.clause, call.carrier.removesuffix(AFTER_RELEASE)), []).append(call)
    rows: list[Row] = []
    for clause in error_conditions():
        for carrier in carriers_of(clause):
            calls = found.get((clause.id, carrier), [])
            made = tuple(dict.fromkeys(call.test_value for call in calls if call.decision == MUST))
            rows.append(Row(clause.id, carrier, made, "" if made else _why_not_carried(clause, carrier, calls)))
    return rows


def carriers_of(clause: ErrorCondition) -> list[str]:
    """Return the carriers for the objects in the parameters of a condition, or of its function if it names none."""
    parameters = load().functions[clause.function].parameters
    named = [each for each in parameters if each.name in clause.parameters and each.direction != "out"]
    types = {each.base for each in named} & CARRIERS_OF_TYPE.keys()
    types = types or {each.base for each in parameters if each.direction != "out"} & CARRIERS_OF_TYPE.keys()
    found = dict.fromkeys(carrier for kind in sorted(types) for carrier in CARRIERS_OF_TYPE[kind])
    names = " ".join(each.name for each in named or parameters)
    if "buffer" not in names and "mem" not in names and "arg_value" not in names:
        found.pop("sub-buffer", None)
    if "image" not in names and "mem" not in names:
        found.pop("image of a buffer", None)
    words = rulebook_of(load()).texts.words_of(clause.id)
    return [*found, *([SUB_DEVICE] if "device" in words else [])]


def _why_not_carried(clause: ErrorCondition, carrier: str, calls: list[CarriedCall]) -> str:
    """Return the reason why no call violates a condition through a carrier."""
    reason = find_reason(clause)
    if reason:
        return reason
    words = rulebook_of(load()).texts.words_of(clause.id).split("\n")[0]
    place = f"section {clause.section.number or clause.section.title}"
    decisions = {call.decision for call in calls}
    readings = sorted(each for each in decisions if each.startswith(MAY))
    if readings:
        return f"unspecified for this carrier ({place}), by the interpretation {readings[0].removeprefix(f'{MAY}: ')}"
    if UNDEFINED in decisions:
        return f"the call would be undefined with this carrier ({place})"
    if decisions:
        return f"the {carrier} does not have the state of the condition ({place}): {words}"
    if clause.condition.kind.startswith("invalid-object") or "NULL" in words or "not a valid" in words:
        return f"the condition is about NULL or another type of handle, from which nothing is derived ({place})"
    return f"the violations pass no object from which a {carrier} can be derived ({place}): {words}" if words else ""


def unnoticed(rows: Iterable[Row]) -> list[str]:
    """Return the rows without a call and without a reason that names a section."""
    return [f"{row.clause}: {row.subject}" for row in rows if not row.calls and "section" not in row.reason]


def write_page(title: str, subject: str, rows: list[Row]) -> str:
    """Return a page with a table."""
    head = f"# {title}\n\n`python -m tests.condition_tables` generates this page.\n\n"
    body = "\n".join(row.text for row in rows)
    return f"{head}| error condition | {subject} | calls, or the reason why there is none |\n|---|---|---|\n{body}\n"


if __name__ == "__main__":
    sys.stdout.write(write_page("Near misses of error conditions", "operand", near_miss_rows()))
    sys.stdout.write(write_page("Carried-over error conditions", "carrier", carried_rows()))
