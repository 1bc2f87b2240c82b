"""The records whose explanation is kept as text, each in a file; ``python -m tests.explained`` writes them again.

Lines of files are left out, since they change with every edit, and so are the tests that name a record and results.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from clconform.spec_tables import load
from clconform.tools.explain.explainer import RequirementExplainer
from clconform.tools.explain.explanation import RequirementExplanation, SourceLocation
from clconform.tools.explain.explanation_text import format_explanation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform import reports
    from clconform.spec_tables import Tables

FOLDER = Path(__file__).parent / "snapshots" / "explain"
WIDTH = 80
A_TEST = SourceLocation("tests/oracles/test_example.py", 0, "test_it")
"""Stands for all tests that name a record."""
IDS = (
    "clCreateSubDevices/CL_INVALID_VALUE/2",
    "clCreateBuffer/CL_INVALID_CONTEXT/1",
    "clCreateSubBuffer/alignment/1",
    "clCreateImage/CL_OUT_OF_HOST_MEMORY/1",
    "clCreateImage/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1",
    "clFlush/success",
    "clGetPlatformInfo/effect/1",
    "CL_DEVICE_IMAGE_PITCH_ALIGNMENT",
    "CL_DEVICE_MAX_COMPUTE_UNITS/limit/1",
    "CL_DEVICE_PARTITION_BY_COUNTS_EXT",
    "cl_mem_flags:CL_MEM_READ_WRITE",
    "cl_intel_unified_shared_memory:host/access/host",
    "clEnqueueWaitSignalAMD/CL_INVALID_VALUE/1",
    "linked-allocations:brief-overview-of-allocations-for-memory-objects/1",
    "clSetEventCallback/pfn_notify",
)


@functools.cache
def known() -> RequirementExplainer:
    """Return what is known about the records of the package's own tables, without a result."""
    return RequirementExplainer(load())


def known_before(
    tables: Tables,
    results: Sequence[tuple[str, reports.RunResult]] = (),
    read: Sequence[str] = ("_test_index", "_rule_index", "_test_names"),
) -> RequirementExplainer:
    """Return what is known with other results: the suites, the oracle and the tests have been read before."""
    again = RequirementExplainer(tables, results)
    for name in read:
        vars(again)[name] = getattr(known(), name)
    return again


def file_of(record: str) -> Path:
    """Return the file of a record's text."""
    return FOLDER / f"{re.sub(r'[^A-Za-z0-9]+', '-', record)}.txt"


def lasting(told: RequirementExplanation) -> RequirementExplanation:
    """Return an explanation in which every place stands on line 0, and one test names the record."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: 0 if name == "line" else plain(each) for name, each in value.items()}
        return [plain(each) for each in value] if isinstance(value, list) else value

    found = msgspec.convert(plain(msgspec.to_builtins(told)), RequirementExplanation)
    return msgspec.structs.replace(found, tests=[A_TEST])


def current(record: str) -> str:
    """Return a record's text as it is now."""
    return format_explanation(lasting(known().explain(record)), WIDTH).plain


if __name__ == "__main__":
    for file in FOLDER.glob("*.txt"):
        file.unlink()
    for each in IDS:
        file_of(each).write_text(current(each), encoding="utf-8")
