"""The platforms found at the first start of a driver, which later starts in other processes reuse."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from clconform.calls.protocol import TargetReached
    from clconform.harness.remote.device import RemoteDevice
    from clconform.harness.targets import Target


class _Start(NamedTuple):
    """The properties of a start that determine its platforms.

    ``file``: the device, the inode and the time of the last change of the driver's library on this machine.
    ``environment``: the variables that the driver's process may inherit.
    """

    machine: RemoteDevice | None
    library: str
    is_direct: bool
    name_part: str
    loader: str
    file: tuple[int, int, int]
    environment: frozenset[tuple[str, str]]


_known: dict[_Start, TargetReached] = {}


def recall_platforms(target: Target) -> TargetReached | None:
    """Return the platforms of a target, as the last start found them; None before the first start."""
    return _known.get(_start_of(target))


def note_platforms(target: Target, reached: TargetReached) -> None:
    """Keep the platforms that a start has found."""
    _known[_start_of(target)] = reached


def forget_platforms(device: RemoteDevice | None = None) -> None:
    """Forget all platforms of a machine, which may have changed; by default, of every machine."""
    for start in [start for start in _known if device in (None, start.machine)]:
        del _known[start]


def _start_of(target: Target) -> _Start:
    file = (0, 0, 0)
    if target.library and target.device is None:
        try:
            found = Path(target.library).stat()
            file = found.st_dev, found.st_ino, found.st_mtime_ns
        except OSError:  # the start then fails with a message
            pass
    environment = frozenset(os.environ.items())
    return _Start(target.device, target.library, target.direct, target.name_part, target.loader, file, environment)
