"""Traces of a runtime above OpenCL: memory objects, accesses to them, the calls for each access; their journal line."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from clconform.calls.call import Step

HOST = "host"
"""The name of the host's context."""

Mode: TypeAlias = Literal["construct", "read", "write", "read_write", "discard_write", "discard_read_write"]
"""The mode of an access to a memory object; ``construct`` precedes all other accesses to the object."""


class TraceContext(msgspec.Struct, frozen=True):
    """A context of the runtime.

    ``unified``: its devices share the host's memory. ``handle``: the OpenCL context, if any. The host's context is part
    of every trace and needs no entry.
    """

    name: str
    handle: str
    unified: bool = True


class TraceMemoryObject(msgspec.Struct, frozen=True):
    """A memory object of the runtime; ``size`` in bytes.

    ``user``: the name of the user's memory that the object manages. ``image``: the object is an image, not a buffer.
    ``pinned``: the user requests pinned host memory.
    """

    name: str
    size: int
    user: str = ""
    image: bool = False
    pinned: bool = False


class TraceAccess(msgspec.Struct, frozen=True):
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
    """An access with all its calls: the calls that transfer the memory, and the access itself.

    A call that was rejected because its behaviour is undefined appears as a call that was not sent.
    """

    access: TraceAccess
    steps: list[Step] = []


class Trace(msgspec.Struct, frozen=True):
    """The actions of a runtime in order: an access completes before the next one begins.

    ``opening``: calls before the first memory object, which are not judged. ``title``: for display.
    """

    title: str
    contexts: list[TraceContext]
    objects: list[TraceMemoryObject]
    opening: list[Step]
    accesses: list[ServedAccess]


class TraceViolation(msgspec.Struct, frozen=True):
    """A violation of the runtime's rules by an access, given by its index from 0.

    ``step``: the index of the violating call of the access; None for all its calls.
    """

    requirement: str
    condition: str
    access: int
    step: int | None = None


class TraceLine(msgspec.Struct, frozen=True, tag_field="line", tag="trace"):
    """A trace of a runtime above the driver: the first of an item, or one that violates the runtime's own rules.

    ``violations``: violations of the runtime, never of the driver. ``deviating_accesses``: the indices of accesses with
    an unexpected result of the driver.
    """

    item: str
    trace: Trace
    violations: list[TraceViolation] = []
    deviating_accesses: list[int] = []
