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

from .oracle_setup import DevicePlan, OracleSetup, get_enqueue_verdict, get_verdict, map_ids
from .query_evaluation import evaluate_query_call

SIZE, MAX_ALLOCATION = 256, 1 << 20
ALL_CAPABILITIES = 15
HOST, DEVICE, SHARED, OWNERLESS, FOREIGN_POINTER, HOST_AREA = (Handle(f"pointer{number}") for number in range(1, 7))
FLAGS_PROPERTY = 0x4195
WRITE_COMBINED, INITIAL_DEVICE, INITIAL_HOST = 1, 2, 4
CAPABILITIES = ("HOST", "DEVICE", "SINGLE_DEVICE_SHARED", "CROSS_DEVICE_SHARED", "SHARED_SYSTEM")
FULL_SUPPORT = (ALL_CAPABILITIES, ALL_CAPABILITIES, ALL_CAPABILITIES, ALL_CAPABILITIES, 0)


def set_up_usm(*able: tuple[int, ...], most: tuple[int, ...] = (), profile: str = "FULL_PROFILE") -> OracleSetup:
    """Return a setup with a device for each set of capabilities, memory of each type, and two contexts."""
    plans = able or (FULL_SUPPORT,)
    made = OracleSetup(*(DevicePlan() for _ in plans), version="3.0", extensions="cl_intel_unified_shared_memory")
    for number, (device, bits) in enumerate(zip(made.roots, plans, strict=True)):
        told = zip(CAPABILITIES, (*bits, 0, 0, 0, 0, 0), strict=False)
        device.facts |= {f"CL_DEVICE_{memory_type}_MEM_CAPABILITIES_INTEL": each for memory_type, each in told}
        device.facts |= {
            "CL_DEVICE_SVM_CAPABILITIES": 0,
            "CL_DEVICE_MAX_MEM_ALLOC_SIZE": most[number] if most else MAX_ALLOCATION,
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
        (FOREIGN_POINTER, DeviceAllocation, contexts[1], True),
    ):
        memory = kind(pointer.name, context=context, size=SIZE, known_alignment=128)
        memory.memory = StorageView(Storage(SIZE), 0, SIZE)
        memory.devices = made.roots[:1] if owned else []
        made.model.add(memory)
    area = StorageView(Storage(SIZE, host=True), 0, SIZE)
    made.model.add(HostArea(HOST_AREA.name, size=SIZE, memory=area, known_alignment=128))
    return made


MEMORY_TYPES = ("Host", "Device", "Shared")
UNSUPPORTED_TYPE = "clHostMemAllocINTEL/CL_INVALID_OPERATION/1"
NOT_POWER_OF_TWO = "clHostMemAllocINTEL/CL_INVALID_VALUE/1"
ALIGNMENT_TOO_LARGE = "clHostMemAllocINTEL/CL_INVALID_VALUE/2"
INVALID_PROPERTY = "clHostMemAllocINTEL/CL_INVALID_PROPERTY/1"
PLACEMENT_CONFLICT = "clHostMemAllocINTEL/CL_INVALID_PROPERTY/2"
TOO_LARGE = "clHostMemAllocINTEL/CL_INVALID_BUFFER_SIZE/1"
DEVICE_IDS = {
    UNSUPPORTED_TYPE: "clDeviceMemAllocINTEL/CL_INVALID_OPERATION/1",
    NOT_POWER_OF_TWO: "clDeviceMemAllocINTEL/CL_INVALID_VALUE/1",
    ALIGNMENT_TOO_LARGE: "clDeviceMemAllocINTEL/CL_INVALID_VALUE/2",
    INVALID_PROPERTY: "clDeviceMemAllocINTEL/CL_INVALID_PROPERTY/1",
    PLACEMENT_CONFLICT: "clDeviceMemAllocINTEL/CL_INVALID_PROPERTY/2",
    TOO_LARGE: "clDeviceMemAllocINTEL/CL_INVALID_BUFFER_SIZE/1",
}
SHARED_IDS = {
    UNSUPPORTED_TYPE: "clSharedMemAllocINTEL/CL_INVALID_OPERATION/1",
    NOT_POWER_OF_TWO: "clSharedMemAllocINTEL/CL_INVALID_VALUE/1",
    ALIGNMENT_TOO_LARGE: "clSharedMemAllocINTEL/CL_INVALID_VALUE/2",
    INVALID_PROPERTY: "clSharedMemAllocINTEL/CL_INVALID_PROPERTY/1",
    PLACEMENT_CONFLICT: "clSharedMemAllocINTEL/CL_INVALID_PROPERTY/2",
    TOO_LARGE: "clSharedMemAllocINTEL/CL_INVALID_BUFFER_SIZE/1",
}
"""Maps ids of the conditions of host memory to the ids of the identical conditions of the other types."""


