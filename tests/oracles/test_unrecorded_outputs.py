"""Outputs whose contents a recording lacks are unknown: they do not contradict other outputs of the same call."""

from __future__ import annotations

import pytest

from clconform.calls.call import Output, Returned
from clconform.calls.values import ElementList, Handle, OutputBuffer, Value
from clconform.oracles.model.contexts import Context

from .oracle_setup import DevicePlan, OracleSetup

UNRECORDED = Output(unrecorded=True)


def set_up() -> OracleSetup:
    """Return a model with two devices and a context of both."""
    world = OracleSetup(DevicePlan(), DevicePlan())
    for device in world.roots:
        kind = world.value("CL_DEVICE_TYPE_CPU")
        device.facts |= {"CL_DEVICE_TYPE": kind, "CL_DEVICE_IMAGE_SUPPORT": 1, "CL_DEVICE_MAX_COMPUTE_UNITS": 4}
    world.model.add(Context("context1", devices=list(world.roots)))
    return world


PARTITION = ElementList((0x1086, 1, 0))


@pytest.mark.parametrize(
    ("function", "arguments", "outputs"),
    [
        (
            "clGetSupportedImageFormats",
            (Handle("context1"), 1, 0x10F1, 64, OutputBuffer(64), OutputBuffer(1)),
            {"image_formats": UNRECORDED, "num_image_formats": Output([44], 4)},
        ),
        (
            "clGetDeviceIDs",
            (Handle("platform1"), 2, 64, OutputBuffer(64), OutputBuffer(1)),
            {"devices": UNRECORDED, "num_devices": Output([2], 4)},
        ),
        (
            "clGetPlatformIDs",
            (64, OutputBuffer(64), OutputBuffer(1)),
            {"platforms": UNRECORDED, "num_platforms": Output([1], 4)},
        ),
        (
            "clCreateSubDevices",
            (Handle("device1"), PARTITION, 64, OutputBuffer(64), OutputBuffer(1)),
            {"out_devices": UNRECORDED, "num_devices_ret": Output([4], 4)},
        ),
    ],
)
def test_unrecorded_output_causes_no_deviation(
    function: str, arguments: tuple[Value, ...], outputs: dict[str, Output]
) -> None:
    world = set_up()
    judgement = world.oracle.judge(world.expect(function, *arguments), Returned(0, outputs))
    assert [deviation.observed for deviation in judgement.deviations] == []
