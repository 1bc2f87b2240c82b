"""Open points of section 3.3: which values atomic operations may see."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "outcomes-of-atomics",
        "3.3.9 and 3.3.9.1, two work-groups of one launch that work on the same atomic objects at memory_scope_device, "
        "or a kernel at memory_scope_all_svm_devices and the host with the atomic operations of C",
        "the outcomes of a known kernel are those that the rules of 3.3.9 leave, where its operations mean what their "
        "names in OpenCL C say; each of them is right, however often it comes up, and even if it never does",
        "the rules speak of operations and their orders, and the functions that make them are in the document of "
        "OpenCL C; the two sides need not run at the same time, so that an outcome which is not seen proves nothing",
    ),
)
