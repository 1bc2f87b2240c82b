"""The host memory that a program's existing buffers use."""

from __future__ import annotations

from bisect import bisect_left, insort
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.oracles.model.state import Model
    from clconform.recording.file_format import CallEntry

CREATE_BUFFER = ("clCreateBuffer", "clCreateBufferWithProperties")
MAX_AREAS = 4096
"""The maximum number of stored areas."""


class HostAreas:
    """Areas of host memory by the names of their buffers: the addresses of the first byte, and after the last one.

    ``HostMemoryRaces`` has areas of its own, which also contain those of deleted objects and of images.
    """

    def __init__(self) -> None:
        self._areas: dict[str, tuple[int, int]] = {}
        self._sorted: list[tuple[int, int, str]] = []
        self._longest = 0

    def note_created(self, entered: CallEntry, name: str, model: Model) -> str:
        """Note a new buffer, and return the name of an existing buffer with the same bytes; empty if there is none."""
        given = entered.arguments
        if entered.function not in CREATE_BUFFER or not given["host_ptr"].bits:
            return ""
        if not given["flags"].bits & model.constant_value("CL_MEM_USE_HOST_PTR"):
            return ""
        start = given["host_ptr"].bits
        end = start + given["size"].bits
        other = next((each for each in self._overlapping(start, end) if _exists(each, model)), "")
        if len(self._areas) >= MAX_AREAS:
            self._drop_deleted(model)
        if len(self._areas) < MAX_AREAS:
            self._areas[name] = start, end
            insort(self._sorted, (start, end, name))
            self._longest = max(self._longest, end - start)
        return other

    def are_overlapping(self, name: str, other: str) -> bool:
        """Return whether two buffers use a common byte of host memory."""
        one, two = self._areas.get(name), self._areas.get(other)
        return one is not None and two is not None and one[0] < two[1] and two[0] < one[1]

    def _overlapping(self, start: int, end: int) -> Iterator[str]:
        """Yield the names of the buffers, also deleted ones, with bytes from ``start`` up to ``end``."""
        for position in range(bisect_left(self._sorted, (end,)) - 1, -1, -1):
            first, last, name = self._sorted[position]
            if first + self._longest <= start:
                return
            if last > start:
                yield name

    def _drop_deleted(self, model: Model) -> None:
        self._areas = {each: area for each, area in self._areas.items() if _exists(each, model)}
        self._sorted = sorted((*area, name) for name, area in self._areas.items())
        self._longest = max((end - start for start, end in self._areas.values()), default=0)


def _exists(name: str, model: Model) -> bool:
    thing = model.objects.get(name)
    return thing is not None and thing.references > 0
