"""The platforms found at the first start of a driver, which later starts in other processes reuse."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from clconform.calls.protocol import TargetReached
    from clconform.harness.remote.device import RemoteDevice
    from clconform.harness.targets import Target

_IGNORED_VARIABLES = ("PYTEST_CURRENT_TEST",)
"""Variables that differ from item to item, and that no driver reads."""


class _Driver(NamedTuple):
    """The properties of a target that determine its platforms."""

    machine: RemoteDevice | None
    library: str
    is_direct: bool
    name_part: str
    loader: str


class _Start(NamedTuple):
    """The platforms that a start has found, and what may have changed since.

    ``file``: the device, the inode and the time of the last change of the driver's library on this machine.
    ``environment``: the variables that the driver's process may inherit.
    """

    reached: TargetReached
    file: tuple[int, int, int]
    environment: dict[str, str]


_known: dict[_Driver, _Start] = {}


def recall_platforms(target: Target) -> TargetReached | None:
    """Return the platforms of a target, as its last start found them.

    None before the first start, and after a change of the library or of the environment.
    """
    known = _known.get(_driver_of(target))
    return known.reached if known is not None and known == _create_start(target, known.reached) else None


def note_platforms(target: Target, reached: TargetReached) -> None:
    """Keep the platforms that a start has found."""
    _known[_driver_of(target)] = _create_start(target, reached)


def forget_platforms(device: RemoteDevice | None = None) -> None:
    """Forget all platforms of a machine, which may have changed; by default, of every machine."""
    for driver in [driver for driver in _known if device in (None, driver.machine)]:
        del _known[driver]


def _driver_of(target: Target) -> _Driver:
    return _Driver(target.device, target.library, target.direct, target.name_part, target.loader)


def _create_start(target: Target, reached: TargetReached) -> _Start:
    file = (0, 0, 0)
    if target.library and target.device is None:
        try:
            found = Path(target.library).stat()
            file = found.st_dev, found.st_ino, found.st_mtime_ns
        except OSError:  # the start then fails with a message
            pass
    environment = {name: value for name, value in os.environ.items() if name not in _IGNORED_VARIABLES}
    return _Start(reached, file, environment)
