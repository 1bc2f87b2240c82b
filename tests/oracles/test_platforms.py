"""Lists of platforms and devices, timers, and function addresses: required, allowed and deviating results."""

from __future__ import annotations

import pytest

from clconform.calls.call import Absent, Call, Output, Returned
from clconform.calls.values import Handle, OutputBuffer, Text
from clconform.suites.chapters.platforms.test_functions import cases as function_cases

from .oracle_setup import DevicePlan, OracleSetup, get_call_verdict, get_condition_ids

CPU, GPU, CUSTOM, DEFAULT, ALL = (f"CL_DEVICE_TYPE_{name}" for name in ("CPU", "GPU", "CUSTOM", "DEFAULT", "ALL"))
NOT_FOUND, INVALID_TYPE = "clGetDeviceIDs/CL_DEVICE_NOT_FOUND/1", "clGetDeviceIDs/CL_INVALID_DEVICE_TYPE/1"
INVALID_PLATFORM = "clGetDeviceIDs/CL_INVALID_PLATFORM/1"
UNKNOWN = 1 << 20
RESOLUTION = "CL_PLATFORM_HOST_TIMER_RESOLUTION"
PLATFORM = Handle("platform1")
BY_PLATFORM, BY_NAME = "clGetExtensionFunctionAddressForPlatform", "clGetExtensionFunctionAddress"


def create_world(*types: str, version: str = "3.0", extensions: str = "cl_khr_icd") -> OracleSetup:
    """Return a setup with a device of each of these types."""
    made = OracleSetup(*(DevicePlan() for _ in types), version=version, extensions=extensions)
    for device, name in zip(made.roots, types, strict=True):
        device.facts["CL_DEVICE_TYPE"] = made.value(name)
    return made


def type_mask(of: OracleSetup, *types: str | int) -> int:
    """Return a device type of several bits."""
    bits = 0
    for name in types:
        bits |= of.value(name)
    return bits


def judge_evidence(
    of: OracleSetup, call: Call, value: int | str | None, **outputs: list[int | str | None]
) -> dict[str, str]:
    """Return the verdict of an outcome for each requirement."""
    seen = {name: Output(list(values), 8 * len(values)) for name, values in outputs.items()}
    return dict(of.oracle.judge(of.oracle.expect(call), Returned(value, seen)).evidence)


@pytest.mark.parametrize(
    ("types", "wanted", "musts", "mays"),
    [
        ((CPU,), (CPU,), "", ""),
        ((CPU,), (GPU,), NOT_FOUND, ""),
        ((CPU, GPU), (CPU, GPU), "", ""),
        ((CPU,), (ALL,), "", ""),
        ((CPU,), (DEFAULT,), "", ""),
        ((CPU, GPU), (DEFAULT,), "", ""),
        ((CPU,), (DEFAULT, CPU), "", ""),
        ((CPU,), (DEFAULT, GPU), "", NOT_FOUND),
        ((CPU,), (CUSTOM,), "", NOT_FOUND),
        ((CPU, CUSTOM), (CUSTOM,), "", ""),
        ((CPU,), (CUSTOM, CPU), "", ""),
        ((CPU,), (0,), INVALID_TYPE, NOT_FOUND),
        ((CPU,), (UNKNOWN,), INVALID_TYPE, NOT_FOUND),
        ((CPU,), (UNKNOWN, CPU), "", f"{NOT_FOUND} {INVALID_TYPE}"),
    ],
)
def test_invalid_or_missing_device_types_are_rejected(
    types: tuple[str, ...], wanted: tuple[str | int, ...], musts: str, mays: str
) -> None:
    of = create_world(*types)
    expectation = of.expect("clGetDeviceIDs", PLATFORM, type_mask(of, *wanted), 4, OutputBuffer(4), OutputBuffer(1))
    assert get_condition_ids(expectation) == (musts, mays)


def test_device_list_of_custom_type_may_be_rejected_before_1_2() -> None:
    of = create_world(CPU, version="1.1")
    expectation = of.expect("clGetDeviceIDs", PLATFORM, type_mask(of, CUSTOM), 0, None, OutputBuffer(1))
    assert get_condition_ids(expectation) == ("", f"{NOT_FOUND} {INVALID_TYPE}")


