"""Contexts and devices: the base of the kit, since all other objects belong to a context."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from clconform.calls.values import Handle, Items, OutputBuffer
from clconform.suites.steps import needs, one, value

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.runner.session.session import Session

_T = TypeVar("_T")
PLATFORM = "CL_CONTEXT_PLATFORM"


class Contexts:
    """A context of the device under test, created on first use, and others.

    ``cl``: the session that makes all calls.
    """

    def __init__(self, cl: Session) -> None:
        self.cl = cl
        self._kept: dict[object, Any] = {}

    def value(self, *names: str) -> int:
        """Return the sum of named constants."""
        return sum(value(self.cl, name) for name in names)

    def once(self, key: object, make: Callable[[], _T]) -> _T:
        """Return the result of ``make``, called once for each key."""
        if key not in self._kept:
            self._kept[key] = make()
        kept: _T = self._kept[key]
        return kept

    @cached_property
    def context(self) -> Handle:
        """The context that all other objects belong to by default."""
        return self.new_context()

    def new_context(self, *devices: Handle, properties: Items | None = None) -> Handle:
        """Create a context, by default of the device under test."""
        chosen = devices or (self.cl.device,)
        return one(self.cl.clCreateContext(properties, len(chosen), Items(chosen), None, None, OutputBuffer(1)))

    def context_of_type(self, device_type: int, *elements: str | int) -> Handle:
        """Create a context of the platform's devices of a type; ``elements``: properties after the platform."""
        properties = self.context_properties(*elements)
        return one(self.cl.clCreateContextFromType(properties, device_type, None, None, OutputBuffer(1)))

    def context_properties(self, *elements: str | int | Handle) -> Items:
        """Return a context's property list: the platform, then these elements; names are replaced by values."""
        return self.listed(PLATFORM, self.cl.platform, *elements)

    def listed(self, *elements: str | int | Handle) -> Items:
        """Return a terminated property list; names are replaced by their values, ``A+B`` by both bits."""
        values: list[int | Handle] = [
            self.value(*each.split("+")) if isinstance(each, str) else each for each in elements
        ]
        return Items((*values, 0))

    @property
    def other_devices(self) -> list[Handle]:
        """The platform's other root devices, available or not."""
        return [device for device in self.cl.devices if device != self.cl.device]

    @property
    def any_other_device(self) -> Handle:
        """Another root device, available or not; the item is skipped if there is none."""
        needs(self.other_devices, "the platform has only one device")
        return self.other_devices[0]

    @property
    def another_device(self) -> Handle:
        """Another root device that is available; the item is skipped if there is none."""
        others = [device for device in self.other_devices if self.cl.fact("CL_DEVICE_AVAILABLE", device)]
        needs(others, "the platform has only one available device")
        return others[0]

    @property
    def unavailable_device(self) -> Handle:
        """A root device that reports that it is not available; the item is skipped if there is none."""
        gone = [device for device in self.cl.devices if self.cl.fact("CL_DEVICE_AVAILABLE", device) == 0]
        needs(gone, "every device is available")
        return gone[0]

    def has(self, query: str, *names: str) -> bool:
        """Return whether the value of a query on the device under test has all of these bits."""
        bits = self.value(*names)
        return bool((self.cl.fact(query) or 0) & bits == bits)
