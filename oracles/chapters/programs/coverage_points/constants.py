"""Coverage points for specialization constants, by buffer reads (section 5.8.3)."""

from __future__ import annotations

from clconform.oracles.chapters.programs.constants import REQUIREMENT_TEXTS
from clconform.oracles.common.readback_evidence import cover_capability
from clconform.oracles.engine.rules import Rules

rules = Rules()

for _record, _words in REQUIREMENT_TEXTS.items():
    rules.coverage_point(_record, "clEnqueueReadBuffer", _words, _record, holds=cover_capability(_record))
