"""Servers on this machine, and a proxy that delays, stalls, cuts or changes what passes."""

from __future__ import annotations

import contextlib
import re
import select
import socket
import subprocess
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from clconform.harness.worker_build import find_worker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LOCAL_SERVER = "exec:{worker} {arguments}"
"""The address of a server on this machine, as the first argument of ``create_device``."""
SECONDS = 20.0
"""How long tests wait for the end of a process."""
_LISTENING = re.compile(r"clconform: listening on (\S+), port (\d+); token (\w+)")


class Listening(NamedTuple):
    """A server that listens on TCP: its port, its token, and its process."""

    port: int
    token: str
    process: subprocess.Popen[str]


@contextlib.contextmanager
def listening_server(folder: Path) -> Iterator[Listening]:
    """Start a server that listens on any port of the loopback; its files are below ``folder``."""
    words = [find_worker(), "--listen", "0", "--folder", folder]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            found = _LISTENING.match(process.stdout.readline())
            assert found is not None
            assert found[1] == "127.0.0.1"
            yield Listening(int(found[2]), found[3], process)
        finally:
            process.kill()


class LinkFault(NamedTuple):
    """What a proxy does after so many bytes from the server: ``cut``, ``garble``, ``stall`` or ``nothing``."""

    kind: str
    after: int


class Proxy:
    """Passes connections on to a port; each connection takes the next fault.

    ``port``: where it listens. ``occurred``: the number of faults that have occurred. ``passed``: the number of bytes
    from the server. ``messages``: how often bytes came from the session.
    """

    def __init__(
        self, port: int, faults: list[LinkFault], *, delay: float = 0.0, stall: float = 1.0, most: int = 0
    ) -> None:
        """Start to listen.

        ``delay``: seconds before bytes are passed on. ``stall``: seconds of a stall. ``most``: how many connections are
        accepted; 0 for all.
        """
        self._target, self._faults, self._delay, self._stall = port, faults, delay, stall
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.occurred = self.passed = self.messages = 0
        self._open = True
        self._most = most
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Accept no further connections."""
        self._open = False
        self._listener.close()

    def _accept(self) -> None:
        while self._open:
            try:
                near, _ = self._listener.accept()
                far = socket.create_connection(("127.0.0.1", self._target))
            except OSError:
                return
            self._most -= 1
            if not self._most:
                self.close()
            for each in (near, far):
                each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            fault = self._faults.pop(0) if self._faults else LinkFault("nothing", 0)
            threading.Thread(target=self._pass_on, args=(near, far, fault), daemon=True).start()

    def _pass_on(self, near: socket.socket, far: socket.socket, fault: LinkFault) -> None:
        passed = 0
        with near, far, contextlib.suppress(OSError):
            while True:
                ready, _, _ = select.select([near, far], [], [], 30)
                for source in ready:
                    data = source.recv(1 << 16)
                    if not data:
                        return
                    if self._delay:
                        time.sleep(self._delay)
                    if source is near:
                        self.messages += 1
                        far.sendall(data)
                        continue
                    reached = fault.kind != "nothing" and passed <= fault.after < passed + len(data)
                    at = fault.after - passed
                    passed += len(data)
                    self.passed += len(data)
                    self.occurred += reached
                    if reached and fault.kind == "stall":
                        near.sendall(data[:at])
                        time.sleep(self._stall)
                        near.sendall(data[at:])
                    elif reached and fault.kind == "cut":
                        near.sendall(data[:at])
                        return
                    elif reached:
                        near.sendall(data[:at] + bytes([data[at] ^ 0x41]) + data[at + 1 :])
                    else:
                        near.sendall(data)


@contextlib.contextmanager
def proxy(
    port: int, faults: list[LinkFault], *, delay: float = 0.0, stall: float = 1.0, most: int = 0
) -> Iterator[Proxy]:
    """Run a proxy in this block."""
    running = Proxy(port, faults, delay=delay, stall=stall, most=most)
    try:
        yield running
    finally:
        running.close()


def children_of(process: int) -> list[int]:
    """Return the process ids of the children of a process."""
    return [int(word) for word in Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii").split()]


def server_folders(root: Path) -> set[Path]:
    """Return the folders of servers below a folder."""
    return set(root.glob("clconform-server-*"))


def wait_until(condition: Callable[[], bool]) -> bool:
    """Wait until a condition holds; return whether it does in time."""
    until = time.monotonic() + SECONDS
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True
