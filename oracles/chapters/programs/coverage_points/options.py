"""Coverage points for build options, and untestable requirements about options (section 5.8.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.programs.option_echo import REQUIREMENT_TEXTS
from clconform.oracles.common.readback_evidence import cover_capability
from clconform.oracles.engine.rules import Rules

if TYPE_CHECKING:
    from clconform.spec_tables import Tables

rules = Rules()
READ = "clEnqueueReadBuffer"


@rules.completion
def _declare_option_echo(rules: Rules, _tables: Tables) -> None:
    for requirement, words in REQUIREMENT_TEXTS.items():
        rules.coverage_point(requirement, READ, words, requirement, holds=cover_capability(requirement))


rules.untestable(
    "OpenCL:preprocessor-options/6",
    "",
    "the order has an effect only if one name has two definitions, and the language does not allow that",
)
rules.untestable(
    "OpenCL:preprocessor-options/5",
    "",
    "options end at white space, and the document does not specify how an option can contain a newline",
)
rules.untestable(
    "OpenCL:preprocessor-options/7",
    "",
    "the header would have to be a file on the machine that runs the driver, and the suites do not create files there",
)
rules.untestable(
    "clCompileProgram/effect/7",
    "",
    (
        "the other header would have to be a file on the machine that runs the driver, and the suites do not create "
        "files there"
    ),
)
rules.untestable(
    "OpenCL:options-to-request-or-suppress-warnings/2", "", "a warning cannot be distinguished from other text in a log"
)
rules.untestable(
    "OpenCL:options-to-request-or-suppress-warnings/3", "", "the document does not require a warning for any source"
)
ARITHMETIC = "it concerns the arithmetic of kernels, which language tests cover"
for _number, _words in {2: "", 4: "", 5: "", 6: "", 7: ""}.items():
    rules.untestable(f"OpenCL:math-intrinsics-options/{_number}", _words, ARITHMETIC)
SPIR = "the suites do not have a SPIR binary that all implementations of the extension accept"
for _record, _words in {
    "clCreateProgramWithBinary/effect/5": "",
    "clCreateProgramWithBinary/effect/6": "",
    "CL_PROGRAM_BINARY_TYPE/effect/4": "",
    "CL_PROGRAM_BINARY_TYPE/effect/5": "",
    "cl_program_binary_type:CL_PROGRAM_BINARY_TYPE_INTERMEDIATE": (
        "CL_PROGRAM_BINARY_TYPE is CL_PROGRAM_BINARY_TYPE_INTERMEDIATE for a program that was created from an "
        "intermediate binary and not compiled or built yet."
    ),
}.items():
    rules.untestable(_record, _words, SPIR)
CONSTRUCTORS = "only OpenCL C++ has such objects, and the suites do not have a compiler for it"
for _name, _words in {"CTORS": "", "DTORS": ""}.items():
    rules.untestable(f"CL_PROGRAM_SCOPE_GLOBAL_{_name}_PRESENT/effect/1", _words, CONSTRUCTORS)
