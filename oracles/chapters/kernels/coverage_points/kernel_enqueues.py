"""Coverage points for arguments, clones and reference counts, and untestable requirements (5.9.1 to 5.9.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.kernels.error_conditions.creation import is_differing
from clconform.oracles.common.readback_evidence import cover_capability
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.programs import Program
from clconform.spec_tables.revision_ids import find_requirement

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.spec_tables import Tables

rules = Rules()

READ, RUN, INFO = "clEnqueueReadBuffer", "clEnqueueNDRangeKernel/success", "clGetKernelInfo"
ENQUEUE_REQUIREMENTS = (
    *(f"clSetKernelArg/effect/{number}" for number in (3, 4, 5, 6, 8)),
    *(f"clSetKernelArgSVMPointer/effect/{number}" for number in (1, 2, 3)),
    *(f"clCloneKernel/effect/{number}" for number in (2, 4, 7, 8, 9)),
    "clCreateKernelsInProgram/effect/4",
)
"""Requirements that the output of an enqueued kernel covers; their texts come from the tables."""
CLONE_REQUIREMENT = "clCloneKernel/effect/1"
REFERENCE_COUNT = "CL_KERNEL_REFERENCE_COUNT"


@rules.completion
def _declare_enqueue_requirements(rules: Rules, tables: Tables) -> None:
    for requirement in ENQUEUE_REQUIREMENTS:
        text = find_requirement(requirement, tables).text  # type: ignore[union-attr]
        rules.coverage_point(requirement, READ, text, RUN, holds=cover_capability(requirement))
    words = "A clone uses the argument values that source_kernel had at the call of clCloneKernel."
    rules.coverage_point(CLONE_REQUIREMENT, READ, words, RUN, holds=cover_capability(CLONE_REQUIREMENT))


@rules.completion
def _declare_queries(rules: Rules, _tables: Tables) -> None:
    def together(asked: CompletedCall) -> bool:
        return isinstance(asked.subject, Kernel) and bool(asked.subject.siblings)

    for number, words, query in (
        (2, "Checked on queries of CL_KERNEL_CONTEXT of kernels from clCreateKernelsInProgram.", "CL_KERNEL_CONTEXT"),
        (3, "Checked on queries of CL_KERNEL_PROGRAM of kernels from clCreateKernelsInProgram.", PROGRAM),
    ):
        rules.coverage_point(f"{ALL}/effect/{number}", INFO, words, query, holds=_queries(query, together))
    for requirement, words, holds in (
        (
            "clRetainKernel/effect/1",
            "Checked on queries of CL_KERNEL_REFERENCE_COUNT of a retained kernel.",
            _is_retained,
        ),
        (
            "clRetainKernel/effect/2",
            "Checked on queries of CL_KERNEL_REFERENCE_COUNT of a kernel with one reference.",
            _is_new,
        ),
        ("clCloneKernel/effect/5", "Checked on queries of CL_KERNEL_REFERENCE_COUNT of a clone.", _is_clone),
        ("clCloneKernel/effect/6", "Checked on queries of CL_KERNEL_REFERENCE_COUNT of a cloned kernel.", _is_cloned),
    ):
        rules.coverage_point(requirement, INFO, words, REFERENCE_COUNT, holds=_queries(REFERENCE_COUNT, holds))


ALL, PROGRAM = "clCreateKernelsInProgram", "CL_KERNEL_PROGRAM"


def _has_differing_kernel(asked: CompletedCall) -> bool:
    program = asked.subject
    return isinstance(program, Program) and any(
        is_differing(program, name).is_must for name in program.available_kernels
    )


rules.coverage_point(
    "clCreateKernelsInProgram/effect/1",
    ALL,
    "Checked on programs with a function whose arguments differ between devices.",
    "clCreateKernelsInProgram/success",
    holds=_has_differing_kernel,
    requires_success=True,
)


def _queries(query: str, holds: Callable[[CompletedCall], bool]) -> Callable[[CompletedCall], bool]:
    return lambda asked: asked.call.param_name == asked.model.constant_value(query) and holds(asked)


def _is_retained(asked: CompletedCall) -> bool:
    return isinstance(asked.subject, Kernel) and asked.subject.references > 1


def _is_new(asked: CompletedCall) -> bool:
    return isinstance(asked.subject, Kernel) and asked.subject.references == 1 and asked.subject.source is None


def _is_clone(asked: CompletedCall) -> bool:
    return isinstance(asked.subject, Kernel) and asked.subject.source is not None


def _is_cloned(asked: CompletedCall) -> bool:
    kernel = asked.subject
    return isinstance(kernel, Kernel) and any(each.source is kernel for each in asked.model.objects_of_class(Kernel))


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
