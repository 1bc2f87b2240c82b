"""A machine with a driver, as the user names it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from clconform.harness.errors import HarnessError
from clconform.harness.remote.addresses import parse_address
from clconform.harness.remote.worker_files import TRIPLES, platform_of_target

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.harness.remote.addresses import DeviceAddress

WAIT_SECONDS = 60.0
"""How long a machine that was reached before is waited for, by default."""
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class RemoteDevice(NamedTuple):
    """A machine that a session reaches by a byte stream.

    ``address``: how it is reached. ``platform``: as in the names of wheels; by default that which the machine reports.
    ``environment``: variables for the driver's process. ``reboot``: a command on this machine that restarts the device,
    or empty. ``wait_seconds``: how long a device that was lost is waited for.
    """

    address: DeviceAddress
    platform: str = ""
    environment: tuple[tuple[str, str], ...] = ()
    reboot: str = ""
    wait_seconds: float = WAIT_SECONDS

    def __str__(self) -> str:
        """Return the address."""
        return str(self.address)

    def to_options(self) -> list[str]:
        """Return the command line options that select this device, without its token."""
        target = next((name for name, platform in TRIPLES.items() if platform == self.platform), "")
        return [
            *("--device", str(self.address)),
            *(("--device-target", target) if target else ()),
            *(word for name, value in self.environment for word in ("--device-env", f"{name}={value}")),
            *(("--reboot", self.reboot) if self.reboot else ()),
            *(("--device-wait", f"{self.wait_seconds:g}") if self.wait_seconds != WAIT_SECONDS else ()),
        ]


def create_device(
    address: str,
    *,
    token: str = "",
    target: str = "",
    environment: Sequence[str] = (),
    reboot: str = "",
    wait_seconds: float = WAIT_SECONDS,
) -> RemoteDevice:
    """Return the device with this address; HarnessError if a value is invalid.

    ``target``: the name of its platform for compilers, such as ``aarch64-linux-gnu``; by default that of the machine.
    ``environment``: texts of the form NAME=VALUE.
    """
    platform = platform_of_target(target) if target else ""
    return RemoteDevice(
        parse_address(address, token), platform, tuple(map(_split_variable, environment)), reboot, wait_seconds
    )


def _split_variable(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not _VARIABLE.fullmatch(name):
        raise HarnessError(f"{text!r} is not a variable of the environment; write --device-env NAME=VALUE")
    return name, value
