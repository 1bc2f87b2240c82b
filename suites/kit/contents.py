"""Reads of all memory at the end of a test; the judge checks each byte."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from clconform.calls.values import Handle, OutputBuffer
from clconform.oracles.model.images import Image
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.pointer_memory import HostArea, SvmAllocation, UsmAllocation
from clconform.suites.kit import texels

if TYPE_CHECKING:
    from clconform.calls.values import Value
    from clconform.oracles.model.contexts import ContextObject
    from clconform.oracles.model.pointer_memory import PointerMemory
    from clconform.runner.session.session import Session
    from clconform.suites.kit.kit import Kit

_T = TypeVar("_T", bound="ContextObject")


def live_objects(cl: Session, kind: type[_T]) -> list[_T]:
    """Return the objects of a kind that the application may still use."""
    return [each for each in cl.model.objects_of_class(kind) if each.references > 0]


def read_all_contents(kit: Kit, queue: Handle | None = None, copy_queue: Handle | None = None) -> None:
    """Read every buffer, image, SVM and USM allocation, and every host area, while no region is mapped.

    ``copy_queue``: the queue for copies of SVM and USM, by default ``queue``.
    """
    for unified in live_objects(kit.cl, UsmAllocation):
        kit.enqueue("clEnqueueMemcpyINTEL", queue=copy_queue or queue, blocking=1, **_copy_arguments(unified))
    for buffer in live_objects(kit.cl, Buffer):
        kit.read(Handle(buffer.name), 0, buffer.size, queue)
    for image in live_objects(kit.cl, Image):
        texels.read_region(kit, Handle(image.name), queue=queue)
    for shared in live_objects(kit.cl, SvmAllocation):
        kit.enqueue("clEnqueueSVMMemcpy", queue=copy_queue or queue, **_copy_arguments(shared))
    for area in live_objects(kit.cl, HostArea):
        if area.memory is not None and not area.memory.storage.is_lent:
            kit.read_host(Handle(area.name), area.size)


def _copy_arguments(memory: PointerMemory) -> dict[str, Value]:
    """Return the arguments that copy a whole allocation to the host."""
    return {"dst_ptr": OutputBuffer(memory.size), "src_ptr": Handle(memory.name), "size": memory.size}
