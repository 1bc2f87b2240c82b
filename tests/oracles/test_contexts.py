"""Contexts: error conditions of property lists, devices and types, and queries of creation arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Output, Returned
from clconform.calls.values import Data, ElementList, Handle, HostCallback, OutputBuffer

from .worlds import Plan, World, clauses, of_function

if TYPE_CHECKING:
    from clconform.oracles.model.contexts import Context

MAKE, BY_TYPE, TERMINATE = "clCreateContext", "clCreateContextFromType", "clTerminateContextKHR"
PLATFORM, SYNC = "CL_CONTEXT_PLATFORM", "CL_CONTEXT_INTEROP_USER_SYNC"
TERMINABLE, INITIALIZE = "CL_CONTEXT_TERMINATE_KHR", "CL_CONTEXT_MEMORY_INITIALIZE_KHR"
BOTH = "cl_khr_terminate_context cl_khr_initialize_memory"
CAPABILITY = "CL_DEVICE_TERMINATE_CAPABILITY_KHR"
PROPERTY, PROPERTY_BY_TYPE = "clCreateContext/CL_INVALID_PROPERTY/1", "clCreateContextFromType/CL_INVALID_PROPERTY/1"
NOT_FOUND, NO_TYPE = (
    "clCreateContextFromType/CL_DEVICE_NOT_FOUND/1",
    "clCreateContextFromType/CL_INVALID_DEVICE_TYPE/1",
)
NO_PLATFORM = "clCreateContextFromType/CL_INVALID_PLATFORM/1"
CPU, GPU, CUSTOM, DEFAULT, ALL = (f"CL_DEVICE_TYPE_{name}" for name in ("CPU", "GPU", "CUSTOM", "DEFAULT", "ALL"))


def world(*types: str, version: str = "3.0", extensions: str = BOTH) -> World:
    """Return a model with a device of each type, all of which support termination."""
    made = World(*(Plan() for _ in types or (CPU,)), version=version, extensions=extensions)
    for device, name in zip(made.roots, types or (CPU,), strict=True):
        device.facts |= {"CL_DEVICE_TYPE": made.value(name), CAPABILITY: 1}
    return made


def listed(of: World, *elements: str | int) -> ElementList:
    """Return a property list with the platform, followed by these properties."""
    return ElementList((of.value(PLATFORM), Handle("platform1"), *map(of.value, elements), 0))


def made_with(of: World, properties: ElementList | None, *devices: Handle, **others: object) -> tuple[str, str]:
    """Return the error conditions that must and may hold for the creation of a context with these properties."""
    chosen = devices or (of.device,)
    notify, data = others.get("notify"), others.get("data")
    return clauses(of.expect(MAKE, properties, len(chosen), ElementList(chosen), notify, data, OutputBuffer(1)))


@pytest.mark.parametrize(
    ("elements", "musts", "mays"),
    [
        ((), "", ""),
        ((SYNC, 0), "", ""),
        ((SYNC, 1), "", ""),
        ((SYNC, 2), "", PROPERTY),
        ((SYNC, 1, SYNC, 1), PROPERTY, ""),
        ((SYNC, 1, SYNC, 0), PROPERTY, ""),
        ((SYNC, 2, 0x7777, 0), PROPERTY, ""),
        ((0x7777, 0), PROPERTY, ""),
        (("CL_QUEUE_SIZE", 1), PROPERTY, ""),
        ((TERMINABLE, 0), "", ""),
        ((TERMINABLE, 1), "", ""),
        ((INITIALIZE, 0), "", ""),
        ((INITIALIZE, 3), "", ""),
        ((INITIALIZE, 4), PROPERTY, ""),
        ((INITIALIZE, 1 << 63 | 1), PROPERTY, ""),
        (("CL_GL_CONTEXT_KHR", 0), "", PROPERTY),
    ],
)
def test_lists_of_properties(elements: tuple[str | int, ...], musts: str, mays: str) -> None:
    of = world()
    assert made_with(of, listed(of, *elements)) == (musts, mays)
    kind = of.value(CPU)
    by_type = {PROPERTY: PROPERTY_BY_TYPE}
    expected = (of_function(musts, by_type), of_function(mays, by_type))
    assert clauses(of.expect(BY_TYPE, listed(of, *elements), kind, None, None, OutputBuffer(1))) == expected


@pytest.mark.parametrize("name", [TERMINABLE, INITIALIZE])
def test_a_property_of_an_extension_that_is_not_there_may_be_refused(name: str) -> None:
    of = world(extensions="")
    assert made_with(of, listed(of, name, 1)) == ("", PROPERTY)


@pytest.mark.parametrize(
    ("elements", "open_"),
    [
        ((SYNC, 0), False),
        (("CL_GL_CONTEXT_KHR", 0), False),
        ((SYNC, 0, "CL_GL_CONTEXT_KHR", 0), True),
        (("CL_WGL_HDC_KHR", 0, SYNC, 1), True),
    ],
)
def test_who_synchronizes_need_not_be_taken_beside_sharing_with_opengl(
    elements: tuple[str | int, ...], *, open_: bool
) -> None:
    of = world(extensions="cl_khr_gl_sharing")
    musts, mays = made_with(of, listed(of, *elements))
    assert (musts, "clCreateContext/CL_INVALID_PROPERTY/2" in mays.split()) == ("", open_)
    kind = of.value(CPU)
    musts, mays = clauses(of.expect(BY_TYPE, listed(of, *elements), kind, None, None, OutputBuffer(1)))
    assert (musts, "clCreateContextFromType/CL_INVALID_PROPERTY/2" in mays.split()) == ("", open_)


def test_a_property_of_a_later_version_may_be_refused() -> None:
    of = world(version="1.1")
    assert made_with(of, listed(of, SYNC, 1)) == ("", PROPERTY)


def test_the_clause_about_properties_came_with_1_1() -> None:
    of = world(version="1.0")
    assert made_with(of, listed(of, 0x7777, 1)) == ("", "")


@pytest.mark.parametrize(
    "properties",
    [None, ElementList((0,)), ElementList((None,)), ElementList((0, 1, 0)), ElementList((0, 0x7777, 1, 0))],
)
def test_no_list_and_one_that_ends_at_once_are_right(properties: ElementList | None) -> None:
    assert made_with(world(), properties) == ("", "")


@pytest.mark.parametrize("values", [(), (4229,), (4229, 1), (4228, Handle("platform1")), (4229, 1, 4229)])
def test_a_list_without_an_end_is_never_sent(values: tuple[int | Handle, ...]) -> None:
    of = world()
    assert of.expect(MAKE, ElementList(values), 1, ElementList((of.device,)), None, None, OutputBuffer(1)).undefined


@pytest.mark.parametrize("values", [(4228, 77, 0), (4228, Handle("platform7"), 0), (8200, 4096, 0)])
def test_an_address_that_leads_nowhere_is_never_sent(values: tuple[int | Handle, ...]) -> None:
    of = world()
    assert of.expect(MAKE, ElementList(values), 1, ElementList((of.device,)), None, None, OutputBuffer(1)).undefined


@pytest.mark.parametrize(
    ("function", "mays"),
    [(MAKE, ("clCreateContext/CL_INVALID_PLATFORM/1", PROPERTY)), (BY_TYPE, (NO_PLATFORM, PROPERTY_BY_TYPE))],
)
@pytest.mark.parametrize(("value", "left_open"), [(None, False), (0, False), (Handle("device1"), True)])
def test_a_platform_that_is_none(
    function: str, mays: tuple[str, str], value: int | Handle | None, *, left_open: bool
) -> None:
    """A handle of another type is unspecified; NULL is an error, with either code."""
    of = world()
    properties = ElementList((of.value(PLATFORM), value, 0))
    what = (1, ElementList((of.device,))) if function == MAKE else (of.value(CPU),)
    expectation = of.expect(function, properties, *what, None, None, OutputBuffer(1))
    held = expectation.mays if left_open else expectation.musts
    assert set(mays) <= {each.clause.id for each in held}
    assert bool(expectation.musts) is not left_open
    assert bool(expectation.implementation_defined) is left_open
    assert all(each.interpretation == "null-platform-in-a-list" for each in expectation.musts)
    right = ElementList((of.value(PLATFORM), Handle("platform1"), 0))
    assert clauses(of.expect(function, right, *what, None, None, OutputBuffer(1))) == ("", "")


def test_devices_of_the_list() -> None:
    of = world(CPU, GPU)
    first, second = of.device, Handle("device2")
    no_device = "clCreateContext/CL_INVALID_DEVICE/1"
    assert made_with(of, None, first, second) == ("", "")
    assert made_with(of, None, first, first) == ("", "")
    of.roots[1].facts["CL_DEVICE_AVAILABLE"] = 0
    assert made_with(of, None, first, second) == ("clCreateContext/CL_DEVICE_NOT_AVAILABLE/1", "")
    assert made_with(of, None, first) == ("", "")
    assert clauses(of.expect(MAKE, None, 0, ElementList((first,)), None, None, OutputBuffer(1))) == (
        "clCreateContext/CL_INVALID_VALUE/2",
        "",
    )
    assert clauses(of.expect(MAKE, None, 1, None, None, None, OutputBuffer(1))) == (
        "clCreateContext/CL_INVALID_VALUE/1",
        "",
    )
    assert clauses(of.expect(MAKE, None, 2, ElementList((first, None)), None, None, OutputBuffer(1))) == (no_device, "")


def test_data_want_a_callback() -> None:
    of = world()
    assert made_with(of, None, data=1) == ("clCreateContext/CL_INVALID_VALUE/3", "")
    assert made_with(of, None, notify=HostCallback("an error"), data=1) == ("", "")
    assert made_with(of, None, notify=HostCallback("an error")) == ("", "")


@pytest.mark.parametrize(
    ("types", "wanted", "musts", "mays"),
    [
        ((CPU,), CPU, "", ""),
        ((CPU,), GPU, NOT_FOUND, ""),
        ((CPU,), ALL, "", ""),
        ((CPU,), DEFAULT, "", ""),
        ((CPU,), CUSTOM, "", NOT_FOUND),
        ((CPU,), 0, NO_TYPE, NOT_FOUND),
        ((CPU,), 1 << 20, NO_TYPE, NOT_FOUND),
        ((CPU,), 1 << 20 | 2, "", f"{NOT_FOUND} {NO_TYPE}"),
    ],
)
def test_types_of_devices(types: tuple[str, ...], wanted: str | int, musts: str, mays: str) -> None:
    of = world(*types)
    assert clauses(of.expect(BY_TYPE, listed(of), of.value(wanted), None, None, OutputBuffer(1))) == (musts, mays)


@pytest.mark.parametrize(
    ("away", "wanted", "musts"),
    [
        ((1,), GPU, "clCreateContextFromType/CL_DEVICE_NOT_AVAILABLE/1"),
        ((1,), CPU, ""),
        ((1,), ALL, ""),
        ((0, 1), ALL, "clCreateContextFromType/CL_DEVICE_NOT_AVAILABLE/1"),
    ],
)
def test_types_of_which_no_device_is_available(away: tuple[int, ...], wanted: str, musts: str) -> None:
    of = world(CPU, GPU)
    for number in away:
        of.roots[number].facts["CL_DEVICE_AVAILABLE"] = 0
    assert clauses(of.expect(BY_TYPE, listed(of), of.value(wanted), None, None, OutputBuffer(1))) == (musts, "")


def test_without_a_platform_the_implementation_chooses_one() -> None:
    of = world()
    musts, mays = clauses(of.expect(BY_TYPE, None, of.value(GPU), None, None, OutputBuffer(1)))
    assert musts == ""
    assert {NOT_FOUND, NO_PLATFORM} <= set(mays.split())


def test_termination_wants_every_device() -> None:
    of = world(CPU, GPU)
    first, second = of.device, Handle("device2")
    of.roots[1].facts[CAPABILITY] = 0
    terminable = listed(of, TERMINABLE, 1)
    assert made_with(of, terminable, first) == ("", "")
    assert made_with(of, terminable, first, second) == ("clCreateContext/CL_INVALID_PROPERTY/3", "")
    assert made_with(of, listed(of, TERMINABLE, 0), first, second) == ("", "")


def made(of: World, *arguments: object, function: str = MAKE) -> Context:
    """Create a context and return it."""
    expectation = of.expect(function, *arguments)
    of.oracle.judge(expectation, Returned("context1", {"errcode_ret": Output([0], 4)}))
    return of.model.context(Handle("context1"))


def test_only_contexts_made_for_it_can_be_terminated_and_only_once() -> None:
    of = world()
    context = made(of, listed(of, TERMINABLE, 1), 1, ElementList((of.device,)), None, None, OutputBuffer(1))
    expectation = of.expect(TERMINATE, Handle("context1"))
    assert clauses(expectation) == ("", "")
    of.oracle.judge(expectation, Returned(0))
    assert clauses(of.expect(TERMINATE, Handle("context1"))) == (
        "clTerminateContextKHR/CL_CONTEXT_TERMINATED_KHR/1",
        "",
    )
    context.terminated = False
    of.oracle.judge(of.expect(TERMINATE, Handle("context1")), Returned(-9999))
    assert clauses(of.expect(TERMINATE, Handle("context1"))) == (
        "",
        "clTerminateContextKHR/CL_CONTEXT_TERMINATED_KHR/1",
    )
    context.terminated = context.terminable = False
    assert clauses(of.expect(TERMINATE, Handle("context1"))) == ("clTerminateContextKHR/CL_INVALID_OPERATION/1", "")
    assert clauses(of.expect(TERMINATE, None)) == ("clTerminateContextKHR/CL_INVALID_CONTEXT/1", "")


def asked(of: World, query: str, *answer: int | str) -> dict[str, str]:
    """Return the evidence of a context query that returned this value, by requirement."""
    call = of.call("clGetContextInfo", Handle("context1"), of.value(query), 64, OutputBuffer(64), OutputBuffer(1))
    size = 4 if query.endswith("NUM_DEVICES") else 8 * len(answer)
    outputs = {"param_value": Output(list(answer), size), "param_value_size_ret": Output([size], 8)}
    return dict(of.oracle.judge(of.oracle.expect(call), Returned(0, outputs)).evidence)


def test_a_device_named_twice_counts_once() -> None:
    of = world(CPU, GPU)
    made(of, None, 3, ElementList((of.device, Handle("device2"), of.device)), None, None, OutputBuffer(1))
    assert asked(of, "CL_CONTEXT_NUM_DEVICES", 2)["CL_CONTEXT_NUM_DEVICES"] == "conforms"
    assert asked(of, "CL_CONTEXT_NUM_DEVICES", 3)["CL_CONTEXT_NUM_DEVICES"] == "deviates"
    assert asked(of, "CL_CONTEXT_DEVICES", "device2", "device1")["clCreateContext/effect/4"] == "conforms"


def test_a_device_after_the_last_one_counts_for_nothing() -> None:
    of = world(CPU, GPU)
    of.roots[1].facts["CL_DEVICE_AVAILABLE"] = 0
    made(of, None, 1, ElementList((of.device, Handle("device2"))), None, None, OutputBuffer(1))
    assert asked(of, "CL_CONTEXT_NUM_DEVICES", 1)["CL_CONTEXT_NUM_DEVICES"] == "conforms"
    assert asked(of, "CL_CONTEXT_NUM_DEVICES", 2)["CL_CONTEXT_NUM_DEVICES"] == "deviates"
    assert made_with(of, None, of.device, Handle("device2")) == ("clCreateContext/CL_DEVICE_NOT_AVAILABLE/1", "")
    assert clauses(
        of.expect(MAKE, None, 1, ElementList((of.device, Handle("device2"))), None, None, OutputBuffer(1))
    ) == (
        "",
        "",
    )


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [(("device1",), "conforms"), (("device1", "device3"), "conforms"), (("device2",), "deviates"), ((), "deviates")],
)
def test_a_context_by_type_holds_devices_of_that_type(answer: tuple[str, ...], verdict: str) -> None:
    of = world(CPU, GPU, CPU)
    made(of, listed(of), of.value(CPU), None, None, OutputBuffer(1), function=BY_TYPE)
    told = asked(of, "CL_CONTEXT_DEVICES", *answer)
    assert told["CL_CONTEXT_DEVICES"] == verdict
    if answer:
        assert told["clCreateContextFromType/effect/1"] == verdict


def test_the_list_is_told_again() -> None:
    of = world()
    made(of, listed(of, SYNC, 1), 1, ElementList((of.device,)), None, None, OutputBuffer(1))
    whole = (of.value(PLATFORM), "platform1", of.value(SYNC), 1, 0)
    assert asked(of, "CL_CONTEXT_PROPERTIES", *whole)["CL_CONTEXT_PROPERTIES/effect/1"] == "conforms"
    of = world()
    made(of, listed(of, SYNC, 1), 1, ElementList((of.device,)), None, None, OutputBuffer(1))
    assert asked(of, "CL_CONTEXT_PROPERTIES", *whole[:2], 0)["CL_CONTEXT_PROPERTIES/effect/1"] == "deviates"


@pytest.mark.parametrize(("version", "verdict"), [("2.2", "conforms"), ("3.0", "deviates")])
def test_a_context_without_a_list_tells_nothing_and_before_3_0_perhaps_the_end_of_one(
    version: str, verdict: str
) -> None:
    of = world()
    platform = next(iter(of.model.platforms.values()))
    platform.facts["CL_PLATFORM_VERSION"] = f"OpenCL {version} "
    platform.refresh()
    made(of, None, 1, ElementList((of.device,)), None, None, OutputBuffer(1))
    assert asked(of, "CL_CONTEXT_PROPERTIES", 0)["CL_CONTEXT_PROPERTIES"] == verdict


NOTHING_NEW, NO_USE = "clTerminateContextKHR/effect/15", "clTerminateContextKHR/effect/13"
CONTEXT, QUEUE, BUFFER, EVENT = Handle("context1"), Handle("queue1"), Handle("mem1"), Handle("event1")
NEW: dict[str, tuple[object, ...]] = {
    "clCreateBuffer": (CONTEXT, 1, 64, None, OutputBuffer(1)),
    "clCreateUserEvent": (CONTEXT, OutputBuffer(1)),
    "clEnqueueMarkerWithWaitList": (QUEUE, 0, None, None),
    "clEnqueueFillBuffer": (QUEUE, BUFFER, Data(b"x"), 1, 0, 64, 0, None, None),
    "clEnqueueReadBuffer": (QUEUE, BUFFER, 1, 0, 64, OutputBuffer(64), 0, None, None),
}


def terminated() -> World:
    """Return a model with a terminated context that has a queue, a buffer and the event of a command."""
    of = world()
    made(of, listed(of, TERMINABLE, 1), 1, ElementList((of.device,)), None, None, OutputBuffer(1))
    for answer, function, *arguments in (
        ("queue1", "clCreateCommandQueue", CONTEXT, of.device, of.value("CL_QUEUE_PROFILING_ENABLE"), None),
        ("mem1", "clCreateBuffer", CONTEXT, 1, 64, None, None),
    ):
        of.oracle.judge(of.expect(function, *arguments), Returned(answer))
    fill = of.expect("clEnqueueFillBuffer", QUEUE, BUFFER, Data(b"x"), 1, 0, 64, 0, None, OutputBuffer(1))
    of.oracle.judge(fill, Returned(0, {"event": Output(["event1"], 8)}))
    of.oracle.judge(of.expect(TERMINATE, CONTEXT), Returned(0))
    return of


@pytest.mark.parametrize("function", NEW)
def test_nothing_is_created_or_enqueued_in_a_terminated_context(function: str) -> None:
    of = terminated()
    expectation = of.expect(function, *NEW[function])
    assert NOTHING_NEW in clauses(expectation)[0].split()
    assert "CL_CONTEXT_TERMINATED_KHR" in expectation.allowed_codes
    errcode = {"errcode_ret": Output([-1121], 4)} if function.startswith("clCreate") else {}
    failed = of.oracle.judge(expectation, Returned(None if errcode else -1121, errcode))
    assert (NOTHING_NEW, "conforms") in failed.evidence
    assert not failed.deviations


def test_a_command_that_is_enqueued_in_a_terminated_context_deviates() -> None:
    of = terminated()
    judgement = of.oracle.judge(of.expect("clEnqueueMarkerWithWaitList", QUEUE, 0, None, None), Returned(0))
    assert [blame.requirements for blame in judgement.deviations] == [(NOTHING_NEW,)]


def test_what_has_a_terminated_context_as_its_argument_fails() -> None:
    of = terminated()
    assert clauses(of.expect("clSetContextDestructorCallback", CONTEXT, HostCallback("told"), None))[0] == NO_USE


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("clFinish", (QUEUE,)),
        ("clFlush", (QUEUE,)),
        ("clWaitForEvents", (1, ElementList((EVENT,)))),
    ],
)
def test_other_calls_on_objects_of_a_terminated_context_may_fail(function: str, arguments: tuple[object, ...]) -> None:
    of = terminated()
    musts, mays = clauses(of.expect(function, *arguments))
    assert musts == ""
    assert NO_USE in mays.split()
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
def test_what_goes_on_after_termination(function: str, arguments: tuple[object, ...]) -> None:
    of = terminated()
    found = " ".join(clauses(of.expect(function, *arguments)))
    assert NOTHING_NEW not in found
    assert NO_USE not in found


@pytest.mark.parametrize(("status", "wrong"), [(-1121, False), (0, False), (4, True)])
def test_a_command_of_a_terminated_context_tells_of_an_error_or_its_end(status: int, *, wrong: bool) -> None:
    of = terminated()
    name = of.value("CL_EVENT_COMMAND_EXECUTION_STATUS")
    asked = of.expect("clGetEventInfo", EVENT, name, 4, OutputBuffer(4), None)
    assert bool(of.oracle.judge(asked, Returned(0, {"param_value": Output([status], 4)})).deviations) == wrong


def test_times_of_a_terminated_context_need_not_be_available() -> None:
    of = terminated()
    name = of.value("CL_PROFILING_COMMAND_END")
    _, mays = clauses(of.expect("clGetEventProfilingInfo", EVENT, name, 8, OutputBuffer(8), None))
    assert "clGetEventProfilingInfo/CL_PROFILING_INFO_NOT_AVAILABLE/1" in mays.split()


def test_calls_in_a_context_that_is_not_terminated_go_on() -> None:
    of = world()
    made(of, listed(of, TERMINABLE, 1), 1, ElementList((of.device,)), None, None, OutputBuffer(1))
    assert clauses(of.expect("clCreateUserEvent", CONTEXT, OutputBuffer(1))) == ("", "")