@pytest.mark.parametrize(
    ("entries", "output_buffer", "told", "wrong"),
    [
        (0, None, True, False),
        (1, 1, False, False),
        (1, None, True, False),
        (0, 1, True, True),
        (0, 1, False, True),
        (0, None, False, True),
        (1, None, False, True),
    ],
)
def test_platform_or_device_list_with_invalid_outputs_is_rejected(
    entries: int, output_buffer: int | None, *, told: bool, wrong: bool
) -> None:
    of = create_world(CPU)
    given = (entries, None if output_buffer is None else OutputBuffer(output_buffer), OutputBuffer(1) if told else None)
    assert get_condition_ids(of.expect("clGetDeviceIDs", PLATFORM, type_mask(of, ALL), *given)) == (
        "clGetDeviceIDs/CL_INVALID_VALUE/1" if wrong else "",
        "",
    )
    for function in ("clGetPlatformIDs", "clIcdGetPlatformIDsKHR"):
        assert get_condition_ids(of.expect(function, *given)) == (f"{function}/CL_INVALID_VALUE/1" if wrong else "", "")


@pytest.mark.parametrize(
    ("function", "none"),
    [
        ("clGetPlatformIDs", "clGetPlatformIDs/CL_PLATFORM_NOT_FOUND_KHR/1"),
        ("clIcdGetPlatformIDsKHR", "clIcdGetPlatformIDsKHR/CL_PLATFORM_NOT_FOUND_KHR/1"),
    ],
)
def test_platform_list_query_must_fail_if_no_platform_exists(function: str, none: str) -> None:
    of = create_world(CPU)
    assert get_condition_ids(of.expect(function, 0, None, OutputBuffer(1))) == ("", "")
    of.model.platforms.clear()
    assert get_condition_ids(of.expect(function, 0, None, OutputBuffer(1))) == (none, "")


@pytest.mark.parametrize(
    ("platform", "expected"),
    [
        (PLATFORM, ("", "")),
        (None, ("", "clGetPlatformInfo/CL_INVALID_PLATFORM/1 clGetPlatformInfo/CL_INVALID_VALUE/1")),
        (Handle("device1"), ("", "clGetPlatformInfo/CL_INVALID_PLATFORM/1")),
        (Handle("platform9"), ("undefined", "")),
    ],
    ids=str,
)
def test_query_of_null_or_invalid_platform_may_be_rejected(platform: Handle | None, expected: tuple[str, str]) -> None:
    of = create_world(CPU)
    call = of.call("clGetPlatformInfo", platform, of.value("CL_PLATFORM_NAME"), 0, None, OutputBuffer(1))
    assert get_call_verdict(of, call) == expected


def test_device_list_of_null_platform_may_be_rejected() -> None:
    of = create_world(CPU)
    expectation = of.expect("clGetDeviceIDs", None, type_mask(of, GPU), 0, None, OutputBuffer(1))
    assert get_condition_ids(expectation) == ("", f"{NOT_FOUND} {INVALID_PLATFORM}")


@pytest.mark.parametrize(
    ("output_buffer", "devices", "number", "verdict"),
    [
        (2, ["device1", "device2"], 2, "conforms"),
        (2, ["device2", "device1"], 2, "conforms"),
        (1, ["device2"], 2, "conforms"),
        (3, ["device1", "device2", "untouched"], 2, "conforms"),
        (3, ["device1", "device2", "device1"], 2, "deviates"),
        (2, ["device1", "device1"], 2, "deviates"),
        (2, ["device1", None], 2, "deviates"),
        (2, ["device1", "device9"], 2, "deviates"),
        (2, ["device1", "device2"], 1, "deviates"),
        (1, ["device1"], 1, "conforms"),
        (2, ["device1", "untouched"], 1, "conforms"),
        (2, ["device1", "untouched"], 2, "deviates"),
        (2, ["untouched", "device1"], 1, "deviates"),
        (2, ["untouched", "untouched"], 2, "deviates"),
        (1, ["device1"], 3, "deviates"),
        (1, ["device1"], 0, "deviates"),
    ],
)
def test_invalid_or_repeated_devices_in_list_deviate(
    output_buffer: int, devices: list[int | str | None], number: int, verdict: str
) -> None:
    of = create_world(CPU, CPU)
    call = of.call(
        "clGetDeviceIDs", PLATFORM, type_mask(of, ALL), output_buffer, OutputBuffer(output_buffer), OutputBuffer(1)
    )
    assert judge_evidence(of, call, 0, devices=devices, num_devices=[number])["clGetDeviceIDs/success"] == verdict


def test_device_list_with_a_sub_device_deviates() -> None:
    of = create_world(CPU)
    of.add_sub_device("device7")
    call = of.call("clGetDeviceIDs", PLATFORM, type_mask(of, ALL), 1, OutputBuffer(1), None)
    assert judge_evidence(of, call, 0, devices=["device7"])["clGetDeviceIDs/success"] == "deviates"


