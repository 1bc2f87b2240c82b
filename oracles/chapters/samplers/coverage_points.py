"""Coverage points for the properties and modes of samplers (section 5.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.samplers.postconditions import ADDRESSING, FILTER
from clconform.oracles.common.property_lists import list_values
from clconform.oracles.engine.rules import Rules
from clconform.spec_tables.requirements import Flag, Property

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.spec_tables import Tables

rules = Rules()

CREATE_WITH_PROPERTIES, CREATE = "clCreateSamplerWithProperties", "clCreateSampler"
MODE_SOURCES = {"cl_addressing_mode": (ADDRESSING, "addressing_mode"), "cl_filter_mode": (FILTER, "filter_mode")}
"""Maps each type of a mode to the property and the parameter that take values of this type."""


@rules.completion
def _declare_creation(rules: Rules, tables: Tables) -> None:
    for requirement in tables.requirements_of(CREATE_WITH_PROPERTIES):
        if isinstance(requirement, Property):
            words = f"A sampler can be created with the property {requirement.name}."
            holds = _lists_property(requirement.name)
            rules.coverage_point(
                requirement.id,
                CREATE_WITH_PROPERTIES,
                words,
                "clCreateSamplerWithProperties/success",
                holds=holds,
                requires_success=True,
            )
        elif isinstance(requirement, Flag):
            words = f"A sampler can be created with the mode {requirement.name}."
            of_list, parameter = MODE_SOURCES[requirement.type]
            for function, holds in (
                (CREATE_WITH_PROPERTIES, _lists_property(of_list, requirement.name)),
                (CREATE, _passes_mode(parameter, requirement.name)),
            ):
                rules.coverage_point(
                    requirement.id, function, words, f"{function}/success", holds=holds, requires_success=True
                )


def _lists_property(name: str, value: str = "") -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: sampler_properties contains the property ``name``.

    ``value``: the required value of the property; empty for any value.
    """

    def holds(asked: CompletedCall) -> bool:
        given = list_values(asked.call.sampler_properties)
        key = asked.model.constant_value(name)
        return key in given and (not value or given[key] == asked.model.constant_value(value))

    return holds


def _passes_mode(parameter: str, value: str) -> Callable[[CompletedCall], bool]:
    return lambda asked: bool(asked.call.arguments[parameter] == asked.model.constant_value(value))


for _requirement in (
    "CL_SAMPLER_MIP_FILTER_MODE_KHR/effect/1",
    "CL_SAMPLER_LOD_MIN_KHR/effect/1",
    "CL_SAMPLER_LOD_MAX_KHR/effect/1",
):
    rules.untestable(_requirement, "", "no query returns the value of a property that is not in the list")
rules.untestable(
    "clCreateSamplerWithProperties/effect/4",
    "",
    "only programs that use the feature show it, and language tests cover these programs",
)
for _requirement in ("clReleaseSampler/effect/1", "clReleaseSampler/effect/2"):
    rules.untestable(
        _requirement,
        "",
        "a returned count is stale immediately, and a sampler without references cannot be queried",
    )
