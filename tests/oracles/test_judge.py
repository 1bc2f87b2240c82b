"""The judge as a table: calls, their outcomes, and the resulting evidence and deviations by requirement.

The calls are clCreateSubDevices on a device of 16 units that lists every core scheme.
``right``, {equally, 8}: no error condition holds. ``alone``, 17 units in two sub-devices by counts: one condition must
hold. ``open``, {equally, 16}: one condition may hold. ``several``, the same as ``alone`` on a device that does not list
the scheme: two conditions must hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import UNTOUCHED, Absent, Call, Died, FunctionLookup, Hung, Outcome, Output, Returned
from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.oracles.model.devices import Device

from .oracle_setup import COUNTS, EQUALLY, DevicePlan, OracleSetup

if TYPE_CHECKING:
    from clconform.oracles.engine.judgements import Judgement, ObservedDeviation

FUNCTION = "clCreateSubDevices"
SUCCESS = f"{FUNCTION}/success"
VALUES = f"{FUNCTION}/CL_INVALID_VALUE/1"
FAILED = f"{FUNCTION}/CL_DEVICE_PARTITION_FAILED/1"
INVALID_COUNTS = f"{FUNCTION}/CL_INVALID_DEVICE_PARTITION_COUNT/1"
CODES = {
    "CL_SUCCESS": 0,
    "CL_INVALID_VALUE": -30,
    "CL_INVALID_DEVICE": -33,
    "CL_DEVICE_PARTITION_FAILED": -18,
    "CL_INVALID_DEVICE_PARTITION_COUNT": -68,
    "CL_OUT_OF_RESOURCES": -5,
    "CL_OUT_OF_HOST_MEMORY": -6,
    "-12345": -12345,
}
REQUESTS = {
    "right": (EQUALLY, 8, 0),
    "alone": (COUNTS, 8, 9, 0, 0),
    "open": (EQUALLY, 16, 0),
    "several": (COUNTS, 8, 9, 0, 0),
}


def judge_outcome(request: str, outcome: Outcome, *, version: str = "3.0") -> Judgement:
    """Judge an outcome of the named call."""
    world = OracleSetup(DevicePlan(schemes=(EQUALLY,)) if request == "several" else DevicePlan(), version=version)
    expectation = world.expect(FUNCTION, world.device, world.create_list(*REQUESTS[request]), 0, None, OutputBuffer(1))
    return world.oracle.judge(expectation, outcome)


def return_code(name: str, count: int | None = None) -> Returned:
    """Return an outcome with this code, and with a number of sub-devices if one is given."""
    written = Output([UNTOUCHED] if count is None else [count], 0 if count is None else 4)
    return Returned(CODES[name], {"num_devices_ret": written})


@dataclass(frozen=True)
class JudgeCase:
    """One row: the name of the call, its outcome, and the expected evidence and violated requirements."""

    request: str
    outcome: Outcome
    evidence: list[tuple[str, str]]
    violated: list[tuple[str, ...]]
    verdict: str = "deviates"


JUDGE_CASES = {
    "success as promised": JudgeCase(
        "right", return_code("CL_SUCCESS", 2), [(EQUALLY, "conforms"), (SUCCESS, "conforms")], []
    ),
    "success with a wrong number": JudgeCase(
        "right", return_code("CL_SUCCESS", 3), [(EQUALLY, "deviates")], [(EQUALLY,)]
    ),
    "an error where none is allowed": JudgeCase(
        "right", return_code("CL_INVALID_VALUE"), [(SUCCESS, "deviates")], [(SUCCESS,)]
    ),
    "an error that no clause has": JudgeCase("right", return_code("-12345"), [(SUCCESS, "deviates")], [(SUCCESS,)]),
    "no resources where nothing is scarce": JudgeCase(
        "right", return_code("CL_OUT_OF_RESOURCES"), [(SUCCESS, "inconclusive")], []
    ),
    "no memory where nothing is scarce": JudgeCase(
        "right", return_code("CL_OUT_OF_HOST_MEMORY"), [(SUCCESS, "inconclusive")], []
    ),
    "the code of the only must": JudgeCase(
        "alone", return_code("CL_INVALID_DEVICE_PARTITION_COUNT"), [(INVALID_COUNTS, "conforms")], []
    ),
    "the code of a may beside it": JudgeCase("alone", return_code("CL_INVALID_VALUE"), [(INVALID_COUNTS, "weak")], []),
    "success against the only must": JudgeCase(
        "alone", return_code("CL_SUCCESS", 2), [(INVALID_COUNTS, "deviates")], [(INVALID_COUNTS,)]
    ),
    "a wrong code against the only must": JudgeCase(
        "alone", return_code("CL_INVALID_DEVICE"), [(INVALID_COUNTS, "deviates")], [(INVALID_COUNTS,)]
    ),
    "no resources instead of the error": JudgeCase(
        "alone", return_code("CL_OUT_OF_RESOURCES"), [(INVALID_COUNTS, "inconclusive")], []
    ),
    "success where an error is left open": JudgeCase(
        "open", return_code("CL_SUCCESS", 1), [(EQUALLY, "conforms"), (SUCCESS, "conforms")], []
    ),
    "the error that is left open": JudgeCase(
        "open", return_code("CL_DEVICE_PARTITION_FAILED"), [(FAILED, "conforms")], []
    ),
    "a third code where one is left open": JudgeCase(
        "open", return_code("CL_INVALID_DEVICE"), [(SUCCESS, "deviates")], [(SUCCESS,)]
    ),
    "one code of several musts": JudgeCase(
        "several", return_code("CL_INVALID_VALUE"), [(VALUES, "weak"), (INVALID_COUNTS, "weak")], []
    ),
    "success against several musts": JudgeCase(
        "several",
        return_code("CL_SUCCESS", 2),
        [(VALUES, "deviates"), (INVALID_COUNTS, "deviates")],
        [(VALUES, INVALID_COUNTS)],
    ),
    "a wrong code against several musts": JudgeCase(
        "several",
        return_code("CL_INVALID_DEVICE"),
        [(VALUES, "deviates"), (INVALID_COUNTS, "deviates")],
        [(VALUES, INVALID_COUNTS)],
    ),
    "a crash": JudgeCase("right", Died("signal", "SIGSEGV"), [(SUCCESS, "crashes")], [(SUCCESS,)], "crashes"),
    "an abort against a must": JudgeCase(
        "alone", Died("abort", "SIGABRT"), [(INVALID_COUNTS, "crashes")], [(INVALID_COUNTS,)], "crashes"
    ),
    "an exit": JudgeCase("right", Died("exit", "3"), [(SUCCESS, "crashes")], [(SUCCESS,)], "crashes"),
    "killed by the system": JudgeCase("right", Died("killed", "SIGKILL"), [(SUCCESS, "inconclusive")], []),
    "a hang": JudgeCase("alone", Hung(5.0), [(INVALID_COUNTS, "hangs")], [(INVALID_COUNTS,)], "hangs"),
    "a function that is promised and absent": JudgeCase(
        "right", Absent("empty-entry", "nothing there"), [(SUCCESS, "deviates")], [(SUCCESS,)]
    ),
}


@pytest.mark.parametrize("name", JUDGE_CASES)
def test_outcome_gives_the_listed_evidence_and_deviations(name: str) -> None:
    row = JUDGE_CASES[name]
    judgement = judge_outcome(row.request, row.outcome)
    assert sorted(each for each in judgement.evidence if "effect" not in each[0]) == sorted(row.evidence)
    assert [tuple(sorted(deviation.requirements)) for deviation in judgement.deviations] == [
        tuple(sorted(one)) for one in row.violated
    ]
    assert all(deviation.verdict == row.verdict for deviation in judgement.deviations)


def test_hang_names_the_interpretation_of_its_deadline() -> None:
    judgement = judge_outcome("alone", Hung(5.0))
    (deviation,) = judgement.deviations
    assert deviation.confidence == "interpretation"
    assert "not returned after 5 s" in deviation.conditions[INVALID_COUNTS]
    assert "(interpretation: call-timeout)" in deviation.conditions[INVALID_COUNTS]
    assert judgement.interpretations == [("call-timeout", "no answer within 5 s")]
    assert judge_outcome("alone", Died("signal", "SIGSEGV")).interpretations == []


def effect_verdicts(judgement: Judgement) -> set[str]:
    return {kind for requirement, kind in judgement.evidence if "/effect/" in requirement}


def test_effect_requirements_have_the_verdict_of_the_call() -> None:
    assert effect_verdicts(judge_outcome("right", return_code("CL_SUCCESS", 2))) == {"conforms"}
    assert effect_verdicts(judge_outcome("right", return_code("CL_SUCCESS", 3))) == {"deviates"}


def test_absent_function_of_a_later_version_does_not_deviate() -> None:
    judgement = judge_outcome("right", Absent("no-entry", "1.1"), version="1.1")
    assert (judgement.evidence, judgement.deviations) == ([], [])


def judge_absence(function: str, outcome: Absent, version: str) -> Judgement:
    """Judge a call that passes only NULL and zeros to a function that the driver lacks."""
    world = OracleSetup(DevicePlan(), version=version)
    nothing = {
        each.name: 0 if each.base in ("cl_command_queue_properties", "cl_bool") and not each.pointers else None
        for each in world.model.tables.functions[function].parameters
    }
    return world.oracle.judge(world.oracle.expect(Call(function, nothing)), outcome)


EMPTY = Absent("empty-entry", "nothing there", FunctionLookup("table", entry=20))
OLD_LOADER = Absent("no-entry", "an old loader", FunctionLookup("loader", path="libOpenCL.so.1"))
IN_THE_LIBRARY = Absent(
    "no-entry", "the library has it", FunctionLookup("loader", path="libOpenCL.so.1", library="has")
)


@pytest.mark.parametrize(
    ("function", "version", "outcome", "blamed"),
    [
        ("clFlush", "1.0", EMPTY, True),
        ("clFlush", "3.0", EMPTY, True),
        ("clFlush", "3.0", OLD_LOADER, False),
        ("clUnloadCompiler", "1.1", EMPTY, True),
        ("clUnloadCompiler", "1.2", EMPTY, False),
        ("clSetCommandQueueProperty", "1.0", EMPTY, True),
        ("clSetCommandQueueProperty", "3.0", EMPTY, True),
        ("clSetCommandQueueProperty", "3.0", OLD_LOADER, False),
        ("clEnqueueWaitForEvents", "1.2", EMPTY, True),
        ("clCreateImage2D", "2.0", EMPTY, True),
        ("clSetProgramReleaseCallback", "2.2", EMPTY, True),
        ("clSetProgramReleaseCallback", "3.0", EMPTY, True),
        ("clSetProgramReleaseCallback", "2.1", EMPTY, False),
        ("clGetExtensionFunctionAddress", "3.0", EMPTY, False),
        ("clGetHostTimer", "3.0", EMPTY, True),
        ("clGetHostTimer", "3.0", OLD_LOADER, False),
        ("clReleaseDeviceEXT", "3.0", OLD_LOADER, True),
        ("clReleaseDeviceEXT", "1.1", IN_THE_LIBRARY, False),
    ],
)
def test_absent_function_deviates_unless_the_loader_is_old(
    function: str, version: str, outcome: Absent, *, blamed: bool
) -> None:
    assert bool(judge_absence(function, outcome, version).deviations) is blamed


def test_absent_deprecated_function_deviates_by_an_interpretation() -> None:
    """Before, the absence of a function that the platform's version deprecates had no verdict."""
    found = {}
    for function in ("clCreateImage", "clSetCommandQueueProperty", "clEnqueueTask"):
        judgement = judge_absence(function, EMPTY, "3.0")
        found[function] = [each.confidence for each in judgement.deviations], len(judgement.interpretations)
    assert found == {
        "clCreateImage": (["literal"], 0),
        "clSetCommandQueueProperty": (["interpretation"], 1),
        "clEnqueueTask": (["interpretation"], 1),
    }


