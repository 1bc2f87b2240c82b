"""Recorded messages between a session and a driver process, stored as a file of requests and answers.

They are created from the calls of a run on a simulated platform. A session that repeats these calls receives the
recorded answers.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Absent, Begun, Returned
from clconform.calls.host import HAS_RETURNED, HOST_STEPS, JOIN
from clconform.calls.protocol import (
    Ask,
    AskTogether,
    AskWitness,
    Begin,
    BeginOn,
    Ended,
    EndOn,
    Request,
    TakeBack,
    Together,
    UnderWay,
    Witnessed,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from clconform.calls.journal import CallLine
    from clconform.calls.protocol import Answer, Reached

EXAMPLES = 40
"""The number of examples taken from a run, in addition to its opening."""
LONGEST = 60
"""The number of calls taken from the start of a longer example."""
LONG_SECONDS = 0.02
"""The reported time of each call; it is long enough that contexts are kept between examples."""
STARTS = 3
"""The number of recorded starts of the driver process; later starts repeat the last one."""
KEPT = 4
"""The number of contexts that can be kept."""


class Exchange(msgspec.Struct):
    """A request and its answer, both as sent.

    ``request``: empty for the start of the process. ``answer``: empty if there is none. ``writes``: pairs of an offset
    and bytes that are written into the shared memory after the answer. ``status``: the exit status of the process after
    the answer; -1 if it keeps running.
    """

    request: bytes
    answer: bytes
    writes: list[tuple[int, bytes]] = []
    status: int = -1


class RecordingError(ValueError):
    """A file does not contain exchanges; the message is one line."""


_requests: msgspec.msgpack.Decoder[Request] = msgspec.msgpack.Decoder(Request)
_exchanges = msgspec.msgpack.Decoder(list[Exchange])
_encode = msgspec.msgpack.encode


def stored(exchanges: list[Exchange]) -> bytes:
    """Return the content of a file with these exchanges."""
    return _encode(exchanges)


def read(content: bytes) -> list[Exchange]:
    """Return the exchanges in a file's content; RecordingError if it is invalid."""
    try:
        return _exchanges.decode(content)
    except (msgspec.MsgspecError, ValueError) as error:
        raise RecordingError(f"not a recording of messages: {error}") from None


def requested(exchange: Exchange) -> Request:
    """Return the request of an exchange; RecordingError if it is invalid."""
    try:
        return _requests.decode(exchange.request)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise RecordingError(f"not a request: {error}") from None


def key_of(request: Request) -> bytes:
    """Return a key that is equal for requests with the same answer; deadlines are ignored."""
    return _encode(EndOn(request.lane, 0.0) if isinstance(request, EndOn) else request)


def recorded(greeting: Reached, calls: Iterable[CallLine]) -> list[Exchange]:
    """Return the exchanges of a run with one process, from its greeting and its calls; the opening comes first."""
    examples = [list(group) for _, group in groupby(calls, key=lambda line: line.example)]
    opening, later = examples[0], [example for example in examples[1:] if example[0].item]
    telling = sorted(later, key=_variety, reverse=True)[:EXAMPLES]
    found = [Exchange(b"", _encode(greeting)) for _ in range(STARTS)]
    found += [_exchange(TakeBack(number), Returned("context1")) for number in range(KEPT)]
    found += _of_example(opening)
    for example in telling:
        found.append(Exchange(_encode(Begin()), b""))
        found += _of_example(example[:LONGEST])
    found.append(_exchange(AskWitness("device1", 0x102B), Witnessed(["a", 1, None])))
    return found


def _variety(example: Sequence[CallLine]) -> int:
    """Rate the variety of an example by its functions; calls on host threads and concurrent calls count most."""
    functions = {line.call.function for line in example}
    return len(functions) + 20 * any(line.lane for line in example) + 20 * any(line.together for line in example)


def _exchange(request: Request, answer: Answer) -> Exchange:
    return Exchange(_encode(request), _encode(answer))


def _of_example(lines: Sequence[CallLine]) -> Iterator[Exchange]:
    made = [line for line in lines if line.outcome is not None]
    for number, group in groupby(enumerate(made), key=lambda each: (each[1].together, each[1].together or each[0])):
        some = list(group)
        if number[0]:
            outcomes = [line.outcome for _, line in some if isinstance(line.outcome, (Returned, Absent))]
            yield _exchange(AskTogether([line.call for _, line in some]), Together(outcomes))
        else:
            position, line = some[0]
            yield from _of_call(line, made[position + 1 :])


def _of_call(line: CallLine, later: Sequence[CallLine]) -> Iterator[Exchange]:
    outcome, call = line.outcome, line.call
    if isinstance(outcome, Begun):
        yield _exchange(BeginOn(line.lane, call), outcome)
    elif not isinstance(outcome, (Returned, Absent)):
        return
    elif call.function == JOIN:
        yield _exchange(EndOn(call.lane, 0.0), Ended(outcome, line.entered, line.returned))
    elif call.function == HAS_RETURNED:
        wanted = (each for each in later if each.call == msgspec.structs.replace(call, function=JOIN))
        ended = next(wanted, None)
        if isinstance(outcome, Returned) and outcome.value and ended and isinstance(ended.outcome, (Returned, Absent)):
            yield _exchange(EndOn(call.lane, 0.0), Ended(ended.outcome, ended.entered, ended.returned))
        else:
            yield _exchange(EndOn(call.lane, 0.0), UnderWay())
    else:
        if isinstance(outcome, Returned) and call.function not in HOST_STEPS:
            outcome = msgspec.structs.replace(outcome, seconds=LONG_SECONDS)
        ended_at = Ended(outcome, line.entered, line.returned)
        yield _exchange(Ask(call), ended_at if line.entered else outcome)
