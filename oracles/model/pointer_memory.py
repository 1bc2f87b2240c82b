"""Memory with a known address: areas of the host, shared virtual memory, and unified shared memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from clconform.oracles.model.contexts import ContextObject

if TYPE_CHECKING:
    from clconform.oracles.contents.storage import StorageView
    from clconform.oracles.model.devices import Device

POINTER_TYPE = "void*"
"""The type under which the model keeps memory with a known address."""


@dataclass(eq=False)
class PointerMemory(ContextObject):
    """Memory with a known address. ``size``: its bytes. ``memory``: their contents, if kept.

    ``known_alignment``: a certain alignment of the address, in bytes. ``is_fine_grained``: the host may access it at
    any time.
    """

    type: ClassVar[str] = POINTER_TYPE

    size: int = 0
    memory: StorageView | None = None
    known_alignment: int = 0
    is_fine_grained: bool = False


@dataclass(eq=False)
class HostArea(PointerMemory):
    """An area of host memory."""


@dataclass(eq=False)
class SvmAllocation(PointerMemory):
    """Shared virtual memory; ``flags``: those of its allocation.

    ``supports_atomics``: atomic operations of the host and of devices on it are visible to both.
    """

    flags: int = 0
    supports_atomics: bool = False


@dataclass(eq=False)
class UsmAllocation(PointerMemory):
    """Unified shared memory of one of the three types below. ``devices``: the device of the allocation, if any.

    ``flags``: those of CL_MEM_ALLOC_FLAGS_INTEL. ``title``: the name of the type.
    """

    title: ClassVar[str] = ""

    devices: list[Device] = field(default_factory=list)
    flags: int = 0


@dataclass(eq=False)
class HostAllocation(UsmAllocation):
    """Unified shared memory that the host owns."""

    title: ClassVar[str] = "host memory"


@dataclass(eq=False)
class DeviceAllocation(UsmAllocation):
    """Unified shared memory that a device owns."""

    title: ClassVar[str] = "device memory"


@dataclass(eq=False)
class SharedAllocation(UsmAllocation):
    """Unified shared memory that host and devices share."""

    title: ClassVar[str] = "shared memory"
