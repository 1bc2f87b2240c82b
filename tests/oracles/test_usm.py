"""Unified shared memory: each error condition of the document, with test values on both sides of its limits.

The expectations are written from the document: each case lists the conditions that must hold and those that may hold.
"""

from __future__ import annotations

import struct

import pytest

from clconform.calls.call import UNTOUCHED, Call, Output, Returned
from clconform.calls.values import Data, ElementList, Handle, OffsetPointer, OutputBuffer, Pointers, Value
from clconform.oracles.contents.storage import Storage, StorageView
from clconform.oracles.contents.usm import is_usable_by
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.pointer_memory import DeviceAllocation, HostAllocation, HostArea, SharedAllocation
from clconform.oracles.model.programs import Program
from clconform.oracles.model.queues import HostQueue

from .asking import judged
from .worlds import Plan, World, enqueued, of_function, verdict

SIZE, LARGEST = 256, 1 << 20
ALL = 15
HOST, DEVICE, SHARED, OWNERLESS, FOREIGN, AREA = (Handle(f"pointer{number}") for number in range(1, 7))
FLAGS = 0x4195
COMBINED, FIRST_DEVICE, FIRST_HOST = 1, 2, 4
CAPABILITIES = ("HOST", "DEVICE", "SINGLE_DEVICE_SHARED", "CROSS_DEVICE_SHARED", "SHARED_SYSTEM")
EVERYTHING = (ALL, ALL, ALL, ALL, 0)


def world(*able: tuple[int, ...], most: tuple[int, ...] = (), profile: str = "FULL_PROFILE") -> World:
    """Return a setup with a device for each set of capabilities, memory of each type, and a second context."""
    plans = able or (EVERYTHING,)
    made = World(*(Plan() for _ in plans), version="3.0", extensions="cl_intel_unified_shared_memory")
    for number, (device, bits) in enumerate(zip(made.roots, plans, strict=True)):
        told = zip(CAPABILITIES, (*bits, 0, 0, 0, 0, 0), strict=False)
        device.facts |= {f"CL_DEVICE_{memory_type}_MEM_CAPABILITIES_INTEL": each for memory_type, each in told}
        device.facts |= {
            "CL_DEVICE_SVM_CAPABILITIES": 0,
            "CL_DEVICE_MAX_MEM_ALLOC_SIZE": most[number] if most else LARGEST,
            "CL_DEVICE_PROFILE": profile,
        }
    contexts = [Context(f"context{number}", devices=list(made.roots)) for number in (1, 2)]
    queue = HostQueue("queue1", context=contexts[0], queue_device=made.roots[0])
    program = Program("program1", context=contexts[0], kernels=("add_scaled",))
    kernel = Kernel("kernel1", context=contexts[0], program=program, function="add_scaled")
    for thing in (*contexts, queue, kernel):
        made.model.add(thing)
    for pointer, kind, context, owned in (
        (HOST, HostAllocation, contexts[0], False),
        (DEVICE, DeviceAllocation, contexts[0], True),
        (SHARED, SharedAllocation, contexts[0], True),
        (OWNERLESS, SharedAllocation, contexts[0], False),
        (FOREIGN, DeviceAllocation, contexts[1], True),
    ):
        memory = kind(pointer.name, context=context, size=SIZE, known_alignment=128)
        memory.memory = StorageView(Storage(SIZE), 0, SIZE)
        memory.devices = made.roots[:1] if owned else []
        made.model.add(memory)
    area = StorageView(Storage(SIZE, host=True), 0, SIZE)
    made.model.add(HostArea(AREA.name, size=SIZE, memory=area, known_alignment=128))
    return made


