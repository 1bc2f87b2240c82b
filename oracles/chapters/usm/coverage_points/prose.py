"""Coverage points for unified shared memory beyond its error conditions and tables, and untestable requirements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.harness_actions import READ
from clconform.calls.values import OffsetPointer, OutputBuffer
from clconform.oracles.chapters.usm.coverage_points.general import (
    INFO,
    RUN,
    checks_copied_bytes,
    copies_kernel_output,
    is_shared_memory_of_other,
    read_region,
    reads_on_host,
    writers_of,
)
from clconform.oracles.chapters.usm.error_conditions import COPY, FILL, FLAGS, PLACEMENTS
from clconform.oracles.chapters.usm.query_results import TYPE
from clconform.oracles.common.ordering_evidence import cover_status_query
from clconform.oracles.common.readback_evidence import cover_bytes_of, is_blocking_read, writers_of_known_bytes
from clconform.oracles.common.wait_evidence import EVENT_QUERY, STATUS_QUERY
from clconform.oracles.contents.access_rules import BLOCKING_FREE
from clconform.oracles.contents.usm import ALLOCATION_CLASSES, SYSTEM
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.devices import Device
from clconform.oracles.model.kernels import SET_BY_ADDRESS
from clconform.oracles.model.pointer_memory import (
    DeviceAllocation,
    HostAllocation,
    HostArea,
    SharedAllocation,
    UsmAllocation,
)
from clconform.oracles.queries.prose_rules import cover_query
from clconform.oracles.queries.query_request import queried_object

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.contents.storage import PointerTarget
    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.oracles.model.queues import CommandQueue

rules = Rules()

SET = "clSetKernelArgMemPointerINTEL"
DEVICE, BASE, BYTES = (f"CL_MEM_ALLOC_{what}_INTEL" for what in ("DEVICE", "BASE_PTR", "SIZE"))
LIST = "CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL"
NOT_DESCRIBED = "the function is in the registry, but the available documents do not describe it"


# allocations


def _allocates(test: Callable[[CompletedCall], object]) -> Callable[[CompletedCall], bool]:
    return lambda asked: asked.code == SUCCESS and bool(test(asked))


for _function, (_null, _given, _default) in zip(ALLOCATION_CLASSES, ((1, 2, 3), (1, 2, 3), (4, 5, 6)), strict=True):
    rules.coverage_point(
        f"{_function}/effect/{_null}",
        _function,
        "Checked on calls with properties NULL.",
        f"{_function}/success",
        holds=lambda asked: asked.call.properties is None,
        requires_success=True,
    )
    rules.coverage_point(
        f"{_function}/effect/{_given}",
        _function,
        "Checked on calls with an alignment other than 0.",
        f"{_function}/success",
        holds=_allocates(lambda asked: asked.call.alignment),
    )
    rules.coverage_point(
        f"{_function}/effect/{_default}",
        _function,
        "Checked on calls with an alignment of 0.",
        *(f"{_function}/size/{number}" for number in ((2, 4) if _function == "clSharedMemAllocINTEL" else (2,))),
        f"{_function}/success",
        holds=_allocates(lambda asked: not asked.call.alignment),
    )
rules.coverage_point(
    "clSharedMemAllocINTEL/effect/2",
    INFO,
    "Checked on queries of CL_MEM_ALLOC_DEVICE_INTEL of shared allocations without a device.",
    DEVICE,
    holds=cover_query(
        DEVICE, when=lambda question: isinstance(question.subject, SharedAllocation) and not question.subject.devices
    ),
)
for _record, _function in (
    ("clMemFreeINTEL/effect/1", "clMemFreeINTEL"),
    ("clMemBlockingFreeINTEL/effect/1", BLOCKING_FREE),
):
    rules.coverage_point(
        _record,
        _function,
        "Checked on calls with ptr NULL: they succeed.",
        f"{_function}/success",
        holds=lambda asked: asked.call.ptr is None,
    )
rules.coverage_point(
    "clMemBlockingFreeINTEL/effect/2",
    EVENT_QUERY,
    "Checked on queries of the status of a command that uses the freed memory, after the call has returned.",
    STATUS_QUERY,
    "clMemBlockingFreeINTEL/success",
    holds=cover_status_query(lambda command: command.ended_by == BLOCKING_FREE),
)


# accesses


def _is_owned_by(kind: type[UsmAllocation | HostArea]) -> Callable[[PointerTarget, CommandQueue], bool]:
    return lambda found, _queue: isinstance(found.owner, kind)


def _is_without_device(found: PointerTarget, _queue: CommandQueue) -> bool:
    return isinstance(found.owner, SharedAllocation) and not found.owner.devices


def _reads_kernel_output(kind: type[UsmAllocation]) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: the host reads bytes that a kernel wrote to an allocation of the class ``kind``."""

    def holds(asked: CompletedCall) -> bool:
        found = read_region(asked, asked.call.pointer)
        return found is not None and RUN in writers_of(found, asked) and reads_on_host(kind)(asked)

    return holds


