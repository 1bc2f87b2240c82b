"""The link to a server on another machine: one answer to each frame, within the deadline of the machine's own clock."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NoReturn

from clconform.harness.errors import ConnectionLostError, HarnessError, fold_line
from clconform.harness.remote.byte_stream import StreamEndedError
from clconform.harness.remote.frames import (
    FACTS,
    HEAD_BYTES,
    PING,
    SERVER_VERSION,
    Facts,
    Hello,
    InvalidFrameError,
    Refused,
    Time,
    content_size,
    decode_frame,
    encode_frame,
)

if TYPE_CHECKING:
    from clconform.harness.remote.byte_stream import ByteStream
    from clconform.harness.remote.device import RemoteDevice
    from clconform.harness.remote.frames import Answer

LINK_SECONDS = 20.0
"""The link is lost if an answer arrives this many seconds after the deadline on the machine has passed."""
GREETING_SECONDS = 30.0
"""The time for the first frame, in which a program such as ssh connects."""
_SHOWN_BYTES = 60


class ServerLink:
    """A connection to a server. After ConnectionLostError it is closed.

    ``folder``: the server's folder for temporary files. ``boot``: differs after each start of the
    machine; empty if unknown.
    """

    def __init__(self, device: RemoteDevice, stream: ByteStream) -> None:
        """Receive the first frame; ConnectionLostError if there is no server, HarnessError if it does not fit."""
        self.device = device
        self._stream = stream
        self._number = 0
        self.is_open = True
        hello = self._receive(GREETING_SECONDS, is_first=True)
        if not isinstance(hello, Hello):
            self._lose("the other side has not sent the first frame of a server")
        if hello.version != SERVER_VERSION:
            self.close()
            raise HarnessError(
                f"{device}: the server there has version {hello.version} of the messages, not {SERVER_VERSION}; "
                "start the one of this version of clconform there (clconform device worker names it)"
            )
        self.folder, self.boot = hello.folder, hello.boot

    def request(self, kind: int, *values: Any, seconds: float) -> Answer:
        """Send a frame and return its answer, which may be of any kind.

        ``seconds``: the time that the server may take by its clock. ConnectionLostError if the connection ends or
        brings something else. HarnessError if the server refuses.
        """
        if not self.is_open:
            raise ConnectionLostError(f"the connection to {self.device} has ended")
        self._number += 1
        try:
            self._stream.send(encode_frame(kind, self._number, *values), LINK_SECONDS)
        except StreamEndedError as ended:
            self._lose(str(ended))
        except BaseException:  # interrupted: the next frame must not get this answer
            self.close()
            raise
        answer = self._receive(seconds + LINK_SECONDS)
        if isinstance(answer, Refused) and answer.number == self._number:
            raise HarnessError(f"{self.device}: the server there refuses: {fold_line(answer.reason)}")
        if answer.number != self._number:
            self.reject_answer()
        return answer

    def reject_answer(self) -> NoReturn:
        """Close the connection after an answer of a kind that does not fit; raise ConnectionLostError."""
        self._lose("it has brought an answer that does not belong to the last message")

    def measure_latency(self) -> float:
        """Return the seconds that a message takes there and back."""
        began = time.perf_counter()
        if not isinstance(self.request(PING, seconds=0), Time):
            self.reject_answer()
        return time.perf_counter() - began

    def read_facts(self) -> dict[str, str]:
        """Return facts about the machine, such as ``machine``, ``processors`` and ``memory`` (in bytes), as texts."""
        answer = self.request(FACTS, seconds=0)
        if not isinstance(answer, Facts):
            self.reject_answer()
        return {name: fold_line(text.decode("utf-8", "backslashreplace")) for name, text in answer.facts}

    def _receive(self, seconds: float, *, is_first: bool = False) -> Answer:
        head = b""
        try:
            head = self._stream.receive(HEAD_BYTES, seconds)
            return decode_frame(head, self._stream.receive(content_size(head), LINK_SECONDS))
        except StreamEndedError as ended:
            self._lose(str(ended))
        except InvalidFrameError:
            shown = fold_line(head.decode("utf-8", "backslashreplace"), _SHOWN_BYTES)
            what = f"something other than the server of clconform answers there: {shown!r}"
            self._lose(what if is_first else "it has brought data that was not sent")
        except BaseException:
            self.close()
            raise

    def _lose(self, reason: str) -> NoReturn:
        self.close()
        raise ConnectionLostError(f"the connection to {self.device} was lost: {fold_line(reason)}") from None

    def close(self) -> None:
        """Close the connection; the server then ends the driver's process. Further calls do nothing."""
        if self.is_open:
            self.is_open = False
            self._stream.close()