def judge_allocation(there: OracleSetup, memory_type: str, **changed: Value) -> tuple[str, str]:
    """Return the verdict on an allocation of a memory type."""
    device: dict[str, Value] = {} if memory_type == "Host" else {"device": there.device}
    given: dict[str, Value] = {"context": Handle("context1"), **device, "properties": None, "size": SIZE}
    return get_verdict(
        there, f"cl{memory_type}MemAllocINTEL", **{**given, "alignment": 0, "errcode_ret": OutputBuffer(1), **changed}
    )


def map_to_type(memory_type: str, musts: str, mays: str = "") -> tuple[str, str]:
    """Map expected ids of host memory to the ids of a memory type. ``undefined`` stays unchanged."""
    if memory_type == "Host" or musts == "undefined":
        return musts, mays
    other = {"Device": DEVICE_IDS, "Shared": SHARED_IDS}[memory_type]
    return map_ids(musts, other), map_ids(mays, other)


@pytest.mark.parametrize("memory_type", MEMORY_TYPES)
@pytest.mark.parametrize(
    ("size", "alignment", "expected"),
    [
        (SIZE, 0, ("", "")),
        (1, 0, ("", "")),
        (0, 0, (TOO_LARGE, "")),
        (MAX_ALLOCATION, 0, ("", "")),
        (MAX_ALLOCATION + 1, 0, (TOO_LARGE, "")),
        ((1 << 64) - 1, 0, (TOO_LARGE, "")),
        *((SIZE, 1 << exponent, ("", "")) for exponent in range(8)),
        *((SIZE, 1 << exponent, (ALIGNMENT_TOO_LARGE, "")) for exponent in range(8, 32)),
        *((SIZE, number, (NOT_POWER_OF_TWO, "")) for number in (3, 5, 6, 7, 96, 127)),
        *((SIZE, number, (f"{NOT_POWER_OF_TWO} {ALIGNMENT_TOO_LARGE}", "")) for number in (129, 0xFFFFFFFF)),
    ],
)
def test_usm_allocation_with_invalid_size_or_alignment_is_rejected(
    memory_type: str, size: int, alignment: int, expected: tuple[str, str]
) -> None:
    assert judge_allocation(set_up_usm(), memory_type, size=size, alignment=alignment) == map_to_type(
        memory_type, *expected
    )


@pytest.mark.parametrize("memory_type", MEMORY_TYPES)
def test_usm_alignment_of_long_vectors_may_fail_on_device_without_long(memory_type: str) -> None:
    there = set_up_usm(profile="EMBEDDED_PROFILE")
    assert judge_allocation(there, memory_type, alignment=64) == ("", "")
    assert judge_allocation(there, memory_type, alignment=128) == map_to_type(memory_type, "", ALIGNMENT_TOO_LARGE)
    assert judge_allocation(there, memory_type, alignment=256) == map_to_type(memory_type, ALIGNMENT_TOO_LARGE)


@pytest.mark.parametrize("memory_type", MEMORY_TYPES)
@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ((0,), ("", "")),
        ((FLAGS_PROPERTY, WRITE_COMBINED, 0), ("", "")),
        ((FLAGS_PROPERTY, 0, 0), ("", INVALID_PROPERTY)),
        ((FLAGS_PROPERTY, WRITE_COMBINED, FLAGS_PROPERTY, WRITE_COMBINED, 0), (INVALID_PROPERTY, "")),
        ((FLAGS_PROPERTY, 0, FLAGS_PROPERTY, 0, 0), (INVALID_PROPERTY, "")),
        ((0x7FFF0000, 1, 0), (INVALID_PROPERTY, "")),
        ((FLAGS_PROPERTY, WRITE_COMBINED, 0x7FFF0000, 1, 0), (INVALID_PROPERTY, "")),
        ((FLAGS_PROPERTY, 1 << 62, 0), (INVALID_PROPERTY, "")),
        ((FLAGS_PROPERTY, WRITE_COMBINED | 1 << 63, 0), (INVALID_PROPERTY, "")),
        ((0x1101, 1, 0), ("", INVALID_PROPERTY)),
        ((FLAGS_PROPERTY, WRITE_COMBINED), ("undefined", "")),
        ((FLAGS_PROPERTY, INITIAL_DEVICE | INITIAL_HOST, 0), (PLACEMENT_CONFLICT, INVALID_PROPERTY)),
        ((FLAGS_PROPERTY, WRITE_COMBINED | INITIAL_DEVICE | INITIAL_HOST, 0), (PLACEMENT_CONFLICT, INVALID_PROPERTY)),
    ],
    ids=str,
)
def test_usm_allocation_with_invalid_property_list_is_rejected(
    memory_type: str, properties: tuple[int, ...], expected: tuple[str, str]
) -> None:
    assert judge_allocation(set_up_usm(), memory_type, properties=ElementList(properties)) == map_to_type(
        memory_type, *expected
    )


