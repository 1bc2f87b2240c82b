"""The request of a query call: the name, the object, and the other arguments on which the value depends."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clconform.calls.values import Handle, Inside, Items
from clconform.oracles.contents.pointers import base_and_offset
from clconform.oracles.contents.unified import allocation
from clconform.oracles.engine.gates import Gating, applies, gating_of
from clconform.oracles.model.devices import Device, Platform
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.scope import Scope, devices_behind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.calls.call import Call
    from clconform.calls.values import Value
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.world import Model
    from clconform.spec_tables.records import Query

CAPACITY = ("param_name", "param_value_size", "param_value", "param_value_size_ret")
"""The parameters that every query function has; the others select the subject."""
AS_MUCH_AS_FITS = ("CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT",)
"""Queries whose value is as long as the output buffer."""


@dataclass(eq=False)
class Question:
    """One call of a query function for a name that the tables know, on an object that the model knows.

    ``named_device``: the one that the call names in addition to the object, if any. ``device``: that one, else the
    object's or the first of its context; ``platform``: the object's. ``scope``: decides whether a requirement on the
    value applies; ``gating``: whether the query does. ``key``: the name under which the value is kept as a fact of the
    object: ``CL_KERNEL_ARG_NAME@0``. Values that describe memory do not depend on the address inside it.
    """

    query: Query
    call: Call
    thing: ClObject
    model: Model
    named_device: Device | None = field(init=False)
    device: Device | None = field(init=False)
    platform: Platform | None = field(init=False)
    scope: Scope = field(init=False)
    gating: Gating = field(init=False)
    key: str = field(init=False)

    def __post_init__(self) -> None:
        """Look up the data that nearly every part of a verdict needs."""
        beside = other_than_the_output(self.call)
        named = [thing for thing in self.model.named(beside) if isinstance(thing, Device)] if beside else []
        self.named_device = named[0] if named else None
        devices = [self.named_device] if self.named_device is not None else devices_behind(self.thing)
        self.device = devices[0] if devices else None
        self.platform = self.thing if isinstance(self.thing, Platform) else self.model.platform_behind([self.thing])
        self.scope = Scope(self.platform, tuple(devices))
        self.gating = self._gating()
        subject_itself = self.model.known(self.call.arguments[subject(self.call)]) is self.thing
        self.key = fact_key(self.query, beside) if subject_itself else self.query.name

    @property
    def index(self) -> int | None:
        """The index of an argument, if the call names one."""
        index = self.call.arguments.get("arg_index", self.call.arguments.get("arg_indx"))
        return index if isinstance(index, int) else None

    def _gating(self) -> Gating:
        """Return whether the query applies to the object.

        A platform that does not report an extension may support a query of it nevertheless, if one of its devices does.
        """
        found = gating_of(self.query.gates, self.scope)
        if found is Gating.CLOSED and self.thing is self.platform:
            beside = gating_of(self.query.gates, Scope(self.platform, tuple(self.model.root_devices(self.platform))))
            return found if beside is Gating.CLOSED else Gating.UNDECIDED
        return found

    @property
    def records(self) -> tuple[str, ...]:
        """Return the requirements for which a value is evidence: this name's, then those of applicable aliases."""
        own = self.query.id
        every = queries_of(self.call, self.model)
        if len(every) == 1:
            return (own,)
        others = [each for each in every if each.id != own]
        return (own, *(each.id for each in others if applies(each.gates, self.scope)))


def query_of(call: Call, model: Model) -> Query | None:
    """Return the query of the tables that a call requests, or None for a name that they do not have."""
    return model.lookups.query(call.function, call.param_name)


def question_of(call: Call, model: Model) -> Question | None:
    """Return the request of a call, or None if the name or the object is unknown or the name does not apply."""
    return model.once(_question_of, call)


def _question_of(call: Call, model: Model) -> Question | None:
    thing = asked_of(call, model)
    if thing is None:
        return None
    for query in queries_of(call, model):
        question = Question(query, call, thing, model)
        if question.gating is not Gating.CLOSED:
            return question
    return None


def asked_of(call: Call, model: Model) -> ClObject | None:
    """Return the queried object: the first argument's, or the memory to which an address leads.

    None if it is unknown, and for memory of another context or past its end.
    """
    thing = model.known(call.arguments[subject(call)])
    memory = allocation(call.ptr, model) if "ptr" in call.arguments else None
    if memory is None:
        return thing
    return memory if memory.context is thing and base_and_offset(call.ptr)[1] < memory.size else None


def queries_of(call: Call, model: Model) -> tuple[Query, ...]:
    """Return all queries with the requested value: a core name and that of an extension; empty if unknown."""
    return model.lookups.queries(call.function, call.param_name)


def subject(call: Call) -> str:
    """Return the name of the first parameter, which is the subject of the query."""
    return next(iter(call.arguments))


def fact_key(query: Query, beside: Iterable[Value]) -> str:
    """Return the query's name, with the other arguments that determine the value: a device, an index, an input."""
    return "@".join((query.name, *[_word(value) for value in beside if value is not None]))


def other_than_the_output(call: Call) -> list[Value]:
    """Return the arguments of a query that qualify it, other than its subject and output."""
    return [call.arguments[name] for name in _named_other_than_the_output(tuple(call.arguments))]


@functools.cache
def _named_other_than_the_output(parameters: tuple[str, ...]) -> tuple[str, ...]:
    """Return the parameters of a query function that qualify the query, other than its subject."""
    return tuple(name for name in parameters[1:] if name not in CAPACITY)


def _word(value: object) -> str:
    if isinstance(value, Handle):
        return value.name
    if isinstance(value, Inside):
        return f"{value.handle.name}+{value.offset}"
    if isinstance(value, Items):
        return ",".join(map(_word, value.values))
    return str(value)


def answer_size(question: Question) -> int:
    """Return the size of a value in bytes; UnknownError if only the driver knows it.

    This includes a reported size that is not a multiple of the element's: the number of elements is then unknown.
    """
    query, thing = question.query, question.thing
    width = question.model.lookups.size_of(query.type)
    if not width:
        raise UnknownError(query.name)
    if query.shape == "scalar":
        return width
    key = question.key
    known = thing.facts.get(f"size of {key}")
    if isinstance(known, int) and key not in thing.facts:
        return known
    fact = thing.fact(key)
    if query.shape == "string" and isinstance(fact, str):
        return len(fact.encode(errors="surrogateescape")) + 1
    if isinstance(fact, tuple) and (not isinstance(known, int) or known % width == 0):
        return width * len(fact) // question.model.lookups.members_of(query.type)
    raise UnknownError(query.name)
