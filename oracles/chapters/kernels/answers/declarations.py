"""Query results of kernels: declarations in their source, and their origin (section 5.9.4)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Such
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.parameters import Sort
from clconform.oracles.queries.told import either, exactly, named

if TYPE_CHECKING:
    from clconform.oracles.engine.wants import Want
    from clconform.oracles.model.known_kernels import KnownKernel
    from clconform.oracles.model.parameters import Parameter
    from clconform.oracles.queries.questions import Question

rules = Rules()


@rules.answer("CL_KERNEL_FUNCTION_NAME", of=Kernel)
def name_of(kernel: Kernel, question: Question) -> Want | None:
    """The value is the name of the kernel function; kernels that one call created have different names."""
    if kernel.program is None:
        return None
    if kernel.function:
        return exactly(question, kernel.function)
    taken = {each.title for each in kernel.made_with if each is not kernel}
    return either(question, tuple((name,) for name in kernel.program.holds if name not in taken))


@rules.answer("CL_KERNEL_CONTEXT", of=Kernel)
def context_of(kernel: Kernel, question: Question) -> Want | None:
    """The value is the context of the kernel's program."""
    return named(question, kernel.context) if kernel.program is not None else None


@rules.answer("CL_KERNEL_PROGRAM", of=Kernel)
def program_of(kernel: Kernel, question: Question) -> Want | None:
    """The value is the program that the kernel was created from."""
    return named(question, kernel.program) if kernel.program is not None else None


@rules.answer("CL_KERNEL_ATTRIBUTES", of=Kernel)
def attributes_declared(kernel: Kernel, question: Question) -> Want | None:
    """The value is the attributes that the source declares for the kernel, in any order, separated by spaces.

    White space inside an attribute may differ. The value is an empty string without attributes, and for a kernel that
    was not created from source.
    """
    known, program = _declared(kernel), kernel.program
    if known is None and (program is None or program.from_source):
        return None
    wanted = known.attributes if known is not None else ""
    return Such(
        lambda seen: attributes_in("".join(map(str, seen))) == attributes_in(wanted),
        repr(wanted),
        (question.query.id,),
        wanted,
    )


def attributes_in(text: str) -> list[str]:
    """Return the attributes in a text, sorted, without white space inside them."""
    inside = _INSIDE.sub(lambda found: "".join(found[0].split()), text)
    return sorted(each.strip() for each in inside.split(" ") if each.strip())


_INSIDE = re.compile(r"\s*\([^)]*\)")
"""The bracketed part of an attribute, with preceding white space."""


@rules.answer("CL_KERNEL_NUM_ARGS", of=Kernel)
def number_of_arguments(kernel: Kernel, question: Question) -> Want | None:
    """The value is the number of arguments that the source declares."""
    return exactly(question, len(kernel.parameters)) if kernel.parameters is not None else None


@rules.answer("CL_KERNEL_LOCAL_MEM_SIZE", of=Kernel)
def local_memory(kernel: Kernel, question: Question) -> Want | None:
    """The value is at least the sum of the sizes that were set for arguments in local memory."""
    least = kernel.local_bytes
    if kernel.parameters is None or not least:
        return None
    return Such(
        lambda seen: bool(seen) and isinstance(seen[0], int) and seen[0] >= least,
        f"at least {least}",
        (question.query.id,),
        (least,),
    )


@rules.answer("CL_KERNEL_COMPILE_WORK_GROUP_SIZE", of=Kernel)
def group_asked_for(kernel: Kernel, question: Question) -> Want | None:
    """The value is the work-group size that the source requires, and (0, 0, 0) if it requires none."""
    known, device = _declared(kernel), question.named_device
    built = kernel.program is not None and device is not None and device in kernel.program.built
    return either(question, (known.group,)) if known is not None and built else None


@rules.answer("CL_KERNEL_ARG_NAME", of=Kernel)
def argument_name(kernel: Kernel, question: Question) -> Want | None:
    """The value is the argument's name, as declared in the source."""
    argument = _argument(kernel, question)
    return exactly(question, argument.name) if argument is not None else None


@rules.answer("CL_KERNEL_ARG_TYPE_NAME", of=Kernel)
def argument_type(kernel: Kernel, question: Question) -> Want | None:
    """The value is the argument's type name, as declared in the source."""
    argument = _argument(kernel, question)
    return exactly(question, argument.type_name) if argument is not None else None


@rules.answer("CL_KERNEL_ARG_ADDRESS_QUALIFIER", of=Kernel)
def argument_address(kernel: Kernel, question: Question) -> Want | None:
    """The value is the argument's address space qualifier, as declared in the source.

    For an image or a pipe, global and private are both allowed.
    """
    argument = _argument(kernel, question)
    if argument is None:
        return None
    if argument.sort in (Sort.IMAGE, Sort.PIPE):
        places = ("CL_KERNEL_ARG_ADDRESS_GLOBAL", "CL_KERNEL_ARG_ADDRESS_PRIVATE")
        return either(question, tuple((question.model.value(each),) for each in places))
    return exactly(question, question.model.value(argument.address))


rules.by_reading("address-of-an-image", "CL_KERNEL_ARG_ADDRESS_QUALIFIER")


@rules.answer("CL_KERNEL_ARG_ACCESS_QUALIFIER", of=Kernel)
def argument_access(kernel: Kernel, question: Question) -> Want | None:
    """The value is the argument's access qualifier, as declared in the source."""
    argument = _argument(kernel, question)
    return exactly(question, question.model.value(argument.access)) if argument is not None else None


@rules.answer("CL_KERNEL_ARG_TYPE_QUALIFIER", of=Kernel)
def argument_qualifiers(kernel: Kernel, question: Question) -> Want | None:
    """The value is the argument's type qualifiers, as declared in the source."""
    argument = _argument(kernel, question)
    if argument is None:
        return None
    return exactly(question, sum(question.model.value(name) for name in argument.qualifiers))


def _declared(kernel: Kernel) -> KnownKernel | None:
    """Return the known declaration of a kernel from source, or None."""
    from_source = kernel.program is not None and kernel.program.from_source
    return kernel.known if from_source else None


def _argument(kernel: Kernel, question: Question) -> Parameter | None:
    """Return the declaration of the queried argument, or None."""
    from_source = kernel.program is not None and kernel.program.from_source
    declared, index = kernel.parameters if from_source else None, question.index
    if declared is None or index is None or not 0 <= index < len(declared):
        return None
    return declared[index]
