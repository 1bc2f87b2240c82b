"""Shared virtual memory: each error condition of section 5.6, with test values on both sides of its limits.

The expectations are written from the document: each case lists the conditions that must hold and those that may hold.
"""

from __future__ import annotations

import pytest

from clconform.calls.call import Returned
from clconform.calls.values import Data, ElementList, Handle, HostCallback, OffsetPointer, OutputBuffer, Value
from clconform.oracles.contents.storage import Storage, StorageView
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.pointer_memory import SvmAllocation
from clconform.oracles.model.queues import HostQueue

from .oracle_setup import DevicePlan, OracleSetup, get_condition_ids, get_enqueue_verdict, get_verdict

SIZE = 256
MAX_ALLOCATION = 1 << 20
COARSE, FINE, ATOMIC = 1, 2, 8
"""Bits of a device's SVM capabilities: coarse-grain buffers, fine-grain buffers, atomics."""
READ_WRITE, WRITE_ONLY, READ_ONLY = 1, 2, 4
FINE_GRAIN_FLAG, ATOMICS_FLAG = 1 << 10, 1 << 11
POINTER, SECOND_POINTER, FOREIGN_POINTER = Handle("pointer1"), Handle("pointer2"), Handle("pointer3")


def set_up_svm(*shares: int, most: tuple[int, ...] = (), profile: str = "FULL_PROFILE") -> OracleSetup:
    """Return a setup with a device for each set of bits, a context with two allocations, and a context with one."""
    made = OracleSetup(*(DevicePlan() for _ in shares), version="3.0", extensions="")
    for number, (device, bits) in enumerate(zip(made.roots, shares, strict=True)):
        device.facts |= {
            "CL_DEVICE_SVM_CAPABILITIES": bits,
            "CL_DEVICE_MAX_MEM_ALLOC_SIZE": most[number] if most else MAX_ALLOCATION,
            "CL_DEVICE_PROFILE": profile,
        }
    contexts = [Context(f"context{number}", devices=list(made.roots)) for number in (1, 2)]
    queue = HostQueue("queue1", context=contexts[0], queue_device=made.roots[0])
    for thing in (*contexts, queue):
        made.model.add(thing)
    for number, context in ((1, contexts[0]), (2, contexts[0]), (3, contexts[1])):
        memory = SvmAllocation(f"pointer{number}", context=context, size=SIZE, known_alignment=128)
        memory.memory = StorageView(Storage(SIZE), 0, SIZE)
        made.model.add(memory)
    return made


ALL_CAPABILITIES = COARSE | FINE | ATOMIC


