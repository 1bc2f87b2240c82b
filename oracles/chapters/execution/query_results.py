"""Query results about the work-group sizes of kernels (section 5.9.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.matchers import Anything, Satisfies
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.kernels import Kernel

if TYPE_CHECKING:
    from clconform.oracles.engine.matchers import Matcher
    from clconform.oracles.queries.query_request import QueryRequest

rules = Rules()


@rules.expected_value("CL_KERNEL_WORK_GROUP_SIZE", of=Kernel)
def expect_work_group_size(kernel: Kernel, question: QueryRequest) -> Matcher | None:
    """The value is the maximum number of work-items in a work-group of the kernel, which is not 0."""
    del kernel
    told = question.device.facts.get("CL_DEVICE_MAX_WORK_GROUP_SIZE") if question.device is not None else None
    if not isinstance(told, int):
        return None
    return Satisfies(lambda seen: bool(seen) and seen[0] != 0, "not 0", (question.query.id,), (told,))


@rules.expected_value("CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE", of=Kernel)
def expect_preferred_multiple(kernel: Kernel, question: QueryRequest) -> Matcher | None:
    """The value is the preferred divisor of the work-group size of the kernel; any value is accepted."""
    del kernel
    return _accept_any(question, "CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE")


def _accept_any(question: QueryRequest, query: str) -> Matcher | None:
    """Return an expectation that accepts any value; None if the device's value of ``query`` is not known.

    The simulated platform returns this value of the device.
    """
    told = question.device.facts.get(query) if question.device is not None else None
    return Anything((told,), (question.query.id,)) if isinstance(told, int) else None