@pytest.mark.parametrize("flag", [INITIAL_DEVICE, INITIAL_HOST, WRITE_COMBINED | INITIAL_DEVICE])
def test_initial_placement_of_host_or_device_memory_is_rejected(flag: int) -> None:
    properties = ElementList((FLAGS_PROPERTY, flag, 0))
    assert judge_allocation(set_up_usm(), "Shared", properties=properties) == ("", "")
    assert judge_allocation(set_up_usm(), "Host", properties=properties) == (PLACEMENT_CONFLICT, INVALID_PROPERTY)
    assert judge_allocation(set_up_usm(), "Device", properties=properties) == map_to_type(
        "Device", PLACEMENT_CONFLICT, INVALID_PROPERTY
    )


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
def test_usm_allocation_of_unsupported_memory_type_is_rejected(able: tuple[int, ...], lacking: tuple[str, ...]) -> None:
    for memory_type in MEMORY_TYPES:
        expected = map_to_type(memory_type, UNSUPPORTED_TYPE if memory_type in lacking else "")
        assert judge_allocation(set_up_usm(able), memory_type)[0] == expected[0]


def test_host_memory_allocation_without_supporting_device_is_rejected() -> None:
    assert judge_allocation(set_up_usm((0, 1), (1, 1)), "Host") == ("", "")
    assert judge_allocation(set_up_usm((0, 1), (0, 1)), "Host") == (UNSUPPORTED_TYPE, TOO_LARGE)


def test_usm_size_limit_ignores_devices_without_the_memory_type() -> None:
    there = set_up_usm((0, 1), (1, 1), most=(100, 200))
    assert judge_allocation(there, "Host", size=200) == ("", "")
    assert judge_allocation(there, "Host", size=201) == (TOO_LARGE, "")
    assert judge_allocation(there, "Device", size=101) == map_to_type("Device", TOO_LARGE)
    both = set_up_usm((1, 1), (1, 1), most=(100, 200))
    assert judge_allocation(both, "Host", size=150) == ("", TOO_LARGE)


def test_shared_memory_with_null_device_is_rejected_without_support() -> None:
    assert judge_allocation(set_up_usm(), "Shared", device=None) == ("", "")
    assert judge_allocation(set_up_usm((0, 1, 1, 0)), "Shared", device=None) == map_to_type(
        "Shared", "", UNSUPPORTED_TYPE
    )
    assert judge_allocation(set_up_usm((1, 1, 0, 0)), "Shared", device=None) == map_to_type(
        "Shared", UNSUPPORTED_TYPE, TOO_LARGE
    )
    assert judge_allocation(set_up_usm((0, 1), (0, 1, 0, 1)), "Shared", device=None) == ("", "")


@pytest.mark.parametrize(
    ("memory_type", "must"),
    [
        ("Device", "clDeviceMemAllocINTEL/CL_INVALID_DEVICE/1"),
        ("Shared", "clSharedMemAllocINTEL/CL_INVALID_DEVICE/1"),
    ],
)
def test_usm_allocation_for_device_of_another_context_is_rejected(memory_type: str, must: str) -> None:
    there = set_up_usm(FULL_SUPPORT, FULL_SUPPORT)
    there.model.context(Handle("context1")).devices = there.roots[:1]
    assert judge_allocation(there, memory_type, device=Handle("device1"))[0] == ""
    assert judge_allocation(there, memory_type, device=Handle("device2"))[0] == must


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
        (HOST_AREA, "must"),
        (FOREIGN_POINTER, "may"),
        (Handle("pointer99"), "undefined"),
    ],
    ids=str,
)
def test_usm_free_of_invalid_pointer_is_rejected(
    function: str, not_to_be_freed: str, pointer: Value, expected: str
) -> None:
    musts, mays = get_verdict(set_up_usm(), function, context=Handle("context1"), ptr=pointer)
    assert musts == {"must": not_to_be_freed, "undefined": "undefined"}.get(expected, "")
    assert mays == (not_to_be_freed if expected == "may" else "")


