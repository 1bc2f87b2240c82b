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
from clconform.oracles.engine.predicate_result import MUST, NO, PredicateResult, may
from clconform.oracles.model.buffer_kernels import linger, linger_once
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.pointer_memory import PointerMemory, SvmAllocation

from .test_usm import DEVICE, FOREIGN_POINTER, HOST, HOST_AREA, SHARED, SIZE, set_up_usm

if TYPE_CHECKING:
    from .oracle_setup import OracleSetup

KERNEL, QUEUE = Handle("kernel1"), Handle("queue1")
POINTER_LIST, HOST_ACCESS, DEVICE_ACCESS, SHARED_ACCESS = 0x4203, 0x4200, 0x4201, 0x4202
NO_WAITS: dict[str, Value] = {"num_events_in_wait_list": 0, "event_wait_list": None, "event": None}
ONES = struct.pack("<64I", *[1] * 64)
ITEMS = 4


def set_up_walk(*capabilities: int) -> OracleSetup:
    """Return a setup with a kernel that walks a linked list, and memory of each type filled with ones."""
    there = set_up_usm(*((capabilities,) if capabilities else ()))
    there.model.get(Kernel, KERNEL).function = "walk"
    for memory in (HOST, DEVICE, SHARED):
        copy_to(there, memory, Data(ONES), SIZE)
    return there


def make_successful_call(there: OracleSetup, function: str, **arguments: Value) -> None:
    """Judge a call that succeeds, and check that it does not deviate."""
    expectation = there.oracle.expect(Call(function, arguments))
    assert not expectation.undefined, expectation.undefined
    assert not there.oracle.judge(expectation, Returned(0)).deviations


def copy_to(there: OracleSetup, place: Handle | OffsetPointer, content: Value, size: int) -> None:
    """Judge a successful copy of bytes or addresses to memory at ``place``."""
    copied: dict[str, Value] = {"blocking": 1, "dst_ptr": place, "src_ptr": content, "size": size}
    make_successful_call(there, "clEnqueueMemcpyINTEL", command_queue=QUEUE, **copied, **NO_WAITS)


def link_nodes(there: OracleSetup, *nodes: Handle | OffsetPointer) -> None:
    """Write the next node's address into each node, NULL into the last, and pass the first node to the kernel."""
    for node, following in zip(nodes, (*nodes[1:], None), strict=True):
        copy_to(there, node, Pointers((following,)), 8)
    make_successful_call(there, "clSetKernelArgMemPointerINTEL", kernel=KERNEL, arg_index=0, arg_value=nodes[0])


def set_exec_info(there: OracleSetup, name: int, *values: Handle | OffsetPointer | None, yes: bool = True) -> None:
    """Set the kernel's list of indirect pointers, or its access flag for a memory type."""
    told: Value = Data(struct.pack("I", yes)) if name != POINTER_LIST else Pointers(values) if values else None
    size = 4 if name != POINTER_LIST else 8 * len(values)
    make_successful_call(
        there, "clSetKernelExecInfo", kernel=KERNEL, param_name=name, param_value_size=size, param_value=told
    )


def build_enqueue(items: int = ITEMS) -> Call:
    sizes: dict[str, Any] = {"work_dim": 1, "global_work_offset": None, "global_work_size": ElementList((items,))}
    given = {"command_queue": QUEUE, "kernel": KERNEL, **sizes, "local_work_size": None, **NO_WAITS}
    return Call("clEnqueueNDRangeKernel", given)


def get_undefined_reason(there: OracleSetup, items: int = ITEMS) -> str:
    """Return the reason why enqueueing the kernel is undefined, or an empty string."""
    return there.oracle.expect(build_enqueue(items)).undefined


def read_elements(there: OracleSetup, memory: Handle, offset: int = 0) -> list[int]:
    """Return the numbers that follow the address in a node."""
    view = there.model.get(PointerMemory, memory).memory
    assert view is not None
    return list(struct.unpack("<5I", view.storage.read(((offset + 8, 20),)).bytes_held))


def test_walk_kernel_updates_each_accessible_node() -> None:
    there = set_up_walk()
    link_nodes(there, HOST, OffsetPointer(DEVICE, 16), SHARED)
    set_exec_info(there, POINTER_LIST, SHARED, DEVICE)
    make_successful_call(there, "clEnqueueNDRangeKernel", **build_enqueue().arguments)
    for memory, offset in ((HOST, 0), (DEVICE, 16), (SHARED, 0)):
        assert read_elements(there, memory, offset) == [3, 4, 5, 6, 1]
    assert read_elements(there, DEVICE) == [1, 1, 0, 0, 3]  # elements before the node, and its unknown address


