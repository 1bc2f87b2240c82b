"""The kit: all objects that suites use, and the valid call of each function."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call
from clconform.calls.values import Data, ElementList, Handle, OutputBuffer
from clconform.oracles.model.cl_object import ClObject
from clconform.suites.helpers import has_version, is_available, skip_unless
from clconform.suites.kit.events import EventKit
from clconform.suites.kit.lookalikes import create_lookalike
from clconform.suites.kit.memory import pattern_bytes
from clconform.suites.kit.valid_calls import DEFAULT_ARGUMENTS, REQUIRED_CAPABILITIES, all_valid_calls

if TYPE_CHECKING:
    from clconform.calls.call import Outcome
    from clconform.calls.values import OffsetPointer, Value
    from clconform.suites.kit.valid_calls import Arguments


class Kit(EventKit):
    """The objects of one context for the calls of one example, and the calls themselves.

    An attribute (``context``, ``queue``, ``first_buffer``) is created on first use and then reused; a method
    (``buffer()``, ``image()``, ``kernel(name)``) creates another object each time. If the driver does not create an
    object, or the device is too small for it, the item is skipped.
    """

    @cached_property
    def foreign(self) -> ForeignKit:
        """A kit with another context of the same device."""
        return ForeignKit(self.cl)

    def for_context(self, context: Handle) -> Kit:
        """Return a kit whose objects belong to this context."""
        kit = Kit(self.cl)
        kit.context = context
        return kit

    # valid calls

    def valid_arguments(self, function: str, **changes: Value) -> Arguments:
        """Return the arguments of a function's valid call in the order of the prototype, with ``changes`` applied.

        Changes of parameters that the function does not have are ignored. The item is skipped if the function is not
        available. KeyError: the function does not have a declared valid call.
        """
        skip_unless(is_available(self.cl, function), f"{function} is not available")
        given = {**all_valid_calls()[function](self), **changes}
        names = [parameter.name for parameter in self.cl.tables.functions[function].parameters]
        return {name: given[name] if name in given else DEFAULT_ARGUMENTS[name] for name in names}

    def call(self, function: str, **changes: Value) -> Outcome:
        """Make a function's valid call, with ``changes`` to its arguments.

        The item is skipped if the device may reject every call of the function.
        """
        self.skip_without_capability(function)
        return self.cl.call(Call(function, self.valid_arguments(function, **changes)))

    def skip_without_capability(self, function: str) -> None:
        """Skip the item if the device may reject every call of a function."""
        query, bit, feature = REQUIRED_CAPABILITIES.get(function, ("", "", ""))
        skip_unless(not query or self.has_bits(query, bit), f"the device does not support {feature}")

    def enqueue(self, function: str, *, queue: Value = None, after: Value = None, **arguments: Value) -> Outcome:
        """Enqueue a command, with default values for arguments that are not given.

        ``after``: the events in the wait list.
        """
        waits: dict[str, Value] = {
            "command_queue": queue or self.queue,
            "num_events_in_wait_list": len(after.values) if isinstance(after, ElementList) else 0,
            "event_wait_list": after,
        }
        given = {**DEFAULT_ARGUMENTS, "event": None, **waits, **arguments}
        names = [parameter.name for parameter in self.cl.tables.functions[function].parameters]
        skip_unless(is_available(self.cl, function), f"{function} is not available")
        return self.cl.call(Call(function, {name: given[name] for name in names}))

    # contents of buffers

    def create_filled_buffer(self, size: int, *flags: str, seed: int = 0) -> Handle:
        """Create a buffer that contains test bytes."""
        buffer = self.buffer(*flags, size=size)
        self.write(buffer, 0, pattern_bytes(size, seed))
        return buffer

    def write(self, buffer: Handle, offset: int, content: bytes, queue: Handle | None = None) -> None:
        """Write bytes to a buffer, and wait for the write.

        Before OpenCL 3.0, a blocking write may return before it is complete.
        """
        place: Arguments = {"buffer": buffer, "offset": offset, "size": len(content), "ptr": Data(content)}
        self.enqueue("clEnqueueWriteBuffer", queue=queue, **place)
        if not has_version(self.cl, (3, 0)):
            self.finish(queue)

    def read(self, buffer: Handle, offset: int, size: int, queue: Handle | None = None) -> None:
        """Read bytes of a buffer with a blocking call; the judge compares them."""
        self.enqueue(
            "clEnqueueReadBuffer", queue=queue, buffer=buffer, offset=offset, size=size, ptr=OutputBuffer(size)
        )

    def unmap(self, memory: Handle, pointer: Handle | OffsetPointer, queue: Handle | None = None) -> None:
        """Unmap a mapped region."""
        self.enqueue("clEnqueueUnmapMemObject", queue=queue, memobj=memory, mapped_ptr=pointer)


class ForeignKit(Kit):
    """A kit that creates objects in another context, similar to objects of a first kit."""

    def get_similar(self, handle: Value) -> Handle:
        """Return an object of this kit's context with the same class as ``handle``. Each handle has one counterpart.

        An image has the same type and format; an SVM or USM allocation has the same type. The item is skipped if the
        argument is not an object.
        """
        if not isinstance(handle, Handle):
            pytest.skip("the argument is not an object")
        thing = self.cl.model.get(ClObject, handle)
        return self.get_cached(("like", thing.name), lambda: create_lookalike(self, thing))
