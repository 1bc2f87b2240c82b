"""Query results for addresses inside and outside USM allocations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.usm.error_conditions import FLAGS
from clconform.oracles.contents.usm import SYSTEM
from clconform.oracles.engine.interpretation import InterpretationId
from clconform.oracles.engine.matchers import AllOf, OneOf
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.pointer_memory import DeviceAllocation, HostAllocation, SharedAllocation, UsmAllocation
from clconform.oracles.queries.expected_answers import expect_at_least, expect_exactly

if TYPE_CHECKING:
    from clconform.oracles.engine.matchers import Element, Matcher
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.queries.query_request import QueryRequest

rules = Rules()

TYPE = "CL_MEM_ALLOC_TYPE_INTEL"
TYPES: dict[type[UsmAllocation], str] = {
    HostAllocation: "CL_MEM_TYPE_HOST_INTEL",
    DeviceAllocation: "CL_MEM_TYPE_DEVICE_INTEL",
    SharedAllocation: "CL_MEM_TYPE_SHARED_INTEL",
}
UNKNOWN = "CL_MEM_TYPE_UNKNOWN_INTEL"
NULL_ADDRESS = 0
"""The NULL address, as a number: a pointer that does not belong to any object is decoded to a number."""


@rules.expected_value(TYPE)
def type_of(thing: ClObject, question: QueryRequest) -> Matcher | None:
    """The value is the type of the allocation that ptr points into.

    If ptr does not point into an allocation, the value is CL_MEM_TYPE_UNKNOWN_INTEL.
    """
    if isinstance(thing, UsmAllocation):
        return expect_exactly(question, question.model.constant_value(TYPES[type(thing)]))
    shared = question.model.constant_value(TYPES[SharedAllocation])
    return _expect_outside(thing, question, question.model.constant_value(UNKNOWN), or_shared=shared)


@rules.expected_value("CL_MEM_ALLOC_BASE_PTR_INTEL")
def base_of(thing: ClObject, question: QueryRequest) -> Matcher | None:
    """The value is the base address of the allocation that ptr points into; outside all allocations it is NULL."""
    return (
        expect_exactly(question, thing.name)
        if isinstance(thing, UsmAllocation)
        else _expect_outside(thing, question, NULL_ADDRESS)
    )


@rules.expected_value("CL_MEM_ALLOC_SIZE_INTEL")
def size_of(thing: ClObject, question: QueryRequest) -> Matcher | None:
    """The value is at least the requested size of the allocation that ptr points into, or 0 outside all allocations."""
    if isinstance(thing, UsmAllocation):
        return expect_at_least(question, thing.size, InterpretationId("allocated-size"))
    return _expect_outside(thing, question, 0)


@rules.expected_value("CL_MEM_ALLOC_DEVICE_INTEL")
def device_of(thing: ClObject, question: QueryRequest) -> Matcher | None:
    """The value is the device that was passed for the allocation that ptr points into.

    The value is NULL if no device was passed, or if ptr does not point into an allocation.
    """
    if isinstance(thing, UsmAllocation):
        return expect_exactly(question, thing.devices[0].name if thing.devices else None)
    return _expect_outside(thing, question, None)


@rules.expected_value(FLAGS)
def flags_of(thing: ClObject, question: QueryRequest) -> Matcher | None:
    """The value is the combination of flags that was passed for the allocation that ptr points into.

    The value is 0 if no flags were passed, or if ptr does not point into an allocation.
    """
    return (
        expect_exactly(question, thing.flags)
        if isinstance(thing, UsmAllocation)
        else _expect_outside(thing, question, 0)
    )


def _expect_outside(
    thing: ClObject, question: QueryRequest, told: Element, or_shared: Element = None
) -> Matcher | None:
    """Return the expected value for an address outside all allocations; None if the address is not known to be outside.

    The value is ``told``. If a device supports shared system memory, ``or_shared`` is also allowed, and if
    ``or_shared`` is None, any value is allowed.
    """
    if not isinstance(thing, Context):
        return None
    if any(device.facts.get(SYSTEM) for device in thing.devices):
        if or_shared is None:
            return AllOf((), example=(told,))
        return OneOf(((told,), (or_shared,)), (question.query.id,))
    return expect_exactly(question, told)
