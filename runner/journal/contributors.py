"""Registers the contributors of extra journal lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.runner.journal.image_formats import FormatContributor
from clconform.runner.journal.partitions import PartitionContributor
from clconform.runner.linked_allocations.trace_lines import TraceContributor

if TYPE_CHECKING:
    from clconform.runner.journal.line_contributor import LineContributor


def create_contributors() -> list[LineContributor]:
    """Return a new contributor for each kind of extra line, in the order of their lines at the end of an item."""
    return [TraceContributor(), PartitionContributor(), FormatContributor()]
