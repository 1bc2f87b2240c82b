"""Reads the contents of all memory at the end of a test; the judge checks each byte."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from clconform.calls.values import Handle, OutputBuffer
from clconform.oracles.model.images import Image
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.pointed_memory import HostArea, SvmAllocation, UsmAllocation
from clconform.suites.kit import texels

if TYPE_CHECKING:
    from clconform.calls.values import Value
    from clconform.oracles.model.contexts import ContextObject
    from clconform.oracles.model.pointed_memory import PointedMemory
    from clconform.runner.session.session import Session
    from clconform.suites.kit.kit import Kit

_T = TypeVar("_T", bound="ContextObject")


def living(cl: Session, kind: type[_T]) -> list[_T]:
    """Return the objects of a kind that the application may still use."""
    return [each for each in cl.model.of_kind(kind) if each.references > 0]


def read_everything(kit: Kit, queue: Handle | None = None, copying: Handle | None = None) -> None:
    """Read every buffer, image, SVM and USM allocation, and every host area.

    No region may be mapped. ``copying``: the queue of the copies, if it is not ``queue``.
    """
    for unified in living(kit.cl, UsmAllocation):
        kit.enqueue("clEnqueueMemcpyINTEL", queue=copying or queue, blocking=1, **_out_of(unified))
    for buffer in living(kit.cl, Buffer):
        kit.read(Handle(buffer.name), 0, buffer.size, queue)
    for image in living(kit.cl, Image):
        texels.read(kit, Handle(image.name), queue=queue)
    for shared in living(kit.cl, SvmAllocation):
        kit.enqueue("clEnqueueSVMMemcpy", queue=copying or queue, **_out_of(shared))
    for area in living(kit.cl, HostArea):
        if area.memory is not None and not area.memory.storage.lent:
            kit.look(Handle(area.name), area.size)


def _out_of(memory: PointedMemory) -> dict[str, Value]:
    """Return the arguments of a copy from a whole allocation to the host."""
    return {"dst_ptr": OutputBuffer(memory.size), "src_ptr": Handle(memory.name), "size": memory.size}
