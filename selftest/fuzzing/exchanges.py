"""Recorded messages between a session and a driver process, stored as a file of requests and replies.

The messages are created from the calls of a run on a simulated platform. A session that repeats these calls receives
the recorded replies.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Absent, Begun, Returned
from clconform.calls.harness_actions import HAS_RETURNED, HOST_ACTIONS, JOIN
from clconform.calls.protocol import (
    AwaitCall,
    BeginCall,
    BeginExample,
    CallEnded,
    CallPending,
    ConcurrentOutcomes,
    MakeCall,
    MakeConcurrentCalls,
    Request,
    RestoreObject,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from clconform.calls.journal import CallLine
    from clconform.calls.protocol import TargetReached, WorkerReply

MAX_EXAMPLES = 40
"""The number of recorded examples of a run, in addition to the first example (the opening of the session)."""
MAX_CALLS = 60
"""The number of recorded calls of an example, from its start."""
CALL_SECONDS = 0.02
"""The reported time of each call. Contexts whose creation takes this time are reused in later examples."""
START_COUNT = 3
"""The number of recorded starts of the driver process. Later starts repeat the last recorded start."""
KEPT_CONTEXTS = 4
"""The number of contexts with a recorded reply to the request that restores the context for a later example."""


class Exchange(msgspec.Struct):
    """A request and its reply, both in encoded form.

    ``request``: empty for the start of the process. ``answer``: the reply; empty if there is none. ``writes``: pairs of
    an offset and bytes that are written into the shared memory after the reply. ``status``: the exit status of the
    process after the reply; -1 if the process keeps running.
    """

    request: bytes
    answer: bytes
    writes: list[tuple[int, bytes]] = []
    status: int = -1


class ExchangeFormatError(ValueError):
    """A file does not contain exchanges; the message is one line."""


_requests: msgspec.msgpack.Decoder[Request] = msgspec.msgpack.Decoder(Request)
_exchanges = msgspec.msgpack.Decoder(list[Exchange])
_encode = msgspec.msgpack.encode


def encode_exchanges(exchanges: list[Exchange]) -> bytes:
    """Return the content of a file with these exchanges."""
    return _encode(exchanges)


def decode_exchanges(content: bytes) -> list[Exchange]:
    """Return the exchanges in a file's content; ExchangeFormatError if the content is invalid."""
    try:
        return _exchanges.decode(content)
    except (msgspec.MsgspecError, ValueError) as error:
        raise ExchangeFormatError(f"not a recording of messages: {error}") from None


def decode_request(exchange: Exchange) -> Request:
    """Return the request of an exchange; ExchangeFormatError if it is invalid."""
    try:
        return _requests.decode(exchange.request)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise ExchangeFormatError(f"not a request: {error}") from None


def get_request_key(request: Request) -> bytes:
    """Return a key that is equal for requests with the same reply; deadlines are ignored."""
    return _encode(AwaitCall(request.host_thread, 0.0) if isinstance(request, AwaitCall) else request)


def record_exchanges(greeting: TargetReached, calls: Iterable[CallLine]) -> list[Exchange]:
    """Return the exchanges of a run with one process, beginning with the start of the process and the first example.

    ``greeting``: the first message of the process. ``calls``: all calls of the run, from ``calls.jsonl``.
    """
    examples = [list(group) for _, group in groupby(calls, key=lambda line: line.example)]
    opening, later = examples[0], [example for example in examples[1:] if example[0].item]
    telling = sorted(later, key=_rate_variety, reverse=True)[:MAX_EXAMPLES]
    found = [Exchange(b"", _encode(greeting)) for _ in range(START_COUNT)]
    found += [_make_exchange(RestoreObject(number), Returned("context1")) for number in range(KEPT_CONTEXTS)]
    found += _record_example(opening)
    for example in telling:
        found.append(Exchange(_encode(BeginExample()), b""))
        found += _record_example(example[:MAX_CALLS])
    return found


def _rate_variety(example: Sequence[CallLine]) -> int:
    """Rate the variety of an example by its functions; calls on host threads and concurrent calls count most."""
    functions = {line.call.function for line in example}
    return len(functions) + 20 * any(line.host_thread for line in example) + 20 * any(line.together for line in example)


def _make_exchange(request: Request, answer: WorkerReply) -> Exchange:
    return Exchange(_encode(request), _encode(answer))


def _record_example(lines: Sequence[CallLine]) -> Iterator[Exchange]:
    made = [line for line in lines if line.outcome is not None]
    for number, group in groupby(enumerate(made), key=lambda each: (each[1].together, each[1].together or each[0])):
        some = list(group)
        if number[0]:
            outcomes = [line.outcome for _, line in some if isinstance(line.outcome, (Returned, Absent))]
            yield _make_exchange(MakeConcurrentCalls([line.call for _, line in some]), ConcurrentOutcomes(outcomes))
        else:
            position, line = some[0]
            yield from _record_call(line, made[position + 1 :])


def _record_call(line: CallLine, later: Sequence[CallLine]) -> Iterator[Exchange]:
    outcome, call = line.outcome, line.call
    if isinstance(outcome, Begun):
        yield _make_exchange(BeginCall(line.host_thread, call), outcome)
    elif not isinstance(outcome, (Returned, Absent)):
        return
    elif call.function == JOIN:
        yield _make_exchange(AwaitCall(call.host_thread, 0.0), CallEnded(outcome, line.entered, line.returned))
    elif call.function == HAS_RETURNED:
        wanted = (each for each in later if each.call == msgspec.structs.replace(call, function=JOIN))
        ended = next(wanted, None)
        if isinstance(outcome, Returned) and outcome.value and ended and isinstance(ended.outcome, (Returned, Absent)):
            yield _make_exchange(
                AwaitCall(call.host_thread, 0.0), CallEnded(ended.outcome, ended.entered, ended.returned)
            )
        else:
            yield _make_exchange(AwaitCall(call.host_thread, 0.0), CallPending())
    else:
        if isinstance(outcome, Returned) and call.function not in HOST_ACTIONS:
            outcome = msgspec.structs.replace(outcome, seconds=CALL_SECONDS)
        ended_at = CallEnded(outcome, line.entered, line.returned)
        yield _make_exchange(MakeCall(call), ended_at if line.entered else outcome)
