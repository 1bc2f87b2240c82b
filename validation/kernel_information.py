"""Collects the declarations of kernels in a recording, from queries of the layer and from sources of programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.values import Handle
from clconform.oracles.model.kernel_declarations import (
    ACCESS_PREFIX,
    ADDRESS_PREFIX,
    IMAGE_TYPES,
    KernelDeclaration,
    make_parameter,
    merge_arguments,
)
from clconform.oracles.model.kernel_signatures import read_signatures
from clconform.oracles.model.kernels import MAX_ARGUMENTS, Kernel
from clconform.oracles.model.programs import BuildState, SourceProgram

if TYPE_CHECKING:
    from clconform.calls.call import Call, Returned
    from clconform.calls.values import Value
    from clconform.oracles.model.parameters import KernelParameter
    from clconform.oracles.model.state import Model

KERNEL_QUERIES = ("clGetKernelInfo", "clGetKernelArgInfo", "clGetKernelWorkGroupInfo")
"""Functions by which the layer queries a new kernel."""
_ARGUMENT_PREFIX, _TYPE_PREFIX = "CL_KERNEL_ARG_", "CL_KERNEL_ARG_TYPE_"
_TYPE_QUALIFIERS = ("CONST", "RESTRICT", "VOLATILE", "PIPE")
_ADDRESSES = ("GLOBAL", "LOCAL", "CONSTANT", "PRIVATE")
_ACCESSES = ("READ_ONLY", "WRITE_ONLY", "READ_WRITE")
_GROUP_DIMENSIONS = 3
_UNSIGNED = "unsigned "


class _ReportedKernel(msgspec.Struct):
    """The information of a driver about one kernel.

    ``arguments``: maps indices to the results of queries by their names.
    """

    count: int | None = None
    arguments: dict[int, dict[str, int | str]] = {}
    required_groups: dict[str, tuple[int, ...]] = {}
    largest_groups: dict[str, int] = {}


class KernelInformation:
    """The declarations of one program's kernels."""

    def __init__(self) -> None:
        self._reported: dict[str, _ReportedKernel] = {}
        self._names: dict[str, dict[object, str]] = {}

    def _names_of(self, function: str, model: Model) -> dict[object, str]:
        """Map the values of ``param_name`` of a function to the names of its queries."""
        known = self._names.get(function)
        if known is None:
            queries = reversed(model.tables.queries_of(function))
            known = self._names[function] = {_value_of(each.name, model): each.name for each in queries}
        return known

    def note_query(self, call: Call, outcome: Returned, model: Model) -> None:
        """Note the result of a query that the layer made after the creation of a kernel."""
        kernel, values = model.find(call.kernel), _result_values(outcome)
        if not isinstance(kernel, Kernel) or not values:
            return
        reported = self._reported.setdefault(kernel.name, _ReportedKernel())
        name = self._names_of(call.function, model).get(call.param_name, "")
        first = values[0]
        if name == "CL_KERNEL_FUNCTION_NAME" and isinstance(first, str):
            kernel.facts.setdefault(name, first.rstrip("\0"))
        elif name == "CL_KERNEL_NUM_ARGS" and isinstance(first, int) and first <= MAX_ARGUMENTS:
            reported.count = first
        elif call.function == "clGetKernelArgInfo":
            if isinstance(first, int | str) and isinstance(call.arg_index, int):
                reported.arguments.setdefault(call.arg_index, {})[name] = first
        elif call.function == "clGetKernelWorkGroupInfo" and isinstance(call.device, Handle):
            numbers = tuple(each for each in values if isinstance(each, int))
            if name == "CL_KERNEL_COMPILE_WORK_GROUP_SIZE" and len(numbers) == _GROUP_DIMENSIONS:
                reported.required_groups[call.device.name] = numbers
            elif name == "CL_KERNEL_WORK_GROUP_SIZE" and numbers:
                reported.largest_groups[call.device.name] = numbers[0]

    def complete(self, value: Value, model: Model) -> None:
        """Add to a kernel its declaration, before the program first uses the kernel."""
        kernel = model.find(value)
        reported = self._reported.pop(kernel.name, None) if isinstance(kernel, Kernel) else None
        if reported is None or not isinstance(kernel, Kernel):
            return
        arguments = merge_arguments(_reported_arguments(reported, model), _source_arguments(kernel))
        kernel.declaration = KernelDeclaration(arguments, reported.required_groups, reported.largest_groups)


