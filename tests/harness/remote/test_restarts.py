"""A machine that restarts twice during the same call is taken down by it; other losses are no evidence."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.calls.call import Died, Returned
from clconform.calls.values import Handle, OutputBuffer
from clconform.harness import Target, Worker
from clconform.harness.errors import ConnectionLostError
from clconform.harness.known_platforms import forget_platforms
from clconform.harness.remote import links
from clconform.harness.remote.device import create_device
from clconform.harness.remote.frames import HEAD_BYTES, Hello, content_size, decode_frame, encode_frame

from .servers import listening_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from clconform.calls.call import Call


class RestartingBoard:
    """Stands between a session and a server, and pretends that the machine restarts when the connection ends.

    ``port``: where it listens. ``losses``: how many further connections it ends at the answer to ``lost_frame``.
    ``restarts``: whether the boot then differs.
    """

    def __init__(self, port: int, token: str, *, lost_frame: int, losses: int, restarts: bool) -> None:
        self._target, self._token = port, token
        self._lost_frame, self._losses, self._restarts = lost_frame, losses, restarts
        self._boot = 1
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection(("127.0.0.1", self._target))
                with near, far, suppress(OSError, EOFError):
                    self._serve(near, far)

    def _serve(self, near: socket.socket, far: socket.socket) -> None:
        far.sendall(_receive(near, len(self._token)))
        _, content = _receive_frame(far)
        hello = decode_frame(*_split(content))
        assert isinstance(hello, Hello)
        near.sendall(encode_frame(0, hello.number, hello.version, hello.folder, f"boot {self._boot}"))
        frames = 0
        while True:
            far.sendall(_receive_frame(near)[1])
            _, answer = _receive_frame(far)
            frames += 1
            if frames == self._lost_frame and self._losses:
                self._losses -= 1
                self._boot += self._restarts
                return
            near.sendall(answer)

    def close(self) -> None:
        """Accept no further connections."""
        self._listener.close()


def _receive(source: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = source.recv(size - len(data))
        if not more:
            raise EOFError
        data += more
    return data


def _receive_frame(source: socket.socket) -> tuple[object, bytes]:
    head = _receive(source, HEAD_BYTES)
    content = _receive(source, content_size(head))
    return msgspec.msgpack.decode(content), head + content


def _split(frame: bytes) -> tuple[bytes, bytes]:
    return frame[:HEAD_BYTES], frame[HEAD_BYTES:]


@pytest.fixture(autouse=True)
def _use_short_pauses(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(links, "_PAUSE_SECONDS", 0.05)
    links.forget_devices()
    yield
    links.forget_devices()


@pytest.fixture
def query(create_call: Callable[..., Call]) -> Call:
    return create_call("clGetDeviceInfo", Handle("device1"), 0x1002, 4, OutputBuffer(4), None)


def count_start_frames(target: Target) -> int:
    """Return the number of frames of a start, so that the next one is the first call."""
    worker = Worker(target)
    link = worker._process._link  # type: ignore[attr-defined]
    count = int(link._number)
    worker.close()
    return count


@pytest.mark.parametrize(
    ("losses", "restarts", "outcomes"),
    [
        (1, True, ["lost", "returned", "returned"]),
        (2, True, ["lost", "restart", "returned"]),
        (3, False, ["lost", "lost", "lost"]),
    ],
)
def test_only_repeated_restarts_are_evidence(
    tmp_path: Path, fake_driver: str, query: Call, losses: int, outcomes: list[str], *, restarts: bool
) -> None:
    with listening_server(tmp_path) as server:
        direct = create_device(f"tcp:127.0.0.1:{server.port}", token=server.token)
        frames = count_start_frames(Target.on_device(direct, library=fake_driver, direct=True))
        links.close_links()
        board = RestartingBoard(server.port, server.token, lost_frame=frames + 1, losses=losses, restarts=restarts)
        device = create_device(f"tcp:127.0.0.1:{board.port}", token=server.token)
        found = []
        for _ in outcomes:
            forget_platforms()  # each start then needs the same frames
            try:
                with Worker(Target.on_device(device, library=fake_driver, direct=True)) as worker:
                    outcome = worker.call(query)
            except ConnectionLostError:
                found.append("lost")
                continue
            found.append(outcome.how if isinstance(outcome, Died) else "returned")
            assert isinstance(outcome, (Died, Returned))
        board.close()
    assert found == outcomes
