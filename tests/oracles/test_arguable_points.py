"""Points on which the documents can be read in several ways: each sensible result is allowed, one cause counts once.

Revision 9a89dfee accused a driver of each of these results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import UNTOUCHED, Call, Hung, Output, Returned
from clconform.calls.values import Data, ElementList, Handle, OutputBuffer
from clconform.oracles.common.alignment import largest_type_size
from clconform.oracles.engine.judge import INDEPENDENT_QUEUES
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.devices import Device

from .kits import expect_changed_call, open_kit
from .oracle_setup import OracleSetup, get_verdict

if TYPE_CHECKING:
    from clconform.oracles.engine.judgements import Judgement
    from clconform.suites.kit.kit import Kit

FILL, LIST_FORMATS = "clEnqueueFillBuffer", "clGetSupportedImageFormats"
CUSTOM_TYPE = 1 << 4


@pytest.mark.parametrize(("topology", "may"), [("everything-1.2", True), ("everything", False)])
def test_empty_fill_may_be_rejected_before_2_1(topology: str, *, may: bool) -> None:
    with open_kit(topology) as kit:
        expected = ("", f"{FILL}/CL_INVALID_VALUE/1" if may else "")
        assert expect_changed_call(kit, FILL, {"size": 0}) == expected


def test_empty_format_list_is_one_deviation() -> None:
    with open_kit("images-1.2") as kit:
        oracle, context = kit.cl.oracle, kit.context
        flags, image_type = kit.constant("CL_MEM_READ_ONLY"), kit.constant("CL_MEM_OBJECT_IMAGE1D_BUFFER")
        arguments = {"context": context, "flags": flags, "image_type": image_type, "num_entries": 64}
        outputs = {"image_formats": OutputBuffer(64), "num_image_formats": OutputBuffer(1)}
        expectation = oracle.expect(Call(LIST_FORMATS, {**arguments, **outputs}))
        returned = Returned(0, {"image_formats": Output([UNTOUCHED] * 128), "num_image_formats": Output([0], 4)})
        deviations = oracle.judge(expectation, returned, validated=True).deviations
    assert len(deviations) == 1


def test_failure_for_undefined_format_is_attributed_to_the_format() -> None:
    with open_kit("everything") as kit:
        oracle, shape = kit.cl.oracle, Data(bytes(72))
        call = Call(
            "clCreateImage",
            {
                "context": kit.context,
                "flags": 0,
                "image_format": ElementList((12345, kit.constant("CL_UNORM_INT8"))),
                "image_desc": shape,
                "host_ptr": None,
                "errcode_ret": OutputBuffer(1),
            },
        )
        expectation = oracle.expect(call)
        requirements = oracle._violated_requirements(expectation)
    assert {each.partition("/")[0] for each in requirements} == {"clCreateImage"}
    assert "clCreateImage/success" not in requirements


def set_up_timers(*, custom: bool, device_version: str) -> OracleSetup:
    """Return a platform of 3.0 with timers and one device."""
    there = OracleSetup(version="3.0")
    (device,) = there.roots
    there.model.add(Context("context1", devices=[device]))
    device.facts["CL_DEVICE_TYPE"] = CUSTOM_TYPE if custom else 1 << 1
    major, minor = map(int, device_version.split("."))
    device.version = (major, minor)
    for platform in there.model.platforms.values():
        platform.facts["CL_PLATFORM_HOST_TIMER_RESOLUTION"] = 1
    return there


@pytest.mark.parametrize(
    ("custom", "version", "may"), [(True, "3.0", True), (False, "1.2", True), (False, "3.0", False)]
)
def test_custom_and_older_devices_may_lack_timers(version: str, *, custom: bool, may: bool) -> None:
    there = set_up_timers(custom=custom, device_version=version)
    device = Handle(there.roots[0].name)
    _, mays = get_verdict(there, "clGetHostTimer", device=device, host_timestamp=OutputBuffer(1))
    assert ("clGetHostTimer/CL_INVALID_OPERATION/1" in mays.split()) == may


def test_sub_device_of_custom_device_may_lack_timers() -> None:
    """The type of the sub-device, which was not queried, is that of its parent."""
    there = set_up_timers(custom=True, device_version="3.0")
    (parent,) = there.roots
    there.model.add(Device("device9", platform=parent.platform, version=parent.version, parent=parent))
    for function, outputs in (
        ("clGetHostTimer", ("host_timestamp",)),
        ("clGetDeviceAndHostTimer", ("device_timestamp", "host_timestamp")),
    ):
        given = dict.fromkeys(outputs, OutputBuffer(1))
        required, mays = get_verdict(there, function, device=Handle("device9"), **given)
        assert f"{function}/CL_INVALID_OPERATION/1" in mays.split()
        assert not required


def test_custom_device_has_no_default_alignment() -> None:
    there = set_up_timers(custom=True, device_version="3.0")
    assert largest_type_size(there.roots) == 1


def hang_beside_waiting_queue(kit: Kit, function: str) -> Judgement:
    """Return the judgement of a hang of this function while another queue of the device waits for a user event."""
    cl, other = kit.cl, kit.new_queue()
    event = cl.clCreateUserEvent(kit.context, OutputBuffer(1))
    waits = ElementList((Handle(str(event.value)),))  # type: ignore[union-attr]
    kit.enqueue("clEnqueueMarkerWithWaitList", queue=kit.queue, after=waits)
    return cl.oracle.judge(cl.oracle.expect(Call(function, {"command_queue": other})), Hung(1.0))


def test_call_may_wait_while_another_queue_waits_for_a_user_event() -> None:
    with open_kit("everything") as kit:
        judgement = hang_beside_waiting_queue(kit, "clFinish")
        assert [name for name, _ in judgement.interpretations] == [INDEPENDENT_QUEUES]
        assert judgement.deviations == []


def test_call_that_waits_for_nothing_must_return_beside_a_waiting_queue() -> None:
    with open_kit("everything") as kit:
        (deviation,) = hang_beside_waiting_queue(kit, "clFlush").deviations
        assert deviation.verdict == "hangs"
