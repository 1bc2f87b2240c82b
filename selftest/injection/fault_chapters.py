"""Chapters of faults: the first two numbers of the section of the fault's function, or the function's document."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from clconform.selftest.injection.fault import Fault
    from clconform.spec_tables import Tables

CORE = "OpenCL"
QUERIES = "queries"
"""The chapter of query functions in sections other than those in ``COVERED``."""
COVERED = (
    "4.1",
    "4.2",
    "4.3",
    "4.4",
    "5.1",
    "5.2",
    "5.3",
    "5.4",
    "5.5",
    "5.6",
    "5.7",
    "5.8",
    "5.9",
    "5.10",
    "5.11",
    "5.12",
    "5.16",
    "cl_ext_device_fission",
    "cl_intel_unified_shared_memory",
    QUERIES,
)
"""The sections that the suites cover (see README); each of them is a chapter."""


def chapter_of(fault: Fault, tables: Tables) -> str:
    """Return the chapter of a fault."""
    function = tables.functions[fault.function]
    if function.document != CORE:
        return function.document
    section = ".".join(function.section.number.split(".")[:2])
    return QUERIES if function.queries and section not in COVERED else section


def is_in(fault: Fault, chapters: Collection[str], tables: Tables) -> bool:
    """Return whether a fault is in one of these chapters; ``4`` stands for all chapters that begin with ``4.``."""
    chapter = chapter_of(fault, tables)
    return any(chapter == wanted or chapter.startswith(f"{wanted}.") for wanted in chapters)
