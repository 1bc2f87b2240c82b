"""Query results of memory objects of all kinds (section 5.5.7)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from clconform.oracles.common.property_lists import allowed_list_values
from clconform.oracles.engine.interpretation import InterpretationId
from clconform.oracles.engine.matchers import Matcher, Satisfies
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.images import Image
from clconform.oracles.model.memory_objects import Buffer, MemoryObject, Pipe, SubBuffer
from clconform.oracles.queries.expected_answers import expect_at_least, expect_exactly, expect_handle, expect_one_of

if TYPE_CHECKING:
    from clconform.oracles.queries.query_request import QueryRequest

rules = Rules()

STALE = InterpretationId("stale-map-count")
"""Interpretation by which a map count may be any number up to the number of map calls."""
rules.uses_interpretation("inherited-sub-buffer-flags", "CL_MEM_FLAGS")


@rules.expected_value("CL_MEM_TYPE", of=MemoryObject)
def type_of(memory: MemoryObject, question: QueryRequest) -> Matcher | None:
    """The value is the type that the object was created as; for a sub-buffer it is CL_MEM_OBJECT_BUFFER."""
    name = "CL_MEM_OBJECT_BUFFER" if isinstance(memory, Buffer) else ""
    name = "CL_MEM_OBJECT_PIPE" if isinstance(memory, Pipe) else name
    name = memory.shape.image_type if isinstance(memory, Image) else name
    return expect_exactly(question, question.model.constant_value(name)) if name else None


@rules.expected_value("CL_MEM_FLAGS", of=MemoryObject)
def flags_of(memory: MemoryObject, question: QueryRequest) -> Matcher | None:
    """The value is the flags given at creation. For a sub-buffer it also contains the inherited access flags.

    For a sub-buffer the value may include other inherited flags. If no access flag was given, the value may include
    CL_MEM_READ_WRITE.
    """
    return expect_one_of(question, tuple((flags,) for flags in memory.reportable_flags or ()))


@rules.expected_value("CL_MEM_SIZE", of=MemoryObject)
def size_of(memory: MemoryObject, question: QueryRequest) -> Matcher | None:
    """The value is at least the size in bytes that the buffer or sub-buffer was created with.

    For an image it is at least the size of all texels. It is not more than the largest CL_DEVICE_GLOBAL_MEM_SIZE.
    """
    least = memory.size if isinstance(memory, Buffer) else 0
    if isinstance(memory, Image):
        least = math.prod(memory.shape.extent) * memory.format.element_size
    devices = memory.context.devices if memory.context is not None else []
    told = [device.facts.get("CL_DEVICE_GLOBAL_MEM_SIZE") for device in devices]
    sizes = [size for size in told if isinstance(size, int)]
    most = max(sizes) if sizes and len(sizes) == len(told) else None
    return expect_at_least(question, least, InterpretationId("allocated-size"), most) if least else None


@rules.expected_value("CL_MEM_MAP_COUNT", of=MemoryObject)
def map_count_of(memory: MemoryObject, question: QueryRequest) -> Matcher | None:
    """The value is at most the number of calls so far that map the object; it is 0 before the first such call.

    If the object was created from another object, calls that map its parent, or other children of this parent, also
    count.
    """
    if memory.tainted or memory.root_object.tainted:
        return None
    most = memory.root_object.map_count
    now = sum(each.memory is memory for each in question.model.mapped_regions)
    words = f"0 to {most} ({STALE})" if most else "0: it was never mapped"
    return Satisfies(lambda seen: seen[0] in range(most + 1), words, (question.query.id,), (min(now, most),))


rules.inferred("CL_MEM_MAP_COUNT")


@rules.expected_value("CL_MEM_CONTEXT", of=MemoryObject)
def context_of(memory: MemoryObject, question: QueryRequest) -> Matcher | None:
    """The value is the context that the memory object was created in."""
    return expect_handle(question, memory.context) if memory.context is not None else None


@rules.expected_value("CL_MEM_ASSOCIATED_MEMOBJECT", of=MemoryObject)
def associated_object(memory: MemoryObject, question: QueryRequest) -> Matcher | None:
    """The value is the parent that the memory object was created from, or NULL if there is no parent.

    Before version 2.0 the value may be NULL for an image.
    """
    if memory.host is None:
        return None
    older = memory.context is not None and any(device.version < (2, 0) for device in memory.context.devices)
    if isinstance(memory, Image) and older and memory.parent is not None:
        return expect_one_of(question, ((memory.parent.name,), (None,)))
    return expect_handle(question, memory.parent)


@rules.expected_value("CL_MEM_OFFSET", of=MemoryObject)
def offset_of(memory: MemoryObject, question: QueryRequest) -> Matcher | None:
    """The value is the offset in bytes of a sub-buffer in its buffer, and 0 for all other objects."""
    if memory.host is None:
        return None
    return expect_exactly(question, memory.origin if isinstance(memory, SubBuffer) else 0)


@rules.expected_value("CL_MEM_PROPERTIES", of=MemoryObject)
def list_of(memory: MemoryObject, question: QueryRequest) -> Matcher | None:
    """The value is the property list that the object was created with, complete and in the original order.

    If the object was created without a property list, the value is empty.
    """
    return (
        expect_one_of(question, allowed_list_values(memory.properties, question)) if memory.host is not None else None
    )


@rules.expected_value("CL_MEM_USES_SVM_POINTER", of=MemoryObject)
def uses_svm_pointer(memory: MemoryObject, question: QueryRequest) -> Matcher | None:
    """The value is CL_TRUE if the object was created with CL_MEM_USE_HOST_PTR and an SVM pointer.

    Otherwise it is CL_FALSE.
    """
    known = memory.host is not None and memory.host.is_svm is not None
    return expect_exactly(question, int(bool(memory.host.is_svm))) if memory.host is not None and known else None


@rules.expected_value("CL_MEM_HOST_PTR", of=MemoryObject)
def host_pointer_of(memory: MemoryObject, question: QueryRequest) -> Matcher | None:
    """The value is the host_ptr of an object created with CL_MEM_USE_HOST_PTR, and NULL for others.

    For a sub-buffer of such an object the value is host_ptr plus the origin of the sub-buffer. For an image of a buffer
    without host memory it is NULL. Before version 1.2 the value is host_ptr for any flags.
    """
    if memory.host is not None and memory.host.address == 0 and _returns_any_host_ptr(memory):
        return None
    if memory.host is not None and memory.host.address is not None:
        return expect_exactly(question, memory.host.address)
    if isinstance(memory, Image):
        root = memory.root_object.host
        has_none = root is not None and root.address == 0 and not _returns_any_host_ptr(memory)
        return expect_exactly(question, 0) if has_none and memory.parent is not None else None
    buffer = memory.buffer if isinstance(memory, SubBuffer) else None
    address = buffer.host.address if buffer is not None and buffer.host is not None else None
    if buffer is None or not address:
        return None
    others = (0, None, address)
    words = f"an address after {address}"
    return Satisfies(lambda seen: bool(seen) and seen[0] not in others, words, (question.query.id,), (buffer.size,))


def _returns_any_host_ptr(memory: MemoryObject) -> bool:
    """Return whether CL_MEM_HOST_PTR may return host_ptr for any flags.

    This applies if a device of the context has a version before 1.2.
    """
    return memory.context is not None and any(device.version < (1, 2) for device in memory.context.devices)
