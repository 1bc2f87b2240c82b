"""Receives the records of a program that is judged while it runs, and lets its calls wait or stop.

Each host thread connects to a Unix socket, and sends the head of a recording, the time at which its process began the
stream (8 bytes), its process and its thread (4 bytes each), and its records (``file_layout``). The judge may reply with
bytes.
``recording/live_stream.c`` is the other side.
"""

from __future__ import annotations

import heapq
import os
import selectors
import socket
import struct
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self

from clconform.recording.file_format import (
    Record,
    RecordDecoder,
    RecordingError,
)
from clconform.recording.file_layout import FILE_HEAD, MAGIC, RECORD_HEAD, compute_checksum, text_checksum

if TYPE_CHECKING:
    from clconform.recording.file_format import Event
    from clconform.spec_tables import Tables

LONGEST_PATH = 107
"""The maximum length of the path of a Unix socket, in bytes."""
GAP_SECONDS = 10.0
"""A record that is missing for longer than this is lost: its thread has ended while it wrote the record."""
MOST_WAITING = 4096
"""Above this number of records that wait for the judge, no more are received, so that the program waits."""
_MOST_BYTES = 1 << 16
_BACKLOG = 4096
_LONGEST_HEAD = 1 << 20
_START = struct.Struct("<QII")
_PEER = struct.Struct("3i")


class _Connection:
    """The connection of a host thread; ``process`` is None until the start of the stream was received."""

    def __init__(self, accepted: socket.socket) -> None:
        self.socket = accepted
        self.received = bytearray()
        self.process: LiveProcess | None = None
        self.thread = 0
        self.id = _PEER.unpack(accepted.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size))[0]

    def send(self, byte: int) -> None:
        """Send a byte, unless the thread has ended, or does not receive."""
        with suppress(OSError):
            self.socket.send(bytes((byte,)), socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)


class LiveProcess:
    """A process of the program whose calls are received.

    ``pointer_bytes``: the size of a pointer in it. ``through_loader``: a loader receives its calls. ``is_watched``: the
    kernel reports its end. ``has_ended``: no more records are received. ``truncation``: why a record is missing, after
    which there are no events; empty if none is.
    """

    def __init__(self, id_: int, records: RecordDecoder) -> None:
        self.id, self.is_watched, self.has_ended, self.truncation = id_, False, False, ""
        self.connections: list[_Connection] = []
        self._records, self.pointer_bytes = records, records.pointer_bytes
        self.through_loader = records.through_loader
        self._waiting: list[Record] = []
        self._following = 1
        self._gap_since: float | None = None

    @property
    def is_full(self) -> bool:
        """Whether so many records wait for the judge that no more are received."""
        return len(self._waiting) > MOST_WAITING and self._waiting[0].sequence <= self._following

    def take_event(self) -> Event | None:
        """Return the next event in the order of all threads; None if it has not been received."""
        while self._waiting and not self.truncation:
            if self._waiting[0].sequence > self._following:
                self._give_up_missing_record()
                return None
            record = heapq.heappop(self._waiting)
            self._gap_since = None
            self._following += 1
            event = self._records.decode(record)
            if event is not None:
                return event
            self.end(f"record {record.sequence} is damaged")
        return None

    def _give_up_missing_record(self) -> None:
        """End the events if the next record has been missing for too long."""
        now = time.monotonic()
        self._gap_since = self._gap_since if self._gap_since is not None else now
        if self.has_ended or now - self._gap_since >= GAP_SECONDS:
            self.end(f"record {self._following} is missing")

    def end(self, truncation: str) -> None:
        """End the events because a record is missing or damaged; the process continues without a recording."""
        self.truncation, self.has_ended = self.truncation or truncation, True
        self._waiting.clear()
        for each in self.connections:
            with suppress(OSError):
                each.socket.shutdown(socket.SHUT_RDWR)

    def reply(self, thread: int, stop: int) -> None:
        """Reply to a call of a host thread; ``stop``: the number of the latest stop (1 to 255), or 0."""
        for each in self.connections:
            if each.thread == thread:
                each.send(stop)

    def add_records(self, connection: _Connection) -> None:
        """Take the complete records that a connection has received; RecordingError for one that is not valid."""
        received, at = connection.received, 0
        while at + RECORD_HEAD.size <= len(received):
            _, sequence, length, kind, function = RECORD_HEAD.unpack_from(received, at)
            if length < RECORD_HEAD.size:
                raise RecordingError(f"record {sequence} is damaged")
            if at + length > len(received):
                break
            content = bytes(received[at : at + length])
            if compute_checksum(content):
                raise RecordingError(f"record {sequence} is damaged")
            record = Record(sequence, 0, connection.thread, kind, function, content, RECORD_HEAD.size, length)
            heapq.heappush(self._waiting, record)
            at += length
        del received[:at]


