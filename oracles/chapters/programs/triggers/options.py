"""Which calls put the sentences about build options to the test, and why some cannot be (section 5.8.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.programs.told_options import PREPROCESSOR, SHOWN
from clconform.oracles.engine.rules import Rules
from clconform.oracles.recurring.reads import shows

if TYPE_CHECKING:
    from clconform.spec_tables import Tables

rules = Rules()
READ = "clEnqueueReadBuffer"


@rules.completion
def _told_by_a_kernel(rules: Rules, _tables: Tables) -> None:
    for record, words in SHOWN.items():
        rules.trigger(record, READ, words, record, holds=shows(record))


rules.untestable(
    f"{PREPROCESSOR}/6",
    "Several options -D are processed from left to right.",
    "the order shows only where one name has two definitions, which the language does not allow",
)
rules.untestable(
    f"{PREPROCESSOR}/5",
    "The definition of -D ends at a newline character.",
    "options end at white space, and how a newline gets into one of them is not said",
)
rules.untestable(
    f"{PREPROCESSOR}/7",
    "The option -I dir adds a directory to those that are searched for headers.",
    "the header would have to be a file of the machine that runs the driver, and suites leave no files there",
)
rules.untestable(
    "clCompileProgram/effect/7",
    "A header is looked for among those that are given before it is looked for in the directories of -I.",
    "the other header would have to be a file of the machine that runs the driver, and suites leave no files there",
)
rules.untestable(
    "OpenCL:options-to-request-or-suppress-warnings/2",
    "With -w the compiler emits no warnings.",
    "nothing tells a warning from other text in a log",
)
rules.untestable(
    "OpenCL:options-to-request-or-suppress-warnings/3",
    "With -Werror each warning is an error.",
    "no source must be warned about: which ones are is up to the compiler",
)
ARITHMETIC = "it is about the arithmetic of kernels, which the suites leave to tests of the language"
for _number, _words in {
    2: "With -cl-single-precision-constant, literals of double precision become single ones.",
    4: "Without CL_FP_DENORM, -cl-denorms-are-zero has no effect on single precision.",
    5: "Without double precision, or CL_FP_DENORM for it, -cl-denorms-are-zero has no effect on double precision.",
    6: "The option -cl-denorms-are-zero has no effect on images.",
    7: "With -cl-fp32-correctly-rounded-divide-sqrt, divisions and square roots are rounded correctly.",
}.items():
    rules.untestable(f"OpenCL:math-intrinsics-options/{_number}", _words, ARITHMETIC)
SPIR = "no binary of SPIR is at hand that all implementations of the extension take"
for _record, _words in {
    "clCreateProgramWithBinary/effect/5": "With cl_khr_spir, a binary of SPIR is taken.",
    "clCreateProgramWithBinary/effect/6": "A program from a binary of SPIR can be built and compiled.",
    "CL_PROGRAM_BINARY_TYPE/effect/4": "An intermediate binary that is compiled becomes a compiled one or a library.",
    "CL_PROGRAM_BINARY_TYPE/effect/5": "An intermediate binary that is built becomes an executable.",
    "cl_program_binary_type:CL_PROGRAM_BINARY_TYPE_INTERMEDIATE": "The type of an intermediate binary has this name.",
}.items():
    rules.untestable(_record, _words, SPIR)
CONSTRUCTORS = "only OpenCL C++ has such objects, and no compiler of it is at hand"
for _name, _words in {
    "CTORS": "Constructors are run before any kernel of the program.",
    "DTORS": "Destructors are run when the program is destroyed.",
}.items():
    rules.untestable(f"CL_PROGRAM_SCOPE_GLOBAL_{_name}_PRESENT/effect/1", _words, CONSTRUCTORS)
