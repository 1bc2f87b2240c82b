"""A requirement with its own predicate is found by its full id: at the predicate, in the suites, and in its test."""

from __future__ import annotations

import ast
import functools
from pathlib import Path

import pytest

from clconform.oracles.engine.rulebook import rulebook_of
from clconform.spec_tables import load, loading
from clconform.spec_tables.requirements import ErrorCondition, UsageRule

from . import forked_runs
from .case_sampling import one_in
from .id_references import NamingTest, declared_in, find_naming_tests, words_in

ROOT = Path(__file__).resolve().parents[1]
ORACLES, SUITES, TESTS = ROOT / "oracles", ROOT / "suites", ROOT / "tests" / "oracles"
WRITTEN = tuple(rulebook_of(load()).predicates.declared)
UNTESTABLE = rulebook_of(load()).untestable
REQUIREMENTS = {
    name: record
    for revision in loading.list_revisions()
    for name, record in loading.read_tables(loading.REVISIONS / revision).requirements.items()
}
"""The requirements of every revision."""
SUITE_IDS = tuple(each for each in WRITTEN if isinstance(REQUIREMENTS[each], ErrorCondition) and each not in UNTESTABLE)
"""The ids that suites must name: usage rules are never violated on purpose, and untestable conditions have a reason."""
REQUIREMENT, OTHER_REQUIREMENT = "clCreateBuffer/CL_INVALID_BUFFER_SIZE/1", "clCreateBuffer/CL_INVALID_HOST_PTR/3"

DOCUMENTED_ID = "clCreateSampler/CL_INVALID_VALUE/1"
"""The example of the command below in ``docs/adding-a-function.md``."""


@functools.cache
def declared_ids() -> set[str]:
    return declared_in(ORACLES, WRITTEN)


@functools.cache
def suite_words() -> set[str]:
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in sorted(SUITES.rglob("*.py"))]
    return set().union(*map(words_in, trees))


@functools.cache
def find_tests_by_id() -> dict[str, list[NamingTest]]:
    return find_naming_tests(TESTS, WRITTEN)


@pytest.mark.parametrize("record", WRITTEN)
def test_id_is_written_in_full_at_its_predicate(record: str) -> None:
    assert record in declared_ids(), (
        f'oracles/: no predicate is declared by clause(..., "{record}", ...), letter for letter'
    )


@pytest.mark.parametrize("record", WRITTEN)
def test_id_is_written_in_full_in_a_test(record: str) -> None:
    assert record in find_tests_by_id(), (
        f'tests/oracles/: no test has "{record}" in its code, or in a constant that it uses'
    )


@pytest.mark.parametrize("record", SUITE_IDS)
def test_id_is_written_in_full_in_a_suite(record: str) -> None:
    assert record in suite_words(), f'suites/: nothing that provokes "{record}" names it in its code'


def test_id_that_suites_do_not_name_is_a_usage_rule_or_untestable() -> None:
    others = [REQUIREMENTS[requirement] for requirement in WRITTEN if requirement not in SUITE_IDS]
    assert all(isinstance(other, UsageRule) or other.id in UNTESTABLE for other in others)
    assert len(SUITE_IDS) > 150


def run_dropped(*arguments: str | Path) -> tuple[int, str]:
    """Return the exit code of the command, and its output."""
    done = forked_runs.run(ROOT, "-m", "tests.dropped", *map(str, arguments), seconds=600)
    return done.returncode, done.stdout + done.stderr


def test_each_sampled_predicate_has_a_test_that_fails_without_it() -> None:
    assert run_dropped(*dict.fromkeys([DOCUMENTED_ID, *one_in(5, WRITTEN)])) == (0, "")


COVERING_MODULE = f"""
from clconform.oracles.engine.rulebook import rulebook_of
from clconform.spec_tables import load
from clconform.spec_tables.requirements import ErrorCondition, UsageRule

def test_it():
    assert "{REQUIREMENT}" in rulebook_of(load()).predicates.declared
"""


