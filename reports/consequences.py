"""Determines which programs a deviation affects: correct ones, only incorrect ones, or none but their diagnostics.

The rules need the requirement and the recorded calls only. An author of a driver begins with the deviations that affect
correct programs.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, get_args

import msgspec

from clconform.calls.call import Returned
from clconform.reports.run_result import Consequence
from clconform.reports.status_policy import DEVIATING_STATUSES, UNPROVED_STATUSES
from clconform.spec_tables.requirements import ErrorCondition

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

    from clconform.reports.report_tables import ReportTables
    from clconform.reports.run_result import DeviationResult
    from clconform.spec_tables.requirements import Requirement

CONSEQUENCES: tuple[Consequence, ...] = get_args(Consequence)
"""The consequences, in the order in which deviations are shown."""
CONSEQUENCE_TITLES: dict[Consequence | None, str] = {
    "correct-programs": "Correct programs are affected",
    "incorrect-programs": "Only incorrect programs are affected",
    "diagnostics": "Only diagnostics are affected",
    None: "Consequence unknown",
}
"""Titles of the consequences; None: the deviation did not repeat, or the result is of an earlier version."""

RUN_TIME_CODES = frozenset(
    {
        "CL_BUILD_PROGRAM_FAILURE",
        "CL_COMPILE_PROGRAM_FAILURE",
        "CL_COMPILER_NOT_AVAILABLE",
        "CL_DEVICE_NOT_AVAILABLE",
        "CL_DEVICE_NOT_FOUND",
        "CL_DEVICE_PARTITION_FAILED",
        "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
        "CL_IMAGE_FORMAT_NOT_SUPPORTED",
        "CL_INVALID_BINARY",
        "CL_KERNEL_ARG_INFO_NOT_AVAILABLE",
        "CL_LINK_PROGRAM_FAILURE",
        "CL_LINKER_NOT_AVAILABLE",
        "CL_MAP_FAILURE",
        "CL_MEM_OBJECT_ALLOCATION_FAILURE",
        "CL_OUT_OF_HOST_MEMORY",
        "CL_OUT_OF_RESOURCES",
        "CL_PLATFORM_NOT_FOUND_KHR",
        "CL_PROFILING_INFO_NOT_AVAILABLE",
    }
)
"""Error codes that a correct program can meet: they depend on the device, its resources, a program's source or binary,
or on how a command ended. All other error codes report an invalid call."""

CODE = re.compile(r"CL_\w+|-?\d+|an error")
"""Matches the symptom code of an unexpected result: the call failed, but should have succeeded."""
OVERRUN = " overrun"
"""The end of the symptom code of a call that wrote past the end of a buffer."""
ERROR, SUCCESS = "errcode_ret", "CL_SUCCESS"
UNSUPPORTED = "CL_INVALID_IMAGE_SIZE"
"""The error code of commands whose device does not support an image; programs cannot know it for each image."""
ERRORS = "ErrorCodes"
"""The group of error codes in the tables."""


def with_consequences(deviations: Iterable[DeviationResult], tables: ReportTables) -> list[DeviationResult]:
    """Return deviations with their consequences: those that affect correct programs first, then by severity."""
    run_time_codes = {tables.enumerants[name].value for name in RUN_TIME_CODES if name in tables.enumerants}
    mistakes = {name for name, each in tables.enumerants.items() if each.group == ERRORS and each.value < 0}
    mistakes -= RUN_TIME_CODES | {UNSUPPORTED}
    found = [
        msgspec.structs.replace(each, consequence=_consequence_of(each, tables.requirements, run_time_codes, mistakes))
        if each.verdict not in UNPROVED_STATUSES
        else each
        for each in deviations
    ]
    return sorted(found, key=order_of)


def _consequence_of(
    deviation: DeviationResult,
    requirements: Mapping[str, Requirement],
    run_time_codes: Container[int],
    mistakes: Container[str],
) -> Consequence:
    """Return the consequence of a deviation.

    ``run_time_codes``: the values of ``RUN_TIME_CODES``. ``mistakes``: the names of the error codes that
    report an invalid call.
    """
    codes = [_error_of(step.outcome) for step in deviation.sequence]
    if deviation.minimised and any(code and code not in run_time_codes for code in codes[:-1]):
        return "incorrect-programs"  # it needs a call that was rejected
    known = [requirements.get(requirement) for requirement in deviation.requirements]
    conditions = [requirement for requirement in known if isinstance(requirement, ErrorCondition)]
    if conditions and len(conditions) == len(known):
        is_met = all(condition.code in RUN_TIME_CODES for condition in conditions)
        fails_anyway = CODE.fullmatch(deviation.symptom) and deviation.symptom != SUCCESS
        return "correct-programs" if is_met and not fails_anyway else "incorrect-programs"
    if any(name in mistakes for name in deviation.allowed):
        return "incorrect-programs"  # the call may be invalid
    code = codes[-1] if codes and deviation.verdict == "deviates" else 0
    if not code or code in run_time_codes or CODE.fullmatch(deviation.symptom):
        return "correct-programs"
    return "incorrect-programs" if deviation.symptom.endswith(OVERRUN) else "diagnostics"


def _error_of(outcome: object) -> int:
    """Return the error code that a call has returned; 0 if it has not failed, or has returned no code."""
    if not isinstance(outcome, Returned):
        return 0
    output = outcome.outputs.get(ERROR)
    codes = output.values[:1] if output is not None else [outcome.value]
    return next((code for code in codes if isinstance(code, int) and code < 0), 0)


def order_of(deviation: DeviationResult) -> tuple[int, int, str, str]:
    """Return the sorting key of a deviation."""
    place = CONSEQUENCES.index(deviation.consequence) if deviation.consequence else len(CONSEQUENCES)
    return place, DEVIATING_STATUSES.index(deviation.verdict), deviation.function, deviation.key
