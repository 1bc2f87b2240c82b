"""Contexts, and what all objects of a context have in common."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from clconform.oracles.model.cl_object import ClObject

if TYPE_CHECKING:
    from clconform.calls.values import Value
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.format_lists import FormatList, Use


@dataclass(eq=False)
class Context(ClObject):
    """A context with its devices.

    ``properties``: the list that it was made with, as it was given. ``listed``: how many devices its making named,
    repeated ones included. ``candidates``: where it was made by a type, the root devices of that type; which of them it
    holds is open. ``terminable`` and ``terminated``: whether it can be terminated, and has been, None where
    an unexplained error leaves that open. ``defaults``: by device, the queues that have been its default, the
    last one now. ``formats``: the lists of image formats that it has told, by flags and image type. ``errors``: of user
    events that commands in it have waited for.
    """

    type: ClassVar[str] = "cl_context"

    properties: Value = None
    devices: list[Device] = field(default_factory=list)
    listed: int = 0
    candidates: list[Device] = field(default_factory=list)
    terminable: bool = False
    terminated: bool | None = False
    defaults: dict[str, list[str]] = field(default_factory=dict)
    formats: dict[Use, FormatList] = field(default_factory=dict)
    errors: set[int] = field(default_factory=set)


@dataclass(eq=False)
class ContextObject(ClObject):
    """An object that belongs to a context. ``context`` is None for memory of the host, and where it is not known.

    ``keeps_parent``: an object of this kind keeps the one that it was made of: a sub-buffer its buffer, a kernel its
    program, a recorded command its command-buffer. No document says so for an image of a buffer, or for the commands of
    a queue.
    """

    keeps_parent: ClassVar[bool] = False

    context: Context | None = None

    @property
    def parent(self) -> ContextObject | None:
        """The object that this one was made of or by, or None."""
        return None

    @property
    def device(self) -> Device | None:
        """The device that the object is on, where it is on one."""
        return None
