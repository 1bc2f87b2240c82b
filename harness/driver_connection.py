"""The connection to the C program that runs a driver: encodes requests, decodes replies, and explains failures."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, NoReturn

import msgspec

from clconform.harness.errors import BadCall, HarnessError, ProcessShortageError, fold_line
from clconform.harness.mailbox import MAX_MESSAGE_BYTES
from clconform.harness.process_state import find_process_end
from clconform.harness.raw_messages import (
    CALL,
    LIMIT_DATA,
    LOAD,
    MAPPINGS,
    PEEK,
    PEEK_TEXT,
    PROTOCOL_VERSION,
    REAL_PATH,
    SYMBOLS,
    RawFailure,
    RawGreeting,
    RawRefusal,
    RawReply,
    RawReturned,
    RawValue,
)
from clconform.harness.type_layout import Machine
from clconform.harness.worker_process import ProcessEndedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.harness.driver_process import DriverProcess
    from clconform.harness.raw_messages import Argument, RawRequest

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(RawReply).decode
_decode_greeting = msgspec.msgpack.Decoder(RawGreeting).decode
_MAX_ERROR_NUMBER = 4096
_MAX_STRUCTURE_BYTES = 1 << 16
_INVALID = (msgspec.MsgspecError, ValueError, RecursionError)


def _is_machine(greeting: RawGreeting) -> bool:
    """Return whether a first message describes a possible machine."""
    sizes = (4, 8)
    return (
        greeting.pointer_bytes in sizes
        and greeting.long_bytes in sizes
        and 0 < greeting.null_function < 1 << 8 * greeting.pointer_bytes
        and all(
            0 < size <= _MAX_STRUCTURE_BYTES and all(0 <= at < size for at in offsets)
            for _, size, offsets in greeting.structures
        )
    )


class DriverConnection:
    """Sends requests to the driver's process.

    All methods raise ProcessEndedError if the process ends or does not reply in time, and HarnessError as
    ``DriverProcess.exchange`` does. ``machine``: the machine of the driver. ``signatures``, ``callback_signatures``:
    map signatures to their numbers in requests. ``null_function``: the address of a function that returns 0.
    ``seconds``: the deadline of each request. ``subject``: the function or the step that needs the requests, which
    messages name.
    """

    def __init__(self, process: DriverProcess, seconds: float) -> None:
        """Receive the first message of a new process, within ``seconds``; HarnessError if it is another program."""
        self.process = process
        self.seconds = seconds
        self.subject = ""
        body = process.receive_first(seconds)
        try:
            greeting = _decode_greeting(body)
        except _INVALID:
            raise HarnessError("the program that runs drivers has sent an unexpected first message") from None
        if greeting.version != PROTOCOL_VERSION:
            raise HarnessError(
                f"the program that runs drivers has version {greeting.version} of the messages, not {PROTOCOL_VERSION};"
                " install clconform again"
            )
        if not _is_machine(greeting):
            raise HarnessError("the program that runs drivers describes an impossible machine in its first message")
        process.note_driver_process()
        self._state = process.read_state()
        self.machine = Machine(
            "<" if greeting.is_little_endian else ">",
            greeting.pointer_bytes,
            greeting.long_bytes,
            {name: (size, offsets) for name, size, offsets in greeting.structures},
        )
        self.signatures = {name: number for number, name in enumerate(greeting.signatures)}
        self.callback_signatures = {name: number for number, name in enumerate(greeting.callback_signatures)}
        self.null_function = greeting.null_function

    def request(self, request: RawRequest) -> RawReply:
        """Send a request and return the reply.

        BadCall: the request is invalid. ProcessShortageError: the process lacks resources, and has been ended.
        """
        message = _encode(request)
        if len(message) > MAX_MESSAGE_BYTES:
            raise BadCall(f"{self.subject}: the call has more than {MAX_MESSAGE_BYTES >> 20} MiB of arguments")
        self.process.subject = self.subject
        body = self.process.exchange(message, self.seconds)
        try:
            reply = _decode(body)
        except _INVALID:
            raise ProcessEndedError(self.process.end_corrupted()) from None
        if isinstance(reply, RawRefusal):
            raise BadCall(f"{self.subject}: {fold_line(reply.reason)}")
        if isinstance(reply, RawFailure):
            self._explain_failure(reply)
        return reply

    def call(self, request: RawRequest) -> RawReturned:
        """Send a request for a call or an action of the host, and return its reply; errors as for ``request``."""
        reply = self.request(request)
        return reply if isinstance(reply, RawReturned) else self.reject(reply)

    def call_function(self, address: int, signature: str, *arguments: Argument) -> RawReturned:
        """Call a function of the driver or the loader during the start; errors as for ``request``."""
        return self.call([CALL, address, self.signatures[signature], 0, *arguments])

    def reject(self, reply: object) -> NoReturn:
        """End the process after a reply that is impossible for its request."""
        del reply
        raise ProcessEndedError(self.process.end_corrupted())

    def send_without_reply(self, request: RawRequest) -> None:
        """Send a request without a reply before the next other request."""
        self.process.queue_message(_encode(request))

    def peek(self, address: int, size: int) -> bytes | None:
        """Return ``size`` bytes of the process's memory; None if not all of them are readable."""
        value = self._request_value([PEEK, address, size])
        return value if value is None or (isinstance(value, bytes) and len(value) == size) else self.reject(value)

    def peek_text(self, address: int) -> bytes | None:
        """Return the bytes from an address up to the first zero byte; None if it is not a readable text."""
        value = self._request_value([PEEK_TEXT, address])
        return value if value is None or isinstance(value, bytes) else self.reject(value)

    def mappings(self) -> list[tuple[int, int, bool, bytes]]:
        """Return the mappings of the process: start, end, whether executable, and the path of the file."""
        value = self._request_value([MAPPINGS])
        return value if isinstance(value, list) else self.reject(value)

    def load_library(self, path: str) -> int:
        """Load a library and return its handle; OSError with the dynamic linker's message if that fails."""
        value = self._request_value([LOAD, os.fsencode(path)])
        if isinstance(value, bytes):
            raise OSError(value.decode("utf-8", "backslashreplace"))
        return value if isinstance(value, int) else self.reject(value)

    def find_symbol(self, library: int, name: str) -> int:
        """Return the address of a symbol that a library exports, or 0."""
        return self.find_symbols(library, [name])[0]

    def find_symbols(self, library: int, names: Sequence[str]) -> list[int]:
        """Return the addresses of symbols that a library exports, in the order of the names; 0 for a missing symbol."""
        value = self._request_value([SYMBOLS, library, *(name.encode() for name in names)])
        size = self.machine.pointer_bytes
        if not isinstance(value, bytes) or len(value) != size * len(names):
            self.reject(value)
        order = self.machine.integer_order
        return [int.from_bytes(value[at : at + size], order) for at in range(0, len(value), size)]

    def real_path(self, path: str) -> str:
        """Return the path of a file of the process without symbolic links; the same path if there is no such file."""
        value = self._request_value([REAL_PATH, os.fsencode(path)])
        return os.fsdecode(value) if isinstance(value, bytes) else self.reject(value)

    def limit_data(self, limit_bytes: int) -> None:
        """Limit the memory for data of the process; 0 for no limit."""
        self._state.expect_data_limit(limit_bytes)
        self._request_value([LIMIT_DATA, limit_bytes])

    def _request_value(self, request: RawRequest) -> int | bytes | list[tuple[int, int, bool, bytes]] | None:
        reply = self.request(request)
        return reply.value if isinstance(reply, RawValue) else self.reject(reply)

    def _explain_failure(self, failure: RawFailure) -> NoReturn:
        """End the process, because the system has refused something that the worker needs.

        ProcessEndedError if the driver has caused this. ProcessShortageError if the cause is unknown.
        """
        number = failure.number if 0 < failure.number < _MAX_ERROR_NUMBER else errno.EIO
        error = OSError(number, os.strerror(number))
        about = f"{self.subject}: {fold_line(failure.action)}"
        try:
            ended = find_process_end(error, self._state, about)
        except ProcessShortageError:
            self.process.end(0)
            self.process.check_machine()  # the driver may have limited its own process instead
            raise
        self.process.end(0)
        if ended is not None:
            raise ProcessEndedError(ended)
        raise HarnessError(f"the worker failed at {about} ({error.strerror})")
