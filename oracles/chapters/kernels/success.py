"""Postconditions of creating kernels and of setting their arguments and execution information (5.9.1 and 5.9.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, HandleBytes, Inside, OutputBuffer, Text
from clconform.oracles.chapters.kernels.clauses.creation import number_of_the_same
from clconform.oracles.chapters.kernels.execution_info import (
    INDIRECT,
    SYSTEM,
    boolean_of,
    name_of,
    pointers_of,
    told_of,
)
from clconform.oracles.chapters.kernels.told_arguments import is_null
from clconform.oracles.contents.maps import reach
from clconform.oracles.engine.judgements import AGAINST_THE_CLAUSES, UNEXPECTED
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Anything, Element, Fresh, OneOf, Promise, Values, handles
from clconform.oracles.model.errors import ForbiddenError, UnknownError
from clconform.oracles.model.kernels import BY_ADDRESS, SET_AT_ONCE, Argument, Kernel
from clconform.oracles.model.programs import LinkedProgram, Program
from clconform.oracles.recurring.making import made

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.contents.storage import Place
    from clconform.oracles.engine.wants import Complaint
    from clconform.oracles.model.world import Model

rules = Rules()

SETTERS = ("clSetKernelArg", "clSetKernelArgSVMPointer", "clSetKernelArgMemPointerINTEL")
BY_ARGUMENTS = ("WORK_GROUP_SIZE", "LOCAL_MEM_SIZE", "SUB_GROUP", "PRIVATE_MEM_SIZE")
"""Parts of the names of queries whose result may change with a kernel's arguments."""


@rules.success("clSetKernelExecInfo")
def information_kept(call: Call, model: Model) -> Promise:
    """Later enqueues of kernel use param_value, which replaces the earlier value for param_name."""
    kernel = model.get(Kernel, call.kernel)
    name = name_of(call, model)

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        if name in INDIRECT:
            kernel.reaches.discard(INDIRECT[name])
            if boolean_of(call.param_value) == 1:
                kernel.reaches.add(INDIRECT[name])
        elif name == SYSTEM:
            kernel.system = boolean_of(call.param_value)
        elif name is not None:
            found = (told_of(value, name, kernel, model) for value in pointers_of(call))
            kernel.listed[name] = [memory for memory in found if memory is not None]

    return Promise(apply=apply)


@rules.success("clCreateKernel")
def kernel_made(call: Call, model: Model) -> Promise:
    """The call creates a new kernel for the named function; queries return the declarations of its source."""
    program = model.get(Program, call.program)
    if not isinstance(call.kernel_name, Text):
        raise UnknownError("kernel_name")
    kernel = Kernel(context=program.context, program=program, function=call.kernel_name.content)
    kernel.argument_info = program.argument_info
    promise = made(kernel, call, model)
    enter = promise.apply

    def apply(value: Element, seen: dict[str, Values]) -> list[Complaint] | None:
        program.had_kernels = True
        return enter(value, seen)

    promise.apply = apply
    return promise


@rules.success("clCreateKernelsInProgram")
def all_kernels_made(call: Call, model: Model) -> Promise:
    """The call creates one new kernel for each kernel function of program, and returns their number.

    It creates no kernel for a function whose arguments differ between devices. If the functions of program are unknown,
    or program is the result of a link, the call may create none.
    """
    program = model.get(Program, call.program)
    count = number_of_the_same(program)
    promise = Promise(apply=lambda _value, seen: _add_all(program, seen, model))
    records = (f"{call.function}/success",)
    if isinstance(call.num_kernels_ret, OutputBuffer):
        promise.outputs["num_kernels_ret"] = OneOf(((count,),), records) if count is not None else Anything((1,))
    if isinstance(call.kernels, OutputBuffer):
        perhaps_none = count is None and (not program.holds or isinstance(program, LinkedProgram))
        promise.outputs["kernels"] = Fresh(
            Kernel.type, count, call.kernels.count, records, model.alive(Kernel.type), optional=perhaps_none
        )
    return promise


@rules.aftermath("clCreateKernel", "clCreateKernelsInProgram")
def kernels_made_perhaps(call: Call, model: Model, code: str) -> None:
    """A call that fails with an unexplained error may have created kernels."""
    program = model.known(call.program)
    if code == UNEXPECTED and isinstance(program, Program):
        program.kernels_perhaps = True


