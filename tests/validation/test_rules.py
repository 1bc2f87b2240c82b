"""The rules and remedies of findings: the tables are consistent, and remedies name objects and values of the call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.oracles.contents.undefined_use import AccessConflict
from clconform.recording.file_format import RecordingFile
from clconform.reports.id_patterns import matches_pattern
from clconform.spec_tables import load
from clconform.spec_tables.requirements import ErrorCondition
from clconform.validation.access_conflicts import CONFLICT_RULES
from clconform.validation.findings import KINDS, LEAK_RULES, PARTIES, PROGRAM
from clconform.validation.recording_judge import validate_recording
from clconform.validation.remedies import template_names
from clconform.validation.rules import kind_of, read_remedies, read_rules
from clconform.validation.rules_page import format_rules, program_requirements, requirements_without_remedy

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from clconform.validation.findings import ValidationFinding

MAX_WITHOUT_REMEDY = 45
"""The number of requirements without a remedy; most are about objects of other APIs."""
CONDITION_NAMES = {"parameters", "first", "second", "third", "value", "object", "required", "function"}
FINDING_NAMES = {"small_size", "query", "subject", "queue"}
CALL_NAMES = {"argument", "argument_size", "argument_count", "unset_arguments", "kernel_label", "buffer_size"}
REMEDIES = {
    "clCreateBuffer/CL_INVALID_BUFFER_SIZE/1": "Pass a size from 1 to CL_DEVICE_MAX_MEM_ALLOC_SIZE, not 0.",
    "clEnqueueReadBuffer/CL_INVALID_EVENT_WAIT_LIST/1": (
        "Pass the number of events as num_events_in_wait_list, and valid events in event_wait_list; without events, "
        "pass 0 and NULL."
    ),
    "clEnqueueFillBuffer/CL_INVALID_VALUE/3": "Pass an offset and a size that are multiples of pattern_size, 4.",
    "mapped-memory": "Unmap mem1 before this call.",
    "leaked-object": "Call clReleaseMemObject(mem5) when the program no longer needs the object.",
}
"""Remedies of findings in ``mistakes.c`` by their rules."""


@pytest.fixture
def find_in(
    build_program: Callable[..., Path], record_program: Callable[..., tuple[Path, object]]
) -> Callable[..., dict[str, ValidationFinding]]:
    """Return a function that runs a program of this folder, and returns its findings by rule."""

    def found(name: str, *words: str, defined: tuple[str, ...] = ()) -> dict[str, ValidationFinding]:
        path, _ = record_program(build_program(name, *defined), *words)
        return {each.rule: each for each in validate_recording(RecordingFile(path, load()), load(), name).findings}

    return found


def test_rules_have_known_parties_kinds_and_requirements() -> None:
    requirements = load().requirements
    for rule in read_rules().values():
        assert rule.party in PARTIES, rule.id
        assert rule.kind in KINDS, rule.id
        assert rule.meaning.endswith("."), rule.id
        assert not rule.requirement or rule.requirement in requirements, rule.id
        assert rule.id not in requirements
        assert bool(rule.remedies) == (rule.id not in ("unexpected-outcome", "unjudged-failure", "process-ended"))
    assert {*LEAK_RULES, *CONFLICT_RULES.values()} <= read_rules().keys()
    assert CONFLICT_RULES.keys() == set(AccessConflict)


def test_remedies_are_sentences() -> None:
    for text in (
        *(each.text for each in read_remedies()),
        *(text for rule in read_rules().values() for text in rule.remedies),
    ):
        assert text.endswith("."), text
        assert text[0].isupper(), text


def test_each_remedy_matches_a_requirement_and_its_names_exist() -> None:
    requirements = load().requirements.values()
    functions = load().functions
    for each in read_remedies():
        of_kind = [one for one in requirements if kind_of(one) == each.kind]
        others = [
            one
            for one in requirements
            if isinstance(one, ErrorCondition)
            and kind_of(one) == "other"
            and any(matches_pattern(pattern, one.id) for pattern in each.requirements)
        ]
        assert of_kind or others, each
        assert not (each.kind and each.requirements), each
        known = {
            parameter.name
            for one in (*of_kind, *others)
            if one.function in functions
            for parameter in functions[one.function].parameters
        }
        assert set(template_names(each.text)) <= known | CONDITION_NAMES | FINDING_NAMES | CALL_NAMES, each


def test_few_requirements_lack_a_remedy() -> None:
    lacking = requirements_without_remedy(load())
    assert len(lacking) <= MAX_WITHOUT_REMEDY, lacking


def test_page_lists_all_rules() -> None:
    page = format_rules()
    assert all(f"| `{name}` |" in page for name in read_rules())
    assert all(f"| `{each.id}` |" in page for each in program_requirements(load()))


def test_remedies_name_the_values_of_the_call(find_in: Callable[..., dict[str, ValidationFinding]]) -> None:
    found = find_in("mistakes", defined=("MISTAKES", "SHORT"))
    assert {rule: found[rule].remedy for rule in REMEDIES} == REMEDIES
    assert [each.rule for each in found.values() if each.party == PROGRAM and not each.remedy] == []
    assert all(not each.remedy for each in found.values() if each.party != PROGRAM)


@pytest.mark.parametrize(
    ("case", "rule", "remedy"),
    [
        (
            "scalar_size",
            "clSetKernelArg/CL_INVALID_ARG_SIZE/1",
            "Pass sizeof(cl_int), 4, as arg_size for argument 1 (int by), not 8.",
        ),
        (
            "unset",
            "clEnqueueNDRangeKernel/CL_INVALID_KERNEL_ARGS/1",
            "Set argument 1 (int by) of kernel1 (scale) with clSetKernelArg before this call.",
        ),
        (
            "argument_index",
            "clSetKernelArg/CL_INVALID_ARG_INDEX/1",
            "Pass an index below 2, the number of arguments of kernel1 (scale).",
        ),
        (
            "released_before_launch",
            "released-argument",
            "Call clReleaseMemObject(mem2) only after this call, or set the argument to another object.",
        ),
    ],
)
def test_remedy_for_a_kernel_names_its_argument(
    case: str, rule: str, remedy: str, find_in: Callable[..., dict[str, ValidationFinding]]
) -> None:
    assert find_in("refused", case, "wrong")[rule].remedy == remedy
