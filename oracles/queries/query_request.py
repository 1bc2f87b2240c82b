"""The request of a query call: the name, the object, and the other arguments that determine the value."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, Handle, OffsetPointer
from clconform.oracles.contents.pointers import split_address
from clconform.oracles.contents.usm import allocation_at
from clconform.oracles.engine.applicability import Applicability, applicability_of, applies
from clconform.oracles.model.call_scope import CallScope, devices_of
from clconform.oracles.model.devices import Device, Platform
from clconform.oracles.model.errors import UnknownFactError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.calls.call import Call
    from clconform.calls.values import Value
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.state import Model
    from clconform.spec_tables.requirements import Query

COMMON_PARAMETERS = ("param_name", "param_value_size", "param_value", "param_value_size_ret")
"""The parameters that every query function has; the other parameters select the queried object."""
BUFFER_SIZED_QUERIES = ("CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT",)
"""Queries whose value has as many elements as fit into the output buffer."""


@dataclass(eq=False)
class QueryRequest:
    """One call of a query function for a name that the tables know, on an object that the model knows.

    ``subject``: the queried object. ``named_device``: the device that the call names in addition to the object, if any.
    ``device``: the named device, else that of the object, else the first device of its context. ``platform``: the
    platform of the object. ``scope``: the platform and devices for which the requirements on the value must apply.
    ``applicability``: whether the query applies to the object. ``fact_key``: the key of the value among the facts of
    the object, such as ``CL_KERNEL_ARG_NAME@0``. If a query takes an address inside a memory allocation, the key does
    not contain the address.
    """

    query: Query
    call: Call
    subject: ClObject
    model: Model
    named_device: Device | None = field(init=False)
    device: Device | None = field(init=False)
    platform: Platform | None = field(init=False)
    scope: CallScope = field(init=False)
    applicability: Applicability = field(init=False)
    fact_key: str = field(init=False)

    def __post_init__(self) -> None:
        """Compute the devices, the platform, the applicability and the key, which most rules need."""
        beside = qualifying_arguments(self.call)
        named = [thing for thing in self.model.find_all(beside) if isinstance(thing, Device)] if beside else []
        self.named_device = named[0] if named else None
        devices = [self.named_device] if self.named_device is not None else devices_of(self.subject)
        self.device = devices[0] if devices else None
        self.platform = (
            self.subject if isinstance(self.subject, Platform) else self.model.platform_of_objects([self.subject])
        )
        self.scope = CallScope(self.platform, tuple(devices))
        self.applicability = self._evaluate_applicability()
        subject_itself = self.model.find(self.call.arguments[subject_parameter(self.call)]) is self.subject
        self.fact_key = build_fact_key(self.query, beside) if subject_itself else self.query.name

    @property
    def argument_index(self) -> int | None:
        """The index of the kernel argument that the call queries, or None if it does not query an argument."""
        index = self.call.arguments.get("arg_index", self.call.arguments.get("arg_indx"))
        return index if isinstance(index, int) else None

    def _evaluate_applicability(self) -> Applicability:
        """Return whether the query applies to the object.

        If a platform does not report the extension of a query, but one of its devices does, the result is UNDECIDED.
        """
        found = applicability_of(self.query.applicability, self.scope)
        if found is Applicability.NOT_APPLICABLE and self.subject is self.platform:
            beside = applicability_of(
                self.query.applicability, CallScope(self.platform, tuple(self.model.root_devices(self.platform)))
            )
            return found if beside is Applicability.NOT_APPLICABLE else Applicability.UNDECIDED
        return found

    @property
    def requirements(self) -> tuple[str, ...]:
        """Return the requirements for which a value is evidence: that of the query, and those of applicable aliases."""
        own = self.query.id
        every = requested_queries(self.call, self.model)
        if len(every) == 1:
            return (own,)
        others = [each for each in every if each.id != own]
        return (own, *(each.id for each in others if applies(each.applicability, self.scope)))


def requested_query(call: Call, model: Model) -> Query | None:
    """Return the query in the tables that a call requests, or None if the tables do not have the name."""
    return model.lookups.query(call.function, call.param_name)


def query_request_of(call: Call, model: Model) -> QueryRequest | None:
    """Return the request of a call; None if the name or the object is unknown, or if the query does not apply."""
    return model.cached(_create_query_request, call)


def _create_query_request(call: Call, model: Model) -> QueryRequest | None:
    thing = queried_object(call, model)
    if thing is None:
        return None
    for query in requested_queries(call, model):
        question = QueryRequest(query, call, thing, model)
        if question.applicability is not Applicability.NOT_APPLICABLE:
            return question
    return None


def queried_object(call: Call, model: Model) -> ClObject | None:
    """Return the object in the first argument, or the allocation that contains the queried address.

    The result is None if the object is unknown, if the allocation belongs to another context, or if the address is past
    its end.
    """
    thing = model.find(call.arguments[subject_parameter(call)])
    memory = allocation_at(call.ptr, model) if "ptr" in call.arguments else None
    if memory is None:
        return thing
    return memory if memory.context is thing and split_address(call.ptr)[1] < memory.size else None


def requested_queries(call: Call, model: Model) -> tuple[Query, ...]:
    """Return all queries whose name has the requested number, such as a core name and a name of an extension.

    The result is empty if the number is unknown.
    """
    return model.lookups.queries(call.function, call.param_name)


def subject_parameter(call: Call) -> str:
    """Return the name of the first parameter, which receives the queried object."""
    return next(iter(call.arguments))


def build_fact_key(query: Query, qualifiers: Iterable[Value]) -> str:
    """Return the key of a fact: the query's name and further arguments that determine the value, such as an index."""
    return "@".join((query.name, *[_format_key_part(value) for value in qualifiers if value is not None]))


def qualifying_arguments(call: Call) -> list[Value]:
    """Return the arguments, other than the queried object and the name, that determine the value."""
    return [call.arguments[name] for name in _qualifying_parameters(tuple(call.arguments))]


@functools.cache
def _qualifying_parameters(parameters: tuple[str, ...]) -> tuple[str, ...]:
    """Return the parameters of a query function except the queried object, the name, and the output parameters."""
    return tuple(name for name in parameters[1:] if name not in COMMON_PARAMETERS)


def _format_key_part(value: object) -> str:
    if isinstance(value, Handle):
        return value.name
    if isinstance(value, OffsetPointer):
        return f"{value.handle.name}+{value.offset}"
    if isinstance(value, ElementList):
        return ",".join(map(_format_key_part, value.values))
    return str(value)


def value_size(request: QueryRequest) -> int:
    """Return the size of a value in bytes; UnknownFactError if only the driver knows the size.

    The size is also unknown if the reported size is not a multiple of the element size.
    """
    query, thing = request.query, request.subject
    width = request.model.lookups.size_of(query.type)
    if not width:
        raise UnknownFactError(query.name)
    if query.shape == "scalar":
        return width
    key = request.fact_key
    known = thing.facts.get(f"size of {key}")
    if isinstance(known, int) and key not in thing.facts:
        return known
    fact = thing.fact(key)
    if query.shape == "string" and isinstance(fact, str):
        return len(fact.encode(errors="surrogateescape")) + 1
    if isinstance(fact, tuple) and (not isinstance(known, int) or known % width == 0):
        return width * len(fact) // request.model.lookups.count_members(query.type)
    raise UnknownFactError(query.name)