class LiveReceiver:
    """The socket to which the threads of a program connect."""

    def __init__(self, folder: Path, tables: Tables) -> None:
        """Listen in a folder that only this user can read; RecordingError if its path is too long."""
        self.path = folder / "live"
        self._tables = tables
        self._new: list[LiveProcess] = []
        self._by_start: dict[tuple[int, int], LiveProcess | None] = {}
        if len(os.fsencode(self.path)) > LONGEST_PATH:
            raise RecordingError(f"{folder}: this path is too long for a socket; set TMPDIR to a shorter one")
        self._selector = selectors.DefaultSelector()
        self._listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listening.bind(str(self.path))
        self._listening.listen(_BACKLOG)
        self._listening.setblocking(False)
        self._selector.register(self._listening, selectors.EVENT_READ)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections, if they are open: the program continues without a recording."""
        if self._listening.fileno() < 0:
            return
        for key in list(self._selector.get_map().values()):
            if isinstance(key.data, _Connection):
                key.data.socket.close()
            elif isinstance(key.data, LiveProcess):
                os.close(key.fd)
        self._listening.close()
        self.path.unlink(missing_ok=True)
        self._selector.close()

    def take_new_processes(self) -> list[LiveProcess]:
        """Return the processes that have connected after the previous call of this function."""
        new, self._new = self._new, []
        return new

    def receive(self, seconds: float) -> bool:
        """Receive what there is, after a wait of at most ``seconds``; return whether there was anything."""
        ready = self._selector.select(seconds)
        for key, _ in ready:
            if isinstance(key.data, LiveProcess):
                self._selector.unregister(key.fd)
                os.close(key.fd)
                self._end_process(key.data)
            elif key.fileobj is self._listening:
                self._accept()
            elif key.data.socket.fileno() >= 0 and not (key.data.process is not None and key.data.process.is_full):
                self._read(key.data)
        for process in list(filter(None, self._by_start.values())):
            is_silent = not (process.is_watched or process.has_ended or process.connections)
            if is_silent and not Path(f"/proc/{process.id}").exists():
                self._end_process(process)
        self._by_start = {key: None if each is None or each.has_ended else each for key, each in self._by_start.items()}
        return bool(ready)

    def _accept(self) -> bool:
        """Accept a connection; return whether there was one."""
        try:
            accepted, _ = self._listening.accept()
        except (BlockingIOError, ConnectionError):
            return False
        accepted.setblocking(False)
        self._selector.register(accepted, selectors.EVENT_READ, _Connection(accepted))
        return True

    def _read(self, connection: _Connection) -> bool:
        """Read once from a connection; return whether more may follow."""
        try:
            received = connection.socket.recv(_MOST_BYTES)
        except BlockingIOError:
            return False
        except OSError:
            received = b""
        connection.received += received
        try:
            if received and connection.process is None:
                self._begin(connection)
            if received and connection.process is not None:
                connection.process.add_records(connection)
        except RecordingError as error:
            self._drop(connection, str(error))
            return False
        if not received:
            self._drop(connection, "")
        return bool(received)

    def _begin(self, connection: _Connection) -> None:
        """Read the start of a stream, if it was received."""
        received = connection.received
        if len(received) < FILE_HEAD.size:
            return
        magic, length, checksum, *_ = FILE_HEAD.unpack_from(received)
        end = FILE_HEAD.size + length
        if magic != MAGIC or length > _LONGEST_HEAD:
            raise RecordingError("it is not the stream of a recording")
        if len(received) < end + _START.size:
            return
        text = bytes(received[FILE_HEAD.size : end])
        if text_checksum(text) != checksum:
            raise RecordingError("the head of a stream is damaged")
        nanoseconds, _, connection.thread = _START.unpack_from(received, end)
        key = connection.id, nanoseconds
        if key not in self._by_start:
            records = RecordDecoder(text, self._tables, "a stream")
            self._by_start[key] = process = LiveProcess(connection.id, records)
            self._new.append(process)
            with suppress(OSError):  # an old kernel, or the process has already ended
                self._selector.register(os.pidfd_open(connection.id), selectors.EVENT_READ, process)
                process.is_watched = True
        del received[: end + _START.size]
        connection.process = self._by_start[key]
        if connection.process is None:
            raise RecordingError("its process is no longer judged")
        connection.process.connections.append(connection)

    def _drop(self, connection: _Connection, error: str) -> None:
        self._selector.unregister(connection.socket)
        connection.socket.close()
        process = connection.process
        if process is not None:
            process.connections.remove(connection)
            if error:
                process.end(error)

    def _end_process(self, process: LiveProcess) -> None:
        """Receive the rest of the records of a process that has ended."""
        while self._accept():
            pass
        for key in list(self._selector.get_map().values()):
            if isinstance(key.data, _Connection) and key.data.id == process.id:
                while self._read(key.data):
                    pass
        process.has_ended = True
