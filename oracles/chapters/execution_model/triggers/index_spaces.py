"""Which calls test what the execution model says of index spaces (section 3.2.1)."""

from __future__ import annotations

from clconform.oracles.chapters.execution.range_kernels import AT_AN_OFFSET, AT_ZERO, IN_GROUPS, WITH_A_REMAINDER
from clconform.oracles.engine.rules import Rules
from clconform.oracles.recurring.reads import shows

rules = Rules()

MODEL, MAPPING = "OpenCL:execution-model", "OpenCL:mapping-work-items-onto-an-nd-range"
LAUNCH, READ = "clEnqueueNDRangeKernel", "clEnqueueReadBuffer"
ANY, GIVEN = (AT_ZERO, AT_AN_OFFSET), (IN_GROUPS, WITH_A_REMAINDER)

for _record, _words, _numbers, _ways in (
    (f"{MODEL}/25", "Each work-item of a launch has run once.", (4, 16), ANY),
    (f"{MAPPING}/3", "Work-items have run in the whole range.", (4, 16), ANY),
    (f"{MAPPING}/4", "Without an offset, global ids count from 0.", (3,), (AT_ZERO,)),
    (f"{MAPPING}/5", "Global ids count from the offset to the end of the range.", (3, 16, 17), ANY),
    (f"{MAPPING}/6", "A dimension that is no multiple has two regions.", (12,), (WITH_A_REMAINDER,)),
    (f"{MAPPING}/7", "Work-groups of the first region have the given size.", (13,), (WITH_A_REMAINDER,)),
    (f"{MAPPING}/8", "Work-groups of the second region are smaller.", (14,), (WITH_A_REMAINDER,)),
    (f"{MAPPING}/9", "Local ids count from 0 to the size of the group.", (18, 19, 20), (IN_GROUPS,)),
    (f"{MAPPING}/10", "Ids of work-groups count from 0 to their number.", (5, 6, 12, 15), GIVEN),
    (f"{MAPPING}/12", "There are as many work-groups as it takes.", (5, 6, 12), GIVEN),
    (f"{MAPPING}/11", "Global ids follow from those of the group and the local ones.", (6,), (IN_GROUPS,)),
    (f"{MAPPING}/13", "Ids of the group follow from the global and the local ones.", (6,), (IN_GROUPS,)),
):
    _parents = tuple(f"{LAUNCH}/effect/{number}" for number in _numbers)
    rules.trigger(_record, READ, _words, *_parents, holds=shows(*_ways))
