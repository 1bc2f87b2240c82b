"""Query results of kernels: declarations in their source, and their origin (section 5.9.4)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clconform.oracles.engine.matchers import Satisfies
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.parameters import ArgumentKind
from clconform.oracles.queries.expected_answers import expect_exactly, expect_handle, expect_one_of

if TYPE_CHECKING:
    from clconform.oracles.engine.matchers import Matcher
    from clconform.oracles.model.buffer_kernels import BufferKernel
    from clconform.oracles.model.parameters import KernelParameter
    from clconform.oracles.queries.query_request import QueryRequest

rules = Rules()


@rules.expected_value("CL_KERNEL_FUNCTION_NAME", of=Kernel)
def name_of(kernel: Kernel, question: QueryRequest) -> Matcher | None:
    """The value is the name of the kernel function.

    Kernels that one call of clCreateKernelsInProgram created have different names.
    """
    if kernel.program is None:
        return None
    if kernel.function:
        return expect_exactly(question, kernel.function)
    taken = {each.function_name for each in kernel.siblings if each is not kernel}
    return expect_one_of(question, tuple((name,) for name in kernel.program.available_kernels if name not in taken))


@rules.expected_value("CL_KERNEL_CONTEXT", of=Kernel)
def context_of(kernel: Kernel, question: QueryRequest) -> Matcher | None:
    """The value is the context of the kernel's program."""
    return expect_handle(question, kernel.context) if kernel.program is not None else None


@rules.expected_value("CL_KERNEL_PROGRAM", of=Kernel)
def program_of(kernel: Kernel, question: QueryRequest) -> Matcher | None:
    """The value is the program that the kernel was created from."""
    return expect_handle(question, kernel.program) if kernel.program is not None else None


@rules.expected_value("CL_KERNEL_ATTRIBUTES", of=Kernel)
def declared_attributes(kernel: Kernel, question: QueryRequest) -> Matcher | None:
    """The value lists the attributes that the source declares for the kernel, separated by spaces, in any order.

    White space inside an attribute may differ. The value is an empty string if the source does not declare attributes,
    and for a kernel that was not created from source.
    """
    known, program = _declaration_of(kernel), kernel.program
    if known is None and (program is None or program.from_source):
        return None
    wanted = known.attributes if known is not None else ""
    return Satisfies(
        lambda seen: parse_attributes("".join(map(str, seen))) == parse_attributes(wanted),
        repr(wanted),
        (question.query.id,),
        wanted,
    )


def parse_attributes(text: str) -> list[str]:
    """Return the attributes in a text, sorted, and without white space inside an attribute."""
    inside = _BRACKETS.sub(lambda found: "".join(found[0].split()), text)
    return sorted(each.strip() for each in inside.split(" ") if each.strip())


_BRACKETS = re.compile(r"\s*\([^)]*\)")
"""The bracketed part of an attribute, with preceding white space."""


@rules.expected_value("CL_KERNEL_NUM_ARGS", of=Kernel)
def argument_count(kernel: Kernel, question: QueryRequest) -> Matcher | None:
    """The value is the number of arguments that the source declares."""
    return expect_exactly(question, len(kernel.parameters)) if kernel.parameters is not None else None


@rules.expected_value("CL_KERNEL_LOCAL_MEM_SIZE", of=Kernel)
def local_memory_size(kernel: Kernel, question: QueryRequest) -> Matcher | None:
    """The value is at least the sum of the sizes that were set for arguments in local memory."""
    least = kernel.local_bytes
    if kernel.parameters is None or not least:
        return None
    return Satisfies(
        lambda seen: bool(seen) and isinstance(seen[0], int) and seen[0] >= least,
        f"at least {least}",
        (question.query.id,),
        (least,),
    )


@rules.expected_value("CL_KERNEL_COMPILE_WORK_GROUP_SIZE", of=Kernel)
def required_group(kernel: Kernel, question: QueryRequest) -> Matcher | None:
    """The value is the work-group size that the source requires, or (0, 0, 0) if the source does not require a size."""
    known, device = _declaration_of(kernel), question.named_device
    devices = kernel.program.built_devices if kernel.program is not None else []
    built = device in devices if device is not None else len({each.name for each in devices}) == 1
    return expect_one_of(question, (known.required_group,)) if known is not None and built else None


@rules.expected_value("CL_KERNEL_ARG_NAME", of=Kernel)
def argument_name(kernel: Kernel, question: QueryRequest) -> Matcher | None:
    """The value is the argument's name, as declared in the source."""
    argument = _queried_argument(kernel, question)
    return expect_exactly(question, argument.name) if argument is not None else None


@rules.expected_value("CL_KERNEL_ARG_TYPE_NAME", of=Kernel)
def argument_type(kernel: Kernel, question: QueryRequest) -> Matcher | None:
    """The value is the argument's type name, as declared in the source."""
    argument = _queried_argument(kernel, question)
    return expect_exactly(question, argument.type_name) if argument is not None else None


@rules.expected_value("CL_KERNEL_ARG_ADDRESS_QUALIFIER", of=Kernel)
def argument_address(kernel: Kernel, question: QueryRequest) -> Matcher | None:
    """The value is the argument's address space qualifier, as declared in the source.

    For an image or a pipe, global and private are both allowed.
    """
    argument = _queried_argument(kernel, question)
    if argument is None:
        return None
    if argument.kind in (ArgumentKind.IMAGE, ArgumentKind.PIPE):
        places = ("CL_KERNEL_ARG_ADDRESS_GLOBAL", "CL_KERNEL_ARG_ADDRESS_PRIVATE")
        return expect_one_of(question, tuple((question.model.constant_value(each),) for each in places))
    return expect_exactly(question, question.model.constant_value(argument.address_qualifier))


rules.uses_interpretation("address-qualifier-of-image", "CL_KERNEL_ARG_ADDRESS_QUALIFIER")


@rules.expected_value("CL_KERNEL_ARG_ACCESS_QUALIFIER", of=Kernel)
def argument_access(kernel: Kernel, question: QueryRequest) -> Matcher | None:
    """The value is the argument's access qualifier, as declared in the source."""
    argument = _queried_argument(kernel, question)
    return (
        expect_exactly(question, question.model.constant_value(argument.access_qualifier))
        if argument is not None
        else None
    )


@rules.expected_value("CL_KERNEL_ARG_TYPE_QUALIFIER", of=Kernel)
def argument_qualifiers(kernel: Kernel, question: QueryRequest) -> Matcher | None:
    """The value is the argument's type qualifiers, as declared in the source."""
    argument = _queried_argument(kernel, question)
    if argument is None:
        return None
    return expect_exactly(question, sum(question.model.constant_value(name) for name in argument.qualifiers))


def _declaration_of(kernel: Kernel) -> BufferKernel | None:
    """Return the known declaration of a kernel from source, or None."""
    from_source = kernel.program is not None and kernel.program.from_source
    return kernel.buffer_kernel if from_source else None


def _queried_argument(kernel: Kernel, question: QueryRequest) -> KernelParameter | None:
    """Return the declaration of the queried argument, or None."""
    from_source = kernel.program is not None and kernel.program.from_source
    declared, index = kernel.parameters if from_source else None, question.argument_index
    if declared is None or index is None or not 0 <= index < len(declared):
        return None
    return declared[index]
