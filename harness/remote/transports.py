"""Connects to other machines by the programs ssh and adb, by TCP, or by any command; copies the worker there first."""

from __future__ import annotations

import os
import shlex
import socket
import subprocess
from typing import TYPE_CHECKING

from clconform.harness.errors import ConnectionLostError, HarnessError, fold_line
from clconform.harness.remote.addresses import ARGUMENTS, WORKER
from clconform.harness.remote.byte_stream import ByteStream
from clconform.harness.remote.server_link import ServerLink
from clconform.harness.remote.worker_files import find_worker_for, platform_of_machine
from clconform.harness.worker_executable import NAME, source_digest

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from clconform.harness.remote.addresses import DeviceAddress
    from clconform.harness.remote.device import Device

_CONNECT_SECONDS = 20.0
_COPY_SECONDS = 120.0
_SSH = ("ssh", "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=15", "-o", "ServerAliveInterval=5")
_PROBE = "uname -s -m; for d in /data/local/tmp ${TMPDIR:-/tmp}; do test -w $d && echo $d && break; done"
_SERVE = "--serve"
_NOT_FOUND = 127


def connect(device: Device) -> ServerLink:
    """Connect to a device, and start the server there; copy the worker to it if it is missing.

    ConnectionLostError if the device cannot be reached. HarnessError if a program, the worker or a permission is
    missing.
    """
    address, platform = device.address, device.platform
    if address.scheme == "tcp":
        return ServerLink(device, _connect_by_tcp(address))
    if address.scheme == "exec":
        words = _fill_in(address, platform)
    else:
        variables = " ".join(shlex.quote(f"{name}={value}") for name, value in device.environment)
        server = f"env {variables} {shlex.quote(_install(address, platform))} {_SERVE}"
        words = [*_shell_command(address), server]
    try:
        return ServerLink(device, ByteStream.of_program(words, os.environ | dict(device.environment)))
    except OSError as error:
        raise HarnessError(f"{address}: cannot start {words[0]!r}: {error.strerror}; install it") from None


def _connect_by_tcp(address: DeviceAddress) -> ByteStream:
    host, port = address.host_and_port
    try:
        connected = socket.create_connection((host, port), _CONNECT_SECONDS)
    except OSError as error:
        reason = error.strerror or str(error)
        raise ConnectionLostError(
            f"{address}: no connection ({reason}); start the worker there with --listen {port}, and check the network"
        ) from None
    connected.settimeout(None)
    connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connected.sendall(address.token.encode())
    return ByteStream.of_socket(connected)


def _fill_in(address: DeviceAddress, platform: str) -> list[str]:
    """Return the words of an ``exec:`` address, with the worker and its options."""
    words = shlex.split(address.place)
    worker = str(find_worker_for(platform)) if any(WORKER in word for word in words) else ""
    return [word.replace(WORKER, worker) if word != ARGUMENTS else _SERVE for word in words]


def _shell_command(address: DeviceAddress) -> list[str]:
    """Return the beginning of a command that runs one line in a shell of the machine."""
    if address.scheme == "ssh":
        return [*_SSH, "--", address.place]
    return ["adb", *(("-s", address.place) if address.place else ()), "shell", "-T"]


def _install(address: DeviceAddress, platform: str) -> str:
    """Return the path of the worker on a machine; copy it there if this version of it is missing."""
    system, _, rest = _run(address, _PROBE).partition("\n")
    folder = rest.strip() or "/tmp"  # noqa: S108 (on another machine)
    kernel, _, machine = system.strip().partition(" ")
    if kernel != "Linux":
        raise HarnessError(f"{address}: the worker runs on Linux, Android and Windows, and {kernel!r} answers there")
    try:
        worker = find_worker_for(platform or platform_of_machine(machine))
    except HarnessError as error:
        raise HarnessError(f"{address}: {error}") from None
    path = f"{folder}/{NAME}-{source_digest()}-{worker.stat().st_size:x}"
    quoted = shlex.quote(path)
    if _run(address, f"test -x {quoted} && echo there || true").strip() != "there":
        _copy(address, worker, path)
    return path


def _copy(address: DeviceAddress, worker: Path, path: str) -> None:
    """Copy the worker under a temporary name and rename it, so that a half copy is never started."""
    quoted = shlex.quote(path)
    size = worker.stat().st_size
    partial = f"{quoted}.$$"
    script = f"cat > {partial} && test $(wc -c < {partial}) -eq {size} && chmod 700 {partial} && mv {partial} {quoted}"
    _run(address, script, worker.read_bytes())


def _run(address: DeviceAddress, script: str, content: bytes = b"") -> str:
    """Run a line in a shell of the machine, and return its output."""
    words = [*_shell_command(address), script]
    try:
        done = subprocess.run(words, input=content, capture_output=True, timeout=_COPY_SECONDS, check=False)
    except OSError as error:
        raise HarnessError(f"{address}: cannot start {words[0]!r}: {error.strerror}; install it") from None
    except subprocess.TimeoutExpired:
        raise ConnectionLostError(f"{address}: no answer within {_COPY_SECONDS:g} s; check the machine") from None
    if done.returncode:
        said = fold_line(_decode(done.stderr) or _decode(done.stdout))
        raise ConnectionLostError(f"{address}: {_explain(words, done.returncode)}{f': {said}' if said else ''}")
    return _decode(done.stdout)


def _explain(words: Sequence[str], code: int) -> str:
    return f"{words[0]} has ended with exit code {code}"


def _decode(output: bytes) -> str:
    return output.decode("utf-8", "backslashreplace")
