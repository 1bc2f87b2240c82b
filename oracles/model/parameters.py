"""The declaration of a kernel argument: its type, its qualifiers, and the size of its value for clSetKernelArg."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class ArgumentKind(Enum):
    """The type of value that the application passes for an argument."""

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
    """An argument as the source of the kernel declares it; qualifiers have the names of the enumerants.

    ``bytes``: the size of the type, or of the type to which a pointer points; 0 if unknown.
    """

    name: str
    type_name: str
    address_qualifier: str
    access_qualifier: str = "CL_KERNEL_ARG_ACCESS_NONE"
    qualifiers: tuple[str, ...] = ()
    bytes: int = 0

    @property
    def kind(self) -> ArgumentKind:
        """The type of value that the application passes for the argument."""
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
        """Whether the application passes a memory object for the argument."""
        return self.kind in (ArgumentKind.BUFFER, ArgumentKind.IMAGE, ArgumentKind.PIPE)

    def argument_size(self, handle_bytes: int) -> int | None:
        """Return the arg_size that the application must pass; None for a local argument, and for an unknown size.

        For a local argument, any nonzero size is valid. ``handle_bytes``: the size of a handle or an address.
        """
        if self.kind is ArgumentKind.LOCAL:
            return None
        return (self.bytes or None) if self.kind is ArgumentKind.VALUE else handle_bytes
