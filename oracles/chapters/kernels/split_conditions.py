"""Error conditions of kernels that revision 3.1.0 split off from older conditions (section 5.9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.kernels.argument_echo import is_null
from clconform.oracles.chapters.kernels.error_conditions.arguments import READ, WRITE, declared_argument, passed_object
from clconform.oracles.chapters.kernels.execution_info import SVM_POINTERS, parameter_name
from clconform.oracles.engine.predicate_result import MUST, NO, UNKNOWN, Predicate, PredicateResult, must_if
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.parameters import ArgumentKind

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

rules = Rules()

KINDS_BY_NUMBER = {
    2: (ArgumentKind.BUFFER, ArgumentKind.IMAGE, ArgumentKind.PIPE),
    3: (ArgumentKind.SAMPLER,),
    4: (ArgumentKind.QUEUE,),
}
"""Maps the number of an error condition about arg_size to the declared kinds of the argument."""
KIND_NAMES = {2: "memory object", 3: "sampler", 4: "device queue"}


def _is_declared_as(*sorts: ArgumentKind, pointing: bool = False) -> Predicate:
    """Return a predicate: the argument is declared as one of the kinds ``sorts``.

    ``pointing``: the result is unknown if arg_value does not point to an object.
    """

    def holds(call: Call, model: Model) -> PredicateResult:
        """Return whether the argument is declared as one of ``sorts``."""
        declared = declared_argument(call, model)
        if declared is None or declared.kind not in sorts:
            return NO
        return UNKNOWN if pointing and passed_object(call, model) is None else MUST

    return holds


for _number, _sorts in KINDS_BY_NUMBER.items():
    _record = f"clSetKernelArg/CL_INVALID_ARG_SIZE/{_number}"
    rules.clause_part(_record)(_is_declared_as(*_sorts, pointing=True))
    rules.words[_record] = f"arg_value points to a {KIND_NAMES[_number]}, and arg_size is not the size of its handle."
rules.clause_part("clSetKernelArg/CL_INVALID_ARG_SIZE/5")(_is_declared_as(ArgumentKind.LOCAL))
rules.words["clSetKernelArg/CL_INVALID_ARG_SIZE/5"] = (
    "The argument is in local memory, arg_size is 0, and the device version is less than 3.1."
)
rules.clause_part("clSetKernelArg/CL_INVALID_ARG_SIZE/6")(_is_declared_as(ArgumentKind.VALUE))
rules.words["clSetKernelArg/CL_INVALID_ARG_SIZE/6"] = (
    "The argument is passed by value, and arg_size is not the size of its type."
)


@rules.clause_part("clSetKernelArg/CL_INVALID_MEM_OBJECT/3")
def is_value_null(call: Call, model: Model) -> PredicateResult:
    """The argument is an image or a pipe, and arg_value is NULL."""
    del model
    return must_if(call.arg_value is None)


@rules.clause_part("clSetKernelArg/CL_INVALID_MEM_OBJECT/4")
def points_to_null(call: Call, model: Model) -> PredicateResult:
    """The argument is an image or a pipe, and arg_value points to NULL."""
    del model
    return must_if(call.arg_value is not None and is_null(call.arg_value))


@rules.clause_part("clSetKernelArg/CL_INVALID_MEM_OBJECT/5")
def points_to_invalid_object(call: Call, model: Model) -> PredicateResult:
    """The argument is a memory object, and arg_value points to a value that is not a valid memory object."""
    del model
    return must_if(not is_null(call.arg_value))


def _has_access(access: str) -> Predicate:
    def holds(call: Call, model: Model) -> PredicateResult:
        """Return whether the argument is declared with the access qualifier ``access``."""
        declared = declared_argument(call, model)
        return must_if(declared is not None and declared.access_qualifier == access)

    return holds


rules.clause_part("clSetKernelArg/CL_INVALID_ARG_VALUE/3")(_has_access(READ))
rules.words["clSetKernelArg/CL_INVALID_ARG_VALUE/3"] = (
    "The argument is a read_only image, and the image was created with CL_MEM_WRITE_ONLY."
)
rules.clause_part("clSetKernelArg/CL_INVALID_ARG_VALUE/4")(_has_access(WRITE))
rules.words["clSetKernelArg/CL_INVALID_ARG_VALUE/4"] = (
    "The argument is a write_only image, and the image was created with CL_MEM_READ_ONLY."
)


@rules.clause_part("clSetKernelExecInfo/CL_INVALID_OPERATION/3")
def lists_svm_without_support(call: Call, model: Model) -> PredicateResult:
    """param_name is CL_KERNEL_EXEC_INFO_SVM_PTRS, and no device in the kernel's context supports SVM."""
    return must_if(parameter_name(call, model) == SVM_POINTERS)
