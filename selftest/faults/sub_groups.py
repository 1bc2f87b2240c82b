"""Faults of kernel queries about sub-groups."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from clconform.calls.machine_words import unpack_words
from clconform.calls.values import Data
from clconform.oracles.chapters.kernels.query_results.sub_groups import (
    COMPILED,
    COUNT,
    LOCAL,
    SIMULATED_SIZE,
    SIZE,
)
from clconform.selftest.faults.registry import VALUE, Faults, SimulatedStep

if TYPE_CHECKING:
    from clconform.calls.call import Outcome
    from clconform.oracles.engine.matchers import Element

faults = Faults()

QUERY = "clGetKernelSubGroupInfo"


@faults.plant(QUERY, output=VALUE, succeeded=True)
def sub_groups_use_first_dimension_only(step: SimulatedStep) -> Outcome | None:
    """The size and the number of sub-groups are computed from the first dimension of the local size."""
    first, *others = _get_numbers(step) or (0,)
    if others and step.is_query(SIZE):
        return _with_elements(step, min(SIMULATED_SIZE, first))
    return _with_elements(step, -(-first // SIMULATED_SIZE)) if others and step.is_query(COUNT) else None


@faults.plant(QUERY, query=COUNT, succeeded=True)
def more_sub_groups_than_work_items(step: SimulatedStep) -> Outcome | None:
    """The number of sub-groups is one larger than the number of work-items."""
    return _with_elements(step, math.prod(_get_numbers(step)) + 1)


@faults.plant(QUERY, query=LOCAL, succeeded=True)
def sub_group_local_size_repeated(step: SimulatedStep) -> Outcome | None:
    """A local size for a number of sub-groups has the same value in all dimensions."""
    shown = step.outcome.outputs[VALUE].values
    return _with_elements(step, shown[0]) if shown else None


@faults.plant(QUERY, query=LOCAL, succeeded=True)
def local_size_for_excess_sub_groups(step: SimulatedStep) -> Outcome | None:
    """A local size is returned for more sub-groups than a work-group can have."""
    return _with_elements(step, 1) if _get_numbers(step) > (1 << 16,) else None


faults.plant(QUERY, query=COMPILED, succeeded=True).add(
    "required-sub-groups-always-one",
    "A kernel without a required number of sub-groups reports that it requires one sub-group.",
    lambda step: _with_elements(step, 1),
)


def _get_numbers(step: SimulatedStep) -> tuple[int, ...]:
    """Return the numbers in the input of a query."""
    given = step.argument("input_value", Data)
    return unpack_words(given.content, step.model.pointer_bytes) if given is not None else ()


def _with_elements(step: SimulatedStep, number: Element) -> Outcome | None:
    """Return the outcome of a query with each element of its value replaced by ``number``."""
    return step.with_values(VALUE, [number] * len(step.outcome.outputs[VALUE].values))
