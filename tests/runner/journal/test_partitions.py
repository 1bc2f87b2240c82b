"""The partitionings of an item: each once, independent of device names, with the queried compute units."""

from __future__ import annotations

from clconform.calls.call import UNTOUCHED, Call, Output, Returned, Step
from clconform.calls.journal import Part, Split
from clconform.calls.values import Handle, Items, OutputBuffer
from clconform.runner.journal.partitions import MOST, Partitions

EQUALLY, SUB = 0x1086, "clCreateSubDevices"


def split(device: str, *scheme: int, made: tuple[str, ...] = (), count: int | None = None, code: int = 0) -> Step:
    """Return a call that partitions a device, with the created sub-devices or only their number."""
    arguments = {
        "in_device": Handle(device),
        "properties": Items(scheme),
        "out_devices": OutputBuffer(4) if made else None,
    }
    outputs = {"out_devices": Output([*made, UNTOUCHED], 8)} if made else {}
    if count is not None:
        outputs["num_devices_ret"] = Output([count], 4)
    return Step(Call(SUB, arguments), Returned(code, outputs), list(made))


def units(device: str, number: int) -> Step:
    """Return a query of a device's compute units."""
    call = Call("clGetDeviceInfo", {"device": Handle(device), "param_name": 0x1002})
    return Step(call, Returned(0, {"param_value": Output([number], 4)}))


def seen(*examples: list[Step], observed: str = "CL_SUCCESS") -> list[Split]:
    partitions = Partitions()
    for steps in examples:
        for end, step in enumerate(steps, start=1):
            partitions.saw(step.call, step.outcome, observed, steps[:end])
    return partitions.all()


def test_a_split_has_its_sub_devices_with_their_units() -> None:
    steps = [split("device1", EQUALLY, 2, 0, made=("device2", "device3")), units("device3", 2), units("device1", 4)]
    assert seen(steps) == [Split("device1", [], SUB, [EQUALLY, 2, 0], "CL_SUCCESS", [0, 2])]


def test_a_sub_device_that_is_split_again_is_known_by_its_way_from_the_root() -> None:
    steps = [
        split("device1", EQUALLY, 4, 0, made=("device2", "device3")),
        split("device3", EQUALLY, 1, 0, made=("device4",)),
        split("device4", EQUALLY, 1, 0, count=1),
    ]
    first, second, third = seen(steps)
    assert first.path == []
    assert second.path == [Part([EQUALLY, 4, 0], 1)]
    assert third.path == [Part([EQUALLY, 4, 0], 1), Part([EQUALLY, 1, 0], 0)]
    assert third.root == "device1"


def test_the_same_split_in_another_example_is_the_same_whatever_the_names() -> None:
    one = [split("device1", EQUALLY, 2, 0, count=2)]
    two = [split("device1", EQUALLY, 2, 0, made=("device7", "device8")), units("device7", 2)]
    assert seen(one, two) == [Split("device1", [], SUB, [EQUALLY, 2, 0], "CL_SUCCESS", [2, 0])]


def test_a_refusal_makes_no_sub_devices_and_a_mad_number_no_many() -> None:
    refused = seen([split("device1", 0, code=-30)], observed="CL_INVALID_VALUE")
    assert refused == [Split("device1", [], SUB, [0], "CL_INVALID_VALUE", [])]
    (mad,) = seen([split("device1", EQUALLY, 1, 0, count=1 << 31)])
    assert mad.units == []


def test_an_item_keeps_only_so_many() -> None:
    assert len(seen([split("device1", EQUALLY, number, 0, count=1) for number in range(MOST + 5)])) == MOST
