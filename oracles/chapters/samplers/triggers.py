"""Coverage points for the properties and modes of samplers (section 5.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.samplers.success import ADDRESSING, FILTER
from clconform.oracles.engine.rules import Rules
from clconform.oracles.recurring.property_lists import pairs
from clconform.spec_tables.records import Flag, Property

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.spec_tables import Tables

rules = Rules()

BY_LIST, BY_MODES = "clCreateSamplerWithProperties", "clCreateSampler"
GIVEN = {"cl_addressing_mode": (ADDRESSING, "addressing_mode"), "cl_filter_mode": (FILTER, "filter_mode")}
"""Type of a mode to the property and the parameter that pass it."""


@rules.completion
def _declare(rules: Rules, tables: Tables) -> None:
    for record in tables.records_of(BY_LIST):
        if isinstance(record, Property):
            words = "A sampler can be created with this property."
            holds = _listed(record.name)
            rules.trigger(record.id, BY_LIST, words, f"{BY_LIST}/success", holds=holds, by_success=True)
        elif isinstance(record, Flag):
            words = "A sampler can be created with this mode."
            of_list, parameter = GIVEN[record.type]
            for function, holds in (
                (BY_LIST, _listed(of_list, record.name)),
                (BY_MODES, _passed(parameter, record.name)),
            ):
                rules.trigger(record.id, function, words, f"{function}/success", holds=holds, by_success=True)


def _listed(name: str, value: str = "") -> Callable[[AnsweredCall], bool]:
    """Return a coverage condition: a list contains a property, with this value if given."""

    def holds(asked: AnsweredCall) -> bool:
        given = pairs(asked.call.sampler_properties)
        key = asked.model.value(name)
        return key in given and (not value or given[key] == asked.model.value(value))

    return holds


def _passed(parameter: str, value: str) -> Callable[[AnsweredCall], bool]:
    return lambda asked: bool(asked.call.arguments[parameter] == asked.model.value(value))


for _name in ("MIP_FILTER_MODE", "LOD_MIN", "LOD_MAX"):
    rules.untestable(
        f"CL_SAMPLER_{_name}_KHR/effect/1",
        "",
        "no query returns the value of a property that is not in the list",
    )
rules.untestable(
    f"{BY_LIST}/effect/4",
    "",
    "only programs that use the feature show it, which language tests cover",
)
for _number, _words in (
    (1, ""),
    (2, ""),
):
    rules.untestable(
        f"clReleaseSampler/effect/{_number}",
        _words,
        "a returned count is stale immediately, and a sampler without references cannot be queried",
    )
