"""Coverage points for arguments, clones and reference counts, and untestable requirements (5.9.1 to 5.9.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.kernels.clauses.creation import differs
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.programs import Program
from clconform.oracles.recurring.reads import shows
from clconform.spec_tables.across import record_named

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.spec_tables import Tables

rules = Rules()

READ, RUN, INFO = "clEnqueueReadBuffer", "clEnqueueNDRangeKernel/success", "clGetKernelInfo"
SHOWN = (
    *(f"clSetKernelArg/effect/{number}" for number in (3, 4, 5, 6, 8)),
    *(f"clSetKernelArgSVMPointer/effect/{number}" for number in (1, 2, 3)),
    *(f"clCloneKernel/effect/{number}" for number in (2, 4, 7, 8, 9)),
    "clCreateKernelsInProgram/effect/4",
)
"""Requirements covered by what an enqueued kernel writes; their texts are those of the tables."""
CLONED = "clCloneKernel/effect/1"
COUNT = "CL_KERNEL_REFERENCE_COUNT"


@rules.completion
def _seen_in_launches(rules: Rules, tables: Tables) -> None:
    for record in SHOWN:
        rules.trigger(record, READ, record_named(record, tables).words, RUN, holds=shows(record))  # type: ignore[union-attr]
    words = "A clone uses the arguments that its source had when it was cloned."
    rules.trigger(CLONED, READ, words, RUN, holds=shows(CLONED))


@rules.completion
def _asked_of_kernels(rules: Rules, _tables: Tables) -> None:
    def together(asked: AnsweredCall) -> bool:
        return isinstance(asked.subject, Kernel) and bool(asked.subject.made_with)

    for number, words, query in (
        (2, "Checked on queries of CL_KERNEL_CONTEXT of kernels from clCreateKernelsInProgram.", "CL_KERNEL_CONTEXT"),
        (3, "Checked on queries of CL_KERNEL_PROGRAM of kernels from clCreateKernelsInProgram.", PROGRAM),
    ):
        rules.trigger(f"{ALL}/effect/{number}", INFO, words, query, holds=_about(query, together))
    for record, words, holds in (
        ("clRetainKernel/effect/1", "Checked on queries of CL_KERNEL_REFERENCE_COUNT of a retained kernel.", _retained),
        (
            "clRetainKernel/effect/2",
            "Checked on queries of CL_KERNEL_REFERENCE_COUNT of a kernel with one reference.",
            _once,
        ),
        ("clCloneKernel/effect/5", "Checked on queries of CL_KERNEL_REFERENCE_COUNT of a clone.", _clone),
        ("clCloneKernel/effect/6", "Checked on queries of CL_KERNEL_REFERENCE_COUNT of a cloned kernel.", _cloned),
    ):
        rules.trigger(record, INFO, words, COUNT, holds=_about(COUNT, holds))


ALL, PROGRAM = "clCreateKernelsInProgram", "CL_KERNEL_PROGRAM"


def _with_a_difference(asked: AnsweredCall) -> bool:
    program = asked.subject
    return isinstance(program, Program) and any(differs(program, name) is True for name in program.holds)


rules.trigger(
    f"{ALL}/effect/1",
    ALL,
    "Checked on programs with a function whose arguments differ between devices.",
    f"{ALL}/success",
    holds=_with_a_difference,
    by_success=True,
)


def _about(query: str, holds: Callable[[AnsweredCall], bool]) -> Callable[[AnsweredCall], bool]:
    return lambda asked: asked.call.param_name == asked.model.value(query) and holds(asked)


def _retained(asked: AnsweredCall) -> bool:
    return isinstance(asked.subject, Kernel) and asked.subject.references > 1


def _once(asked: AnsweredCall) -> bool:
    return isinstance(asked.subject, Kernel) and asked.subject.references == 1 and asked.subject.source is None


def _clone(asked: AnsweredCall) -> bool:
    return isinstance(asked.subject, Kernel) and asked.subject.source is not None


def _cloned(asked: AnsweredCall) -> bool:
    kernel = asked.subject
    return isinstance(kernel, Kernel) and any(each.source is kernel for each in asked.model.of_kind(Kernel))


rules.untestable(
    "clSetKernelArg/effect/7",
    "",
    "a returned count is stale immediately; a separate requirement about destructor callbacks covers that a kernel "
    "does not hold references",
)
rules.untestable(
    "clSetKernelArg/effect/2",
    "After an error about resources, an argument has its previous value or is not set.",
    "no call exhausts the resources of a driver reliably without harm to the machine",
)
rules.untestable(
    "clReleaseKernel/effect/1",
    "",
    "a returned count is stale immediately, and a kernel without references cannot be queried",
)