@pytest.mark.parametrize(
    ("told", "refused"),
    [
        ([], True),
        ([(POINTER_LIST, DEVICE)], False),
        ([(POINTER_LIST, SHARED, DEVICE)], False),
        ([(POINTER_LIST, DEVICE, None)], False),
        ([(POINTER_LIST, SHARED)], True),
        ([(POINTER_LIST, DEVICE), (POINTER_LIST, SHARED)], True),
        ([(POINTER_LIST, DEVICE), (POINTER_LIST,)], True),
        ([(POINTER_LIST, OffsetPointer(DEVICE, 8))], True),
        ([(DEVICE_ACCESS,)], False),
        ([(HOST_ACCESS,), (SHARED_ACCESS,)], True),
        ([(DEVICE_ACCESS,), (POINTER_LIST, SHARED)], False),
    ],
)
def test_enqueue_of_kernel_with_undeclared_indirect_access_is_undefined(told: list[Any], *, refused: bool) -> None:
    there = set_up_walk()
    link_nodes(there, HOST, DEVICE)
    for name, *values in told:
        set_exec_info(there, name, *values)
    assert get_undefined_reason(there) == ("the kernel was not told of memory that it would reach" if refused else "")


def test_kernel_enqueue_is_undefined_after_an_access_flag_is_cleared() -> None:
    there = set_up_walk()
    link_nodes(there, HOST, DEVICE)
    set_exec_info(there, DEVICE_ACCESS)
    set_exec_info(there, DEVICE_ACCESS, yes=False)
    assert get_undefined_reason(there)


