"""Runs lines in a shell of another machine, and copies files there and back."""

from __future__ import annotations

import os
import shlex
import subprocess
import time
from typing import TYPE_CHECKING, NamedTuple

from clconform.harness.errors import ConnectionLostError, HarnessError, fold_line
from clconform.harness.remote.addresses import ARGUMENTS, WORKER

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from clconform.harness.remote.addresses import DeviceAddress

_COPY_SECONDS = 120.0
_STALL_SECONDS = 60.0
_POLL_SECONDS = 0.05
_SSH = ("ssh", "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=15", "-o", "ServerAliveInterval=5")
_PROBE = (
    "uname -s -m; for d in /data/local/tmp ${TMPDIR:-/tmp}; do test -w $d || continue; f=$d/clconform-$(id -u); "
    "mkdir -m 700 $f 2>/dev/null; test -O $f -a ! -L $f || printf 'foreign '; printf '%s\\n' $f; break; done; "
    "test -e /system/bin/app_process && printf Android || true"
)
_FOREIGN = "foreign "
_ANDROID = "Android"


class RemoteMachine(NamedTuple):
    """A machine, by the output of a probe.

    ``kernel``, ``machine``: as ``uname`` prints them. ``folder``: a folder there for files that can be executed, to
    which only the user of the shell can write. ``is_android``: whether it has Android's programs.
    """

    kernel: str
    machine: str
    folder: str
    is_android: bool


class DeviceShell:
    """The shell of a machine; ``address``: of the machine."""

    def __init__(self, address: DeviceAddress) -> None:
        """Check the address; HarnessError if it does not lead to a shell."""
        self.address = address
        if address.scheme == "tcp":
            raise HarnessError(
                f"{address}: a tcp: address leads to the worker, not to a shell; use ssh:HOST, adb:SERIAL or "
                "exec:'COMMAND {arguments}' instead"
            )
        if address.scheme == "exec" and any(WORKER in word for word in shlex.split(address.place)):
            raise HarnessError(
                f"{address}: this command starts the worker, not a shell; give one that runs any command line there: "
                f"sh -c LINE replaces {ARGUMENTS}, and {WORKER} must be absent"
            )

    def command(self, line: str) -> list[str]:
        """Return the command of this machine that runs a line in the shell."""
        address = self.address
        if address.scheme == "exec":
            shell = ["sh", "-c", line]
            return [each for word in shlex.split(address.place) for each in (shell if word == ARGUMENTS else [word])]
        if address.scheme == "ssh":
            return [*_SSH, "--", address.place, line]
        return ["adb", *(("-s", address.place) if address.place else ()), "shell", "-T", line]

    def run(self, line: str, content: bytes = b"") -> str:
        """Run a line with an input, and return its output.

        ConnectionLostError if the line fails or does not end in time. HarnessError if the command is missing here.
        """
        words = self.command(line)
        try:
            done = subprocess.run(words, input=content, capture_output=True, timeout=_COPY_SECONDS, check=False)
        except OSError as error:
            raise self._missing(words, error) from None
        except subprocess.TimeoutExpired:
            raise ConnectionLostError(
                f"{self.address}: no answer within {_COPY_SECONDS:g} s; check the machine"
            ) from None
        if done.returncode:
            said = fold_line(_decode(done.stderr) or _decode(done.stdout))
            end = _describe_end(words, done.returncode)
            raise ConnectionLostError(f"{self.address}: {end}{f': {said}' if said else ''}")
        return _decode(done.stdout)

    def start(self, line: str, *, stdout: int | None = None) -> subprocess.Popen[bytes]:
        """Start a line with the input and the output of this process; HarnessError if the command is missing here.

        ``stdout``: a descriptor that replaces standard output.
        """
        words = self.command(line)
        try:
            return subprocess.Popen(words, stdout=stdout)
        except OSError as error:
            raise self._missing(words, error) from None

    def probe(self) -> RemoteMachine:
        """Return the kind of the machine, and create the folder for files there.

        HarnessError if it cannot be reached, if its shell lacks a program, or if the folder is another user's.
        """
        try:
            system, *rest = self.run(_PROBE).strip().splitlines() or [""]
        except ConnectionLostError as error:
            if self.address.scheme != "exec":
                raise
            raise HarnessError(f"{error}; the command must be able to run sh, uname and test there") from None
        kernel, _, machine = system.partition(" ")
        folder = next((each.strip() for each in rest if each.startswith(("/", _FOREIGN))), "")
        if folder.startswith(_FOREIGN):
            raise HarnessError(
                f"{self.address}: {folder.removeprefix(_FOREIGN)} there belongs to another user, who could replace the "
                "programs in it; remove it"
            )
        if kernel == "Linux" and not folder:
            raise HarnessError(
                f"{self.address}: no folder for temporary files there can be written to; set TMPDIR there"
            )
        return RemoteMachine(kernel, machine, folder, _ANDROID in rest)

    def install(self, file: Path, path: str) -> None:
        """Copy a file to a path there, unless there is one; the path contains a digest of the file's content."""
        quoted = shlex.quote(path)
        if self.run(f"test -x {quoted} && printf there || true").strip() == "there":
            return
        size, partial = file.stat().st_size, f"{quoted}.$$"  # renamed, so that half a copy is never used
        complete = f"test $(wc -c < {partial}) -eq {size} && chmod 700 {partial} && mv {partial} {quoted}"
        self.run(f"cat > {partial} && {complete}", file.read_bytes())

    def fetch(self, path: str, target: Path) -> None:
        """Copy a file from there to a new file here.

        ConnectionLostError if not all bytes arrive; those that arrived are in the new file. HarnessError as in ``run``.
        """
        with target.open("xb") as file:
            size = self.run(f"wc -c < {shlex.quote(path)}").strip()
            words = self.command(f"cat {shlex.quote(path)}")
            try:
                process = subprocess.Popen(
                    words, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.DEVNULL, start_new_session=True
                )
            except OSError as error:
                raise self._missing(words, error) from None
            with process:
                try:
                    _wait_for_bytes(process, file.fileno())
                finally:
                    process.kill()
            received = os.fstat(file.fileno()).st_size
        if str(received) != size:
            raise ConnectionLostError(f"{self.address}: {received:,} of {size} bytes of {path} arrived")

    def _missing(self, words: Sequence[str], error: OSError) -> HarnessError:
        return HarnessError(f"{self.address}: cannot start {words[0]!r}: {error.strerror}; install it")


def _wait_for_bytes(process: subprocess.Popen[bytes], descriptor: int) -> None:
    """Wait until a process that writes a file has ended, or has written nothing for a while."""
    size, until = 0, time.monotonic() + _STALL_SECONDS
    while process.poll() is None and time.monotonic() < until:
        time.sleep(_POLL_SECONDS)
        now = os.fstat(descriptor).st_size
        if now > size:
            size, until = now, time.monotonic() + _STALL_SECONDS


def _describe_end(words: Sequence[str], code: int) -> str:
    return f"{words[0]} has ended with exit code {code}"


def _decode(output: bytes) -> str:
    return output.decode("utf-8", "backslashreplace")
