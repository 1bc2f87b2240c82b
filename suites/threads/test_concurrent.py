"""Concurrent use of the same objects by several host threads: events, builds, reads, queries and callbacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, HandleBytes, HostCallback, OutputBuffer, Text
from clconform.oracles.model.buffer_kernels import KERNELS
from clconform.runner.pytest_plugin.covers import TableCase, TableTest, bind_action
from clconform.suites.chapters.notifications.callbacks import CALLBACK_NAME, await_callback
from clconform.suites.helpers import is_available, is_success, skip_unless
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import SIZE
from clconform.suites.threads.refcounts import (
    COUNT_FUNCTIONS,
    CREATORS,
    create_object,
    prepare_call,
    reference_count_query,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.calls.values import Handle, Value
    from clconform.runner.session.session import Session

NAME = "threads.concurrent"
THREADS = 4
"""The size of a handle in bytes."""
ROUNDS = 5
SET_STATUS, CALLBACK, BUILD = "clSetUserEventStatus", "clSetEventCallback", "clBuildProgram"
READ, COPY, FINISH, WAIT = "clEnqueueReadBuffer", "clEnqueueCopyBuffer", "clFinish", "clWaitForEvents"
STATUS = "CL_EVENT_COMMAND_EXECUTION_STATUS"
KERNEL = KERNELS["add_index"]
THREAD_SAFETY, SEPARATE_OBJECTS = "OpenCL:multiple-host-threads/1", "OpenCL:multiple-host-threads/4"
FILL = "clCommandFillBufferKHR"


def build_query(cl: Session, function: str, thing: Handle, query: str, size: int = 4) -> Call:
    """Return a query call for an object; the query's value has ``size`` bytes."""
    return prepare_call(
        cl, function, thing, cl.tables.enumerants[query].value, size, OutputBuffer(size), OutputBuffer(1)
    )


def set_event_twice(cl: Session, first: int, second: int) -> None:
    """Set one user event on two threads concurrently, and query its status."""
    kit = Kit(cl)
    for _ in range(ROUNDS):
        event = kit.user_event()
        cl.call_concurrently([prepare_call(cl, SET_STATUS, event, status) for status in (first, second)])
        cl.query("clGetEventInfo", event, STATUS)


def set_event_during_queries(cl: Session) -> None:
    """Set a user event on one thread while other threads query its status."""
    kit = Kit(cl)
    for _ in range(ROUNDS):
        event = kit.user_event()
        asks = [build_query(cl, "clGetEventInfo", event, STATUS)] * (THREADS - 1)
        cl.call_concurrently([prepare_call(cl, SET_STATUS, event, 0), *asks])


def set_event_during_registration(cl: Session) -> None:
    """Set a user event on one thread while other threads register callbacks for it."""
    skip_unless(is_available(cl, CALLBACK), "requires OpenCL 1.1 (event callbacks)")
    event = Kit(cl).user_event()
    complete = cl.tables.enumerants["CL_COMPLETE"].value
    registers = [
        prepare_call(cl, CALLBACK, event, complete, HostCallback(CALLBACK_NAME), data) for data in range(1, THREADS)
    ]
    cl.call_concurrently([prepare_call(cl, SET_STATUS, event, 0), *registers])
    cl.clReleaseEvent(event)
    await_callback(cl, len(registers))


def register_for_command(cl: Session) -> None:
    """Register callbacks on several threads for a command that may complete in the meantime."""
    skip_unless(is_available(cl, CALLBACK), "requires OpenCL 1.1 (event callbacks)")
    kit = Kit(cl)
    event = kit.command_event()
    complete = cl.tables.enumerants["CL_COMPLETE"].value
    registers = [
        prepare_call(cl, CALLBACK, event, complete, HostCallback(CALLBACK_NAME), data) for data in range(1, THREADS)
    ]
    cl.call_concurrently([prepare_call(cl, FINISH, kit.queue), *registers])
    cl.clReleaseEvent(event)
    await_callback(cl, len(registers))