@pytest.mark.parametrize(
    ("types", "device", "number", "one", "proper"),
    [
        ((CPU, GPU), "device2", 1, "conforms", "conforms"),
        ((CPU, GPU), "device1", 2, "deviates", "conforms"),
        ((CPU, CUSTOM), "device2", 1, "conforms", "deviates"),
        ((CUSTOM,), "device1", 1, "conforms", "conforms"),
    ],
)
def test_device_list_with_two_default_devices_or_a_custom_one_deviates(
    types: tuple[str, ...], device: str, number: int, one: str, proper: str
) -> None:
    of = create_world(*types)
    call = of.call("clGetDeviceIDs", PLATFORM, type_mask(of, DEFAULT), 1, OutputBuffer(1), OutputBuffer(1))
    said = judge_evidence(of, call, 0, devices=[device], num_devices=[number])
    assert said["clGetDeviceIDs/effect/2"] == one
    assert said["clGetDeviceIDs/effect/3"] == proper


def test_changed_default_device_deviates() -> None:
    of = create_world(CPU, GPU)
    call = of.call("clGetDeviceIDs", PLATFORM, type_mask(of, DEFAULT), 1, OutputBuffer(1), None)
    said = [
        judge_evidence(of, call, 0, devices=[name])["clGetDeviceIDs/effect/2"]
        for name in ("device2", "device2", "device1")
    ]
    assert said == ["conforms", "conforms", "deviates"]


def test_platform_without_default_device_deviates() -> None:
    of = create_world(CPU)
    call = of.call("clGetDeviceIDs", PLATFORM, type_mask(of, DEFAULT), 0, None, OutputBuffer(1))
    said = judge_evidence(of, call, of.value("CL_DEVICE_NOT_FOUND"), num_devices=["untouched"])
    assert said["clGetDeviceIDs/effect/2"] == "deviates"


def test_changed_platform_list_deviates() -> None:
    of, function = create_world(CPU), "clGetPlatformIDs"
    listed = of.call(function, 2, OutputBuffer(2), OutputBuffer(1))
    one = of.call(function, 1, OutputBuffer(1), None)
    requirement = f"{function}/success"
    assert (
        judge_evidence(of, listed, 0, platforms=["platform1", "platform2"], num_platforms=[2])[requirement]
        == "conforms"
    )
    assert judge_evidence(of, one, 0, platforms=["platform2"])[requirement] == "conforms"
    assert judge_evidence(of, one, 0, platforms=["platform3"])[requirement] == "deviates"
    assert (
        judge_evidence(of, listed, 0, platforms=["platform1", "platform1"], num_platforms=[2])[requirement]
        == "deviates"
    )
    assert (
        judge_evidence(of, listed, 0, platforms=["platform1", "platform2"], num_platforms=[3])[requirement]
        == "deviates"
    )


@pytest.mark.parametrize(
    ("function", "not_there"),
    [
        ("clGetHostTimer", "clGetHostTimer/CL_INVALID_OPERATION/1"),
        ("clGetDeviceAndHostTimer", "clGetDeviceAndHostTimer/CL_INVALID_OPERATION/1"),
    ],
)
@pytest.mark.parametrize(
    ("version", "resolution", "must", "may"),
    [("3.0", 1, False, False), ("3.0", 0, True, False), ("2.1", 0, False, True), ("3.0", None, False, True)],
)
def test_unsupported_timer_is_rejected(
    function: str, not_there: str, version: str, resolution: int | None, *, must: bool, may: bool
) -> None:
    of = create_world(CPU, version=version)
    if resolution is not None:
        of.platform.facts[RESOLUTION] = resolution
    output_buffers = [OutputBuffer(1)] * (len(of.model.tables.functions[function].parameters) - 1)
    assert get_condition_ids(of.expect(function, of.device, *output_buffers)) == (
        not_there if must else "",
        not_there if may else "",
    )