@pytest.mark.parametrize(("code", "gone"), [(0, True), (-30, False)])
@pytest.mark.parametrize("function", ["clMemFreeINTEL", "clMemBlockingFreeINTEL"])
def test_usm_free_is_undefined_after_accepted_free_of_inner_pointer(function: str, code: int, *, gone: bool) -> None:
    there = set_up_usm()
    asked = there.expect(function, Handle("context1"), OffsetPointer(DEVICE, 1))
    assert bool(there.oracle.judge(asked, Returned(code)).deviations) == gone
    assert bool(there.expect(function, Handle("context1"), DEVICE).undefined) == gone


INVALID_COPY_POINTER, OVERLAP = "clEnqueueMemcpyINTEL/CL_INVALID_VALUE/1", "clEnqueueMemcpyINTEL/CL_MEM_COPY_OVERLAP/1"


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
        (None, DEVICE, 1, (INVALID_COPY_POINTER, "")),
        (DEVICE, None, 1, (INVALID_COPY_POINTER, "")),
        (None, None, 0, ("", f"{INVALID_COPY_POINTER} {OVERLAP}")),
        (None, None, 1, (INVALID_COPY_POINTER, OVERLAP)),
        (DEVICE, SHARED, 0, ("", INVALID_COPY_POINTER)),
        (OutputBuffer(SIZE), DEVICE, SIZE, ("", INVALID_COPY_POINTER)),
        (OutputBuffer(SIZE - 1), DEVICE, SIZE, ("undefined", "")),
        (DEVICE, Data(bytes(SIZE)), SIZE, ("", INVALID_COPY_POINTER)),
        (HOST_AREA, DEVICE, SIZE, ("", INVALID_COPY_POINTER)),
    ],
    ids=str,
)
def test_usm_copy_with_invalid_arguments_is_rejected(
    target: Value, source: Value, size: int, expected: tuple[str, str]
) -> None:
    given: dict[str, Value] = {"blocking": 1, "dst_ptr": target, "src_ptr": source, "size": size}
    assert get_enqueue_verdict(set_up_usm(), "clEnqueueMemcpyINTEL", **given) == expected


@pytest.mark.parametrize(
    ("target", "source", "usage"),
    [
        (FOREIGN_POINTER, DEVICE, "clEnqueueMemcpyINTEL/usage/2"),
        (DEVICE, FOREIGN_POINTER, "clEnqueueMemcpyINTEL/usage/3"),
    ],
)
def test_usm_copy_across_contexts_is_undefined(target: Handle, source: Handle, usage: str) -> None:
    given: dict[str, Value] = {"blocking": 1, "dst_ptr": target, "src_ptr": source, "size": 1}
    found, broken = get_enqueue_verdict(set_up_usm(), "clEnqueueMemcpyINTEL", **given)
    assert found == "undefined"
    assert usage in broken.split()
    own = {name: SHARED if value == FOREIGN_POINTER else value for name, value in given.items()}
    assert get_enqueue_verdict(set_up_usm(), "clEnqueueMemcpyINTEL", **own) == ("", "")


PATTERN = Data(bytes(512))
INVALID_FILL_POINTER, NULL_PATTERN = (
    "clEnqueueMemFillINTEL/CL_INVALID_VALUE/1",
    "clEnqueueMemFillINTEL/CL_INVALID_VALUE/2",
)
INVALID_PATTERN_SIZE, SIZE_NOT_MULTIPLE = (
    "clEnqueueMemFillINTEL/CL_INVALID_VALUE/3",
    "clEnqueueMemFillINTEL/CL_INVALID_VALUE/4",
)