ANYTHING = ("Host", "Device", "Shared")
OPERATION = "clHostMemAllocINTEL/CL_INVALID_OPERATION/1"
NO_POWER = "clHostMemAllocINTEL/CL_INVALID_VALUE/1"
TOO_FAR = "clHostMemAllocINTEL/CL_INVALID_VALUE/2"
PROPERTY = "clHostMemAllocINTEL/CL_INVALID_PROPERTY/1"
PLACE = "clHostMemAllocINTEL/CL_INVALID_PROPERTY/2"
TOO_LARGE = "clHostMemAllocINTEL/CL_INVALID_BUFFER_SIZE/1"
OF_DEVICE = {
    OPERATION: "clDeviceMemAllocINTEL/CL_INVALID_OPERATION/1",
    NO_POWER: "clDeviceMemAllocINTEL/CL_INVALID_VALUE/1",
    TOO_FAR: "clDeviceMemAllocINTEL/CL_INVALID_VALUE/2",
    PROPERTY: "clDeviceMemAllocINTEL/CL_INVALID_PROPERTY/1",
    PLACE: "clDeviceMemAllocINTEL/CL_INVALID_PROPERTY/2",
    TOO_LARGE: "clDeviceMemAllocINTEL/CL_INVALID_BUFFER_SIZE/1",
}
OF_SHARED = {
    OPERATION: "clSharedMemAllocINTEL/CL_INVALID_OPERATION/1",
    NO_POWER: "clSharedMemAllocINTEL/CL_INVALID_VALUE/1",
    TOO_FAR: "clSharedMemAllocINTEL/CL_INVALID_VALUE/2",
    PROPERTY: "clSharedMemAllocINTEL/CL_INVALID_PROPERTY/1",
    PLACE: "clSharedMemAllocINTEL/CL_INVALID_PROPERTY/2",
    TOO_LARGE: "clSharedMemAllocINTEL/CL_INVALID_BUFFER_SIZE/1",
}
"""Ids of the conditions of host memory to the ids of the identical conditions of the other types."""


def allocated(there: World, memory_type: str, **changed: Value) -> tuple[str, str]:
    """Return the verdict on an allocation of a memory type."""
    device: dict[str, Value] = {} if memory_type == "Host" else {"device": there.device}
    given: dict[str, Value] = {"context": Handle("context1"), **device, "properties": None, "size": SIZE}
    return verdict(
        there, f"cl{memory_type}MemAllocINTEL", **{**given, "alignment": 0, "errcode_ret": OutputBuffer(1), **changed}
    )


def of_type(memory_type: str, musts: str, mays: str = "") -> tuple[str, str]:
    """Return the ids expected for host memory as those of another type; ``undefined`` stays unchanged."""
    if memory_type == "Host" or musts == "undefined":
        return musts, mays
    other = {"Device": OF_DEVICE, "Shared": OF_SHARED}[memory_type]
    return of_function(musts, other), of_function(mays, other)


@pytest.mark.parametrize("memory_type", ANYTHING)
@pytest.mark.parametrize(
    ("size", "alignment", "expected"),
    [
        (SIZE, 0, ("", "")),
        (1, 0, ("", "")),
        (0, 0, (TOO_LARGE, "")),
        (LARGEST, 0, ("", "")),
        (LARGEST + 1, 0, (TOO_LARGE, "")),
        ((1 << 64) - 1, 0, (TOO_LARGE, "")),
        *((SIZE, 1 << exponent, ("", "")) for exponent in range(8)),
        *((SIZE, 1 << exponent, (TOO_FAR, "")) for exponent in range(8, 32)),
        *((SIZE, number, (NO_POWER, "")) for number in (3, 5, 6, 7, 96, 127)),
        *((SIZE, number, (f"{NO_POWER} {TOO_FAR}", "")) for number in (129, 0xFFFFFFFF)),
    ],
)
def test_sizes_and_alignments(memory_type: str, size: int, alignment: int, expected: tuple[str, str]) -> None:
    assert allocated(world(), memory_type, size=size, alignment=alignment) == of_type(memory_type, *expected)


@pytest.mark.parametrize("memory_type", ANYTHING)
def test_a_device_without_long_need_not_align_for_it(memory_type: str) -> None:
    there = world(profile="EMBEDDED_PROFILE")
    assert allocated(there, memory_type, alignment=64) == ("", "")
    assert allocated(there, memory_type, alignment=128) == of_type(memory_type, "", TOO_FAR)
    assert allocated(there, memory_type, alignment=256) == of_type(memory_type, TOO_FAR)


