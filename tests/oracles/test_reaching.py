"""Indirect memory access of kernels: linked lists, undefined accesses, and atomic operations."""

from __future__ import annotations

import itertools
import struct
from typing import TYPE_CHECKING, Any

import pytest

from clconform.calls.call import Call, Returned
from clconform.calls.values import Data, ElementList, Handle, OffsetPointer, Pointers, Value
from clconform.oracles.contents.storage import Storage, StorageView
from clconform.oracles.contents.usm import SYSTEM
from clconform.oracles.engine.predicate_result import Decision, May, PredicateResult
from clconform.oracles.model.buffer_kernels import linger, linger_once
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.pointer_memory import PointerMemory, SvmAllocation

from .test_usm import AREA, DEVICE, FOREIGN, HOST, SHARED, SIZE, world

if TYPE_CHECKING:
    from .worlds import World

KERNEL, QUEUE = Handle("kernel1"), Handle("queue1")
POINTERS, HOSTS, DEVICES, SHAREDS = 0x4203, 0x4200, 0x4201, 0x4202
WAITS: dict[str, Value] = {"num_events_in_wait_list": 0, "event_wait_list": None, "event": None}
ONES = struct.pack("<64I", *[1] * 64)
ITEMS = 4


def walking(*capabilities: int) -> World:
    """Return a setup with a kernel that walks a linked list, and memory of each type filled with ones."""
    there = world(*((capabilities,) if capabilities else ()))
    there.model.get(Kernel, KERNEL).function = "walk"
    for memory in (HOST, DEVICE, SHARED):
        put(there, memory, Data(ONES), SIZE)
    return there


def did(there: World, function: str, **arguments: Value) -> None:
    """Judge a call that succeeds, and check that it does not deviate."""
    expectation = there.oracle.expect(Call(function, arguments))
    assert not expectation.undefined, expectation.undefined
    assert not there.oracle.judge(expectation, Returned(0)).deviations


def put(there: World, place: Handle | OffsetPointer, content: Value, size: int) -> None:
    """Copy bytes or addresses to a place."""
    copied: dict[str, Value] = {"blocking": 1, "dst_ptr": place, "src_ptr": content, "size": size}
    did(there, "clEnqueueMemcpyINTEL", command_queue=QUEUE, **copied, **WAITS)


def link(there: World, *nodes: Handle | OffsetPointer) -> None:
    """Write the next node's address into each node, NULL into the last, and pass the first node to the kernel."""
    for node, following in zip(nodes, (*nodes[1:], None), strict=True):
        put(there, node, Pointers((following,)), 8)
    did(there, "clSetKernelArgMemPointerINTEL", kernel=KERNEL, arg_index=0, arg_value=nodes[0])


def tell(there: World, name: int, *values: Handle | OffsetPointer | None, yes: bool = True) -> None:
    """Set the kernel's list of indirect pointers, or its access flag for a memory type."""
    told: Value = Data(struct.pack("I", yes)) if name != POINTERS else Pointers(values) if values else None
    size = 4 if name != POINTERS else 8 * len(values)
    did(there, "clSetKernelExecInfo", kernel=KERNEL, param_name=name, param_value_size=size, param_value=told)


def launch(items: int = ITEMS) -> Call:
    sizes: dict[str, Any] = {"work_dim": 1, "global_work_offset": None, "global_work_size": ElementList((items,))}
    given = {"command_queue": QUEUE, "kernel": KERNEL, **sizes, "local_work_size": None, **WAITS}
    return Call("clEnqueueNDRangeKernel", given)


def refusal(there: World, items: int = ITEMS) -> str:
    """Return the reason why enqueueing the kernel is undefined, or an empty string."""
    return there.oracle.expect(launch(items)).undefined


def elements(there: World, memory: Handle, offset: int = 0) -> list[int]:
    """Return the numbers that follow the address in a node."""
    view = there.model.get(PointerMemory, memory).memory
    assert view is not None
    return list(struct.unpack("<5I", view.storage.read(((offset + 8, 20),)).bytes_held))


def test_a_walk_works_on_each_node_that_it_may_reach() -> None:
    there = walking()
    link(there, HOST, OffsetPointer(DEVICE, 16), SHARED)
    tell(there, POINTERS, SHARED, DEVICE)
    did(there, "clEnqueueNDRangeKernel", **launch().arguments)
    for memory, offset in ((HOST, 0), (DEVICE, 16), (SHARED, 0)):
        assert elements(there, memory, offset) == [3, 4, 5, 6, 1]
    assert elements(there, DEVICE) == [1, 1, 0, 0, 3]  # elements before the node, and its unknown address


