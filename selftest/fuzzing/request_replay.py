"""Sends recorded requests, changed or not, to a worker with a null driver.

Harness actions that read or write host memory are skipped, because the worker does not check their addresses.
"""

from __future__ import annotations

import os
import resource
import sys
import traceback
from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.harness_actions import ATOMICS, AWAIT, READ, WRITE
from clconform.calls.protocol import (
    AwaitCall,
    BeginCall,
    MakeCall,
    MakeConcurrentCalls,
    Request,
    RequestRefused,
)
from clconform.harness.null_driver import null_driver
from clconform.harness.process_state import ProcessState
from clconform.harness.worker import answer_to

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from clconform.calls.call import Call
    from clconform.selftest.fuzzing.exchanges import Exchange
    from clconform.spec_tables import Tables

OBJECT_COUNT = 20
"""The number of objects of each type that the null driver provides."""
DATA_LIMIT = 2 << 30
"""The limit on the data segment of the process with the worker, in bytes."""
SHORT_SECONDS = 0.02
"""The longest wait that a request may contain; requests with longer waits are skipped."""
INTERNAL = "internal error"
MAX_CALLS = 100_000


class RequestFailedError(Exception):
    """A request caused an exception instead of a reply or a refusal.

    The message contains the request and the traceback, or the worker's description of the exception.
    """


_decode = msgspec.msgpack.Decoder(Request).decode


def replay_requests(exchanges: Iterable[Exchange], tables: Tables) -> Counter[str]:
    """Send requests to a worker in a separate process; return the number of replies of each kind.

    Requests that cannot be decoded are only counted. RequestFailedError: a request caused an exception in the worker.
    """
    requests = [exchange.request for exchange in exchanges if exchange.request]
    return Counter(_run_in_child(lambda: _collect_answers(requests, tables)).split())


def _collect_answers(requests: Iterable[bytes], tables: Tables) -> str:
    handles = {name: OBJECT_COUNT for name, known in tables.types.items() if known.kind == "handle"}
    driver = null_driver(tables, {**handles, "void*": OBJECT_COUNT})
    state = ProcessState()
    kinds: list[str] = []
    for body in requests:
        try:
            asked = _decode(body)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            kinds.append("undecodable")
            continue
        if not _is_supported(asked):
            continue
        try:
            answer = answer_to(asked, driver, state)
            msgspec.msgpack.encode(answer)
        except Exception as error:
            raise RequestFailedError(f"{_format_request(asked)}\n{traceback.format_exc()}") from error
        if isinstance(answer, RequestRefused) and answer.reason.startswith(INTERNAL):
            raise RequestFailedError(f"{_format_request(asked)}\n{answer.reason}")
        kinds.append(type(answer).__name__)
    return " ".join(kinds)


def _format_request(asked: Request) -> str:
    return ascii(asked)[:2000]


def _is_supported(asked: Request) -> bool:
    calls: Sequence[Call] = ()
    match asked:
        case MakeCall(call) | BeginCall(_, call):
            calls = (call,)
        case MakeConcurrentCalls(several):
            calls = several[:50]
        case AwaitCall(_, seconds):
            return not seconds > SHORT_SECONDS  # also skips NaN
    return (
        not any(call.function in (ATOMICS, READ, WRITE) or _waits_long(call) for call in calls)
        and len(calls) < MAX_CALLS
    )


def _waits_long(call: Call) -> bool:
    milliseconds = call.arguments.get("milliseconds")
    return call.function == AWAIT and isinstance(milliseconds, int) and milliseconds > 1000 * SHORT_SECONDS


def _run_in_child(work: Callable[[], str]) -> str:
    """Return the result of ``work`` in a child process.

    RequestFailedError: ``work`` raised an exception, or the process ended; the message is the exception or the status.
    """
    reading, writing = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.close(reading)
            null = os.open(os.devnull, os.O_RDWR)
            os.dup2(null, 2)
            resource.setrlimit(resource.RLIMIT_DATA, (DATA_LIMIT, DATA_LIMIT))
            try:
                told, code = work(), 0
            except BaseException as error:  # noqa: BLE001 (the parent reports it)
                told = str(error) if isinstance(error, RequestFailedError) else traceback.format_exc()
            with os.fdopen(writing, "w", encoding="utf-8", errors="backslashreplace") as pipe:
                pipe.write(told)
        finally:
            os._exit(code)
    os.close(writing)
    try:
        with os.fdopen(reading, encoding="utf-8") as pipe:
            told = pipe.read()
    except BaseException:  # interrupted by the deadline
        os.kill(child, 9)
        raise
    finally:
        _, status = os.waitpid(child, 0)
    if status:
        raise RequestFailedError(told or f"the process ended with status {status}")
    return told
