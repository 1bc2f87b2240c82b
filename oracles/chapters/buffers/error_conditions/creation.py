"""Error conditions of buffer creation: sizes, property lists and host pointers (section 5.2.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.common.memory import HOST_POINTER_FLAGS
from clconform.oracles.engine.predicate_result import MUST, NO, PredicateResult, may
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.pointer_memory import SvmAllocation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

rules = Rules()


@rules.clause("clCreateBuffer/CL_INVALID_BUFFER_SIZE/1", "clCreateBufferWithProperties/CL_INVALID_BUFFER_SIZE/1")
def is_size_invalid(call: Call, model: Model) -> PredicateResult:
    """size is 0, exceeds CL_DEVICE_MAX_MEM_ALLOC_SIZE of every device, or exceeds the SVM allocation at host_ptr.

    The devices are those of context. If one of them has a version from 1.1 to 2.2, the error for a size above the limit
    is optional. The SVM allocation matters only if flags contains CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR.
    """
    if call.size == 0:
        return MUST
    if _exceeds_svm_allocation(call, model):
        return MUST
    devices = model.context(call.context).devices
    if not devices:
        raise UnknownFactError("the devices of the context")
    if not all(call.size > device.number("CL_DEVICE_MAX_MEM_ALLOC_SIZE") for device in devices):
        return NO
    by_footnote = any((1, 1) <= device.version < (3, 0) for device in devices)
    return may("size-above-max-allocation") if by_footnote else MUST


def _exceeds_svm_allocation(call: Call, model: Model) -> bool:
    """Return whether size exceeds the SVM allocation at host_ptr, which the buffer uses or copies."""
    host = model.find(call.host_ptr)
    used = any(call.flags & model.constant_value(name) for name in HOST_POINTER_FLAGS)
    return used and isinstance(host, SvmAllocation) and call.size > host.size


@rules.alternatives_of(
    "clCreateBuffer/CL_INVALID_BUFFER_SIZE/1", "clCreateBufferWithProperties/CL_INVALID_BUFFER_SIZE/1"
)
def find_size_violation(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds: size is 0, exceeds the SVM allocation, or exceeds the limit of every device."""
    if call.size == 0:
        yield "size is 0"
    elif _exceeds_svm_allocation(call, model):
        yield "size exceeds the SVM allocation at host_ptr"
    else:
        yield "size exceeds CL_DEVICE_MAX_MEM_ALLOC_SIZE of every device"


@rules.clause(
    "clCreateBuffer/CL_INVALID_DEVICE/2", "clCreateBuffer/CL_INVALID_DEVICE/3", "clCreateBuffer/CL_INVALID_DEVICE/4"
)
def has_device_property(_call: Call, _model: Model) -> PredicateResult:
    """properties names a device.

    This condition never holds, because clCreateBuffer does not have a properties parameter.
    """
    return NO
