"""The links of this process to other machines.

A link serves one driver's process after another, since a new one takes long. A machine that was reached before is
waited for. If it restarts twice during the same call, the call is the cause.
"""

from __future__ import annotations

import atexit
import subprocess
import threading
import time
from typing import TYPE_CHECKING

from clconform.harness.errors import ConnectionLostError, UnreachableError
from clconform.harness.known_platforms import forget_platforms
from clconform.harness.remote.losses import keep_loss, raise_kept_loss

if TYPE_CHECKING:
    from clconform.harness.remote.device import RemoteDevice
    from clconform.harness.remote.server_link import ServerLink

REBOOT_SECONDS = 300.0
"""How long a machine is waited for after it was restarted."""
_PAUSE_SECONDS = 2.0
_lock = threading.Lock()
_idle: list[ServerLink] = []
_boots: dict[RemoteDevice, str] = {}
"""The boot of each machine at its last connection; a machine without an entry was never reached."""
_suspects: dict[RemoteDevice, tuple[str, str]] = {}
"""The call in flight when the link to a machine was last lost, and the boot at that time."""
_restarting: set[tuple[RemoteDevice, str]] = set()
"""Calls during which a machine has restarted."""


def take_link(device: RemoteDevice) -> ServerLink:
    """Return an open link to a device: an idle one, or a new one.

    A device that this process has reached before is waited for. ConnectionLostError if it cannot be reached, or if this
    thread holds a loss; HarnessError if something else is missing.
    """
    raise_kept_loss()
    with _lock:
        while _idle:
            found = next((link for link in _idle if link.device == device), None)
            if found is None:
                break
            _idle.remove(found)
            if found.is_open:
                return found
    return _reconnect(device) if device in _boots else _connect(device)


def return_link(link: ServerLink) -> None:
    """Keep a link for the next process, unless it is closed."""
    with _lock:
        if link.is_open and all(link is not each for each in _idle):
            _idle.append(link)


def _connect(device: RemoteDevice) -> ServerLink:
    """Connect to a device; errors as for ``transports.connect``."""
    from clconform.harness.remote.transports import connect  # runs on this machine do not need it

    return _note_connection(device, connect(device))


def _note_connection(device: RemoteDevice, link: ServerLink) -> ServerLink:
    """Note the boot of a machine; if it has restarted since its link was lost, the call in flight may be the cause."""
    subject, boot = _suspects.pop(device, ("", ""))
    if subject and boot and link.boot and boot != link.boot:
        _restarting.add((device, subject))
    if _boots.get(device) != link.boot:
        forget_platforms(device)
    _boots[device] = link.boot
    return link


def note_loss(device: RemoteDevice, subject: str, error: ConnectionLostError) -> None:
    """Note that a link was lost during a call; a test that holds losses gets the error again."""
    _suspects[device] = (subject, _boots.get(device, ""))
    keep_loss(error)


def has_restarted_again(device: RemoteDevice, subject: str) -> bool:
    """Return whether a call during which the link was lost has restarted the machine, now and once before.

    The machine is waited for; False also if it does not return.
    """
    if (device, subject) not in _restarting:
        return False
    before = _boots.get(device, "")
    try:
        link = _reconnect(device)
    except ConnectionLostError:
        return False
    return_link(link)
    return bool(before and link.boot and before != link.boot)


def _reconnect(device: RemoteDevice) -> ServerLink:
    """Connect again, for some time; then restart the device, and try further. UnreachableError if that fails."""
    try:
        return _connect_within(device, device.wait_seconds)
    except UnreachableError:
        if not device.reboot:
            raise
    subprocess.run(device.reboot, shell=True, check=False, stdin=subprocess.DEVNULL)  # noqa: S602 (the user's command)
    return _connect_within(device, REBOOT_SECONDS)


def _connect_within(device: RemoteDevice, seconds: float) -> ServerLink:
    until = time.monotonic() + seconds
    while True:
        try:
            return _connect(device)
        except ConnectionLostError as error:
            if time.monotonic() + _PAUSE_SECONDS > until:
                raise UnreachableError(f"{error}; it was waited for {seconds:g} s") from None
        time.sleep(_PAUSE_SECONDS)


def close_links() -> None:
    """Close all idle links."""
    with _lock:
        while _idle:
            _idle.pop().close()


def forget_devices() -> None:
    """Close all idle links, and forget which machines were reached, and their platforms."""
    close_links()
    forget_platforms()
    _boots.clear()
    _suspects.clear()
    _restarting.clear()


atexit.register(close_links)