def count_during_queries(cl: Session, object_type: str) -> None:
    """Retain and release an object on some threads while other threads query its reference count."""
    thing = create_object(cl, object_type)
    ask = build_query(cl, COUNT_FUNCTIONS[object_type], thing, reference_count_query(object_type))
    retain, release = (prepare_call(cl, f"cl{what}{object_type}", thing) for what in ("Retain", "Release"))
    for _ in range(ROUNDS):
        for group in ([retain, retain, ask, ask], [release, retain, ask], [release, release, ask]):
            skip_unless(all(map(is_success, cl.call_concurrently(group))), "the driver refuses a call")


def create_during_releases(cl: Session) -> None:
    """Create and release objects of one context on several threads while another thread queries the context."""
    kit = Kit(cl)
    skip_unless(is_available(cl, "clCreateUserEvent"), "requires OpenCL 1.1 (user events)")
    makes = tuple(kit.valid_arguments("clCreateBuffer").values())
    buffer = kit.buffer()
    for _ in range(ROUNDS):
        group = [
            prepare_call(cl, "clReleaseMemObject", buffer),
            prepare_call(cl, "clCreateBuffer", *makes),
            prepare_call(cl, "clCreateUserEvent", kit.context, OutputBuffer(1)),
            build_query(cl, "clGetContextInfo", kit.context, "CL_CONTEXT_REFERENCE_COUNT"),
        ]
        cl.call_concurrently(group)
        buffer = kit.buffer()


