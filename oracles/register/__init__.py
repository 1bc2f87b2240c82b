"""The register of interpretations: each point that the documents leave open, what is taken, and why.

A vendor who disagrees with a verdict argues with one entry of this list. An entry allows more, never less, than the
clause by itself: it turns a *must* into a *may*, says which of several readings still counts as a failure, or that a
call is never made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.register import (
    buffers,
    bus_memory,
    everywhere,
    memory_objects,
    platform_layer,
    programs,
    queues,
    shared_memory,
    unified_shared_memory,
)

if TYPE_CHECKING:
    from clconform.calls.journal import Interpretation

_CHAPTERS = (
    everywhere,
    platform_layer,
    queues,
    buffers,
    memory_objects,
    shared_memory,
    programs,
    unified_shared_memory,
    bus_memory,
)

REGISTER: dict[str, Interpretation] = {entry.point: entry for chapter in _CHAPTERS for entry in chapter.ENTRIES}
