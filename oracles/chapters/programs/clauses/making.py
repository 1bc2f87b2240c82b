"""Error conditions of creating programs from source, intermediate language or built-in kernels (section 5.8.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Items, Pointers, Text, Texts
from clconform.oracles.chapters.programs.clauses.devices import devices_listed, first_against
from clconform.oracles.chapters.programs.languages import modules_for
from clconform.oracles.engine.answers import Answer, May, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.recurring.contexts import association

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.world import Model

rules = Rules()


@rules.clause("clCreateProgramWithSource/CL_INVALID_VALUE/1")
def no_source(call: Call, _model: Model) -> Reply:
    """count is 0, strings is NULL, or an element of strings is NULL."""
    if not call.count or call.strings is None:
        return Answer.MUST
    if isinstance(call.strings, Pointers):
        return Answer.MUST if None in call.strings.values[: call.count] else Answer.UNDEFINED
    if not isinstance(call.strings, Texts):
        return Answer.UNDEFINED
    return Answer.UNDEFINED if _past_the_ends(call.strings.contents, call.lengths, call.count) else Answer.NO


def _past_the_ends(texts: tuple[str, ...], lengths: object, count: int) -> bool:
    """Return whether a length exceeds its string with the null terminator."""
    if lengths is None:
        return False
    if not isinstance(lengths, Items) or len(lengths.values) < count:
        return True
    sizes = [len(text.encode("utf-8", "surrogateescape")) + 1 for text in texts]
    return any(isinstance(told, int) and told > size for told, size in zip(lengths.values, sizes, strict=False))


@rules.clause("clCreateProgramWithBinary/CL_INVALID_DEVICE/1", "clCreateProgramWithBuiltInKernels/CL_INVALID_DEVICE/1")
def device_not_for_the_program(call: Call, model: Model) -> Reply:
    """An element of device_list is NULL, or is not associated with context."""
    return first_against(call.device_list, model, lambda device: association(model.context(call.context), device))


@rules.clause("clCreateProgramWithIL/CL_INVALID_VALUE/2", "clCreateProgramWithILKHR/CL_INVALID_VALUE/2")
def not_of_a_language(call: Call, model: Model) -> Reply:
    """il is not a module of an intermediate language that the devices support."""
    if not isinstance(call.il, Data) or not call.length:
        return Answer.NO
    if call.il.content[: call.length] in modules_for(model.context(call.context).devices):
        return Answer.NO
    return May("bytes-of-a-module")


@rules.clause("clCreateProgramWithBuiltInKernels/CL_INVALID_VALUE/2")
def no_such_built_in_kernel(call: Call, model: Model) -> Reply:
    """kernel_names is NULL, or has a name that is not a built-in kernel of any device in device_list."""
    if not isinstance(call.kernel_names, Text):
        return Answer.MUST
    known: set[str] = set()
    for device in devices_listed(call, model):
        told = device.facts.get("CL_DEVICE_BUILT_IN_KERNELS")
        if not isinstance(told, str):
            raise UnknownError("CL_DEVICE_BUILT_IN_KERNELS")
        known.update(told.split(";"))
    return not set(call.kernel_names.content.split(";")) <= known
