"""The consequence of a deviation, that is which programs it affects, follows from its requirements and calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from clconform.calls.call import Call, Died, Output, Returned, Step
from clconform.calls.deviation_keys import build_key
from clconform.reports.consequences import RUN_TIME_CODES, with_consequences
from clconform.reports.run_result import DeviationResult
from clconform.spec_tables import load

if TYPE_CHECKING:
    from clconform.calls.call import Outcome
    from clconform.reports.run_result import Consequence
    from clconform.reports.status_policy import DeviatingStatus

CREATE, READ = "clCreateBuffer", "clEnqueueReadBuffer"
INVALID_VALUE, BUILD_FAILURE, DEVICE_NOT_FOUND = -30, -11, -1
FAILED_WAIT = f"{READ}/CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST/1"
LIBRARY, EFFECT = "clLinkProgram/effect/16", "clCreateProgramWithBinary/effect/1"
CRASH = Died("signal", "SIGSEGV")


def create_deviation(
    requirement: str,
    symptom: str,
    *outcomes: Outcome,
    verdict: DeviatingStatus = "deviates",
    minimised: bool = True,
    allowed: tuple[str, ...] = (),
) -> DeviationResult:
    key = build_key(READ, [requirement], symptom)
    return DeviationResult(
        id="00000000", key=key, function=READ, requirements=[requirement], verdict=verdict, confidence="literal",
        allowed=list(allowed), observed=symptom, conditions={}, minimised=minimised,
        sequence=[Step(Call(READ, {}), each) for each in outcomes],
        repeated=2, attempts=2, full_history=False, item="i", items=1, seen=1,
    )  # fmt: skip


def failed_creation(code: int) -> Returned:
    return Returned(None, {"errcode_ret": Output([code], 4)})


CASES: dict[str, tuple[DeviationResult, Consequence | None]] = {
    "a valid call fails": (
        create_deviation(f"{READ}/success", "CL_INVALID_VALUE", Returned(INVALID_VALUE)),
        "correct-programs",
    ),
    "a valid call crashes": (
        create_deviation(f"{READ}/success", "signal SIGSEGV", CRASH, verdict="crashes"),
        "correct-programs",
    ),
    "a query has a wrong value": (
        create_deviation("CL_MEM_SIZE", "other values than CL_MEM_SIZE allows", Returned(0)),
        "correct-programs",
    ),
    "an invalid call is accepted": (
        create_deviation(f"{READ}/CL_INVALID_VALUE/1", "CL_SUCCESS", Returned(0)),
        "incorrect-programs",
    ),
    "an invalid call crashes": (
        create_deviation(f"{READ}/CL_INVALID_VALUE/1", "signal SIGSEGV", CRASH, verdict="crashes"),
        "incorrect-programs",
    ),
    "a failed command is not reported": (create_deviation(FAILED_WAIT, "CL_SUCCESS", Returned(0)), "correct-programs"),
    "a failed command is reported by another code": (
        create_deviation(FAILED_WAIT, "CL_INVALID_VALUE", Returned(INVALID_VALUE)),
        "incorrect-programs",
    ),
    "a valid call crashes after a rejected call": (
        create_deviation(f"{READ}/success", "signal SIGSEGV", Returned(INVALID_VALUE), CRASH, verdict="crashes"),
        "incorrect-programs",
    ),
    "a valid call crashes after a rejected creation": (
        create_deviation(f"{READ}/success", "x", failed_creation(INVALID_VALUE), CRASH, verdict="crashes"),
        "incorrect-programs",
    ),
    "the rejected call may not be needed": (
        create_deviation(f"{READ}/success", "x", Returned(INVALID_VALUE), CRASH, verdict="crashes", minimised=False),
        "correct-programs",
    ),
    "a valid call crashes after a failed build": (
        create_deviation(f"{READ}/success", "x", Returned(BUILD_FAILURE), CRASH, verdict="crashes"),
        "correct-programs",
    ),
    "an output of a rejected call is wrong": (
        create_deviation(EFFECT, f"other values than {EFFECT} allows", failed_creation(INVALID_VALUE)),
        "diagnostics",
    ),
    "a rejected call writes past the end of an output": (
        create_deviation(f"{READ}/success", "ptr overrun", Returned(INVALID_VALUE)),
        "incorrect-programs",
    ),
    "a call crashes that may be invalid": (
        create_deviation(f"{READ}/success", "x", CRASH, verdict="crashes", allowed=("CL_SUCCESS", "CL_INVALID_VALUE")),
        "incorrect-programs",
    ),
    "a call crashes that may only lack resources": (
        create_deviation(
            f"{READ}/success", "x", CRASH, verdict="crashes", allowed=("CL_SUCCESS", "CL_OUT_OF_RESOURCES")
        ),
        "correct-programs",
    ),
    "an object is missing after a failure": (
        create_deviation(LIBRARY, "NULL with an error that comes with an object", failed_creation(DEVICE_NOT_FOUND)),
        "correct-programs",
    ),
    "a deviation that did not repeat": (
        create_deviation(f"{READ}/success", "CL_INVALID_VALUE", Returned(INVALID_VALUE), verdict="flaky"),
        None,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_consequence_follows_from_requirement_and_calls(name: str) -> None:
    deviation, consequence = CASES[name]
    (found,) = with_consequences([deviation], load())
    assert found.consequence == consequence


def test_deviations_that_affect_correct_programs_come_first() -> None:
    (accepted, _), (fails, _), (crash, _) = (
        CASES[name] for name in ("an invalid call is accepted", "a valid call fails", "an invalid call crashes")
    )
    found = with_consequences([accepted, crash, replace(fails, verdict="deviates")], load())
    assert [(each.consequence, each.verdict) for each in found] == [
        ("correct-programs", "deviates"),
        ("incorrect-programs", "crashes"),
        ("incorrect-programs", "deviates"),
    ]


def test_codes_that_correct_programs_meet_are_error_codes_of_the_tables() -> None:
    known = {name for name, each in load().enumerants.items() if each.value < 0}
    assert known >= RUN_TIME_CODES