@pytest.mark.parametrize(
    ("shares", "flags", "size", "alignment", "must", "may"),
    [
        ((ALL_CAPABILITIES,), READ_WRITE, SIZE, 0, "", ""),
        ((ALL_CAPABILITIES,), 0, SIZE, 0, "", ""),
        ((ALL_CAPABILITIES,), READ_WRITE | FINE_GRAIN_FLAG | ATOMICS_FLAG, SIZE, 0, "", ""),
        ((COARSE, 0), READ_WRITE, SIZE, 0, "", ""),
        ((0, 0), READ_WRITE, SIZE, 0, "clSVMAlloc/NULL/1", ""),
        ((ALL_CAPABILITIES,), ATOMICS_FLAG, SIZE, 0, "clSVMAlloc/NULL/2", ""),
        ((ALL_CAPABILITIES,), READ_WRITE | READ_ONLY, SIZE, 0, "clSVMAlloc/NULL/3", ""),
        ((ALL_CAPABILITIES,), WRITE_ONLY | READ_ONLY, SIZE, 0, "clSVMAlloc/NULL/3", ""),
        ((ALL_CAPABILITIES,), READ_WRITE | WRITE_ONLY, SIZE, 0, "clSVMAlloc/NULL/3", ""),
        ((COARSE,), FINE_GRAIN_FLAG, SIZE, 0, "clSVMAlloc/NULL/4", ""),
        ((COARSE | FINE,), FINE_GRAIN_FLAG, SIZE, 0, "", ""),
        ((COARSE | FINE,), FINE_GRAIN_FLAG | ATOMICS_FLAG, SIZE, 0, "clSVMAlloc/NULL/4", ""),
        ((ALL_CAPABILITIES, COARSE), FINE_GRAIN_FLAG, SIZE, 0, "clSVMAlloc/NULL/4", ""),
        ((ALL_CAPABILITIES, COARSE | FINE), FINE_GRAIN_FLAG | ATOMICS_FLAG, SIZE, 0, "", "clSVMAlloc/NULL/4"),
        ((ALL_CAPABILITIES,), 1 << 62, SIZE, 0, "clSVMAlloc/NULL/5", ""),
        ((ALL_CAPABILITIES,), READ_WRITE | 1 << 3, SIZE, 0, "clSVMAlloc/NULL/5", ""),
        ((ALL_CAPABILITIES,), READ_WRITE | 1 << 9, SIZE, 0, "clSVMAlloc/NULL/5", ""),
        ((ALL_CAPABILITIES,), 1 << 12, SIZE, 0, "clSVMAlloc/NULL/5", ""),
        ((ALL_CAPABILITIES,), READ_WRITE | 1 << 30, SIZE, 0, "", "clSVMAlloc/NULL/5"),
        ((ALL_CAPABILITIES,), READ_WRITE, 0, 0, "clSVMAlloc/NULL/6", ""),
        ((ALL_CAPABILITIES,), READ_WRITE, 1, 0, "", ""),
        ((ALL_CAPABILITIES,), READ_WRITE, MAX_ALLOCATION, 0, "", ""),
        ((ALL_CAPABILITIES,), READ_WRITE, MAX_ALLOCATION + 1, 0, "clSVMAlloc/NULL/6", ""),
        *(((ALL_CAPABILITIES,), READ_WRITE, SIZE, 1 << exponent, "", "") for exponent in range(8)),
        *(((ALL_CAPABILITIES,), READ_WRITE, SIZE, 1 << exponent, "", "clSVMAlloc/NULL/7") for exponent in range(8, 32)),
        *(
            ((ALL_CAPABILITIES,), READ_WRITE, SIZE, number, "clSVMAlloc/NULL/7", "")
            for number in (3, 5, 6, 127, 129, 0xFFFFFFFF)
        ),
    ],
)
def test_invalid_svm_allocations_are_rejected(
    shares: tuple[int, ...], flags: int, size: int, alignment: int, must: str, may: str
) -> None:
    there = set_up_svm(*shares)
    given = {"context": Handle("context1"), "flags": flags, "size": size, "alignment": alignment}
    assert get_verdict(there, "clSVMAlloc", **given) == (must, may)


def test_svm_allocation_above_the_limit_of_one_device_may_fail() -> None:
    there = set_up_svm(ALL_CAPABILITIES, ALL_CAPABILITIES, most=(100, 200))
    given: dict[str, Value] = {"context": Handle("context1"), "flags": 0, "alignment": 0}
    assert get_verdict(there, "clSVMAlloc", size=100, **given) == ("", "")
    assert get_verdict(there, "clSVMAlloc", size=101, **given) == ("", "clSVMAlloc/NULL/6")
    assert get_verdict(there, "clSVMAlloc", size=201, **given) == ("clSVMAlloc/NULL/6", "")


def test_svm_alignment_of_long_vectors_may_fail_on_device_without_long() -> None:
    there = set_up_svm(ALL_CAPABILITIES, profile="EMBEDDED_PROFILE")
    given: dict[str, Value] = {"context": Handle("context1"), "flags": 0, "size": SIZE}
    assert get_verdict(there, "clSVMAlloc", alignment=64, **given) == ("", "")
    assert get_verdict(there, "clSVMAlloc", alignment=128, **given) == ("", "clSVMAlloc/NULL/7")


@pytest.mark.parametrize("pointer", [None, POINTER, SECOND_POINTER], ids=str)
def test_svm_free_in_the_context_of_the_memory_is_valid(pointer: Value) -> None:
    assert get_verdict(set_up_svm(ALL_CAPABILITIES), "clSVMFree", context=Handle("context1"), svm_pointer=pointer) == (
        "",
        "",
    )


@pytest.mark.parametrize(
    ("pointer", "usage"),
    [
        (FOREIGN_POINTER, "clSVMFree/usage/1"),
        (OffsetPointer(POINTER, 1), "clSVMFree/usage/1"),
        (Handle("pointer99"), "clSVMFree/usage/2"),
    ],
    ids=str,
)
def test_svm_free_of_freed_or_foreign_memory_is_undefined(pointer: Value, usage: str) -> None:
    found, broken = get_verdict(
        set_up_svm(ALL_CAPABILITIES), "clSVMFree", context=Handle("context1"), svm_pointer=pointer
    )
    assert found == "undefined"
    assert usage in broken.split()


