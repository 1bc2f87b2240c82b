"""Mutated replies of the worker to the session, which finds them invalid or has a well-formed outcome.

A real session is recorded: its messages to a worker, and their replies. Then the same calls are made again with a
process that replays the replies, of which some are changed.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec

from clconform.calls.call import GARBAGE, Absent, Begun, Died, Returned
from clconform.calls.protocol import CallEnded, CallPending
from clconform.harness import BadCall, HarnessError
from clconform.harness.process_state import ProcessState
from clconform.harness.worker_process import ProcessEndedError
from clconform.selftest.fuzzing.message_mutations import MSGPACK_VALUES
from clconform.selftest.fuzzing.mutations import change_bytes, change_tree

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence

    from clconform.harness.driver import Driver
    from clconform.harness.driver_process import DriverProcess


_TAGS = range(9)
"""The numbers of the replies, and one that does not exist."""
_OUTCOMES = (Returned, Absent, Begun, CallEnded, CallPending, list, type(None))
MAX_OUTCOME_BYTES = 1 << 24
_RAW = msgspec.Raw(b"\xc1")
_VALUES: tuple[Any, ...] = (
    *MSGPACK_VALUES,
    *(0, 1, 2, 255, 4096, 1 << 31, 1 << 32, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, -1, -(1 << 63), True, None),
    *(
        b"\0",
        b"\0" * 70_000,
        b"\xff" * 4096,
        [],
        [b""],
        [None] * 300,
        [[0, 1, True, b"/x"]],
        [[4, 1023, False, [1], []]],
    ),
    *([0, 0, 0, 0, [], [], []], [1, None], [2], [3, 1], [4, [], []], [5, 12, "x"], [6, "no"], [5, 0, ""]),
)


class RecordingProcess:
    """A worker's process that stores its replies. ``replies``: the first message, and the reply to each request."""

    def __init__(self, process: DriverProcess) -> None:
        self.replies: list[bytes] = []
        self._process = process

    def __getattr__(self, name: str) -> Any:
        return getattr(self._process, name)

    def receive_first(self, seconds: float) -> bytes:
        """Return the first message, and store it."""
        return self._store(self._process.receive_first(seconds))

    def exchange(self, message: bytes, seconds: float) -> bytes:
        """Return the reply to a message, and store it."""
        return self._store(self._process.exchange(message, seconds))

    def _store(self, reply: bytes) -> bytes:
        self.replies.append(reply)
        return reply


class ReplayingProcess:
    """Stands in for the process of a worker, and returns stored replies in their order, whatever is requested.

    The last reply is repeated. ``pid``: this process, whose state is compared if a failure is replied.
    """

    def __init__(self, replies: Sequence[bytes], pid: int) -> None:
        self.pid = pid
        self.is_alive = True
        self.count = 0
        self._replies = replies

    def receive_first(self, seconds: float) -> bytes:
        """Return the first reply."""
        return self.exchange(b"", seconds)

    def exchange(self, message: bytes, seconds: float) -> bytes:
        """Return the next reply; HarnessError if the process has ended."""
        del message, seconds
        if not self.is_alive:
            raise HarnessError("the worker has ended")
        self.count += 1
        return self._replies[min(self.count, len(self._replies)) - 1]

    def queue_message(self, message: bytes) -> None:
        """Do nothing."""

    def note_driver_process(self) -> None:
        """Do nothing."""

    def read_state(self) -> ProcessState:
        """Return the state of the process whose id this has."""
        return ProcessState(self.pid)

    def check_machine(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing, so that further replies are tried."""

    def end(self, patience: float) -> None:
        """Refuse further messages."""
        del patience
        self.is_alive = False

    def end_corrupted(self) -> Died:
        """Refuse further messages; return the end of the process."""
        self.end(0)
        return Died(GARBAGE, "", "")


def change_reply(reply: bytes, chance: random.Random) -> bytes:
    """Return a mutation of a reply."""
    if not chance.randrange(4):
        return change_bytes(reply, chance)
    try:
        tree = msgspec.msgpack.decode(reply)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return change_bytes(reply, chance)
    for _ in range(chance.choice((1, 1, 2, 4))):
        with suppress(RecursionError, OverflowError, UnicodeEncodeError, TypeError, msgspec.MsgspecError):
            if isinstance(tree, list) and tree and not chance.randrange(8):
                tree[0] = chance.choice(_TAGS)
            else:
                tree = change_tree(tree, chance, _VALUES)
            reply = msgspec.msgpack.encode(tree)
    return reply


def try_replies(
    replies: Sequence[bytes],
    open_driver: Callable[[ReplayingProcess], Driver],
    steps: Sequence[Callable[[Driver], object]],
    chance: random.Random,
    pid: int,
) -> Counter[str]:
    """Make the calls of a session with some changed replies; return how many steps had an end of each kind.

    ``open_driver`` starts the driver of a process, which may raise the same exceptions as the steps. AssertionError: an
    outcome is not one of the allowed ones. Any other exception is a defect of the session.
    """
    changed = list(replies)
    for _ in range(chance.choice((1, 1, 2, 5))):
        at = chance.randrange(chance.choice((0, len(changed) * 2 // 3)), len(changed))  # most belong to the start
        changed[at] = chance.choice(replies) if not chance.randrange(6) else change_reply(changed[at], chance)
    kinds: Counter[str] = Counter()
    process = ReplayingProcess(changed, pid)
    try:
        driver = open_driver(process)
    except (ProcessEndedError, BadCall, HarnessError) as error:
        kinds[f"start: {type(error).__name__}"] += 1
        return kinds
    for step in steps:
        try:
            outcome = step(driver)
        except (ProcessEndedError, BadCall, HarnessError) as error:
            kinds[type(error).__name__] += 1
        else:
            if not isinstance(outcome, _OUTCOMES) or len(msgspec.msgpack.encode(outcome)) > MAX_OUTCOME_BYTES:
                raise AssertionError(f"not an allowed outcome: {ascii(outcome)[:1000]}")
            kinds[type(outcome).__name__] += 1
        if not process.is_alive:
            break
    return kinds