def _add_all(program: Program, seen: dict[str, Values], model: Model) -> None:
    together: list[Kernel] = []
    for name in handles(seen.get("kernels", [])):
        kernel = Kernel(name, context=program.context, program=program, argument_info=program.argument_info)
        kernel.made_with, kernel.shows = together, {"clCreateKernelsInProgram/effect/4"}
        together.append(kernel)
        model.add(kernel)
        program.had_kernels = True


@rules.success("clCloneKernel")
def kernel_cloned(call: Call, model: Model) -> Promise:
    """The call creates a new kernel of the same function, with its current arguments and execution information."""
    source = model.get(Kernel, call.source_kernel)
    clone = Kernel(context=source.context, program=source.program, function=source.function)
    clone.argument_info = source.argument_info
    clone.arguments, clone.doubtful = dict(source.arguments), set(source.doubtful)
    clone.reaches = set(source.reaches)
    clone.system = source.system
    clone.listed = {name: list(memory) for name, memory in source.listed.items()}
    clone.source = source
    clone.shows = {f"clCloneKernel/effect/{number}" for number in (1, 4, 7, 9)}
    source.shows.add("clCloneKernel/effect/2")
    return made(clone, call, model)


@rules.success("clSetKernelArg")
def argument_set(call: Call, model: Model) -> Promise:
    """Later enqueues of kernel use the given argument value."""
    kernel = model.get(Kernel, call.kernel)
    given = model.known(call.arg_value.handle) if isinstance(call.arg_value, HandleBytes) else None
    place = _of_the_host(call, model)
    content = place.read() if place is not None else None
    known = content is not None and all(content.defined)
    value = Data(content.held) if content is not None and known else call.arg_value

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        if model.at_once > 1:
            kernel.shows.add(SET_AT_ONCE)
        if call.arg_index in kernel.arguments:
            kernel.shows.add("clSetKernelArg/effect/5")
        if given is None and is_null(value):
            kernel.shows.add("clSetKernelArg/effect/6")
        _keep(
            kernel,
            call.arg_index,
            Argument(value, call.arg_size, given, taken_from=place if known else None, call=call),
        )

    return Promise(apply=apply)


@rules.success("clSetKernelArgSVMPointer", "clSetKernelArgMemPointerINTEL")
def pointer_set(call: Call, model: Model) -> Promise:
    """Later enqueues of kernel use the given pointer as the argument."""
    kernel = model.get(Kernel, call.kernel)
    try:
        found = reach(call.arg_value, model)
    except (UnknownError, ForbiddenError):
        found = None

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        effects = {1: found is not None, 2: call.arg_index in kernel.arguments, 3: isinstance(call.arg_value, Inside)}
        if call.function == "clSetKernelArgSVMPointer":
            kernel.shows.update(f"{call.function}/effect/{number}" for number, shown in effects.items() if shown)
        elif found is not None:
            kernel.shows.add(BY_ADDRESS)
        _keep(kernel, call.arg_index, Argument(call.arg_value, reach=found, call=call))

    return Promise(apply=apply)


def _keep(kernel: Kernel, index: int, argument: Argument) -> None:
    kernel.arguments[index] = argument
    kernel.doubtful.discard(index)
    kernel.facts = {key: fact for key, fact in kernel.facts.items() if not any(part in key for part in BY_ARGUMENTS)}
    if kernel.source is not None:
        kernel.source.shows.add("clCloneKernel/effect/8")


def _of_the_host(call: Call, model: Model) -> Place | None:
    """Return the host memory that a value is copied from, if the model knows it."""
    if not isinstance(call.arg_value, Handle | Inside):
        return None
    try:
        return reach(call.arg_value, model).place(((0, call.arg_size),))
    except (UnknownError, ForbiddenError):
        return None


@rules.aftermath(*SETTERS)
def argument_lost(call: Call, model: Model, code: str) -> None:
    """Mark an argument as unknown after a call that should have failed, or that failed without explanation.

    The same applies after an error about resources: the argument may have its earlier value or be unset.
    """
    kernel = model.known(call.kernel)
    if not isinstance(kernel, Kernel):
        return
    if code in AGAINST_THE_CLAUSES:
        kernel.doubtful.add(call.arg_index)
    elif call.function == "clSetKernelArg":
        kernel.shows.add("clSetKernelArg/effect/8")
