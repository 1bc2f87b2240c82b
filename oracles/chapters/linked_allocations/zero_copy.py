"""Detection of maps that return a different address than the host_ptr of the mapped buffer.

A driver may use the memory at host_ptr for the map, but the documents do not require it.
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
    """Yield the maps at offset 0 that return a different address than the host_ptr of the mapped buffer.

    The documents require that the returned pointer is derived from host_ptr, but not that both are equal. Such a map is
    therefore a note and not a deviation.
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
