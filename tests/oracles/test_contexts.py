"""Contexts: error conditions of property lists, devices and types, and queries of creation arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Output, Returned
from clconform.calls.values import Data, ElementList, Handle, HostCallback, OutputBuffer

from .oracle_setup import DevicePlan, OracleSetup, get_condition_ids, map_ids

if TYPE_CHECKING:
    from clconform.oracles.model.contexts import Context

CREATE, CREATE_BY_TYPE, TERMINATE = "clCreateContext", "clCreateContextFromType", "clTerminateContextKHR"
PLATFORM, SYNC = "CL_CONTEXT_PLATFORM", "CL_CONTEXT_INTEROP_USER_SYNC"
TERMINABLE, INITIALIZE = "CL_CONTEXT_TERMINATE_KHR", "CL_CONTEXT_MEMORY_INITIALIZE_KHR"
EXTENSIONS = "cl_khr_terminate_context cl_khr_initialize_memory"
CAPABILITY = "CL_DEVICE_TERMINATE_CAPABILITY_KHR"
PROPERTY_ERROR, PROPERTY_ERROR_BY_TYPE = (
    "clCreateContext/CL_INVALID_PROPERTY/1",
    "clCreateContextFromType/CL_INVALID_PROPERTY/1",
)
NOT_FOUND, INVALID_TYPE = (
    "clCreateContextFromType/CL_DEVICE_NOT_FOUND/1",
    "clCreateContextFromType/CL_INVALID_DEVICE_TYPE/1",
)
INVALID_PLATFORM = "clCreateContextFromType/CL_INVALID_PLATFORM/1"
CPU, GPU, CUSTOM, DEFAULT, ALL = (f"CL_DEVICE_TYPE_{name}" for name in ("CPU", "GPU", "CUSTOM", "DEFAULT", "ALL"))


def set_up_devices(*types: str, version: str = "3.0", extensions: str = EXTENSIONS) -> OracleSetup:
    """Return a model with a device of each type, all of which support termination."""
    made = OracleSetup(*(DevicePlan() for _ in types or (CPU,)), version=version, extensions=extensions)
    for device, name in zip(made.roots, types or (CPU,), strict=True):
        device.facts |= {"CL_DEVICE_TYPE": made.value(name), CAPABILITY: 1}
    return made


def build_properties(of: OracleSetup, *elements: str | int) -> ElementList:
    """Return a property list with the platform, followed by these properties."""
    return ElementList((of.value(PLATFORM), Handle("platform1"), *map(of.value, elements), 0))


def expect_creation(
    of: OracleSetup, properties: ElementList | None, *devices: Handle, **others: object
) -> tuple[str, str]:
    """Return the error conditions that must and may hold for the creation of a context with these properties."""
    chosen = devices or (of.device,)
    notify, data = others.get("notify"), others.get("data")
    return get_condition_ids(
        of.expect(CREATE, properties, len(chosen), ElementList(chosen), notify, data, OutputBuffer(1))
    )


@pytest.mark.parametrize(
    ("elements", "musts", "mays"),
    [
        ((), "", ""),
        ((SYNC, 0), "", ""),
        ((SYNC, 1), "", ""),
        ((SYNC, 2), "", PROPERTY_ERROR),
        ((SYNC, -1), "", PROPERTY_ERROR),
        ((SYNC, 1, SYNC, 1), PROPERTY_ERROR, ""),
        ((SYNC, 1, SYNC, 0), PROPERTY_ERROR, ""),
        ((SYNC, 2, 0x7777, 0), PROPERTY_ERROR, ""),
        ((0x7777, 0), PROPERTY_ERROR, ""),
        (("CL_QUEUE_SIZE", 1), PROPERTY_ERROR, ""),
        ((TERMINABLE, 0), "", ""),
        ((TERMINABLE, 1), "", ""),
        ((INITIALIZE, 0), "", ""),
        ((INITIALIZE, 3), "", ""),
        ((INITIALIZE, 4), PROPERTY_ERROR, ""),
        ((INITIALIZE, 1 << 63 | 1), PROPERTY_ERROR, ""),
        (("CL_GL_CONTEXT_KHR", 0), "", PROPERTY_ERROR),
    ],
)
def test_invalid_context_property_lists_are_rejected(elements: tuple[str | int, ...], musts: str, mays: str) -> None:
    of = set_up_devices()
    assert expect_creation(of, build_properties(of, *elements)) == (musts, mays)
    kind = of.value(CPU)
    by_type = {PROPERTY_ERROR: PROPERTY_ERROR_BY_TYPE}
    expected = (map_ids(musts, by_type), map_ids(mays, by_type))
    assert (
        get_condition_ids(of.expect(CREATE_BY_TYPE, build_properties(of, *elements), kind, None, None, OutputBuffer(1)))
        == expected
    )


@pytest.mark.parametrize("name", [TERMINABLE, INITIALIZE])
def test_context_property_of_missing_extension_may_be_rejected(name: str) -> None:
    of = set_up_devices(extensions="")
    assert expect_creation(of, build_properties(of, name, 1)) == ("", PROPERTY_ERROR)


@pytest.mark.parametrize(
    ("elements", "open_"),
    [
        ((SYNC, 0), False),
        (("CL_GL_CONTEXT_KHR", 0), False),
        ((SYNC, 0, "CL_GL_CONTEXT_KHR", 0), True),
        (("CL_WGL_HDC_KHR", 0, SYNC, 1), True),
    ],
)
def test_user_sync_property_with_gl_sharing_may_be_rejected(elements: tuple[str | int, ...], *, open_: bool) -> None:
    of = set_up_devices(extensions="cl_khr_gl_sharing")
    musts, mays = expect_creation(of, build_properties(of, *elements))
    assert (musts, "clCreateContext/CL_INVALID_PROPERTY/2" in mays.split()) == ("", open_)
    kind = of.value(CPU)
    musts, mays = get_condition_ids(
        of.expect(CREATE_BY_TYPE, build_properties(of, *elements), kind, None, None, OutputBuffer(1))
    )
    assert (musts, "clCreateContextFromType/CL_INVALID_PROPERTY/2" in mays.split()) == ("", open_)


def test_context_property_of_later_version_may_be_rejected() -> None:
    of = set_up_devices(version="1.1")
    assert expect_creation(of, build_properties(of, SYNC, 1)) == ("", PROPERTY_ERROR)


def test_invalid_context_property_is_not_rejected_before_1_1() -> None:
    of = set_up_devices(version="1.0")
    assert expect_creation(of, build_properties(of, 0x7777, 1)) == ("", "")


@pytest.mark.parametrize(
    "properties",
    [None, ElementList((0,)), ElementList((None,)), ElementList((0, 1, 0)), ElementList((0, 0x7777, 1, 0))],
)
def test_null_and_empty_context_property_lists_are_valid(properties: ElementList | None) -> None:
    assert expect_creation(set_up_devices(), properties) == ("", "")


@pytest.mark.parametrize("values", [(), (4229,), (4229, 1), (4228, Handle("platform1")), (4229, 1, 4229)])
def test_context_creation_with_unterminated_list_is_undefined(values: tuple[int | Handle, ...]) -> None:
    of = set_up_devices()
    assert of.expect(CREATE, ElementList(values), 1, ElementList((of.device,)), None, None, OutputBuffer(1)).undefined


@pytest.mark.parametrize("values", [(4228, 77, 0), (4228, Handle("platform7"), 0), (8200, 4096, 0)])
def test_context_creation_with_invalid_pointer_in_list_is_undefined(values: tuple[int | Handle, ...]) -> None:
    of = set_up_devices()
    assert of.expect(CREATE, ElementList(values), 1, ElementList((of.device,)), None, None, OutputBuffer(1)).undefined


@pytest.mark.parametrize(
    ("function", "mays"),
    [
        (CREATE, ("clCreateContext/CL_INVALID_PLATFORM/1", PROPERTY_ERROR)),
        (CREATE_BY_TYPE, (INVALID_PLATFORM, PROPERTY_ERROR_BY_TYPE)),
    ],
)
@pytest.mark.parametrize(("value", "left_open"), [(None, False), (0, False), (Handle("device1"), True)])
def test_context_creation_with_null_platform_is_rejected(
    function: str, mays: tuple[str, str], value: int | Handle | None, *, left_open: bool
) -> None:
    """A handle of another type is unspecified. NULL is an error, with either code."""
    of = set_up_devices()
    properties = ElementList((of.value(PLATFORM), value, 0))
    what = (1, ElementList((of.device,))) if function == CREATE else (of.value(CPU),)
    expectation = of.expect(function, properties, *what, None, None, OutputBuffer(1))
    held = expectation.optional_errors if left_open else expectation.required_errors
    assert set(mays) <= {each.clause.id for each in held}
    assert bool(expectation.required_errors) is not left_open
    assert bool(expectation.implementation_defined) is left_open
    assert all(each.interpretation == "null-platform-in-a-list" for each in expectation.required_errors)
    right = ElementList((of.value(PLATFORM), Handle("platform1"), 0))
    assert get_condition_ids(of.expect(function, right, *what, None, None, OutputBuffer(1))) == ("", "")


def test_context_creation_with_invalid_device_list_is_rejected() -> None:
    of = set_up_devices(CPU, GPU)
    first, second = of.device, Handle("device2")
    no_device = "clCreateContext/CL_INVALID_DEVICE/1"
    assert expect_creation(of, None, first, second) == ("", "")
    assert expect_creation(of, None, first, first) == ("", "")
    of.roots[1].facts["CL_DEVICE_AVAILABLE"] = 0
    assert expect_creation(of, None, first, second) == ("clCreateContext/CL_DEVICE_NOT_AVAILABLE/1", "")
    assert expect_creation(of, None, first) == ("", "")
    assert get_condition_ids(of.expect(CREATE, None, 0, ElementList((first,)), None, None, OutputBuffer(1))) == (
        "clCreateContext/CL_INVALID_VALUE/2",
        "",
    )
    assert get_condition_ids(of.expect(CREATE, None, 1, None, None, None, OutputBuffer(1))) == (
        "clCreateContext/CL_INVALID_VALUE/1",
        "",
    )
    assert get_condition_ids(of.expect(CREATE, None, 2, ElementList((first, None)), None, None, OutputBuffer(1))) == (
        no_device,
        "",
    )


def test_context_creation_with_user_data_but_no_callback_is_rejected() -> None:
    of = set_up_devices()
    assert expect_creation(of, None, data=1) == ("clCreateContext/CL_INVALID_VALUE/3", "")
    assert expect_creation(of, None, notify=HostCallback("an error"), data=1) == ("", "")
    assert expect_creation(of, None, notify=HostCallback("an error")) == ("", "")


@pytest.mark.parametrize(
    ("types", "wanted", "musts", "mays"),
    [
        ((CPU,), CPU, "", ""),
        ((CPU,), GPU, NOT_FOUND, ""),
        ((CPU,), ALL, "", ""),
        ((CPU,), DEFAULT, "", ""),
        ((CPU,), CUSTOM, "", NOT_FOUND),
        ((CPU,), 0, INVALID_TYPE, NOT_FOUND),
        ((CPU,), 1 << 20, INVALID_TYPE, NOT_FOUND),
        ((CPU,), 1 << 20 | 2, "", f"{NOT_FOUND} {INVALID_TYPE}"),
    ],
)
def test_invalid_or_missing_device_types_are_rejected(
    types: tuple[str, ...], wanted: str | int, musts: str, mays: str
) -> None:
    of = set_up_devices(*types)
    assert get_condition_ids(
        of.expect(CREATE_BY_TYPE, build_properties(of), of.value(wanted), None, None, OutputBuffer(1))
    ) == (musts, mays)


@pytest.mark.parametrize(
    ("away", "wanted", "musts"),
    [
        ((1,), GPU, "clCreateContextFromType/CL_DEVICE_NOT_AVAILABLE/1"),
        ((1,), CPU, ""),
        ((1,), ALL, ""),
        ((0, 1), ALL, "clCreateContextFromType/CL_DEVICE_NOT_AVAILABLE/1"),
    ],
)
def test_context_creation_by_type_without_such_device_is_rejected(
    away: tuple[int, ...], wanted: str, musts: str
) -> None:
    of = set_up_devices(CPU, GPU)
    for number in away:
        of.roots[number].facts["CL_DEVICE_AVAILABLE"] = 0
    assert get_condition_ids(
        of.expect(CREATE_BY_TYPE, build_properties(of), of.value(wanted), None, None, OutputBuffer(1))
    ) == (musts, "")


def test_context_creation_by_type_without_platform_may_fail() -> None:
    of = set_up_devices()
    musts, mays = get_condition_ids(of.expect(CREATE_BY_TYPE, None, of.value(GPU), None, None, OutputBuffer(1)))
    assert musts == ""
    assert {NOT_FOUND, INVALID_PLATFORM} <= set(mays.split())


def test_terminate_property_is_rejected_unless_all_devices_support_it() -> None:
    of = set_up_devices(CPU, GPU)
    first, second = of.device, Handle("device2")
    of.roots[1].facts[CAPABILITY] = 0
    terminable = build_properties(of, TERMINABLE, 1)
    assert expect_creation(of, terminable, first) == ("", "")
    assert expect_creation(of, terminable, first, second) == ("clCreateContext/CL_INVALID_PROPERTY/3", "")
    assert expect_creation(of, build_properties(of, TERMINABLE, 0), first, second) == ("", "")


def create_context(of: OracleSetup, *arguments: object, function: str = CREATE) -> Context:
    """Create a context and return it."""
    expectation = of.expect(function, *arguments)
    of.oracle.judge(expectation, Returned("context1", {"errcode_ret": Output([0], 4)}))
    return of.model.context(Handle("context1"))


def test_second_termination_of_a_context_is_rejected() -> None:
    of = set_up_devices()
    context = create_context(
        of, build_properties(of, TERMINABLE, 1), 1, ElementList((of.device,)), None, None, OutputBuffer(1)
    )
    expectation = of.expect(TERMINATE, Handle("context1"))
    assert get_condition_ids(expectation) == ("", "")
    of.oracle.judge(expectation, Returned(0))
    assert get_condition_ids(of.expect(TERMINATE, Handle("context1"))) == (
        "clTerminateContextKHR/CL_CONTEXT_TERMINATED_KHR/1",
        "",
    )
    context.terminated = False
    of.oracle.judge(of.expect(TERMINATE, Handle("context1")), Returned(-9999))
    assert get_condition_ids(of.expect(TERMINATE, Handle("context1"))) == (
        "",
        "clTerminateContextKHR/CL_CONTEXT_TERMINATED_KHR/1",
    )
    context.terminated = context.terminable = False
    assert get_condition_ids(of.expect(TERMINATE, Handle("context1"))) == (
        "clTerminateContextKHR/CL_INVALID_OPERATION/1",
        "",
    )
    assert get_condition_ids(of.expect(TERMINATE, None)) == ("clTerminateContextKHR/CL_INVALID_CONTEXT/1", "")


def judge_query(of: OracleSetup, query: str, *answer: int | str) -> dict[str, str]:
    """Return the evidence that a context query gives if it returns ``answer``: maps requirements to verdicts."""
    call = of.call("clGetContextInfo", Handle("context1"), of.value(query), 64, OutputBuffer(64), OutputBuffer(1))
    size = 4 if query.endswith("NUM_DEVICES") else 8 * len(answer)
    outputs = {"param_value": Output(list(answer), size), "param_value_size_ret": Output([size], 8)}
    return dict(of.oracle.judge(of.oracle.expect(call), Returned(0, outputs)).evidence)


def test_context_query_lists_a_duplicate_device_once() -> None:
    of = set_up_devices(CPU, GPU)
    create_context(of, None, 3, ElementList((of.device, Handle("device2"), of.device)), None, None, OutputBuffer(1))
    assert judge_query(of, "CL_CONTEXT_NUM_DEVICES", 2)["CL_CONTEXT_NUM_DEVICES"] == "conforms"
    assert judge_query(of, "CL_CONTEXT_NUM_DEVICES", 3)["CL_CONTEXT_NUM_DEVICES"] == "deviates"
    assert judge_query(of, "CL_CONTEXT_DEVICES", "device2", "device1")["clCreateContext/effect/4"] == "conforms"


def test_context_creation_ignores_devices_past_num_devices() -> None:
    of = set_up_devices(CPU, GPU)
    of.roots[1].facts["CL_DEVICE_AVAILABLE"] = 0
    create_context(of, None, 1, ElementList((of.device, Handle("device2"))), None, None, OutputBuffer(1))
    assert judge_query(of, "CL_CONTEXT_NUM_DEVICES", 1)["CL_CONTEXT_NUM_DEVICES"] == "conforms"
    assert judge_query(of, "CL_CONTEXT_NUM_DEVICES", 2)["CL_CONTEXT_NUM_DEVICES"] == "deviates"
    assert expect_creation(of, None, of.device, Handle("device2")) == ("clCreateContext/CL_DEVICE_NOT_AVAILABLE/1", "")
    assert get_condition_ids(
        of.expect(CREATE, None, 1, ElementList((of.device, Handle("device2"))), None, None, OutputBuffer(1))
    ) == (
        "",
        "",
    )


def test_wrong_device_list_or_count_is_no_evidence_about_the_other_query() -> None:
    for first, second in (
        (("CL_CONTEXT_DEVICES", "device1", "device1"), ("CL_CONTEXT_NUM_DEVICES", 1)),
        (("CL_CONTEXT_NUM_DEVICES", 9), ("CL_CONTEXT_DEVICES", "device1")),
    ):
        of = set_up_devices(CPU, GPU, CPU)
        create_context(of, build_properties(of), of.value(CPU), None, None, OutputBuffer(1), function=CREATE_BY_TYPE)
        assert judge_query(of, *first)[first[0]] == "deviates"
        assert judge_query(of, *second)[second[0]] == "conforms"


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [(("device1",), "conforms"), (("device1", "device3"), "conforms"), (("device2",), "deviates"), ((), "deviates")],
)
def test_context_created_by_type_reports_devices_of_that_type(answer: tuple[str, ...], verdict: str) -> None:
    of = set_up_devices(CPU, GPU, CPU)
    create_context(of, build_properties(of), of.value(CPU), None, None, OutputBuffer(1), function=CREATE_BY_TYPE)
    told = judge_query(of, "CL_CONTEXT_DEVICES", *answer)
    assert told["CL_CONTEXT_DEVICES"] == verdict
    if answer:
        assert told["clCreateContextFromType/effect/1"] == verdict


def test_context_query_returns_the_creation_property_list() -> None:
    of = set_up_devices()
    create_context(of, build_properties(of, SYNC, 1), 1, ElementList((of.device,)), None, None, OutputBuffer(1))
    whole = (of.value(PLATFORM), "platform1", of.value(SYNC), 1, 0)
    assert judge_query(of, "CL_CONTEXT_PROPERTIES", *whole)["CL_CONTEXT_PROPERTIES/effect/1"] == "conforms"
    of = set_up_devices()
    create_context(of, build_properties(of, SYNC, 1), 1, ElementList((of.device,)), None, None, OutputBuffer(1))
    assert judge_query(of, "CL_CONTEXT_PROPERTIES", *whole[:2], 0)["CL_CONTEXT_PROPERTIES/effect/1"] == "deviates"


@pytest.mark.parametrize(("version", "verdict"), [("2.2", "conforms"), ("3.0", "deviates")])
def test_empty_property_query_may_return_zero_before_3_0(version: str, verdict: str) -> None:
    of = set_up_devices()
    platform = next(iter(of.model.platforms.values()))
    platform.facts["CL_PLATFORM_VERSION"] = f"OpenCL {version} "
    platform.refresh()
    create_context(of, None, 1, ElementList((of.device,)), None, None, OutputBuffer(1))
    assert judge_query(of, "CL_CONTEXT_PROPERTIES", 0)["CL_CONTEXT_PROPERTIES"] == verdict


CREATION_FAILS, USE_FAILS = "clTerminateContextKHR/effect/15", "clTerminateContextKHR/effect/13"
CONTEXT, QUEUE, BUFFER, EVENT = Handle("context1"), Handle("queue1"), Handle("mem1"), Handle("event1")
CREATING_CALLS: dict[str, tuple[object, ...]] = {
    "clCreateBuffer": (CONTEXT, 1, 64, None, OutputBuffer(1)),
    "clCreateUserEvent": (CONTEXT, OutputBuffer(1)),
    "clEnqueueMarkerWithWaitList": (QUEUE, 0, None, None),
    "clEnqueueFillBuffer": (QUEUE, BUFFER, Data(b"x"), 1, 0, 64, 0, None, None),
    "clEnqueueReadBuffer": (QUEUE, BUFFER, 1, 0, 64, OutputBuffer(64), 0, None, None),
}


def set_up_terminated_context() -> OracleSetup:
    """Return a model with a terminated context that has a queue, a buffer and the event of a command."""
    of = set_up_devices()
    create_context(of, build_properties(of, TERMINABLE, 1), 1, ElementList((of.device,)), None, None, OutputBuffer(1))
    for answer, function, *arguments in (
        ("queue1", "clCreateCommandQueue", CONTEXT, of.device, of.value("CL_QUEUE_PROFILING_ENABLE"), None),
        ("mem1", "clCreateBuffer", CONTEXT, 1, 64, None, None),
    ):
        of.oracle.judge(of.expect(function, *arguments), Returned(answer))
    fill = of.expect("clEnqueueFillBuffer", QUEUE, BUFFER, Data(b"x"), 1, 0, 64, 0, None, OutputBuffer(1))
    of.oracle.judge(fill, Returned(0, {"event": Output(["event1"], 8)}))
    of.oracle.judge(of.expect(TERMINATE, CONTEXT), Returned(0))
    return of


@pytest.mark.parametrize("function", CREATING_CALLS)
def test_creation_in_terminated_context_fails(function: str) -> None:
    of = set_up_terminated_context()
    expectation = of.expect(function, *CREATING_CALLS[function])
    assert CREATION_FAILS in get_condition_ids(expectation)[0].split()
    assert "CL_CONTEXT_TERMINATED_KHR" in expectation.allowed_codes
    errcode = {"errcode_ret": Output([-1121], 4)} if function.startswith("clCreate") else {}
    failed = of.oracle.judge(expectation, Returned(None if errcode else -1121, errcode))
    assert (CREATION_FAILS, "conforms") in failed.evidence
    assert not failed.deviations


def test_successful_enqueue_in_terminated_context_deviates() -> None:
    of = set_up_terminated_context()
    judgement = of.oracle.judge(of.expect("clEnqueueMarkerWithWaitList", QUEUE, 0, None, None), Returned(0))
    assert [deviation.requirements for deviation in judgement.deviations] == [(CREATION_FAILS,)]


def test_call_with_terminated_context_argument_fails() -> None:
    of = set_up_terminated_context()
    assert (
        get_condition_ids(of.expect("clSetContextDestructorCallback", CONTEXT, HostCallback("told"), None))[0]
        == USE_FAILS
    )


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("clFinish", (QUEUE,)),
        ("clFlush", (QUEUE,)),
        ("clWaitForEvents", (1, ElementList((EVENT,)))),
    ],
)
def test_calls_on_objects_of_terminated_context_may_fail(function: str, arguments: tuple[object, ...]) -> None:
    of = set_up_terminated_context()
    musts, mays = get_condition_ids(of.expect(function, *arguments))
    assert musts == ""
    assert USE_FAILS in mays.split()
    assert not of.oracle.judge(of.expect(function, *arguments), Returned(-1121)).evidence


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("clRetainContext", (CONTEXT,)),
        ("clReleaseMemObject", (BUFFER,)),
        ("clSetEventCallback", (EVENT, 0, HostCallback("told"), None)),
        ("clSetMemObjectDestructorCallback", (BUFFER, HostCallback("told"), None)),
    ],
)
def test_retain_release_and_callbacks_are_unaffected_by_termination(
    function: str, arguments: tuple[object, ...]
) -> None:
    of = set_up_terminated_context()
    found = " ".join(get_condition_ids(of.expect(function, *arguments)))
    assert CREATION_FAILS not in found
    assert USE_FAILS not in found


@pytest.mark.parametrize(("status", "wrong"), [(-1121, False), (0, False), (4, True)])
def test_command_status_after_termination_is_complete_or_an_error(status: int, *, wrong: bool) -> None:
    of = set_up_terminated_context()
    name = of.value("CL_EVENT_COMMAND_EXECUTION_STATUS")
    asked = of.expect("clGetEventInfo", EVENT, name, 4, OutputBuffer(4), None)
    assert bool(of.oracle.judge(asked, Returned(0, {"param_value": Output([status], 4)})).deviations) == wrong


def test_profiling_query_may_fail_after_termination() -> None:
    of = set_up_terminated_context()
    name = of.value("CL_PROFILING_COMMAND_END")
    _, mays = get_condition_ids(of.expect("clGetEventProfilingInfo", EVENT, name, 8, OutputBuffer(8), None))
    assert "clGetEventProfilingInfo/CL_PROFILING_INFO_NOT_AVAILABLE/1" in mays.split()


def test_terminable_context_behaves_as_usual_before_termination() -> None:
    of = set_up_devices()
    create_context(of, build_properties(of, TERMINABLE, 1), 1, ElementList((of.device,)), None, None, OutputBuffer(1))
    assert get_condition_ids(of.expect("clCreateUserEvent", CONTEXT, OutputBuffer(1))) == ("", "")
