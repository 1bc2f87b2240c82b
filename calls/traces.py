"""A trace: memory objects of a runtime above OpenCL, who accessed them, and the calls that it made for each access."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from clconform.calls.call import Step

HOST = "host"
"""The name of the host's context."""

Mode: TypeAlias = Literal["construct", "read", "write", "read_write", "discard_write", "discard_read_write"]
"""What is done to a memory object; it is constructed before any access."""


class Context(msgspec.Struct, frozen=True):
    """A context of the runtime. ``unified``: its devices share the host's memory; ``handle``: OpenCL's, if it has one.

    The host's context is part of every trace and needs no entry.
    """

    name: str
    handle: str
    unified: bool = True


class MemoryObject(msgspec.Struct, frozen=True):
    """A memory object of the runtime; ``size`` in bytes. ``user``: the name of the user's memory for it.

    ``image``: it is an image, not a buffer. ``pinned``: the user wants pinned host memory.
    """

    name: str
    size: int
    user: str = ""
    image: bool = False
    pinned: bool = False


class Access(msgspec.Struct, frozen=True):
    """An access to a whole memory object in a context."""

    memory: str
    context: str
    mode: Mode

    @property
    def discards(self) -> bool:
        """Return whether the object's earlier contents are discarded."""
        return self.mode.startswith("discard")

    @property
    def writes(self) -> bool:
        """Return whether the object's contents may change."""
        return self.mode not in ("construct", "read")


class ServedAccess(msgspec.Struct, frozen=True):
    """An access with all its calls: those that transfer the memory, and the access itself.

    A call that was refused because its behaviour is undefined appears as one that was not sent.
    """

    access: Access
    steps: list[Step] = []


class Trace(msgspec.Struct, frozen=True):
    """What a runtime did, in order: an access is served before the next one begins.

    ``opening``: calls before the first memory object; they are not judged. ``title``: for display.
    """

    title: str
    contexts: list[Context]
    objects: list[MemoryObject]
    opening: list[Step]
    accesses: list[ServedAccess]


class Violation(msgspec.Struct, frozen=True):
    """Where a trace violates the protocol: an access by its index from 0, one of its calls, or None for all of them."""

    record: str
    condition: str
    access: int
    step: int | None = None
