"""The wrong answers of each class: what replaces a right text, list, number or object."""

from __future__ import annotations

import pytest

from clconform.selftest.wrong_answers.altered_outputs import alter_bytes
from clconform.selftest.wrong_answers.answer_classes import (
    EMPTY_ALREADY,
    NO_OTHER,
    ONE_SIZE,
    Answer,
    AnswerClass,
    alter_answer,
)
from clconform.selftest.wrong_answers.reasons import find_reason
from clconform.spec_tables import load
from clconform.spec_tables.lookups import TableLookups
from clconform.spec_tables.requirements import Query

LOOKUPS = TableLookups.for_tables(load())


def alter(name: str, values: tuple[int | str | None, ...], size: int, wrong: AnswerClass) -> Answer | str:
    query = load().requirements[name]
    assert isinstance(query, Query)
    return alter_answer(Answer(values, size, reported=size), query, wrong, [(7,), ("stale\0",)], LOOKUPS)


@pytest.mark.parametrize(
    ("wrong", "text"),
    [("prefix", "ab\0"), ("longer", "abcdx\0"), ("empty", "\0"), ("other", "garbage\0"), ("stale", None)],
)
def test_wrong_text_has_its_own_size(wrong: AnswerClass, text: str | None) -> None:
    altered = alter("CL_PROGRAM_SOURCE", ("abcd\0",), 5, wrong)
    assert isinstance(altered, Answer)
    if text is not None:
        assert altered == Answer((text,), len(text), reported=len(text))


def test_class_without_a_wrong_answer_is_explained() -> None:
    assert alter("CL_PROGRAM_SOURCE", ("\0",), 1, "prefix") == EMPTY_ALREADY
    assert alter("CL_MEM_SIZE", (64,), 8, "longer") == ONE_SIZE
    assert alter("CL_MEM_SIZE", (0,), 8, "zero") == NO_OTHER


def test_wrong_number_keeps_its_size_and_wrong_size_keeps_the_number() -> None:
    assert alter("CL_MEM_SIZE", (64,), 8, "other") == Answer((65,), 8, reported=8)
    assert alter("CL_MEM_SIZE", (64,), 8, "ones") == Answer(((1 << 64) - 1,), 8, reported=8)
    assert alter("CL_MEM_SIZE", (64,), 8, "size-more") == Answer((64,), 8, reported=16)
    assert alter("CL_MEM_SIZE", (64,), 8, "no-size") == Answer((64,), 8)
    assert alter("CL_MEM_SIZE", (64,), 8, "unwritten") == Answer((64,), 8, is_written=False, reported=8)
    assert alter("CL_QUEUE_CONTEXT", ("context1",), 8, "zero") == Answer((None,), 8, reported=8)


def test_wrong_bytes_of_each_class() -> None:
    right, old, last = b"abcd", b"....", b"last"
    assert alter_bytes(right, old, last, "prefix") == b"ab.."
    assert alter_bytes(right, old, last, "stale") == last
    assert alter_bytes(right, old, b"", "stale") == b"bcda"
    assert alter_bytes(right, old, last, "unwritten") == old
    assert alter_bytes(right, old, last, "zero") == bytes(4)


def test_reason_matches_by_subject_class_and_kind() -> None:
    reason = find_reason("CL_PLATFORM_NAME", "other", "no platform")
    assert reason is not None
    assert reason.section == "4.1"
    assert find_reason("CL_PROGRAM_SOURCE", "other", "a program from a binary") is None
