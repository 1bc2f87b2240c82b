"""Postconditions of kernel enqueues and of suggested work-group sizes (sections 5.9.4 and 5.10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import UNTOUCHED
from clconform.oracles.chapters.execution.error_conditions.kernel_enqueues import executing_device
from clconform.oracles.chapters.execution.error_conditions.ranges import needs_uniform_groups
from clconform.oracles.chapters.execution.nd_range import read_range
from clconform.oracles.engine.matchers import Postcondition, Satisfies
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.kernels import Kernel

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.matchers import Values
    from clconform.oracles.model.state import Model

rules = Rules()


@rules.postcondition("clEnqueueNDRangeKernel", "clEnqueueTask")
def expect_execution(call: Call, model: Model) -> Postcondition:
    """Each work-item executes the kernel exactly once."""
    model.get(Kernel, call.kernel)
    return Postcondition()


SUGGEST, SUGGESTED = "clGetKernelSuggestedLocalWorkSizeKHR", "suggested_local_work_size"


@rules.postcondition(SUGGEST)
def expect_suggested_size(call: Call, model: Model) -> Postcondition:
    """suggested_local_work_size receives work_dim values, each at least 1, that are a valid local_work_size.

    If kernel has a reqd_work_group_size, the values are equal to it. If the device or the program needs uniform
    work-groups, the values divide global_work_size.
    """
    kernel, asked = model.get(Kernel, call.kernel), read_range(call).sizes
    group = kernel.buffer_kernel.required_group[: len(asked)] if kernel.buffer_kernel is not None else ()
    try:
        even = needs_uniform_groups(kernel, executing_device(call, model))
    except UnknownFactError:
        even = False

    def could_be(seen: Values) -> bool:
        sizes = [each for each in seen[: len(asked)] if isinstance(each, int)]
        if len(sizes) < len(asked) or not all(sizes) or any(each != UNTOUCHED for each in seen[len(asked) :]):
            return False
        fits = not even or not any(size % local for size, local in zip(asked, sizes, strict=True))
        return fits and (not any(group) or tuple(sizes) == group)

    words = f"{len(asked)} values that are a valid local_work_size for kernel"
    choice = group if any(group) else (1,) * len(asked)
    return Postcondition(
        outputs={SUGGESTED: Satisfies(could_be, words, ("clGetKernelSuggestedLocalWorkSizeKHR/success",), choice)}
    )