def test_svm_free_of_memory_that_a_buffer_uses_is_undefined() -> None:
    there = set_up_svm(ALL_CAPABILITIES)
    memory = there.model.get(SvmAllocation, POINTER)
    buffer = Buffer("mem1", context=memory.context, size=SIZE, memory=memory.memory)
    there.model.add(buffer)
    given: dict[str, Value] = {"context": Handle("context1"), "svm_pointer": POINTER}
    assert get_verdict(there, "clSVMFree", **given) == ("undefined", "clSVMFree/usage/3")
    assert get_verdict(there, "clSVMFree", **given | {"svm_pointer": SECOND_POINTER}) == ("", "")
    del there.model.objects[buffer.name]
    assert get_verdict(there, "clSVMFree", **given) == ("", "")


INVALID_START = ("undefined", "clEnqueueSVMFree/usage/2 clEnqueueSVMFree/usage/3")
INVALID_FREE_LIST = "clEnqueueSVMFree/CL_INVALID_VALUE/1"


@pytest.mark.parametrize(
    ("number", "pointers", "callback", "expected"),
    [
        (1, ElementList((POINTER,)), None, ("", "")),
        (2, ElementList((POINTER, SECOND_POINTER)), HostCallback("free"), ("", "")),
        (0, ElementList((POINTER,)), None, (INVALID_FREE_LIST, "")),
        (1, None, None, (INVALID_FREE_LIST, "")),
        (0, None, None, ("", INVALID_FREE_LIST)),
        (1, ElementList((None,)), HostCallback("free"), ("", INVALID_FREE_LIST)),
        (1, ElementList((None,)), None, INVALID_START),
        (1, ElementList((OffsetPointer(POINTER, 1),)), None, INVALID_START),
        (1, ElementList((OffsetPointer(POINTER, 1),)), HostCallback("free"), ("", "")),
        (1, ElementList((FOREIGN_POINTER,)), None, ("undefined", "clEnqueueSVMFree/usage/1")),
        (2, ElementList((POINTER,)), None, ("undefined", "")),
    ],
    ids=str,
)
def test_invalid_svm_free_lists_are_rejected(
    number: int, pointers: Value, callback: Value, expected: tuple[str, str]
) -> None:
    given: dict[str, Value] = {"num_svm_pointers": number, "svm_pointers": pointers, "pfn_free_func": callback}
    assert get_enqueue_verdict(set_up_svm(ALL_CAPABILITIES), "clEnqueueSVMFree", user_data=None, **given) == expected


CROSS_CONTEXT_COPY = ("undefined", "clEnqueueSVMMemcpy/usage/1 clEnqueueSVMMemcpy/usage/4")
INVALID_COPY_POINTER, OVERLAP = "clEnqueueSVMMemcpy/CL_INVALID_VALUE/1", "clEnqueueSVMMemcpy/CL_MEM_COPY_OVERLAP/1"


@pytest.mark.parametrize(
    ("target", "source", "size", "expected"),
    [
        (POINTER, SECOND_POINTER, SIZE, ("", "")),
        (POINTER, POINTER, SIZE, (OVERLAP, "")),
        (POINTER, POINTER, 1, (OVERLAP, "")),
        (OffsetPointer(POINTER, 128), POINTER, 128, ("", "")),
        (OffsetPointer(POINTER, 127), POINTER, 128, (OVERLAP, "")),
        (POINTER, OffsetPointer(POINTER, 128), 128, ("", "")),
        (POINTER, OffsetPointer(POINTER, 127), 128, (OVERLAP, "")),
        (OffsetPointer(POINTER, 128), POINTER, 129, ("undefined", "")),
        (POINTER, POINTER, 0, ("", f"{INVALID_COPY_POINTER} {OVERLAP}")),
        (POINTER, SECOND_POINTER, 0, ("", INVALID_COPY_POINTER)),
        (None, SECOND_POINTER, 1, (INVALID_COPY_POINTER, "")),
        (POINTER, None, 1, (INVALID_COPY_POINTER, "")),
        (None, None, 0, (INVALID_COPY_POINTER, OVERLAP)),
        (None, None, 1, (INVALID_COPY_POINTER, OVERLAP)),
        (POINTER, None, 0, (INVALID_COPY_POINTER, "")),
        (POINTER, FOREIGN_POINTER, 1, CROSS_CONTEXT_COPY),
        (FOREIGN_POINTER, POINTER, 1, CROSS_CONTEXT_COPY),
        (OutputBuffer(SIZE), POINTER, SIZE, ("", "")),
        (OutputBuffer(SIZE - 1), POINTER, SIZE, ("undefined", "")),
        (POINTER, Data(bytes(SIZE)), SIZE, ("", "")),
    ],
    ids=str,
)
def test_svm_copy_with_invalid_arguments_is_rejected(
    target: Value, source: Value, size: int, expected: tuple[str, str]
) -> None:
    given: dict[str, Value] = {"blocking_copy": 1, "dst_ptr": target, "src_ptr": source, "size": size}
    assert get_enqueue_verdict(set_up_svm(ALL_CAPABILITIES), "clEnqueueSVMMemcpy", **given) == expected


