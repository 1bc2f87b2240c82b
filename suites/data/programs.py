"""The machine that makes programs about contents, put together from its rules."""

from __future__ import annotations

from clconform.suites.data.buffer_rules import BufferRules
from clconform.suites.data.release_rules import ReleaseRules
from clconform.suites.data.shared_rules import SharedRules


class Programs(BufferRules, SharedRules, ReleaseRules):
    """Buffers, regions, areas, maps, shared memory and kernels, used and given back in any order."""
