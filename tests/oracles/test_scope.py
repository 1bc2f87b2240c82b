"""Devices that a call concerns, and applicability conditions if only some devices report an extension."""

from __future__ import annotations

import pytest

from clconform.calls.call import Died, Output, Returned
from clconform.calls.values import ElementList, Handle, OutputBuffer, Value
from clconform.oracles.engine.applicability import Applicability, applicability_of
from clconform.oracles.engine.call_preconditions import find_unterminated_list
from clconform.oracles.model.call_scope import CallScope, scope_of
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.devices import Device, Platform
from clconform.oracles.model.events import Event
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.programs import Program
from clconform.oracles.model.queues import CommandQueue
from clconform.spec_tables import load
from clconform.spec_tables.lookups import TableLookups
from clconform.spec_tables.requirements import ApplicabilityCondition

from .oracle_setup import DevicePlan, OracleSetup, get_verdict

USM = "cl_intel_unified_shared_memory"
REPORTED_BY_BOTH, REPORTED_BY_FIRST, REPORTED_BY_NONE = (USM, USM), (USM, ""), ("", "")
"""Extensions that the first and the second device report."""


def set_up_two_devices(of_devices: tuple[str, str], of_platform: str = "") -> OracleSetup:
    """Return a setup of two devices, with objects on the first, on the second, and on both."""
    there = OracleSetup(DevicePlan(), DevicePlan(), extensions=of_platform)
    for device, extensions in zip(there.roots, of_devices, strict=True):
        device.facts["CL_DEVICE_EXTENSIONS"] = extensions
        device.refresh()
    first, second = there.roots
    for name, devices in {"first": [first], "second": [second], "both": [first, second]}.items():
        context = Context(name, devices=devices, device_count=len(devices))
        program = Program(f"program of {name}", context=context, devices=devices)
        queue = CommandQueue(f"queue of {name}", context=context, queue_device=devices[-1])
        kernel, event = Kernel(f"kernel of {name}", context=context, program=program), Event(f"event of {name}")
        event.context, event.queue = context, queue
        for thing in (context, program, queue, kernel, event):
            there.model.add(thing)
    there.model.add(Context("by type", candidates=[first, second]))
    return there


CALLS: dict[str, tuple[str, dict[str, Value]]] = {
    "no object": ("clSetKernelArgMemPointerINTEL", {"kernel": None}),
    "a kernel of the first": ("clSetKernelArgMemPointerINTEL", {"kernel": Handle("kernel of first")}),
    "a kernel of both": ("clSetKernelArgMemPointerINTEL", {"kernel": Handle("kernel of both")}),
    "a context of the second": ("clHostMemAllocINTEL", {"context": Handle("second")}),
    "a context of both": ("clHostMemAllocINTEL", {"context": Handle("both")}),
    "a context by type": ("clHostMemAllocINTEL", {"context": Handle("by type")}),
    "a device beside a context": ("clDeviceMemAllocINTEL", {"context": Handle("both"), "device": Handle("device1")}),
    "a queue of the second": ("clEnqueueMemcpyINTEL", {"command_queue": Handle("queue of both")}),
    "a list of devices": ("clCreateContext", {"devices": ElementList((Handle("device1"), Handle("device2")))}),
    "a list of events": ("clWaitForEvents", {"event_list": ElementList((Handle("event of second"),))}),
    "the platform": ("clGetDeviceIDs", {"platform": Handle("platform1")}),
}
CONCERNED_DEVICES = {
    "no object": "device1 device2",
    "a kernel of the first": "device1",
    "a kernel of both": "device1 device2",
    "a context of the second": "device2",
    "a context of both": "device1 device2",
    "a context by type": "device1 device2",
    "a device beside a context": "device1",
    "a queue of the second": "device2",
    "a list of devices": "device1 device2",
    "a list of events": "device2",
    "the platform": "device1 device2",
}


@pytest.mark.parametrize("call", CALLS)
def test_call_scope_contains_the_devices_of_its_objects(call: str) -> None:
    there = set_up_two_devices(REPORTED_BY_NONE)
    function, arguments = CALLS[call]
    judged = there.create_call_context(function, *_fill_arguments(there, function, arguments))
    assert " ".join(device.name for device in scope_of(judged.call, there.model).devices) == CONCERNED_DEVICES[call]


