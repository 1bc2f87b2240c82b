"""Interpretations of section 3.3: values that atomic operations may observe."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "outcomes-of-atomics",
        "3.3.9 and 3.3.9.1, two work-groups of one kernel enqueue that use the same atomic objects at "
        "memory_scope_device, or a kernel at memory_scope_all_svm_devices and the host with the atomic operations of C",
        "the allowed outcomes of a known kernel are those that the rules of 3.3.9 permit, if its operations have the "
        "meaning of their names in OpenCL C; each of them is allowed, however often it occurs, and even if it never "
        "does",
        "the rules are about operations and their orders, and the document of OpenCL C has the functions that perform "
        "them; the two sides need not run concurrently, so a missing outcome is inconclusive",
    ),
)
