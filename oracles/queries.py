"""Queries: when clGet...Info must fail, how large an answer is, and what the model learns from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import UNTOUCHED
from clconform.calls.values import Room
from clconform.oracles.answers import Answer, May, Reply, UnknownError
from clconform.oracles.gates import closed_gate
from clconform.oracles.model import Child, Context, Device, Fact, Platform, Thing
from clconform.oracles.promises import Anything, Complaint, Element, OneOf, Promise, Such, Values, Want, show
from clconform.oracles.rules import ANSWERERS, clause, promise

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model import Model
    from clconform.spec_tables.records import Query

FUNCTIONS = ("clGetPlatformInfo", "clGetDeviceInfo", "clGetContextInfo", "clGetCommandQueueInfo", "clGetProgramInfo")
FIRST_UNUSED_NAME = 0x7FFF0000
"""No registry block reaches this far: names from here on belong to nobody."""


@clause(*(f"{function}/CL_INVALID_VALUE/1" for function in FUNCTIONS))
def unknown_name_or_no_room(call: Call, model: Model) -> Reply:
    """Nobody has defined the name asked for, or the room given is too small for the answer."""
    query = query_of(call, model)
    if query is None:
        return Answer.MUST if call.param_name >= FIRST_UNUSED_NAME else May("unknown-fact")
    thing = model.known(call.arguments[subject(call)])
    if thing is not None and closed_gate(query.gates, platform_behind(thing), device_behind(thing)):
        return May("unknown-fact")
    if call.param_value is None:
        return Answer.NO
    return bool(call.param_value_size < answer_size(query, thing, model))


@promise(*FUNCTIONS)
def answer_of_a_query(call: Call, model: Model) -> Promise:
    """The answer has the size of its type, the size returned says so, and the value is what the object is."""
    query = query_of(call, model)
    thing = model.known(call.arguments[subject(call)])
    if query is None or thing is None:
        return Promise()
    outputs: dict[str, Want] = {}
    success = f"{call.function}/success"
    answerer = ANSWERERS.get(query.id)
    if isinstance(call.param_value, Room):
        outputs["param_value"] = answerer(thing, model) if answerer else Anything(_known_choice(query, thing))
    if isinstance(call.param_value_size_ret, Room):
        outputs["param_value_size_ret"] = _wanted_size(query, thing, model, success)

    def apply(_value: Element, seen: dict[str, Values]) -> list[Complaint]:
        return learn(query, thing, model, seen, success)

    return Promise(outputs=outputs, apply=apply)


def learn(query: Query, thing: Thing, model: Model, seen: dict[str, Values], success: str) -> list[Complaint]:
    """Keep an answer as a fact of the object; complain where value and size returned disagree."""
    values = [value for value in seen.get("param_value", []) if value != UNTOUCHED]
    sizes = seen.get("param_value_size_ret", [])
    if "param_value" not in seen:
        if sizes and isinstance(sizes[0], int):
            thing.facts[f"size of {query.name}"] = sizes[0]
        return []
    fact: Fact
    if query.shape == "string":
        fact = "".join(str(value) for value in values).rstrip("\0")
    elif query.shape == "array":
        fact = tuple(value for value in values if not isinstance(value, float))
    elif len(values) == 1 and not isinstance(values[0], float):
        fact = values[0]
    else:
        return []
    thing.facts[query.name] = fact
    width = model.lookups.size_of(query.type)
    if query.shape == "array" and width and sizes and isinstance(sizes[0], int) and sizes[0] != width * len(values):
        return [
            Complaint(success, f"{width * len(values)} bytes for {show(values)}", f"param_value_size_ret {sizes[0]}")
        ]
    return []


def query_of(call: Call, model: Model) -> Query | None:
    """Return the tables' record of the name that a call asks for, or None for a name that they do not have."""
    return model.lookups.query(call.function, call.param_name)


def subject(call: Call) -> str:
    """Return the name of the parameter that says whose information is asked for: the first one."""
    return next(iter(call.arguments))


def answer_size(query: Query, thing: Thing | None, model: Model) -> int:
    """Return the size of an answer in bytes; UnknownError where only the driver could tell."""
    width = model.lookups.size_of(query.type)
    if not width:
        raise UnknownError(query.name)
    if query.shape == "scalar":
        return width
    if thing is None:
        raise UnknownError(query.name)
    known = thing.facts.get(f"size of {query.name}")
    if isinstance(known, int) and query.name not in thing.facts:
        return known
    fact = thing.fact(query.name)
    if query.shape == "string" and isinstance(fact, str):
        return len(fact.encode(errors="surrogateescape")) + 1
    if isinstance(fact, tuple):
        return width * len(fact)
    raise UnknownError(query.name)


def platform_behind(thing: Thing) -> Platform | None:
    """Return the platform of an object."""
    if isinstance(thing, Platform):
        return thing
    device = device_behind(thing)
    return device.platform if device else None


def device_behind(thing: Thing) -> Device | None:
    """Return the device of an object, or the first of its context's devices."""
    if isinstance(thing, Child):
        return thing.device or (device_behind(thing.context) if thing.context else None)
    if isinstance(thing, Context):
        return thing.devices[0] if thing.devices else None
    return thing if isinstance(thing, Device) else None


def _wanted_size(query: Query, thing: Thing, model: Model, success: str) -> Want:
    width = model.lookups.size_of(query.type)
    if query.shape == "scalar" and width:
        return OneOf(((width,),), (success,))
    try:
        size = answer_size(query, thing, model)
    except UnknownError:
        size = None
    if not width:
        return Anything()
    words = f"a multiple of {width}"
    return Such(
        lambda seen: isinstance(seen[0], int) and seen[0] % width == 0,
        words,
        (success,),
        None if size is None else (size,),
    )


def _known_choice(query: Query, thing: Thing) -> tuple[int | str | None, ...] | str | None:
    fact = thing.facts.get(query.name)
    if isinstance(fact, str) and query.shape == "string":
        return fact
    if isinstance(fact, tuple):
        return fact
    return None if fact is None else (fact,)
