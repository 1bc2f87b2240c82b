"""Which calls test what the document of unified shared memory says beside its clauses and tables, and what none can."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.host import READ
from clconform.calls.values import Inside, OutputBuffer
from clconform.oracles.chapters.usm.answers import TYPE
from clconform.oracles.chapters.usm.clauses import COPY, FILL, FLAGS, PLACEMENTS
from clconform.oracles.chapters.usm.triggers import (
    ASK,
    ROWS,
    RUN,
    copied_out,
    looked_at,
    looks_at_bytes,
    of_another,
    source,
    writers,
)
from clconform.oracles.contents.access_rules import WAITS_AND_FREES
from clconform.oracles.contents.unified import ALLOCATED_BY, SYSTEM
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.devices import Device
from clconform.oracles.model.kernels import BY_ADDRESS
from clconform.oracles.model.pointed_memory import (
    DeviceAllocation,
    HostAllocation,
    HostArea,
    SharedAllocation,
    UsmAllocation,
)
from clconform.oracles.queries.effects import answered
from clconform.oracles.queries.questions import asked_of
from clconform.oracles.recurring.order import asked_about
from clconform.oracles.recurring.reads import there_at_once, told, written_by
from clconform.oracles.recurring.waiting import QUERY, STATUS

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.contents.storage import Reach
    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.oracles.model.queues import Queue

rules = Rules()

NEW_SECTION = f"{ROWS}:new-section-5-x-unified-shared-memory"
SET, ALLOCATE_SHARED = "clSetKernelArgMemPointerINTEL", "clSharedMemAllocINTEL"
DEVICE, BASE, BYTES = (f"CL_MEM_ALLOC_{what}_INTEL" for what in ("DEVICE", "BASE_PTR", "SIZE"))
LIST = "CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL"
NOT_DESCRIBED = "the function is in the registry, but no document at hand says what it does"
EVENTS = (
    ("clEnqueueMemFillINTEL", 6),
    ("clEnqueueMemcpyINTEL", 6),
    ("clEnqueueMigrateMemINTEL", 5),
    ("clEnqueueMemAdviseINTEL", 6),
)
"""Commands with the numbers of their sentences about events."""


# allocations


def _allocated(test: Callable[[AnsweredCall], object]) -> Callable[[AnsweredCall], bool]:
    return lambda asked: asked.code == SUCCESS and bool(test(asked))


for _function, (_null, _given, _default) in zip(ALLOCATED_BY, ((1, 2, 3), (1, 2, 3), (4, 5, 6)), strict=True):
    rules.trigger(
        f"{_function}/effect/{_null}",
        _function,
        "Memory is allocated without properties.",
        f"{_function}/success",
        holds=lambda asked: asked.call.properties is None,
        by_success=True,
    )
    rules.trigger(
        f"{_function}/effect/{_given}",
        _function,
        "The address is a multiple of the alignment that was asked for.",
        f"{_function}/success",
        holds=_allocated(lambda asked: asked.call.alignment),
    )
    rules.trigger(
        f"{_function}/effect/{_default}",
        _function,
        "Without an alignment the address is one for the largest type of the devices.",
        *(f"{_function}/size/{number}" for number in ((2, 4) if _function == "clSharedMemAllocINTEL" else (2,))),
        f"{_function}/success",
        holds=_allocated(lambda asked: not asked.call.alignment),
    )
rules.trigger(
    f"{ALLOCATE_SHARED}/effect/2",
    ASK,
    "Shared memory that was allocated for no device has none.",
    DEVICE,
    holds=answered(
        DEVICE,
        when=lambda question: isinstance(question.thing, SharedAllocation) and not question.thing.devices,
    ),
)
for _function in ("clMemFreeINTEL", WAITS_AND_FREES):
    rules.trigger(
        f"{_function}/effect/1",
        _function,
        "The call does nothing with NULL.",
        f"{_function}/success",
        holds=lambda asked: asked.call.ptr is None,
    )
rules.trigger(
    f"{WAITS_AND_FREES}/effect/2",
    QUERY,
    "A command that uses the memory is complete when the call has returned.",
    STATUS,
    f"{WAITS_AND_FREES}/success",
    holds=asked_about(lambda command: command.ended_by == WAITS_AND_FREES),
)


# accesses


def _of(kind: type[UsmAllocation | HostArea]) -> Callable[[Reach, Queue], bool]:
    return lambda found, _queue: isinstance(found.owner, kind)


def _for_no_device(found: Reach, _queue: Queue) -> bool:
    return isinstance(found.owner, SharedAllocation) and not found.owner.devices


def _by_a_kernel(kind: type[UsmAllocation]) -> Callable[[AnsweredCall], bool]:
    """Return the trigger that the host finds by its own address what a kernel has put there."""

    def holds(asked: AnsweredCall) -> bool:
        found = source(asked, asked.call.pointer)
        return found is not None and RUN in writers(found, asked) and looked_at(kind)(asked)

    return holds


for _number, _words, _function, _holds in (
    (
        1,
        "The host finds by the address of host memory what a kernel has put there.",
        READ,
        _by_a_kernel(HostAllocation),
    ),
    (2, "A command finds in device memory what a kernel has put there.", COPY, copied_out(_of(DeviceAllocation))),
    (
        3,
        "The host finds by the address of shared memory what a kernel has put there.",
        READ,
        _by_a_kernel(SharedAllocation),
    ),
    (4, "A command finds in memory of the host what a kernel has put there.", COPY, copied_out(_of(HostArea))),
):
    rules.trigger(f"{NEW_SECTION}/{_number}", _function, _words, RUN, holds=_holds)
for _number, _words, _row in (
    (1, "A device with the capability finds what lies in shared memory for another device.", of_another),
    (3, "A device with the capability finds what lies in shared memory for no device.", _for_no_device),
):
    rules.trigger(f"{ALLOCATE_SHARED}/effect/{_number}", COPY, _words, RUN, holds=copied_out(_row))


def _placed(asked: AnsweredCall) -> bool:
    """Return whether a copy finds known bytes in shared memory that was allocated with a hint where to place it."""
    found = source(asked, asked.call.src_ptr) if looks_at_bytes(asked.call) else None
    if found is None or not isinstance(found.owner, SharedAllocation):
        return False
    hinted = any(found.owner.flags & asked.model.value(name) for name in PLACEMENTS)
    return hinted and any(writers(found, asked))


for _number in range(1, 7):
    rules.trigger(
        f"{FLAGS}/effect/{_number}",
        COPY,
        "Shared memory that was allocated with a hint where to place it holds what was put there.",
        f"{COPY}/success",
        f"{FILL}/success",
        RUN,
        holds=_placed,
    )


# answers


def _inside(asked: AnsweredCall) -> bool:
    """Return whether memory is asked about by an address behind its first byte."""
    return asked.code == SUCCESS and isinstance(asked.call.ptr, Inside) and asked.call.ptr.offset > 0


def _nowhere(name: str) -> Callable[[AnsweredCall], bool]:
    """Return the trigger that an address in no memory is asked about."""

    def holds(asked: AnsweredCall) -> bool:
        outside = isinstance(asked_of(asked.call, asked.model), Context)
        return outside and asked.code == SUCCESS and asked.call.param_name == asked.model.value(name)

    return holds


rules.trigger(
    f"{ASK}/effect/1",
    ASK,
    "An address inside of an allocation tells what the allocation is.",
    f"{ASK}/success",
    TYPE,
    BASE,
    BYTES,
    DEVICE,
    FLAGS,
    holds=_inside,
)
for _name, _words in ((BASE, "An address in no memory has no base."), (BYTES, "The size of no memory is 0.")):
    rules.trigger(f"{_name}/effect/1", ASK, _words, _name, holds=_nowhere(_name))


# kernels and commands


def _any_pointer(asked: AnsweredCall) -> bool:
    """Return whether an argument is memory of the host's own, where every device of the context may use that."""
    kernel = asked.subject
    context = getattr(kernel, "context", None)
    devices = context.devices if isinstance(context, Context) else []
    system = bool(devices) and all(isinstance(each, Device) and each.facts.get(SYSTEM) for each in devices)
    return system and isinstance(asked.model.known(asked.call.arg_value), HostArea)


