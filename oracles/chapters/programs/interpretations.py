"""Open points of section 5.8: programs."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "built-in-without-a-build",
        "5.8.9, the kernels of a program of built-in kernels",
        "CL_INVALID_PROGRAM_EXECUTABLE and the names of the kernels are both right",
        "the names are there once an executable has been built; whether such a program is one from the start is open",
    ),
    Interpretation(
        "no-source-at-all",
        "5.8.9, CL_PROGRAM_SOURCE of a program that was not made from source",
        "a terminator alone, no bytes at all, and some source are all right",
        "a null string is asked for, which may be an empty one or none",
    ),
    Interpretation(
        "false-before-a-build",
        "5.8.8, CL_INVALID_PROGRAM_EXECUTABLE: global constructors and destructors",
        "allowed beside CL_FALSE for a program that has not been built",
        "where such kernels are not supported at all, the appendix on compatibility has the answer be CL_FALSE",
    ),
)
