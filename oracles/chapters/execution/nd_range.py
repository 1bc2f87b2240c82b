"""The range of a kernel enqueue: the number of work-items, the global offset and the size of work-groups."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clconform.calls.values import ElementList
from clconform.oracles.engine.predicate_result import Predicate, PredicateResult, may
from clconform.oracles.model.errors import UnknownFactError

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

TASK = "clEnqueueTask"
SIZE_PARAMETERS = ("global_work_offset", "global_work_size", "local_work_size")
"""Parameters that are arrays with one value per dimension."""
Sizes = tuple[int, ...]


@dataclass(frozen=True)
class NDRange:
    """The range of a kernel enqueue, with one number per dimension in each tuple (section 5.10).

    ``local``: the size of a work-group; None if the implementation chooses it.
    """

    offset: Sizes
    sizes: Sizes
    local: Sizes | None

    @property
    def dimensions(self) -> int:
        """Return the number of dimensions."""
        return len(self.sizes)

    @property
    def work_items(self) -> int:
        """Return the number of work-items."""
        return math.prod(self.sizes)

    @property
    def uniform(self) -> bool:
        """Return whether all work-groups have the size ``local``."""
        return self.local is not None and not any(map(_remainder, self.sizes, self.local))


def _remainder(size: int, local: int) -> int:
    return size % local if local else size


def read_range(call: Call) -> NDRange:
    """Return the range of a kernel enqueue.

    Raise UnknownFactError if global_work_size is NULL or if an array is shorter than work_dim.
    """
    if call.function == TASK:
        return NDRange((0,), (1,), (1,))
    sizes = read_sizes(call, "global_work_size")
    if sizes is None:
        raise UnknownFactError("global_work_size")
    offset = read_sizes(call, "global_work_offset") or (0,) * len(sizes)
    return NDRange(offset, sizes, read_sizes(call, "local_work_size"))


def read_sizes(call: Call, name: str) -> Sizes | None:
    """Return the values of an array, one per dimension; None for NULL.

    Raise UnknownFactError if the array is shorter than work_dim.
    """
    given = call.arguments.get(name)
    if given is None:
        return None
    found = [each for each in given.values if isinstance(each, int)] if isinstance(given, ElementList) else []
    if not 0 < call.work_dim <= len(found):
        raise UnknownFactError(name)
    return tuple(found[: call.work_dim])


def is_empty(call: Call) -> bool:
    """Return whether a kernel enqueue has no work-items: global_work_size is NULL or 0 in a dimension."""
    if call.function == TASK:
        return False
    return call.global_work_size is None or 0 in (read_sizes(call, "global_work_size") or ())


def is_array_too_short(call: Call) -> bool:
    """Return whether one of the arrays in ``SIZE_PARAMETERS`` has fewer elements than work_dim."""
    given = (call.arguments.get(name) for name in SIZE_PARAMETERS)
    return any(isinstance(each, ElementList) and len(each.values) < call.work_dim for each in given)


def optional_if_empty(predicate: Predicate) -> Predicate:
    """Make an error condition optional for kernel enqueues without work-items.

    Since version 2.1 an enqueue without work-items succeeds trivially.
    """

    @functools.wraps(predicate)
    def holds(call: Call, model: Model) -> PredicateResult:
        return may("range-without-work-items") if is_empty(call) else predicate(call, model)

    return holds
