"""Fulfils recorded requests, changed or not, with a null driver.

Harness actions that read or write host memory are skipped, because their addresses are not checked.
"""

from __future__ import annotations

import traceback
from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.harness_actions import ATOMICS, AWAIT, READ, WRITE
from clconform.calls.protocol import (
    AwaitCall,
    BeginCall,
    BeginExample,
    ForgetObjects,
    KeepObject,
    MakeCall,
    MakeConcurrentCalls,
    Request,
    RestoreObject,
)
from clconform.harness import BadCall, Target
from clconform.harness.null_driver import null_driver
from clconform.harness.worker_process import ProcessEndedError, WorkerProcess

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clconform.calls.call import Call
    from clconform.harness.driver import Driver
    from clconform.selftest.fuzzing.exchanges import Exchange
    from clconform.spec_tables import Tables

OBJECT_COUNT = 20
"""The number of objects of each type that the null driver provides."""
DEADLINE = 60.0
"""The deadline of each request, in seconds."""
SHORT_SECONDS = 0.02
"""The longest wait that a request may contain; requests with longer waits are skipped."""
MAX_CALLS = 100_000


class RequestFailedError(Exception):
    """A request caused an exception, or the end of the process, instead of an outcome or a refusal.

    The message contains the request, and the traceback or the end of the process.
    """


_decode = msgspec.msgpack.Decoder(Request).decode


def replay_requests(exchanges: Iterable[Exchange], tables: Tables) -> Counter[str]:
    """Send requests to a null driver; return the number of outcomes of each kind.

    Requests that cannot be decoded are only counted. RequestFailedError: a request caused an exception, or the end of
    the driver's process.
    """
    handles = {name: OBJECT_COUNT for name, known in tables.types.items() if known.kind == "handle"}
    kinds: Counter[str] = Counter()
    process = WorkerProcess(Target.null())
    try:
        driver = null_driver(process, tables, {**handles, "void*": OBJECT_COUNT})
        for exchange in exchanges:
            if not exchange.request:
                continue
            try:
                asked = _decode(exchange.request)
            except (msgspec.MsgspecError, ValueError, RecursionError):
                kinds["undecodable"] += 1
                continue
            if _is_supported(asked):
                kinds[_make_request(driver, asked)] += 1
    finally:
        process.close()
    return kinds


def _make_request(driver: Driver, asked: Request) -> str:
    """Fulfil a request; return the kind of its outcome."""
    try:
        outcome = fulfil_request(driver, asked)
        msgspec.msgpack.encode(outcome)
    except BadCall:
        return "BadCall"
    except ProcessEndedError as ended:
        raise RequestFailedError(f"{_format_request(asked)}\n{ended.outcome}") from None
    except Exception as error:
        raise RequestFailedError(f"{_format_request(asked)}\n{traceback.format_exc()}") from error
    return type(outcome).__name__


def fulfil_request(driver: Driver, asked: Request) -> object:
    """Return the outcome of a request; None for a request without a reply. Errors as for the methods of ``driver``."""
    match asked:
        case MakeCall(call):
            return driver.make_call(call, DEADLINE)
        case BeginCall(host_thread, call):
            return driver.begin_call(host_thread, call, DEADLINE)
        case AwaitCall(host_thread, seconds):
            return driver.await_call(host_thread, seconds, DEADLINE)
        case MakeConcurrentCalls(calls):
            return driver.make_concurrent_calls(calls, DEADLINE)
        case RestoreObject(number):
            return driver.take_back(number, DEADLINE)
        case KeepObject(name):
            driver.put_aside(name)
        case ForgetObjects(names):
            driver.forget_objects(names)
        case BeginExample():
            driver.begin_example()
    return None


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
