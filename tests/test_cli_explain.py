"""``clconform explain``: a text for every requirement, stable texts, names, typing errors, results, and JSON."""

from __future__ import annotations

import json
import linecache
import os
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import pytest
from click.testing import CliRunner

from clconform.calls import exit_codes
from clconform.harness.inherited_settings import exclude_current_folder
from clconform.reports.json_documents import encode_document
from clconform.spec_tables import load
from clconform.spec_tables.requirements import ApplicabilityCondition
from clconform.tools import explain_command
from clconform.tools.cli import cli
from clconform.tools.explain import explainer, source_index
from clconform.tools.explain.applicability_text import condition_text
from clconform.tools.explain.explainer import RequirementExplainer
from clconform.tools.explain.explanation_text import format_explanation

from . import explained
from .reports import fabricated_journals
from .reports.schemas import validated

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from click.testing import Result

    from clconform.tools.explain.explanation import RequirementExplanation, SourceLocation

CLAUSE = "clCreateSubDevices/CL_INVALID_VALUE/2"
PHASES = ("Requirement", "How it is judged", "Tests that target it", "Unit tests", "Latest results")


class CommandOutput(NamedTuple):
    """The output of the command, and the environment before and after it."""

    result: Result
    before: dict[str, str]
    after: dict[str, str]


@pytest.fixture(scope="module", autouse=True)
def first_output(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CommandOutput]:
    """Run the command as a user does, once for the module. Later tests reuse the parsed suites, oracle and tests."""
    made: list[RequirementExplainer] = []

    def known(*arguments: Any) -> RequirementExplainer:
        made.append(RequirementExplainer(*arguments))
        return made[0]

    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("empty"))
        patch.setenv("COLUMNS", str(explained.WIDTH))
        patch.setenv("PYTEST_ADDOPTS", "-k nothing")
        patch.setattr(explain_command, "RequirementExplainer", known)
        exclude_current_folder()  # every command does this once in its process
        before = dict(os.environ)
        result = CliRunner().invoke(cli, ("explain", CLAUSE))
        shown = CommandOutput(result, before, dict(os.environ))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(explained, "create_explainer", lambda: made[0])
        yield shown


@pytest.fixture(autouse=True)
def _use_folder_without_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", str(explained.WIDTH))


@pytest.fixture(scope="module")
def explanations() -> list[RequirementExplanation]:
    return [explained.create_explainer().explain(requirement) for requirement in explained.create_explainer().records]


