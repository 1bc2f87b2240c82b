"""Each fault of build options is found by the items that target the violated requirement."""

from __future__ import annotations

import pytest

from clconform.oracles.chapters.programs.triggers.features import RECORDS, TOGETHER
from clconform.selftest.planted import program_options
from clconform.selftest.planted.every_fault import every_fault
from clconform.suites.chapters.programs import test_features, test_options

from .blaming import blamed_with, recorded_with

PREPROCESSOR = "OpenCL:preprocessor-options"
FOUND = {
    "macros-without-a-value-are-empty": f"{PREPROCESSOR}/3",
    "definitions-are-evaluated": f"{PREPROCESSOR}/4",
    "the-macro-of-relaxed-arithmetic-is-missing": "OpenCL:optimization-options/3",
}
"""The requirement of the items that find each fault."""
VERSIONS = "OpenCL:options-controlling-the-opencl-c-version"
BROKEN = {
    ("options-without-support-are-taken", "numa-16"): (f"{VERSIONS}/3", "OpenCL:math-intrinsics-options/1"),
    ("all-sources-are-of-the-oldest-version", "full-2.2"): tuple(f"{VERSIONS}/{number}" for number in (6, 7, 8, 10)),
    ("binaries-forget-their-options", "everything"): ("clBuildProgram/effect/5",),
    ("modules-take-no-options", "everything"): (*test_options.FOR_SOURCES, "clCompileProgram/effect/14"),
}
"""For each fault, and a platform on which it shows, the violated statements."""
MISSING = "the-macro-of-program-scope-variables-is-missing"
"""The fault of the macro of one feature."""
CASES = [*test_options.cases]


def test_every_fault_has_its_row() -> None:
    planted = {name for name, fault in every_fault().items() if fault.__module__ == program_options.__name__}
    assert planted == {*FOUND, *(fault for fault, _ in BROKEN), MISSING}


@pytest.mark.parametrize("fault", FOUND)
def test_a_fault_is_found(fault: str) -> None:
    near = [case for case in CASES if FOUND[fault] in {case.record, *case.records}]
    assert FOUND[fault] in blamed_with("everything", fault, near)


@pytest.mark.parametrize(("fault", "topology"), BROKEN)
def test_a_fault_speaks_against_the_sentences_that_it_breaks(fault: str, topology: str) -> None:
    sentences = BROKEN[fault, topology]
    near = [case for case in CASES if {case.record, *case.records} & set(sentences)]
    evidence = recorded_with(topology, fault, near).evidence
    assert all(evidence[each]["deviates"] and not evidence[each]["conforms"] for each in sentences), evidence


def test_a_macro_that_is_missing_speaks_against_its_feature_alone_although_all_are_built_at_once() -> None:
    at_once = [case for case in test_features.cases if len(case.records) > len(RECORDS)]
    assert len(at_once) == 1
    evidence = recorded_with("everything", MISSING, at_once).evidence
    variables = next(record for record, feature in RECORDS.items() if feature == program_options.VARIABLES)
    for record in (*RECORDS, *TOGETHER):
        assert bool(evidence[record]["deviates"]) == (record == variables), record
        assert bool(evidence[record]["conforms"]) == (record != variables), record


@pytest.mark.parametrize("topology", ["everything", "numa-16", "oldest", "embedded"])
def test_a_sound_platform_has_no_deviation(topology: str) -> None:
    assert blamed_with(topology, "", CASES) == set()
