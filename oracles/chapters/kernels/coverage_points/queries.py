"""Coverage points for kernel queries, and requirements that cannot be tested (section 5.9.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.kernels.execution_info import SYSTEM, parse_boolean
from clconform.oracles.chapters.kernels.query_results.declarations import parse_attributes
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.rules import QueryCoverage, Rules
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.parameters import ArgumentKind
from clconform.spec_tables.revision_ids import find_requirement

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.oracles.model.parameters import KernelParameter
    from clconform.spec_tables import Tables

rules = Rules()

ARGUMENTS, GROUPS, SUB_GROUPS = "clGetKernelArgInfo", "clGetKernelWorkGroupInfo", "clGetKernelSubGroupInfo"
INFO = "clGetKernelInfo"
CONST, RESTRICT, VOLATILE = (f"CL_KERNEL_ARG_TYPE_{name}" for name in ("CONST", "RESTRICT", "VOLATILE"))
ARGUMENT_TESTS: dict[str, Callable[[KernelParameter], bool]] = {
    "CL_KERNEL_ARG_ADDRESS_QUALIFIER/effect/1": lambda one: one.kind is ArgumentKind.VALUE,
    "CL_KERNEL_ARG_ACCESS_QUALIFIER/effect/1": lambda one: one.kind not in (ArgumentKind.IMAGE, ArgumentKind.PIPE),
    "CL_KERNEL_ARG_ACCESS_QUALIFIER/effect/2": lambda one: one.kind is ArgumentKind.IMAGE,
    "CL_KERNEL_ARG_TYPE_NAME/effect/1": lambda one: one.type_name.endswith("*"),
    "CL_KERNEL_ARG_TYPE_NAME/effect/2": lambda one: one.name.startswith("unsigned_"),
    "CL_KERNEL_ARG_TYPE_NAME/effect/3": lambda one: bool(one.qualifiers),
    "CL_KERNEL_ARG_TYPE_QUALIFIER/effect/1": lambda one: CONST in one.qualifiers,
    "CL_KERNEL_ARG_TYPE_QUALIFIER/effect/2": lambda one: one.name.startswith("const_"),
    "CL_KERNEL_ARG_TYPE_QUALIFIER/effect/3": lambda one: one.address_qualifier == "CL_KERNEL_ARG_ADDRESS_CONSTANT",
    "CL_KERNEL_ARG_TYPE_QUALIFIER/effect/4": lambda one: RESTRICT in one.qualifiers,
    "CL_KERNEL_ARG_TYPE_QUALIFIER/effect/5": lambda one: VOLATILE in one.qualifiers,
    "CL_KERNEL_ARG_TYPE_QUALIFIER/effect/6": lambda one: one.name.startswith("volatile_"),
    "CL_KERNEL_ARG_TYPE_QUALIFIER/effect/7": lambda one: one.kind is ArgumentKind.VALUE,
}
"""Maps each requirement to a check of arguments; queries of arguments that pass the check cover the requirement."""
QUERIES_WITHOUT_INPUT = ("CL_KERNEL_MAX_NUM_SUB_GROUPS", "CL_KERNEL_COMPILE_NUM_SUB_GROUPS")


@rules.completion
def _declare_argument_queries(rules: Rules, tables: Tables) -> None:
    for requirement, shows in ARGUMENT_TESTS.items():
        query = requirement.partition("/")[0]
        words = find_requirement(requirement, tables).text  # type: ignore[union-attr]
        rules.coverage_point(requirement, ARGUMENTS, words, query, holds=_queries_argument(query, shows))
    words = "Checked on queries of CL_KERNEL_ARG_NAME."
    name = "CL_KERNEL_ARG_NAME"
    rules.coverage_point("clGetKernelArgInfo/effect/1", ARGUMENTS, words, name, holds=_queries_argument(name, bool))
    success = "clGetKernelArgInfo/success"
    rules.coverage_point(
        "clGetKernelArgInfo/effect/3", ARGUMENTS, "", success, holds=_has_argument_info, requires_success=True
    )


def _queries_argument(query: str, shows: Callable[[KernelParameter], bool]) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: ``query`` succeeds for an argument, and ``shows`` is true for the argument.

    The kernel must be a known kernel of the suites, from a program with source.
    """

    def holds(asked: CompletedCall) -> bool:
        kernel, index = asked.subject, asked.call.arg_index
        told = asked.code == SUCCESS and "param_value" in asked.outputs
        if not told or asked.call.param_name != asked.model.constant_value(query):
            return False
        declared = kernel.parameters if isinstance(kernel, Kernel) and _is_from_source(kernel) else None
        return declared is not None and index < len(declared) and shows(declared[index])

    return holds


def _is_from_source(kernel: Kernel) -> bool:
    return kernel.program is not None and kernel.program.from_source


def _has_argument_info(asked: CompletedCall) -> bool:
    return isinstance(asked.subject, Kernel) and asked.subject.argument_info and _is_from_source(asked.subject)