@pytest.mark.parametrize("memory_type", ANYTHING)
@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ((0,), ("", "")),
        ((FLAGS, COMBINED, 0), ("", "")),
        ((FLAGS, 0, 0), ("", PROPERTY)),
        ((FLAGS, COMBINED, FLAGS, COMBINED, 0), (PROPERTY, "")),
        ((FLAGS, 0, FLAGS, 0, 0), (PROPERTY, "")),
        ((0x7FFF0000, 1, 0), (PROPERTY, "")),
        ((FLAGS, COMBINED, 0x7FFF0000, 1, 0), (PROPERTY, "")),
        ((FLAGS, 1 << 62, 0), (PROPERTY, "")),
        ((FLAGS, COMBINED | 1 << 63, 0), (PROPERTY, "")),
        ((0x1101, 1, 0), ("", PROPERTY)),
        ((FLAGS, COMBINED), ("undefined", "")),
        ((FLAGS, FIRST_DEVICE | FIRST_HOST, 0), (PLACE, PROPERTY)),
        ((FLAGS, COMBINED | FIRST_DEVICE | FIRST_HOST, 0), (PLACE, PROPERTY)),
    ],
    ids=str,
)
def test_lists_of_properties(memory_type: str, properties: tuple[int, ...], expected: tuple[str, str]) -> None:
    assert allocated(world(), memory_type, properties=ElementList(properties)) == of_type(memory_type, *expected)


@pytest.mark.parametrize("flag", [FIRST_DEVICE, FIRST_HOST, COMBINED | FIRST_DEVICE])
def test_only_shared_memory_is_placed_at_first(flag: int) -> None:
    properties = ElementList((FLAGS, flag, 0))
    assert allocated(world(), "Shared", properties=properties) == ("", "")
    assert allocated(world(), "Host", properties=properties) == (PLACE, PROPERTY)
    assert allocated(world(), "Device", properties=properties) == of_type("Device", PLACE, PROPERTY)


@pytest.mark.parametrize(
    ("able", "lacking"),
    [
        ((0, 1, 0, 0), ("Host", "Shared")),
        ((1, 0, 0, 0), ("Device", "Shared")),
        ((0, 0, 1, 0), ("Host", "Device")),
        ((0, 0, 0, 1), ("Host", "Device")),
        ((2, 2, 2, 2), ()),
    ],
    ids=str,
)
def test_a_type_that_the_device_lacks(able: tuple[int, ...], lacking: tuple[str, ...]) -> None:
    for memory_type in ANYTHING:
        expected = of_type(memory_type, OPERATION if memory_type in lacking else "")
        assert allocated(world(able), memory_type)[0] == expected[0]


def test_memory_of_the_host_needs_one_device_that_has_it() -> None:
    assert allocated(world((0, 1), (1, 1)), "Host") == ("", "")
    assert allocated(world((0, 1), (0, 1)), "Host") == (OPERATION, TOO_LARGE)


def test_only_devices_that_have_the_type_count() -> None:
    there = world((0, 1), (1, 1), most=(100, 200))
    assert allocated(there, "Host", size=200) == ("", "")
    assert allocated(there, "Host", size=201) == (TOO_LARGE, "")
    assert allocated(there, "Device", size=101) == of_type("Device", TOO_LARGE)
    both = world((1, 1), (1, 1), most=(100, 200))
    assert allocated(both, "Host", size=150) == ("", TOO_LARGE)


def test_shared_memory_without_a_device() -> None:
    assert allocated(world(), "Shared", device=None) == ("", "")
    assert allocated(world((0, 1, 1, 0)), "Shared", device=None) == of_type("Shared", "", OPERATION)
    assert allocated(world((1, 1, 0, 0)), "Shared", device=None) == of_type("Shared", OPERATION, TOO_LARGE)
    assert allocated(world((0, 1), (0, 1, 0, 1)), "Shared", device=None) == ("", "")


@pytest.mark.parametrize(
    ("memory_type", "must"),
    [
        ("Device", "clDeviceMemAllocINTEL/CL_INVALID_DEVICE/1"),
        ("Shared", "clSharedMemAllocINTEL/CL_INVALID_DEVICE/1"),
    ],
)
def test_a_device_of_another_context(memory_type: str, must: str) -> None:
    there = world(EVERYTHING, EVERYTHING)
    there.model.context(Handle("context1")).devices = there.roots[:1]
    assert allocated(there, memory_type, device=Handle("device1"))[0] == ""
    assert allocated(there, memory_type, device=Handle("device2"))[0] == must


