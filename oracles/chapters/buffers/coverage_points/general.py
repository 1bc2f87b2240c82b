"""Coverage points of buffer flags, sizes and alignments (section 5.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.predicate_result import MUST, evaluate
from clconform.oracles.engine.rules import Rules
from clconform.spec_tables.requirements import AlignmentRule, ErrorCondition, SizeRule

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.spec_tables import Tables

rules = Rules()

SECTION = "5.2."
FLAGS = {
    "cl_mem_flags": ("clCreateBuffer", "flags"),
    "cl_map_flags": ("clEnqueueMapBuffer", "map_flags"),
    "cl_buffer_create_type": ("clCreateSubBuffer", "buffer_create_type"),
}
"""Maps a type of flags to the function and the parameter that take these flags."""
FLAG_TEXTS = {
    "cl_mem_flags:CL_MEM_READ_WRITE": "Kernels can read and write a buffer created with CL_MEM_READ_WRITE.",
    "cl_mem_flags:CL_MEM_WRITE_ONLY": "Kernels can write a buffer created with CL_MEM_WRITE_ONLY.",
    "cl_mem_flags:CL_MEM_READ_ONLY": "Kernels can read a buffer created with CL_MEM_READ_ONLY.",
    "cl_mem_flags:CL_MEM_USE_HOST_PTR": "With CL_MEM_USE_HOST_PTR, a new buffer uses the memory at host_ptr.",
    "cl_mem_flags:CL_MEM_ALLOC_HOST_PTR": (
        "With CL_MEM_ALLOC_HOST_PTR, a new buffer is in memory that the host can access."
    ),
    "cl_mem_flags:CL_MEM_COPY_HOST_PTR": (
        "With CL_MEM_COPY_HOST_PTR, a new buffer contains a copy of the bytes at host_ptr."
    ),
    "cl_mem_flags:CL_MEM_HOST_WRITE_ONLY": (
        "A buffer can be created with CL_MEM_HOST_WRITE_ONLY, so that the host only writes it."
    ),
    "cl_mem_flags:CL_MEM_HOST_READ_ONLY": (
        "A buffer can be created with CL_MEM_HOST_READ_ONLY, so that the host only reads it."
    ),
    "cl_mem_flags:CL_MEM_HOST_NO_ACCESS": (
        "A buffer can be created with CL_MEM_HOST_NO_ACCESS, so that the host does not access it."
    ),
    "cl_map_flags:CL_MAP_READ": "A buffer can be mapped for reading with CL_MAP_READ.",
    "cl_map_flags:CL_MAP_WRITE": "A buffer can be mapped for reading and writing with CL_MAP_WRITE.",
    "cl_map_flags:CL_MAP_WRITE_INVALIDATE_REGION": (
        "With CL_MAP_WRITE_INVALIDATE_REGION, a region of a buffer can be mapped for writing. The previous contents of "
        "the region are discarded."
    ),
    "cl_buffer_create_type:CL_BUFFER_CREATE_TYPE_REGION": (
        "With CL_BUFFER_CREATE_TYPE_REGION, a sub-buffer can be created for a region of a buffer."
    ),
}
ALIGNMENT_ERRORS = {
    "buffer_slice_pitch": "CL_INVALID_VALUE/6",
    "host_slice_pitch": "CL_INVALID_VALUE/7",
    "src_slice_pitch": "CL_INVALID_VALUE/6",
    "dst_slice_pitch": "CL_INVALID_VALUE/7",
    "pattern_size": "CL_INVALID_VALUE/2",
    "offset": "CL_INVALID_VALUE/3",
    "size": "CL_INVALID_VALUE/3",
}
"""Maps a parameter with an alignment rule to the error condition for a violation of the rule."""
ALIGNMENT_TEXTS = {
    "sub-buffer": "The offset of a sub-buffer argument is a multiple of CL_DEVICE_MEM_BASE_ADDR_ALIGN bits.",
    "origin": "buffer_create_info->origin is a multiple of CL_DEVICE_MEM_BASE_ADDR_ALIGN bits.",
    "pattern_size": "pattern_size is a power of two and at most 128.",
    "buffer_row_pitch": "buffer_slice_pitch is 0 or a multiple of buffer_row_pitch.",
    "host_row_pitch": "host_slice_pitch is 0 or a multiple of host_row_pitch.",
    "src_row_pitch": "src_slice_pitch is 0 or a multiple of src_row_pitch.",
    "dst_row_pitch": "dst_slice_pitch is 0 or a multiple of dst_row_pitch.",
}
"""Maps the subject of an alignment rule, or the row pitch that a slice pitch is a multiple of, to a text."""


def _passes_flag(parameter: str, name: str) -> Callable[[CompletedCall], bool]:
    return lambda asked: (
        asked.code == SUCCESS
        and bool(
            asked.call.arguments[parameter] & asked.model.constant_value(name)  # type: ignore[operator]
        )
    )


for _requirement, _words in FLAG_TEXTS.items():
    _kind, _, _name = _requirement.partition(":")
    _function, _parameter = FLAGS[_kind]
    rules.coverage_point(_requirement, _function, _words, f"{_function}/success", holds=_passes_flag(_parameter, _name))


@rules.completion
def _declare_sizes_and_alignments(rules: Rules, tables: Tables) -> None:
    for requirement in tables.requirements.values():
        if requirement.document != "OpenCL" or not requirement.section.number.startswith(SECTION):
            continue
        if isinstance(requirement, SizeRule) and "zero-given" in requirement.when:
            words = f"If {requirement.subject} is 0, the call uses {' * '.join(requirement.factors)} instead."
            success = f"{requirement.function}/success"
            rules.coverage_point(
                requirement.id, requirement.function, words, success, holds=_is_zero(requirement.subject)
            )
        elif isinstance(requirement, AlignmentRule):
            clause = _error_of_alignment(requirement, tables)
            if clause is None:
                continue
            key = requirement.of if requirement.of.endswith("_row_pitch") else requirement.subject
            words = ALIGNMENT_TEXTS.get(key, f"{requirement.subject} is a multiple of {requirement.of}.")
            rules.coverage_point(requirement.id, requirement.function, words, clause.id, holds=_violates(clause))


def _is_zero(parameter: str) -> Callable[[CompletedCall], bool]:
    return lambda asked: asked.code == SUCCESS and asked.call.arguments[parameter] == 0


def _error_of_alignment(rule: AlignmentRule, tables: Tables) -> ErrorCondition | None:
    """Return the error condition for a violation of an alignment rule, or None.

    The sentence of the rule may state the error condition itself. Otherwise ``ALIGNMENT_ERRORS`` names the condition
    for the parameter of the rule.
    """
    stating = [each for each in tables.error_conditions_of(rule.function) if each.digest == rule.digest]
    named = tables.requirements.get(f"{rule.function}/{ALIGNMENT_ERRORS.get(rule.subject)}")
    return stating[0] if stating else named if isinstance(named, ErrorCondition) else None


def _violates(clause: ErrorCondition) -> Callable[[CompletedCall], bool]:
    """Return a function that checks whether an error condition certainly holds for a call."""

    def holds(asked: CompletedCall) -> bool:
        predicate = asked.rulebook.predicates.predicate_of(clause)
        if predicate is None:
            return False
        return evaluate(predicate, asked.call, asked.model) is MUST

    return holds


HANDLE_TYPE_SUFFIXES = ("CL_INVALID_DEVICE/3", "CL_INVALID_DEVICE/4")
"""Suffixes of ids of error conditions about handle types. Calls without a valid handle cover these conditions."""
_EXTERNAL_MEMORY_TEXTS = {
    "clCreateBufferWithProperties/CL_INVALID_DEVICE/2": (
        "CL_MEM_DEVICE_HANDLE_LIST_KHR in properties names a device that is not valid or not a device of context."
    ),
    "clCreateBufferWithProperties/CL_INVALID_DEVICE/3": (
        "CL_MEM_DEVICE_HANDLE_LIST_KHR in properties names a device that cannot import the external memory."
    ),
    "clCreateBufferWithProperties/CL_INVALID_DEVICE/4": (
        "properties does not contain CL_MEM_DEVICE_HANDLE_LIST_KHR, and a device of context cannot import the memory."
    ),
    "clCreateBufferWithProperties/CL_INVALID_PROPERTY/4": "properties contains more than one external memory handle.",
    "clCreateBufferWithProperties/CL_INVALID_VALUE/2": (
        "properties contains an external memory handle, and flags contains a CL_MEM_*_HOST_PTR flag."
    ),
    "clCreateBufferWithProperties/CL_INVALID_HOST_PTR/2": (
        "properties contains an external memory handle, and host_ptr is not NULL."
    ),
}


@rules.completion
def _declare_external_memory(rules: Rules, _tables: Tables) -> None:
    for requirement, words in _EXTERNAL_MEMORY_TEXTS.items():
        if requirement.endswith(HANDLE_TYPE_SUFFIXES):
            continue
        reason = "it needs memory that another API has exported, which this suite does not create"
        rules.untestable(requirement, words, reason)
    for requirement in (
        "clCreateBuffer/CL_INVALID_DEVICE/2",
        "clCreateBuffer/CL_INVALID_DEVICE/3",
        "clCreateBuffer/CL_INVALID_DEVICE/4",
    ):
        words = _EXTERNAL_MEMORY_TEXTS[requirement.replace("clCreateBuffer", "clCreateBufferWithProperties")]
        rules.untestable(requirement, words, "clCreateBuffer does not have a properties parameter")


for _requirement in ("clCreateBuffer/size/1", "clCreateBufferWithProperties/size/1"):
    rules.untestable(
        _requirement,
        "The memory at host_ptr has at least size bytes.",
        "with less memory the behaviour is undefined, so the suites make no such call",
    )
rules.coverage_point(
    "clEnqueueMapBuffer/size/1",
    "clEnqueueMapBuffer",
    "The mapped region has at least size bytes.",
    "clEnqueueMapBuffer/success",
    holds=lambda asked: asked.code == SUCCESS,
)
rules.untestable(
    "cl_mem_flags:CL_MEM_KERNEL_READ_AND_WRITE",
    "CL_MEM_KERNEL_READ_AND_WRITE selects images that one kernel can read and write.",
    "the flag is used only to query image formats, not to create objects",
)
rules.untestable(
    "clEnqueueMapBuffer/CL_MAP_FAILURE/1",
    "The region cannot be mapped, and buffer has neither CL_MEM_USE_HOST_PTR nor CL_MEM_ALLOC_HOST_PTR.",
    "no call can force a mapping to fail",
)
rules.untestable(
    "CL_MEM_DEVICE_HANDLE_LIST_KHR@clCreateBufferWithProperties",
    "With CL_MEM_DEVICE_HANDLE_LIST_KHR, a buffer can be created from external memory for a list of devices.",
    "it needs memory that another API has exported, which this suite does not create",
)
