"""Texts that are generated from the tables, for the kinds of requirements that have no texts of their own."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from clconform.oracles.engine.rulebook import rulebook_of
from clconform.reports.journal_reader import parse_journal
from clconform.reports.requirement_text import generated_text, requirement_text
from clconform.reports.result_builder import assemble_result
from clconform.spec_tables import load, loading
from clconform.spec_tables.requirements import Effect, ErrorCondition, Limit, UsageRule

from . import fabricated_journals

if TYPE_CHECKING:
    from clconform.spec_tables.requirements import Requirement

TEXTS = {
    "CL_PLATFORM_NAME": "The query returns a null-terminated string.",
    "CL_DEVICE_MAX_WORK_ITEM_SIZES": "The query returns an array of size_t.",
    "CL_DEVICE_LOCAL_MEM_SIZE": "The query returns a value of type cl_ulong, in bytes.",
    "clEnqueueReadBufferRect/alignment/1": "clEnqueueReadBufferRect accepts a nonzero buffer_slice_pitch smaller "
    "than region[1] * buffer_row_pitch only if it is a multiple of buffer_row_pitch.",
    "clCreateSubBuffer/alignment/1": "clCreateSubBuffer accepts a region only if its origin, in bits, "
    "is a multiple of CL_DEVICE_MEM_BASE_ADDR_ALIGN.",
    "clEnqueueCopyBuffer/alignment/2": "clEnqueueCopyBuffer accepts a sub-buffer as dst_buffer only if its offset, "
    "in bits, is a multiple of CL_DEVICE_MEM_BASE_ADDR_ALIGN.",
    "clEnqueueTask/alignment/1": "clEnqueueTask accepts a sub-buffer that is an argument of the kernel only if "
    "its offset, in bits, is a multiple of CL_DEVICE_MEM_BASE_ADDR_ALIGN.",
    "cl_device_exec_capabilities:CL_EXEC_KERNEL": "CL_DEVICE_EXECUTION_CAPABILITIES may include CL_EXEC_KERNEL.",
    "cl_device_local_mem_type:CL_LOCAL": "CL_DEVICE_LOCAL_MEM_TYPE may return CL_LOCAL.",
    "clSVMAlloc/alignment/1": "clSVMAlloc accepts alignment only if it is 0 or a power of two.",
    "clEnqueueFillBuffer/alignment/1": "clEnqueueFillBuffer accepts pattern_size only if it is one of "
    "1, 2, 4, 8, 16, 32, 64, 128.",
    "clCreateBuffer/size/1": "clCreateBuffer requires the size of the memory at host_ptr to be at least size bytes.",
    "clEnqueueReadBufferRect/size/1": "A buffer_row_pitch of 0 means region[0] bytes.",
    "clCreateImage2D/size/1": "clCreateImage2D requires image_row_pitch to be 0 if host_ptr is NULL.",
    "shared-virtual-memory:CL_MEM_USES_SVM_POINTER/1": "Without support for shared virtual memory, "
    "CL_MEM_USES_SVM_POINTER returns CL_FALSE.",
    "cl_event:CL_QUEUED/CL_SUBMITTED/progress": "The state of the event changes from CL_QUEUED to CL_SUBMITTED as "
    "the command progresses.",
}

CONDITIONS_WITHOUT_TEXT = {
    "clGetDeviceIDsFromDX9MediaAdapterKHR": 3,
    "clGetKernelSuggestedLocalWorkSize": 2,
}
"""Maps functions to the number of their error conditions, in any revision, for which no predicate has a text."""


@pytest.mark.parametrize("record", TEXTS)
def test_requirement_from_table_has_expected_generated_text(record: str) -> None:
    assert generated_text(load().requirements[record]) == TEXTS[record]


def test_every_requirement_without_own_text_has_generated_text() -> None:
    by_hand = (ErrorCondition, Effect, UsageRule, Limit)
    for requirement in load().requirements.values():
        words = generated_text(requirement)
        if not (
            isinstance(requirement, (Effect, UsageRule)) and requirement.text
        ):  # the text of such a requirement may be in the tables
            assert bool(words) is not isinstance(requirement, by_hand), requirement.id
        assert "  " not in words, requirement.id
        assert not words.startswith((" ", "is ")), requirement.id


def test_every_requirement_of_both_revisions_has_text() -> None:
    """Except for a few error conditions without a predicate."""
    missing: dict[str, Requirement] = {}
    for revision in loading.list_revisions():
        tables = loading.read_tables(loading.REVISIONS / revision)
        rulebook = rulebook_of(tables)
        for requirement in tables.requirements.values():
            if not requirement_text(requirement, rulebook.texts.words_of(requirement.id)):
                missing[requirement.id] = requirement
    assert not {name for name, each in missing.items() if not isinstance(each, ErrorCondition)}
    assert Counter(each.function for each in missing.values()) == CONDITIONS_WITHOUT_TEXT


def test_every_usage_rule_names_the_application() -> None:
    """Usage rules with a text in the tables state the duty of the application."""
    rules = [each for each in load().requirements.values() if isinstance(each, UsageRule) and each.text]
    assert rules
    assert [each.id for each in rules if not each.text.startswith("The application ")] == []


def test_condition_text_takes_precedence_over_generated_text() -> None:
    lines = fabricated_journals.journal_lines()
    result = assemble_result(
        parse_journal(fabricated_journals.encode_journal(lines), "j"), fabricated_journals.create_tables()
    )
    words = {requirement.id: requirement.condition for requirement in result.requirements}
    assert (
        words[fabricated_journals.CRASHED]
        == "out_devices is not NULL and num_devices is less than the number of sub-devices of the scheme."
    )
    assert words[f"{fabricated_journals.SUB}/success"] == "The scheme is carried out."
    assert words["CL_DEVICE_PARTITION_MAX_SUB_DEVICES"] == "The query returns a value of type cl_uint."