PATTERN = Data(bytes(512))
INVALID_FILL_POINTER, MISALIGNED = "clEnqueueSVMMemFill/CL_INVALID_VALUE/1", "clEnqueueSVMMemFill/CL_INVALID_VALUE/2"
INVALID_PATTERN, SIZE_NOT_MULTIPLE = "clEnqueueSVMMemFill/CL_INVALID_VALUE/3", "clEnqueueSVMMemFill/CL_INVALID_VALUE/4"


@pytest.mark.parametrize(
    ("place", "pattern", "pattern_size", "size", "expected"),
    [
        *((POINTER, PATTERN, 1 << exponent, 128, ("", "")) for exponent in range(8)),
        *((OffsetPointer(POINTER, 1 << exponent), PATTERN, 1 << exponent, 128, ("", "")) for exponent in range(8)),
        *((OffsetPointer(POINTER, 1), PATTERN, 1 << exponent, 128, (MISALIGNED, "")) for exponent in range(1, 8)),
        *((POINTER, PATTERN, number, number, (INVALID_PATTERN, MISALIGNED)) for number in (3, 5, 24, 127, 129, 255)),
        (POINTER, PATTERN, 256, 256, (INVALID_PATTERN, MISALIGNED)),
        (POINTER, PATTERN, 0, 128, (INVALID_PATTERN, "")),
        (POINTER, None, 4, 128, (INVALID_PATTERN, "")),
        (POINTER, PATTERN, 4, 127, (SIZE_NOT_MULTIPLE, "")),
        (POINTER, PATTERN, 4, 2, (SIZE_NOT_MULTIPLE, "")),
        (POINTER, PATTERN, 4, 0, ("", INVALID_FILL_POINTER)),
        (None, PATTERN, 4, 128, (INVALID_FILL_POINTER, "")),
        (None, PATTERN, 4, 0, (INVALID_FILL_POINTER, "")),
        (POINTER, PATTERN, 4, SIZE + 4, ("undefined", "")),
        (FOREIGN_POINTER, PATTERN, 4, 128, ("undefined", "clEnqueueSVMMemFill/usage/1 clEnqueueSVMMemFill/usage/2")),
    ],
    ids=str,
)
def test_svm_fill_with_invalid_arguments_is_rejected(
    place: Value, pattern: Value, pattern_size: int, size: int, expected: tuple[str, str]
) -> None:
    given: dict[str, Value] = {"svm_ptr": place, "pattern": pattern, "pattern_size": pattern_size, "size": size}
    assert get_enqueue_verdict(set_up_svm(ALL_CAPABILITIES), "clEnqueueSVMMemFill", **given) == expected


@pytest.mark.parametrize(
    ("flags", "size", "expected"),
    [
        (1, SIZE, ("", "")),
        (2, 1, ("", "")),
        (3, SIZE, ("", "")),
        (4, SIZE, ("", "")),
        (5, SIZE, ("clEnqueueSVMMap/CL_INVALID_VALUE/2", "")),
        (6, SIZE, ("clEnqueueSVMMap/CL_INVALID_VALUE/2", "")),
        (1 << 62, SIZE, ("clEnqueueSVMMap/CL_INVALID_VALUE/2", "")),
        (1, 0, ("clEnqueueSVMMap/CL_INVALID_VALUE/2", "")),
        (0, SIZE, ("", "clEnqueueSVMMap/CL_INVALID_VALUE/2")),
        (1, SIZE + 1, ("undefined", "")),
    ],
)
def test_svm_map_with_invalid_flags_or_size_is_rejected(flags: int, size: int, expected: tuple[str, str]) -> None:
    given: dict[str, Value] = {"blocking_map": 1, "flags": flags, "svm_ptr": POINTER, "size": size}
    assert get_enqueue_verdict(set_up_svm(ALL_CAPABILITIES), "clEnqueueSVMMap", **given) == expected


