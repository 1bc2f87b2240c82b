"""Contexts, and the common state of all objects of a context."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from clconform.oracles.model.cl_object import ClObject

if TYPE_CHECKING:
    from clconform.calls.values import Value
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.format_lists import FormatList, FormatUse


@dataclass(eq=False)
class Context(ClObject):
    """A context with its devices.

    ``properties``: its property list at creation, unchanged. ``device_count``: the number of devices in the creating
    call, duplicates included. ``candidates``: for a context that was created by a device type, the root devices of that
    type; the context has an unknown subset of them. ``terminable``: it can be terminated. ``terminated``: it was
    terminated; None if an unexplained error makes this unknown. ``default_queues``: maps each device to the queues that
    have been its default queue, the current one last. ``formats``: maps flags and an image type to the list of image
    formats that was returned. ``errors``: the errors of user events for which commands in the context have waited.
    """

    type: ClassVar[str] = "cl_context"

    properties: Value = None
    devices: list[Device] = field(default_factory=list)
    device_count: int = 0
    candidates: list[Device] = field(default_factory=list)
    terminable: bool = False
    terminated: bool | None = False
    default_queues: dict[str, list[str]] = field(default_factory=dict)
    formats: dict[FormatUse, FormatList] = field(default_factory=dict)
    errors: set[int] = field(default_factory=set)


@dataclass(eq=False)
class ContextObject(ClObject):
    """An object that belongs to a context; ``context`` is None for host memory, and if the context is unknown.

    ``keeps_parent``: objects of the class keep their parent alive: a sub-buffer its buffer, a kernel its program, a
    recorded command its command-buffer. The documents do not state this for images created from buffers and for
    commands in queues.
    """

    keeps_parent: ClassVar[bool] = False

    context: Context | None = None

    @property
    def parent(self) -> ContextObject | None:
        """The object from which the object was created, or None."""
        return None

    @property
    def device(self) -> Device | None:
        """The device of the object, if it belongs to one."""
        return None
