"""Connects to other machines by the programs ssh and adb, by TCP, or by any command; copies the worker there first."""

from __future__ import annotations

import os
import shlex
import socket
from typing import TYPE_CHECKING

from clconform.harness.errors import ConnectionLostError, HarnessError
from clconform.harness.remote.addresses import ARGUMENTS, WORKER
from clconform.harness.remote.byte_stream import ByteStream
from clconform.harness.remote.device_shell import DeviceShell
from clconform.harness.remote.server_link import ServerLink
from clconform.harness.remote.worker_files import find_worker_for, platform_of_machine
from clconform.harness.worker_executable import NAME, source_digest

if TYPE_CHECKING:
    from clconform.harness.remote.addresses import DeviceAddress
    from clconform.harness.remote.device import RemoteDevice

_CONNECT_SECONDS = 20.0
_SERVE = "--serve"


def connect(device: RemoteDevice) -> ServerLink:
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
        shell = DeviceShell(address)
        variables = " ".join(shlex.quote(f"{name}={value}") for name, value in device.environment)
        words = shell.command(f"env {variables} {shlex.quote(_install(shell, platform))} {_SERVE}")
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


def _install(shell: DeviceShell, platform: str) -> str:
    """Return the path of the worker on a machine; copy it there if this version of it is missing."""
    there = shell.probe()
    if there.kernel != "Linux":
        raise HarnessError(
            f"{shell.address}: the worker runs on Linux, Android and Windows, and {there.kernel!r} answers there"
        )
    try:
        worker = find_worker_for(platform or platform_of_machine(there.machine))
    except HarnessError as error:
        raise HarnessError(f"{shell.address}: {error}") from None
    path = f"{there.folder}/{NAME}-{source_digest()}-{worker.stat().st_size:x}"
    shell.install(worker, path)
    return path
