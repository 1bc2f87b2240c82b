"""Query results of contexts (section 4.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.common.object_creation import expect_reference_count
from clconform.oracles.common.property_lists import allowed_list_or_terminator, allowed_list_values
from clconform.oracles.engine.matchers import Anything, Matcher, OneOf, Satisfies, Values, handle_names
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context
from clconform.oracles.queries.expected_answers import expect_one_of
from clconform.spec_tables.versions import Version

if TYPE_CHECKING:
    from clconform.oracles.queries.query_request import QueryRequest

rules = Rules()

DEVICES = "CL_CONTEXT_DEVICES"
FIRST_EMPTY_LIST_VERSION = Version(3, 0)
"""First version in which CL_CONTEXT_PROPERTIES of a context without properties must be empty, not a single 0."""
rules.inferred("CL_CONTEXT_REFERENCE_COUNT")


@rules.expected_value(DEVICES, of=Context)
def expect_devices(context: Context, question: QueryRequest) -> Matcher:
    """The value lists the devices with which the context was created, each once, without their sub-devices.

    If the context was created for a device type, the value lists as many devices as CL_CONTEXT_NUM_DEVICES returns.
    """
    name = DEVICES
    if not context.devices:
        some = tuple(device.name for device in context.candidates)
        if not some:
            return Anything(tuple(device.name for device in question.model.root_devices()))
        count = context.facts.get("CL_CONTEXT_NUM_DEVICES")
        possible = isinstance(count, int) and 1 <= count <= len(some)
        words = f"some of the root devices {', '.join(some)}, each once"

        def fits(seen: Values) -> bool:
            names = handle_names(seen)
            as_counted = not possible or len(names) == count
            return as_counted and 0 < len(names) == len(seen) == len(set(names)) and set(names) <= set(some)

        return Satisfies(fits, words, (name,), some[:count] if isinstance(count, int) and possible else some)
    names = [device.name for device in context.devices]
    return Satisfies(lambda seen: sorted(map(str, seen)) == sorted(names), ", ".join(names), (name,), tuple(names))


@rules.expected_value("CL_CONTEXT_NUM_DEVICES", of=Context)
def expect_device_count(context: Context, question: QueryRequest) -> Matcher:
    """The value is the number of devices that the context was created with."""
    name = "CL_CONTEXT_NUM_DEVICES"
    if context.devices:
        return OneOf(((len(context.devices),),), (name,))
    if not context.candidates:
        return Anything((len(question.model.root_devices()),))
    listed = context.facts.get(DEVICES)
    names = {device.name for device in context.candidates}
    if isinstance(listed, tuple) and 0 < len(listed) == len(set(listed)) and names.issuperset(listed):
        return OneOf(((len(listed),),), (name,))
    most = len(context.candidates)
    return Satisfies(lambda seen: isinstance(seen[0], int) and 1 <= seen[0] <= most, f"1 to {most}", (name,), (most,))


@rules.expected_value("CL_CONTEXT_PROPERTIES", of=Context)
def expect_properties(context: Context, question: QueryRequest) -> Matcher | None:
    """The value is the property list with which the context was created.

    If properties was NULL, the value is empty; before version 3.0 it may also be a single 0.
    """
    platform = question.platform or next(iter(question.model.platforms.values()), None)
    told = (
        allowed_list_values if platform and platform.version >= FIRST_EMPTY_LIST_VERSION else allowed_list_or_terminator
    )
    return expect_one_of(question, told(context.properties, question))


@rules.expected_value("CL_CONTEXT_REFERENCE_COUNT", of=Context)
def expect_context_references(context: Context, question: QueryRequest) -> Matcher:
    """The value is at least the number of references that the application owns."""
    del question
    return expect_reference_count(context, "CL_CONTEXT_REFERENCE_COUNT")