@pytest.mark.parametrize(
    ("nodes", "items", "why"),
    [
        ((HOST, OffsetPointer(HOST, 32)), ITEMS, ""),
        ((HOST, OffsetPointer(HOST, 16)), ITEMS, "again"),
        ((HOST, DEVICE, HOST), ITEMS, "again"),
        ((HOST, OffsetPointer(DEVICE, 4)), ITEMS, "none can"),
        ((HOST, OffsetPointer(DEVICE, SIZE - 24)), ITEMS, ""),
        ((HOST, OffsetPointer(DEVICE, SIZE - 16)), ITEMS, "past the end"),
        ((HOST, HOST_AREA), ITEMS, "not told"),
        ((HOST, FOREIGN_POINTER), ITEMS, "not told"),
        ((HOST,), (SIZE - 8) // 4, ""),
        ((HOST,), (SIZE - 8) // 4 + 1, "past the end"),
    ],
)
def test_walk_kernel_enqueue_is_undefined_if_nodes_overlap_or_exceed_memory(
    nodes: tuple[Handle | OffsetPointer, ...], items: int, why: str
) -> None:
    there = set_up_walk()
    for name in (HOST_ACCESS, DEVICE_ACCESS, SHARED_ACCESS):
        set_exec_info(there, name)
    for node, following in itertools.pairwise(nodes):
        copy_to(there, node, Pointers((following,)), 8)
    if nodes[-1] not in nodes[:-1] and why in ("", "again"):
        copy_to(there, nodes[-1], Pointers((None,)), 8)
    make_successful_call(there, "clSetKernelArgMemPointerINTEL", kernel=KERNEL, arg_index=0, arg_value=nodes[0])
    if nodes == (HOST,):
        copy_to(there, HOST, Pointers((None,)), 8)
    assert why in get_undefined_reason(there, items)
    assert bool(why) == bool(get_undefined_reason(there, items))


@pytest.mark.parametrize("content", [Data(b"\1" + bytes(7)), Data(ONES[:8])])
def test_walk_kernel_enqueue_is_undefined_if_node_has_no_address(content: Value) -> None:
    there = set_up_walk()
    link_nodes(there, HOST)
    assert not get_undefined_reason(there)
    copy_to(there, HOST, content, 8)
    assert "need be no address" in get_undefined_reason(there)


@pytest.mark.parametrize("offset", [-4, 0, 4])
def test_walk_kernel_enqueue_is_undefined_after_partial_address_overwrite(offset: int) -> None:
    there = set_up_walk()
    link_nodes(there, OffsetPointer(HOST, 8), DEVICE)
    set_exec_info(there, DEVICE_ACCESS)
    assert not get_undefined_reason(there)
    copy_to(there, OffsetPointer(HOST, 8 + offset), Data(bytes(8)), 8)
    assert bool(get_undefined_reason(there)) == (offset != 0)


def test_walk_kernel_enqueue_that_accesses_freed_memory_is_undefined() -> None:
    there = set_up_walk()
    link_nodes(there, HOST, DEVICE)
    set_exec_info(there, POINTER_LIST, DEVICE)
    make_successful_call(there, "clMemFreeINTEL", context=Handle("context1"), ptr=DEVICE)
    assert get_undefined_reason(there) == "memory that the kernel was told of is gone"
    set_exec_info(there, POINTER_LIST)
    set_exec_info(there, DEVICE_ACCESS)
    assert "no memory is known" in get_undefined_reason(there)


def test_free_of_declared_memory_while_kernel_runs_is_undefined() -> None:
    there = set_up_walk()
    link_nodes(there, HOST)
    set_exec_info(there, POINTER_LIST, DEVICE, SHARED)
    make_successful_call(there, "clEnqueueNDRangeKernel", **build_enqueue().arguments)
    set_exec_info(there, POINTER_LIST)
    for memory in (DEVICE, SHARED):
        free = Call("clMemFreeINTEL", {"context": Handle("context1"), "ptr": memory})
        assert there.oracle.expect(free).undefined
    make_successful_call(there, "clMemBlockingFreeINTEL", context=Handle("context1"), ptr=SHARED)
    make_successful_call(there, "clMemFreeINTEL", context=Handle("context1"), ptr=DEVICE)


@pytest.mark.parametrize(("bits", "refused"), [(1, True), (2, True), (3, False), (15, False)])
def test_enqueue_of_kernel_with_unsupported_atomics_is_undefined(bits: int, *, refused: bool) -> None:
    there = set_up_usm((15, bits, 15, 15, 0))
    there.model.get(Kernel, KERNEL).function = "tally"
    make_successful_call(there, "clSetKernelArgMemPointerINTEL", kernel=KERNEL, arg_index=0, arg_value=DEVICE)
    assert bool(get_undefined_reason(there)) == refused


def test_tally_kernel_writes_the_same_sums_in_any_order() -> None:
    there = set_up_walk()
    there.model.get(Kernel, KERNEL).function = "tally"
    make_successful_call(there, "clSetKernelArgMemPointerINTEL", kernel=KERNEL, arg_index=0, arg_value=HOST)
    (place,) = there.oracle.rulebook.effect_of(build_enqueue(8), there.model).writes
    make_successful_call(there, "clEnqueueNDRangeKernel", **build_enqueue(8).arguments)
    number = [index * 2654435761 % 2**32 for index in range(8)]
    wanted = [
        (1 + number[0] + number[4]) % 2**32,
        max(1, number[1], number[5]),
        min(1, number[2], number[6]),
        1 ^ number[3] ^ number[7],
    ]
    assert list(struct.unpack("<8I", place.read().bytes_held)) == [*wanted, 1, 1, 1, 1]


NDRANGE_CONDITION, TASK_CONDITION = (
    "clEnqueueNDRangeKernel/CL_INVALID_OPERATION/1",
    "clEnqueueTask/CL_INVALID_OPERATION/1",
)


def evaluate_condition(there: OracleSetup, requirement: str) -> PredicateResult:
    """Return the predicate result of a requirement of clEnqueueNDRangeKernel or clEnqueueTask for the kernel."""
    task = Call("clEnqueueTask", {"command_queue": QUEUE, "kernel": KERNEL, **NO_WAITS})
    return there.oracle.rulebook.predicates.declared[requirement](
        build_enqueue() if requirement == NDRANGE_CONDITION else task, there.model
    )


@pytest.mark.parametrize("record", [NDRANGE_CONDITION, TASK_CONDITION])
@pytest.mark.parametrize(
    ("svm", "system", "argument", "expected"),
    [
        (0, 0, DEVICE, NO),
        (0, 0, HOST_AREA, MUST),
        (1, 0, HOST_AREA, MUST),
        (4, 0, HOST_AREA, NO),
        (0, 15, HOST_AREA, may("usm-system-memory-without-svm")),
        (4, 15, HOST_AREA, NO),
    ],
)
def test_enqueue_with_unsupported_pointer_argument_is_rejected(
    record: str, svm: int, system: int, argument: Handle, expected: PredicateResult
) -> None:
    there = set_up_usm()
    make_successful_call(there, "clSetKernelArgMemPointerINTEL", kernel=KERNEL, arg_index=0, arg_value=argument)
    there.roots[0].facts |= {"CL_DEVICE_SVM_CAPABILITIES": svm, SYSTEM: system}
    assert evaluate_condition(there, record) == expected


@pytest.mark.parametrize("record", [NDRANGE_CONDITION, TASK_CONDITION])
@pytest.mark.parametrize(("svm", "expected"), [(0, MUST), (1, NO)])
def test_enqueue_with_svm_pointer_argument_is_rejected_without_support(
    record: str, svm: int, expected: PredicateResult
) -> None:
    there = set_up_usm()
    there.model.add(
        SvmAllocation(
            HOST_AREA.name,
            context=there.model.context(Handle("context1")),
            size=SIZE,
            memory=StorageView(Storage(SIZE), 0, SIZE),
        )
    )
    there.roots[0].facts["CL_DEVICE_SVM_CAPABILITIES"] = 1
    make_successful_call(there, "clSetKernelArgSVMPointer", kernel=KERNEL, arg_index=0, arg_value=HOST_AREA)
    there.roots[0].facts["CL_DEVICE_SVM_CAPABILITIES"] = svm
    assert evaluate_condition(there, record) == expected


@pytest.mark.parametrize("doublings", range(8))
def test_linger_kernel_result_equals_repeated_single_steps(doublings: int) -> None:
    number = 0xBEEF1234
    for _ in range(1 << doublings):
        number = linger_once(number)
    assert linger(0xBEEF1234, doublings) == number