@pytest.mark.parametrize(
    ("told", "refused"),
    [
        ([], True),
        ([(POINTERS, DEVICE)], False),
        ([(POINTERS, SHARED, DEVICE)], False),
        ([(POINTERS, DEVICE, None)], False),
        ([(POINTERS, SHARED)], True),
        ([(POINTERS, DEVICE), (POINTERS, SHARED)], True),
        ([(POINTERS, DEVICE), (POINTERS,)], True),
        ([(POINTERS, OffsetPointer(DEVICE, 8))], True),
        ([(DEVICES,)], False),
        ([(HOSTS,), (SHAREDS,)], True),
        ([(DEVICES,), (POINTERS, SHARED)], False),
    ],
)
def test_a_kernel_is_not_sent_to_memory_that_it_was_not_told_of(told: list[Any], *, refused: bool) -> None:
    there = walking()
    link(there, HOST, DEVICE)
    for name, *values in told:
        tell(there, name, *values)
    assert refusal(there) == ("the kernel was not told of memory that it would reach" if refused else "")


def test_a_flag_that_is_taken_back_counts_no_more() -> None:
    there = walking()
    link(there, HOST, DEVICE)
    tell(there, DEVICES)
    tell(there, DEVICES, yes=False)
    assert refusal(there)


@pytest.mark.parametrize(
    ("nodes", "items", "why"),
    [
        ((HOST, OffsetPointer(HOST, 32)), ITEMS, ""),
        ((HOST, OffsetPointer(HOST, 16)), ITEMS, "again"),
        ((HOST, DEVICE, HOST), ITEMS, "again"),
        ((HOST, OffsetPointer(DEVICE, 4)), ITEMS, "none can"),
        ((HOST, OffsetPointer(DEVICE, SIZE - 24)), ITEMS, ""),
        ((HOST, OffsetPointer(DEVICE, SIZE - 16)), ITEMS, "past the end"),
        ((HOST, AREA), ITEMS, "not told"),
        ((HOST, FOREIGN), ITEMS, "not told"),
        ((HOST,), (SIZE - 8) // 4, ""),
        ((HOST,), (SIZE - 8) // 4 + 1, "past the end"),
    ],
)
def test_nodes_lie_apart_and_inside(nodes: tuple[Handle | OffsetPointer, ...], items: int, why: str) -> None:
    there = walking()
    for name in (HOSTS, DEVICES, SHAREDS):
        tell(there, name)
    for node, following in itertools.pairwise(nodes):
        put(there, node, Pointers((following,)), 8)
    if nodes[-1] not in nodes[:-1] and why in ("", "again"):
        put(there, nodes[-1], Pointers((None,)), 8)
    did(there, "clSetKernelArgMemPointerINTEL", kernel=KERNEL, arg_index=0, arg_value=nodes[0])
    if nodes == (HOST,):
        put(there, HOST, Pointers((None,)), 8)
    assert why in refusal(there, items)
    assert bool(why) == bool(refusal(there, items))


@pytest.mark.parametrize("content", [Data(b"\1" + bytes(7)), Data(ONES[:8])])
def test_bytes_that_are_no_address_are_not_followed(content: Value) -> None:
    there = walking()
    link(there, HOST)
    assert not refusal(there)
    put(there, HOST, content, 8)
    assert "need be no address" in refusal(there)


@pytest.mark.parametrize("offset", [-4, 0, 4])
def test_an_address_that_is_written_over_is_none(offset: int) -> None:
    there = walking()
    link(there, OffsetPointer(HOST, 8), DEVICE)
    tell(there, DEVICES)
    assert not refusal(there)
    put(there, OffsetPointer(HOST, 8 + offset), Data(bytes(8)), 8)
    assert bool(refusal(there)) == (offset != 0)


def test_memory_that_is_gone_is_neither_followed_nor_listed() -> None:
    there = walking()
    link(there, HOST, DEVICE)
    tell(there, POINTERS, DEVICE)
    did(there, "clMemFreeINTEL", context=Handle("context1"), ptr=DEVICE)
    assert refusal(there) == "memory that the kernel was told of is gone"
    tell(there, POINTERS)
    tell(there, DEVICES)
    assert "no memory is known" in refusal(there)


def test_all_that_a_kernel_was_told_of_is_in_use_until_it_is_over() -> None:
    there = walking()
    link(there, HOST)
    tell(there, POINTERS, DEVICE, SHARED)
    did(there, "clEnqueueNDRangeKernel", **launch().arguments)
    tell(there, POINTERS)
    for memory in (DEVICE, SHARED):
        free = Call("clMemFreeINTEL", {"context": Handle("context1"), "ptr": memory})
        assert there.oracle.expect(free).undefined
    did(there, "clMemBlockingFreeINTEL", context=Handle("context1"), ptr=SHARED)
    did(there, "clMemFreeINTEL", context=Handle("context1"), ptr=DEVICE)


@pytest.mark.parametrize(("bits", "refused"), [(1, True), (2, True), (3, False), (15, False)])
def test_atomics_need_a_device_that_claims_them(bits: int, *, refused: bool) -> None:
    there = world((15, bits, 15, 15, 0))
    there.model.get(Kernel, KERNEL).function = "tally"
    did(there, "clSetKernelArgMemPointerINTEL", kernel=KERNEL, arg_index=0, arg_value=DEVICE)
    assert bool(refusal(there)) == refused


def test_a_tally_is_what_the_operations_make_in_any_order() -> None:
    there = walking()
    there.model.get(Kernel, KERNEL).function = "tally"
    did(there, "clSetKernelArgMemPointerINTEL", kernel=KERNEL, arg_index=0, arg_value=HOST)
    (place,) = there.oracle.rulebook.effect_of(launch(8), there.model).writes
    did(there, "clEnqueueNDRangeKernel", **launch(8).arguments)
    number = [index * 2654435761 % 2**32 for index in range(8)]
    wanted = [
        (1 + number[0] + number[4]) % 2**32,
        max(1, number[1], number[5]),
        min(1, number[2], number[6]),
        1 ^ number[3] ^ number[7],
    ]
    assert list(struct.unpack("<8I", place.read().bytes_held)) == [*wanted, 1, 1, 1, 1]


ON_ITEMS, ON_ONE = "clEnqueueNDRangeKernel/CL_INVALID_OPERATION/1", "clEnqueueTask/CL_INVALID_OPERATION/1"


def answered(there: World, record: str) -> PredicateResult:
    """Return the predicate result of a requirement for a kernel enqueue: of an NDRange or of a task."""
    task = Call("clEnqueueTask", {"command_queue": QUEUE, "kernel": KERNEL, **WAITS})
    return there.oracle.rulebook.predicate(record)(launch() if record == ON_ITEMS else task, there.model)


@pytest.mark.parametrize("record", [ON_ITEMS, ON_ONE])
@pytest.mark.parametrize(
    ("svm", "system", "argument", "expected"),
    [
        (0, 0, DEVICE, Decision.NO),
        (0, 0, AREA, Decision.MUST),
        (1, 0, AREA, Decision.MUST),
        (4, 0, AREA, Decision.NO),
        (0, 15, AREA, May("the-host's-own-by-unified")),
        (4, 15, AREA, Decision.NO),
    ],
)
def test_addresses_that_a_device_has_no_use_for(
    record: str, svm: int, system: int, argument: Handle, expected: PredicateResult
) -> None:
    there = world()
    did(there, "clSetKernelArgMemPointerINTEL", kernel=KERNEL, arg_index=0, arg_value=argument)
    there.roots[0].facts |= {"CL_DEVICE_SVM_CAPABILITIES": svm, SYSTEM: system}
    assert answered(there, record) == expected


@pytest.mark.parametrize("record", [ON_ITEMS, ON_ONE])
@pytest.mark.parametrize(("svm", "expected"), [(0, Decision.MUST), (1, Decision.NO)])
def test_shared_virtual_memory_is_of_no_use_without_any(record: str, svm: int, expected: PredicateResult) -> None:
    there = world()
    there.model.add(
        SvmAllocation(
            AREA.name,
            context=there.model.context(Handle("context1")),
            size=SIZE,
            memory=StorageView(Storage(SIZE), 0, SIZE),
        )
    )
    there.roots[0].facts["CL_DEVICE_SVM_CAPABILITIES"] = 1
    did(there, "clSetKernelArgSVMPointer", kernel=KERNEL, arg_index=0, arg_value=AREA)
    there.roots[0].facts["CL_DEVICE_SVM_CAPABILITIES"] = svm
    assert answered(there, record) == expected


@pytest.mark.parametrize("doublings", range(8))
def test_what_takes_its_time_is_known_at_once(doublings: int) -> None:
    number = 0xBEEF1234
    for _ in range(1 << doublings):
        number = linger_once(number)
    assert linger(0xBEEF1234, doublings) == number
