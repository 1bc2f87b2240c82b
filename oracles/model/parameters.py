"""What a kernel's source declares of each argument: its type, its qualifiers, and what clSetKernelArg takes for it."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import Enum

HANDLE_BYTES = struct.calcsize("P")
"""Bytes of a handle, as it is given for an argument that is an object."""


class Sort(Enum):
    """What is given as an argument."""

    BUFFER = "a buffer, or an address, by a pointer to global or constant memory"
    LOCAL = "a number of bytes of local memory"
    IMAGE = "an image"
    PIPE = "a pipe"
    SAMPLER = "a sampler"
    QUEUE = "a device queue"
    VALUE = "a value"


BY_TYPE = {"sampler_t": Sort.SAMPLER, "queue_t": Sort.QUEUE}


@dataclass(frozen=True)
class Parameter:
    """A kernel's argument as its source declares it: qualifiers by the names that queries answer with.

    ``bytes``: the size of the type of a value, and of what a pointer points to; 0 where it is not known.
    """

    name: str
    type_name: str
    address: str
    access: str = "CL_KERNEL_ARG_ACCESS_NONE"
    qualifiers: tuple[str, ...] = ()
    bytes: int = 0

    @property
    def sort(self) -> Sort:
        """What is given as this argument."""
        if self.address == "CL_KERNEL_ARG_ADDRESS_LOCAL":
            return Sort.LOCAL
        if "CL_KERNEL_ARG_TYPE_PIPE" in self.qualifiers:
            return Sort.PIPE
        if self.type_name.startswith("image"):
            return Sort.IMAGE
        if self.address != "CL_KERNEL_ARG_ADDRESS_PRIVATE":
            return Sort.BUFFER
        return BY_TYPE.get(self.type_name, Sort.VALUE)

    @property
    def is_memory_object(self) -> bool:
        """Whether a memory object is given."""
        return self.sort in (Sort.BUFFER, Sort.IMAGE, Sort.PIPE)

    @property
    def size(self) -> int | None:
        """How many bytes are given; None where any number but 0 is right, or where it is not known."""
        if self.sort is Sort.LOCAL:
            return None
        return (self.bytes or None) if self.sort is Sort.VALUE else HANDLE_BYTES
