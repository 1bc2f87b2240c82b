"""Coverage points of several host threads, queues and contexts (appendix A)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.command_buffers.standing_for import RECORDING
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.kernels import SET_AT_ONCE
from clconform.oracles.model.queues import Queue
from clconform.oracles.recurring.making import counts_references
from clconform.oracles.recurring.order import READ, WRITERS, asked_about, read_after
from clconform.oracles.recurring.reads import shows
from clconform.oracles.recurring.waiting import QUERY, STATUS

if TYPE_CHECKING:
    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.spec_tables import Tables
    from clconform.spec_tables.records import Function

rules = Rules()

SAFE = "OpenCL:multiple-host-threads/1"
SEVERAL = "OpenCL:multiple-host-threads/3"
LAUNCH = "clEnqueueNDRangeKernel/success"
QUEUES = ("clCreateCommandQueue", "clCreateCommandQueueWithProperties")
CONTEXTS = ("clCreateContext", "clCreateContextFromType")


def _shows_at_once(function: Function) -> bool:
    """Return whether the result of a concurrent call itself shows that the call is correct.

    The effect of other functions shows only in later calls.
    """
    return not function.name.startswith(("clRetain", "clRelease", "clEnqueue", "clSetKernel", "clFlush"))


def _beside_others(asked: AnsweredCall) -> bool:
    return asked.model.at_once > 1


def _counted_beside_others(asked: AnsweredCall) -> bool:
    subject, name = asked.subject, asked.model.lookups.query(asked.call.function, asked.call.param_name)
    return subject is not None and subject.counted_at_once and name is not None and counts_references(name.name)


@rules.completion
def _thread_safe(rules: Rules, tables: Tables) -> None:
    words = "Checked on concurrent calls of several host threads: the results are those of some sequential order."
    for function in tables.functions.values():
        own = (f"{function.name}/success", *(each.id for each in tables.records_of(function.name)))
        if function.name == READ:
            holds = _read_beside_others
            rules.trigger(SAFE, READ, words, *own, *WRITERS, holds=holds, by_success=True)
        elif function.queries:
            rules.trigger(SAFE, function.name, words, *own, holds=_asked_beside_others)
        elif _shows_at_once(function):
            rules.trigger(SAFE, function.name, words, *own, holds=_beside_others, by_success=True)


def _read_beside_others(asked: AnsweredCall) -> bool:
    return _beside_others(asked) or read_after(lambda writer, _queue, _asked: writer.at_once)(asked)


def _asked_beside_others(asked: AnsweredCall) -> bool:
    return _beside_others(asked) or _counted_beside_others(asked)


rules.trigger(
    SET_AT_ONCE,
    READ,
    "Checked on reads of bytes from different kernels whose arguments were set concurrently.",
    LAUNCH,
    holds=shows(SET_AT_ONCE),
)


for _function in RECORDING:
    rules.trigger(
        "OpenCL:multiple-host-threads/4",
        _function,
        "Checked on concurrent recording calls of several host threads, each with its own command-buffer.",
        f"{_function}/success",
        holds=_beside_others,
        by_success=True,
    )


@rules.completion
def _several(rules: Rules, _tables: Tables) -> None:
    words = ""

    def another_queue(asked: AnsweredCall) -> bool:
        context = asked.model.known(asked.call.context)
        return any(each.context is context for each in asked.model.of_kind(Queue))

    def another_context(asked: AnsweredCall) -> bool:
        return bool(asked.model.of_kind(Context))

    for functions, holds in ((QUEUES, another_queue), (CONTEXTS, another_context)):
        for function in functions:
            rules.trigger(SEVERAL, function, words, f"{function}/success", holds=holds, by_success=True)


SHARED = "OpenCL:shared-opencl-objects"


@rules.completion
def _shared(rules: Rules, _tables: Tables) -> None:
    for function in QUEUES:
        rules.trigger(
            f"{SHARED}/1",
            function,
            "Checked on calls that create a queue while other host threads make calls.",
            f"{function}/success",
            holds=_beside_others,
            by_success=True,
        )
    rules.trigger(
        f"{SHARED}/2",
        READ,
        "Checked on reads of bytes that a command of another queue wrote.",
        f"{READ}/success",
        *WRITERS,
        holds=read_after(lambda writer, queue, _asked: writer.queue is not queue),
    )
    rules.trigger(
        f"{SHARED}/3",
        QUERY,
        "Checked on queries of the status of a command that waits for a command of another queue.",
        STATUS,
        holds=asked_about(lambda command: any(each.queue not in (None, command.queue) for each in command.awaits)),
    )
