"""The kinds of journal lines: the general ones, and the extra ones, each about one subject only."""

from __future__ import annotations

from typing import TypeAlias, Union

from clconform.calls.image_formats import FormatLine
from clconform.calls.journal import (
    CapabilityLine,
    Confirmation,
    Deviation,
    FirstObservation,
    ImplementationNote,
    ItemEnd,
    KilledProcess,
    PlatformLine,
    Resumed,
    RunEnd,
    RunHeader,
    Selection,
)
from clconform.calls.linked_allocations import TraceLine
from clconform.calls.partitions import PartitionLine

ExtraLine: TypeAlias = TraceLine | PartitionLine | FormatLine
"""The lines of an item about one subject, for a section of the report.

Contributors of the runner write them (``runner/journal/contributors.py``), sections of the report show them
(``reports/report_sections.py``), and no other module depends on their kinds.
"""

JournalLine = Union[  # noqa: UP007 (msgspec reads it at run time)
    RunHeader,
    PlatformLine,
    CapabilityLine,
    FirstObservation,
    Deviation,
    KilledProcess,
    ImplementationNote,
    ExtraLine,
    Confirmation,
    ItemEnd,
    Selection,
    Resumed,
    RunEnd,
]
