"""The range of a launch: how many work-items it has, where their global ids start, and how large work-groups are."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clconform.calls.values import Items
from clconform.oracles.engine.answers import May, Reply
from clconform.oracles.model.errors import UnknownError

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.answers import Predicate
    from clconform.oracles.model.world import Model

TASK = "clEnqueueTask"
ARRAYS = ("global_work_offset", "global_work_size", "local_work_size")
"""Parameters with one value for each dimension."""
Sizes = tuple[int, ...]


@dataclass(frozen=True)
class Range:
    """The range of a launch, with one number for each dimension in each array (section 5.10).

    ``local``: the size of a work-group; None where the implementation chooses it.
    """

    offset: Sizes
    sizes: Sizes
    local: Sizes | None

    @property
    def dimensions(self) -> int:
        """Return how many dimensions it has."""
        return len(self.sizes)

    @property
    def work_items(self) -> int:
        """Return how many work-items it has."""
        return math.prod(self.sizes)

    @property
    def uniform(self) -> bool:
        """Return whether all work-groups have the given size."""
        return self.local is not None and not any(map(_rest, self.sizes, self.local))


def _rest(size: int, local: int) -> int:
    return size % local if local else size


def range_of(call: Call) -> Range:
    """Return the range of a launch; UnknownError where it has none, or not as many numbers as dimensions."""
    if call.function == TASK:
        return Range((0,), (1,), (1,))
    sizes = numbers(call, "global_work_size")
    if sizes is None:
        raise UnknownError("global_work_size")
    offset = numbers(call, "global_work_offset") or (0,) * len(sizes)
    return Range(offset, sizes, numbers(call, "local_work_size"))


def numbers(call: Call, name: str) -> Sizes | None:
    """Return what an array holds for each dimension, None for NULL; UnknownError where it holds less."""
    given = call.arguments.get(name)
    if given is None:
        return None
    found = [each for each in given.values if isinstance(each, int)] if isinstance(given, Items) else []
    if not 0 < call.work_dim <= len(found):
        raise UnknownError(name)
    return tuple(found[: call.work_dim])


def is_empty(call: Call) -> bool:
    """Return whether a launch has no work-items: global_work_size is NULL, or 0 in a dimension."""
    if call.function == TASK:
        return False
    return call.global_work_size is None or 0 in (numbers(call, "global_work_size") or ())


def ends_too_early(call: Call) -> bool:
    """Return whether an array has fewer elements than work_dim says."""
    given = (call.arguments.get(name) for name in ARRAYS)
    return any(isinstance(each, Items) and len(each.values) < call.work_dim for each in given)


def of_work_items(predicate: Predicate) -> Predicate:
    """Let a clause of a launch be open where there are no work-items: since 2.1 such a launch succeeds trivially."""

    @functools.wraps(predicate)
    def holds(call: Call, model: Model) -> Reply:
        return May("range-without-work-items") if is_empty(call) else predicate(call, model)

    return holds