@pytest.mark.parametrize(
    ("module", "complaint"),
    [
        (COVERING_MODULE, ""),
        (f'def test_it():\n    """About {REQUIREMENT}."""\n', "no test names it"),
        (
            f'NAMED = "{REQUIREMENT}"\n\ndef test_it():\n    assert NAMED\n',
            "the tests that name it pass as before: test_it",
        ),
        (f'def test_it():\n    assert "{REQUIREMENT}" == ""\n', "test_it.py::test_it fails with its predicate, too"),
        (f"{COVERING_MODULE}\ndef test_more():\n    assert True\n", ""),
        (
            f"import pytest\n{COVERING_MODULE.replace('def test', '@pytest.mark.skip' + chr(10) + 'def test')}",
            "pass as before",
        ),
    ],
    ids=["noticed", "only in words", "nothing asserted", "wrong anyhow", "beside another", "skipped"],
)
def test_command_dropped_reports_missing_and_ineffective_tests(tmp_path: Path, module: str, complaint: str) -> None:
    (tmp_path / "test_it.py").write_text(module, encoding="utf-8")
    code, said = run_dropped("--tests", tmp_path, REQUIREMENT)
    assert code == (1 if complaint else 0), said
    assert said.startswith(f"{REQUIREMENT}: ") if complaint else not said
    assert complaint in said


def test_command_dropped_fails_if_a_test_module_cannot_be_imported(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        f'{COVERING_MODULE}\nraise ValueError("{OTHER_REQUIREMENT}")\n', encoding="utf-8"
    )
    code, said = run_dropped("--tests", tmp_path, REQUIREMENT)
    assert code == 1
    assert "cannot be collected" in said


def test_command_dropped_refuses_id_without_predicate() -> None:
    code, said = run_dropped("clNobody/CL_INVALID_VALUE/1")
    assert code == 2
    assert "nobody has written a predicate for clNobody/CL_INVALID_VALUE/1" in said


NAMING_MODULE = '''
"""one"""
A, B = "two", "three"
TABLE = {{"row": f"{{A}} four", "{nested}": 1}}

def helper():
    return TABLE

@pytest.mark.parametrize("five", [B])
def test_by_a_decorator(five):
    """six"""
    "seven"

def test_by_a_helper():
    assert helper() == "eight nine"

def test_alone():
    assert test_by_a_helper
'''


def test_only_ids_in_the_code_that_a_test_uses_count_as_named(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(NAMING_MODULE.format(nested="ten"), encoding="utf-8")
    ids = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"]
    found = {
        requirement: [test.function for test in tests]
        for requirement, tests in find_naming_tests(tmp_path, ids).items()
    }
    by_a_helper = {word: ["test_by_a_helper"] for word in ("two", "four", "eight", "nine", "ten")}
    assert found == by_a_helper | {word: ["test_by_a_decorator"] for word in ("three", "five")}


def test_only_arguments_of_a_clause_decorator_count_as_declared_ids(tmp_path: Path) -> None:
    module = (
        '"""one"""\nIDS = ("two",)\n@rules.clause("three", *IDS, f"{IDS}four")\ndef holds(call, model):\n    "five"\n'
    )
    (tmp_path / "clauses.py").write_text(module, encoding="utf-8")
    assert declared_in(tmp_path, ["one", "two", "three", "four", "five"]) == {"three"}


def test_ids_in_the_code_are_written_in_full() -> None:
    """A search for an id finds its predicate, coverage point and items: no id is put together from constants."""
    wrong = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for folder in ("oracles", "suites")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.JoinedStr) and is_constant_id(node)
    ]
    assert wrong == []


def is_constant_id(node: ast.JoinedStr) -> bool:
    """Return whether an f-string inserts only constants, and may be an id: it has a slash and no space."""
    names = [each.value for each in node.values if isinstance(each, ast.FormattedValue)]
    text = "".join(str(each.value) for each in node.values if isinstance(each, ast.Constant))
    return "/" in text and " " not in text and all(isinstance(each, ast.Name) and each.id.isupper() for each in names)
