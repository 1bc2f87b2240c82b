"""Markers (section 5.12): invalid variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.suites.errors.variations import Variation, Variations

if TYPE_CHECKING:
    from collections.abc import Iterator

variations = Variations()


@variations.of("clEnqueueMarker/CL_INVALID_VALUE/1")
def no_event() -> Iterator[Variation]:
    """Yield NULL in the place of the event."""
    yield Variation("without an event", {"event": None})