@pytest.mark.parametrize(
    ("place", "pattern", "pattern_size", "size", "expected"),
    [
        *((place, PATTERN, 4, SIZE, ("", "")) for place in (HOST, DEVICE, SHARED, OWNERLESS)),
        *((DEVICE, PATTERN, 1 << exponent, 128, ("", "")) for exponent in range(8)),
        *((OffsetPointer(DEVICE, 1 << exponent), PATTERN, 1 << exponent, 128, ("", "")) for exponent in range(8)),
        *(
            (OffsetPointer(DEVICE, 1), PATTERN, 1 << exponent, 128, (INVALID_FILL_POINTER, ""))
            for exponent in range(1, 8)
        ),
        *(
            (DEVICE, PATTERN, number, number, (INVALID_PATTERN_SIZE, INVALID_FILL_POINTER))
            for number in (3, 5, 24, 127, 129, 255, 256)
        ),
        (DEVICE, PATTERN, 0, 128, (INVALID_PATTERN_SIZE, "")),
        (DEVICE, None, 4, 128, (NULL_PATTERN, "")),
        (DEVICE, PATTERN, 4, 127, (SIZE_NOT_MULTIPLE, "")),
        (DEVICE, PATTERN, 4, 0, ("", INVALID_FILL_POINTER)),
        (None, PATTERN, 4, 128, (INVALID_FILL_POINTER, "")),
        (None, PATTERN, 4, 0, ("", INVALID_FILL_POINTER)),
        (DEVICE, PATTERN, 4, SIZE + 4, ("undefined", "")),
        (FOREIGN_POINTER, PATTERN, 4, 128, ("undefined", "")),
        (HOST_AREA, PATTERN, 4, 128, ("undefined", "")),
    ],
    ids=str,
)
def test_usm_fill_with_invalid_arguments_is_rejected(
    place: Value, pattern: Value, pattern_size: int, size: int, expected: tuple[str, str]
) -> None:
    given: dict[str, Value] = {"dst_ptr": place, "pattern": pattern, "pattern_size": pattern_size, "size": size}
    assert get_enqueue_verdict(set_up_usm(), "clEnqueueMemFillINTEL", **given) == expected


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
        ((0, 1), HOST_AREA, "undefined"),
        ((0, 1, 0, 0, 1), HOST_AREA, ""),
    ],
    ids=str,
)
def test_usm_fill_of_inaccessible_memory_is_undefined(able: tuple[int, ...], place: Handle, expected: str) -> None:
    given: dict[str, Value] = {"dst_ptr": place, "pattern": PATTERN, "pattern_size": 1, "size": SIZE}
    assert get_enqueue_verdict(set_up_usm(able), "clEnqueueMemFillINTEL", **given)[0] == expected


def test_usm_fill_on_device_without_cross_access_is_undefined() -> None:
    given: dict[str, Value] = {"dst_ptr": SHARED, "pattern": PATTERN, "pattern_size": 1, "size": SIZE}
    for able, expected in (((0, 1, 1, 1), ""), ((0, 1, 1, 0), "undefined")):
        there = set_up_usm(FULL_SUPPORT, able)
        memory = there.model.get(SharedAllocation, SHARED)
        memory.devices = there.roots[1:]
        assert get_enqueue_verdict(there, "clEnqueueMemFillINTEL", **given)[0] == expected


REGION_MIGRATED = "clEnqueueMigrateMemINTEL/CL_INVALID_VALUE/1"
REGION_ADVISED = "clEnqueueMemAdviseINTEL/CL_INVALID_VALUE/1"
"""Error conditions that the document states as an open question."""
HINT_INTERPRETATION = "usm-region-of-hint"


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
def test_migrate_and_advise_may_reject_any_region(place: Value, size: int) -> None:
    assert find_unspecified_conditions("clEnqueueMigrateMemINTEL", ptr=place, size=size, flags=2) == {
        REGION_MIGRATED: HINT_INTERPRETATION
    }
    assert (
        find_unspecified_conditions("clEnqueueMemAdviseINTEL", ptr=place, size=size, advice=0)[REGION_ADVISED]
        == HINT_INTERPRETATION
    )


def find_unspecified_conditions(function: str, **arguments: Value) -> dict[str, str]:
    """Return the conditions that may hold for a command without required errors, each with its interpretation."""
    waits: dict[str, Value] = {"num_events_in_wait_list": 0, "event_wait_list": None, "event": OutputBuffer(1)}
    expectation = set_up_usm().oracle.expect(Call(function, {"command_queue": Handle("queue1"), **arguments, **waits}))
    assert (expectation.required_errors, expectation.undefined) == ((), "")
    return {held.clause.id: held.interpretation for held in expectation.optional_errors}


def test_migrate_and_advise_on_inaccessible_memory_are_undefined() -> None:
    assert (
        get_enqueue_verdict(set_up_usm(), "clEnqueueMigrateMemINTEL", ptr=HOST_AREA, size=SIZE, flags=2)[0]
        == "undefined"
    )
    assert (
        get_enqueue_verdict(set_up_usm(), "clEnqueueMemAdviseINTEL", ptr=HOST_AREA, size=SIZE, advice=0)[0]
        == "undefined"
    )


def test_migrate_and_advise_beyond_the_allocation_are_undefined() -> None:
    region: dict[str, Value] = {"ptr": OffsetPointer(SHARED, 1), "size": SIZE}
    assert get_enqueue_verdict(set_up_usm(), "clEnqueueMigrateMemINTEL", flags=2, **region)[0] == "undefined"
    assert get_enqueue_verdict(set_up_usm(), "clEnqueueMemAdviseINTEL", advice=0, **region)[0] == "undefined"


