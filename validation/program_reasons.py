"""Determines whether only the program can have caused an error whose condition depends on unrecorded facts."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, Text
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.programs import SourceProgram
from clconform.oracles.model.queues import CommandQueue

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

GROUP_CODE, NAME_CODE = "CL_INVALID_WORK_GROUP_SIZE", "CL_INVALID_KERNEL_NAME"


def find_program_reason(call: Call, model: Model, code: str) -> str:
    """Return why only the program can have caused an error; empty if there may be another cause."""
    if call.function == "clEnqueueNDRangeKernel" and code == GROUP_CODE:
        return _exceeded_limit(call, model)
    if call.function == "clCreateKernel" and code == NAME_CODE:
        return "The program's source does not contain the name." if _lacks_name(call, model) else ""
    return ""


def _exceeded_limit(call: Call, model: Model) -> str:
    """Return which limit of work-groups a call exceeds; empty if none."""
    kernel, queue = model.find(call.kernel), model.find(call.command_queue)
    if not isinstance(kernel, Kernel) or not isinstance(queue, CommandQueue) or queue.device is None:
        return ""
    if not isinstance(call.local_work_size, ElementList):
        return ""
    items = math.prod(each for each in call.local_work_size.values if isinstance(each, int))
    limits = {"CL_DEVICE_MAX_WORK_GROUP_SIZE": queue.device.facts.get("CL_DEVICE_MAX_WORK_GROUP_SIZE")}
    if kernel.declaration is not None:
        limits["CL_KERNEL_WORK_GROUP_SIZE"] = kernel.declaration.largest_groups.get(queue.device.name)
    for name, limit in limits.items():
        if isinstance(limit, int) and items > limit:
            return f"local_work_size has {items} work-items; {name} is {limit}."
    return ""


def _lacks_name(call: Call, model: Model) -> bool:
    """Return whether a name occurs neither in a program's source nor in its build options."""
    program = model.find(call.program)
    if not isinstance(program, SourceProgram) or program.header_names or not isinstance(call.kernel_name, Text):
        return False
    options = [build.options for build in program.builds.values()]
    if not options or any(each is None or "-include" in each for each in options):
        return False
    text, name = "\n".join([re.sub(r"\\\s*\n", "", program.source), *filter(None, options)]), call.kernel_name.content
    is_closed = (
        "##" not in text and "%:" not in text and "??" not in text and not re.search(r"#\s*(include|import)", text)
    )
    return is_closed and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is None
