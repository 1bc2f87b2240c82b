"""What no call can show of chapter 3, each with its reason."""

from __future__ import annotations

from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wording import PERMISSION

rules = Rules()

MODEL = "OpenCL:execution-model"
SHARED = "OpenCL:lifetime-of-shared"
OTHERS_OBJECTS = "it needs objects of {}, which this suite does not create"
ANY_TYPE = "whatever device is tested is judged by the records of sections 3.2 and 3.3, one by one"
EXTENDS = (
    "it says to which memory the other records of its section apply, which are tested with buffers, images and shared"
    " memory"
)
OLDER = "a device meets the gates of older versions, so that their records are judged on it one by one"
EVERY_FUNCTION = "a function that is missing deviates from a record of its own, which is named after it and success"
OVERLAPS = "only accesses that overlap between two synchronization points could show it, and no call can force these"
BY_THE_LANGUAGE = "only programs that use the feature show it, which the suites leave to tests of the language"
NEWEST = "a device that tells all its versions names the newest compatible one, and of others no query tells the rest"
INITIALIZERS = "which initializers need such a kernel is left to languages that the documents do not describe"

for _record, _words, _reason in (
    ("OpenCL:platform-model/3", "A device of any type works as sections 3.2 and 3.3 say.", ANY_TYPE),
    (f"{MODEL}/1", "After an abnormal end, the queues of the context may not be usable any more.", PERMISSION),
    (f"{MODEL}/2", "Initializers of program scope variables may be run by kernels of their own.", INITIALIZERS),
    (f"{MODEL}/3", "Kernels that initialize a program run before its other kernels.", INITIALIZERS),
    (f"{MODEL}/4", "Kernels that initialize several linked programs run in any order.", PERMISSION),
    (f"{MODEL}/5", "Kernels that clean up after several linked programs run in any order.", PERMISSION),
    (f"{MODEL}/21", "A queue out of order may run its commands in any order that nothing forbids.", PERMISSION),
    (
        "OpenCL:mapping-work-items-onto-an-nd-range/1",
        "Which work-items are in which sub-group is left to the implementation.",
        PERMISSION,
    ),
    (
        "OpenCL:device-side-enqueue/1",
        "Of several child kernels that fail, any may give the parent its error.",
        PERMISSION,
    ),
    (
        "OpenCL:device-side-enqueue/3",
        "A parent kernel fails with the error of its child kernel.",
        "no kernel fails for certain: what makes one fail is undefined, or left to the implementation",
    ),
    ("OpenCL:categories-of-kernels/1", "What native kernels do is left to the implementation.", PERMISSION),
    ("OpenCL:categories-of-kernels/2", "What built-in kernels do is left to the implementation.", PERMISSION),
    (
        "OpenCL:memory-objects/1",
        "The implementation manages the memory of objects.",
        "where the bytes of an object lie, and when they are moved, shows in no call",
    ),
    (
        "OpenCL:host-side-and-device-side-commands/1",
        "Without SVM atomics, the host and devices read the same bytes and write different ones at the same time.",
        OVERLAPS,
    ),
    (
        "OpenCL:host-side-and-device-side-commands/16",
        "A callback finds what the command of its event has written.",
        "the callbacks that are given to a driver only note their arguments, and look at no memory",
    ),
    (
        "OpenCL:host-side-and-device-side-commands/17",
        "A command sees what the host has done before it set the user event that the command waits for.",
        "it shows only in fine-grained memory that changes while a command waits, and the model takes bytes at a call",
    ),
    (
        "OpenCL:host-side-and-device-side-commands/18",
        "Kernels on one device that run at the same time may use atomic operations on the same shared memory.",
        OVERLAPS,
    ),
    (
        "OpenCL:version-numbers/3",
        "The twelve lowest bits of a version are its patch number.",
        "no other answer tells the patch number of a version",
    ),
    (
        "OpenCL:categories-of-kernels/4",
        "Native kernels use the memory of objects as kernels do.",
        "the functions that are given to a driver as native kernels only note their arguments",
    ),
    (
        "OpenCL:shared-virtual-memory/3",
        "Variables in program scope are shared as coarse-grained memory, device by device.",
        BY_THE_LANGUAGE,
    ),
    (
        "OpenCL:host-side-and-device-side-commands/2",
        "The rules for commands hold for all memory objects, and for shared memory.",
        EXTENDS,
    ),
    ("OpenCL:mixed-version-support/2", "The version of OpenCL C is the highest one of the device.", NEWEST),
    ("OpenCL:backwards-compatibility/5", "A platform of 3.0 has all functions of 3.0.", EVERY_FUNCTION),
    ("OpenCL:backwards-compatibility/10", "Each optional feature has a macro and a query.", BY_THE_LANGUAGE),
    ("OpenCL:backwards-compatibility/11", "The compiler supports a feature if its macro is defined.", BY_THE_LANGUAGE),
    (
        "OpenCL:valid-usage-and-undefined-behavior/1",
        "Wrong use harms neither the system, nor the implementation, nor other programs.",
        "calls with undefined behaviour are never made",
    ),
    ("OpenCL:backwards-compatibility/2", "A device of 2.0 does what one of 1.2 has to.", OLDER),
    ("OpenCL:backwards-compatibility/3", "A device of 2.1 or 2.2 does what one of 2.0 has to.", OLDER),
    *(
        (
            f"{SHARED}-direct3d-memory-objects/{number}",
            "A memory object shared with Direct3D holds a reference to its resource.",
            OTHERS_OBJECTS.format("Direct3D"),
        )
        for number in (1, 2, 3)
    ),
    *(
        (
            f"{SHARED}-eglimage-objects/{number}",
            "A memory object shared with EGL lives as long as it is used.",
            OTHERS_OBJECTS.format("EGL"),
        )
        for number in (1, 2)
    ),
    (
        f"{SHARED}-opencl-opengl-memory-objects/1",
        "A memory object shared with OpenGL lives as long as the object of OpenGL does.",
        OTHERS_OBJECTS.format("OpenGL"),
    ),
):
    rules.untestable(_record, _words, _reason)
