"""The changed outcomes that the judge accepts: by error conditions that hold, and by postconditions."""

from __future__ import annotations

import msgspec
import pytest

from clconform.calls.call import Call, Died, Outcome, Output, Returned
from clconform.calls.values import Data, Handle, Items, OutputBuffer
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.events import UserEvent
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.registrations import Registration
from clconform.selftest.injection.openness import (
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
    open_by,
)

from ...oracles.worlds import EQUALLY, Plan, World  # noqa: TID252 (tests are not part of the installed package)

WORLD = World(Plan(16))
WORLD.sub_device("device9")
CONTEXT = Context("context1", devices=[WORLD.model.device(Handle("device1"))])
for _thing in (CONTEXT, Kernel("kernel1", context=CONTEXT)):
    WORLD.model.add(_thing)
SPLIT = "clCreateSubDevices"


def code(name: str) -> Returned:
    return Returned(WORLD.value(name), {"num_devices_ret": Output([0], 4)})


def splits(*properties: str | int, device: str = "device1") -> Call:
    return WORLD.call(SPLIT, Handle(device), WORLD.items(*properties), 0, None, OutputBuffer(1))


def asks(query: str) -> Call:
    return WORLD.call("clGetDeviceInfo", Handle("device1"), WORLD.value(query), 4, OutputBuffer(4), OutputBuffer(1))


def answers(number: int, size: int = 4) -> Returned:
    return Returned(0, {"param_value": Output([number], 4), "param_value_size_ret": Output([size], 8)})


def tells(kernel: str | None) -> Call:
    name = WORLD.value("CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM")
    return WORLD.call("clSetKernelExecInfo", Handle(kernel) if kernel else None, name, 4, Data(bytes(4)))


INTO_NONE, INTO_ONE, INTO_TWO = splits(EQUALLY, 17, 0), splits(EQUALLY, 9, 0), splits(EQUALLY, 8, 0)
"""A list that must be rejected, one that may be rejected, and a valid one."""
WRONG, FAILED, TWO = code("CL_INVALID_VALUE"), code("CL_DEVICE_PARTITION_FAILED"), code("CL_SUCCESS")
FORBIDDEN = code("CL_INVALID_DEVICE")
DONE = Returned(0)
VENDOR, UNITS = "CL_DEVICE_VENDOR_ID", "CL_DEVICE_MAX_COMPUTE_UNITS"


@pytest.mark.parametrize(
    ("call", "real", "shown", "reason"),
    [
        (INTO_NONE, WRONG, FAILED, OTHER_CODE),
        (INTO_NONE, WRONG, FORBIDDEN, ""),
        (INTO_NONE, WRONG, code("CL_SUCCESS"), ""),
        (INTO_NONE, WRONG, code("CL_OUT_OF_RESOURCES"), RESOURCES),
        (INTO_ONE, FAILED, code("CL_SUCCESS"), MAY_SUCCEED),
        (INTO_TWO, TWO, WRONG, ""),
        (INTO_TWO, TWO, Died("signal", "SIGSEGV"), ""),
        (INTO_TWO, TWO, TWO, ""),
        (INTO_TWO, TWO, msgspec.structs.replace(TWO, seconds=9.0), SLOWER),
        (INTO_TWO, TWO, msgspec.structs.replace(TWO, overrun=["num_devices_ret"]), ""),
        (INTO_NONE, WRONG, WRONG, UNUSED),
        (INTO_NONE, FORBIDDEN, FORBIDDEN, ""),
        (INTO_NONE, WRONG, msgspec.structs.replace(WRONG, outputs={"num_devices_ret": Output([1], 4)}), REFUSED),
        (INTO_NONE, WRONG, msgspec.structs.replace(WRONG, overrun=["num_devices_ret"]), ""),
        (splits(EQUALLY, 8, 0, device="platform1"), code("CL_INVALID_DEVICE"), TWO, OTHER_TYPE),
        (asks(VENDOR), answers(7), answers(8), OTHER_VALUE),
        (asks(VENDOR), answers(7), answers(7, size=5), ""),
        (asks(UNITS), answers(16), answers(17), ""),
        (WORLD.call("clReleaseDevice", Handle("device1")), DONE, DONE, UNCOUNTED),
        (WORLD.call("clReleaseDevice", Handle("device9")), DONE, DONE, ""),
        (tells("kernel1"), DONE, DONE, PERMITTED),
        (tells(None), DONE, DONE, PERMITTED),
        (tells("kernel1"), DONE, code("CL_INVALID_VALUE"), ""),
        (asks("CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR"), answers(1), answers(2, size=5), NOT_ASKED),
        (WORLD.call("clMemFreeINTEL", Handle("context1"), None), DONE, Died("signal", "SIGSEGV"), UNCLAIMED),
    ],
)
def test_what_the_documents_leave_open_is_told_apart(call: Call, real: Outcome, shown: Outcome, reason: str) -> None:
    assert open_by(call, real, shown, WORLD.oracle) == reason


def test_an_output_that_nobody_has_written_a_promise_for_is_not_left_open() -> None:
    """Otherwise a gap in the oracle would hide the faults that it cannot see."""
    world = World(Plan(16), extensions="cl_khr_suggested_local_work_size")
    call = world.call("clGetKernelSuggestedLocalWorkSizeKHR", None, None, 1, None, Items((1,)), OutputBuffer(1))
    assert open_by(call, Returned(0), Returned(0, {"suggested_local_work_size": Output([9], 8)}), world.oracle) == ""


@pytest.mark.parametrize(
    ("version", "waits", "reason"),
    [("1.2", False, UNSEEN), ("1.2", True, ""), ("3.0", False, "")],
    ids=["nothing-tells", "a-callback-of-its-own", "callbacks-of-contexts"],
)
@pytest.mark.parametrize("function", ["clRetainEvent", "clReleaseEvent"])
def test_the_end_of_an_event_is_seen_by_callbacks_alone(
    function: str, version: str, reason: str, *, waits: bool
) -> None:
    world = World(Plan(16), version=version)
    context = Context("context1", devices=[world.model.device(Handle("device1"))])
    event = UserEvent("event1", context=context)
    for thing in (context, event):
        world.model.add(thing)
    if waits:
        world.model.registered.append(Registration("told", "clSetEventCallback/success", None, event))
    assert open_by(world.call(function, Handle("event1")), DONE, DONE, world.oracle) == reason
