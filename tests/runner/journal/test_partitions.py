"""The partitionings of an item: each once, independent of device names, with the queried compute units."""

from __future__ import annotations

from clconform.calls.call import UNTOUCHED, Call, Output, Returned, Step
from clconform.calls.partitions import DeviceSplit, PartitionStep
from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.oracles.engine.judgements import Judgement
from clconform.runner.journal.partitions import MAX_SPLITS, PartitionContributor

EQUALLY, SUB = 0x1086, "clCreateSubDevices"


def create_split(
    device: str, *scheme: int, made: tuple[str, ...] = (), count: int | None = None, code: int = 0
) -> Step:
    """Return a call that partitions a device, with the created sub-devices or only their number."""
    arguments = {
        "in_device": Handle(device),
        "properties": ElementList(scheme),
        "out_devices": OutputBuffer(4) if made else None,
    }
    outputs = {"out_devices": Output([*made, UNTOUCHED], 8)} if made else {}
    if count is not None:
        outputs["num_devices_ret"] = Output([count], 4)
    return Step(Call(SUB, arguments), Returned(code, outputs), list(made))


def create_units_query(device: str, number: int) -> Step:
    """Return a query of a device's compute units."""
    call = Call("clGetDeviceInfo", {"device": Handle(device), "param_name": 0x1002})
    return Step(call, Returned(0, {"param_value": Output([number], 4)}))


def track_examples(*examples: list[Step], observed: str = "CL_SUCCESS") -> list[DeviceSplit]:
    partitions = PartitionContributor()
    for steps in examples:
        for end, step in enumerate(steps, start=1):
            partitions.on_judged_call(step.call, step.outcome, Judgement(observed), steps[:end])
    (line,) = partitions.end_item("an item")
    return line.splits


def test_split_contains_queried_compute_units_of_its_sub_devices() -> None:
    steps = [
        create_split("device1", EQUALLY, 2, 0, made=("device2", "device3")),
        create_units_query("device3", 2),
        create_units_query("device1", 4),
    ]
    assert track_examples(steps) == [DeviceSplit("device1", [], SUB, [EQUALLY, 2, 0], "CL_SUCCESS", [0, 2])]


def test_nested_split_has_path_from_root_device() -> None:
    steps = [
        create_split("device1", EQUALLY, 4, 0, made=("device2", "device3")),
        create_split("device3", EQUALLY, 1, 0, made=("device4",)),
        create_split("device4", EQUALLY, 1, 0, count=1),
    ]
    first, second, third = track_examples(steps)
    assert first.path == []
    assert second.path == [PartitionStep([EQUALLY, 4, 0], 1)]
    assert third.path == [PartitionStep([EQUALLY, 4, 0], 1), PartitionStep([EQUALLY, 1, 0], 0)]
    assert third.root == "device1"


def test_equal_splits_are_stored_once() -> None:
    one = [create_split("device1", EQUALLY, 2, 0, count=2)]
    two = [create_split("device1", EQUALLY, 2, 0, made=("device7", "device8")), create_units_query("device7", 2)]
    assert track_examples(one, two) == [DeviceSplit("device1", [], SUB, [EQUALLY, 2, 0], "CL_SUCCESS", [2, 0])]


def test_units_are_empty_for_rejected_split_and_implausible_count() -> None:
    refused = track_examples([create_split("device1", 0, code=-30)], observed="CL_INVALID_VALUE")
    assert refused == [DeviceSplit("device1", [], SUB, [0], "CL_INVALID_VALUE", [])]
    (mad,) = track_examples([create_split("device1", EQUALLY, 1, 0, count=1 << 31)])
    assert mad.units == []


def test_number_of_stored_splits_is_limited() -> None:
    assert (
        len(track_examples([create_split("device1", EQUALLY, number, 0, count=1) for number in range(MAX_SPLITS + 5)]))
        == MAX_SPLITS
    )