INVALID_MIGRATION_REGION, INVALID_MIGRATION_FLAGS = (
    "clEnqueueMigrateMemINTEL/CL_INVALID_VALUE/1",
    "clEnqueueMigrateMemINTEL/CL_INVALID_VALUE/2",
)
INVALID_ADVICE_REGION, INVALID_ADVICE = (
    "clEnqueueMemAdviseINTEL/CL_INVALID_VALUE/1",
    "clEnqueueMemAdviseINTEL/CL_INVALID_VALUE/2",
)


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (0, (INVALID_MIGRATION_FLAGS, INVALID_MIGRATION_REGION)),
        (1, ("", f"{INVALID_MIGRATION_REGION} {INVALID_MIGRATION_FLAGS}")),
        (2, ("", INVALID_MIGRATION_REGION)),
        (3, ("", f"{INVALID_MIGRATION_REGION} {INVALID_MIGRATION_FLAGS}")),
        (1 << 62, (INVALID_MIGRATION_FLAGS, INVALID_MIGRATION_REGION)),
        (2 | 1 << 63, (INVALID_MIGRATION_FLAGS, INVALID_MIGRATION_REGION)),
    ],
)
def test_invalid_migration_flags_are_rejected(flags: int, expected: tuple[str, str]) -> None:
    assert get_enqueue_verdict(set_up_usm(), "clEnqueueMigrateMemINTEL", ptr=SHARED, size=SIZE, flags=flags) == expected


@pytest.mark.parametrize("advice", [0, 1, 0x4208, 0xFFFFFFFF])
def test_any_advice_may_be_rejected(advice: int) -> None:
    advised = find_unspecified_conditions("clEnqueueMemAdviseINTEL", ptr=SHARED, size=SIZE, advice=advice)
    assert advised == {REGION_ADVISED: HINT_INTERPRETATION, INVALID_ADVICE: "usm-advice"}


@pytest.mark.parametrize(("size", "deviates"), [(0, False), (4, True)])
def test_usm_fill_of_size_zero_may_return_no_event(size: int, deviates: bool) -> None:  # noqa: FBT001
    there = set_up_usm()
    arguments = (Handle("queue1"), DEVICE, Data(b"abcd"), 4, size, 0, None, OutputBuffer(1))
    expectation = there.expect("clEnqueueMemFillINTEL", *arguments)
    judgement = there.oracle.judge(expectation, Returned(0, {"event": Output([UNTOUCHED], 0)}))
    assert bool(judgement.deviations) is deviates


@pytest.mark.parametrize(("bits", "plain", "atomic"), [(0, False, False), (0x7, True, False), (0xF, True, True)])
def test_device_can_use_host_memory_only_with_system_svm(bits: int, *, plain: bool, atomic: bool) -> None:
    there = set_up_usm()
    device, area = there.roots[0], there.model.objects[HOST_AREA.name]
    assert isinstance(area, HostArea)
    device.facts["CL_DEVICE_SVM_CAPABILITIES"] = bits
    assert [is_usable_by(area, device, there.model, atomics=each) for each in (False, True)] == [plain, atomic]


def test_base_address_query_outside_allocations_must_return_0() -> None:
    there = set_up_usm()
    asked = {
        "context": Handle("context1"),
        "ptr": HOST_AREA,
        "param_name": there.value("CL_MEM_ALLOC_BASE_PTR_INTEL"),
        "param_value_size": 8,
        "param_value": OutputBuffer(8),
        "param_value_size_ret": None,
    }
    assert evaluate_query_call(there, Call("clGetMemAllocInfoINTEL", asked), 0)["CL_MEM_ALLOC_BASE_PTR_INTEL"] == "fine"
    assert (
        evaluate_query_call(there, Call("clGetMemAllocInfoINTEL", asked), 64)["CL_MEM_ALLOC_BASE_PTR_INTEL"] == "wrong"
    )


INVALID_ARG_INDEX = "clSetKernelArgMemPointerINTEL/CL_INVALID_ARG_INDEX/1"
INVALID_ARG_VALUE = "clSetKernelArgMemPointerINTEL/CL_INVALID_ARG_VALUE/1"


