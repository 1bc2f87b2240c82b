"""A byte stream to another machine: the pipes of a program that transports it, or a socket."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import tempfile
import time
from typing import IO, TYPE_CHECKING

from clconform.harness.errors import fold_line

if TYPE_CHECKING:
    import socket
    from collections.abc import Mapping, Sequence

_END_SECONDS = 2.0
_READ_BYTES = 1 << 16
"""The usual size of a read; the C library serves much larger ones by a system call each."""
_MAX_OUTPUT = 300


class StreamEndedError(Exception):
    """The stream has ended, or no byte has passed in time; the message is the reason."""


class ByteStream:
    """A stream with an input and an output descriptor, both owned by it."""

    def __init__(self, source: int, target: int, *, process: subprocess.Popen[bytes] | None = None) -> None:
        """Take over the descriptors; ``process``: the program that transports the bytes."""
        self._source, self._target, self._process = source, target, process
        self._errors: IO[bytes] | None = None
        self._received = bytearray()
        os.set_blocking(target, False)
        os.set_blocking(source, False)

    @classmethod
    def of_program(cls, words: Sequence[str], environment: Mapping[str, str] | None = None) -> ByteStream:
        """Start a program, and return the stream of its standard input and output; OSError if it does not start."""
        errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the stream)
        try:
            process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=None if environment is None else dict(environment),
                start_new_session=True,  # an interrupt of the session must not end it first
            )
        except BaseException:
            errors.close()
            raise
        if process.stdin is None or process.stdout is None:
            raise AssertionError("both are pipes")
        source, target = os.dup(process.stdout.fileno()), os.dup(process.stdin.fileno())
        process.stdin.close()
        process.stdout.close()
        stream = cls(source, target, process=process)
        stream._errors = errors
        return stream

    @classmethod
    def of_socket(cls, connected: socket.socket) -> ByteStream:
        """Return the stream of a connected socket, which it takes over."""
        source = connected.detach()
        return cls(source, os.dup(source))

    def send(self, data: bytes, seconds: float) -> None:
        """Send all bytes; StreamEndedError if the stream ends, or accepts none for ``seconds``."""
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[os.write(self._target, rest) :]
            except BlockingIOError:
                if not _poll(self._target, select.POLLOUT, seconds):
                    raise StreamEndedError(f"it has accepted no data for {seconds:g} s") from None
            except OSError as error:
                raise StreamEndedError(self._describe_end(error.strerror or "")) from None

    def receive(self, size: int, seconds: float) -> bytes:
        """Return exactly ``size`` bytes; StreamEndedError if the stream ends, or brings none for ``seconds``."""
        while len(self._received) < size:
            if not _poll(self._source, select.POLLIN, seconds):
                raise StreamEndedError(f"it has sent nothing for {seconds:g} s")
            try:
                more = os.read(self._source, max(_READ_BYTES, size - len(self._received)))
            except BlockingIOError:
                continue
            except OSError as error:
                raise StreamEndedError(self._describe_end(error.strerror or "")) from None
            if not more:
                raise StreamEndedError(self._describe_end("the connection was closed"))
            self._received += more
        found = bytes(self._received[:size])
        del self._received[:size]
        return found

    def error_output(self) -> str:
        """Return the end of the error output of the transporting program, as one line."""
        if self._errors is None:
            return ""
        size = os.fstat(self._errors.fileno()).st_size
        tail = os.pread(self._errors.fileno(), _MAX_OUTPUT, max(0, size - _MAX_OUTPUT))
        return fold_line(tail.decode("utf-8", "backslashreplace"))

    def _describe_end(self, reason: str) -> str:
        """Return why the stream has ended: the error output of the transporting program, or else the reason."""
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_END_SECONDS)
            code = self._process.returncode
            output = self.error_output()
            if code:
                return f"{self._process.args[0]!r} has ended with exit code {code}{f': {output}' if output else ''}"  # type: ignore[index]
            return output or reason
        return reason

    def close(self) -> None:
        """Close the stream, and end the transporting program; further calls do nothing."""
        for descriptor in {self._source, self._target} - {-1}:
            os.close(descriptor)
        self._source = self._target = -1
        if self._process is not None:
            try:
                self._process.wait(_END_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None
        if self._errors is not None:
            self._errors.close()
            self._errors = None


def _poll(descriptor: int, event: int, seconds: float) -> bool:
    """Wait until a descriptor is ready or has ended; False after ``seconds``."""
    until = time.monotonic() + seconds
    waiting = select.poll()
    waiting.register(descriptor, event)
    while True:
        left = until - time.monotonic()
        if waiting.poll(max(0.0, 1000 * left)):
            return True
        if left <= 0:
            return False
