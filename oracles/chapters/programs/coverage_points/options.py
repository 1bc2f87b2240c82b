"""Coverage points for build options, and untestable requirements about options (section 5.8.6)."""

from __future__ import annotations

from clconform.oracles.chapters.programs.option_echo import REQUIREMENT_TEXTS
from clconform.oracles.common.readback_evidence import cover_capability
from clconform.oracles.engine.rules import Rules

rules = Rules()


for _record, _words in REQUIREMENT_TEXTS.items():
    rules.coverage_point(_record, "clEnqueueReadBuffer", _words, _record, holds=cover_capability(_record))


ARITHMETIC = "it concerns the arithmetic of kernels, which language tests cover"
SPIR = "the suites do not have a SPIR binary that all implementations of the extension accept"
CONSTRUCTORS = "only OpenCL C++ has such objects, and the suites do not have a compiler for it"
for _record, _reason in (
    (
        "OpenCL:preprocessor-options/6",
        "the order has an effect only if one name has two definitions, and the language does not allow that",
    ),
    (
        "OpenCL:preprocessor-options/5",
        "options end at white space, and the document does not specify how an option can contain a newline",
    ),
    (
        "OpenCL:preprocessor-options/7",
        (
            "the header would have to be a file on the machine that runs the driver, and the suites do not create "
            "files there"
        ),
    ),
    (
        "clCompileProgram/effect/7",
        (
            "the other header would have to be a file on the machine that runs the driver, and the suites do not "
            "create files there"
        ),
    ),
    (
        "OpenCL:options-to-request-or-suppress-warnings/2",
        "a warning cannot be distinguished from other text in a log",
    ),
    (
        "OpenCL:options-to-request-or-suppress-warnings/3",
        "the document does not require a warning for any source",
    ),
    ("OpenCL:math-intrinsics-options/2", ARITHMETIC),
    ("OpenCL:math-intrinsics-options/4", ARITHMETIC),
    ("OpenCL:math-intrinsics-options/5", ARITHMETIC),
    ("OpenCL:math-intrinsics-options/6", ARITHMETIC),
    ("OpenCL:math-intrinsics-options/7", ARITHMETIC),
    ("clCreateProgramWithBinary/effect/5", SPIR),
    ("clCreateProgramWithBinary/effect/6", SPIR),
    ("CL_PROGRAM_BINARY_TYPE/effect/4", SPIR),
    ("CL_PROGRAM_BINARY_TYPE/effect/5", SPIR),
    ("CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT/effect/1", CONSTRUCTORS),
    ("CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT/effect/1", CONSTRUCTORS),
):
    rules.untestable(_record, "", _reason)
rules.untestable(
    "cl_program_binary_type:CL_PROGRAM_BINARY_TYPE_INTERMEDIATE",
    "CL_PROGRAM_BINARY_TYPE is CL_PROGRAM_BINARY_TYPE_INTERMEDIATE for a program that was created from an intermediate "
    "binary and not compiled or built yet.",
    SPIR,
)
