"""The declaration of each kernel argument: its type, its qualifiers, and the value that clSetKernelArg takes for it."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import Enum

HANDLE_BYTES = struct.calcsize("P")
"""Bytes of a handle as the value of an object argument."""


class Sort(Enum):
    """The kind of value that is passed as an argument."""

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
    """A kernel's argument as its source declares it, with qualifiers by the names that queries return.

    ``bytes``: the size of the value's type, or of a pointer's target type; 0 if unknown.
    """

    name: str
    type_name: str
    address: str
    access: str = "CL_KERNEL_ARG_ACCESS_NONE"
    qualifiers: tuple[str, ...] = ()
    bytes: int = 0

    @property
    def sort(self) -> Sort:
        """The kind of value that is passed as this argument."""
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
        """Whether a memory object is passed."""
        return self.sort in (Sort.BUFFER, Sort.IMAGE, Sort.PIPE)

    @property
    def size(self) -> int | None:
        """The number of bytes that are passed; None if any nonzero number is valid, or if it is unknown."""
        if self.sort is Sort.LOCAL:
            return None
        return (self.bytes or None) if self.sort is Sort.VALUE else HANDLE_BYTES
