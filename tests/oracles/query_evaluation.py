"""Evaluates the rules of queries for one returned value of a device or platform with known further query results."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from clconform.calls.call import Call
from clconform.calls.values import Handle, OutputBuffer
from clconform.oracles.engine.matchers import match_values
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.events import Event
from clconform.oracles.queries.answering import expect_query_value
from clconform.oracles.queries.query_request import query_request_of
from clconform.spec_tables.requirements import Query

from .oracle_setup import DevicePlan, OracleSetup

if TYPE_CHECKING:
    from clconform.oracles.engine.matchers import Element
    from clconform.oracles.model.cl_object import Fact

NAME_SIZE = 64


def pack_version(major: int, minor: int, patch: int = 0) -> int:
    """Return a version number packed as a ``cl_version``."""
    return major << 22 | minor << 12 | patch


def build_name_versions(*pairs: tuple[str, int]) -> tuple[int | str, ...]:
    """Return an array of names with versions as a query returns it: each version, then its padded name."""
    return tuple(element for name, version in pairs for element in (version, name.ljust(NAME_SIZE, "\0")))


@dataclass(frozen=True)
class QueryEnvironment:
    """The circumstances of a query: the version, the extensions, and the earlier query results."""

    version: str = "3.0"
    extensions: str = ""
    facts: dict[str, Fact | str] = field(default_factory=dict)
    platform: dict[str, Fact] = field(default_factory=dict)
    others: tuple[dict[str, Fact], ...] = ()
    type: str = "CL_DEVICE_TYPE_CPU"


def evaluate_answer(query: str, answer: Element | tuple[Element, ...], asked: QueryEnvironment) -> dict[str, str]:
    """Return a verdict on a query result for each requirement that it tests: ``fine``, or ``wrong`` for a violation."""
    world = OracleSetup(
        *(DevicePlan() for _ in range(1 + len(asked.others))), version=asked.version, extensions=asked.extensions
    )
    world.platform.facts |= asked.platform
    device, *others = world.roots
    device.facts["CL_DEVICE_TYPE"] = world.value(asked.type)
    device.facts |= asked.facts
    for other, facts in zip(others, asked.others, strict=True):
        other.facts |= facts
    for thing in (world.platform, *world.roots):
        thing.refresh()
    function = "clGetPlatformInfo" if query.startswith("CL_PLATFORM") else "clGetDeviceInfo"
    thing = world.platform if function == "clGetPlatformInfo" else device
    return evaluate_query_call(
        world, Call(function, _query_arguments(world, function, Handle(thing.name), query)), answer
    )


def evaluate_child_answer(
    query: str, answer: Element | tuple[Element, ...], asked: QueryEnvironment, facts: dict[str, Fact] | None = None
) -> dict[str, str]:
    """Evaluate the result of a query about an object in a context, in the form of ``evaluate_answer``.

    ``facts``: earlier query results of the object.
    """
    world = OracleSetup(
        *(DevicePlan() for _ in range(1 + len(asked.others))), version=asked.version, extensions=asked.extensions
    )
    for device, told in zip(world.roots, (asked.facts, *asked.others), strict=True):
        device.facts |= told
    context = Context("context1", devices=list(world.roots))
    child = Event("event1", facts=dict(facts or {}), context=context)
    for thing in (context, child):
        world.model.add(thing)
    known = [requirement for requirement in world.model.tables.requirements.values() if isinstance(requirement, Query)]
    function = next(requirement.function for requirement in known if requirement.name == query)
    return evaluate_query_call(
        world, Call(function, _query_arguments(world, function, Handle("event1"), query)), answer
    )


def _query_arguments(world: OracleSetup, function: str, thing: Handle, query: str) -> dict[str, Any]:
    output_buffer = {"param_name": world.value(query), "param_value_size": 1024, "param_value": OutputBuffer(1024)}
    parameters = world.model.tables.functions[function].parameters
    others = {parameter.name: world.device if parameter.name == "device" else None for parameter in parameters}
    return others | output_buffer | {parameters[0].name: thing}


def evaluate_query_call(world: OracleSetup, call: Call, answer: Element | tuple[Element, ...]) -> dict[str, str]:
    """Return ``fine`` or ``wrong`` for each requirement that the result of a query call tests."""
    question = query_request_of(call, world.model)
    assert question is not None, f"{call} does not apply"
    question.subject.facts.pop(question.fact_key, None)
    seen = list(answer) if isinstance(answer, tuple) else [answer]
    if question.query.shape == "string":
        seen = [f"{answer}\0"]
    complaints, fulfilled = match_values(expect_query_value(question, world.oracle.rulebook), seen)
    return dict.fromkeys(fulfilled, "fine") | {complaint.requirement: "wrong" for complaint in complaints}
