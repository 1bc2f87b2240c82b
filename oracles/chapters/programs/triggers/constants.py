"""Coverage points for specialization constants, by buffer reads (section 5.8.3)."""

from __future__ import annotations

from clconform.oracles.chapters.programs.constants import SHOWN
from clconform.oracles.engine.rules import Rules
from clconform.oracles.recurring.reads import shows

rules = Rules()

for _record, _words in SHOWN.items():
    rules.trigger(_record, "clEnqueueReadBuffer", _words, _record, holds=shows(_record))
