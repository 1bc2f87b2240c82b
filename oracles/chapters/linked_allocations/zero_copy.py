"""Detection of maps that do not use the host memory of an allocation.

A driver may use this memory for the map, but the documents do not require it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Returned
from clconform.calls.values import Handle
from clconform.oracles.chapters.linked_allocations.trace_steps import CREATING, MAPPING, handle_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clconform.calls.call import Call, Step

ELSEWHERE = "maps memory that was made on the host's at another address"


def maps_elsewhere(steps: Iterable[Step]) -> Iterator[Call]:
    """Yield the maps of allocations on host memory that begin at offset 0, but return another address.

    The returned pointer is derived from host_ptr, but rules do not require that both are equal. Such a map is therefore
    a note and not a deviation.
    """
    on_host: dict[str, str] = {}
    for step in steps:
        call, outcome = step.call, step.outcome
        if not isinstance(outcome, Returned) or not isinstance(outcome.value, str):
            continue
        pointer = call.arguments.get("host_ptr")
        if call.function in CREATING and isinstance(pointer, Handle):
            on_host[outcome.value] = pointer.name
        elif call.function in MAPPING and call.arguments.get("offset") == 0:
            handle = handle_name(call.arguments.get("buffer"))
            if on_host.get(handle, outcome.value) != outcome.value:
                yield call