for _record, _words, _function, _holds in (
    (
        "cl_intel_unified_shared_memory:new-section-5-x-unified-shared-memory/1",
        "Checked on host reads of bytes that a kernel wrote to a host allocation.",
        READ,
        _reads_kernel_output(HostAllocation),
    ),
    (
        "cl_intel_unified_shared_memory:new-section-5-x-unified-shared-memory/2",
        "Checked on copies of bytes that a kernel wrote to a device allocation.",
        COPY,
        copies_kernel_output(_is_owned_by(DeviceAllocation)),
    ),
    (
        "cl_intel_unified_shared_memory:new-section-5-x-unified-shared-memory/3",
        "Checked on host reads of bytes that a kernel wrote to a shared allocation.",
        READ,
        _reads_kernel_output(SharedAllocation),
    ),
    (
        "cl_intel_unified_shared_memory:new-section-5-x-unified-shared-memory/4",
        "Checked on copies of bytes that a kernel wrote to memory that the host allocated.",
        COPY,
        copies_kernel_output(_is_owned_by(HostArea)),
    ),
):
    rules.coverage_point(_record, _function, _words, RUN, holds=_holds)
for _record, _words, _row in (
    (
        "clSharedMemAllocINTEL/effect/1",
        "Checked on copies of bytes that a kernel wrote to a shared allocation of another device.",
        is_shared_memory_of_other,
    ),
    (
        "clSharedMemAllocINTEL/effect/3",
        "Checked on copies of bytes that a kernel wrote to a shared allocation without a device.",
        _is_without_device,
    ),
):
    rules.coverage_point(_record, COPY, _words, RUN, holds=copies_kernel_output(_row))


def _has_placement_hint(asked: CompletedCall) -> bool:
    """Return whether a copy reads known bytes from shared memory that was allocated with an initial placement."""
    found = read_region(asked, asked.call.src_ptr) if checks_copied_bytes(asked.call) else None
    if found is None or not isinstance(found.owner, SharedAllocation):
        return False
    hinted = any(found.owner.flags & asked.model.constant_value(name) for name in PLACEMENTS)
    return hinted and any(writers_of(found, asked))


for _number in range(1, 7):
    rules.coverage_point(
        f"{FLAGS}/effect/{_number}",
        COPY,
        "Checked on copies of bytes from a shared allocation with an initial placement.",
        "clEnqueueMemcpyINTEL/success",
        "clEnqueueMemFillINTEL/success",
        RUN,
        holds=_has_placement_hint,
    )


# queries


def _queries_inside(asked: CompletedCall) -> bool:
    """Return whether a query uses an address after the first byte of an allocation."""
    return asked.code == SUCCESS and isinstance(asked.call.ptr, OffsetPointer) and asked.call.ptr.offset > 0


