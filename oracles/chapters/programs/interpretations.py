"""Open points of section 5.8: programs."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "left-by-a-failed-build",
        "5.8.8, CL_INVALID_PROGRAM_EXECUTABLE, and the status of a build: after a build that has failed for one of "
        "several devices, or after an earlier one that succeeded",
        "CL_INVALID_PROGRAM_EXECUTABLE and an answer are both right; the status and the options are those of this "
        "build or of the one before, but CL_BUILD_ERROR for at least one device",
        "the documents do not say that a build for several devices fails for all of them, whether it goes on after the "
        "first failure, or what becomes of an earlier executable",
    ),
    Interpretation(
        "built-in-without-a-build",
        "5.8.9, the kernel names of a program of built-in kernels",
        "CL_INVALID_PROGRAM_EXECUTABLE and the names of the kernels are both right",
        "they can be queried once an executable has been built; whether such a program has one from the start is not "
        "said",
    ),
    Interpretation(
        "no-source-at-all",
        "5.8.9, CL_PROGRAM_SOURCE of a program that was not made from source",
        "an empty string with a terminator, no bytes at all, and some source are all right",
        "the document requires a null string, which may mean an empty string or no string",
    ),
    Interpretation(
        "false-before-a-build",
        "5.8.8, CL_INVALID_PROGRAM_EXECUTABLE: global constructors and destructors",
        "the error is allowed in addition to CL_FALSE for a program that has not been built",
        "where such kernels are not supported at all, the appendix on compatibility requires CL_FALSE",
    ),
)