def _fill_arguments(there: OracleSetup, function: str, arguments: dict[str, Value]) -> list[Value]:
    return [arguments.get(each.name) for each in there.model.tables.functions[function].parameters]


@pytest.mark.parametrize(
    ("of_platform", "of_devices", "call", "expected"),
    [
        ("", REPORTED_BY_BOTH, "no object", Applicability.APPLIES),
        ("", REPORTED_BY_FIRST, "no object", Applicability.UNDECIDED),
        ("", REPORTED_BY_NONE, "no object", Applicability.NOT_APPLICABLE),
        (USM, REPORTED_BY_NONE, "no object", Applicability.APPLIES),
        (USM, REPORTED_BY_NONE, "a context of both", Applicability.UNDECIDED),
        (USM, REPORTED_BY_BOTH, "a context of both", Applicability.APPLIES),
        (USM, REPORTED_BY_FIRST, "a queue of the second", Applicability.UNDECIDED),
        ("", REPORTED_BY_FIRST, "a kernel of the first", Applicability.APPLIES),
        ("", REPORTED_BY_FIRST, "a kernel of both", Applicability.UNDECIDED),
        ("", REPORTED_BY_FIRST, "a context of the second", Applicability.NOT_APPLICABLE),
        ("", REPORTED_BY_FIRST, "a context by type", Applicability.UNDECIDED),
        ("", REPORTED_BY_FIRST, "a device beside a context", Applicability.APPLIES),
        ("", REPORTED_BY_FIRST, "a queue of the second", Applicability.NOT_APPLICABLE),
    ],
)
def test_extension_of_one_device_applies_to_calls_on_this_device(
    of_platform: str, of_devices: tuple[str, str], call: str, expected: Applicability
) -> None:
    there = set_up_two_devices(of_devices, of_platform)
    function, arguments = CALLS[call]
    judged = there.create_call_context(function, *_fill_arguments(there, function, arguments))
    assert applicability_of((ApplicabilityCondition("extension", name=USM),), judged.scope) is expected


def build_kernel_arguments(kernel: str | None) -> dict[str, Value]:
    return {"kernel": Handle(kernel) if kernel else None, "arg_index": 0, "arg_value": None}


def build_allocation_arguments(
    there: OracleSetup, context: str | None, alignment: int = 0, *properties: int | str
) -> dict[str, Value]:
    return {
        "context": Handle(context) if context else None,
        "properties": there.create_list(*properties) if properties else None,
        "size": 64,
        "alignment": alignment,
        "errcode_ret": OutputBuffer(1),
    }


def test_errors_are_optional_if_only_one_device_reports_extension() -> None:
    everywhere, somewhere = set_up_two_devices(REPORTED_BY_BOTH), set_up_two_devices(REPORTED_BY_FIRST)
    function = "clSetKernelArgMemPointerINTEL"
    no_kernel = "clSetKernelArgMemPointerINTEL/CL_INVALID_KERNEL/1"
    assert get_verdict(everywhere, function, **build_kernel_arguments(None))[0] == no_kernel
    musts, mays = get_verdict(somewhere, function, **build_kernel_arguments(None))
    assert (musts, no_kernel in mays.split()) == ("", True)
    crooked = "clHostMemAllocINTEL/CL_INVALID_VALUE/1"
    assert (
        crooked
        in get_verdict(everywhere, "clHostMemAllocINTEL", **build_allocation_arguments(everywhere, "both", 3))[0]
    )
    assert (
        crooked in get_verdict(somewhere, "clHostMemAllocINTEL", **build_allocation_arguments(somewhere, "both", 3))[1]
    )


