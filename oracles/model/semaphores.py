"""Semaphores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from clconform.oracles.model.contexts import ContextObject

if TYPE_CHECKING:
    from clconform.calls.values import Value


@dataclass(eq=False)
class Semaphore(ContextObject):
    """A semaphore. ``kind``: the value of its type; ``device_names``: the handles of the devices that it is for.

    ``properties``: the list that it was made with, as it was given. ``exportable``: it was made to be.
    ``signalable``: a command that signals it was enqueued, so that its payload is open.
    """

    type: ClassVar[str] = "cl_semaphore_khr"

    kind: int | None = None
    device_names: tuple[str, ...] = ()
    properties: Value = None
    exportable: bool = False
    signalable: bool = False