@pytest.mark.parametrize(
    ("function", "not_to_be_freed"),
    [
        ("clMemFreeINTEL", "clMemFreeINTEL/CL_INVALID_VALUE/1"),
        ("clMemBlockingFreeINTEL", "clMemBlockingFreeINTEL/CL_INVALID_VALUE/1"),
    ],
)
@pytest.mark.parametrize(
    ("pointer", "expected"),
    [
        (None, ""),
        *((pointer, "") for pointer in (HOST, DEVICE, SHARED, OWNERLESS)),
        (OffsetPointer(DEVICE, 1), "must"),
        (OffsetPointer(SHARED, SIZE - 1), "must"),
        (AREA, "must"),
        (FOREIGN, "may"),
        (Handle("pointer99"), "undefined"),
    ],
    ids=str,
)
def test_what_can_be_freed(function: str, not_to_be_freed: str, pointer: Value, expected: str) -> None:
    musts, mays = verdict(world(), function, context=Handle("context1"), ptr=pointer)
    assert musts == {"must": not_to_be_freed, "undefined": "undefined"}.get(expected, "")
    assert mays == (not_to_be_freed if expected == "may" else "")


@pytest.mark.parametrize(("code", "gone"), [(0, True), (-30, False)])
@pytest.mark.parametrize("function", ["clMemFreeINTEL", "clMemBlockingFreeINTEL"])
def test_what_a_driver_frees_by_a_pointer_into_it_is_used_no_more(function: str, code: int, *, gone: bool) -> None:
    there = world()
    asked = there.expect(function, Handle("context1"), OffsetPointer(DEVICE, 1))
    assert bool(there.oracle.judge(asked, Returned(code)).deviations) == gone
    assert bool(there.expect(function, Handle("context1"), DEVICE).undefined) == gone


NOWHERE, OVERLAP = "clEnqueueMemcpyINTEL/CL_INVALID_VALUE/1", "clEnqueueMemcpyINTEL/CL_MEM_COPY_OVERLAP/1"


@pytest.mark.parametrize(
    ("target", "source", "size", "expected"),
    [
        *((to, start, SIZE, ("", "")) for to in (HOST, DEVICE, OWNERLESS) for start in (SHARED,)),
        (DEVICE, DEVICE, SIZE, (OVERLAP, "")),
        (DEVICE, DEVICE, 1, (OVERLAP, "")),
        (OffsetPointer(DEVICE, 128), DEVICE, 128, ("", "")),
        (OffsetPointer(DEVICE, 127), DEVICE, 128, (OVERLAP, "")),
        (DEVICE, OffsetPointer(DEVICE, 127), 128, (OVERLAP, "")),
        (OffsetPointer(DEVICE, 129), DEVICE, 128, ("undefined", "")),
        (None, DEVICE, 1, (NOWHERE, "")),
        (DEVICE, None, 1, (NOWHERE, "")),
        (None, None, 0, ("", f"{NOWHERE} {OVERLAP}")),
        (None, None, 1, (NOWHERE, OVERLAP)),
        (DEVICE, SHARED, 0, ("", NOWHERE)),
        (OutputBuffer(SIZE), DEVICE, SIZE, ("", NOWHERE)),
        (OutputBuffer(SIZE - 1), DEVICE, SIZE, ("undefined", "")),
        (DEVICE, Data(bytes(SIZE)), SIZE, ("", NOWHERE)),
        (AREA, DEVICE, SIZE, ("", NOWHERE)),
    ],
    ids=str,
)
def test_a_copy(target: Value, source: Value, size: int, expected: tuple[str, str]) -> None:
    given: dict[str, Value] = {"blocking": 1, "dst_ptr": target, "src_ptr": source, "size": size}
    assert enqueued(world(), "clEnqueueMemcpyINTEL", **given) == expected


@pytest.mark.parametrize(
    ("target", "source", "usage"),
    [(FOREIGN, DEVICE, "clEnqueueMemcpyINTEL/usage/2"), (DEVICE, FOREIGN, "clEnqueueMemcpyINTEL/usage/3")],
)
def test_nothing_is_copied_across_contexts(target: Handle, source: Handle, usage: str) -> None:
    given: dict[str, Value] = {"blocking": 1, "dst_ptr": target, "src_ptr": source, "size": 1}
    found, broken = enqueued(world(), "clEnqueueMemcpyINTEL", **given)
    assert found == "undefined"
    assert usage in broken.split()
    own = {name: SHARED if value == FOREIGN else value for name, value in given.items()}
    assert enqueued(world(), "clEnqueueMemcpyINTEL", **own) == ("", "")


PATTERN = Data(bytes(512))
NO_PLACE, NO_PATTERN = "clEnqueueMemFillINTEL/CL_INVALID_VALUE/1", "clEnqueueMemFillINTEL/CL_INVALID_VALUE/2"
WRONG_PATTERN, NO_MULTIPLE = "clEnqueueMemFillINTEL/CL_INVALID_VALUE/3", "clEnqueueMemFillINTEL/CL_INVALID_VALUE/4"