rules.trigger(
    f"{SET}/effect/2",
    SET,
    "An argument can be any address where the devices use all memory of the host.",
    f"{SET}/success",
    f"{SET}/CL_INVALID_ARG_VALUE/1",
    holds=_any_pointer,
    by_success=True,
)
for _looking in (READ, COPY):
    parents = (f"{FILL}/success", *([] if _looking == READ else [f"{_looking}/success"]))
    _words = "Filled bytes are compared whose pattern was changed after the call."
    rules.trigger(f"{FILL}/effect/1", _looking, _words, *parents, holds=written_by(FILL))
rules.trigger(
    f"{COPY}/effect/1",
    COPY,
    "The bytes are there when a blocking call returns.",
    f"{COPY}/success",
    holds=there_at_once,
)
for _function, _number in EVENTS:
    rules.trigger(
        f"{_function}/effect/{_number}",
        _function,
        "The event of a command is a new one.",
        f"{_function}/success",
        holds=lambda asked: asked.code == SUCCESS and isinstance(asked.call.event, OutputBuffer),
    )
for _record, _words, _reason in (
    (
        f"{LIST}/effect/1",
        "Each list replaces the one before.",
        "a kernel that reaches memory which is listed no more has undefined behaviour",
    ),
    (
        f"{LIST}/effect/2",
        "A new kernel has no list.",
        "a kernel that reaches memory which is not listed has undefined behaviour",
    ),
    (
        "clEnqueueMemAdviseINTEL/effect/1",
        "Advice that a device does not support is ignored.",
        "a clause of the same function names an error for it, so that both are right",
    ),
    (
        f"{ROWS}:interactions-with-other-extensions/1",
        "With cl_intel_mem_alloc_buffer_location there is one more property.",
        "the property is defined by a document that is not at hand",
    ),
    (
        "clEnqueueMemsetINTEL/success",
        "The call succeeds if no clause says otherwise.",
        NOT_DESCRIBED,
    ),
):
    rules.untestable(_record, _words, _reason)


def _by_address(asked: AnsweredCall) -> bool:
    """Return whether bytes are read that a kernel has made which got an address as an argument."""
    return RUN in told(asked) and any(BY_ADDRESS in place.storage.ways for place in asked.judged.effect.reads)


for _looking in (READ, COPY, "clEnqueueReadBuffer"):
    rules.trigger(BY_ADDRESS, _looking, "A kernel works with the address that was set.", RUN, holds=_by_address)
