"""A requirement with its own predicate is found by its full id: at the predicate, in the suites, and in its test."""

from __future__ import annotations

import ast
import functools
from pathlib import Path

import pytest

from clconform.oracles.engine.rulebook import rulebook_of
from clconform.spec_tables import load, loading
from clconform.spec_tables.requirements import ErrorCondition, UsageRule

from . import forked
from .naming import Test, declared_in, named_by_tests, words_in
from .sampling import one_in

ROOT = Path(__file__).resolve().parents[1]
ORACLES, SUITES, TESTS = ROOT / "oracles", ROOT / "suites", ROOT / "tests" / "oracles"
WRITTEN = tuple(rulebook_of(load()).written_predicates)
UNTESTABLE = rulebook_of(load()).untestable
RECORDS = {
    name: record
    for revision in loading.list_revisions()
    for name, record in loading.read_tables(loading.REVISIONS / revision).requirements.items()
}
"""The requirements of every revision."""
ASKED = tuple(each for each in WRITTEN if isinstance(RECORDS[each], ErrorCondition) and each not in UNTESTABLE)
"""Usage rules are never violated on purpose, and untestable conditions have a reason."""
RECORD, OTHER = "clCreateBuffer/CL_INVALID_BUFFER_SIZE/1", "clCreateBuffer/CL_INVALID_HOST_PTR/3"

IN_A_DOCUMENT = "clCreateSampler/CL_INVALID_VALUE/1"
"""The example of the command below in ``docs/adding-a-function.md``."""


@functools.cache
def declared() -> set[str]:
    return declared_in(ORACLES, WRITTEN)


@functools.cache
def asked() -> set[str]:
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in sorted(SUITES.rglob("*.py"))]
    return set().union(*map(words_in, trees))


@functools.cache
def named() -> dict[str, list[Test]]:
    return named_by_tests(TESTS, WRITTEN)


@pytest.mark.parametrize("record", WRITTEN)
def test_an_id_stands_at_its_predicate(record: str) -> None:
    assert record in declared(), (
        f'oracles/: no predicate is declared by clause(..., "{record}", ...), letter for letter'
    )


@pytest.mark.parametrize("record", WRITTEN)
def test_an_id_stands_in_a_test(record: str) -> None:
    assert record in named(), f'tests/oracles/: no test has "{record}" in its code, or in a constant that it uses'


@pytest.mark.parametrize("record", ASKED)
def test_an_id_stands_where_it_is_asked(record: str) -> None:
    assert record in asked(), f'suites/: nothing that provokes "{record}" names it in its code'


def test_what_is_not_asked_has_a_reason() -> None:
    others = [RECORDS[record] for record in WRITTEN if record not in ASKED]
    assert all(isinstance(other, UsageRule) or other.id in UNTESTABLE for other in others)
    assert len(ASKED) > 150


def dropped(*arguments: str | Path) -> tuple[int, str]:
    """Return the exit code of the command, and its output."""
    done = forked.run(ROOT, "-m", "tests.dropped", *map(str, arguments), seconds=600)
    return done.returncode, done.stdout + done.stderr


def test_no_predicate_can_be_dropped_unnoticed() -> None:
    assert dropped(*dict.fromkeys([IN_A_DOCUMENT, *one_in(5, WRITTEN)])) == (0, "")


NOTICING = f"""
from clconform.oracles.engine.rulebook import rulebook_of
from clconform.spec_tables import load
from clconform.spec_tables.requirements import ErrorClause, UsageRule

def test_it():
    assert "{RECORD}" in rulebook_of(load()).written
"""


@pytest.mark.parametrize(
    ("module", "complaint"),
    [
        (NOTICING, ""),
        (f'def test_it():\n    """About {RECORD}."""\n', "no test names it"),
        (f'NAMED = "{RECORD}"\n\ndef test_it():\n    assert NAMED\n', "the tests that name it pass as before: test_it"),
        (f'def test_it():\n    assert "{RECORD}" == ""\n', "test_it.py::test_it fails with its predicate, too"),
        (f"{NOTICING}\ndef test_more():\n    assert True\n", ""),
        (
            f"import pytest\n{NOTICING.replace('def test', '@pytest.mark.skip' + chr(10) + 'def test')}",
            "pass as before",
        ),
    ],
    ids=["noticed", "only in words", "nothing asserted", "wrong anyhow", "beside another", "skipped"],
)
def test_tests_that_would_miss_nothing_are_reported(tmp_path: Path, module: str, complaint: str) -> None:
    (tmp_path / "test_it.py").write_text(module, encoding="utf-8")
    code, said = dropped("--tests", tmp_path, RECORD)
    assert code == (1 if complaint else 0), said
    assert said.startswith(f"{RECORD}: ") if complaint else not said
    assert complaint in said


def test_a_module_that_cannot_be_imported_is_no_proof(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(f'{NOTICING}\nraise ValueError("{OTHER}")\n', encoding="utf-8")
    code, said = dropped("--tests", tmp_path, RECORD)
    assert code == 1
    assert "cannot be collected" in said


def test_an_id_of_nobody_is_refused() -> None:
    code, said = dropped("clNobody/CL_INVALID_VALUE/1")
    assert code == 2
    assert "nobody has written a predicate for clNobody/CL_INVALID_VALUE/1" in said


MODULE = '''
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


def test_a_test_names_what_it_uses_and_no_more(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(MODULE.format(nested="ten"), encoding="utf-8")
    ids = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"]
    found = {record: [test.function for test in tests] for record, tests in named_by_tests(tmp_path, ids).items()}
    by_a_helper = {word: ["test_by_a_helper"] for word in ("two", "four", "eight", "nine", "ten")}
    assert found == by_a_helper | {word: ["test_by_a_decorator"] for word in ("three", "five")}


def test_only_arguments_of_a_declaration_count(tmp_path: Path) -> None:
    module = (
        '"""one"""\nIDS = ("two",)\n@rules.clause("three", *IDS, f"{IDS}four")\ndef holds(call, model):\n    "five"\n'
    )
    (tmp_path / "clauses.py").write_text(module, encoding="utf-8")
    assert declared_in(tmp_path, ["one", "two", "three", "four", "five"]) == {"three"}
