"""Query results of samplers (section 5.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList
from clconform.oracles.common.property_lists import allowed_list_values, parse_list
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.samplers import Sampler
from clconform.oracles.queries.expected_answers import expect_exactly, expect_handle, expect_one_of

if TYPE_CHECKING:
    from clconform.calls.values import Value
    from clconform.oracles.engine.matchers import Matcher
    from clconform.oracles.queries.query_request import QueryRequest

rules = Rules()


@rules.expected_value("CL_SAMPLER_CONTEXT", of=Sampler)
def context_of(sampler: Sampler, question: QueryRequest) -> Matcher | None:
    """The value is the context that the sampler was created in."""
    return expect_handle(question, sampler.context) if sampler.context is not None else None


@rules.expected_value("CL_SAMPLER_NORMALIZED_COORDS", of=Sampler)
def coordinates_of(sampler: Sampler, question: QueryRequest) -> Matcher | None:
    """The value is CL_TRUE or CL_FALSE, as given at the creation of the sampler.

    If the property list does not contain CL_SAMPLER_NORMALIZED_COORDS, the value is CL_TRUE.
    """
    return _expect_mode(question, sampler.normalized_coords)


@rules.expected_value("CL_SAMPLER_ADDRESSING_MODE", of=Sampler)
def addressing_of(sampler: Sampler, question: QueryRequest) -> Matcher | None:
    """The value is the addressing mode that the sampler was created with.

    If the property list does not contain CL_SAMPLER_ADDRESSING_MODE, the value is CL_ADDRESS_CLAMP.
    """
    return _expect_mode(question, sampler.addressing_mode)


@rules.expected_value("CL_SAMPLER_FILTER_MODE", of=Sampler)
def filter_of(sampler: Sampler, question: QueryRequest) -> Matcher | None:
    """The value is the filter mode that the sampler was created with.

    If the property list does not contain CL_SAMPLER_FILTER_MODE, the value is CL_FILTER_NEAREST.
    """
    return _expect_mode(question, sampler.filter_mode)


@rules.expected_value("CL_SAMPLER_PROPERTIES", of=Sampler)
def list_of(sampler: Sampler, question: QueryRequest) -> Matcher | None:
    """The value is the property list that the sampler was created with, complete and in the original order.

    If the sampler was created without a property list, the value is empty.
    """
    if sampler.filter_mode is None and not sampler.has_property_list:
        return None
    return expect_one_of(
        question, allowed_list_values(_trim_list(sampler.properties) if sampler.has_property_list else None, question)
    )


def _trim_list(properties: Value) -> Value:
    """Return a property list up to its terminator. Each property in the list must have one value."""
    listed = parse_list(properties)
    if not isinstance(properties, ElementList) or listed is None:
        return properties
    return ElementList(properties.values[: 2 * len(listed) + 1])


def _expect_mode(question: QueryRequest, value: int | None) -> Matcher | None:
    return expect_exactly(question, value) if value is not None else None