@pytest.mark.parametrize(
    ("index", "pointer", "expected"),
    [
        *(
            (0, pointer, ("", ""))
            for pointer in (HOST, DEVICE, SHARED, OWNERLESS, OffsetPointer(DEVICE, SIZE - 1), None)
        ),
        (2, DEVICE, ("", "")),
        (3, DEVICE, (INVALID_ARG_VALUE, INVALID_ARG_INDEX)),
        (4, DEVICE, (INVALID_ARG_VALUE, INVALID_ARG_INDEX)),
        (3, None, ("", f"{INVALID_ARG_INDEX} {INVALID_ARG_VALUE}")),
        (5, DEVICE, (INVALID_ARG_INDEX, INVALID_ARG_VALUE)),
        (0xFFFFFFFF, DEVICE, (INVALID_ARG_INDEX, INVALID_ARG_VALUE)),
        (0, HOST_AREA, ("", INVALID_ARG_VALUE)),
        (0, FOREIGN_POINTER, ("", INVALID_ARG_VALUE)),
        (0, OffsetPointer(DEVICE, SIZE), ("", INVALID_ARG_VALUE)),
        (0, Handle("pointer99"), ("undefined", "")),
    ],
    ids=str,
)
def test_invalid_pointer_argument_of_kernel_is_rejected(index: int, pointer: Value, expected: tuple[str, str]) -> None:
    given: dict[str, Value] = {"kernel": Handle("kernel1"), "arg_index": index, "arg_value": pointer}
    assert get_verdict(set_up_usm(), "clSetKernelArgMemPointerINTEL", **given) == expected


def test_kernel_argument_may_be_any_pointer_with_system_memory() -> None:
    there = set_up_usm((ALL_CAPABILITIES,) * 5)
    given: dict[str, Value] = {"kernel": Handle("kernel1"), "arg_index": 0, "arg_value": HOST_AREA}
    assert get_verdict(there, "clSetKernelArgMemPointerINTEL", **given) == ("", "")


INDIRECT_HOST_ACCESS, POINTER_LIST, FINE_GRAIN_SYSTEM = 0x4200, 0x4203, 0x11B7
TRUE = Data(struct.pack("I", 1))
NO_SVM_DEVICE, NO_SYSTEM_SVM_DEVICE = (
    "clSetKernelExecInfo/CL_INVALID_OPERATION/1",
    "clSetKernelExecInfo/CL_INVALID_OPERATION/2",
)
INVALID_EXEC_INFO = "clSetKernelExecInfo/CL_INVALID_VALUE/1"


@pytest.mark.parametrize(
    ("name", "size", "value", "must"),
    [
        *((INDIRECT_HOST_ACCESS + which, 4, TRUE, "") for which in range(3)),
        (INDIRECT_HOST_ACCESS, 4, None, INVALID_EXEC_INFO),
        (INDIRECT_HOST_ACCESS, 3, TRUE, INVALID_EXEC_INFO),
        (INDIRECT_HOST_ACCESS, 5, Data(bytes(5)), INVALID_EXEC_INFO),
        (INDIRECT_HOST_ACCESS, 5, TRUE, "undefined"),
        (POINTER_LIST, 8, Pointers((DEVICE,)), ""),
        (POINTER_LIST, 16, Pointers((DEVICE,)), "undefined"),
        (POINTER_LIST, 7, Pointers((DEVICE,)), INVALID_EXEC_INFO),
        (POINTER_LIST, 24, Pointers((DEVICE, HOST, SHARED)), ""),
        (POINTER_LIST, 8, Pointers((DEVICE, HOST, None)), ""),
        (POINTER_LIST, 20, Pointers((DEVICE, HOST, SHARED)), INVALID_EXEC_INFO),
        (POINTER_LIST, 16, None, INVALID_EXEC_INFO),
        (POINTER_LIST, 8, Pointers((Handle("pointer99"),)), "undefined"),
        (POINTER_LIST, 0, None, ""),
        (POINTER_LIST, 8, None, INVALID_EXEC_INFO),
        (0x7FFF0000, 4, TRUE, f"{NO_SVM_DEVICE} {INVALID_EXEC_INFO}"),
        (FINE_GRAIN_SYSTEM, 4, TRUE, f"{NO_SVM_DEVICE} {NO_SYSTEM_SVM_DEVICE}"),
        (FINE_GRAIN_SYSTEM, 4, Data(bytes(4)), NO_SVM_DEVICE),
    ],
    ids=str,
)
def test_invalid_kernel_exec_info_is_rejected(name: int, size: int, value: Value, must: str) -> None:
    given: dict[str, Value] = {"kernel": Handle("kernel1"), "param_name": name, "param_value_size": size}
    assert get_verdict(set_up_usm(), "clSetKernelExecInfo", **given, param_value=value)[0] == must


