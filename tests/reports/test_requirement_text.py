"""Texts that are generated from the tables, for the kinds of requirements that have no texts of their own."""

from __future__ import annotations

import pytest

from clconform.reports.journal_reader import parse_journal
from clconform.reports.requirement_text import generated_text
from clconform.reports.result_builder import assemble_result
from clconform.spec_tables import load
from clconform.spec_tables.requirements import Effect, ErrorCondition, Limit, UsageRule

from . import fabricated_journals

TEXTS = {
    "CL_PLATFORM_NAME": "The query returns a null-terminated string.",
    "CL_DEVICE_MAX_WORK_ITEM_SIZES": "The query returns an array of size_t.",
    "CL_DEVICE_LOCAL_MEM_SIZE": "The query returns a value of type cl_ulong, in bytes.",
    "clEnqueueReadBufferRect/alignment/1": "buffer_slice_pitch is 0, at least region[1] * buffer_row_pitch, "
    "or a multiple of buffer_row_pitch.",
    "clCreateSubBuffer/alignment/1": "The origin of the region, in bits, "
    "is a multiple of CL_DEVICE_MEM_BASE_ADDR_ALIGN.",
    "clSVMAlloc/alignment/1": "alignment is 0 or a power of two.",
    "clEnqueueFillBuffer/alignment/1": "pattern_size is one of 1, 2, 4, 8, 16, 32, 64, 128.",
    "clCreateBuffer/size/1": "The size of the memory at host_ptr is at least size bytes.",
    "clEnqueueReadBufferRect/size/1": "A buffer_row_pitch of 0 means region[0] bytes.",
    "clCreateImage2D/size/1": "image_row_pitch is 0 if host_ptr is NULL.",
    "shared-virtual-memory:CL_MEM_USES_SVM_POINTER/1": "Without support for shared virtual memory, "
    "CL_MEM_USES_SVM_POINTER returns CL_FALSE.",
    "cl_event:CL_QUEUED/CL_SUBMITTED/progress": "The state of the event changes from CL_QUEUED to CL_SUBMITTED as "
    "the command progresses.",
}


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
