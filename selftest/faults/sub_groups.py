"""Faults of kernel queries about sub-groups."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Call, Outcome, Returned
from clconform.calls.values import Data
from clconform.oracles.chapters.kernels.query_results.sub_groups import (
    COMPILED,
    COUNT,
    LOCAL,
    SIMULATED_SIZE,
    SIZE,
    WORD,
)
from clconform.selftest.faults.registry import Faults

if TYPE_CHECKING:
    from clconform.oracles.engine.matchers import Element
    from clconform.simulator.platform import Simulation

faults = Faults()


@faults.plant
def sub_groups_use_first_dimension_only(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The size and the number of sub-groups are computed from the first dimension of the local size."""
    numbers = _get_numbers(call)
    if len(numbers) > 1 and _is_query(SIZE, simulation, call):
        return _with_query_number(min(SIMULATED_SIZE, numbers[0]), outcome)
    several = len(numbers) > 1 and _is_query(COUNT, simulation, call)
    return _with_query_number(-(-numbers[0] // SIMULATED_SIZE), outcome) if several else outcome


@faults.plant
def more_sub_groups_than_work_items(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The number of sub-groups is one larger than the number of work-items."""
    asked = _is_query(COUNT, simulation, call)
    return _with_query_number(math.prod(_get_numbers(call)) + 1, outcome) if asked else outcome


@faults.plant
def sub_group_local_size_repeated(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A local size for a number of sub-groups has the same value in all dimensions."""
    if not _is_query(LOCAL, simulation, call) or not isinstance(outcome, Returned):
        return outcome
    shown = outcome.outputs.get("param_value")
    return _with_query_number(shown.values[0], outcome) if shown is not None and shown.values else outcome


@faults.plant
def local_size_for_excess_sub_groups(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A local size is returned for more sub-groups than a work-group can have."""
    asked = _is_query(LOCAL, simulation, call)
    return _with_query_number(1, outcome) if asked and _get_numbers(call) > (1 << 16,) else outcome


@faults.plant
def required_sub_groups_always_one(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A kernel without a required number of sub-groups reports that it requires one sub-group."""
    asked = _is_query(COMPILED, simulation, call)
    return _with_query_number(1, outcome) if asked else outcome


def _is_query(query: str, simulation: Simulation, call: Call) -> bool:
    return call.function == "clGetKernelSubGroupInfo" and call.param_name == simulation.model.constant_value(query)


def _get_numbers(call: Call) -> tuple[int, ...]:
    """Return the numbers in the input of a query."""
    given = call.arguments.get("input_value")
    return tuple(number for (number,) in WORD.iter_unpack(given.content)) if isinstance(given, Data) else ()


def _with_query_number(number: Element, outcome: Outcome) -> Outcome:
    """Return the outcome of a query with each element of its value replaced by ``number``."""
    shown = outcome.outputs.get("param_value") if isinstance(outcome, Returned) and outcome.value == 0 else None
    if shown is None or not isinstance(outcome, Returned):
        return outcome
    changed = msgspec.structs.replace(shown, values=[number] * len(shown.values))
    return outcome.with_outputs(param_value=changed)
