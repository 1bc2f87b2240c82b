"""Coverage points for unified shared memory beyond its error conditions and tables, and untestable requirements."""

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
NOT_DESCRIBED = "the function is in the registry, but the available documents do not describe it"
EVENTS = (
    ("clEnqueueMemFillINTEL", 6),
    ("clEnqueueMemcpyINTEL", 6),
    ("clEnqueueMigrateMemINTEL", 5),
    ("clEnqueueMemAdviseINTEL", 6),
)
"""Commands with the numbers of their requirements about events."""


# allocations


def _allocated(test: Callable[[AnsweredCall], object]) -> Callable[[AnsweredCall], bool]:
    return lambda asked: asked.code == SUCCESS and bool(test(asked))


for _function, (_null, _given, _default) in zip(ALLOCATED_BY, ((1, 2, 3), (1, 2, 3), (4, 5, 6)), strict=True):
    rules.trigger(
        f"{_function}/effect/{_null}",
        _function,
        "Checked on calls with properties NULL.",
        f"{_function}/success",
        holds=lambda asked: asked.call.properties is None,
        by_success=True,
    )
    rules.trigger(
        f"{_function}/effect/{_given}",
        _function,
        "Checked on calls with an alignment other than 0.",
        f"{_function}/success",
        holds=_allocated(lambda asked: asked.call.alignment),
    )
    rules.trigger(
        f"{_function}/effect/{_default}",
        _function,
        "Checked on calls with an alignment of 0.",
        *(f"{_function}/size/{number}" for number in ((2, 4) if _function == "clSharedMemAllocINTEL" else (2,))),
        f"{_function}/success",
        holds=_allocated(lambda asked: not asked.call.alignment),
    )
rules.trigger(
    f"{ALLOCATE_SHARED}/effect/2",
    ASK,
    "Checked on queries of CL_MEM_ALLOC_DEVICE_INTEL.",
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
        "Checked on calls with ptr NULL: they succeed.",
        f"{_function}/success",
        holds=lambda asked: asked.call.ptr is None,
    )
