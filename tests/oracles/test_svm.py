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

from .worlds import Plan, World, clauses, enqueued, verdict

SIZE = 256
LARGEST = 1 << 20
COARSE, FINE, ATOMIC = 1, 2, 8
"""Bits of a device's SVM capabilities: coarse-grain buffers, fine-grain buffers, atomics."""
READ_WRITE, WRITE_ONLY, READ_ONLY = 1, 2, 4
FINE_BUFFER, ATOMICS = 1 << 10, 1 << 11
POINTER, OTHER, FOREIGN = Handle("pointer1"), Handle("pointer2"), Handle("pointer3")


def world(*shares: int, most: tuple[int, ...] = (), profile: str = "FULL_PROFILE") -> World:
    """Return a setup with a device for each set of bits, a context with two allocations, and a context with one."""
    made = World(*(Plan() for _ in shares), version="3.0", extensions="")
    for number, (device, bits) in enumerate(zip(made.roots, shares, strict=True)):
        device.facts |= {
            "CL_DEVICE_SVM_CAPABILITIES": bits,
            "CL_DEVICE_MAX_MEM_ALLOC_SIZE": most[number] if most else LARGEST,
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


ALL = COARSE | FINE | ATOMIC


@pytest.mark.parametrize(
    ("shares", "flags", "size", "alignment", "must", "may"),
    [
        ((ALL,), READ_WRITE, SIZE, 0, "", ""),
        ((ALL,), 0, SIZE, 0, "", ""),
        ((ALL,), READ_WRITE | FINE_BUFFER | ATOMICS, SIZE, 0, "", ""),
        ((COARSE, 0), READ_WRITE, SIZE, 0, "", ""),
        ((0, 0), READ_WRITE, SIZE, 0, "clSVMAlloc/NULL/1", ""),
        ((ALL,), ATOMICS, SIZE, 0, "clSVMAlloc/NULL/2", ""),
        ((ALL,), READ_WRITE | READ_ONLY, SIZE, 0, "clSVMAlloc/NULL/3", ""),
        ((ALL,), WRITE_ONLY | READ_ONLY, SIZE, 0, "clSVMAlloc/NULL/3", ""),
        ((ALL,), READ_WRITE | WRITE_ONLY, SIZE, 0, "clSVMAlloc/NULL/3", ""),
        ((COARSE,), FINE_BUFFER, SIZE, 0, "clSVMAlloc/NULL/4", ""),
        ((COARSE | FINE,), FINE_BUFFER, SIZE, 0, "", ""),
        ((COARSE | FINE,), FINE_BUFFER | ATOMICS, SIZE, 0, "clSVMAlloc/NULL/4", ""),
        ((ALL, COARSE), FINE_BUFFER, SIZE, 0, "clSVMAlloc/NULL/4", ""),
        ((ALL, COARSE | FINE), FINE_BUFFER | ATOMICS, SIZE, 0, "", "clSVMAlloc/NULL/4"),
        ((ALL,), 1 << 62, SIZE, 0, "clSVMAlloc/NULL/5", ""),
        ((ALL,), READ_WRITE | 1 << 3, SIZE, 0, "clSVMAlloc/NULL/5", ""),
        ((ALL,), READ_WRITE | 1 << 9, SIZE, 0, "clSVMAlloc/NULL/5", ""),
        ((ALL,), 1 << 12, SIZE, 0, "clSVMAlloc/NULL/5", ""),
        ((ALL,), READ_WRITE | 1 << 30, SIZE, 0, "", "clSVMAlloc/NULL/5"),
        ((ALL,), READ_WRITE, 0, 0, "clSVMAlloc/NULL/6", ""),
        ((ALL,), READ_WRITE, 1, 0, "", ""),
        ((ALL,), READ_WRITE, LARGEST, 0, "", ""),
        ((ALL,), READ_WRITE, LARGEST + 1, 0, "clSVMAlloc/NULL/6", ""),
        *(((ALL,), READ_WRITE, SIZE, 1 << exponent, "", "") for exponent in range(8)),
        *(((ALL,), READ_WRITE, SIZE, 1 << exponent, "", "clSVMAlloc/NULL/7") for exponent in range(8, 32)),
        *(((ALL,), READ_WRITE, SIZE, number, "clSVMAlloc/NULL/7", "") for number in (3, 5, 6, 127, 129, 0xFFFFFFFF)),
    ],
)
def test_an_allocation(shares: tuple[int, ...], flags: int, size: int, alignment: int, must: str, may: str) -> None:
    there = world(*shares)
    given = {"context": Handle("context1"), "flags": flags, "size": size, "alignment": alignment}
    assert verdict(there, "clSVMAlloc", **given) == (must, may)


def test_a_size_that_only_some_device_gives_is_open() -> None:
    there = world(ALL, ALL, most=(100, 200))
    given: dict[str, Value] = {"context": Handle("context1"), "flags": 0, "alignment": 0}
    assert verdict(there, "clSVMAlloc", size=100, **given) == ("", "")
    assert verdict(there, "clSVMAlloc", size=101, **given) == ("", "clSVMAlloc/NULL/6")
    assert verdict(there, "clSVMAlloc", size=201, **given) == ("clSVMAlloc/NULL/6", "")


def test_a_device_without_long_need_not_align_for_it() -> None:
    there = world(ALL, profile="EMBEDDED_PROFILE")
    given: dict[str, Value] = {"context": Handle("context1"), "flags": 0, "size": SIZE}
    assert verdict(there, "clSVMAlloc", alignment=64, **given) == ("", "")
    assert verdict(there, "clSVMAlloc", alignment=128, **given) == ("", "clSVMAlloc/NULL/7")


@pytest.mark.parametrize("pointer", [None, POINTER, OTHER], ids=str)
def test_memory_is_freed_where_it_was_made(pointer: Value) -> None:
    assert verdict(world(ALL), "clSVMFree", context=Handle("context1"), svm_pointer=pointer) == ("", "")


@pytest.mark.parametrize(
    ("pointer", "usage"),
    [
        (FOREIGN, "clSVMFree/usage/1"),
        (OffsetPointer(POINTER, 1), "clSVMFree/usage/1"),
        (Handle("pointer99"), "clSVMFree/usage/2"),
    ],
    ids=str,
)
def test_memory_that_is_gone_or_of_another_context_is_not_freed(pointer: Value, usage: str) -> None:
    found, broken = verdict(world(ALL), "clSVMFree", context=Handle("context1"), svm_pointer=pointer)
    assert found == "undefined"
    assert usage in broken.split()


def test_memory_is_not_freed_under_a_buffer() -> None:
    there = world(ALL)
    memory = there.model.get(SvmAllocation, POINTER)
    buffer = Buffer("mem1", context=memory.context, size=SIZE, memory=memory.memory)
    there.model.add(buffer)
    given: dict[str, Value] = {"context": Handle("context1"), "svm_pointer": POINTER}
    assert verdict(there, "clSVMFree", **given) == ("undefined", "clSVMFree/usage/3")
    assert verdict(there, "clSVMFree", **given | {"svm_pointer": OTHER}) == ("", "")
    del there.model.objects[buffer.name]
    assert verdict(there, "clSVMFree", **given) == ("", "")


NO_START = ("undefined", "clEnqueueSVMFree/usage/2 clEnqueueSVMFree/usage/3")
FREED = "clEnqueueSVMFree/CL_INVALID_VALUE/1"


@pytest.mark.parametrize(
    ("number", "pointers", "callback", "expected"),
    [
        (1, ElementList((POINTER,)), None, ("", "")),
        (2, ElementList((POINTER, OTHER)), HostCallback("free"), ("", "")),
        (0, ElementList((POINTER,)), None, (FREED, "")),
        (1, None, None, (FREED, "")),
        (0, None, None, ("", FREED)),
        (1, ElementList((None,)), HostCallback("free"), ("", FREED)),
        (1, ElementList((None,)), None, NO_START),
        (1, ElementList((OffsetPointer(POINTER, 1),)), None, NO_START),
        (1, ElementList((OffsetPointer(POINTER, 1),)), HostCallback("free"), ("", "")),
        (1, ElementList((FOREIGN,)), None, ("undefined", "clEnqueueSVMFree/usage/1")),
        (2, ElementList((POINTER,)), None, ("undefined", "")),
    ],
    ids=str,
)
def test_a_list_to_free(number: int, pointers: Value, callback: Value, expected: tuple[str, str]) -> None:
    given: dict[str, Value] = {"num_svm_pointers": number, "svm_pointers": pointers, "pfn_free_func": callback}
    assert enqueued(world(ALL), "clEnqueueSVMFree", user_data=None, **given) == expected


COPIED_ACROSS = ("undefined", "clEnqueueSVMMemcpy/usage/1 clEnqueueSVMMemcpy/usage/4")
NOWHERE, OVERLAP = "clEnqueueSVMMemcpy/CL_INVALID_VALUE/1", "clEnqueueSVMMemcpy/CL_MEM_COPY_OVERLAP/1"


@pytest.mark.parametrize(
    ("target", "source", "size", "expected"),
    [
        (POINTER, OTHER, SIZE, ("", "")),
        (POINTER, POINTER, SIZE, (OVERLAP, "")),
        (POINTER, POINTER, 1, (OVERLAP, "")),
        (OffsetPointer(POINTER, 128), POINTER, 128, ("", "")),
        (OffsetPointer(POINTER, 127), POINTER, 128, (OVERLAP, "")),
        (POINTER, OffsetPointer(POINTER, 128), 128, ("", "")),
        (POINTER, OffsetPointer(POINTER, 127), 128, (OVERLAP, "")),
        (OffsetPointer(POINTER, 128), POINTER, 129, ("undefined", "")),
        (POINTER, POINTER, 0, ("", f"{NOWHERE} {OVERLAP}")),
        (POINTER, OTHER, 0, ("", NOWHERE)),
        (None, OTHER, 1, (NOWHERE, "")),
        (POINTER, None, 1, (NOWHERE, "")),
        (None, None, 0, (NOWHERE, OVERLAP)),
        (None, None, 1, (NOWHERE, OVERLAP)),
        (POINTER, None, 0, (NOWHERE, "")),
        (POINTER, FOREIGN, 1, COPIED_ACROSS),
        (FOREIGN, POINTER, 1, COPIED_ACROSS),
        (OutputBuffer(SIZE), POINTER, SIZE, ("", "")),
        (OutputBuffer(SIZE - 1), POINTER, SIZE, ("undefined", "")),
        (POINTER, Data(bytes(SIZE)), SIZE, ("", "")),
    ],
    ids=str,
)
def test_a_copy(target: Value, source: Value, size: int, expected: tuple[str, str]) -> None:
    given: dict[str, Value] = {"blocking_copy": 1, "dst_ptr": target, "src_ptr": source, "size": size}
    assert enqueued(world(ALL), "clEnqueueSVMMemcpy", **given) == expected


PATTERN = Data(bytes(512))
NO_PLACE, MISALIGNED = "clEnqueueSVMMemFill/CL_INVALID_VALUE/1", "clEnqueueSVMMemFill/CL_INVALID_VALUE/2"
NO_PATTERN, NO_MULTIPLE = "clEnqueueSVMMemFill/CL_INVALID_VALUE/3", "clEnqueueSVMMemFill/CL_INVALID_VALUE/4"


@pytest.mark.parametrize(
    ("place", "pattern", "pattern_size", "size", "expected"),
    [
        *((POINTER, PATTERN, 1 << exponent, 128, ("", "")) for exponent in range(8)),
        *((OffsetPointer(POINTER, 1 << exponent), PATTERN, 1 << exponent, 128, ("", "")) for exponent in range(8)),
        *((OffsetPointer(POINTER, 1), PATTERN, 1 << exponent, 128, (MISALIGNED, "")) for exponent in range(1, 8)),
        *((POINTER, PATTERN, number, number, (NO_PATTERN, MISALIGNED)) for number in (3, 5, 24, 127, 129, 255)),
        (POINTER, PATTERN, 256, 256, (NO_PATTERN, MISALIGNED)),
        (POINTER, PATTERN, 0, 128, (NO_PATTERN, "")),
        (POINTER, None, 4, 128, (NO_PATTERN, "")),
        (POINTER, PATTERN, 4, 127, (NO_MULTIPLE, "")),
        (POINTER, PATTERN, 4, 2, (NO_MULTIPLE, "")),
        (POINTER, PATTERN, 4, 0, ("", NO_PLACE)),
        (None, PATTERN, 4, 128, (NO_PLACE, "")),
        (None, PATTERN, 4, 0, (NO_PLACE, "")),
        (POINTER, PATTERN, 4, SIZE + 4, ("undefined", "")),
        (FOREIGN, PATTERN, 4, 128, ("undefined", "clEnqueueSVMMemFill/usage/1 clEnqueueSVMMemFill/usage/2")),
    ],
    ids=str,
)
def test_a_fill(place: Value, pattern: Value, pattern_size: int, size: int, expected: tuple[str, str]) -> None:
    given: dict[str, Value] = {"svm_ptr": place, "pattern": pattern, "pattern_size": pattern_size, "size": size}
    assert enqueued(world(ALL), "clEnqueueSVMMemFill", **given) == expected


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
def test_a_map(flags: int, size: int, expected: tuple[str, str]) -> None:
    given: dict[str, Value] = {"blocking_map": 1, "flags": flags, "svm_ptr": POINTER, "size": size}
    assert enqueued(world(ALL), "clEnqueueSVMMap", **given) == expected


def test_memory_of_another_context_is_not_mapped() -> None:
    given: dict[str, Value] = {"blocking_map": 1, "flags": 1, "size": SIZE}
    assert enqueued(world(ALL), "clEnqueueSVMMap", svm_ptr=POINTER, **given) == ("", "")
    assert enqueued(world(ALL), "clEnqueueSVMMap", svm_ptr=FOREIGN, **given) == ("undefined", "clEnqueueSVMMap/usage/1")


@pytest.mark.parametrize("maps", [1, 2, 3])
def test_one_call_may_unmap_a_region_that_was_mapped_several_times(maps: int) -> None:
    there = world(ALL)
    waits: list[Value] = [0, None, None]
    told = []
    for count in range(2 * maps):
        if count < maps:
            asked = there.expect("clEnqueueSVMMap", Handle("queue1"), 1, 1, POINTER, SIZE, *waits)
        else:
            asked = there.expect("clEnqueueSVMUnmap", Handle("queue1"), POINTER, *waits)
        told.append(clauses(asked))
        there.oracle.judge(asked, Returned(0))
    assert told == [("", "")] * (maps + 1) + [("", "clEnqueueSVMUnmap/CL_INVALID_VALUE/1")] * (maps - 1)


def test_only_what_is_mapped_must_be_unmapped() -> None:
    there = world(ALL)
    assert enqueued(there, "clEnqueueSVMUnmap", svm_ptr=None) == ("clEnqueueSVMUnmap/CL_INVALID_VALUE/1", "")
    assert enqueued(there, "clEnqueueSVMUnmap", svm_ptr=POINTER)[0] == "undefined"
    assert enqueued(there, "clEnqueueSVMUnmap", svm_ptr=FOREIGN) == ("undefined", "clEnqueueSVMUnmap/usage/1")


@pytest.mark.parametrize(
    ("pointers", "sizes", "expected"),
    [
        ((POINTER,), None, ("", "")),
        ((POINTER,), (SIZE,), ("", "")),
        ((POINTER,), (0,), ("", "")),
        ((POINTER,), (SIZE + 1,), ("clEnqueueSVMMigrateMem/CL_INVALID_VALUE/2", "")),
        ((POINTER, OTHER), (0, SIZE + 1), ("clEnqueueSVMMigrateMem/CL_INVALID_VALUE/2", "")),
        ((None,), (1,), ("clEnqueueSVMMigrateMem/CL_INVALID_VALUE/2", "")),
    ],
    ids=str,
)
def test_ranges_to_migrate(
    pointers: tuple[Handle | None, ...], sizes: tuple[int, ...] | None, expected: tuple[str, str]
) -> None:
    given: dict[str, Value] = {"num_svm_pointers": len(pointers), "svm_pointers": ElementList(pointers), "flags": 0}
    there = world(ALL)
    assert enqueued(there, "clEnqueueSVMMigrateMem", sizes=ElementList(sizes) if sizes else None, **given) == expected


def test_a_device_without_shared_memory_refuses_all_commands() -> None:
    given: dict[str, Value] = {"blocking_copy": 1, "dst_ptr": POINTER, "src_ptr": OTHER, "size": SIZE}
    assert enqueued(world(0, COARSE), "clEnqueueSVMMemcpy", **given) == (
        "clEnqueueSVMMemcpy/CL_INVALID_OPERATION/1",
        "",
    )
    assert enqueued(world(COARSE, 0), "clEnqueueSVMMemcpy", **given) == ("", "")


@pytest.mark.parametrize(
    ("shares", "may"), [((0, 0), "clEnqueueSVMFree/CL_INVALID_OPERATION/1"), ((0, COARSE), ""), ((COARSE, COARSE), "")]
)
def test_without_a_queue_a_command_may_fail_for_want_of_a_feature_that_no_device_has(
    shares: tuple[int, ...], may: str
) -> None:
    given: dict[str, Value] = {"num_svm_pointers": 1, "svm_pointers": ElementList((POINTER,)), "pfn_free_func": None}
    waits: dict[str, Value] = {"user_data": None, "num_events_in_wait_list": 0, "event_wait_list": None, "event": None}
    found = verdict(world(*shares), "clEnqueueSVMFree", command_queue=None, **given, **waits)
    assert found == ("clEnqueueSVMFree/CL_INVALID_COMMAND_QUEUE/1", may)
