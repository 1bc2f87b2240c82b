"""The addresses of other machines: ``ssh:HOST``, ``adb:SERIAL``, ``tcp:HOST:PORT`` and ``exec:COMMAND``."""

from __future__ import annotations

import shlex
from typing import NamedTuple

from clconform.harness.errors import HarnessError

SCHEMES = ("ssh", "adb", "tcp", "exec")
EXAMPLES = "ssh:HOST, adb:SERIAL, tcp:HOST:PORT or exec:'COMMAND {arguments}'"
ARGUMENTS, WORKER = "{arguments}", "{worker}"
MAX_PORT = 65535
TOKEN_VARIABLE = "CLCONFORM_TOKEN"  # noqa: S105 (a name)
"""The environment variable with the token of a server, which options and results never contain."""


class DeviceAddress(NamedTuple):
    """The address of a machine with a driver.

    ``scheme``: one of ``SCHEMES``. ``place``: what follows it. ``token``: the password of a server that listens on TCP.
    """

    scheme: str
    place: str
    token: str = ""

    def __str__(self) -> str:
        """Return the address as it is written, without the token."""
        return f"{self.scheme}:{self.place}"

    @property
    def host_and_port(self) -> tuple[str, int]:
        """Return the host and the port of a TCP address."""
        host, _, port = self.place.rpartition(":")
        return host.strip("[]"), int(port)


def parse_address(text: str, token: str = "") -> DeviceAddress:
    """Return the address in a text; HarnessError if it is invalid. ``token``: for ``tcp:``; others do not keep it."""
    scheme, colon, place = text.partition(":")
    if not colon or scheme not in SCHEMES:
        raise HarnessError(f"{text!r} is not the address of a device; write {EXAMPLES}")
    if not place.strip() and scheme != "adb":
        raise HarnessError(f"{text!r} names no device after {scheme}:; write {EXAMPLES}")
    if scheme == "ssh" and place.startswith("-"):
        raise HarnessError(f"{text!r}: the name of a host does not begin with a hyphen")
    if scheme == "tcp":
        _check_port(text, place)
        if not token:
            raise HarnessError(f"{text} needs the token that the server has printed at its start: give it with --token")
        return DeviceAddress(scheme, place, token)
    if scheme == "exec":
        _check_command(text, place)
    return DeviceAddress(scheme, place)


def _check_port(text: str, place: str) -> None:
    host, _, port = place.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) <= MAX_PORT:
        raise HarnessError(f"{text!r}: give a host and a port, as in tcp:board:7000")


def _check_command(text: str, place: str) -> None:
    try:
        words = shlex.split(place)
    except ValueError as error:
        raise HarnessError(f"{text!r}: the command cannot be split into words ({error}); check its quotes") from None
    if ARGUMENTS not in words:
        raise HarnessError(
            f"{text!r}: the command needs the word {ARGUMENTS}, in whose place the options of the server are put"
        )
