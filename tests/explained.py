"""Requirements whose explanation is stored as text, one file each. ``python -m tests.explained`` writes them again.

The texts contain no results and no line numbers, which change with every edit. They name a fixed test instead of the
real ones.
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
SAMPLE_TEST = SourceLocation("tests/oracles/test_example.py", 0, "test_it")
"""Stands for all tests that name a requirement."""
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
def create_explainer() -> RequirementExplainer:
    """Return an explainer for the package's own tables, without results."""
    return RequirementExplainer(load())


def create_similar_explainer(
    tables: Tables,
    results: Sequence[tuple[str, reports.RunResult]] = (),
    read: Sequence[str] = ("_test_index", "_rule_index", "_test_names"),
) -> RequirementExplainer:
    """Return an explainer with other results, which reuses the parsed suites, oracle and tests of the first one."""
    again = RequirementExplainer(tables, results)
    for name in read:
        vars(again)[name] = getattr(create_explainer(), name)
    return again


def text_path(requirement: str) -> Path:
    """Return the path of the stored explanation of a requirement."""
    return FOLDER / f"{re.sub(r'[^A-Za-z0-9]+', '-', requirement)}.txt"


def normalise(explanation: RequirementExplanation) -> RequirementExplanation:
    """Return an explanation with line 0 for every source location, and with ``SAMPLE_TEST`` as its only test."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: 0 if name == "line" else plain(each) for name, each in value.items()}
        return [plain(each) for each in value] if isinstance(value, list) else value

    found = msgspec.convert(plain(msgspec.to_builtins(explanation)), RequirementExplanation)
    return msgspec.structs.replace(found, tests=[SAMPLE_TEST])


def current_text(requirement: str) -> str:
    """Return the explanation of a requirement as it is generated now."""
    return format_explanation(normalise(create_explainer().explain(requirement)), WIDTH).plain


if __name__ == "__main__":
    for file in FOLDER.glob("*.txt"):
        file.unlink()
    for each in IDS:
        text_path(each).write_text(current_text(each), encoding="utf-8")
