"""Changed outcomes that the judge accepts, because of the error conditions that hold or of the postconditions."""

from __future__ import annotations

import msgspec
import pytest

from clconform.calls.call import Call, Died, Outcome, Output, Returned
from clconform.calls.values import Data, ElementList, Handle, OutputBuffer
from clconform.oracles.model.callback_registrations import CallbackRegistration
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.events import UserEvent
from clconform.oracles.model.kernels import Kernel
from clconform.selftest.injection.equivalence import (
    MAY_SUCCEED,
    NOT_ASKED,
    OTHER_CODE,
    OTHER_TYPE,
    OTHER_VALUE,
    PERMITTED,
    REFUSED,
    RESOURCES,
    SLOWER,
    UNCLAIMED,
    UNCOUNTED,
    UNSEEN,
    UNUSED,
    find_equivalence,
)

from ...oracles.oracle_setup import EQUALLY, DevicePlan, OracleSetup  # noqa: TID252 (tests are not part of the installed package)

WORLD = OracleSetup(DevicePlan(16))
WORLD.add_sub_device("device9")
CONTEXT = Context("context1", devices=[WORLD.model.device(Handle("device1"))])
for _thing in (CONTEXT, Kernel("kernel1", context=CONTEXT)):
    WORLD.model.add(_thing)
SPLIT = "clCreateSubDevices"


def make_failure(name: str) -> Returned:
    return Returned(WORLD.value(name), {"num_devices_ret": Output([0], 4)})


def make_partition(*properties: str | int, device: str = "device1") -> Call:
    return WORLD.call(SPLIT, Handle(device), WORLD.create_list(*properties), 0, None, OutputBuffer(1))


def make_query(query: str) -> Call:
    return WORLD.call("clGetDeviceInfo", Handle("device1"), WORLD.value(query), 4, OutputBuffer(4), OutputBuffer(1))


def make_value(number: int, size: int = 4) -> Returned:
    return Returned(0, {"param_value": Output([number], 4), "param_value_size_ret": Output([size], 8)})


def make_exec_info(kernel: str | None) -> Call:
    name = WORLD.value("CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM")
    return WORLD.call("clSetKernelExecInfo", Handle(kernel) if kernel else None, name, 4, Data(bytes(4)))


INTO_NONE, INTO_ONE, INTO_TWO = (
    make_partition(EQUALLY, 17, 0),
    make_partition(EQUALLY, 9, 0),
    make_partition(EQUALLY, 8, 0),
)
"""A partitioning that must be rejected, one that may be rejected, and a valid one."""
INVALID_VALUE, PARTITION_FAILED, TWO = (
    make_failure("CL_INVALID_VALUE"),
    make_failure("CL_DEVICE_PARTITION_FAILED"),
    make_failure("CL_SUCCESS"),
)
INVALID_DEVICE = make_failure("CL_INVALID_DEVICE")
SUCCEEDED = Returned(0)
VENDOR, UNITS = "CL_DEVICE_VENDOR_ID", "CL_DEVICE_MAX_COMPUTE_UNITS"


@pytest.mark.parametrize(
    ("call", "real", "shown", "reason"),
    [
        (INTO_NONE, INVALID_VALUE, PARTITION_FAILED, OTHER_CODE),
        (INTO_NONE, INVALID_VALUE, INVALID_DEVICE, ""),
        (INTO_NONE, INVALID_VALUE, make_failure("CL_SUCCESS"), ""),
        (INTO_NONE, INVALID_VALUE, make_failure("CL_OUT_OF_RESOURCES"), RESOURCES),
        (INTO_ONE, PARTITION_FAILED, make_failure("CL_SUCCESS"), MAY_SUCCEED),
        (INTO_TWO, TWO, INVALID_VALUE, ""),
        (INTO_TWO, TWO, Died("signal", "SIGSEGV"), ""),
        (INTO_TWO, TWO, TWO, ""),
        (INTO_TWO, TWO, msgspec.structs.replace(TWO, seconds=9.0), SLOWER),
        (INTO_TWO, TWO, msgspec.structs.replace(TWO, overrun=["num_devices_ret"]), ""),
        (INTO_NONE, INVALID_VALUE, INVALID_VALUE, UNUSED),
        (INTO_NONE, INVALID_DEVICE, INVALID_DEVICE, ""),
        (
            INTO_NONE,
            INVALID_VALUE,
            msgspec.structs.replace(INVALID_VALUE, outputs={"num_devices_ret": Output([1], 4)}),
            REFUSED,
        ),
        (INTO_NONE, INVALID_VALUE, msgspec.structs.replace(INVALID_VALUE, overrun=["num_devices_ret"]), ""),
        (make_partition(EQUALLY, 8, 0, device="platform1"), make_failure("CL_INVALID_DEVICE"), TWO, OTHER_TYPE),
        (make_query(VENDOR), make_value(7), make_value(8), OTHER_VALUE),
        (make_query(VENDOR), make_value(7), make_value(7, size=5), ""),
        (make_query(UNITS), make_value(16), make_value(17), ""),
        (WORLD.call("clReleaseDevice", Handle("device1")), SUCCEEDED, SUCCEEDED, UNCOUNTED),
        (WORLD.call("clReleaseDevice", Handle("device9")), SUCCEEDED, SUCCEEDED, ""),
        (make_exec_info("kernel1"), SUCCEEDED, SUCCEEDED, PERMITTED),
        (make_exec_info(None), SUCCEEDED, SUCCEEDED, PERMITTED),
        (make_exec_info("kernel1"), SUCCEEDED, make_failure("CL_INVALID_VALUE"), ""),
        (make_query("CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR"), make_value(1), make_value(2, size=5), NOT_ASKED),
        (WORLD.call("clMemFreeINTEL", Handle("context1"), None), SUCCEEDED, Died("signal", "SIGSEGV"), UNCLAIMED),
    ],
)
def test_changed_outcome_has_expected_reason_for_equivalence(
    call: Call, real: Outcome, shown: Outcome, reason: str
) -> None:
    assert find_equivalence(call, real, shown, WORLD.oracle) == reason


def test_changed_output_without_postcondition_is_not_equivalent() -> None:
    """If such outputs counted as equivalent, gaps in the oracle would hide undetected faults."""
    world = OracleSetup(DevicePlan(16), extensions="cl_khr_suggested_local_work_size")
    call = world.call("clGetKernelSuggestedLocalWorkSizeKHR", None, None, 1, None, ElementList((1,)), OutputBuffer(1))
    assert (
        find_equivalence(call, Returned(0), Returned(0, {"suggested_local_work_size": Output([9], 8)}), world.oracle)
        == ""
    )


@pytest.mark.parametrize(
    ("version", "waits", "reason"),
    [("1.2", False, UNSEEN), ("1.2", True, ""), ("3.0", False, "")],
    ids=["nothing-tells", "a-callback-of-its-own", "callbacks-of-contexts"],
)
@pytest.mark.parametrize("function", ["clRetainEvent", "clReleaseEvent"])
def test_unsent_retain_or_release_of_event_is_equivalent_without_callbacks(
    function: str, version: str, reason: str, *, waits: bool
) -> None:
    world = OracleSetup(DevicePlan(16), version=version)
    context = Context("context1", devices=[world.model.device(Handle("device1"))])
    event = UserEvent("event1", context=context)
    for thing in (context, event):
        world.model.add(thing)
    if waits:
        world.model.callback_registrations.append(
            CallbackRegistration("told", "clSetEventCallback/success", None, event)
        )
    assert find_equivalence(world.call(function, Handle("event1")), SUCCEEDED, SUCCEEDED, world.oracle) == reason
