"""Contributes the traces of a runtime to the journal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from clconform.calls.linked_allocations import TraceLine
from clconform.runner.journal.line_contributor import LineContributor

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.line_kinds import ExtraLine


class TraceContributor(LineContributor):
    """Contributes the first trace of each item, and all traces with violations."""

    def __init__(self) -> None:
        self._has_trace = False

    def begin_item(self) -> None:
        """Forget the traces of the previous item."""
        self._has_trace = False

    def on_sequence_evidence(self, item: str, line: ExtraLine) -> Iterator[ExtraLine]:
        """Yield the line of a trace with its item, if it is the first of the item, or has violations."""
        if isinstance(line, TraceLine) and (line.violations or not self._has_trace):
            self._has_trace = True
            yield replace(line, item=item)
