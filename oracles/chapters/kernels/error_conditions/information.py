"""Error conditions of kernel queries and of kernel execution information (sections 5.9.2 and 5.9.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.kernels.execution_info import (
    BOOLEAN_BYTES,
    INDIRECT,
    POINTERS,
    SVM_POINTERS,
    SYSTEM,
    listed_allocation,
    listed_pointers,
    parameter_name,
    parse_boolean,
)
from clconform.oracles.common.capabilities import lacks_capability
from clconform.oracles.common.contexts import find_invalid_or_other, is_not_among
from clconform.oracles.common.objects import is_invalid_object
from clconform.oracles.contents.pointers import split_address
from clconform.oracles.engine.applicability import applies
from clconform.oracles.engine.predicate_result import (
    MUST,
    NO,
    UNDEFINED,
    UNKNOWN,
    PredicateResult,
    evaluate,
    may,
    must_if,
)
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.call_scope import CallScope
from clconform.oracles.model.devices import Device
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.programs import BuiltInProgram, SourceProgram

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

rules = Rules()


@rules.clause("clGetKernelArgInfo/CL_KERNEL_ARG_INFO_NOT_AVAILABLE/1")
def lacks_argument_info(call: Call, model: Model) -> PredicateResult:
    """The program was not created from source, or not built with -cl-kernel-arg-info; the error is optional."""
    kernel = model.get(Kernel, call.kernel)
    if kernel.argument_info and kernel.program is not None and kernel.program.from_source:
        return NO
    return may("argument-info-kept")


@rules.clause("clGetKernelWorkGroupInfo/CL_INVALID_DEVICE/1", "clGetKernelSubGroupInfo/CL_INVALID_DEVICE/1")
def is_device_invalid(call: Call, model: Model) -> PredicateResult:
    """device is not one of the kernel's devices, or it is NULL and the kernel has more than one device."""
    kernel = model.get(Kernel, call.kernel)
    built = kernel.program.built_devices if kernel.program else []
    if call.device is None:
        if len(built) == 1 < len(_associated_devices(kernel)):
            return may("built-for-one-of-several-devices")
        return must_if(len(_associated_devices(kernel)) > 1)
    reply = is_invalid_object(call.device, "cl_device_id", model)
    if reply is not NO:
        return reply
    device = model.device(call.device)
    if device in built:
        return NO
    return (
        may("unknown-fact")
        if device in _associated_devices(kernel)
        else is_not_among(_associated_devices(kernel), device)
    )