@pytest.mark.parametrize(
    ("place", "pattern", "pattern_size", "size", "expected"),
    [
        *((place, PATTERN, 4, SIZE, ("", "")) for place in (HOST, DEVICE, SHARED, OWNERLESS)),
        *((DEVICE, PATTERN, 1 << exponent, 128, ("", "")) for exponent in range(8)),
        *((OffsetPointer(DEVICE, 1 << exponent), PATTERN, 1 << exponent, 128, ("", "")) for exponent in range(8)),
        *((OffsetPointer(DEVICE, 1), PATTERN, 1 << exponent, 128, (NO_PLACE, "")) for exponent in range(1, 8)),
        *((DEVICE, PATTERN, number, number, (WRONG_PATTERN, NO_PLACE)) for number in (3, 5, 24, 127, 129, 255, 256)),
        (DEVICE, PATTERN, 0, 128, (WRONG_PATTERN, "")),
        (DEVICE, None, 4, 128, (NO_PATTERN, "")),
        (DEVICE, PATTERN, 4, 127, (NO_MULTIPLE, "")),
        (DEVICE, PATTERN, 4, 0, ("", NO_PLACE)),
        (None, PATTERN, 4, 128, (NO_PLACE, "")),
        (None, PATTERN, 4, 0, ("", NO_PLACE)),
        (DEVICE, PATTERN, 4, SIZE + 4, ("undefined", "")),
        (FOREIGN, PATTERN, 4, 128, ("undefined", "")),
        (AREA, PATTERN, 4, 128, ("undefined", "")),
    ],
    ids=str,
)
def test_a_fill(place: Value, pattern: Value, pattern_size: int, size: int, expected: tuple[str, str]) -> None:
    given: dict[str, Value] = {"dst_ptr": place, "pattern": pattern, "pattern_size": pattern_size, "size": size}
    assert enqueued(world(), "clEnqueueMemFillINTEL", **given) == expected


@pytest.mark.parametrize(
    ("able", "place", "expected"),
    [
        ((0, 1), HOST, "undefined"),
        ((1, 1), HOST, ""),
        ((2, 1), HOST, "undefined"),
        ((0, 1), SHARED, "undefined"),
        ((0, 1, 1), SHARED, ""),
        ((0, 1, 1), OWNERLESS, "undefined"),
        ((0, 1, 0, 1), OWNERLESS, ""),
        ((0, 1), AREA, "undefined"),
        ((0, 1, 0, 0, 1), AREA, ""),
    ],
    ids=str,
)
def test_a_device_is_not_made_to_use_what_it_may_not(able: tuple[int, ...], place: Handle, expected: str) -> None:
    given: dict[str, Value] = {"dst_ptr": place, "pattern": PATTERN, "pattern_size": 1, "size": SIZE}
    assert enqueued(world(able), "clEnqueueMemFillINTEL", **given)[0] == expected


def test_another_device_uses_only_what_both_share() -> None:
    given: dict[str, Value] = {"dst_ptr": SHARED, "pattern": PATTERN, "pattern_size": 1, "size": SIZE}
    for able, expected in (((0, 1, 1, 1), ""), ((0, 1, 1, 0), "undefined")):
        there = world(EVERYTHING, able)
        memory = there.model.get(SharedAllocation, SHARED)
        memory.devices = there.roots[1:]
        assert enqueued(there, "clEnqueueMemFillINTEL", **given)[0] == expected


REGION_MIGRATED = "clEnqueueMigrateMemINTEL/CL_INVALID_VALUE/1"
REGION_ADVISED = "clEnqueueMemAdviseINTEL/CL_INVALID_VALUE/1"
"""Error conditions that the document states as an open question."""
HINT = "region-for-a-hint"


@pytest.mark.parametrize(
    ("place", "size"),
    [
        (SHARED, SIZE),
        (SHARED, 1),
        (OffsetPointer(SHARED, SIZE - 1), 1),
        (OWNERLESS, SIZE),
        (SHARED, 0),
        (HOST, SIZE),
        (DEVICE, SIZE),
        (None, 0),
        (None, 1),
    ],
    ids=str,
)
def test_whether_a_region_for_a_hint_is_valid_is_open(place: Value, size: int) -> None:
    assert left_open("clEnqueueMigrateMemINTEL", ptr=place, size=size, flags=2) == {REGION_MIGRATED: HINT}
    assert left_open("clEnqueueMemAdviseINTEL", ptr=place, size=size, advice=0)[REGION_ADVISED] == HINT


