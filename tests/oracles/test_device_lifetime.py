"""Retain and release of devices, and contexts and queues for devices: calls that must, may or must not fail."""

from __future__ import annotations

import pytest

from clconform.calls.call import Output, Returned
from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.devices import Device, Partition
from clconform.oracles.model.memory_objects import Buffer

from .oracle_setup import DevicePlan, OracleSetup, get_call_verdict, get_condition_ids

CORE_PAIR = ("clRetainDevice", "clReleaseDevice")
EXT_PAIR = ("clRetainDeviceEXT", "clReleaseDeviceEXT")
QUEUES = ("clCreateCommandQueue", "clCreateCommandQueueWithProperties")
SUCCESS_ONLY = ["CL_SUCCESS"]


def add_sub_device(world: OracleSetup, name: str, function: str) -> Device:
    device = world.add_sub_device(name)
    device.partition = Partition(world.roots[0], function, "", [8], ((0,),))
    return device


NO_DEVICE = {
    "clRetainDevice": "clRetainDevice/CL_INVALID_DEVICE/1",
    "clReleaseDevice": "clReleaseDevice/CL_INVALID_DEVICE/1",
    "clRetainDeviceEXT": "clRetainDeviceEXT/CL_INVALID_DEVICE/1",
    "clReleaseDeviceEXT": "clReleaseDeviceEXT/CL_INVALID_DEVICE/1",
}


@pytest.mark.parametrize("function", NO_DEVICE)
def test_retain_and_release_of_null_device_are_rejected(function: str) -> None:
    world, no_device = OracleSetup(), NO_DEVICE[function]
    assert get_condition_ids(world.expect(function, None)) == (no_device, "")
    assert get_condition_ids(world.expect(function, world.device)) == ("", "")
    assert get_condition_ids(world.expect(function, Handle("platform1"))) == ("", no_device)


@pytest.mark.parametrize(
    ("function", "maker", "usage"),
    [
        ("clReleaseDevice", "clCreateSubDevices", "clReleaseDevice/usage/1"),
        ("clReleaseDeviceEXT", "clCreateSubDevicesEXT", "clReleaseDeviceEXT/usage/1"),
    ],
)
def test_release_of_sub_device_without_references_is_undefined(function: str, maker: str, usage: str) -> None:
    world = OracleSetup()
    device = add_sub_device(world, "device9", maker)
    call = world.call(function, Handle("device9"))
    assert get_call_verdict(world, call) == ("", "")
    device.references = 0
    assert get_call_verdict(world, call) == ("undefined", usage)


@pytest.mark.parametrize("function", [*CORE_PAIR, *EXT_PAIR])
def test_retain_and_release_leave_root_device_reference_count_unchanged(function: str) -> None:
    world = OracleSetup()
    for _ in range(3):
        expectation = world.expect(function, world.device)
        assert expectation.allowed_codes == SUCCESS_ONLY
        world.oracle.judge(expectation, Returned(0))
    assert world.roots[0].references == 1


@pytest.mark.parametrize(("pair", "maker"), [(CORE_PAIR, "clCreateSubDevices"), (EXT_PAIR, "clCreateSubDevicesEXT")])
def test_sub_device_is_deleted_with_its_last_reference(pair: tuple[str, str], maker: str) -> None:
    world = OracleSetup()
    device = add_sub_device(world, "device9", maker)
    for function, left in ((pair[0], 2), (pair[0], 3), (pair[1], 2), (pair[1], 1), (pair[1], 0)):
        expectation = world.expect(function, Handle("device9"))
        assert expectation.allowed_codes == SUCCESS_ONLY
        world.oracle.judge(expectation, Returned(0))
        assert device.references == left
    assert "device9" not in world.model.objects
    assert world.model.released == ["device9"]
    assert world.roots[0].children == 0


@pytest.mark.parametrize("function", [*CORE_PAIR, *EXT_PAIR])
def test_call_on_sub_device_without_references_is_undefined(function: str) -> None:
    world = OracleSetup()
    device = add_sub_device(world, "device9", "clCreateSubDevices" + ("EXT" if function.endswith("EXT") else ""))
    device.attached = 1
    device.references = 0
    assert world.expect(function, Handle("device9")).undefined


@pytest.mark.parametrize(
    ("function", "maker"),
    [(name, "clCreateSubDevicesEXT") for name in CORE_PAIR] + [(name, "clCreateSubDevices") for name in EXT_PAIR],
)
def test_retain_or_release_by_function_of_other_fission_api_is_undefined(function: str, maker: str) -> None:
    world = OracleSetup()
    add_sub_device(world, "device9", maker)
    assert world.expect(function, Handle("device9")).undefined == NO_DEVICE[function]


