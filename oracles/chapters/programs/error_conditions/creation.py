"""Error conditions of creating programs from source, intermediate language or built-in kernels (section 5.8.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, Pointers, Text, Texts
from clconform.oracles.chapters.programs.error_conditions.devices import (
    evaluate_devices,
    find_foreign_devices,
    listed_devices,
)
from clconform.oracles.chapters.programs.languages import accepted_modules
from clconform.oracles.common.contexts import is_unassociated
from clconform.oracles.common.parameters import find_null
from clconform.oracles.engine.predicate_result import MUST, NO, UNDEFINED, PredicateResult, may, must_if
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownFactError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

rules = Rules()


@rules.clause("clCreateProgramWithSource/CL_INVALID_VALUE/1")
def is_source_missing(call: Call, _model: Model) -> PredicateResult:
    """count is 0, strings is NULL, or an element of strings is NULL."""
    if not call.count or call.strings is None:
        return MUST
    if isinstance(call.strings, Pointers):
        return MUST if None in call.strings.values[: call.count] else UNDEFINED
    if not isinstance(call.strings, Texts):
        return UNDEFINED
    return UNDEFINED if _exceeds_strings(call.strings.contents, call.lengths, call.count) else NO


@rules.alternatives_of("clCreateProgramWithSource/CL_INVALID_VALUE/1")
def find_missing_sources(call: Call, _model: Model) -> Iterator[str]:
    """Yield each alternative that holds: count is 0, strings is NULL, or each string that is NULL."""
    if not call.count:
        yield "count is 0"
    yield from find_null(call, "strings")
    listed = call.strings.values[: call.count] if isinstance(call.strings, Pointers) else ()
    yield from (f"strings[{at}] is NULL" for at, value in enumerate(listed) if value is None)


def _exceeds_strings(texts: tuple[str, ...], lengths: object, count: int) -> bool:
    """Return whether an element of lengths is more than the size of its string, with the null terminator."""
    if lengths is None:
        return False
    if not isinstance(lengths, ElementList) or len(lengths.values) < count:
        return True
    sizes = [len(text.encode("utf-8", "surrogateescape")) + 1 for text in texts]
    return any(isinstance(told, int) and told > size for told, size in zip(lengths.values, sizes, strict=False))


@rules.clause("clCreateProgramWithBinary/CL_INVALID_DEVICE/1", "clCreateProgramWithBuiltInKernels/CL_INVALID_DEVICE/1")
def has_foreign_device(call: Call, model: Model) -> PredicateResult:
    """An element of device_list is NULL, or is not associated with context."""
    return evaluate_devices(
        call.device_list, model, lambda device: is_unassociated(model.context(call.context), device)
    )


@rules.alternatives_of(
    "clCreateProgramWithBinary/CL_INVALID_DEVICE/1", "clCreateProgramWithBuiltInKernels/CL_INVALID_DEVICE/1"
)
def find_invalid_devices(call: Call, model: Model) -> Iterator[str]:
    """Yield each element of device_list that is NULL, not a valid device, or not associated with context."""
    return find_foreign_devices(
        call.device_list, model, lambda device: is_unassociated(model.context(call.context), device), "context"
    )


@rules.clause("clCreateProgramWithIL/CL_INVALID_VALUE/2", "clCreateProgramWithILKHR/CL_INVALID_VALUE/2")
def is_il_invalid(call: Call, model: Model) -> PredicateResult:
    """il is not a valid module in an intermediate language that the devices in context support."""
    if not isinstance(call.il, Data) or not call.length:
        return NO
    if call.il.content[: call.length] in accepted_modules(model.context(call.context).devices):
        return NO
    return may("unknown-il-module")


@rules.clause("clCreateProgramWithBuiltInKernels/CL_INVALID_VALUE/2")
def has_unknown_built_in_kernel(call: Call, model: Model) -> PredicateResult:
    """kernel_names is NULL, or has a name that is not a built-in kernel of any device in device_list."""
    if not isinstance(call.kernel_names, Text):
        return MUST
    known: set[str] = set()
    for device in listed_devices(call, model):
        told = device.facts.get("CL_DEVICE_BUILT_IN_KERNELS")
        if not isinstance(told, str):
            raise UnknownFactError("CL_DEVICE_BUILT_IN_KERNELS")
        known.update(told.split(";"))
    return must_if(not set(call.kernel_names.content.split(";")) <= known)


@rules.alternatives_of("clCreateProgramWithBuiltInKernels/CL_INVALID_VALUE/2")
def find_built_in_kernel_violation(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds: kernel_names is NULL, or has a name that is not a built-in kernel."""
    del model
    if call.kernel_names is None:
        yield "kernel_names is NULL"
    else:
        yield "kernel_names has a name that is not a built-in kernel of any device in device_list"
