"""Error conditions of kernel queries and of kernel execution information (sections 5.9.2 and 5.9.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.kernels.execution_info import (
    BOOLEAN,
    INDIRECT,
    POINTERS,
    SVM_POINTERS,
    SYSTEM,
    boolean_of,
    name_of,
    pointers_of,
    told_of,
)
from clconform.oracles.contents.pointers import base_and_offset
from clconform.oracles.contents.storage import POINTER_BYTES
from clconform.oracles.engine.answers import UNKNOWN, Answer, May, Reply, settle
from clconform.oracles.engine.gates import applies
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.devices import Device
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.programs import BuiltInProgram, SourceProgram
from clconform.oracles.model.scope import Scope
from clconform.oracles.recurring.capabilities import lacks
from clconform.oracles.recurring.contexts import not_among
from clconform.oracles.recurring.objects import valid_object

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.world import Model

rules = Rules()


@rules.clause("clGetKernelArgInfo/CL_KERNEL_ARG_INFO_NOT_AVAILABLE/1")
def arguments_not_kept(call: Call, model: Model) -> Reply:
    """The program was not created from source, or not built with -cl-kernel-arg-info; the error is optional."""
    kernel = model.get(Kernel, call.kernel)
    if kernel.argument_info and kernel.program is not None and kernel.program.from_source:
        return Answer.NO
    return May("argument-info-kept")


@rules.clause("clGetKernelWorkGroupInfo/CL_INVALID_DEVICE/1", "clGetKernelSubGroupInfo/CL_INVALID_DEVICE/1")
def device_without_the_kernel(call: Call, model: Model) -> Reply:
    """device is not one of the kernel's devices, or is NULL although the kernel has more than one device."""
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
    if device in built:
        return Answer.NO
    return May("unknown-fact") if device in _associated(kernel) else not_among(_associated(kernel), device)


def _associated(kernel: Kernel) -> list[Device]:
    return kernel.program.devices if kernel.program else []


@rules.clause("clGetKernelWorkGroupInfo/CL_INVALID_VALUE/2")
def global_size_of_a_usual_kernel(call: Call, model: Model) -> Reply:
    """param_name is CL_KERNEL_GLOBAL_WORK_SIZE, kernel is not built-in, and device is not a custom device."""
    if call.param_name != model.value("CL_KERNEL_GLOBAL_WORK_SIZE"):
        return Answer.NO
    kernel = model.get(Kernel, call.kernel)
    program = kernel.program
    device = model.known(call.device) or next(iter(program.built if program else []), None)
    if not isinstance(device, Device):
        raise UnknownError("device")
    if device.number("CL_DEVICE_TYPE") & model.value("CL_DEVICE_TYPE_CUSTOM") or isinstance(program, BuiltInProgram):
        return Answer.NO
    return kernel.known is not None or isinstance(program, SourceProgram) or May("unknown-fact")


@rules.clause("clGetKernelWorkGroupInfo/CL_INVALID_VALUE/3")
def global_size_of_no_built_in_kernel(call: Call, model: Model) -> Reply:
    """param_name is CL_KERNEL_GLOBAL_WORK_SIZE, and kernel is not built-in; unspecified for a custom device."""
    if call.param_name != model.value("CL_KERNEL_GLOBAL_WORK_SIZE"):
        return Answer.NO
    usual = settle(global_size_of_a_usual_kernel, call, model)
    program = model.get(Kernel, call.kernel).program
    return UNKNOWN if usual is Answer.NO and not isinstance(program, BuiltInProgram) else usual


@rules.clause("clGetKernelSubGroupInfo/CL_INVALID_OPERATION/1")
def no_sub_groups(call: Call, model: Model) -> Reply:
    """device does not support sub-groups."""
    kernel = model.get(Kernel, call.kernel)
    device = model.known(call.device) or next(iter(kernel.program.built if kernel.program else []), None)
    if not isinstance(device, Device):
        raise UnknownError("device")
    return device.number("CL_DEVICE_MAX_NUM_SUB_GROUPS") == 0