def test_output_buffer_overrun_deviates_for_any_code() -> None:
    for name in ("CL_SUCCESS", "CL_INVALID_VALUE"):
        outcome = Returned(CODES[name], {"num_devices_ret": Output([2], 4)}, overrun=["num_devices_ret"])
        deviations = judge_outcome("right", outcome).deviations
        assert any(
            "num_devices_ret" in deviation.observed and deviation.requirements == (SUCCESS,) for deviation in deviations
        )


def get_only_deviation(request: str, outcome: Outcome) -> ObservedDeviation:
    (deviation,) = judge_outcome(request, outcome).deviations
    return deviation


def test_deviation_names_allowed_codes_and_violated_conditions() -> None:
    deviation = get_only_deviation("alone", return_code("CL_SUCCESS", 2))
    assert deviation.allowed == ("CL_INVALID_DEVICE_PARTITION_COUNT", "CL_INVALID_VALUE")
    assert deviation.observed == "CL_SUCCESS"
    assert deviation.conditions[INVALID_COUNTS]


def test_deviation_of_absent_function_in_reported_version_has_literal_confidence() -> None:
    assert get_only_deviation("right", Absent("empty-entry", "nothing there")).confidence == "literal"


def test_deviation_by_interpretation_has_confidence_interpretation() -> None:
    assert get_only_deviation("alone", return_code("CL_INVALID_DEVICE")).confidence == "literal"
    world = OracleSetup()
    expectation = world.expect(FUNCTION, world.device, world.create_list(EQUALLY, 0, 0), 0, None, OutputBuffer(1))
    (deviation,) = world.oracle.judge(expectation, return_code("CL_SUCCESS", 1)).deviations
    assert deviation.confidence == "interpretation"


