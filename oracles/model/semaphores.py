"""Semaphores, with the commands that change their payloads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from clconform.oracles.model.contexts import ContextObject

if TYPE_CHECKING:
    from clconform.calls.values import Value
    from clconform.oracles.model.enqueued_command import Command


@dataclass(eq=False)
class Semaphore(ContextObject):
    """A semaphore.

    ``kind``: the value of its type. ``device_names``: the handles of its devices. ``has_named_devices``: the creating
    call named the devices. ``properties``: its property list at creation, unchanged. ``export_types``: the handle types
    to which it can be exported. ``import_types``: the handle types from which it was created. ``signaled_by``: the
    signal command for which a wait was not enqueued yet. ``awaited_by``: the last command that waits for the semaphore.
    ``is_shared``: its payload was imported, or may have been exported, so that other users may change it.
    ``was_reimported``: a handle was imported after its creation.
    """

    type: ClassVar[str] = "cl_semaphore_khr"

    kind: int | None = None
    device_names: tuple[str, ...] = ()
    has_named_devices: bool = False
    properties: Value = None
    export_types: tuple[int, ...] = ()
    import_types: tuple[int, ...] = ()
    signaled_by: Command | None = None
    awaited_by: Command | None = None
    is_shared: bool = False
    was_reimported: bool = False
