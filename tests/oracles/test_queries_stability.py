"""Repeated queries return the same value, except for variable and undefined values."""

from __future__ import annotations

import pytest

from clconform.calls.call import Call, Output, Returned
from clconform.calls.values import Handle, OutputBuffer
from clconform.oracles.engine.matchers import match_values
from clconform.oracles.queries.answering import expect_query_value
from clconform.oracles.queries.query_request import query_request_of

from .oracle_setup import DevicePlan, OracleSetup

LUID = tuple(range(8))
OTHER_LUID = tuple(range(1, 9))


def list_mismatches(query: str, first: object, second: list[int], **told: int) -> list[str]:
    """Return the requirements with a mismatch if a device returns ``second`` after ``first``."""
    world = OracleSetup(DevicePlan(), version="3.0", extensions="cl_khr_device_uuid")
    (device,) = world.roots
    device.facts |= {query: first, **told}  # type: ignore[dict-item]
    device.refresh()
    values = (Handle(device.name), world.value(query), 64, OutputBuffer(64), OutputBuffer(1))
    parameters = [parameter.name for parameter in world.model.tables.functions["clGetDeviceInfo"].parameters]
    question = query_request_of(Call("clGetDeviceInfo", dict(zip(parameters, values, strict=True))), world.model)
    assert question is not None
    found, _ = match_values(expect_query_value(question, world.oracle.rulebook), list(second))
    return [complaint.requirement for complaint in found]


def test_changed_value_of_repeated_query_is_a_mismatch() -> None:
    assert list_mismatches("CL_DEVICE_ADDRESS_BITS", 64, [64]) == []
    assert "CL_DEVICE_ADDRESS_BITS" in list_mismatches("CL_DEVICE_ADDRESS_BITS", 64, [32])


@pytest.mark.parametrize(("released", "blamed"), [(False, {"CL_DEVICE_PARENT_DEVICE"}), (True, set())])
def test_parent_query_may_return_new_handle_of_a_released_parent(released: bool, blamed: set[str]) -> None:  # noqa: FBT001
    """A nested sub-device outlives its released parent and still returns the parent's handle."""
    world = OracleSetup(DevicePlan(4))
    half = world.add_sub_device("device2")
    quarter = world.add_sub_device("device3", half)
    query = world.value("CL_DEVICE_PARENT_DEVICE")

    def judge_parent(parent: str) -> set[str]:
        asked = world.expect("clGetDeviceInfo", Handle(quarter.name), query, 8, OutputBuffer(8), None)
        judgement = world.oracle.judge(asked, Returned(0, {"param_value": Output([parent], 8)}))
        return {requirement for deviation in judgement.deviations for requirement in deviation.requirements}

    assert judge_parent(half.name) == set()
    if released:
        assert world.oracle.judge(world.expect("clReleaseDevice", Handle(half.name)), Returned(0)).deviations == []
    assert judge_parent("device7") == blamed


@pytest.mark.parametrize("query", ["CL_DEVICE_REFERENCE_COUNT", "CL_DEVICE_AVAILABLE"])
def test_variable_query_value_may_change(query: str) -> None:
    assert list_mismatches(query, 0, [1]) == []


def test_clock_frequency_may_change_between_queries() -> None:
    assert list_mismatches("CL_DEVICE_MAX_CLOCK_FREQUENCY", 2000, [1800]) == []


def test_device_luid_may_change_only_if_it_is_invalid() -> None:
    assert list_mismatches("CL_DEVICE_LUID_KHR", LUID, list(OTHER_LUID), CL_DEVICE_LUID_VALID_KHR=0) == []
    assert list_mismatches("CL_DEVICE_LUID_KHR", LUID, list(OTHER_LUID), CL_DEVICE_LUID_VALID_KHR=1) == [
        "CL_DEVICE_LUID_KHR"
    ]


@pytest.mark.parametrize(
    ("valid", "missed"), [({"CL_DEVICE_LUID_VALID_KHR": 0}, 0), ({}, 0), ({"CL_DEVICE_LUID_VALID_KHR": 1}, 2)]
)
def test_device_luid_need_not_be_written_if_it_is_invalid(valid: dict[str, int], missed: int) -> None:
    world = OracleSetup(DevicePlan(), version="3.0", extensions="cl_khr_device_uuid")
    (device,) = world.roots
    device.facts |= valid
    device.refresh()
    deviations = []
    for query, size in (("CL_DEVICE_LUID_KHR", 8), ("CL_DEVICE_NODE_MASK_KHR", 4)):
        asked = world.expect(
            "clGetDeviceInfo", Handle(device.name), world.value(query), size, OutputBuffer(size), OutputBuffer(1)
        )
        outputs = {"param_value": Output([], 0), "param_value_size_ret": Output([size], 8)}
        deviations += world.oracle.judge(asked, Returned(0, outputs)).deviations
        again = world.expect("clGetDeviceInfo", Handle(device.name), world.value(query), 1, OutputBuffer(1), None)
        assert bool(again.required_errors) == (query.startswith("CL_DEVICE_NODE"))
    assert len(deviations) == missed
