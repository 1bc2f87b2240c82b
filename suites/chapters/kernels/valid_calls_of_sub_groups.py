"""Sub-group queries of cl_khr_subgroups (section 5.9.4): one valid call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.machine_words import pack_words
from clconform.calls.values import Data, OutputBuffer
from clconform.suites.kit.valid_calls import ValidCalls

if TYPE_CHECKING:
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

QUERY = "clGetKernelSubGroupInfoKHR"
SIZE, COUNT = "CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE_KHR", "CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE_KHR"
valid_calls = ValidCalls()


@valid_calls.declare(QUERY)
def query_count(kit: Kit) -> Arguments:
    """Query the number of sub-groups for a local size in one dimension."""
    local, width = pack_words((16,), kit.pointer_bytes), kit.pointer_bytes
    return {
        "in_kernel": kit.kernel("add_index"),
        "in_device": kit.cl.device,
        "param_name": kit.constant(COUNT),
        "input_value_size": len(local),
        "input_value": Data(local),
        "param_value_size": width,
        "param_value": OutputBuffer(width),
        "param_value_size_ret": OutputBuffer(1),
    }