def run_explain(*words: str) -> Result:
    """Run the command with the parsed suites, oracle and tests of the first run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(explain_command, "RequirementExplainer", explained.create_similar_explainer)
        return CliRunner().invoke(cli, ("explain", *words))


def explanation_of(requirement: str) -> RequirementExplanation:
    return explained.create_explainer().explain(requirement)


def places_in(explanation: RequirementExplanation) -> list[SourceLocation]:
    places = [rule.place for rule in explanation.rules] + [each.place for each in explanation.test_values]
    places += [item.place for item in explanation.items]
    places += [place for each in explanation.interpretations for place in (each.place, each.used)]
    return [place for place in (*places, *(explanation.tests or ()), explanation.valid_call) if place is not None]


# every requirement


def test_every_requirement_has_an_explanation_with_all_phases(explanations: list[RequirementExplanation]) -> None:
    assert {told.id for told in explanations} >= set(load().requirements)
    assert {told.document for told in explanations} >= set(load().documents)
    for told in explanations:
        text = format_explanation(told, explained.WIDTH).plain
        assert text.startswith(f"{told.id}\n")
        assert all(phase in text for phase in PHASES)
        assert all(len(line) <= explained.WIDTH or _is_single_word(line) for line in text.splitlines()), told.id


def _is_single_word(line: str) -> bool:
    """Return whether a line holds a single word that cannot be broken, or text copied unchanged."""
    return len(line.split()) == 1 or line.startswith(("    '", "  run them "))


def test_explanation_has_rules_or_a_reason_for_their_absence(explanations: list[RequirementExplanation]) -> None:
    for told in explanations:
        assert bool(told.reason) == (told.judged != "by-rules"), told.id
        assert bool(told.rules) or told.judged != "by-rules", told.id
    assert {told.judged for told in explanations if told.kind == "callback"} == {"no-rule"}


def test_source_lines_in_explanations_define_the_shown_functions(explanations: list[RequirementExplanation]) -> None:
    """The line of a rule or test value must define the function. The line of any further place must not be empty."""
    rules = {
        rule.place
        for told in explanations
        for rule in told.rules
        if rule.role in ("predicate", "builder", "postcondition")
    }
    rules |= {each.place for told in explanations for each in told.test_values}
    for place in rules:
        assert place is not None
        line = linecache.getline(str(source_index.ROOT / place.file), place.line)
        assert f"def {place.name}(" in line, place
    everywhere = {place for told in explanations for place in places_in(told)}
    assert all(linecache.getline(str(source_index.ROOT / place.file), place.line).strip() for place in everywhere)


def test_explanation_of_condition_names_its_predicate() -> None:
    told = explanation_of(CLAUSE)
    assert [(rule.role, rule.place and rule.place.name) for rule in told.rules] == [("predicate", "is_array_too_small")]
    assert (
        told.rules[0].description
        == told.condition
        == "out_devices is not NULL and num_devices is less than the number of sub-devices of the scheme."
    )


# one of each kind


def test_explanation_of_recurring_condition_has_its_kind_and_builder() -> None:
    told = explanation_of("clCreateBuffer/CL_INVALID_CONTEXT/1")
    assert told.structured_condition is not None
    assert (told.structured_condition.kind, told.structured_condition.parameters) == ("invalid-object", ["context"])
    assert [rule.role for rule in told.rules] == ["builder"]
    assert "handle-of-other-type" in {entry.id for entry in told.interpretations}


def test_explanation_names_interpretation_for_gap_in_older_documents() -> None:
    told = explanation_of("clEnqueueReadBufferRect/CL_INVALID_VALUE/1")
    assert "null-coordinates" in {entry.id for entry in told.interpretations}


def test_condition_without_predicate_is_always_optional(explanations: list[RequirementExplanation]) -> None:
    unwritten = [told for told in explanations if told.kind == "error-clause" and told.judged == "no-rule"]
    assert unwritten
    for told in unwritten:
        assert "not covered" in told.reason
        assert [entry.id for entry in told.interpretations] == ["no-predicate"]


def test_explained_variations_name_their_function_in_the_suites(explanations: list[RequirementExplanation]) -> None:
    told = explanation_of("clCreateBuffer/CL_INVALID_CONTEXT/1")
    assert told.valid_call is not None
    assert {each.name for each in told.test_values} >= {"context=NULL"}
    assert all(
        each.place and each.place.file.startswith("suites/") for told in explanations for each in told.test_values
    )
    assert not any(each.valid for each in told.test_values)
    assert all(each.valid for each in explanation_of("clCreateBuffer/success").test_values)


def test_explanations_list_the_items_that_target_the_requirement(explanations: list[RequirementExplanation]) -> None:
    names = {item.id for told in explanations for item in told.items}
    assert len(names) > 1000
    assert any(item.is_random for told in explanations for item in told.items)
    assert any(item.id.startswith("partition.create_sub_devices::") for item in explanation_of(CLAUSE).items)


def test_explanations_of_limit_and_query_refer_to_each_other() -> None:
    query, limit = "CL_DEVICE_MAX_COMPUTE_UNITS", "CL_DEVICE_MAX_COMPUTE_UNITS/limit/1"
    assert limit in {each.id for each in explanation_of(query).related}
    assert query in {each.id for each in explanation_of(limit).related}


def test_applicability_condition_is_shown_as_a_clause_in_words() -> None:
    assert (
        condition_text(ApplicabilityCondition("platform-version", since="1.2"))
        == "the platform version is 1.2 or later"
    )
    between = "the device version is 2.0 or later, and before 3.0, or cl_khr_x is supported"
    assert (
        condition_text(ApplicabilityCondition("device-version", since="2.0", before="3.0", instead="cl_khr_x"))
        == between
    )
    assert condition_text(ApplicabilityCondition("device-version", before="3.0")) == "the device version is before 3.0"
    assert condition_text(ApplicabilityCondition("extension", "cl_khr_x")) == "cl_khr_x is supported"
    assert condition_text(ApplicabilityCondition("profile", "FULL_PROFILE")) == "the profile is FULL_PROFILE"


def test_explain_command_leaves_environment_variables_unchanged(first_output: CommandOutput) -> None:
    """The suites are collected with settings of their own, which must not change the surrounding pytest run."""
    assert first_output.after == first_output.before
    assert explanation_of(CLAUSE).items


# sources


def test_id_is_found_in_strings_and_in_f_strings_of_constants(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "module.py"
    file.write_text(
        'A, B = "one", "two"\nC = f"{A}/1"\n\n\nclass Held:\n    def method(self):\n        return f"{B}/{A}", "one"\n'
        '\n\ndef function(given):\n    return f"{given}/1", f"x{A}/1"\n',
        encoding="utf-8",
    )
    monkeypatch.setattr(source_index, "ROOT", tmp_path)
    naming = source_index.NameIndex([file])
    assert [str(place) for place in naming.locations_of("one/1")] == ["module.py:2 C"]
    assert [str(place) for place in naming.locations_of("two/one")] == ["module.py:7 Held.method"]
    assert not naming.locations_of("/1")
    assert not naming.locations_of("three")


def test_function_outside_the_package_has_no_source_location() -> None:
    assert source_index.location_of(json.dumps) is None
    assert source_index.location_of(len) is None


# the text


@pytest.mark.parametrize("record", explained.IDS)
def test_explanation_matches_its_stored_text(record: str) -> None:
    kept = explained.text_path(record).read_text(encoding="utf-8")
    assert explained.current_text(record) == kept, "python -m tests.explained"


def test_folder_of_stored_explanations_has_no_further_file() -> None:
    assert set(explained.FOLDER.glob("*")) == {explained.text_path(requirement) for requirement in explained.IDS}


def test_explain_command_prints_the_formatted_explanation(first_output: CommandOutput) -> None:
    shown = first_output.result
    assert shown.exit_code == exit_codes.AS_EXPECTED
    assert shown.stdout == format_explanation(explanation_of(CLAUSE), explained.WIDTH).plain
    assert "no results" in shown.stdout
    assert "\x1b" not in shown.stdout


def test_explanation_quotes_item_ids_for_the_shell() -> None:
    assert (
        "\n    'partition.create_sub_devices::test_sub_devices_follow_the_property_list[" in run_explain(CLAUSE).stdout
    )


def test_explanation_states_that_tests_need_a_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = explained.create_similar_explainer(load())
    del vars(known)["_test_names"]
    monkeypatch.setattr(explainer, "ROOT", tmp_path)
    told = known.explain(CLAUSE)
    assert told.tests is None
    assert "a checkout of the repository has them" in format_explanation(told, explained.WIDTH).plain


# names


def test_explain_command_with_function_name_lists_its_requirements() -> None:
    shown = run_explain("clCreateSubDevices")
    assert shown.exit_code == exit_codes.AS_EXPECTED
    lines = shown.stdout.splitlines()
    (line,) = (each for each in lines if each.startswith(CLAUSE))
    assert line.endswith(
        "out_devices is not NULL and num_devices is less than the number of sub-devices of the scheme."
    )
    assert len(lines[:-2]) == len(load().requirements_of("clCreateSubDevices"))
    assert "clconform explain clCreateSubDevices/" in lines[-1]


@pytest.mark.parametrize("name", ["clCreateSubDevices/CL_INVALID_VALUE", "cl_mem_flags", "CL_MEM_READ_WRITE"])
def test_part_of_an_id_lists_the_requirements_that_contain_it(name: str) -> None:
    listed = json.loads(validated(run_explain(name, "--json").stdout, "explanation-list"))
    assert listed["name"] == name
    assert all(name in each["id"] for each in listed["requirements"])


def test_explain_command_explains_a_query_name_that_is_also_an_id() -> None:
    shown = run_explain("CL_DEVICE_NAME")
    assert shown.stdout.startswith("CL_DEVICE_NAME\nquery · ")


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ("clCreateSubDevices/CL_INVALID_VALU/2", CLAUSE),
        ("clcreatesubdevice", "clCreateSubDevices"),
        ("CL_DEVICE_MAX_COMPUTE_UNIT", "CL_DEVICE_MAX_COMPUTE_UNITS"),
        ("no such thing", "'no such thing': no requirement or function of that name"),
        ("", "'ID': it is empty"),
    ],
)
def test_explain_command_with_unknown_name_suggests_similar_names(wanted: str, said: str) -> None:
    shown = run_explain(wanted)
    assert shown.exit_code == exit_codes.BAD_USAGE
    assert shown.stdout == ""
    assert said in shown.stderr
    assert len(shown.stderr.splitlines()) == 1


# results


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    (tmp_path / "run").mkdir()
    return fabricated_journals.write_journal(
        tmp_path / "run" / "journal.jsonl", fabricated_journals.journal_lines(hostile=True)
    )


def test_explanation_shows_status_and_deviations_of_each_result(journal: Path) -> None:
    shown = run_explain(CLAUSE, "--results", str(journal), "--results", str(journal.parent))
    assert shown.exit_code == exit_codes.AS_EXPECTED, shown.stderr
    (first, second) = results_in_json(CLAUSE, journal, journal.parent)
    assert (first["status"], first["calls"]) == (second["status"], second["calls"]) == ("deviates", 4)
    (deviation,) = first["deviations"]
    assert (deviation["verdict"], deviation["allowed"]) == ("deviates", ["CL_INVALID_VALUE"])
    assert shown.stdout.count(deviation["id"]) == 2
    assert shown.stdout.count("status      deviates") == 2
    assert shown.stdout.isprintable() or all(line.isprintable() for line in shown.stdout.splitlines())


def results_in_json(requirement: str, *results: Path) -> list[dict[str, Any]]:
    words = [word for path in results for word in ("--results", str(path))]
    told = json.loads(validated(run_explain(requirement, "--json", *words).stdout, "explanation"))
    said: list[dict[str, Any]] = told["results"]
    return said


def test_explanation_shows_the_result_of_the_last_run_by_default(journal: Path, tmp_path: Path) -> None:
    (tmp_path / "clconform-out").mkdir()
    report = CliRunner().invoke(cli, ("report", str(journal), "--out", "clconform-out"))
    assert report.exit_code == 0, report.output
    assert "status      deviates" in run_explain(CLAUSE).stdout
    assert "no results" not in run_explain(CLAUSE).stdout


def test_unreadable_result_is_refused_if_named_and_skipped_otherwise(tmp_path: Path) -> None:
    usual = tmp_path / "clconform-out" / "result.json"
    usual.parent.mkdir()
    usual.write_text("{", encoding="utf-8")
    named = run_explain(CLAUSE, "--results", str(usual))
    assert (named.exit_code, named.stdout) == (exit_codes.BAD_USAGE, "")
    assert str(usual) in named.stderr
    unnamed = run_explain(CLAUSE)
    assert unnamed.exit_code == exit_codes.AS_EXPECTED
    assert "skipped" in unnamed.stderr
    assert "no results" in unnamed.stdout


# JSON


@pytest.mark.parametrize("record", explained.IDS)
def test_json_explanation_matches_its_schema(record: str) -> None:
    told = explanation_of(record)
    document = json.loads(validated(encode_document(told), "explanation"))
    assert document["requirement"] == json.loads(msgspec.json.encode(explained.create_explainer().records[record]))


def test_explain_command_prints_explanations_as_json() -> None:
    shown = run_explain(CLAUSE, "--json")
    assert shown.exit_code == exit_codes.AS_EXPECTED
    assert shown.stdout == encode_document(explanation_of(CLAUSE))


def run_on_result(folder: Path, *words: str) -> Result:
    """Run a command in a folder with a result."""
    lines = fabricated_journals.encode_journal(fabricated_journals.journal_lines())
    (folder / "clconform-out").mkdir()
    (folder / "clconform-out" / "journal.jsonl").write_bytes(lines)
    runner = CliRunner()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert runner.invoke(cli, ["report", "clconform-out"]).exit_code == exit_codes.AS_EXPECTED
        return runner.invoke(cli, [*words])


def test_explain_describes_a_deviation_of_the_last_result(tmp_path: Path) -> None:
    ran = run_on_result(tmp_path, "explain", "577c2a37")
    assert ran.exit_code == exit_codes.AS_EXPECTED, ran.output
    for part in ("Only incorrect programs are affected.", CLAUSE, "observed    CL_SUCCESS", "clconform issue 577c2a37"):
        assert part in ran.output


def test_explain_writes_a_deviation_as_json(tmp_path: Path) -> None:
    found = json.loads(run_on_result(tmp_path, "explain", "--json", "577c2a37").output)
    assert (found["id"], found["consequence"]) == ("577c2a37", "incorrect-programs")


def test_explain_of_an_unknown_deviation_names_the_known_ones(tmp_path: Path) -> None:
    ran = run_on_result(tmp_path, "explain", "0123abcd")
    assert ran.exit_code == exit_codes.BAD_USAGE
    assert "no deviation with id '0123abcd'" in ran.output
    assert "577c2a37" in ran.output


def test_explain_of_a_deviation_without_results_says_how_to_name_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = CliRunner().invoke(cli, ["explain", "577c2a37"])
    assert ran.exit_code == exit_codes.BAD_USAGE
    assert "name its result with --results" in ran.output


def test_issue_rejects_a_deviation_that_did_not_repeat(tmp_path: Path) -> None:
    ran = run_on_result(tmp_path, "issue", "c5f2014c")
    assert ran.exit_code == exit_codes.BAD_USAGE
    assert "c5f2014c is flaky, and not attributed to the driver" in ran.output


def test_issue_prints_a_bug_report_of_the_last_result(tmp_path: Path) -> None:
    ran = run_on_result(tmp_path, "issue", "577c2a37", "--for", "mesa")
    assert ran.exit_code == exit_codes.AS_EXPECTED, ran.output
    assert "## System information" in ran.output
    assert "./577c2a37" in ran.output
