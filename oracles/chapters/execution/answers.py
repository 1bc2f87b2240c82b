"""What kernels tell of the work-groups that they can run in (section 5.9.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Anything
from clconform.oracles.model.kernels import Kernel

if TYPE_CHECKING:
    from clconform.oracles.engine.wants import Want
    from clconform.oracles.queries.questions import Question

rules = Rules()


@rules.answer("CL_KERNEL_WORK_GROUP_SIZE", of=Kernel)
def largest_group(kernel: Kernel, question: Question) -> Want | None:
    """The answer is how many work-items a group of the kernel can have on the device, which only the driver knows."""
    del kernel
    most = question.device.facts.get("CL_DEVICE_MAX_WORK_GROUP_SIZE") if question.device is not None else None
    return Anything((most,), (question.query.id,)) if isinstance(most, int) else None
