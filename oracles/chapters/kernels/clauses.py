"""What cannot be told of kernels (section 5.9.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.answers import Answer, May, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.devices import Device
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.recurring.objects import valid_object

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.world import Model

rules = Rules()


@rules.clause("clGetKernelArgInfo/CL_KERNEL_ARG_INFO_NOT_AVAILABLE/1")
def arguments_not_kept(call: Call, model: Model) -> Reply:
    """What the arguments are was not kept when the program was built, or the program was not made from source."""
    kernel = model.get(Kernel, call.kernel)
    if kernel.argument_info and kernel.program is not None and kernel.program.from_source:
        return Answer.NO
    return May("argument-info-kept")


@rules.clause("clGetKernelWorkGroupInfo/CL_INVALID_DEVICE/1", "clGetKernelSubGroupInfo/CL_INVALID_DEVICE/1")
def device_without_the_kernel(call: Call, model: Model) -> Reply:
    """The device is not one that the kernel was built for, or it is NULL and the kernel was built for several."""
    kernel = model.get(Kernel, call.kernel)
    built = kernel.program.built if kernel.program else []
    if call.device is None:
        if len(built) == 1 < len(_associated(kernel)):
            return May("built-for-one-of-several")
        return len(_associated(kernel)) > 1
    reply = valid_object(call.device, "cl_device_id", model)
    if reply is not Answer.NO:
        return reply
    device = model.device(call.device)
    return Answer.NO if device in built else device not in _associated(kernel) or May("unknown-fact")


def _associated(kernel: Kernel) -> list[Device]:
    return kernel.program.devices if kernel.program else []


@rules.clause("clGetKernelWorkGroupInfo/CL_INVALID_VALUE/2")
def global_size_of_a_usual_kernel(call: Call, model: Model) -> Reply:
    """The largest global size is asked of a kernel from source on a device that is no custom device."""
    if call.param_name != model.value("CL_KERNEL_GLOBAL_WORK_SIZE"):
        return Answer.NO
    kernel = model.get(Kernel, call.kernel)
    device = model.known(call.device) or next(iter(kernel.program.built if kernel.program else []), None)
    if not isinstance(device, Device):
        raise UnknownError("device")
    custom = device.number("CL_DEVICE_TYPE") & model.value("CL_DEVICE_TYPE_CUSTOM")
    return kernel.known is not None and not custom


@rules.clause("clGetKernelSubGroupInfo/CL_INVALID_OPERATION/1")
def no_sub_groups(call: Call, model: Model) -> Reply:
    """The device does not support sub-groups."""
    kernel = model.get(Kernel, call.kernel)
    device = model.known(call.device) or next(iter(kernel.program.built if kernel.program else []), None)
    if not isinstance(device, Device):
        raise UnknownError("device")
    return device.number("CL_DEVICE_MAX_NUM_SUB_GROUPS") == 0


@rules.clause("clGetKernelSubGroupInfo/CL_INVALID_VALUE/2")
def input_of_the_wrong_size(call: Call, model: Model) -> Reply:
    """The name needs an input, and it is NULL or of a size that the name does not take."""
    word = model.lookups.size_of("size_t")
    sizes = {
        "CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE": (word, 2 * word, 3 * word),
        "CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE": (word, 2 * word, 3 * word),
        "CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT": (word,),
    }
    name = next((name for name in sizes if model.value(name) == call.param_name), None)
    if name is None:
        return Answer.NO
    return call.input_value is None or call.input_value_size not in sizes[name]
