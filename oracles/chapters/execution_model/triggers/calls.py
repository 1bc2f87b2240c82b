"""Coverage points of section 3.2: queues, non-blocking calls and kernel enqueues."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.execution.enqueueing_kernels import BY_CHILDREN
from clconform.oracles.chapters.execution.range_kernels import (
    PASSED_ON,
)
from clconform.oracles.contents.waiting import command_of, is_blocking
from clconform.oracles.engine.rules import Answered, Rules
from clconform.oracles.engine.success import is_command
from clconform.oracles.model.enqueueing_kernels import blocks_in
from clconform.oracles.model.errors import ForbiddenError
from clconform.oracles.model.queues import Queue
from clconform.oracles.recurring.order import LAUNCH, READ
from clconform.oracles.recurring.reads import shows

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.spec_tables import Tables

rules = Rules()

MODEL = "OpenCL:execution-model"
INSTANCES = "OpenCL:execution-of-kernel-instances"
QUEUES = ("clCreateCommandQueue", "clCreateCommandQueueWithProperties")
SEEN = {
    "OpenCL:synchronization/1": (
        (PASSED_ON,),
        "No work-item passes a work-group barrier before the whole group has reached it and its stores are done.",
    ),
    "OpenCL:work-group-functions/1": (
        (PASSED_ON,),
        "After a work-group barrier, work-items see the earlier stores of their group to local memory.",
    ),
}
"""Effects to the evidence tags of memory, any of which suffices, and to the texts of their coverage points."""


@rules.completion
def _seen_in_memory(rules: Rules, _tables: Tables) -> None:
    for record, (ways, words) in SEEN.items():
        rules.trigger(record, READ, words, f"{LAUNCH}/success", record, holds=shows(*ways))


COMPLETE = ("OpenCL:device-side-enqueue/2", f"{MODEL}/11", "OpenCL:synchronization/6")
"""Three requirements that state the same about a kernel and its child kernels."""
rules.interpreted("blocks-of-a-kernel", *COMPLETE)


def _by_children(asked: AnsweredCall) -> bool:
    """Return whether a read returns bytes of a kernel and at least one child kernel."""
    return asked.call.offset == 0 and shows(BY_CHILDREN)(asked) and blocks_in(asked.raw.get("ptr", b"")) > 0


for _record in COMPLETE:
    _words = "Checked on reads of bytes that child kernels wrote, after a wait for their parent kernel."
    rules.trigger(_record, READ, _words, f"{LAUNCH}/success", holds=_by_children)


def _another_queue(like: Callable[[Queue, AnsweredCall], bool]) -> Callable[[AnsweredCall], bool]:
    """Return the test that a queue is created while another queue of some kind exists."""
    return lambda asked: any(like(each, asked) for each in asked.model.of_kind(Queue))


def _of_the_context(queue: Queue, asked: AnsweredCall) -> bool:
    return queue.context is asked.model.known(asked.call.context)


def _of_the_device(queue: Queue, asked: AnsweredCall) -> bool:
    return queue.device is asked.model.known(asked.call.device)


for _record, _words, _like in (
    (f"{MODEL}/22", "", _of_the_context),
    (f"{INSTANCES}/7", "", _of_the_device),
    (
        f"{INSTANCES}/8",
        "",
        lambda queue, asked: _of_the_device(queue, asked) and not _of_the_context(queue, asked),
    ),
):
    for _function in QUEUES:
        _holds = _another_queue(_like)
        rules.trigger(_record, _function, _words, f"{_function}/success", holds=_holds, by_success=True)


def _told_as_text(asked: AnsweredCall) -> bool:
    """Return whether a numeric version is queried after the version string of the same object."""
    subject = asked.subject
    return subject is not None and any(name in subject.facts for name in ("CL_DEVICE_VERSION", "CL_PLATFORM_VERSION"))


@rules.completion
def _version_numbers(rules: Rules, _tables: Tables) -> None:
    words = {
        1: "Checked on queries of a numeric version after a query of the version string.",
        2: "Checked on queries of a numeric version after a query of the version string.",
    }
    for number, said in words.items():
        for function, name in (
            ("clGetDeviceInfo", "CL_DEVICE_NUMERIC_VERSION"),
            ("clGetPlatformInfo", "CL_PLATFORM_NUMERIC_VERSION"),
        ):
            holds = Answered((name,), _told_as_text)
            rules.trigger(f"OpenCL:version-numbers/{number}", function, said, f"{name}/effect/1", name, holds=holds)


def _returns_first(asked: AnsweredCall) -> bool:
    """Return whether a non-blocking command waits for a user event, so that the call returns first."""
    if is_blocking(asked.call):
        return False
    try:
        return command_of(asked.call, asked.model, asked.judged.effect).waits_for_the_user
    except ForbiddenError:
        return False


@rules.completion
def _not_blocking(rules: Rules, tables: Tables) -> None:
    words = "Checked on non-blocking calls that return while their command waits for a user event."
    for function in tables.functions.values():
        blocks = any(parameter.name.startswith("blocking") for parameter in function.parameters)
        records = (f"{MODEL}/19", "OpenCL:memory-objects/6") if blocks else (f"{MODEL}/19",)
        for record in records if is_command(function) else ():
            success = f"{function.name}/success"
            rules.trigger(record, function.name, words, success, holds=_returns_first, by_success=True)
