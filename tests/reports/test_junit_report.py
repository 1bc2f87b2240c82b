"""The JUnit file can be parsed, and text of drivers in it is escaped."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import junitparser
import pytest

from clconform.reports.journal_reader import parse_journal
from clconform.reports.junit_report import render_junit
from clconform.reports.result_builder import assemble_result

from . import fabricated_journals
from .junit_schema import find_violations


def create_suite(*, hostile: bool) -> tuple[str, ET.Element]:
    tables = fabricated_journals.create_tables()
    journal = parse_journal(fabricated_journals.encode_journal(fabricated_journals.journal_lines(hostile=hostile)), "j")
    text = render_junit(assemble_result(journal, tables), tables)
    suite = ET.fromstring(text).find("testsuite")  # noqa: S314 (our own output)
    assert suite is not None
    return text, suite


@pytest.mark.parametrize("hostile", [False, True])
def test_each_requirement_has_one_junit_case(hostile: bool) -> None:  # noqa: FBT001
    text, suite = create_suite(hostile=hostile)
    assert text.isascii()
    assert (suite.get("tests"), suite.get("errors"), suite.get("failures")) == ("11", "2", "2")
    cases = {case.get("name"): case for case in suite.iter("testcase")}
    assert len(cases) == 11
    assert len(list(suite.iter("script"))) == 0
    outcomes = {name: [child.tag for child in case if child.tag != "system-out"] for name, case in cases.items()}
    assert outcomes[fabricated_journals.CRASHED] == ["failure"]
    assert outcomes["clCreateSubDevices/CL_INVALID_VALUE/1"] == ["error"]
    assert outcomes["clCreateSubDevices/success"] == []
    assert outcomes["clReleaseDevice/success"] == ["failure"], "a flaky deviation"
    for name in ("clReleaseDevice/use/1", "CL_DEVICE_PARTITION_EQUALLY"):
        assert outcomes[name] == ["skipped"]


def test_junit_failure_contains_operands_calls_and_replay_command() -> None:
    _, suite = create_suite(hostile=False)
    case = next(case for case in suite.iter("testcase") if case.get("name") == fabricated_journals.CRASHED)
    assert case.get("classname") == "opencl-api.4.3"
    failure = case.find("failure")
    assert failure is not None
    assert failure.get("message") == "CL_SUCCESS; allowed: CL_INVALID_VALUE (577c2a37)"
    told = failure.text or ""
    assert f"where {fabricated_journals.CRASHED}: out_devices = <1-element output buffer>, num_devices = 1\n" in told
    for part in ("CL_DEVICE_PARTITION_EQUALLY, 1, 0", "literal", "3 of 3", "clconform replay RESULT 577c2a37"):
        assert part in told
    assert "test values: num_devices=1, num_devices=0" in (case.findtext("system-out") or "")


def test_skipped_junit_cases_have_reasons() -> None:
    _, suite = create_suite(hostile=False)
    skipped = {case.get("name"): case.find("skipped") for case in suite.iter("testcase")}
    said = {name: element.get("message") for name, element in skipped.items() if element is not None}
    assert said["clReleaseDevice/use/1"] == "untestable: behaviour is undefined, so it is never sent"
    assert (said["CL_DEVICE_PARTITION_MAX_SUB_DEVICES"] or "") == "not-run: deselected"


def test_hostile_text_is_escaped_but_stays_visible_in_junit_file() -> None:
    _, suite = create_suite(hostile=True)
    properties = {entry.get("name"): entry.get("value") or "" for entry in suite.iter("property")}
    assert properties["platform"].startswith("\\x1b[31mEvil\\x1b[0m </script><script>")
    assert "\\x00\\u202e\\x9b2J" in properties["platform"]


@pytest.mark.parametrize("hostile", [False, True])
def test_file_matches_the_junit_schema_of_jenkins_and_gitlab(hostile: bool) -> None:  # noqa: FBT001
    text, _ = create_suite(hostile=hostile)
    assert find_violations(ET.fromstring(text)) == []  # noqa: S314 (our own output)


@pytest.mark.parametrize(
    ("good", "bad", "fault"),
    [
        ('failures="2"', 'failures="3"', "failures says 3, there are 2"),
        ("<system-out>", "<stdout>", "there is no element stdout"),
        ('assertions="5"', 'assertions="many"', "many is no number"),
        (" classname=", " class=", "testcase has no attribute class"),
    ],
)
def test_junit_schema_check_finds_violations(good: str, bad: str, fault: str) -> None:
    text, _ = create_suite(hostile=False)
    closing = (good.replace("<", "</"), bad.replace("<", "</")) if good.startswith("<") else ("", "")
    assert good in text
    assert fault in find_violations(ET.fromstring(text.replace(good, bad).replace(*closing)))  # noqa: S314 (our own output)


@pytest.mark.parametrize("hostile", [False, True])
def test_junitparser_reads_every_requirement(hostile: bool) -> None:  # noqa: FBT001
    tables = fabricated_journals.create_tables()
    result = assemble_result(
        parse_journal(fabricated_journals.encode_journal(fabricated_journals.journal_lines(hostile=hostile)), "j"),
        tables,
    )
    (suite,) = junitparser.JUnitXml.fromstring(render_junit(result, tables).encode())
    cases = {case.name: case for case in suite}
    assert [case.name for case in suite] == [requirement.id for requirement in result.requirements]
    kinds = {
        **dict.fromkeys(("crashes", "hangs"), junitparser.Error),
        **dict.fromkeys(("deviates", "flaky"), junitparser.Failure),
    }
    for requirement in result.requirements:
        case = cases[requirement.id]
        assert case.classname == f"{requirement.document}.{requirement.section}"
        told = dict(line.split(": ", 1) for line in case.system_out.splitlines())
        assert (told["kind"], told["status"], told["calls"]) == (
            requirement.kind,
            requirement.status,
            str(requirement.calls),
        )
        assert told.get("condition", "") == requirement.condition
        outcomes = [type(outcome) for outcome in case.result]
        wanted = [] if requirement.status == "conforms" else [kinds.get(requirement.status, junitparser.Skipped)]
        assert outcomes == wanted


def test_known_deviations_are_skipped_and_only_new_ones_fail() -> None:
    tables = fabricated_journals.create_tables()
    result = assemble_result(
        parse_journal(fabricated_journals.encode_journal(fabricated_journals.journal_lines()), "j"), tables
    )
    for kind, outcome in (("known", junitparser.Skipped), ("new", junitparser.Failure)):
        text = render_junit(fabricated_journals.add_gate(result, kind), tables)
        assert find_violations(ET.fromstring(text)) == []  # noqa: S314 (our own output)
        requirements, entries = junitparser.JUnitXml.fromstring(text.encode())
        by_name = {case.name: case.result for case in requirements}
        assert [type(each) for each in by_name[fabricated_journals.CRASHED]] == [outcome]
        (crashed,) = by_name["clCreateSubDevices/CL_INVALID_VALUE/1"]
        assert isinstance(crashed, junitparser.Skipped)
        assert crashed.message.startswith("known: died")
        told = {case.name: (case.classname, type(case.result[0])) for case in entries}
        assert told == {
            "entry 3: clSomething/*": ("gate.fixed", junitparser.Failure),
            "entry 4: clOther/*": ("gate.not-tested", junitparser.Skipped),
        }
