"""Cases of older error conditions that are separate error conditions from revision 3.1.0 on: arguments (5.9.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.kernels.clauses.arguments import READ, WRITE, declared_argument, given_argument
from clconform.oracles.chapters.kernels.told_arguments import is_null
from clconform.oracles.engine.answers import UNKNOWN
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.parameters import Sort

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.answers import Predicate, Reply
    from clconform.oracles.model.world import Model

rules = Rules()

OBJECTS = {2: (Sort.BUFFER, Sort.IMAGE, Sort.PIPE), 3: (Sort.SAMPLER,), 4: (Sort.QUEUE,)}
"""Number of an error condition about arg_size to the declared kinds of the argument."""
NAMES = {2: "memory object", 3: "sampler", 4: "device queue"}


def _declared_as(*sorts: Sort, pointing: bool = False) -> Predicate:
    """Return a predicate: the argument is declared as one of some kinds.

    ``pointing``: the result is unknown if arg_value does not point to an object.
    """

    def holds(call: Call, model: Model) -> Reply:
        """Return whether the argument is declared as one of these kinds."""
        declared = declared_argument(call, model)
        if declared is None or declared.sort not in sorts:
            return False
        return UNKNOWN if pointing and given_argument(call, model) is None else True

    return holds


for _number, _sorts in OBJECTS.items():
    _record = f"clSetKernelArg/CL_INVALID_ARG_SIZE/{_number}"
    rules.part(_record)(_declared_as(*_sorts, pointing=True))
    rules.words[_record] = f"arg_value points to a {NAMES[_number]}, and arg_size is not the size of its handle."
rules.part("clSetKernelArg/CL_INVALID_ARG_SIZE/5")(_declared_as(Sort.LOCAL))
rules.words["clSetKernelArg/CL_INVALID_ARG_SIZE/5"] = (
    "The argument is in local memory, arg_size is 0, and the version is less than 3.1."
)
rules.part("clSetKernelArg/CL_INVALID_ARG_SIZE/6")(_declared_as(Sort.VALUE))
rules.words["clSetKernelArg/CL_INVALID_ARG_SIZE/6"] = "arg_size is not the size of the type of an argument by value."


@rules.part("clSetKernelArg/CL_INVALID_MEM_OBJECT/3")
def nothing_given(call: Call, model: Model) -> Reply:
    """arg_value is NULL for an image or a pipe."""
    del model
    return call.arg_value is None


@rules.part("clSetKernelArg/CL_INVALID_MEM_OBJECT/4")
def null_given(call: Call, model: Model) -> Reply:
    """arg_value points to NULL for an image or a pipe."""
    del model
    return call.arg_value is not None and is_null(call.arg_value)


@rules.part("clSetKernelArg/CL_INVALID_MEM_OBJECT/5")
def another_object_given(call: Call, model: Model) -> Reply:
    """arg_value points to something other than a valid memory object, for a memory object argument."""
    del model
    return not is_null(call.arg_value)


def _accessed(access: str) -> Predicate:
    def holds(call: Call, model: Model) -> Reply:
        """Return whether the argument is declared with this access qualifier."""
        declared = declared_argument(call, model)
        return declared is not None and declared.access == access

    return holds


rules.part("clSetKernelArg/CL_INVALID_ARG_VALUE/3")(_accessed(READ))
rules.words["clSetKernelArg/CL_INVALID_ARG_VALUE/3"] = (
    "The argument is a read_only image, and the image was created with CL_MEM_WRITE_ONLY."
)
rules.part("clSetKernelArg/CL_INVALID_ARG_VALUE/4")(_accessed(WRITE))
rules.words["clSetKernelArg/CL_INVALID_ARG_VALUE/4"] = (
    "The argument is a write_only image, and the image was created with CL_MEM_READ_ONLY."
)
