"""Untestable requirements of chapter 3, with the reasons."""

from __future__ import annotations

from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wording import PERMISSION

rules = Rules()

SHARED = "OpenCL:lifetime-of-shared"
FOREIGN_OBJECTS = "it needs objects of {}, which this suite does not create"
ANY_TYPE = "every tested device is checked against each requirement of sections 3.2 and 3.3"
SCOPE_ONLY = (
    "it only names the memory that the other requirements of its section cover, which are tested with "
    "buffers, images and shared memory"
)
OLDER_VERSIONS = (
    "a device meets the applicability conditions of older versions, so each of their requirements is checked"
)
EVERY_FUNCTION = "a missing function violates a requirement of its own, named FUNCTION/success"
OVERLAPPING_ACCESSES = (
    "only accesses that overlap between two synchronization points could show it, and no call can force these"
)
LANGUAGE_FEATURE = "only programs that use the feature show it, and language tests cover these programs"
NEWEST_VERSION = (
    "a device that reports all versions also reports the newest compatible version; on other devices no "
    "query returns the other versions"
)
INITIALIZERS = "only the language documents define which initializers need a separate kernel"

for _record, _words, _reason in (
    ("OpenCL:platform-model/3", "", ANY_TYPE),
    (
        "OpenCL:execution-model/1",
        "After an abnormal termination, the queues of the context may be unusable.",
        PERMISSION,
    ),
    (
        "OpenCL:execution-model/2",
        "Initializers of program scope variables may run in separate kernels, which the application does not enqueue.",
        INITIALIZERS,
    ),
    ("OpenCL:execution-model/3", "Kernels that initialize a program run before its other kernels.", INITIALIZERS),
    ("OpenCL:execution-model/4", "Kernels that initialize several linked programs run in any order.", PERMISSION),
    ("OpenCL:execution-model/5", "Kernels that clean up after several linked programs run in any order.", PERMISSION),
    ("OpenCL:execution-model/21", "", PERMISSION),
    (
        "OpenCL:mapping-work-items-onto-an-nd-range/1",
        "The assignment of work-items to sub-groups is implementation-defined.",
        PERMISSION,
    ),
    (
        "OpenCL:device-side-enqueue/1",
        "If several child kernels fail, the parent kernel may have the error of any of them.",
        PERMISSION,
    ),
    (
        "OpenCL:device-side-enqueue/3",
        "",
        "no kernel fails reliably: the causes of failure are undefined or implementation-defined",
    ),
    ("OpenCL:categories-of-kernels/1", "The behaviour of native kernels is implementation-defined.", PERMISSION),
    ("OpenCL:categories-of-kernels/2", "The behaviour of built-in kernels is implementation-defined.", PERMISSION),
    (
        "OpenCL:memory-objects/1",
        "The implementation manages the storage of memory objects.",
        "no call shows where the contents of an object are stored",
    ),
    (
        "OpenCL:host-side-and-device-side-commands/1",
        "Without SVM atomics, the host and devices can concurrently read the same bytes and write different ones.",
        OVERLAPPING_ACCESSES,
    ),
    (
        "OpenCL:host-side-and-device-side-commands/16",
        "",
        "the callbacks of the suites only record their arguments and do not read memory",
    ),
    (
        "OpenCL:host-side-and-device-side-commands/17",
        "",
        "only fine-grained memory that changes during a wait shows it, and the model records contents only at calls",
    ),
    ("OpenCL:host-side-and-device-side-commands/18", "", OVERLAPPING_ACCESSES),
    ("OpenCL:version-numbers/3", "", "no other query returns the patch version"),
    ("OpenCL:categories-of-kernels/4", "", "the native kernels of the suites only record their arguments"),
    ("OpenCL:shared-virtual-memory/3", "", LANGUAGE_FEATURE),
    ("OpenCL:host-side-and-device-side-commands/2", "", SCOPE_ONLY),
    ("OpenCL:mixed-version-support/2", "", NEWEST_VERSION),
    ("OpenCL:backwards-compatibility/5", "A platform of version 3.0 has all functions of 3.0.", EVERY_FUNCTION),
    ("OpenCL:backwards-compatibility/10", "", LANGUAGE_FEATURE),
    ("OpenCL:backwards-compatibility/11", "", LANGUAGE_FEATURE),
    (
        "OpenCL:valid-usage-and-undefined-behavior/1",
        "Invalid usage does not harm the system, the implementation or other programs.",
        "the suites never make calls with undefined behaviour",
    ),
    ("OpenCL:backwards-compatibility/2", "A device of version 2.0 meets the requirements of 1.2.", OLDER_VERSIONS),
    (
        "OpenCL:backwards-compatibility/3",
        "A device of version 2.1 or 2.2 meets the requirements of 2.0.",
        OLDER_VERSIONS,
    ),
    *((f"{SHARED}-direct3d-memory-objects/{number}", "", FOREIGN_OBJECTS.format("Direct3D")) for number in (1, 2, 3)),
    *((f"{SHARED}-eglimage-objects/{number}", "", FOREIGN_OBJECTS.format("EGL")) for number in (1, 2)),
    ("OpenCL:lifetime-of-shared-opencl-opengl-memory-objects/1", "", FOREIGN_OBJECTS.format("OpenGL")),
):
    rules.untestable(_record, _words, _reason)
