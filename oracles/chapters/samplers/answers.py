"""Query results of samplers (section 5.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Items
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.samplers import Sampler
from clconform.oracles.queries.told import either, exactly, named
from clconform.oracles.recurring.property_lists import list_echo, read_list

if TYPE_CHECKING:
    from clconform.calls.values import Value
    from clconform.oracles.engine.wants import Want
    from clconform.oracles.queries.questions import Question

rules = Rules()


@rules.answer("CL_SAMPLER_CONTEXT", of=Sampler)
def context_of(sampler: Sampler, question: Question) -> Want | None:
    """The value is the context that the sampler was created in."""
    return named(question, sampler.context) if sampler.context is not None else None


@rules.answer("CL_SAMPLER_NORMALIZED_COORDS", of=Sampler)
def coordinates_of(sampler: Sampler, question: Question) -> Want | None:
    """The value is the one given at creation.

    It is CL_TRUE if the property list does not contain CL_SAMPLER_NORMALIZED_COORDS.
    """
    return _mode(question, sampler.normalized_coords)


@rules.answer("CL_SAMPLER_ADDRESSING_MODE", of=Sampler)
def addressing_of(sampler: Sampler, question: Question) -> Want | None:
    """The value is the addressing mode given at creation.

    It is CL_ADDRESS_CLAMP if the property list does not contain CL_SAMPLER_ADDRESSING_MODE.
    """
    return _mode(question, sampler.addressing_mode)


@rules.answer("CL_SAMPLER_FILTER_MODE", of=Sampler)
def filter_of(sampler: Sampler, question: Question) -> Want | None:
    """The value is the filter mode given at creation.

    It is CL_FILTER_NEAREST if the property list does not contain CL_SAMPLER_FILTER_MODE.
    """
    return _mode(question, sampler.filter_mode)


@rules.answer("CL_SAMPLER_PROPERTIES", of=Sampler)
def list_of(sampler: Sampler, question: Question) -> Want | None:
    """The value is the property list given at creation, in full and in the same order.

    It is empty if no list was given.
    """
    if sampler.filter_mode is None and not sampler.with_list:
        return None
    return either(question, list_echo(_to_its_end(sampler.properties) if sampler.with_list else None))


def _to_its_end(properties: Value) -> Value:
    """Return a property list without elements after its terminator; each value here is one number."""
    listed = read_list(properties)
    if not isinstance(properties, Items) or listed is None:
        return properties
    return Items(properties.values[: 2 * len(listed) + 1])


def _mode(question: Question, value: int | None) -> Want | None:
    return exactly(question, value) if value is not None else None
