"""Error conditions of native kernels: host functions with an argument block (section 5.10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList
from clconform.oracles.chapters.execution.error_conditions.kernel_enqueues import executing_device
from clconform.oracles.common.objects import is_invalid_object
from clconform.oracles.common.parameters import find_null
from clconform.oracles.engine.predicate_result import MUST, NO, PredicateResult, may, must_if, strongest_result
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.memory_objects import MemoryObject, SubBuffer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

rules = Rules()


@rules.clause("clEnqueueNativeKernel/CL_INVALID_VALUE/2")
def lacks_arguments(call: Call, _model: Model) -> PredicateResult:
    """args is NULL, and cb_args or num_mem_objects is greater than 0."""
    return must_if(call.args is None and (call.cb_args > 0 or call.num_mem_objects > 0))


@rules.alternatives_of("clEnqueueNativeKernel/CL_INVALID_VALUE/2")
def find_missing_arguments(call: Call, _model: Model) -> Iterator[str]:
    """Yield each alternative that holds: cb_args or num_mem_objects requires args."""
    counts = {"cb_args": call.cb_args, "num_mem_objects": call.num_mem_objects}
    return (f"args is NULL and {name} is greater than 0" for name, count in counts.items() if count > 0)


@rules.clause("clEnqueueNativeKernel/CL_INVALID_VALUE/4")
def lacks_object_lists(call: Call, _model: Model) -> PredicateResult:
    """num_mem_objects is greater than 0, and mem_list or args_mem_loc is NULL."""
    return must_if(call.num_mem_objects > 0 and (call.mem_list is None or call.args_mem_loc is None))


@rules.alternatives_of("clEnqueueNativeKernel/CL_INVALID_VALUE/4")
def find_missing_object_lists(call: Call, _model: Model) -> Iterator[str]:
    """Yield each of mem_list and args_mem_loc that is NULL."""
    return find_null(call, "mem_list", "args_mem_loc")


@rules.clause("clEnqueueNativeKernel/CL_INVALID_VALUE/5")
def has_object_lists_without_count(call: Call, _model: Model) -> PredicateResult:
    """num_mem_objects is 0, and mem_list or args_mem_loc is not NULL."""
    return must_if(call.num_mem_objects == 0 and (call.mem_list is not None or call.args_mem_loc is not None))


@rules.alternatives_of("clEnqueueNativeKernel/CL_INVALID_VALUE/5")
def find_object_lists_without_count(call: Call, _model: Model) -> Iterator[str]:
    """Yield each of mem_list and args_mem_loc that is not NULL."""
    return (f"{name} is not NULL" for name in ("mem_list", "args_mem_loc") if call.arguments[name] is not None)


@rules.clause("clEnqueueNativeKernel/CL_INVALID_OPERATION/1")
def is_native_kernel_unsupported(call: Call, model: Model) -> PredicateResult:
    """The device of command_queue does not have CL_EXEC_NATIVE_KERNEL in CL_DEVICE_EXECUTION_CAPABILITIES."""
    capabilities = executing_device(call, model).number("CL_DEVICE_EXECUTION_CAPABILITIES")
    return must_if(not capabilities & model.constant_value("CL_EXEC_NATIVE_KERNEL"))


@rules.clause("clEnqueueNativeKernel/CL_INVALID_MEM_OBJECT/1")
def has_invalid_buffer(call: Call, model: Model) -> PredicateResult:
    """An element of mem_list is not a valid buffer; the error is optional for NULL and for sub-buffers."""
    if not isinstance(call.mem_list, ElementList):
        return NO
    return strongest_result(_is_invalid_buffer(each, model) for each in call.mem_list.values)


def _is_invalid_buffer(value: object, model: Model) -> PredicateResult:
    if value is None:
        return may("null-in-native-kernel")
    reply = is_invalid_object(value, "cl_mem", model, "buffer")
    given = model.find(value)
    if reply is NO and isinstance(given, SubBuffer):
        return may("sub-buffer-in-native-kernel")
    return MUST if reply.is_must and isinstance(given, MemoryObject) else reply


@rules.clause("clEnqueueNativeKernel/CL_INVALID_OPERATION/2")
def has_unsupported_pointer(call: Call, _model: Model) -> PredicateResult:
    """args contains an SVM or system pointer that the device of command_queue does not support."""
    if call.args is None or not call.cb_args:
        return NO
    raise UnknownFactError("which bytes of the arguments are a pointer")


rules.untestable(
    "clEnqueueNativeKernel/CL_INVALID_OPERATION/2",
    "args contains an SVM or system pointer that the device of command_queue does not support.",
    "the arguments are a block of bytes, in which an implementation cannot identify pointers",
)
rules.untestable(
    "clEnqueueNativeKernel/CL_OUT_OF_RESOURCES/1",
    "The device lacks resources to execute the host function.",
    "no call exhausts the resources of a driver reliably without harm to the machine",
)