def left_open(function: str, **arguments: Value) -> dict[str, str]:
    """Return the conditions that may hold for a command without required errors, each with its interpretation."""
    waits: dict[str, Value] = {"num_events_in_wait_list": 0, "event_wait_list": None, "event": OutputBuffer(1)}
    expectation = world().oracle.expect(Call(function, {"command_queue": Handle("queue1"), **arguments, **waits}))
    assert (expectation.musts, expectation.undefined) == ((), "")
    return {held.clause.id: held.interpretation for held in expectation.mays}


def test_a_hint_is_about_memory_that_the_device_may_use() -> None:
    assert enqueued(world(), "clEnqueueMigrateMemINTEL", ptr=AREA, size=SIZE, flags=2)[0] == "undefined"
    assert enqueued(world(), "clEnqueueMemAdviseINTEL", ptr=AREA, size=SIZE, advice=0)[0] == "undefined"


def test_a_hint_does_not_reach_beyond_the_memory() -> None:
    region: dict[str, Value] = {"ptr": OffsetPointer(SHARED, 1), "size": SIZE}
    assert enqueued(world(), "clEnqueueMigrateMemINTEL", flags=2, **region)[0] == "undefined"
    assert enqueued(world(), "clEnqueueMemAdviseINTEL", advice=0, **region)[0] == "undefined"


REGION, MIGRATED = "clEnqueueMigrateMemINTEL/CL_INVALID_VALUE/1", "clEnqueueMigrateMemINTEL/CL_INVALID_VALUE/2"
HINTED, ADVICE = "clEnqueueMemAdviseINTEL/CL_INVALID_VALUE/1", "clEnqueueMemAdviseINTEL/CL_INVALID_VALUE/2"


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (0, (MIGRATED, REGION)),
        (1, ("", f"{REGION} {MIGRATED}")),
        (2, ("", REGION)),
        (3, ("", f"{REGION} {MIGRATED}")),
        (1 << 62, (MIGRATED, REGION)),
        (2 | 1 << 63, (MIGRATED, REGION)),
    ],
)
def test_flags_of_migrations(flags: int, expected: tuple[str, str]) -> None:
    assert enqueued(world(), "clEnqueueMigrateMemINTEL", ptr=SHARED, size=SIZE, flags=flags) == expected


@pytest.mark.parametrize("advice", [0, 1, 0x4208, 0xFFFFFFFF])
def test_which_advice_is_supported_is_open(advice: int) -> None:
    advised = left_open("clEnqueueMemAdviseINTEL", ptr=SHARED, size=SIZE, advice=advice)
    assert advised == {REGION_ADVISED: HINT, ADVICE: "advice-of-nobody"}


@pytest.mark.parametrize(("size", "deviates"), [(0, False), (4, True)])
def test_a_fill_of_no_byte_may_give_no_event(size: int, deviates: bool) -> None:  # noqa: FBT001
    there = world()
    arguments = (Handle("queue1"), DEVICE, Data(b"abcd"), 4, size, 0, None, OutputBuffer(1))
    expectation = there.expect("clEnqueueMemFillINTEL", *arguments)
    judgement = there.oracle.judge(expectation, Returned(0, {"event": Output([UNTOUCHED], 0)}))
    assert bool(judgement.deviations) is deviates


@pytest.mark.parametrize(("bits", "plain", "atomic"), [(0, False, False), (0x7, True, False), (0xF, True, True)])
def test_the_hosts_own_memory_may_be_used_as_virtual_memory_too(bits: int, *, plain: bool, atomic: bool) -> None:
    there = world()
    device, area = there.roots[0], there.model.objects[AREA.name]
    assert isinstance(area, HostArea)
    device.facts["CL_DEVICE_SVM_CAPABILITIES"] = bits
    assert [is_usable_by(area, device, there.model, atomics=each) for each in (False, True)] == [plain, atomic]