@rules.alternatives_of("clGetKernelWorkGroupInfo/CL_INVALID_DEVICE/1", "clGetKernelSubGroupInfo/CL_INVALID_DEVICE/1")
def find_device_violation(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds.

    The alternatives: device is NULL for several devices, not a valid device, or not one of the kernel's devices.
    """
    return find_invalid_device("device", call.device, model)


def find_invalid_device(name: str, value: object, model: Model) -> Iterator[str]:
    """Yield the reasons why the device in a parameter is not valid for a query of a kernel."""
    if value is None:
        yield f"{name} is NULL and the kernel has more than one device"
    else:
        yield from find_invalid_or_other(name, value, "cl_device_id", model, "one of the kernel's devices")


def _associated_devices(kernel: Kernel) -> list[Device]:
    return kernel.program.devices if kernel.program else []


@rules.clause("clGetKernelWorkGroupInfo/CL_INVALID_VALUE/2")
def is_global_size_of_source_kernel(call: Call, model: Model) -> PredicateResult:
    """param_name is CL_KERNEL_GLOBAL_WORK_SIZE, kernel is not built-in, and device is not a custom device."""
    if call.param_name != model.constant_value("CL_KERNEL_GLOBAL_WORK_SIZE"):
        return NO
    kernel = model.get(Kernel, call.kernel)
    program = kernel.program
    device = model.find(call.device) or next(iter(program.built_devices if program else []), None)
    if not isinstance(device, Device):
        raise UnknownFactError("device")
    if device.number("CL_DEVICE_TYPE") & model.constant_value("CL_DEVICE_TYPE_CUSTOM") or isinstance(
        program, BuiltInProgram
    ):
        return NO
    return MUST if kernel.buffer_kernel is not None or isinstance(program, SourceProgram) else may("unknown-fact")


@rules.clause("clGetKernelWorkGroupInfo/CL_INVALID_VALUE/3")
def is_global_size_unavailable(call: Call, model: Model) -> PredicateResult:
    """param_name is CL_KERNEL_GLOBAL_WORK_SIZE, and kernel is not built-in.

    The result for a custom device is unspecified.
    """
    if call.param_name != model.constant_value("CL_KERNEL_GLOBAL_WORK_SIZE"):
        return NO
    usual = evaluate(is_global_size_of_source_kernel, call, model)
    program = model.get(Kernel, call.kernel).program
    return UNKNOWN if usual is NO and not isinstance(program, BuiltInProgram) else usual


@rules.clause("clGetKernelSubGroupInfo/CL_INVALID_OPERATION/1")
def lacks_sub_groups(call: Call, model: Model) -> PredicateResult:
    """device does not support sub-groups: its CL_DEVICE_MAX_NUM_SUB_GROUPS is 0."""
    kernel = model.get(Kernel, call.kernel)
    device = model.find(call.device) or next(iter(kernel.program.built_devices if kernel.program else []), None)
    if not isinstance(device, Device):
        raise UnknownFactError("device")
    return must_if(device.number("CL_DEVICE_MAX_NUM_SUB_GROUPS") == 0)


@rules.clause("clGetKernelSubGroupInfo/CL_INVALID_VALUE/2")
def has_invalid_input(call: Call, model: Model) -> PredicateResult:
    """param_name requires an input, and input_value is NULL or input_value_size is not valid for param_name.

    A local size as input has one to three elements of the type size_t. A number of sub-groups as input is one size_t.
    """
    return must_if(any(find_invalid_input(call, model)))


@rules.alternatives_of("clGetKernelSubGroupInfo/CL_INVALID_VALUE/2")
def find_invalid_input(call: Call, model: Model) -> Iterator[str]:
    """Yield each alternative that holds: the required input is NULL, or has a size that is not valid for param_name."""
    word = model.lookups.size_of("size_t")
    sizes = {
        "CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE": (word, 2 * word, 3 * word),
        "CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE": (word, 2 * word, 3 * word),
        "CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT": (word,),
    }
    name = next((name for name in sizes if model.constant_value(name) == call.param_name), None)
    if name is not None and call.input_value is None:
        yield "input_value is NULL"
    if name is not None and call.input_value_size not in sizes[name]:
        yield f"input_value_size is not valid for {name}"


@rules.clause("clSetKernelExecInfo/CL_INVALID_OPERATION/1")
def lacks_svm_support(call: Call, model: Model) -> PredicateResult:
    """No device in the kernel's context supports SVM."""
    if not all(lacks_capability(device, "SVM") for device in _devices(call, model)):
        return NO
    unified = parameter_name(call, model) in (POINTERS, *INDIRECT)
    return may("usm-without-svm") if unified else MUST


@rules.clause("clSetKernelExecInfo/CL_INVALID_OPERATION/2")
def lacks_system_svm_support(call: Call, model: Model) -> PredicateResult:
    """The call requests fine-grain system SVM, and no device in the kernel's context supports it.

    param_name is CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, and param_value points to CL_TRUE.
    """
    asked = parse_boolean(call.param_value) if parameter_name(call, model) == SYSTEM else None
    if not asked:
        return NO
    bit = model.constant_value("CL_DEVICE_SVM_FINE_GRAIN_SYSTEM")
    if any(device.number("CL_DEVICE_SVM_CAPABILITIES") & bit for device in _devices(call, model)):
        return NO
    return MUST if asked == 1 else may("boolean-neither-true-nor-false")


@rules.clause("clSetKernelExecInfo/CL_INVALID_VALUE/1")
def is_exec_info_invalid(call: Call, model: Model) -> PredicateResult:
    """param_name is not valid, param_value is NULL, or param_value_size is not valid for param_name.

    The valid sizes are 4 bytes for a cl_bool, and multiples of the size of a pointer for a list of pointers.
    """
    name = parameter_name(call, model)
    if name is None:
        known = model.tables.values_of_group("cl_kernel_exec_info").values()
        return may("property-defined-elsewhere") if call.param_name in known else MUST
    if call.param_value is None and call.param_value_size > 0:
        return MUST
    if name in (POINTERS, SVM_POINTERS):
        reply = _is_list_invalid(call, name, model)
    elif call.param_value_size != BOOLEAN_BYTES:
        return MUST
    else:
        reply = NO if parse_boolean(call.param_value) in (0, 1) else may("boolean-neither-true-nor-false")
    return reply if reply is not NO or _is_supported(name, call, model) else may("property-defined-elsewhere")


@rules.alternatives_of("clSetKernelExecInfo/CL_INVALID_VALUE/1")
def find_exec_info_violation(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds.

    The alternatives: param_name is not valid, param_value is NULL, or param_value_size is not valid for param_name.
    """
    name = parameter_name(call, model)
    if name is None:
        yield "param_name is not valid"
    elif call.param_value is None and call.param_value_size > 0:
        yield "param_value is NULL and param_value_size is not 0"
    else:
        yield f"param_value_size is not valid for {name}"


def _is_supported(name: str, call: Call, model: Model) -> bool:
    """Return whether all devices in the kernel's context support the parameter ``name``.

    The tables contain the version or extension that a parameter name requires.
    """
    gates = model.tables.enumerants[name].applicability
    return all(applies(gates, CallScope(device.platform, (device,))) for device in _devices(call, model))


def _is_list_invalid(call: Call, name: str, model: Model) -> PredicateResult:
    """Return whether a list of pointers has an invalid size or contains invalid pointers.

    The error for invalid pointers is optional.
    """
    if call.param_value_size == 0:
        nothing_given = call.param_value is None and name == SVM_POINTERS
        return NO if nothing_given else may("empty-pointer-list")
    if call.param_value_size % model.pointer_bytes:
        return MUST
    given = listed_pointers(call, model)
    if any(value is not None and model.find(split_address(value)[0]) is None for value in given):
        return UNDEFINED
    kernel = model.get(Kernel, call.kernel)
    doubtful = any(listed_allocation(value, name, kernel, model) is None for value in given)
    return may("exec-info-pointer-outside-allocation") if doubtful else NO


def _devices(call: Call, model: Model) -> list[Device]:
    context = model.get(Kernel, call.kernel).context
    return context.devices if context is not None else []
