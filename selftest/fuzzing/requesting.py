"""The worker's side of the messages: send recorded requests, changed or not, to a driver that does nothing.

Harness actions that read or write host memory are skipped, because the worker does not check addresses there.
"""

from __future__ import annotations

import os
import resource
import sys
import traceback
from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.host import ATOMICS, AWAIT, READ, WRITE
from clconform.calls.protocol import Ask, AskTogether, AskWitness, BeginOn, EndOn, Refused, Request
from clconform.harness.idle import idle_driver
from clconform.harness.worker import answer_to

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from clconform.calls.call import Call
    from clconform.selftest.fuzzing.exchanges import Exchange
    from clconform.spec_tables import Tables

OBJECTS = 20
"""The number of objects of each type."""
BYTES = 2 << 30
"""The limit on the data segment of the process that answers, in bytes."""
SHORT_SECONDS = 0.02
"""The longest wait that a request may contain; requests with longer waits are skipped."""
INTERNAL = "internal error"
LONGEST = 100_000


class AnswerError(Exception):
    """A request ended without an answer and without a refusal that gives a reason; the message is the exception."""


_decode = msgspec.msgpack.Decoder(Request).decode


def request(exchanges: Iterable[Exchange], tables: Tables) -> Counter[str]:
    """Send requests to a worker in a separate process; return the number of answers of each kind.

    Invalid requests are skipped. AnswerError: a request ended without an answer and without a refusal.
    """
    requests = [exchange.request for exchange in exchanges if exchange.request]
    return Counter(_in_child(lambda: _answers(requests, tables)).split())


def _answers(requests: Iterable[bytes], tables: Tables) -> str:
    handles = {name: OBJECTS for name, known in tables.types.items() if known.kind == "handle"}
    driver = idle_driver(tables, {**handles, "void*": OBJECTS})
    kinds: list[str] = []
    for body in requests:
        try:
            asked = _decode(body)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            kinds.append("undecodable")
            continue
        if not _is_tried(asked):
            continue
        try:
            answer = answer_to(asked, driver)
            msgspec.msgpack.encode(answer)
        except Exception as error:
            raise AnswerError(f"{_shown(asked)}\n{traceback.format_exc()}") from error
        if isinstance(answer, Refused) and answer.reason.startswith(INTERNAL):
            raise AnswerError(f"{_shown(asked)}\n{answer.reason}")
        kinds.append(type(answer).__name__)
    return " ".join(kinds)


def _shown(asked: Request) -> str:
    return ascii(asked)[:2000]


def _is_tried(asked: Request) -> bool:
    calls: Sequence[Call] = ()
    match asked:
        case Ask(call) | BeginOn(_, call):
            calls = (call,)
        case AskTogether(several):
            calls = several[:50]
        case EndOn(_, seconds):
            return not seconds > SHORT_SECONDS  # also skips NaN
        case AskWitness():
            return False  # pyopencl would use the handle
    return not any(call.function in (ATOMICS, READ, WRITE) or _waits(call) for call in calls) and len(calls) < LONGEST


def _waits(call: Call) -> bool:
    milliseconds = call.arguments.get("milliseconds")
    return call.function == AWAIT and isinstance(milliseconds, int) and milliseconds > 1000 * SHORT_SECONDS


def _in_child(work: Callable[[], str]) -> str:
    """Return the result of ``work`` in a child process; AnswerError with its exception, or with its exit status."""
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
            resource.setrlimit(resource.RLIMIT_DATA, (BYTES, BYTES))
            try:
                told, code = work(), 0
            except BaseException as error:  # noqa: BLE001 (the parent reports it)
                told = str(error) if isinstance(error, AnswerError) else traceback.format_exc()
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
        raise AnswerError(told or f"the process ended with status {status}")
    return told
