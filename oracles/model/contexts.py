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

    ``properties``: its property list at creation, unchanged. ``device_count``: the number of devices that its creation
    named, duplicates included. ``candidates``: if it was created by a device type, the root devices of that type, of
    which it holds an unknown subset. ``terminable`` and ``terminated``: whether it can be terminated, and has been;
    None if an unexplained error makes that unknown. ``default_queues``: by device, the queues that have been its
    default; the last one is current. ``formats``: the lists of image formats that it has returned, by flags and image
    type. ``errors``: of user events for which commands in it have waited.
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
    """An object that belongs to a context. ``context`` is None for host memory, and if it is unknown.

    ``keeps_parent``: an object of this kind keeps its parent alive: a sub-buffer its buffer, a kernel its program, a
    recorded command its command-buffer. The documents do not state this for images of buffers and commands of queues.
    """

    keeps_parent: ClassVar[bool] = False

    context: Context | None = None

    @property
    def parent(self) -> ContextObject | None:
        """The object from which this one was created, or None."""
        return None

    @property
    def device(self) -> Device | None:
        """The device of the object, if it belongs to one."""
        return None
