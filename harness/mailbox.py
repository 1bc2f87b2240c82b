"""Messages between a session and a driver's process through shared memory.

The memory is a System V segment, which has no file descriptor. So a driver that uses or closes foreign descriptors
cannot disturb the messages, and file size limits do not apply. Each of the two processes has a ``Mailbox``, and is the
peer of the other process. Each direction has one slot, which the sender fills and the receiver empties. A process that
waits sleeps on a futex until its peer changes the slot. Each message carries a checksum and a sequence number; a
mismatch means that the driver has overwritten the memory (``CorruptedMessage``).
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import time
import weakref
import zlib
from typing import TYPE_CHECKING, TypeVar

import msgspec

from clconform.harness.host_shortages import ShortageError

if TYPE_CHECKING:
    from collections.abc import Callable

_T = TypeVar("_T")
MAX_MESSAGE_BYTES = 1 << 28
"""Maximum size of one message in bytes; a longer one is not received."""
PART_BYTES = 1 << 22
"""Size in bytes of the area for one part of a message; longer messages are sent in several parts."""
_HEADER_BYTES = 4096
_SEGMENT_BYTES = _HEADER_BYTES + 2 * PART_BYTES
# indices of 32-bit words in the header: common ones, the start of each direction's slot, and those within a slot
_CLOSING, _PROCESS, _ENDED, _STATUS, _SESSION, _CORE = range(6)
_LEFT = 1023
"""The index of the word that the driver's process sets when it receives no further requests. It is far from the other
words, because a driver that overwrites those may continue."""
_SLOTS = (16, 32)
_STATE, _PART_FIELDS = range(2)
_MAX_STATUS = 0xFFFF
_LEFT_MARK = 0x7EF7A11D
_EMPTY, _FULL = 0, 1
_LENGTH = struct.Struct("I")
_PART_HEADER = struct.Struct("5I")
"""The words from ``_PART_FIELDS`` on: the sequence number, the size of the message, the offset of this part in it,
whether it contains several messages, and the checksum of this and of the part."""
_WORD_BYTES = 4
_WAIT, _WAKE = 0, 1
_FUTEX = {"x86_64": 202, "aarch64": 98, "riscv64": 98, "ppc64le": 221, "s390x": 238}.get(platform.machine(), -1)
_MAX_WAITERS = 1 << 30
_POLL_SECONDS = 0.2
_OVERWRITTEN = "the memory for messages was written to"
_PRIVATE, _CREATE, _REMOVE = 0, 0o1600, 0
_DONT_FORK = 10
_SHORTAGES = {
    errno.EINVAL: f"segments of shared memory may not have {_SEGMENT_BYTES} bytes; raise the limit with "
    "sysctl kernel.shmmax",
    errno.ENOSPC: "no further segment of shared memory can be created; raise the limits with sysctl kernel.shmmni "
    "and kernel.shmall, or remove segments with ipcrm",
    errno.ENOMEM: "there is not enough memory for a segment of shared memory",
    errno.ENOSYS: "this machine has no System V shared memory; use a kernel or a sandbox that has it",
}
"""Messages about missing shared memory, by the error of ``shmget``."""
_libc = ctypes.CDLL(None, use_errno=True)
_libc.shmat.argtypes = (ctypes.c_int, ctypes.c_void_p, ctypes.c_int)
_libc.shmat.restype = ctypes.c_void_p
_libc.shmget.argtypes = (ctypes.c_int, ctypes.c_size_t, ctypes.c_int)
_libc.shmctl.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_void_p)
_libc.shmdt.argtypes = (ctypes.c_void_p,)
_libc.madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
_futex = ctypes.CDLL(None).syscall
"""Has no declared argument types: converting arguments by them would take longer than the call."""


class ClosedMailbox(EOFError):  # noqa: N818 (an event, not an error)
    """The peer has ended, or accepts no more messages."""


class CorruptedMessage(Exception):  # noqa: N818 (an event, not an error)
    """The received bytes are not a message of the peer."""


def decode_message(body: bytes, decoder: msgspec.msgpack.Decoder[_T]) -> _T:
    """Decode the body of a message; CorruptedMessage if the decoder rejects it."""
    try:
        return decoder.decode(body)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:  # ValueError: includes UnicodeDecodeError
        raise CorruptedMessage(f"invalid message: {error}") from None


def pack_messages(bodies: list[bytes]) -> tuple[bytes, bool]:
    """Return the content of a message for several ones, each after its size, and whether it has several."""
    if len(bodies) == 1:
        return bodies[0], False
    return b"".join(_LENGTH.pack(len(body)) + body for body in bodies), True


class _Timespec(ctypes.Structure):
    _fields_ = (("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long))


_POLL_TIMEOUT = ctypes.byref(_Timespec(0, int(_POLL_SECONDS * 1e9)))


class Mailbox:
    """The mailbox of one of two processes. ``has_ended``: returns whether the peer has ended; called during waits."""

    def __init__(self, segment: int, *, driver: bool, has_ended: Callable[[], bool]) -> None:
        """Attach shared memory by its id; OSError if that fails. ``driver``: this is the driver's process."""
        self._base = _attach_segment(segment)
        self._release = weakref.finalize(self, _libc.shmdt, self._base)
        self._release.atexit = False
        self._map = memoryview((ctypes.c_char * _SEGMENT_BYTES).from_address(self._base)).cast("B")
        self._words = self._map[:_HEADER_BYTES].cast("I")
        areas = (_HEADER_BYTES, _HEADER_BYTES + PART_BYTES)
        (self._out, self._out_area), (self._in, self._in_area) = (
            (_SLOTS[index], areas[index]) for index in (driver, not driver)
        )
        self._end_word = _CLOSING if driver else _ENDED
        self._addresses = {place: ctypes.c_void_p(self._base + place * _WORD_BYTES) for place in _SLOTS}
        if not driver:
            self._words[_SESSION] = os.getpid()
        self._driver = driver
        self._has_ended = has_ended
        self._exchange = 0
        self._queued: list[bytes] = []
        self._received: list[bytes] = []
        self._partial = b""

    @classmethod
    def create(cls, has_ended: Callable[[], bool]) -> tuple[Mailbox, int]:
        """Create shared memory; return the session's mailbox, and the id for the peer.

        ShortageError or OSError on failure. The memory is released with the last process
        that has attached it.
        """
        segment = create_segment()
        try:
            return cls(segment, driver=False, has_ended=has_ended), segment
        finally:
            release_segment(segment)

    def queue_message(self, message: bytes) -> None:
        """Queue a message without a reply for the next ``send``, so that the message alone does not wake the peer."""
        self._queued.append(message)

    def send(self, message: bytes, seconds: float | None = None) -> bool:
        """Send the queued messages and this one; return False if they are not received within ``seconds``.

        ClosedMailbox: the peer has ended. CorruptedMessage: as for ``receive``.
        """
        content, several = message, False
        if self._queued:
            content, several = pack_messages([*self._queued, message])
            self._queued = []
        if not self._driver:
            self._exchange = (self._exchange + 1) & 0xFFFFFFFF
        words, place, before = self._words, self._out, 0
        if len(content) <= PART_BYTES and words[place] == _EMPTY:
            self._put_part(content, len(content), 0, several)
            return True
        while before < len(content):
            part = content[before : before + PART_BYTES] if len(content) > PART_BYTES else content
            if words[place] != _EMPTY and not self._wait_for_state(place, _EMPTY, _deadline_after(seconds)):
                return False
            self._put_part(part, len(content), before, several)
            before += len(part)
        return True

    def _put_part(self, part: bytes, total: int, before: int, several: int) -> None:
        """Fill the empty slot with a part of a message, and wake the peer."""
        place, area = self._out, self._out_area
        self._map[area : area + len(part)] = part
        at = (place + _PART_FIELDS) * _WORD_BYTES
        _PART_HEADER.pack_into(self._map, at, self._exchange, total, before, several, zlib.crc32(part, several))
        self._words[place] = _FULL
        self._wake_waiters(place)

    @property
    def has_message(self) -> bool:
        """Whether a part of a message has arrived."""
        return self._words[self._in] == _FULL

    def receive(self, seconds: float | None = None) -> bytes | None:
        """Return the next message, or None if it has not arrived completely within ``seconds``.

        ClosedMailbox: the peer has ended. CorruptedMessage: the received bytes are not a message of the peer.
        """
        if self._received:
            return self._received.pop(0)
        until = _deadline_after(seconds)
        content, words, place, area = self._partial, self._words, self._in, self._in_area
        self._partial = b""
        while True:
            if words[place] != _FULL and not self._wait_for_state(place, _FULL, until):
                self._partial = content
                return None
            at = (place + _PART_FIELDS) * _WORD_BYTES
            exchange, total, before, several, checksum = _PART_HEADER.unpack_from(self._map, at)
            size = min(total - before, PART_BYTES)
            if self._driver:
                self._exchange = exchange
            if exchange != self._exchange or before != len(content) or size <= 0 or total > MAX_MESSAGE_BYTES:
                raise CorruptedMessage(_OVERWRITTEN)
            part = bytes(self._map[area : area + size])
            if zlib.crc32(part, several) != checksum:
                raise CorruptedMessage(_OVERWRITTEN)
            words[place] = _EMPTY
            if total == size:
                return self._split_messages(part) if several else part
            content += part
            self._wake_waiters(place)
            if len(content) == total:
                return self._split_messages(content) if several else content

    def _split_messages(self, content: bytes) -> bytes:
        """Return the first of several messages that were sent together, and keep the following ones."""
        position, bodies = 0, []
        while position < len(content):
            start = position + _LENGTH.size
            end = start + (_LENGTH.unpack_from(content, position)[0] if start <= len(content) else 0)
            if not start <= end <= len(content):
                raise CorruptedMessage(_OVERWRITTEN)
            bodies.append(content[start:end])
            position = end
        first, *self._received = bodies
        return first

    # the state of the driver's process

    def close(self) -> None:
        """Signal the peer that no further messages follow."""
        self._words[_CLOSING] = 1
        self._wake_waiters(self._out)

    def detach(self) -> None:
        """Detach the shared memory; a copy of its header stays readable."""
        self._map = memoryview(bytearray(self._map[:_HEADER_BYTES]))
        self._words = self._map.cast("I")
        self._release()

    @property
    def process(self) -> int:
        """The id of the driver's process; 0 before it has been started."""
        return self._words[_PROCESS]

    @process.setter
    def process(self, pid: int) -> None:
        self._words[_PROCESS] = pid

    @property
    def session(self) -> int:
        """The id of the session's process."""
        return self._words[_SESSION]

    def set_core(self, core: int) -> None:
        """Name the core on which the peer may wait for the next message; -1 for any."""
        self._words[_CORE] = core + 1

    @property
    def status(self) -> int | None:
        """The exit status of the driver's process, as from ``os.waitpid``; None while it runs.

        An impossible status means that the driver has overwritten the memory.
        """
        return min(self._words[_STATUS], _MAX_STATUS) if self._words[_ENDED] == 1 else None

    @property
    def has_left(self) -> bool:
        """Whether the program that runs drivers has ended its loop over the requests."""
        return self._words[_LEFT] == _LEFT_MARK

    def set_ended(self, status: int) -> None:
        """Store the exit status of the driver's process, and wake the session's process."""
        self._words[_STATUS] = status
        self._words[_ENDED] = 1
        for place in _SLOTS:
            self._wake_waiters(place)

    def exclude_from_forks(self) -> None:
        """Exclude the memory from processes that this process forks."""
        _libc.madvise(self._base, _SEGMENT_BYTES, _DONT_FORK)

    # waiting

    def _wait_for_state(self, place: int, wanted: int, until: float | None) -> bool:
        """Wait until a slot has the wanted state; False after ``until``, ClosedMailbox if the peer has ended."""
        words, over = self._words, self._end_word
        while True:
            ended = words[over]  # read before the slot: the peer may fill it just before it ends
            state = words[place]
            if state == wanted:
                return True
            if state not in (_EMPTY, _FULL):
                raise CorruptedMessage(_OVERWRITTEN)
            if ended:
                raise ClosedMailbox("the other side has ended")
            left = _POLL_SECONDS if until is None else until - time.monotonic()
            if left <= 0:
                return False
            if self._sleep(place, state, left) and words[place] == state and self._has_ended():
                words[over] = words[over] or 2

    def _sleep(self, place: int, state: int, seconds: float) -> bool:
        """Sleep until a slot may have changed; return whether the wait timed out."""
        if _FUTEX < 0:
            time.sleep(min(seconds, 0.0005))
            return True
        limit = _POLL_TIMEOUT if seconds >= _POLL_SECONDS else ctypes.byref(_Timespec(0, int(seconds * 1e9)))
        return bool(_futex(_FUTEX, self._addresses[place], _WAIT, state, limit))

    def _wake_waiters(self, place: int) -> None:
        if _FUTEX > 0:
            _futex(_FUTEX, self._addresses[place], _WAKE, _MAX_WAITERS)


def _deadline_after(seconds: float | None) -> float | None:
    """Return the time ``seconds`` from now on the monotonic clock; None without a limit."""
    return None if seconds is None else time.monotonic() + seconds


def create_segment() -> int:
    """Create shared memory and return its id; ShortageError if that fails."""
    segment: int = _libc.shmget(_PRIVATE, _SEGMENT_BYTES, _CREATE)
    if segment < 0:
        number = ctypes.get_errno()
        raise ShortageError(_SHORTAGES.get(number, f"System V shared memory cannot be used ({os.strerror(number)})"))
    return segment


def release_segment(segment: int) -> None:
    """Mark shared memory for release, which happens when the last process that has attached it ends."""
    _libc.shmctl(segment, _REMOVE, None)


def _attach_segment(segment: int) -> int:
    """Attach shared memory and return its address; OSError if that fails."""
    address = _libc.shmat(segment, None, 0)
    if address is None or address == ctypes.c_void_p(-1).value:
        raise _os_error()
    return int(address)


def _os_error() -> OSError:
    number = ctypes.get_errno()
    return OSError(number, f"cannot use shared memory: {os.strerror(number)}")
