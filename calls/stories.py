"""A story: memory objects of a runtime above OpenCL, who accessed them, and the calls that it made for each access."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from clconform.calls.call import Step

HOST = "host"
"""The name of the host's context."""

Mode: TypeAlias = Literal["construct", "read", "write", "read_write", "discard_write", "discard_read_write"]
"""What is done to a memory object; it is constructed before anybody accesses it."""


class Context(msgspec.Struct, frozen=True):
    """A context of the runtime. ``unified``: its devices share the host's memory; ``handle``: OpenCL's, if it has one.

    The host's context is known to every story and needs no entry.
    """

    name: str
    handle: str
    unified: bool = True


class MemoryObject(msgspec.Struct, frozen=True):
    """A memory object of the runtime: so many bytes. ``user``: the name of the memory that the user gave with it.

    ``image``: it is no buffer. ``pinned``: the user wants host memory for it that devices reach fast.
    """

    name: str
    size: int
    user: str = ""
    image: bool = False
    pinned: bool = False


class Access(msgspec.Struct, frozen=True):
    """Somebody accesses a whole memory object in a context."""

    memory: str
    context: str
    mode: Mode

    @property
    def discards(self) -> bool:
        """Tell whether what the object held is of no use any more."""
        return self.mode.startswith("discard")

    @property
    def writes(self) -> bool:
        """Tell whether the object may hold something else afterwards."""
        return self.mode not in ("construct", "read")


class Served(msgspec.Struct, frozen=True):
    """An access with all calls that were made for it: those that bring the memory there, and the access itself.

    A call that was refused since it is undefined stands there as one that was not sent.
    """

    access: Access
    steps: list[Step] = []


class Story(msgspec.Struct, frozen=True):
    """What a runtime did, in order: an access is served before the next one begins.

    ``opening``: calls before the first memory object; they are not judged. ``title``: what it is about.
    """

    title: str
    contexts: list[Context]
    objects: list[MemoryObject]
    opening: list[Step]
    served: list[Served]


class Fault(msgspec.Struct, frozen=True):
    """Where a story leaves the protocol: an access by its place from 0, one of its calls, or None for all of them."""

    record: str
    words: str
    access: int
    step: int | None = None
