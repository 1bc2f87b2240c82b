"""The declaration of each kernel argument: its type, its qualifiers, and the value that clSetKernelArg takes for it."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import Enum

HANDLE_BYTES = struct.calcsize("P")
"""Bytes of a handle as the value of an object argument."""


class ArgumentKind(Enum):
    """The kind of value that is passed as an argument."""

    BUFFER = "a buffer, or an address, by a pointer to global or constant memory"
    LOCAL = "a number of bytes of local memory"
    IMAGE = "an image"
    PIPE = "a pipe"
    SAMPLER = "a sampler"
    QUEUE = "a device queue"
    VALUE = "a value"


KIND_BY_TYPE = {"sampler_t": ArgumentKind.SAMPLER, "queue_t": ArgumentKind.QUEUE}


@dataclass(frozen=True)
class KernelParameter:
    """A kernel's argument as its source declares it, with qualifiers by the names that queries return.

    ``bytes``: the size of the value's type, or of a pointer's target type; 0 if unknown.
    """

    name: str
    type_name: str
    address_qualifier: str
    access_qualifier: str = "CL_KERNEL_ARG_ACCESS_NONE"
    qualifiers: tuple[str, ...] = ()
    bytes: int = 0

    @property
    def kind(self) -> ArgumentKind:
        """The kind of value that is passed as this argument."""
        if self.address_qualifier == "CL_KERNEL_ARG_ADDRESS_LOCAL":
            return ArgumentKind.LOCAL
        if "CL_KERNEL_ARG_TYPE_PIPE" in self.qualifiers:
            return ArgumentKind.PIPE
        if self.type_name.startswith("image"):
            return ArgumentKind.IMAGE
        if self.address_qualifier != "CL_KERNEL_ARG_ADDRESS_PRIVATE":
            return ArgumentKind.BUFFER
        return KIND_BY_TYPE.get(self.type_name, ArgumentKind.VALUE)

    @property
    def is_memory_object(self) -> bool:
        """Whether a memory object is passed."""
        return self.kind in (ArgumentKind.BUFFER, ArgumentKind.IMAGE, ArgumentKind.PIPE)

    @property
    def size(self) -> int | None:
        """The number of bytes that are passed; None if any nonzero number is valid, or if it is unknown."""
        if self.kind is ArgumentKind.LOCAL:
            return None
        return (self.bytes or None) if self.kind is ArgumentKind.VALUE else HANDLE_BYTES