@rules.clause("clGetKernelSubGroupInfo/CL_INVALID_VALUE/2")
def input_of_the_wrong_size(call: Call, model: Model) -> Reply:
    """param_name requires an input, and input_value is NULL or input_value_size is not valid for it."""
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


@rules.clause("clSetKernelExecInfo/CL_INVALID_OPERATION/1")
def nobody_shares_memory(call: Call, model: Model) -> Reply:
    """No device in the kernel's context supports SVM."""
    if not all(lacks(device, "SVM") for device in _devices(call, model)):
        return Answer.NO
    unified = name_of(call, model) in (POINTERS, *INDIRECT)
    return May("unified-without-virtual") if unified else Answer.MUST


@rules.part("clSetKernelExecInfo/CL_INVALID_OPERATION/3")
def a_list_of_shared_memory(call: Call, model: Model) -> Reply:
    """param_name is CL_KERNEL_EXEC_INFO_SVM_PTRS, and no device in the kernel's context supports SVM."""
    return name_of(call, model) == SVM_POINTERS


@rules.clause("clSetKernelExecInfo/CL_INVALID_OPERATION/2")
def nobody_shares_all_memory(call: Call, model: Model) -> Reply:
    """param_name requests fine-grain system SVM, which no device in the kernel's context supports."""
    asked = boolean_of(call.param_value) if name_of(call, model) == SYSTEM else None
    if not asked:
        return Answer.NO
    bit = model.value("CL_DEVICE_SVM_FINE_GRAIN_SYSTEM")
    if any(device.number("CL_DEVICE_SVM_CAPABILITIES") & bit for device in _devices(call, model)):
        return Answer.NO
    return Answer.MUST if asked == 1 else May("odd-information")


@rules.clause("clSetKernelExecInfo/CL_INVALID_VALUE/1")
def no_such_information(call: Call, model: Model) -> Reply:
    """param_name is not valid, param_value is NULL, or param_value_size is not valid for param_name."""
    name = name_of(call, model)
    if name is None:
        known = model.tables.values_of_group("cl_kernel_exec_info").values()
        return May("property-of-elsewhere") if call.param_name in known else Answer.MUST
    if call.param_value is None and call.param_value_size > 0:
        return Answer.MUST
    if name in (POINTERS, SVM_POINTERS):
        reply = _list_not_valid(call, name, model)
    elif call.param_value_size != BOOLEAN:
        return Answer.MUST
    else:
        reply = Answer.NO if boolean_of(call.param_value) in (0, 1) else May("odd-information")
    return reply if reply is not Answer.NO or _is_told(name, call, model) else May("property-of-elsewhere")


def _is_told(name: str, call: Call, model: Model) -> bool:
    """Return whether all devices in the kernel's context support the version or extension of a name."""
    gates = model.tables.enumerants[name].gates
    return all(applies(gates, Scope(device.platform, (device,))) for device in _devices(call, model))


def _list_not_valid(call: Call, name: str, model: Model) -> Reply:
    """Return whether a list of pointers has an invalid size; the result for invalid pointers is unspecified."""
    if call.param_value_size == 0:
        nothing_given = call.param_value is None and name == SVM_POINTERS
        return Answer.NO if nothing_given else May("no-pointers-at-an-address")
    if call.param_value_size % POINTER_BYTES:
        return Answer.MUST
    given = pointers_of(call)
    if any(value is not None and model.known(base_and_offset(value)[0]) is None for value in given):
        return Answer.UNDEFINED
    kernel = model.get(Kernel, call.kernel)
    doubtful = any(told_of(value, name, kernel, model) is None for value in given)
    return May("pointer-to-no-allocation") if doubtful else Answer.NO


def _devices(call: Call, model: Model) -> list[Device]:
    context = model.get(Kernel, call.kernel).context
    return context.devices if context is not None else []
