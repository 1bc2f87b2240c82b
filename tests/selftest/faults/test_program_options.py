"""Each fault of build options is found by the items that target the violated requirement."""

from __future__ import annotations

import pytest

from clconform.oracles.chapters.programs.coverage_points.features import FEATURE_REQUIREMENTS, IMPLIED_FEATURES
from clconform.selftest.faults import program_options
from clconform.suites.chapters.programs import test_features, test_options

from .attribution import record_run, run_and_get_deviating

PREPROCESSOR = "OpenCL:preprocessor-options"
FOUND = {
    "macro-without-value-is-empty": f"{PREPROCESSOR}/3",
    "macro-definition-evaluated": f"{PREPROCESSOR}/4",
    "fast-relaxed-math-macro-missing": "OpenCL:optimization-options/3",
}
"""For each fault, the violated requirement, which is the target of the items that find it."""
VERSIONS = "OpenCL:options-controlling-the-opencl-c-version"
VIOLATED = {
    ("unsupported-options-ignored", "numa-16"): (f"{VERSIONS}/3", "OpenCL:math-intrinsics-options/1"),
    ("sources-compiled-as-first-version", "full-2.2"): tuple(f"{VERSIONS}/{number}" for number in (6, 7, 8, 10)),
    ("binary-loses-build-options", "everything"): ("clBuildProgram/effect/5",),
    ("il-program-options-rejected", "everything"): (*test_options.FOR_SOURCES, "clCompileProgram/effect/14"),
}
"""For each fault, with a platform on which it has an effect, the violated requirements."""
UNLISTED = {
    "unlisted-macro-defined-by-builds": "clBuildProgram/CL_BUILD_PROGRAM_FAILURE/1",
    "unlisted-macro-defined-by-compilations": "clCompileProgram/CL_COMPILE_PROGRAM_FAILURE/1",
}
"""For each fault that defines the macros of unlisted features, the violated requirement."""
MISSING_MACRO_FAULT = "program-scope-variables-macro-missing"
"""The fault that omits the macro of one feature."""
CASES = [*test_options.cases()]


def test_every_build_option_fault_has_an_expected_result() -> None:
    planted = set(program_options.faults.entries)
    assert planted == {*FOUND, *(fault for fault, _ in VIOLATED), *UNLISTED, MISSING_MACRO_FAULT}


@pytest.mark.parametrize("fault", FOUND)
def test_build_option_fault_causes_the_expected_deviation(fault: str) -> None:
    near = [case for case in CASES if FOUND[fault] in {case.requirement, *case.further_requirements}]
    assert FOUND[fault] in run_and_get_deviating("everything", fault, near)


@pytest.mark.parametrize(("fault", "topology"), VIOLATED)
def test_build_option_fault_violates_the_listed_requirements(fault: str, topology: str) -> None:
    sentences = VIOLATED[fault, topology]
    near = [case for case in CASES if {case.requirement, *case.further_requirements} & set(sentences)]
    evidence = record_run(topology, fault, near).evidence
    assert all(evidence[each]["deviates"] and not evidence[each]["conforms"] for each in sentences), evidence


def test_missing_macro_violates_only_the_requirement_of_its_feature() -> None:
    at_once = [case for case in test_features.cases() if len(case.further_requirements) > len(FEATURE_REQUIREMENTS)]
    assert len(at_once) == 1
    evidence = record_run("everything", MISSING_MACRO_FAULT, at_once).evidence
    variables = next(
        requirement for requirement, feature in FEATURE_REQUIREMENTS.items() if feature == program_options.VARIABLES
    )
    for requirement in (*FEATURE_REQUIREMENTS, *IMPLIED_FEATURES):
        assert bool(evidence[requirement]["deviates"]) == (requirement == variables), requirement
        assert bool(evidence[requirement]["conforms"]) == (requirement != variables), requirement


@pytest.mark.parametrize("fault", UNLISTED)
def test_macro_of_an_unlisted_feature_causes_a_deviation(fault: str) -> None:
    near = [case for case in test_features.cases() if UNLISTED[fault] in {case.requirement, *case.further_requirements}]
    assert run_and_get_deviating("numa-16", fault, near) == {UNLISTED[fault]}
    assert run_and_get_deviating("numa-16", "", near) == set()


@pytest.mark.parametrize("topology", ["everything", "numa-16", "oldest", "embedded"])
def test_conforming_platform_has_no_deviation(topology: str) -> None:
    assert run_and_get_deviating(topology, "", CASES) == set()