def build_concurrently(cl: Session) -> None:
    """Build programs on several threads concurrently, and run a kernel of each program."""
    kit = Kit(cl)
    programs = [kit.program() for _ in range(2)]
    given: tuple[Value, ...] = (1, ElementList((cl.device,)), Text(""), None, None)
    outcomes = cl.call_concurrently([prepare_call(cl, BUILD, program, *given) for program in programs])
    skip_unless(all(map(is_success, outcomes)), "the driver does not build the kernels")
    for program in programs:
        kernel, buffer = kit.kernel(KERNEL.name, program), kit.create_filled_buffer(SIZE)
        cl.clSetKernelArg(kernel, 0, kit.pointer_bytes, HandleBytes(buffer))
        cl.clEnqueueNDRangeKernel(kit.queue, kernel, 1, None, ElementList((SIZE // 4,)), None, 0, None, None)
        kit.read(buffer, 0, SIZE)


def read_concurrently(cl: Session, queues: int) -> None:
    """Read buffers with blocking commands on several threads; ``queues`` is the number of queues."""
    kit = Kit(cl)
    lines = [kit.queue, *(kit.new_queue() for _ in range(queues - 1))]
    buffers = [kit.create_filled_buffer(SIZE, seed=index) for index in range(THREADS)]
    for _ in range(ROUNDS):
        cl.call_concurrently([
            prepare_call(cl, READ, lines[index % queues], buffer, 1, 0, SIZE, OutputBuffer(SIZE), 0, None, None)
            for index, buffer in enumerate(buffers)
        ])  # fmt: skip


def wait_concurrently(cl: Session, function: str) -> None:
    """Wait on several threads for one command or, with clFinish, for its queue."""
    kit = Kit(cl)
    source, target = kit.create_filled_buffer(SIZE), kit.create_filled_buffer(SIZE, seed=1)
    for _ in range(ROUNDS):
        outcome = cl.clEnqueueCopyBuffer(kit.queue, source, target, 0, 0, SIZE, 0, None, OutputBuffer(1))
        event = kit.require_event(outcome)
        arguments: tuple[Value, ...] = (kit.queue,) if function == FINISH else (1, ElementList((event,)))
        cl.call_concurrently([prepare_call(cl, function, *arguments)] * THREADS)
        cl.query("clGetEventInfo", event, STATUS)


def enqueue_after_gate(cl: Session) -> None:
    """Enqueue commands on several threads, all waiting for one user event. Then set the event and read the results."""
    kit = Kit(cl)
    gate = kit.gate()
    pairs = [
        (kit.create_filled_buffer(SIZE, seed=index), kit.create_filled_buffer(SIZE, seed=9)) for index in range(THREADS)
    ]
    outcomes = cl.call_concurrently([
        prepare_call(cl, COPY, kit.queue, source, target, 0, 0, SIZE, *gate.wait_list, OutputBuffer(1))
        for source, target in pairs
    ])  # fmt: skip
    for outcome in outcomes:
        cl.query("clGetEventInfo", kit.require_event(outcome), STATUS)
    gate.open()
    kit.finish()
    for _, target in pairs:
        kit.read(target, 0, SIZE)


def enqueue_during_flush(cl: Session) -> None:
    """Enqueue copies on several threads while another thread flushes the queue, and read the results."""
    kit = Kit(cl)
    buffers = [kit.create_filled_buffer(SIZE, seed=9) for _ in range(THREADS - 1)]
    sources = [kit.create_filled_buffer(SIZE, seed=index) for index in range(THREADS - 1)]
    for shift in range(ROUNDS):
        turned = sources[shift % len(sources) :] + sources[: shift % len(sources)]
        copies = [(kit.queue, *pair, 0, 0, SIZE, 0, None, None) for pair in zip(turned, buffers, strict=True)]
        cl.call_concurrently(
            [prepare_call(cl, "clFlush", kit.queue), *(prepare_call(cl, COPY, *copy) for copy in copies)]
        )
        kit.finish()
        for buffer in buffers:
            kit.read(buffer, 0, SIZE)


def record_concurrently(cl: Session) -> None:
    """Record fills into one command-buffer per thread, enqueue the command-buffers, and read the results."""
    kit = Kit(cl)
    targets = [kit.create_filled_buffer(SIZE, seed=index) for index in range(THREADS)]
    queue = kit.command_buffer_queue()
    recordings = [kit.command_buffer(None, queue) for _ in targets]
    arguments = [
        tuple({**kit.valid_arguments(FILL), "command_buffer": recording, "buffer": target}.values())
        for recording, target in zip(recordings, targets, strict=True)
    ]
    cl.call_concurrently([prepare_call(cl, FILL, *each) for each in arguments])
    for recording in recordings:
        cl.clFinalizeCommandBufferKHR(recording)
        cl.clEnqueueCommandBufferKHR(0, None, recording, 0, None, None)
    cl.clFinish(queue)
    for target in targets:
        kit.read(target, 0, SIZE)


def cases() -> Iterator[TableCase]:
    """Yield items for concurrent operations of several host threads on the same objects."""
    twice = "clSetUserEventStatus/CL_INVALID_OPERATION/1"
    yield TableCase(twice, "set by two threads", bind_action(set_event_twice, 0, 0), (THREAD_SAFETY,))
    yield TableCase(
        twice, "set by two threads, once to an error", bind_action(set_event_twice, 0, -5), (THREAD_SAFETY,)
    )
    yield TableCase(
        "clSetUserEventStatus/success", "queried by other threads", set_event_during_queries, (THREAD_SAFETY,)
    )
    yield TableCase("clSetEventCallback/success", "registered while the event is set", set_event_during_registration)
    yield TableCase("clSetEventCallback/success", "registered while the queue is finished", register_for_command)
    for object_type in CREATORS:
        test_value = "while other threads query the reference count"
        yield TableCase(
            f"clRetain{object_type}/success",
            test_value,
            bind_action(count_during_queries, object_type),
            (THREAD_SAFETY,),
        )
    yield TableCase(
        "clCreateBuffer/success", "concurrently with releases and queries", create_during_releases, (THREAD_SAFETY,)
    )
    yield TableCase("clBuildProgram/success", "two programs on two threads", build_concurrently, (THREAD_SAFETY,))
    yield TableCase(
        "clEnqueueReadBuffer/success",
        "one queue, blocking, several threads",
        bind_action(read_concurrently, 1),
        (THREAD_SAFETY,),
    )
    yield TableCase(
        "clEnqueueReadBuffer/success",
        "two queues, blocking, several threads",
        bind_action(read_concurrently, 2),
        (THREAD_SAFETY,),
    )
    for function in (FINISH, WAIT):
        yield TableCase(
            f"{function}/success", "on several threads", bind_action(wait_concurrently, function), (THREAD_SAFETY,)
        )
    yield TableCase(
        "clEnqueueCopyBuffer/success", "after one user event, several threads", enqueue_after_gate, (THREAD_SAFETY,)
    )
    yield TableCase(
        "clEnqueueCopyBuffer/success", "while another thread flushes", enqueue_during_flush, (THREAD_SAFETY,)
    )
    yield TableCase(
        "clCommandFillBufferKHR/success", "into different command-buffers", record_concurrently, (SEPARATE_OBJECTS,)
    )


test_concurrent_calls_on_same_objects_conform = TableTest(cases)