def _queries_outside(name: str) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: the query ``name`` succeeds for an address outside all allocations."""

    def holds(asked: CompletedCall) -> bool:
        outside = isinstance(queried_object(asked.call, asked.model), Context)
        return outside and asked.code == SUCCESS and asked.call.param_name == asked.model.constant_value(name)

    return holds


rules.coverage_point(
    "clGetMemAllocInfoINTEL/effect/1",
    INFO,
    "Checked on queries with an address after the first byte of an allocation.",
    "clGetMemAllocInfoINTEL/success",
    TYPE,
    BASE,
    BYTES,
    DEVICE,
    FLAGS,
    holds=_queries_inside,
)
_OUTSIDE_TEXT = "Checked on queries with an address outside all allocations."
for _record, _words in (
    (
        "CL_MEM_ALLOC_TYPE_INTEL/effect/1",
        "An address outside all allocations has the type CL_MEM_TYPE_UNKNOWN_INTEL.",
    ),
    ("CL_MEM_ALLOC_BASE_PTR_INTEL/effect/1", _OUTSIDE_TEXT),
    ("CL_MEM_ALLOC_SIZE_INTEL/effect/1", _OUTSIDE_TEXT),
):
    _query = _record.partition("/")[0]
    rules.coverage_point(_record, INFO, _words, _query, holds=_queries_outside(_query))


# kernels and commands


def _passes_host_memory(asked: CompletedCall) -> bool:
    """Return whether a call passes memory that the host allocated, and all devices in the context can access it."""
    kernel = asked.subject
    context = getattr(kernel, "context", None)
    devices = context.devices if isinstance(context, Context) else []
    system = bool(devices) and all(isinstance(each, Device) and each.facts.get(SYSTEM) for each in devices)
    return system and isinstance(asked.model.find(asked.call.arg_value), HostArea)


rules.coverage_point(
    "clSetKernelArgMemPointerINTEL/effect/2",
    SET,
    "Checked on pointers to memory that the host allocated, if all devices support shared system memory.",
    "clSetKernelArgMemPointerINTEL/success",
    "clSetKernelArgMemPointerINTEL/CL_INVALID_ARG_VALUE/1",
    holds=_passes_host_memory,
    requires_success=True,
)
for _looking in (READ, COPY):
    parents = ("clEnqueueMemFillINTEL/success", *([] if _looking == READ else [f"{_looking}/success"]))
    _words = "Checked on reads of filled bytes after the application changed the memory at pattern."
    rules.coverage_point("clEnqueueMemFillINTEL/effect/1", _looking, _words, *parents, holds=cover_bytes_of(FILL))
rules.coverage_point(
    "clEnqueueMemcpyINTEL/effect/1",
    COPY,
    "Checked on blocking copies.",
    "clEnqueueMemcpyINTEL/success",
    holds=is_blocking_read,
)
for _record in (
    "clEnqueueMemFillINTEL/effect/6",
    "clEnqueueMemcpyINTEL/effect/6",
    "clEnqueueMigrateMemINTEL/effect/5",
    "clEnqueueMemAdviseINTEL/effect/6",
):
    _function = _record.partition("/")[0]
    rules.coverage_point(
        _record,
        _function,
        "Checked on successful calls that return an event.",
        f"{_function}/success",
        holds=lambda asked: asked.code == SUCCESS and isinstance(asked.call.event, OutputBuffer),
    )
for _record, _words, _reason in (
    (
        "CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL/effect/1",
        "",
        "a kernel that accesses memory that is no longer listed has undefined behaviour",
    ),
    (
        "CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL/effect/2",
        "",
        "a kernel that accesses memory that is not listed has undefined behaviour",
    ),
    (
        "clEnqueueMemAdviseINTEL/effect/1",
        "",
        "an error condition of the function covers the same calls, so both results are allowed",
    ),
    (
        "cl_intel_unified_shared_memory:interactions-with-other-extensions/1",
        "",
        "the document that defines the property is not available",
    ),
    ("clEnqueueMemsetINTEL/success", "The call succeeds if no error condition holds.", NOT_DESCRIBED),
):
    rules.untestable(_record, _words, _reason)


def _reads_output_by_address(asked: CompletedCall) -> bool:
    """Return whether a call reads bytes that a kernel wrote through an address that was set as its argument."""
    return RUN in writers_of_known_bytes(asked) and any(
        SET_BY_ADDRESS in place.storage.used_capabilities for place in asked.context.effect.reads
    )


for _looking in (READ, COPY, "clEnqueueReadBuffer"):
    rules.coverage_point(
        SET_BY_ADDRESS,
        _looking,
        "Checked on reads of bytes that a kernel wrote through the address in arg_value.",
        RUN,
        holds=_reads_output_by_address,
    )