def test_timer_call_with_null_device_or_output_is_rejected() -> None:
    of = create_world(CPU)
    of.platform.facts[RESOLUTION] = 1
    part = Handle(of.add_sub_device("device7").name)
    host, both = "clGetHostTimer", "clGetDeviceAndHostTimer"
    for function, no_device in (
        (host, "clGetHostTimer/CL_INVALID_DEVICE/1"),
        (both, "clGetDeviceAndHostTimer/CL_INVALID_DEVICE/1"),
    ):
        output_buffers = [OutputBuffer(1)] * (len(of.model.tables.functions[function].parameters) - 1)
        assert get_condition_ids(of.expect(function, None, *output_buffers)) == (no_device, "")
        assert get_condition_ids(of.expect(function, part, *output_buffers)) == ("", no_device)
    assert get_condition_ids(of.expect(host, of.device, None)) == ("clGetHostTimer/CL_INVALID_VALUE/1", "")
    assert get_condition_ids(of.expect(both, of.device, None, OutputBuffer(1))) == (
        "clGetDeviceAndHostTimer/CL_INVALID_VALUE/1",
        "",
    )
    of.platform.facts[RESOLUTION] = 0
    expected = ("clGetHostTimer/CL_INVALID_DEVICE/1", "clGetHostTimer/CL_INVALID_OPERATION/1")
    assert get_condition_ids(of.expect(host, None, OutputBuffer(1))) == expected


def test_host_timestamp_below_that_of_another_function_deviates() -> None:
    of = create_world(CPU, CPU)
    of.platform.facts[RESOLUTION] = 1
    host = of.call("clGetHostTimer", of.device, OutputBuffer(1))
    both = of.call("clGetDeviceAndHostTimer", of.device, OutputBuffer(1), OutputBuffer(1))
    other = of.call("clGetHostTimer", Handle("device2"), OutputBuffer(1))
    assert judge_evidence(of, host, 0, host_timestamp=[7])["clGetHostTimer/success"] == "conforms"
    assert judge_evidence(of, host, 0, host_timestamp=[7])["clGetHostTimer/success"] == "conforms"
    said = judge_evidence(of, both, 0, device_timestamp=[1], host_timestamp=[6])
    assert said["clGetDeviceAndHostTimer/success"] == "deviates"
    assert judge_evidence(of, other, 0, host_timestamp=[1])["clGetHostTimer/success"] == "conforms"
    assert judge_evidence(of, host, 0, host_timestamp=["untouched"])["clGetHostTimer/success"] == "deviates"


@pytest.mark.parametrize(
    ("name", "extensions", "address", "verdict"),
    [
        ("clCreateSubDevicesEXT", "cl_ext_device_fission", "function1", "conforms"),
        ("clCreateSubDevicesEXT", "cl_ext_device_fission", None, "deviates"),
        ("clCreateSubDevicesEXT", "", None, None),
        ("clCreateSubDevicesEXT", "", "function1", None),
        ("clRemapCommandBufferKHR", "cl_khr_command_buffer_multi_device", None, None),
        ("clGetPlatformInfo", "", "function1", None),
        ("clGetPlatformInfo", "", None, None),
        ("clNobodysFunction", "", None, "conforms"),
        ("clNobodysFunction", "", "function1", "deviates"),
    ],
)
@pytest.mark.parametrize("way", [BY_PLATFORM, BY_NAME])
def test_missing_or_unexpected_function_address_deviates(
    way: str, name: str, extensions: str, address: str | None, verdict: str | None
) -> None:
    of = create_world(CPU, extensions=extensions)
    call = of.call(way, *((PLATFORM,) if way == BY_PLATFORM else ()), Text(name))
    assert judge_evidence(of, call, address).get(f"{way}/success", "conforms") == (verdict or "conforms")


def test_loader_may_return_null_address_without_a_platform() -> None:
    of = create_world(CPU, extensions="cl_ext_device_fission")
    of.model.through_loader = True
    assert "deviates" not in judge_evidence(of, of.call(BY_NAME, Text("clCreateSubDevicesEXT")), None).values()


def test_missing_entry_of_each_function_deviates() -> None:
    """The check does not need valid arguments, and null arguments do not make the call undefined."""
    of = create_world(CPU)
    handles = {name for name, known in of.model.tables.types.items() if known.kind == "handle"}
    entries = [case for case in function_cases(of.model.tables) if case.test_value.startswith("its entry")]
    assert entries
    for case in entries:
        function = of.model.tables.functions[case.requirement.partition("/")[0]]
        nothing = {
            each.name: None if each.pointers or each.direction == "callback" or each.base in handles else 0
            for each in function.parameters
        }
        expectation = of.oracle.expect(Call(function.name, nothing))
        assert not expectation.undefined, function.name
        judgement = of.oracle.judge(expectation, Absent("empty-entry", "nothing there"))
        assert [deviation.requirements for deviation in judgement.deviations] == [(case.requirement,)]
