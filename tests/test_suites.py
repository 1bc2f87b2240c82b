"""The suites as code: names, requirements, and independence of tests from imports."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from clconform.oracles.engine.registry import find_modules
from clconform.runner.journal.suite_names import NAME_PATTERN, files_by_name, read_declared_name
from clconform.spec_tables import loading
from clconform.suites.errors import variation_collection
from clconform.suites.errors.negative_cases import Variation, VariationRegistry
from clconform.suites.errors.variation_collection import VariationCollection, collect_variations
from clconform.suites.kit import valid_calls
from clconform.suites.queries import kinds
from clconform.suites.queries.kinds import all_object_kinds

from .imports import assigns_name, module_name

ROOT = Path(__file__).resolve().parents[1]
SUITES = ROOT / "suites"


def test_every_suite_has_a_unique_name() -> None:
    files = sorted(SUITES.rglob("test_*.py"))
    names = [read_declared_name(path) for path in files]
    assert all(NAME_PATTERN.fullmatch(name) for name in names), dict(zip(names, files, strict=True))
    assert len(set(names)) == len(files)
    assert set(files_by_name(SUITES).values()) == set(files)


def test_name_of_suite_is_read_without_importing_its_module(tmp_path: Path) -> None:
    file = tmp_path / "test_it.py"
    file.write_text("raise ValueError\nNAME = 'one.two'\n", encoding="utf-8")
    assert read_declared_name(file) == "one.two"
    file.write_text("OTHER = NAME = 'one.two'\n", encoding="utf-8")
    assert read_declared_name(file) == ""
    assert read_declared_name(tmp_path) == ""


def test_suite_modules_have_no_loops_or_calls_at_top_level() -> None:
    """Functions yield the test cases. A module only declares these functions."""
    wrong = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sorted(SUITES.rglob("*.py"))
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.For | ast.While) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call))
    ]
    assert wrong == []


def test_every_variation_has_a_requirement_with_a_valid_call() -> None:
    known = set().union(
        *(loading.read_tables(loading.REVISIONS / name).requirements.keys() for name in loading.list_revisions())
    )
    declared = collect_variations().variations.by_requirement
    assert [requirement for requirement in declared if requirement not in known] == []
    assert {requirement.partition("/")[0] for requirement in declared} <= set(collect_variations().valid_calls)
    assert all(collect_variations().variations_for(requirement) for requirement in declared)


@pytest.mark.parametrize(
    ("name", "file_names", "packages"),
    [
        ("variations", "negative_cases(_of_.*)?|command_buffer_cases|copy_cases", variation_collection.PACKAGES),
        ("valid_calls", "valid_calls(_of_.*)?", (valid_calls.PACKAGE,)),
        ("kinds", ".*", (kinds.PACKAGE,)),
    ],
)
def test_suite_modules_with_registries_are_found_and_named_by_their_content(
    name: str, file_names: str, packages: tuple[str, ...]
) -> None:
    declaring = {module_name(path) for path in SUITES.rglob("*.py") if assigns_name(path, name)}
    found = {module for package in packages for module in find_modules(package)}
    assert declaring
    assert declaring <= found
    assert [each for each in declaring if not re.fullmatch(file_names, each.rpartition(".")[2])] == []


def test_device_and_usm_queries_have_object_kinds() -> None:
    assert set(all_object_kinds()) >= {"clGetDeviceInfo", "clGetMemAllocInfoINTEL"}


def test_duplicate_test_value_of_a_requirement_is_rejected() -> None:
    variations = VariationRegistry()
    variations.declare("clFlush/success", "clFinish/success")(
        lambda: iter([Variation("one", {}), Variation("two", {})])
    )
    more = VariationRegistry()
    more.declare("clFlush/success")(lambda: iter([Variation("two", {})]))
    variations.merge(more)
    known = VariationCollection({}, variations)
    assert [each.test_value for each in known.variations_for("clFinish/success")] == ["one", "two"]
    with pytest.raises(ValueError, match="clFlush/success is tried twice at 'two'"):
        known.variations_for("clFlush/success")


def test_second_variation_function_for_a_condition_kind_is_rejected() -> None:
    one, other = VariationRegistry(), VariationRegistry()
    for each in (one, other):
        each.declare_kind("wait-list")(lambda _clause, _tables: iter(()))
    with pytest.raises(ValueError, match="wait-list has two functions"):
        one.merge(other)