def test_svm_map_of_foreign_memory_is_undefined() -> None:
    given: dict[str, Value] = {"blocking_map": 1, "flags": 1, "size": SIZE}
    assert get_enqueue_verdict(set_up_svm(ALL_CAPABILITIES), "clEnqueueSVMMap", svm_ptr=POINTER, **given) == ("", "")
    assert get_enqueue_verdict(set_up_svm(ALL_CAPABILITIES), "clEnqueueSVMMap", svm_ptr=FOREIGN_POINTER, **given) == (
        "undefined",
        "clEnqueueSVMMap/usage/1",
    )


@pytest.mark.parametrize("maps", [1, 2, 3])
def test_one_svm_unmap_may_end_several_maps_of_a_region(maps: int) -> None:
    there = set_up_svm(ALL_CAPABILITIES)
    waits: list[Value] = [0, None, None]
    told = []
    for count in range(2 * maps):
        if count < maps:
            asked = there.expect("clEnqueueSVMMap", Handle("queue1"), 1, 1, POINTER, SIZE, *waits)
        else:
            asked = there.expect("clEnqueueSVMUnmap", Handle("queue1"), POINTER, *waits)
        told.append(get_condition_ids(asked))
        there.oracle.judge(asked, Returned(0))
    assert told == [("", "")] * (maps + 1) + [("", "clEnqueueSVMUnmap/CL_INVALID_VALUE/1")] * (maps - 1)


def test_svm_unmap_of_unmapped_memory_is_undefined() -> None:
    there = set_up_svm(ALL_CAPABILITIES)
    assert get_enqueue_verdict(there, "clEnqueueSVMUnmap", svm_ptr=None) == ("clEnqueueSVMUnmap/CL_INVALID_VALUE/1", "")
    assert get_enqueue_verdict(there, "clEnqueueSVMUnmap", svm_ptr=POINTER)[0] == "undefined"
    assert get_enqueue_verdict(there, "clEnqueueSVMUnmap", svm_ptr=FOREIGN_POINTER) == (
        "undefined",
        "clEnqueueSVMUnmap/usage/1",
    )


@pytest.mark.parametrize(
    ("pointers", "sizes", "expected"),
    [
        ((POINTER,), None, ("", "")),
        ((POINTER,), (SIZE,), ("", "")),
        ((POINTER,), (0,), ("", "")),
        ((POINTER,), (SIZE + 1,), ("clEnqueueSVMMigrateMem/CL_INVALID_VALUE/2", "")),
        ((POINTER, SECOND_POINTER), (0, SIZE + 1), ("clEnqueueSVMMigrateMem/CL_INVALID_VALUE/2", "")),
        ((None,), (1,), ("clEnqueueSVMMigrateMem/CL_INVALID_VALUE/2", "")),
    ],
    ids=str,
)
def test_svm_migration_of_invalid_ranges_is_rejected(
    pointers: tuple[Handle | None, ...], sizes: tuple[int, ...] | None, expected: tuple[str, str]
) -> None:
    given: dict[str, Value] = {"num_svm_pointers": len(pointers), "svm_pointers": ElementList(pointers), "flags": 0}
    there = set_up_svm(ALL_CAPABILITIES)
    assert (
        get_enqueue_verdict(there, "clEnqueueSVMMigrateMem", sizes=ElementList(sizes) if sizes else None, **given)
        == expected
    )


def test_svm_copy_on_device_without_svm_is_rejected() -> None:
    given: dict[str, Value] = {"blocking_copy": 1, "dst_ptr": POINTER, "src_ptr": SECOND_POINTER, "size": SIZE}
    assert get_enqueue_verdict(set_up_svm(0, COARSE), "clEnqueueSVMMemcpy", **given) == (
        "clEnqueueSVMMemcpy/CL_INVALID_OPERATION/1",
        "",
    )
    assert get_enqueue_verdict(set_up_svm(COARSE, 0), "clEnqueueSVMMemcpy", **given) == ("", "")


@pytest.mark.parametrize(
    ("shares", "may"), [((0, 0), "clEnqueueSVMFree/CL_INVALID_OPERATION/1"), ((0, COARSE), ""), ((COARSE, COARSE), "")]
)
def test_svm_free_with_null_queue_may_return_invalid_operation_without_svm(shares: tuple[int, ...], may: str) -> None:
    given: dict[str, Value] = {"num_svm_pointers": 1, "svm_pointers": ElementList((POINTER,)), "pfn_free_func": None}
    waits: dict[str, Value] = {"user_data": None, "num_events_in_wait_list": 0, "event_wait_list": None, "event": None}
    found = get_verdict(set_up_svm(*shares), "clEnqueueSVMFree", command_queue=None, **given, **waits)
    assert found == ("clEnqueueSVMFree/CL_INVALID_COMMAND_QUEUE/1", may)
