"""The device under test and another device on the same bus, with buffers that the two devices share."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from clconform.calls.call import UNTOUCHED, Returned
from clconform.calls.values import BusAddresses, Data, ElementList, Handle, OutputBuffer
from clconform.suites.helpers import is_available, require_handle, skip_unless
from clconform.suites.kit.memory import SIZE

if TYPE_CHECKING:
    from clconform.suites.kit.kit import Kit

EXTENSION, RESIDENT = "cl_amd_bus_addressable_memory", "clEnqueueMakeBuffersResidentAMD"
ADDRESSABLE, EXTERNAL, ONLY_WRITTEN = "CL_MEM_BUS_ADDRESSABLE_AMD", "CL_MEM_EXTERNAL_PHYSICAL_AMD", "CL_MEM_WRITE_ONLY"


class BusDevices:
    """The device under test and another device on the same bus, in one context.

    ``here`` is a queue of the device under test, ``there`` a queue of the other device. If the platform lacks another
    device, the device under test also takes its place, so that invalid calls can still be made.
    """

    def __init__(self, kit: Kit) -> None:
        self.kit, self.cl = kit, kit.cl
        skip_unless(is_available(self.cl, RESIDENT), f"{EXTENSION} is not supported")

    @cached_property
    def other(self) -> Handle:
        """The other device."""
        return next((each for each in self.kit.other_devices if self._supports_the_extension(each)), self.cl.device)

    def _supports_the_extension(self, device: Handle) -> bool:
        return EXTENSION in self.cl.model.device(device).extensions

    @property
    def has_no_other_device(self) -> bool:
        """Return whether the platform lacks another device with the extension."""
        return self.other == self.cl.device

    @cached_property
    def context(self) -> Handle:
        """A context of both devices."""
        return self.new_context()

    @cached_property
    def objects(self) -> Kit:
        """A kit that creates its objects in the shared context."""
        return self.kit.for_context(self.context)

    def new_context(self) -> Handle:
        """Create a context of both devices."""
        return self.kit.new_context(self.cl.device, *([] if self.has_no_other_device else [self.other]))

    @cached_property
    def here(self) -> Handle:
        """A queue of the device under test."""
        return self.objects.new_queue()

    @cached_property
    def there(self) -> Handle:
        """A queue of the other device."""
        return self.objects.new_queue(self.other)

    def create_plain(self) -> Handle:
        """Create a buffer that is not bus-addressable."""
        return self.objects.buffer()

    def create_addressable(self, content: bytes = bytes(SIZE)) -> Handle:
        """Create a bus-addressable buffer with this content."""
        flags = self.kit.constant(ADDRESSABLE, "CL_MEM_COPY_HOST_PTR")
        return require_handle(self.cl.clCreateBuffer(self.context, flags, len(content), Data(content), OutputBuffer(1)))

    def make_resident(self, *buffers: Handle, queue: Handle | None = None) -> list[BusAddresses]:
        """Make buffers resident, and return their bus addresses.

        ``queue``: the queue of the command, by default a queue of the device under test.
        """
        rest = (OutputBuffer(len(buffers)), 0, None, OutputBuffer(1))
        outcome = self.cl.clEnqueueMakeBuffersResidentAMD(
            queue or self.here, len(buffers), ElementList(buffers), 1, *rest
        )
        told = outcome.outputs["bus_addresses"].values if isinstance(outcome, Returned) else []
        names = [Handle(name) for name in told if isinstance(name, str) and name != UNTOUCHED]
        skip_unless(len(names) == 2 * len(buffers), "the driver does not return bus addresses for all buffers")
        return [BusAddresses(surface, signal) for surface, signal in zip(names[::2], names[1::2], strict=True)]

    def create_view(self, addresses: BusAddresses, size: int = SIZE, context: Handle | None = None) -> Handle:
        """Create an external buffer, through which one device writes another device's memory at these bus addresses."""
        flags = self.kit.constant(EXTERNAL, ONLY_WRITTEN)
        return require_handle(self.cl.clCreateBuffer(context or self.context, flags, size, addresses, OutputBuffer(1)))

    def create_pair(self, content: bytes = bytes(SIZE), *, on_other_device: bool = False) -> tuple[Handle, Handle]:
        """Return a bus-addressable buffer of one device, and an external buffer through which the other device writes.

        ``on_other_device``: the device under test writes to the memory of the other device; otherwise the other device
        writes to the memory of the device under test.
        """
        buffer = self.create_addressable(content)
        (place,) = self.make_resident(buffer, queue=self.there if on_other_device else self.here)
        return buffer, self.create_view(place, len(content))


def get_bus_devices(kit: Kit) -> BusDevices:
    """Return the two devices for a kit; repeated calls in one example return the same object."""
    return kit.get_cached("bus", lambda: BusDevices(kit))