def test_exec_info_name_of_missing_extension_may_be_rejected() -> None:
    there = set_up_usm()
    for root in there.roots:
        root.extensions = frozenset()
        root.platform.extensions = frozenset()
    given: dict[str, Value] = {"kernel": Handle("kernel1"), "param_name": INDIRECT_HOST_ACCESS, "param_value_size": 4}
    musts, mays = get_verdict(there, "clSetKernelExecInfo", **given, param_value=TRUE)
    assert (musts, INVALID_EXEC_INFO in mays) == ("", True)


@pytest.mark.parametrize(
    ("name", "number", "musts", "mays"),
    [
        (INDIRECT_HOST_ACCESS, 2, "", INVALID_EXEC_INFO),
        (INDIRECT_HOST_ACCESS, 1, "", ""),
        (FINE_GRAIN_SYSTEM, 2, "", f"{NO_SYSTEM_SVM_DEVICE} {INVALID_EXEC_INFO}"),
        (FINE_GRAIN_SYSTEM, 1, NO_SYSTEM_SVM_DEVICE, ""),
        (FINE_GRAIN_SYSTEM, 0, "", ""),
    ],
)
def test_exec_info_flag_that_is_not_boolean_may_be_rejected(name: int, number: int, musts: str, mays: str) -> None:
    there = set_up_usm()
    coarse = there.value("CL_DEVICE_SVM_COARSE_GRAIN_BUFFER")
    for device in there.roots:
        device.facts["CL_DEVICE_SVM_CAPABILITIES"] = coarse
    given: dict[str, Value] = {"kernel": Handle("kernel1"), "param_name": name, "param_value_size": 4}
    assert get_verdict(there, "clSetKernelExecInfo", **given, param_value=Data(struct.pack("I", number))) == (
        musts,
        mays,
    )


TYPE_QUERY, BUFFER_QUERY = 0x419A, 0x1102


@pytest.mark.parametrize(
    ("pointer", "name", "output_buffer", "must"),
    [
        (DEVICE, TYPE_QUERY, 4, ""),
        (DEVICE, TYPE_QUERY, 3, "clGetMemAllocInfoINTEL/CL_INVALID_VALUE/2"),
        (DEVICE, TYPE_QUERY, 0, "clGetMemAllocInfoINTEL/CL_INVALID_VALUE/2"),
        (OffsetPointer(DEVICE, SIZE - 1), TYPE_QUERY, 3, "clGetMemAllocInfoINTEL/CL_INVALID_VALUE/2"),
        (None, TYPE_QUERY, 3, "clGetMemAllocInfoINTEL/CL_INVALID_VALUE/2"),
        (HOST_AREA, TYPE_QUERY, 4, ""),
        (DEVICE, 0x7FFF0000, 64, "clGetMemAllocInfoINTEL/CL_INVALID_VALUE/1"),
        (DEVICE, BUFFER_QUERY, 64, "clGetMemAllocInfoINTEL/CL_INVALID_VALUE/1"),
    ],
    ids=str,
)
def test_invalid_allocation_query_is_rejected(pointer: Value, name: int, output_buffer: int, must: str) -> None:
    given: dict[str, Value] = {
        "param_value_size": output_buffer,
        "param_value": OutputBuffer(output_buffer),
        "param_value_size_ret": OutputBuffer(1),
    }
    there = set_up_usm()
    about: dict[str, Value] = {"context": Handle("context1"), "ptr": pointer, "param_name": name}
    assert get_verdict(there, "clGetMemAllocInfoINTEL", **about, **given)[0] == must


@pytest.mark.parametrize(
    ("pointer", "size", "said"),
    [
        (DEVICE, SIZE, "fine"),
        (DEVICE, 1 << 16, "fine"),
        (DEVICE, SIZE - 1, "wrong"),
        (HOST_AREA, 0, "fine"),
        (HOST_AREA, 1, "wrong"),
    ],
)
def test_reported_usm_size_may_exceed_but_not_fall_below_requested_size(pointer: Value, size: int, said: str) -> None:
    there = set_up_usm()
    about: dict[str, Value] = {"context": Handle("context1"), "ptr": pointer, "param_name": 0x419C}
    output_buffer: dict[str, Value] = {
        "param_value_size": 8,
        "param_value": OutputBuffer(8),
        "param_value_size_ret": None,
    }
    question = Call("clGetMemAllocInfoINTEL", {**about, **output_buffer})
    assert evaluate_query_call(there, question, size)["CL_MEM_ALLOC_SIZE_INTEL"] == said