@pytest.mark.parametrize("code", ["CL_OUT_OF_RESOURCES", "CL_INVALID_DEVICE"])
def test_unexpectedly_failed_release_may_delete_the_device(code: str) -> None:
    world = OracleSetup()
    device = world.add_sub_device("device9")
    answer = Returned(world.model.constant_value(code))
    world.oracle.judge(world.expect("clReleaseDevice", Handle("device9")), answer)
    assert device.references == 0


@pytest.mark.parametrize("accepted", [True, False])
def test_memory_object_may_be_invalid_after_accepted_invalid_call(*, accepted: bool) -> None:
    world = OracleSetup()
    memory = Handle("mem1")
    world.model.add(Buffer(memory.name, context=world.model.context(create_context(world)), size=64))
    if accepted:
        success = world.oracle.judge(world.expect("clSetMemObjectDestructorCallback", memory, None, None), Returned(0))
        assert success.deviations
    gone = Returned(world.value("CL_INVALID_MEM_OBJECT"))
    assert bool(world.oracle.judge(world.expect("clReleaseMemObject", memory), gone).deviations) is not accepted


def create_context(world: OracleSetup, *devices: Device) -> Handle:
    context = Context("context1", devices=list(devices))
    world.model.add(context)
    for device in devices:
        device.attached += 1
    return Handle(context.name)


@pytest.mark.parametrize(
    ("devices", "number", "allowed"),
    [
        (ElementList((Handle("device1"),)), 1, SUCCESS_ONLY),
        (ElementList((Handle("device9"),)), 1, SUCCESS_ONLY),
        (ElementList((Handle("device1"), Handle("device9"))), 2, SUCCESS_ONLY),
        (ElementList((Handle("device1"), None)), 2, ["CL_INVALID_DEVICE"]),
        (ElementList((None,)), 1, ["CL_INVALID_DEVICE"]),
        (None, 1, ["CL_INVALID_VALUE"]),
        (ElementList((Handle("device1"),)), 0, ["CL_INVALID_VALUE"]),
    ],
)
def test_context_creation_accepts_devices_and_sub_devices_but_not_null(
    devices: ElementList | None, number: int, allowed: list[str]
) -> None:
    world = OracleSetup(DevicePlan(), extensions="")
    world.add_sub_device("device9")
    assert world.expect("clCreateContext", None, number, devices, None, None, OutputBuffer(1)).allowed_codes == allowed


def test_context_keeps_its_sub_device_until_released() -> None:
    world = OracleSetup()
    device = world.add_sub_device("device9")
    call = ("clCreateContext", None, 1, ElementList((Handle("device9"),)), None, None, OutputBuffer(1))
    made = Returned("context1", {"errcode_ret": Output([0], 4)})
    assert not world.oracle.judge(world.expect(*call), made).deviations
    world.oracle.judge(world.expect("clReleaseDevice", Handle("device9")), Returned(0))
    assert device.references == 0
    assert "device9" in world.model.objects
    world.oracle.judge(world.expect("clReleaseContext", Handle("context1")), Returned(0))
    assert "device9" not in world.model.objects


@pytest.mark.parametrize("function", QUEUES)
@pytest.mark.parametrize(
    ("extensions", "inside", "asked", "musts", "mays"),
    [
        ("", "device1", "device1", False, False),
        ("", "device9", "device9", False, False),
        ("", "device1", "device2", True, False),
        ("", "device9", "device1", True, False),
        ("", "device9", "device8", True, False),
        ("", "device1", "device9", False, True),
        ("cl_ext_device_fission", "device1", "device9", False, True),
        ("cl_ext_device_fission", "device1", "device7", False, False),
        ("cl_ext_device_fission", "device9", "device1", True, False),
        ("cl_ext_device_fission", "device1", "device2", True, False),
    ],
)
def test_queue_creation_with_device_outside_the_context_is_rejected(
    function: str, extensions: str, inside: str, asked: str, *, musts: bool, mays: bool
) -> None:
    world = OracleSetup(DevicePlan(), DevicePlan(), extensions=extensions)
    child = world.add_sub_device("device9")
    world.add_sub_device("device8")
    world.add_sub_device("device10", child)
    add_sub_device(world, "device7", "clCreateSubDevicesEXT")
    context = create_context(world, world.model.device(Handle(inside)))
    properties = 0 if function == QUEUES[0] else None
    expectation = world.expect(function, context, Handle(asked), properties, OutputBuffer(1))
    must, may = get_condition_ids(expectation)
    no_device = f"{function}/CL_INVALID_DEVICE/1"
    assert (no_device in must, no_device in may) == (musts, mays)


def test_queue_creation_with_null_device_is_rejected() -> None:
    world = OracleSetup()
    expectation = world.expect("clCreateCommandQueue", create_context(world, world.roots[0]), None, 0, OutputBuffer(1))
    assert get_condition_ids(expectation)[0] == "clCreateCommandQueue/CL_INVALID_DEVICE/1"
