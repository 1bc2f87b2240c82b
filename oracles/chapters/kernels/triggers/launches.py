"""Effects of arguments and clones, which launches and counts show, and what no call can show (5.9.1 to 5.9.3)."""

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
"""Effects that are seen in what a launch stores; their words are those of the tables."""
CLONED = "clCloneKernel/effect/1"
COUNT = "CL_KERNEL_REFERENCE_COUNT"


@rules.completion
def _seen_in_launches(rules: Rules, tables: Tables) -> None:
    for record in SHOWN:
        rules.trigger(record, READ, record_named(record, tables).words, RUN, holds=shows(record))  # type: ignore[union-attr]
    words = "A clone works with the arguments that its source had when it was cloned."
    rules.trigger(CLONED, READ, words, RUN, holds=shows(CLONED))


@rules.completion
def _asked_of_kernels(rules: Rules, _tables: Tables) -> None:
    def together(asked: AnsweredCall) -> bool:
        return isinstance(asked.subject, Kernel) and bool(asked.subject.made_with)

    for number, words, query in (
        (2, "A kernel that is made with all others has the context of its program.", "CL_KERNEL_CONTEXT"),
        (3, "A kernel that is made with all others is one of its program, and has that program's devices.", PROGRAM),
    ):
        rules.trigger(f"{ALL}/effect/{number}", INFO, words, query, holds=_about(query, together))
    for record, words, holds in (
        ("clRetainKernel/effect/1", "A kernel that was retained counts at least the references taken.", _retained),
        ("clRetainKernel/effect/2", "A new kernel counts at least one reference.", _once),
        ("clCloneKernel/effect/5", "A clone counts a reference of its own, as a new kernel does.", _clone),
        ("clCloneKernel/effect/6", "A kernel that was cloned still counts the references taken.", _cloned),
    ):
        rules.trigger(record, INFO, words, COUNT, holds=_about(COUNT, holds))


ALL, PROGRAM = "clCreateKernelsInProgram", "CL_KERNEL_PROGRAM"


def _with_a_difference(asked: AnsweredCall) -> bool:
    program = asked.subject
    return isinstance(program, Program) and any(differs(program, name) is True for name in program.holds)


rules.trigger(
    f"{ALL}/effect/1",
    ALL,
    "A function with other arguments on one device than on another gets no kernel.",
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
    "Setting an argument leaves the reference counts of the objects that are set unchanged.",
    "counts are said to be stale at once; that a kernel holds no reference is seen by destructor callbacks, as a "
    "statement of its own",
)
rules.untestable(
    "clSetKernelArg/effect/2",
    "After an error about resources, an argument is the one set before, or is not set.",
    "resources cannot be exhausted on purpose without harming the machine",
)
rules.untestable(
    "clReleaseKernel/effect/1",
    "Releasing a kernel decreases its reference count by one.",
    "counts are said to be stale at once, and a kernel without references can be asked nothing",
)