def test_an_address_of_no_allocation_has_the_address_0_as_its_base() -> None:
    there = world()
    asked = {
        "context": Handle("context1"),
        "ptr": AREA,
        "param_name": there.value("CL_MEM_ALLOC_BASE_PTR_INTEL"),
        "param_value_size": 8,
        "param_value": OutputBuffer(8),
        "param_value_size_ret": None,
    }
    assert judged(there, Call("clGetMemAllocInfoINTEL", asked), 0)["CL_MEM_ALLOC_BASE_PTR_INTEL"] == "fine"
    assert judged(there, Call("clGetMemAllocInfoINTEL", asked), 64)["CL_MEM_ALLOC_BASE_PTR_INTEL"] == "wrong"


NO_ARGUMENT = "clSetKernelArgMemPointerINTEL/CL_INVALID_ARG_INDEX/1"
NO_VALUE = "clSetKernelArgMemPointerINTEL/CL_INVALID_ARG_VALUE/1"


@pytest.mark.parametrize(
    ("index", "pointer", "expected"),
    [
        *(
            (0, pointer, ("", ""))
            for pointer in (HOST, DEVICE, SHARED, OWNERLESS, OffsetPointer(DEVICE, SIZE - 1), None)
        ),
        (2, DEVICE, ("", "")),
        (3, DEVICE, (NO_VALUE, NO_ARGUMENT)),
        (4, DEVICE, (NO_VALUE, NO_ARGUMENT)),
        (3, None, ("", f"{NO_ARGUMENT} {NO_VALUE}")),
        (5, DEVICE, (NO_ARGUMENT, NO_VALUE)),
        (0xFFFFFFFF, DEVICE, (NO_ARGUMENT, NO_VALUE)),
        (0, AREA, ("", NO_VALUE)),
        (0, FOREIGN, ("", NO_VALUE)),
        (0, OffsetPointer(DEVICE, SIZE), ("", NO_VALUE)),
        (0, Handle("pointer99"), ("undefined", "")),
    ],
    ids=str,
)
def test_arguments_by_pointer(index: int, pointer: Value, expected: tuple[str, str]) -> None:
    given: dict[str, Value] = {"kernel": Handle("kernel1"), "arg_index": index, "arg_value": pointer}
    assert verdict(world(), "clSetKernelArgMemPointerINTEL", **given) == expected


def test_any_pointer_is_an_argument_where_the_hosts_memory_is_used() -> None:
    there = world((ALL,) * 5)
    given: dict[str, Value] = {"kernel": Handle("kernel1"), "arg_index": 0, "arg_value": AREA}
    assert verdict(there, "clSetKernelArgMemPointerINTEL", **given) == ("", "")


INDIRECT, POINTERS, SYSTEM = 0x4200, 0x4203, 0x11B7
TRUE = Data(struct.pack("I", 1))
NONE_SHARES, NONE_SHARES_ALL = (
    "clSetKernelExecInfo/CL_INVALID_OPERATION/1",
    "clSetKernelExecInfo/CL_INVALID_OPERATION/2",
)
NOT_TOLD = "clSetKernelExecInfo/CL_INVALID_VALUE/1"


@pytest.mark.parametrize(
    ("name", "size", "value", "must"),
    [
        *((INDIRECT + which, 4, TRUE, "") for which in range(3)),
        (INDIRECT, 4, None, NOT_TOLD),
        (INDIRECT, 3, TRUE, NOT_TOLD),
        (INDIRECT, 5, Data(bytes(5)), NOT_TOLD),
        (INDIRECT, 5, TRUE, "undefined"),
        (POINTERS, 8, Pointers((DEVICE,)), ""),
        (POINTERS, 16, Pointers((DEVICE,)), "undefined"),
        (POINTERS, 7, Pointers((DEVICE,)), NOT_TOLD),
        (POINTERS, 24, Pointers((DEVICE, HOST, SHARED)), ""),
        (POINTERS, 8, Pointers((DEVICE, HOST, None)), ""),
        (POINTERS, 20, Pointers((DEVICE, HOST, SHARED)), NOT_TOLD),
        (POINTERS, 16, None, NOT_TOLD),
        (POINTERS, 8, Pointers((Handle("pointer99"),)), "undefined"),
        (POINTERS, 0, None, ""),
        (POINTERS, 8, None, NOT_TOLD),
        (0x7FFF0000, 4, TRUE, f"{NONE_SHARES} {NOT_TOLD}"),
        (SYSTEM, 4, TRUE, f"{NONE_SHARES} {NONE_SHARES_ALL}"),
        (SYSTEM, 4, Data(bytes(4)), NONE_SHARES),
    ],
    ids=str,
)
def test_what_a_kernel_is_told(name: int, size: int, value: Value, must: str) -> None:
    given: dict[str, Value] = {"kernel": Handle("kernel1"), "param_name": name, "param_value_size": size}
    assert verdict(world(), "clSetKernelExecInfo", **given, param_value=value)[0] == must