@pytest.mark.parametrize(
    ("value", "written", "observed", "complaint"),
    [
        ("context1", [0], "CL_SUCCESS", ""),
        (None, [-30], "CL_INVALID_VALUE", "an error"),
        (None, [0], "an error", "NULL with CL_SUCCESS"),
        ("context1", [-30], "CL_INVALID_VALUE", "an object with CL_INVALID_VALUE"),
        ("context1", [UNTOUCHED], "CL_SUCCESS", "left as it was"),
        (None, [UNTOUCHED], "an error", "left as it was"),
    ],
)
def test_result_that_contradicts_errcode_ret_deviates(
    value: str | None, written: list[int | str], observed: str, complaint: str
) -> None:
    world = OracleSetup()
    devices = ElementList((world.device,))
    expectation = world.expect("clCreateContext", None, 1, devices, None, None, OutputBuffer(1))
    judgement = world.oracle.judge(expectation, Returned(value, {"errcode_ret": Output(list(written), 4)}))
    assert judgement.observed == observed
    contradictions = [
        deviation.observed
        for deviation in judgement.deviations
        if "errcode" in deviation.observed or " with " in deviation.observed
    ]
    assert bool(contradictions) == (complaint not in ("", "an error"))
    assert all(complaint in text for text in contradictions)
    assert bool(judgement.deviations) == bool(complaint)