rules.trigger(
    f"{WAITS_AND_FREES}/effect/2",
    QUERY,
    "Checked on queries of the status of a command that uses the memory, after the call has returned.",
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
    """Return a coverage condition: the host reads, by its own address, bytes that a kernel wrote."""

    def holds(asked: AnsweredCall) -> bool:
        found = source(asked, asked.call.pointer)
        return found is not None and RUN in writers(found, asked) and looked_at(kind)(asked)

    return holds


for _number, _words, _function, _holds in (
    (
        1,
        "Checked on host reads of bytes that a kernel wrote to a host allocation.",
        READ,
        _by_a_kernel(HostAllocation),
    ),
    (
        2,
        "Checked on copies of bytes that a kernel wrote to a device allocation.",
        COPY,
        copied_out(_of(DeviceAllocation)),
    ),
    (
        3,
        "Checked on host reads of bytes that a kernel wrote to a shared allocation.",
        READ,
        _by_a_kernel(SharedAllocation),
    ),
    (4, "Checked on copies of bytes that a kernel wrote to memory of the host.", COPY, copied_out(_of(HostArea))),
):
    rules.trigger(f"{NEW_SECTION}/{_number}", _function, _words, RUN, holds=_holds)
for _number, _words, _row in (
    (1, "Checked on copies of bytes that a kernel wrote to a shared allocation of another device.", of_another),
    (3, "Checked on copies of bytes that a kernel wrote to a shared allocation without a device.", _for_no_device),
):
    rules.trigger(f"{ALLOCATE_SHARED}/effect/{_number}", COPY, _words, RUN, holds=copied_out(_row))


def _placed(asked: AnsweredCall) -> bool:
    """Return whether a copy reads known bytes from shared memory that was allocated with an initial placement."""
    found = source(asked, asked.call.src_ptr) if looks_at_bytes(asked.call) else None
    if found is None or not isinstance(found.owner, SharedAllocation):
        return False
    hinted = any(found.owner.flags & asked.model.value(name) for name in PLACEMENTS)
    return hinted and any(writers(found, asked))


for _number in range(1, 7):
    rules.trigger(
        f"{FLAGS}/effect/{_number}",
        COPY,
        "Checked on copies of bytes from a shared allocation with an initial placement.",
        f"{COPY}/success",
        f"{FILL}/success",
        RUN,
        holds=_placed,
    )


# queries


def _inside(asked: AnsweredCall) -> bool:
    """Return whether a query uses an address after the first byte of an allocation."""
    return asked.code == SUCCESS and isinstance(asked.call.ptr, Inside) and asked.call.ptr.offset > 0


def _nowhere(name: str) -> Callable[[AnsweredCall], bool]:
    """Return a coverage condition: an address outside all allocations is queried."""

    def holds(asked: AnsweredCall) -> bool:
        outside = isinstance(asked_of(asked.call, asked.model), Context)
        return outside and asked.code == SUCCESS and asked.call.param_name == asked.model.value(name)

    return holds


rules.trigger(
    f"{ASK}/effect/1",
    ASK,
    "Checked on queries with an address after the first byte of an allocation.",
    f"{ASK}/success",
    TYPE,
    BASE,
    BYTES,
    DEVICE,
    FLAGS,
    holds=_inside,
)
for _name, _words in (
    (BASE, "Checked on queries with an address outside all allocations."),
    (BYTES, "Checked on queries with an address outside all allocations."),
):
    rules.trigger(f"{_name}/effect/1", ASK, _words, _name, holds=_nowhere(_name))


# kernels and commands


def _any_pointer(asked: AnsweredCall) -> bool:
    """Return whether an argument is the host's own memory, which every device of the context can access."""
    kernel = asked.subject
    context = getattr(kernel, "context", None)
    devices = context.devices if isinstance(context, Context) else []
    system = bool(devices) and all(isinstance(each, Device) and each.facts.get(SYSTEM) for each in devices)
    return system and isinstance(asked.model.known(asked.call.arg_value), HostArea)


rules.trigger(
    f"{SET}/effect/2",
    SET,
    "Checked on pointers to the host's own memory, in contexts whose devices all support shared system memory.",
    f"{SET}/success",
    f"{SET}/CL_INVALID_ARG_VALUE/1",
    holds=_any_pointer,
    by_success=True,
)
for _looking in (READ, COPY):
    parents = (f"{FILL}/success", *([] if _looking == READ else [f"{_looking}/success"]))
    _words = "Checked on reads of filled bytes whose pattern was changed after the call."
    rules.trigger(f"{FILL}/effect/1", _looking, _words, *parents, holds=written_by(FILL))
rules.trigger(
    f"{COPY}/effect/1",
    COPY,
    "Checked on blocking copies.",
    f"{COPY}/success",
    holds=there_at_once,
)
for _function, _number in EVENTS:
    rules.trigger(
        f"{_function}/effect/{_number}",
        _function,
        "Checked on successful calls that return an event.",
        f"{_function}/success",
        holds=lambda asked: asked.code == SUCCESS and isinstance(asked.call.event, OutputBuffer),
    )
for _record, _words, _reason in (
    (
        f"{LIST}/effect/1",
        "",
        "a kernel that accesses memory that is no longer listed has undefined behaviour",
    ),
    (
        f"{LIST}/effect/2",
        "",
        "a kernel that accesses memory that is not listed has undefined behaviour",
    ),
    (
        "clEnqueueMemAdviseINTEL/effect/1",
        "",
        "an error condition of the same function covers it, so that both results are allowed",
    ),
    (
        f"{ROWS}:interactions-with-other-extensions/1",
        "",
        "the document that defines the property is not available",
    ),
    (
        "clEnqueueMemsetINTEL/success",
        "The call succeeds if no error condition holds.",
        NOT_DESCRIBED,
    ),
):
    rules.untestable(_record, _words, _reason)


def _by_address(asked: AnsweredCall) -> bool:
    """Return whether bytes are read that were written by a kernel with a raw address as an argument."""
    return RUN in told(asked) and any(BY_ADDRESS in place.storage.ways for place in asked.judged.effect.reads)


for _looking in (READ, COPY, "clEnqueueReadBuffer"):
    rules.trigger(
        BY_ADDRESS,
        _looking,
        "Checked on reads of bytes that a kernel wrote through the address that was set.",
        RUN,
        holds=_by_address,
    )