def test_extension_call_never_deviates_if_one_device_lacks_extension() -> None:
    there = set_up_two_devices(REPORTED_BY_FIRST)
    call = there.call("clHostMemAllocINTEL", *build_allocation_arguments(there, "both").values())
    for outcome in (
        Returned(None, {"errcode_ret": _create_code_output(there, "CL_OUT_OF_RESOURCES")}),
        Died("signal", "SIGSEGV"),
    ):
        judgement = there.oracle.judge(there.oracle.expect(call), outcome)
        assert not judgement.deviations
        assert {kind for _, kind in judgement.evidence} <= {"inconclusive"}


def _create_code_output(there: OracleSetup, name: str) -> Output:
    return Output([there.value(name)], 4)


PROPERTY_LISTS = [
    (function.name, parameter)
    for function in load().functions.values()
    for parameter, _ in TableLookups.for_tables(load()).property_lists(function.name)
]


@pytest.mark.parametrize("elements", [(), (0x4201,), (0x4201, 0, 1)])
@pytest.mark.parametrize(("function", "parameter"), PROPERTY_LISTS)
def test_unterminated_list_of_each_creation_function_is_found(
    function: str, parameter: str, elements: tuple[int, ...]
) -> None:
    there = set_up_two_devices(REPORTED_BY_NONE)
    ended, endless = (
        there.call(function, *_fill_arguments(there, function, {parameter: ElementList(e)})) for e in ((0,), elements)
    )
    assert find_unterminated_list(endless, there.model) == parameter
    assert not find_unterminated_list(ended, there.model)


@pytest.mark.parametrize("told", [REPORTED_BY_BOTH, REPORTED_BY_FIRST, REPORTED_BY_NONE])
def test_allocation_with_unterminated_list_is_undefined_without_extension(told: tuple[str, str]) -> None:
    there = set_up_two_devices(told)
    given = {**build_allocation_arguments(there, "both"), "properties": ElementList(())}
    assert there.oracle.expect(there.call("clHostMemAllocINTEL", *given.values())).undefined


@pytest.mark.parametrize(
    ("facts", "gate", "expected"),
    [
        ({}, ApplicabilityCondition("platform-version", since="1.2"), Applicability.UNDECIDED),
        (
            {"CL_PLATFORM_VERSION": "OpenCL of today"},
            ApplicabilityCondition("platform-version", before="1.2"),
            Applicability.UNDECIDED,
        ),
        (
            {"CL_PLATFORM_VERSION": "OpenCL 1.1 x"},
            ApplicabilityCondition("platform-version", since="1.2"),
            Applicability.NOT_APPLICABLE,
        ),
        (
            {"CL_PLATFORM_VERSION": "OpenCL 1.1 x"},
            ApplicabilityCondition("platform-version", before="1.2"),
            Applicability.APPLIES,
        ),
        ({}, ApplicabilityCondition("extension", name=USM), Applicability.UNDECIDED),
        ({"CL_PLATFORM_EXTENSIONS": ""}, ApplicabilityCondition("extension", name=USM), Applicability.NOT_APPLICABLE),
        ({}, ApplicabilityCondition("profile", name="FULL_PROFILE"), Applicability.UNDECIDED),
        (
            {"CL_PLATFORM_PROFILE": "EMBEDDED_PROFILE"},
            ApplicabilityCondition("profile", name="FULL_PROFILE"),
            Applicability.NOT_APPLICABLE,
        ),
    ],
)
def test_applicability_is_undecided_without_platform_facts(
    facts: dict[str, str], gate: ApplicabilityCondition, expected: Applicability
) -> None:
    platform = Platform("platform1", facts=dict(facts))
    platform.refresh()
    assert applicability_of((gate,), CallScope(platform)) is expected


def test_applicability_is_undecided_for_devices_of_mixed_versions() -> None:
    devices = []
    for version in ("1.2", "3.0"):
        device = Device(f"device of {version}", facts={"CL_DEVICE_VERSION": f"OpenCL {version} test"})
        device.refresh()
        devices.append(device)
    gates = (ApplicabilityCondition("device-version", since="2.0"),)
    assert [applicability_of(gates, CallScope(None, (device,))) for device in devices] == [
        Applicability.NOT_APPLICABLE,
        Applicability.APPLIES,
    ]
    assert applicability_of(gates, CallScope(None, tuple(devices))) is Applicability.UNDECIDED