def test_result_of_creation_with_null_errcode_ret_is_judged() -> None:
    world = OracleSetup()
    devices = ElementList((world.device,))
    call = ("clCreateContext", None, 1, devices, None, None, None)
    assert not world.oracle.judge(world.expect(*call), Returned("context1")).deviations
    (deviation,) = world.oracle.judge(world.expect(*call), Returned(None)).deviations
    assert deviation.observed == "an error"


def return_devices(*names: str | None) -> Returned:
    return Returned(0, {"out_devices": Output(list(names), 8 * len(names)), "num_devices_ret": Output([2], 4)})


@pytest.mark.parametrize(
    ("names", "complaint"),
    [
        (("device8", "device9"), ""),
        (("device8", "device8"), "device8"),
        (("device8", None), "NULL"),
        (("device8", UNTOUCHED), UNTOUCHED),
        (("device1", "device9"), "living object"),
    ],
)
def test_null_or_existing_or_repeated_handle_of_created_device_deviates(
    names: tuple[str | None, ...], complaint: str
) -> None:
    world = OracleSetup()
    expectation = world.expect(
        FUNCTION, world.device, world.create_list(EQUALLY, 8, 0), 2, OutputBuffer(2), OutputBuffer(1)
    )
    judgement = world.oracle.judge(expectation, return_devices(*names))
    assert bool(judgement.deviations) == bool(complaint)
    assert any(complaint in deviation.observed for deviation in judgement.deviations) or not complaint


def test_devices_of_unexpected_success_are_added_to_the_model() -> None:
    world = OracleSetup()
    expectation = world.expect(
        FUNCTION, world.device, world.create_list(COUNTS, 8, 9, 0, 0), 2, OutputBuffer(2), OutputBuffer(1)
    )
    assert world.oracle.judge(expectation, return_devices("device8", "device9")).deviations
    taken = [world.model.objects[name] for name in ("device8", "device9")]
    assert all(isinstance(thing, Device) and thing.tainted and thing.parent is world.roots[0] for thing in taken)
    again = world.expect("clReleaseDevice", Handle("device8"))
    assert again.allowed_codes == ["CL_SUCCESS", "CL_INVALID_DEVICE"], "the device may be invalid"
    world.oracle.judge(again, Returned(0))
    assert "device8" not in world.model.objects


def test_devices_of_expected_success_are_added_to_the_model() -> None:
    world = OracleSetup()
    expectation = world.expect(
        FUNCTION, world.device, world.create_list(EQUALLY, 8, 0), 2, OutputBuffer(2), OutputBuffer(1)
    )
    assert not world.oracle.judge(expectation, return_devices("device8", "device9")).deviations
    made_device = world.model.device(Handle("device8"))
    assert made_device.parent is world.roots[0]
    assert made_device.partition is not None
    assert made_device.partition.unassigned_sizes == [8, 8]
    assert world.roots[0].children == 2


def test_unexpected_error_of_partition_adds_no_devices_to_the_model() -> None:
    world = OracleSetup()
    before = set(world.model.objects)
    expectation = world.expect(
        FUNCTION, world.device, world.create_list(EQUALLY, 8, 0), 2, OutputBuffer(2), OutputBuffer(1)
    )
    world.oracle.judge(expectation, Returned(-30, {"out_devices": Output(["device8", "device9"], 16)}))
    assert set(world.model.objects) == before
