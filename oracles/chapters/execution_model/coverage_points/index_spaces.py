"""Coverage points of index spaces (section 3.2.1)."""

from __future__ import annotations

from clconform.oracles.chapters.execution.range_kernel_effects import (
    GIVEN_GROUP_SIZE,
    NON_UNIFORM_GROUPS,
    NON_ZERO_OFFSET,
    ZERO_OFFSET,
)
from clconform.oracles.common.readback_evidence import cover_capability
from clconform.oracles.engine.rules import Rules

rules = Rules()

MAPPING = "OpenCL:mapping-work-items-onto-an-nd-range"
LAUNCH, READ = "clEnqueueNDRangeKernel", "clEnqueueReadBuffer"
ANY_OFFSET, GIVEN_LOCAL_SIZE = (ZERO_OFFSET, NON_ZERO_OFFSET), (GIVEN_GROUP_SIZE, NON_UNIFORM_GROUPS)

for _record, _words, _numbers, _ways in (
    (
        "OpenCL:execution-model/25",
        "Checked on reads of the execution count and the ids that each work-item writes.",
        (4, 16),
        ANY_OFFSET,
    ),
    (
        "OpenCL:mapping-work-items-onto-an-nd-range/3",
        "Checked on reads of the execution count and the ids that each work-item writes.",
        (4, 16),
        ANY_OFFSET,
    ),
    (
        "OpenCL:mapping-work-items-onto-an-nd-range/4",
        "Checked on reads of global ids from a kernel enqueue without an offset.",
        (3,),
        (ZERO_OFFSET,),
    ),
    ("OpenCL:mapping-work-items-onto-an-nd-range/5", "Checked on reads of global ids.", (3, 16, 17), ANY_OFFSET),
    (
        "OpenCL:mapping-work-items-onto-an-nd-range/6",
        "Checked on reads of group counts from a kernel enqueue with non-uniform work-groups.",
        (12,),
        (NON_UNIFORM_GROUPS,),
    ),
    (
        "OpenCL:mapping-work-items-onto-an-nd-range/7",
        "Checked on reads of group sizes from a kernel enqueue with non-uniform work-groups.",
        (13,),
        (NON_UNIFORM_GROUPS,),
    ),
    (
        "OpenCL:mapping-work-items-onto-an-nd-range/8",
        "Checked on reads of group sizes from a kernel enqueue with non-uniform work-groups.",
        (14,),
        (NON_UNIFORM_GROUPS,),
    ),
    (
        "OpenCL:mapping-work-items-onto-an-nd-range/9",
        "Checked on reads of local ids from a kernel enqueue with uniform work-groups of a given size.",
        (18, 19, 20),
        (GIVEN_GROUP_SIZE,),
    ),
    (
        "OpenCL:mapping-work-items-onto-an-nd-range/10",
        "Checked on reads of group ids from a kernel enqueue with a given local_work_size.",
        (5, 6, 12, 15),
        GIVEN_LOCAL_SIZE,
    ),
    (
        "OpenCL:mapping-work-items-onto-an-nd-range/12",
        "Checked on reads of group counts from a kernel enqueue with a given local_work_size.",
        (5, 6, 12),
        GIVEN_LOCAL_SIZE,
    ),
    (
        "OpenCL:mapping-work-items-onto-an-nd-range/11",
        "Checked on reads of ids from a kernel enqueue with uniform work-groups of a given size.",
        (6,),
        (GIVEN_GROUP_SIZE,),
    ),
    (
        "OpenCL:mapping-work-items-onto-an-nd-range/13",
        "Checked on reads of ids from a kernel enqueue with uniform work-groups of a given size.",
        (6,),
        (GIVEN_GROUP_SIZE,),
    ),
):
    _parents = tuple(f"{LAUNCH}/effect/{number}" for number in _numbers)
    rules.coverage_point(_record, READ, _words, *_parents, holds=cover_capability(*_ways))
