"""The context and the devices of the kit, which all other objects need."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.suites.helpers import constant_value, require_handle, skip_unless

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.runner.session.session import Session

_T = TypeVar("_T")
PLATFORM = "CL_CONTEXT_PLATFORM"


class ContextKit:
    """A kit with a context of the device under test, which is created on first use.

    ``cl``: the session that makes all calls.
    """

    def __init__(self, cl: Session) -> None:
        self.cl = cl
        self._cache: dict[object, Any] = {}

    @property
    def pointer_bytes(self) -> int:
        """The size of a pointer, a handle and size_t on the machine on which the driver runs, in bytes."""
        return self.cl.model.pointer_bytes

    @property
    def size_max(self) -> int:
        """The largest size_t on the machine on which the driver runs."""
        return self.cl.model.size_max

    def to_size(self, number: int) -> int:
        """Return a number converted to size_t as in C: -1 becomes the largest size_t."""
        return number & self.size_max

    def constant(self, *names: str) -> int:
        """Return the sum of the values of named constants."""
        return sum(constant_value(self.cl, name) for name in names)

    def get_cached(self, key: object, make: Callable[[], _T]) -> _T:
        """Return the result of ``make``, called once for each key."""
        if key not in self._cache:
            self._cache[key] = make()
        kept: _T = self._cache[key]
        return kept

    @cached_property
    def context(self) -> Handle:
        """The context in which the kit creates all other objects by default."""
        return self.new_context()

    def new_context(self, *devices: Handle, properties: ElementList | None = None) -> Handle:
        """Create a context, by default of the device under test."""
        chosen = devices or (self.cl.device,)
        return require_handle(
            self.cl.clCreateContext(properties, len(chosen), ElementList(chosen), None, None, OutputBuffer(1))
        )

    def context_of_type(self, device_type: int, *elements: str | int) -> Handle:
        """Create a context of all devices of one type.

        ``elements``: properties after the platform.
        """
        properties = self.context_properties(*elements)
        return require_handle(self.cl.clCreateContextFromType(properties, device_type, None, None, OutputBuffer(1)))

    def context_properties(self, *elements: str | int | Handle) -> ElementList:
        """Return a context's property list: the platform, then these elements.

        Names are replaced by their values.
        """
        return self.property_list(PLATFORM, self.cl.platform, *elements)

    def property_list(self, *elements: str | int | Handle) -> ElementList:
        """Return a property list with its terminator.

        Names are replaced by their values, and ``A+B`` by the bits of both names.
        """
        values: list[int | Handle] = [
            self.constant(*each.split("+")) if isinstance(each, str) else each for each in elements
        ]
        return ElementList((*values, 0))

    @property
    def other_devices(self) -> list[Handle]:
        """The platform's root devices except the device under test, available or not."""
        return [device for device in self.cl.devices if device != self.cl.device]

    @property
    def any_other_device(self) -> Handle:
        """A root device other than the device under test, available or not; the item is skipped if there is none."""
        skip_unless(self.other_devices, "the platform has only one device")
        return self.other_devices[0]

    @property
    def other_available_device(self) -> Handle:
        """An available root device other than the device under test; the item is skipped if there is none."""
        others = [device for device in self.other_devices if self.cl.fact("CL_DEVICE_AVAILABLE", device)]
        skip_unless(others, "the platform has only one available device")
        return others[0]

    @property
    def unavailable_device(self) -> Handle:
        """A root device that is not available; the item is skipped if there is none."""
        gone = [device for device in self.cl.devices if self.cl.fact("CL_DEVICE_AVAILABLE", device) == 0]
        skip_unless(gone, "every device is available")
        return gone[0]

    def has_bits(self, query: str, *names: str) -> bool:
        """Return whether the value of a query on the device under test contains the bits of all these names."""
        bits = self.constant(*names)
        return bool((self.cl.fact(query) or 0) & bits == bits)
