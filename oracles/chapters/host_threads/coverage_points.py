"""Coverage points for requirements on several host threads, queues and contexts (appendix A)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.command_buffers.equivalent_calls import RECORDING_FUNCTIONS
from clconform.oracles.common.object_creation import is_reference_count
from clconform.oracles.common.ordering_evidence import READ_BUFFER, WRITER_REQUIREMENTS, cover_read, cover_status_query
from clconform.oracles.common.readback_evidence import cover_capability
from clconform.oracles.common.wait_evidence import EVENT_QUERY, STATUS_QUERY
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.kernels import SET_CONCURRENTLY
from clconform.oracles.model.queues import CommandQueue

if TYPE_CHECKING:
    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import Function

rules = Rules()

THREAD_SAFE = "OpenCL:multiple-host-threads/1"
LAUNCH = "clEnqueueNDRangeKernel/success"
QUEUES = ("clCreateCommandQueue", "clCreateCommandQueueWithProperties")
CONTEXTS = ("clCreateContext", "clCreateContextFromType")


def _is_checked_immediately(function: Function) -> bool:
    """Return whether the result of a concurrent call of ``function`` shows that the call is correct.

    The effect of other functions is only visible in later calls.
    """
    return not function.name.startswith(("clRetain", "clRelease", "clEnqueue", "clSetKernel", "clFlush"))


def _is_concurrent(asked: CompletedCall) -> bool:
    return asked.model.concurrent_count > 1


def _has_concurrent_count(asked: CompletedCall) -> bool:
    subject, name = asked.subject, asked.model.lookups.query(asked.call.function, asked.call.param_name)
    return subject is not None and subject.counted_concurrently and name is not None and is_reference_count(name.name)


@rules.completion
def _declare_thread_safety(rules: Rules, tables: Tables) -> None:
    words = "Checked on concurrent calls of several host threads: the results are those of some sequential order."
    for function in tables.functions.values():
        own = (f"{function.name}/success", *(each.id for each in tables.requirements_of(function.name)))
        if function.name == READ_BUFFER:
            holds = _reads_concurrent_bytes
            rules.coverage_point(
                THREAD_SAFE, READ_BUFFER, words, *own, *WRITER_REQUIREMENTS, holds=holds, requires_success=True
            )
        elif function.queries:
            rules.coverage_point(THREAD_SAFE, function.name, words, *own, holds=_queries_concurrently)
        elif _is_checked_immediately(function):
            rules.coverage_point(THREAD_SAFE, function.name, words, *own, holds=_is_concurrent, requires_success=True)


def _reads_concurrent_bytes(asked: CompletedCall) -> bool:
    return _is_concurrent(asked) or cover_read(lambda writer, _queue, _asked: writer.is_concurrent)(asked)


def _queries_concurrently(asked: CompletedCall) -> bool:
    return _is_concurrent(asked) or _has_concurrent_count(asked)


rules.coverage_point(
    SET_CONCURRENTLY,
    READ_BUFFER,
    "Checked on reads of the output of different kernels whose arguments host threads set concurrently.",
    LAUNCH,
    holds=cover_capability(SET_CONCURRENTLY),
)


for _function in RECORDING_FUNCTIONS:
    rules.coverage_point(
        "OpenCL:multiple-host-threads/4",
        _function,
        "Checked on concurrent recording calls of several host threads, each with its own command-buffer.",
        f"{_function}/success",
        holds=_is_concurrent,
        requires_success=True,
    )


def _has_another_queue(asked: CompletedCall) -> bool:
    context = asked.model.find(asked.call.context)
    return any(each.context is context for each in asked.model.objects_of_class(CommandQueue))


def _has_another_context(asked: CompletedCall) -> bool:
    return bool(asked.model.objects_of_class(Context))


_WHILE_OTHERS_TEXT = "Checked on calls that create a queue while other host threads make calls."
for _record, _words, _functions, _holds in (
    ("OpenCL:multiple-host-threads/3", "", QUEUES, _has_another_queue),
    ("OpenCL:multiple-host-threads/3", "", CONTEXTS, _has_another_context),
    ("OpenCL:shared-opencl-objects/1", _WHILE_OTHERS_TEXT, QUEUES, _is_concurrent),
):
    for _function in _functions:
        rules.coverage_point(_record, _function, _words, f"{_function}/success", holds=_holds, requires_success=True)
rules.coverage_point(
    "OpenCL:shared-opencl-objects/2",
    READ_BUFFER,
    "Checked on reads of bytes that a command of another queue wrote.",
    "clEnqueueReadBuffer/success",
    *WRITER_REQUIREMENTS,
    holds=cover_read(lambda writer, queue, _asked: writer.queue is not queue),
)
rules.coverage_point(
    "OpenCL:shared-opencl-objects/3",
    EVENT_QUERY,
    "Checked on queries of the status of a command that waits for a command of another queue.",
    STATUS_QUERY,
    holds=cover_status_query(lambda command: any(each.queue not in (None, command.queue) for each in command.awaits)),
)
