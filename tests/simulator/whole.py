"""Which simulated platforms the whole suite is run on, once for all tests that look at such a run."""

from __future__ import annotations

from clconform.simulator.topologies import TOPOLOGIES

BOTH = "unified-all"
WHOLE = [name for name in TOPOLOGIES if name == BOTH or not name.startswith(("bus-", "unified-"))]
"""All that differ in more than the functions of one document: what is about these functions is run on the others in
``test_bus_memory.py`` and ``test_unified_memory.py``."""
