"""Postconditions of creating kernels and of setting their arguments and execution information (5.9.1 and 5.9.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.kernel_functions import ARGUMENT_SETTERS, POINTER_SETTERS
from clconform.calls.values import Data, Handle, HandleBytes, OffsetPointer, OutputBuffer, Text
from clconform.oracles.chapters.kernels.argument_echo import is_null
from clconform.oracles.chapters.kernels.error_conditions.creation import count_equal_kernels
from clconform.oracles.chapters.kernels.execution_info import (
    INDIRECT,
    SYSTEM,
    listed_allocation,
    listed_pointers,
    parameter_name,
    parse_boolean,
)
from clconform.oracles.common.object_creation import create_postcondition
from clconform.oracles.contents.mapped_contents import resolve_pointer
from clconform.oracles.engine.judgements import UNEXPECTED_ERROR, UNEXPLAINED_CODES
from clconform.oracles.engine.matchers import Anything, Element, NewHandles, OneOf, Postcondition, Values, handle_names
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UndefinedBehaviourError, UnknownFactError
from clconform.oracles.model.kernels import SET_BY_ADDRESS, SET_CONCURRENTLY, Kernel, KernelArgument
from clconform.oracles.model.programs import LinkedProgram, Program

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.contents.storage import MemoryPlace
    from clconform.oracles.engine.matchers import Mismatch
    from clconform.oracles.model.state import Model

rules = Rules()

ARGUMENT_DEPENDENT_QUERIES = ("WORK_GROUP_SIZE", "LOCAL_MEM_SIZE", "SUB_GROUP", "PRIVATE_MEM_SIZE")
"""Parts of the names of queries whose result may change when an argument of the kernel is set."""


@rules.postcondition("clSetKernelExecInfo")
def expect_exec_info(call: Call, model: Model) -> Postcondition:
    """Later enqueues of kernel use param_value. It replaces the earlier value for param_name."""
    kernel = model.get(Kernel, call.kernel)
    name = parameter_name(call, model)

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        if name in INDIRECT:
            kernel.indirect_types.discard(INDIRECT[name])
            if parse_boolean(call.param_value) == 1:
                kernel.indirect_types.add(INDIRECT[name])
        elif name == SYSTEM:
            kernel.uses_system_memory = parse_boolean(call.param_value)
        elif name is not None:
            found = (listed_allocation(value, name, kernel, model) for value in listed_pointers(call, model))
            kernel.indirect_memory[name] = [memory for memory in found if memory is not None]

    return Postcondition(apply=apply)


@rules.postcondition("clCreateKernel")
def expect_kernel(call: Call, model: Model) -> Postcondition:
    """The call creates a new kernel for the function kernel_name.

    Kernel queries return the declarations in the source.
    """
    program = model.get(Program, call.program)
    if not isinstance(call.kernel_name, Text):
        raise UnknownFactError("kernel_name")
    kernel = Kernel(context=program.context, program=program, function=call.kernel_name.content)
    kernel.argument_info = program.keeps_argument_info
    promise = create_postcondition(kernel, call, model)
    enter = promise.apply

    def apply(value: Element, seen: dict[str, Values]) -> list[Mismatch] | None:
        program.had_kernels = True
        return enter(value, seen)

    promise.apply = apply
    return promise


@rules.postcondition("clCreateKernelsInProgram")
def expect_all_kernels(call: Call, model: Model) -> Postcondition:
    """The call creates one new kernel for each kernel function of program. num_kernels_ret receives their number.

    The call does not create a kernel for a function whose arguments differ between devices. If the functions of program
    are unknown, or program is the result of a link, the call may succeed without kernels.
    """
    program = model.get(Program, call.program)
    count = count_equal_kernels(program)
    promise = Postcondition(apply=lambda _value, seen: _add_kernels(program, seen, model))
    requirements = (f"{call.function}/success",)
    if isinstance(call.num_kernels_ret, OutputBuffer):
        promise.outputs["num_kernels_ret"] = OneOf(((count,),), requirements) if count is not None else Anything((1,))
    if isinstance(call.kernels, OutputBuffer):
        perhaps_none = count is None and (not program.available_kernels or isinstance(program, LinkedProgram))
        promise.outputs["kernels"] = NewHandles(
            Kernel.type, count, call.kernels.count, requirements, model.live_names(Kernel.type), optional=perhaps_none
        )
    return promise


@rules.aftermath("clCreateKernel", "clCreateKernelsInProgram")
def record_failed_creation(call: Call, model: Model, code: str) -> None:
    """Record that a call with an unexplained error may have created kernels."""
    program = model.find(call.program)
    if code == UNEXPECTED_ERROR and isinstance(program, Program):
        program.may_have_kernels = True


def _add_kernels(program: Program, seen: dict[str, Values], model: Model) -> None:
    together: list[Kernel] = []
    for name in handle_names(seen.get("kernels", [])):
        kernel = Kernel(name, context=program.context, program=program, argument_info=program.keeps_argument_info)
        kernel.siblings, kernel.covered_requirements = together, {"clCreateKernelsInProgram/effect/4"}
        together.append(kernel)
        model.add(kernel)
        program.had_kernels = True


@rules.postcondition("clCloneKernel")
def expect_clone(call: Call, model: Model) -> Postcondition:
    """The call creates a kernel with the function, current arguments and execution information of source_kernel."""
    source = model.get(Kernel, call.source_kernel)
    clone = Kernel(context=source.context, program=source.program, function=source.function)
    clone.argument_info, clone.declaration = source.argument_info, source.declaration
    clone.arguments, clone.uncertain_arguments = dict(source.arguments), set(source.uncertain_arguments)
    clone.indirect_types = set(source.indirect_types)
    clone.uses_system_memory = source.uses_system_memory
    clone.indirect_memory = {name: list(memory) for name, memory in source.indirect_memory.items()}
    clone.source = source
    clone.covered_requirements = {f"clCloneKernel/effect/{number}" for number in (1, 4, 7, 9)}
    source.covered_requirements.add("clCloneKernel/effect/2")
    return create_postcondition(clone, call, model)


@rules.postcondition("clSetKernelArg")
def expect_argument(call: Call, model: Model) -> Postcondition:
    """Later enqueues of kernel use the value that arg_value points to during the call, for the argument arg_index."""
    kernel = model.get(Kernel, call.kernel)
    given = model.find(call.arg_value.handle) if isinstance(call.arg_value, HandleBytes) else None
    place = _source_in_host_memory(call, model)
    content = place.read() if place is not None else None
    known = content is not None and all(content.defined)
    value = Data(content.bytes_held) if content is not None and known else call.arg_value

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        if model.concurrent_count > 1:
            kernel.covered_requirements.add(SET_CONCURRENTLY)
        if call.arg_index in kernel.arguments:
            kernel.covered_requirements.add("clSetKernelArg/effect/5")
        if given is None and is_null(value):
            kernel.covered_requirements.add("clSetKernelArg/effect/6")
        _store_argument(
            kernel,
            call.arg_index,
            KernelArgument(value, call.arg_size, given, source=place if known else None, call=call),
        )

    return Postcondition(apply=apply)


@rules.postcondition(*POINTER_SETTERS)
def expect_pointer(call: Call, model: Model) -> Postcondition:
    """Later enqueues of kernel use the pointer arg_value for the argument arg_index."""
    kernel = model.get(Kernel, call.kernel)
    try:
        found = resolve_pointer(call.arg_value, model)
    except (UnknownFactError, UndefinedBehaviourError):
        found = None

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        effects = {
            1: found is not None,
            2: call.arg_index in kernel.arguments,
            3: isinstance(call.arg_value, OffsetPointer),
        }
        if call.function == "clSetKernelArgSVMPointer":
            kernel.covered_requirements.update(
                f"{call.function}/effect/{number}" for number, shown in effects.items() if shown
            )
        elif found is not None:
            kernel.covered_requirements.add(SET_BY_ADDRESS)
        _store_argument(kernel, call.arg_index, KernelArgument(call.arg_value, reach=found, call=call))

    return Postcondition(apply=apply)


def _store_argument(kernel: Kernel, index: int, argument: KernelArgument) -> None:
    kernel.arguments[index] = argument
    kernel.uncertain_arguments.discard(index)
    kernel.facts = {
        key: fact for key, fact in kernel.facts.items() if not any(part in key for part in ARGUMENT_DEPENDENT_QUERIES)
    }
    if kernel.source is not None:
        kernel.source.covered_requirements.add("clCloneKernel/effect/8")


def _source_in_host_memory(call: Call, model: Model) -> MemoryPlace | None:
    """Return the host memory that an argument value is copied from; None if it is not known."""
    if not isinstance(call.arg_value, Handle | OffsetPointer):
        return None
    try:
        return resolve_pointer(call.arg_value, model).memory_place(((0, call.arg_size),))
    except (UnknownFactError, UndefinedBehaviourError):
        return None


@rules.aftermath(*ARGUMENT_SETTERS)
def record_failed_argument(call: Call, model: Model, code: str) -> None:
    """Mark an argument as unknown after an unexplained result of the call that sets it.

    The call should have failed, or it failed without explanation. An error about resources also makes the argument
    unknown: it may have its earlier value or be unset.
    """
    kernel = model.find(call.kernel)
    if not isinstance(kernel, Kernel):
        return
    if code in UNEXPLAINED_CODES:
        kernel.uncertain_arguments.add(call.arg_index)
    elif call.function == "clSetKernelArg":
        kernel.covered_requirements.add("clSetKernelArg/effect/8")
