"""Prototypes of functions for the binding, and calls that are ready to be made."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.harness.decoding import OutputType
    from clconform.harness.raw_messages import RawRequest
    from clconform.harness.type_layout import TypeLayout
    from clconform.spec_tables.requirements import Parameter


class Slot(NamedTuple):
    """A parameter.

    ``scalar``: the layout of a value, None for pointers. ``element``: the type that a pointer points to, None for
    ``void``. ``width``: the size of an element in bytes, 0 if the tables do not define it.
    """

    name: str
    of: Parameter
    scalar: TypeLayout | None
    element: OutputType | None
    width: int
    is_callback: bool


class Prototype(NamedTuple):
    """A function.

    ``names``: the names of its parameters. ``signature``: the number of its signature in requests. ``result``: the
    layout of its result, None for void. ``returns``: the handle type of its result, or empty. ``lingers``: the driver
    may access the memory of the arguments after the call has returned. ``has_host_ptr``: the same, unless ``host_ptr``
    is NULL. ``on_the_bus``: the function returns bus addresses. ``reusable``: the parameters whose memory the
    application may reuse after some or all calls have returned.
    """

    slots: tuple[Slot, ...]
    names: frozenset[str]
    signature: int
    result: TypeLayout | None
    returns: str
    queries: bool
    lingers: bool
    has_host_ptr: bool
    on_the_bus: bool
    reusable: frozenset[str]


class Prepared(NamedTuple):
    """A call that is ready to be made.

    ``request``: the function's address, its signature, whether its memory is kept, and its arguments. ``buffers``: the
    parameter and the size in bytes of each output buffer.
    """

    call: Call
    prototype: Prototype
    request: RawRequest
    buffers: list[tuple[Slot, int]]
