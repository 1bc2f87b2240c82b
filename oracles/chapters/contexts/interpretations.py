"""Open points of section 4.4: which devices a context knows."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "associated-device",
        "5.1, 5.8: device associated with the context",
        "CL_INVALID_DEVICE and success are both allowed for a sub-device whose parent is in the context",
        "what 'associated' means for the descendants of a context's device is not defined, and the glossary lets "
        "a sub-device stand wherever its parent may",
    ),
)
