"""Memory with a known address: areas of the host, shared virtual memory, and unified shared memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from clconform.oracles.model.contexts import ContextObject

if TYPE_CHECKING:
    from clconform.oracles.contents.storage import StorageView
    from clconform.oracles.model.devices import Device

POINTER_TYPE = "void*"
"""The handle type that the model uses for memory with a known address."""


@dataclass(eq=False)
class PointerMemory(ContextObject):
    """Memory with a known address.

    ``size``: the number of bytes. ``memory``: the contents, if the model tracks them. ``known_alignment``: a certain
    alignment of the address, in bytes. ``is_fine_grained``: the host may access the memory at any time.
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
    """Shared virtual memory; ``flags``: the flags of the allocation.

    ``supports_atomics``: the host and the devices observe each other's atomic operations on the memory.
    """

    flags: int = 0
    supports_atomics: bool = False


@dataclass(eq=False)
class UsmAllocation(PointerMemory):
    """Unified shared memory; the subclasses are its three types.

    ``devices``: the device of the allocation, if any. ``flags``: the value of CL_MEM_ALLOC_FLAGS_INTEL. ``title``: the
    name of the type.
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