def test_names_of_an_extension_that_is_not_reported_are_left_open() -> None:
    there = world()
    for root in there.roots:
        root.extensions = frozenset()
        root.platform.extensions = frozenset()
    given: dict[str, Value] = {"kernel": Handle("kernel1"), "param_name": INDIRECT, "param_value_size": 4}
    musts, mays = verdict(there, "clSetKernelExecInfo", **given, param_value=TRUE)
    assert (musts, NOT_TOLD in mays) == ("", True)


@pytest.mark.parametrize(
    ("name", "number", "musts", "mays"),
    [
        (INDIRECT, 2, "", NOT_TOLD),
        (INDIRECT, 1, "", ""),
        (SYSTEM, 2, "", f"{NONE_SHARES_ALL} {NOT_TOLD}"),
        (SYSTEM, 1, NONE_SHARES_ALL, ""),
        (SYSTEM, 0, "", ""),
    ],
)
def test_a_boolean_that_is_neither_true_nor_false_is_left_open(name: int, number: int, musts: str, mays: str) -> None:
    there = world()
    coarse = there.value("CL_DEVICE_SVM_COARSE_GRAIN_BUFFER")
    for device in there.roots:
        device.facts["CL_DEVICE_SVM_CAPABILITIES"] = coarse
    given: dict[str, Value] = {"kernel": Handle("kernel1"), "param_name": name, "param_value_size": 4}
    assert verdict(there, "clSetKernelExecInfo", **given, param_value=Data(struct.pack("I", number))) == (musts, mays)


TYPE, NAME_OF_A_BUFFER = 0x419A, 0x1102


@pytest.mark.parametrize(
    ("pointer", "name", "output_buffer", "must"),
    [
        (DEVICE, TYPE, 4, ""),
        (DEVICE, TYPE, 3, "clGetMemAllocInfoINTEL/CL_INVALID_VALUE/2"),
        (DEVICE, TYPE, 0, "clGetMemAllocInfoINTEL/CL_INVALID_VALUE/2"),
        (OffsetPointer(DEVICE, SIZE - 1), TYPE, 3, "clGetMemAllocInfoINTEL/CL_INVALID_VALUE/2"),
        (None, TYPE, 3, "clGetMemAllocInfoINTEL/CL_INVALID_VALUE/2"),
        (AREA, TYPE, 4, ""),
        (DEVICE, 0x7FFF0000, 64, "clGetMemAllocInfoINTEL/CL_INVALID_VALUE/1"),
        (DEVICE, NAME_OF_A_BUFFER, 64, "clGetMemAllocInfoINTEL/CL_INVALID_VALUE/1"),
    ],
    ids=str,
)
def test_questions(pointer: Value, name: int, output_buffer: int, must: str) -> None:
    given: dict[str, Value] = {
        "param_value_size": output_buffer,
        "param_value": OutputBuffer(output_buffer),
        "param_value_size_ret": OutputBuffer(1),
    }
    there = world()
    about: dict[str, Value] = {"context": Handle("context1"), "ptr": pointer, "param_name": name}
    assert verdict(there, "clGetMemAllocInfoINTEL", **about, **given)[0] == must


@pytest.mark.parametrize(
    ("pointer", "size", "said"),
    [
        (DEVICE, SIZE, "fine"),
        (DEVICE, 1 << 16, "fine"),
        (DEVICE, SIZE - 1, "wrong"),
        (AREA, 0, "fine"),
        (AREA, 1, "wrong"),
    ],
)
def test_an_allocation_may_be_larger_than_it_was_asked_for(pointer: Value, size: int, said: str) -> None:
    there = world()
    about: dict[str, Value] = {"context": Handle("context1"), "ptr": pointer, "param_name": 0x419C}
    output_buffer: dict[str, Value] = {
        "param_value_size": 8,
        "param_value": OutputBuffer(8),
        "param_value_size_ret": None,
    }
    question = Call("clGetMemAllocInfoINTEL", {**about, **output_buffer})
    assert judged(there, question, size)["CL_MEM_ALLOC_SIZE_INTEL"] == said
