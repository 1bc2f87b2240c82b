"""The platforms found at the first start of a driver on another machine, which later starts reuse."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clconform.calls.protocol import TargetReached
    from clconform.harness.remote.device import RemoteDevice
    from clconform.harness.targets import Target

    _Key = tuple[RemoteDevice | None, str, bool, str]

_known: dict[_Key, TargetReached] = {}


def recall_platforms(target: Target) -> TargetReached | None:
    """Return the platforms of a target on another machine, as the last start there found them; None for any other."""
    return _known.get(_key(target)) if target.device is not None else None


def note_platforms(target: Target, reached: TargetReached) -> None:
    """Keep the platforms that a start has found, if the target is on another machine."""
    if target.device is not None:
        _known[_key(target)] = reached


def forget_platforms(device: RemoteDevice | None = None) -> None:
    """Forget all platforms of a machine, which may have changed; by default, of every machine."""
    for key in [key for key in _known if device in (None, key[0])]:
        del _known[key]


def _key(target: Target) -> _Key:
    return target.device, target.library, target.direct, target.name_part