def _value_of(name: str, model: Model) -> int | None:
    known = model.tables.enumerants.get(name)
    return known.value if known is not None else None


def _result_values(outcome: Returned) -> list[int | float | str | None]:
    output = outcome.outputs.get("param_value") if outcome.value == 0 else None
    return output.values if output is not None else []


def _reported_arguments(reported: _ReportedKernel, model: Model) -> tuple[KernelParameter | None, ...] | None:
    if reported.count is None:
        return None
    return tuple(_reported_argument(reported.arguments.get(index, {}), model) for index in range(reported.count))


def _reported_argument(results: dict[str, int | str], model: Model) -> KernelParameter | None:
    """Return an argument by the results of the queries; None if one is missing, or its type is not built in."""
    text, flags = results.get(f"{_TYPE_PREFIX}NAME"), results.get(f"{_TYPE_PREFIX}QUALIFIER", 0)
    address = _enumerant(results, "ADDRESS", _ADDRESSES, model)
    if not isinstance(text, str) or not address or not isinstance(flags, int):
        return None
    access = _enumerant(results, "ACCESS", _ACCESSES, model)
    qualifiers = [
        f"{_TYPE_PREFIX}{each}" for each in _TYPE_QUALIFIERS if flags & (_value_of(f"{_TYPE_PREFIX}{each}", model) or 0)
    ]
    name = str(results.get(f"{_ARGUMENT_PREFIX}NAME", "")).rstrip("\0")
    type_name = _plain_type(text.rstrip("\0"))
    if type_name in IMAGE_TYPES and not access:
        return None
    return make_parameter(name, type_name, address, access, qualifiers)


def _plain_type(text: str) -> str:
    """Return the name of a type as OpenCL C abbreviates it: ``uint*`` for ``unsigned int *``."""
    pointed = text.rstrip().endswith("*")
    base = text.rstrip().removesuffix("*").strip()
    if base.startswith(_UNSIGNED):
        base = f"u{base.removeprefix(_UNSIGNED).strip()}"
    return f"{base}*" if pointed else base


def _enumerant(results: dict[str, int | str], query: str, names: tuple[str, ...], model: Model) -> str:
    """Return the enumerant that a query of a qualifier has returned; empty for no qualifier and other values."""
    prefix = ADDRESS_PREFIX if query == "ADDRESS" else ACCESS_PREFIX
    value = results.get(f"{_ARGUMENT_PREFIX}{query}_QUALIFIER")
    return next((f"{prefix}{each}" for each in names if value == _value_of(f"{prefix}{each}", model)), "")


def _source_arguments(kernel: Kernel) -> tuple[KernelParameter | None, ...] | None:
    """Return the arguments that the source of a kernel's program declares; None if they are not certain."""
    text = certain_source(kernel)
    return read_signatures(*text).get(kernel.function_name) if text is not None else None


def certain_source(kernel: Kernel) -> tuple[str, str] | None:
    """Return the source and the build options of a kernel's program; None if they are not certain."""
    program = kernel.program
    if not isinstance(program, SourceProgram) or program.header_names or program.tainted:
        return None
    builds = [build for build in program.builds.values() if build.state is not BuildState.NONE]
    options = {build.options for build in builds}
    if not builds or len(options) > 1 or any(build.state is not BuildState.BUILT for build in builds):
        return None
    given = next(iter(options))
    return (program.source, given) if given is not None else None