@rules.completion
def _declare_kernel_queries(rules: Rules, tables: Tables) -> None:
    for requirement, function, holds in (
        ("CL_KERNEL_ATTRIBUTES/effect/1", INFO, _has_attributes),
        ("CL_KERNEL_ATTRIBUTES/effect/2", INFO, _has_attributes),
        ("CL_KERNEL_ATTRIBUTES/effect/3", INFO, _has_several_attributes),
        ("CL_KERNEL_ATTRIBUTES/effect/4", INFO, lambda kernel: not _is_from_source(kernel)),
        ("CL_KERNEL_COMPILE_WORK_GROUP_SIZE/effect/1", GROUPS, lambda kernel: not any(_required_group(kernel))),
        ("CL_KERNEL_LOCAL_MEM_SIZE/effect/1", GROUPS, lambda kernel: bool(kernel.local_bytes)),
    ):
        query = requirement.partition("/")[0]
        words = find_requirement(requirement, tables).text  # type: ignore[union-attr]
        rules.coverage_point(requirement, function, words, query, holds=_queries_kernel(query, holds))
    for requirement in ("clGetKernelWorkGroupInfo/effect/1", "clGetKernelSubGroupInfo/effect/1"):
        function = requirement.partition("/")[0]
        success = f"{function}/success"
        rules.coverage_point(requirement, function, "", success, holds=_is_device_null, requires_success=True)
    words = "Checked on queries that do not need an input, with input_value NULL."
    requirement = "clGetKernelSubGroupInfo/effect/2"
    rules.coverage_point(
        requirement, SUB_GROUPS, words, "clGetKernelSubGroupInfo/success", holds=_is_input_null, requires_success=True
    )
    asked = ("CL_KERNEL_ARG_NAME", "CL_KERNEL_ARG_TYPE_NAME", "CL_KERNEL_ARG_ADDRESS_QUALIFIER")
    kept = (*asked, "CL_KERNEL_ARG_ACCESS_QUALIFIER")
    for requirement, words in (
        (
            "OpenCL:options-for-querying-kernel-argument-information/1",
            "Checked on argument queries of programs that were built with -cl-kernel-arg-info.",
        ),
        (
            "OpenCL:options-for-querying-kernel-argument-information/2",
            "Checked on queries of the names and qualifiers of arguments, for programs built with -cl-kernel-arg-info.",
        ),
    ):
        parents = (*kept, "clGetKernelArgInfo/success")
        rules.coverage_point(requirement, ARGUMENTS, words, *parents, holds=QueryCoverage(kept, _has_argument_info))
    words = "clSetKernelExecInfo accepts CL_TRUE and CL_FALSE for CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM."
    tell = "clSetKernelExecInfo"
    rules.coverage_point(
        f"{SYSTEM}@{tell}", tell, words, f"{tell}/success", holds=_sets_system_svm, requires_success=True
    )


def _queries_kernel(query: str, holds: Callable[[Kernel], bool]) -> Callable[[CompletedCall], bool]:
    def met(asked: CompletedCall) -> bool:
        kernel, told = asked.subject, asked.code == SUCCESS and "param_value" in asked.outputs
        if not told or not isinstance(kernel, Kernel) or kernel.program is None:
            return False
        return asked.call.param_name == asked.model.constant_value(query) and holds(kernel)

    return met


def _has_attributes(kernel: Kernel) -> bool:
    return _is_from_source(kernel) and kernel.buffer_kernel is not None and bool(kernel.buffer_kernel.attributes)


def _has_several_attributes(kernel: Kernel) -> bool:
    return (
        _has_attributes(kernel)
        and kernel.buffer_kernel is not None
        and len(parse_attributes(kernel.buffer_kernel.attributes)) > 1
    )


def _required_group(kernel: Kernel) -> tuple[int, ...]:
    return kernel.buffer_kernel.required_group if kernel.buffer_kernel is not None else (1,)


def _is_device_null(asked: CompletedCall) -> bool:
    program = asked.subject.program if isinstance(asked.subject, Kernel) else None
    return asked.call.device is None and program is not None and len(program.devices) == 1


def _is_input_null(asked: CompletedCall) -> bool:
    return asked.call.input_value is None and asked.call.param_name in map(
        asked.model.constant_value, QUERIES_WITHOUT_INPUT
    )


def _sets_system_svm(asked: CompletedCall) -> bool:
    return (
        asked.call.param_name == asked.model.constant_value(SYSTEM)
        and parse_boolean(asked.call.param_value) is not None
    )


rules.untestable(
    "CL_KERNEL_LOCAL_MEM_SIZE/effect/2",
    "",
    "the value includes memory that the implementation needs for itself, so any value is allowed",
)
rules.untestable(
    "clGetKernelArgInfo/effect/2",
    "",
    "the suites do not have a SPIR binary that all implementations of the extension accept",
)
