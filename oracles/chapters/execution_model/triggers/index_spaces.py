"""Coverage points of index spaces (section 3.2.1)."""

from __future__ import annotations

from clconform.oracles.chapters.execution.range_kernels import AT_AN_OFFSET, AT_ZERO, IN_GROUPS, WITH_A_REMAINDER
from clconform.oracles.engine.rules import Rules
from clconform.oracles.recurring.reads import shows

rules = Rules()

MODEL, MAPPING = "OpenCL:execution-model", "OpenCL:mapping-work-items-onto-an-nd-range"
LAUNCH, READ = "clEnqueueNDRangeKernel", "clEnqueueReadBuffer"
ANY, GIVEN = (AT_ZERO, AT_AN_OFFSET), (IN_GROUPS, WITH_A_REMAINDER)

for _record, _words, _numbers, _ways in (
    (f"{MODEL}/25", "Checked on reads of the count and ids that each work-item writes.", (4, 16), ANY),
    (f"{MAPPING}/3", "Checked on reads of the count and ids that each work-item writes.", (4, 16), ANY),
    (f"{MAPPING}/4", "Checked on reads of global ids from a kernel enqueue without an offset.", (3,), (AT_ZERO,)),
    (f"{MAPPING}/5", "Checked on reads of global ids.", (3, 16, 17), ANY),
    (
        f"{MAPPING}/6",
        "Checked on reads of group counts from a kernel enqueue with non-uniform work-groups.",
        (12,),
        (WITH_A_REMAINDER,),
    ),
    (
        f"{MAPPING}/7",
        "Checked on reads of group sizes from a kernel enqueue with non-uniform work-groups.",
        (13,),
        (WITH_A_REMAINDER,),
    ),
    (
        f"{MAPPING}/8",
        "Checked on reads of group sizes from a kernel enqueue with non-uniform work-groups.",
        (14,),
        (WITH_A_REMAINDER,),
    ),
    (
        f"{MAPPING}/9",
        "Checked on reads of local ids from a kernel enqueue with uniform work-groups of a given size.",
        (18, 19, 20),
        (IN_GROUPS,),
    ),
    (
        f"{MAPPING}/10",
        "Checked on reads of group ids from a kernel enqueue with a given local_work_size.",
        (5, 6, 12, 15),
        GIVEN,
    ),
    (
        f"{MAPPING}/12",
        "Checked on reads of group counts from a kernel enqueue with a given local_work_size.",
        (5, 6, 12),
        GIVEN,
    ),
    (
        f"{MAPPING}/11",
        "Checked on reads of ids from a kernel enqueue with uniform work-groups of a given size.",
        (6,),
        (IN_GROUPS,),
    ),
    (
        f"{MAPPING}/13",
        "Checked on reads of ids from a kernel enqueue with uniform work-groups of a given size.",
        (6,),
        (IN_GROUPS,),
    ),
):
    _parents = tuple(f"{LAUNCH}/effect/{number}" for number in _numbers)
    rules.trigger(_record, READ, _words, *_parents, holds=shows(*_ways))
