"""Import relations between packages, read from the source: dependencies of the design have one direction."""

from __future__ import annotations

import ast
import sys
from typing import TYPE_CHECKING

import pytest

from clconform.oracles.engine.rulebook import find_rule_modules

from .imports import (
    OURS,
    ROOT,
    assigns_name,
    find_cycles,
    imported_modules,
    imports_from,
    module_name,
    module_paths,
    modules_imported_at_load,
    parse_file,
    syntax_nodes,
)

if TYPE_CHECKING:
    from pathlib import Path

LOWER_PACKAGES = {"spec_tables", "calls", "oracles", "harness", "runner"}
ALLOWED_IMPORTS = {
    "spec_tables": set(),
    "calls": {"spec_tables"},
    "findings": {"spec_tables", "calls"},
    "findings.review": {"calls", "findings", "oracles", "reports", "spec_tables"},
    "oracles": {"spec_tables", "calls"},
    "harness": {"spec_tables", "calls"},
    "reports": {"spec_tables", "calls"},
    "recording": {"spec_tables", "calls", "harness"},
    "validation": {"spec_tables", "calls", "oracles", "recording", "reports"},
    "simulator": {"spec_tables", "calls", "oracles", "harness"},
    "runner": {"spec_tables", "calls", "oracles", "harness", "reports"},
    "suites": {"runner", "calls", "oracles", "spec_tables"},
    "selftest": LOWER_PACKAGES,
    "selftest.mutation": {*LOWER_PACKAGES, "reports", "selftest"},
    "selftest.injection": {*LOWER_PACKAGES, "reports", "selftest"},
    "selftest.fuzzing": {"calls", "harness", "recording", "runner", "spec_tables"},
    "selftest.attribution": {*LOWER_PACKAGES, "selftest", "simulator"},
    "selftest.false_alarms": {*LOWER_PACKAGES, "selftest"},
    "selftest.metamorphic": {*LOWER_PACKAGES, "selftest"},
    "selftest.outcome_mutation": {*LOWER_PACKAGES, "reports", "selftest", "simulator"},
    "selftest.condition_cells": {*LOWER_PACKAGES, "reports", "selftest", "selftest.attribution", "simulator", "suites"},
    "selftest.wrong_answers": {*LOWER_PACKAGES, "reports", "selftest", "selftest.faults", "simulator"},
    "selftest.faults": {"spec_tables", "calls", "oracles", "simulator", "selftest"},
    "selftest.benchmarks": {
        "spec_tables",
        "calls",
        "harness",
        "runner",
        "oracles",
        "recording",
        "reports",
        "validation",
    },
    "tools.extract": {"reports", "spec_tables"},
    "tools": {
        "spec_tables",
        "calls",
        "oracles",
        "harness",
        "recording",
        "reports",
        "simulator",
        "runner",
        "selftest.attribution",
        "selftest.benchmarks",
        "selftest.false_alarms",
        "selftest.faults",
        "selftest.fuzzing",
        "selftest.injection",
        "selftest.metamorphic",
        "selftest.mutation",
        "selftest.outcome_mutation",
        "selftest.condition_cells",
        "selftest.wrong_answers",
        "suites",
        "tools.extract",
        "validation",
    },
}
"""Maps packages to the other packages that they may import.

``findings`` and ``selftest`` stand for their direct modules: the packages below them are separate. ``tools`` stands for
all of its modules except the extractor.
"""
SPLIT_PACKAGES = ("findings", "selftest")
"""The packages whose inner packages are checked separately."""
EXTRACTOR = "tools.extract"
EXTRACTOR_IMPORTERS = [f"tools/dev/{name}.py" for name in ("classification_page", "extract_command", "revision_page")]
"""The extract command, and the pages that are written from data of the extractor."""
DEVELOPER_COMMANDS = "tools.dev"
ALLOWED_CYCLES: dict[str, int] = {}
"""Maps packages to the allowed number of cycles through their type-checking imports; other packages must have none."""
SUITE_IMPORTS = {
    (path, f"{OURS}.suites.errors")
    for path in (
        "tools/explain/tests.py",
        "selftest/condition_cells/call_features.py",
        "selftest/condition_cells/measuring.py",
        "selftest/condition_cells/reasons.py",
    )
} | {("tools/programs.py", f"{OURS}.suites")}
"""The modules that may import from the suites, each with the imported package."""
SUBJECT = "linked_allocations"
"""A subject with a module or a package of this name in several packages."""
SUBJECT_USERS = {
    "calls/line_kinds.py",
    "runner/journal/contributors.py",
    "reports/report_sections.py",
    "reports/run_result.py",
    "reports/format_upgrade.py",
    "selftest/outcome_mutation/results.py",
    "tools/dev/linked.py",
}
"""The modules of other names that may import modules of the subject: registries, formats, its command, and a self-test
of its requirements."""
MIN_DESCRIPTION_WORDS = 5
"""Minimum number of words in the description of a package."""
ENGINE_NAMES = {"Dialect", "Registry", "find_declarations"}
"""Names that a suite may import from the oracle in addition to constants and the model's object kinds."""
ORACLE_PACKAGES = {"engine", "model", "contents", "common", "queries", "chapters"}
SPLITS = "split_conditions"
"""The module with a chapter's error conditions that a later revision split off from older ones."""
CHAPTER_MODULES = {"error_conditions", "postconditions", "effects", "query_results", "coverage_points", SPLITS}
INPUT_AND_OUTPUT = {
    "asyncio",
    "ctypes",
    "fcntl",
    "http",
    "io",
    "mmap",
    "multiprocessing",
    "os",
    "pathlib",
    "pickle",
    "pyopencl",
    "random",
    "select",
    "shutil",
    "signal",
    "socket",
    "sqlite3",
    "subprocess",
    "tempfile",
    "threading",
    "time",
    "urllib",
}


def imported_packages(path: Path) -> set[str]:
    return {package_of(module) for module in imported_modules(path) if module.startswith(f"{OURS}.")}


def package_of(module: str) -> str:
    """Return the package of the table that contains a module."""
    _, package, *below = module.split(".")
    inner = f"{package}.{below[0]}" if below else ""
    return inner if inner in ALLOWED_IMPORTS else package


def modules_of_row(package: str) -> list[Path]:
    """Return the modules that a row of the table covers."""
    return [path for path in module_paths(package) if package_of(module_name(path)) == package]


def test_every_package_is_in_the_table() -> None:
    found = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests"}
    inner = {f"{each}.{path.parent.name}" for each in SPLIT_PACKAGES for path in ROOT.glob(f"{each}/*/__init__.py")}
    assert found | inner | {EXTRACTOR} == set(ALLOWED_IMPORTS)


@pytest.mark.parametrize("package", ALLOWED_IMPORTS)
def test_package_imports_only_packages_below_it(package: str) -> None:
    allowed = ALLOWED_IMPORTS[package] | {package}
    wrong = {
        str(path.relative_to(ROOT)): sorted(imported_packages(path) - allowed)
        for path in modules_of_row(package)
        if imported_packages(path) - allowed
    }
    assert not wrong


def test_imports_use_the_distribution_name() -> None:
    """A module imported without the distribution's name would be loaded twice."""
    inner = {package for package in ALLOWED_IMPORTS if "." not in package} | {"tests", "conftest"}
    wrong = {
        f"{path.relative_to(ROOT)}: {module}"
        for package in ALLOWED_IMPORTS
        for path in modules_of_row(package)
        for module in imported_modules(path)
        if module.split(".")[0] in inner or module == OURS
    }
    assert not wrong


def test_table_in_architecture_document_matches_this_module() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rows = [line.strip("|").split(" | ") for line in text.splitlines() if line.startswith("| `")]
    told = {row[0].strip(" `"): row[2].strip() for row in rows if len(row) == 3}
    assert told == {name: ", ".join(sorted(allowed)) or "nothing" for name, allowed in ALLOWED_IMPORTS.items()}


def test_only_listed_modules_import_suites_or_tests() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {module}"
        for package in ALLOWED_IMPORTS
        if package != "suites"
        for path in module_paths(package)
        for module in imported_modules(path)
        if module.startswith((f"{OURS}.suites", f"{OURS}.tests")) or module.rpartition(".")[2].startswith("test_")
        if (str(path.relative_to(ROOT)), module.rpartition(".")[0]) not in SUITE_IMPORTS
    ]
    assert not wrong


def test_packages_describe_their_content() -> None:
    """The first paragraph of the docstring of ``__init__`` is the description; no two packages share one."""
    modules = [path for package in ALLOWED_IMPORTS for path in modules_of_row(package) if path.name == "__init__.py"]
    described = {
        str(path.relative_to(ROOT)): (ast.get_docstring(parse_file(path)) or "").partition("\n\n")[0]
        for path in modules
    }
    assert [
        name for name, text in described.items() if not text.endswith(".") or len(text.split()) < MIN_DESCRIPTION_WORDS
    ] == []
    assert len(set(described.values())) == len(described)


def test_only_registries_import_modules_of_a_single_subject() -> None:
    users = {
        str(path.relative_to(ROOT))
        for package in ALLOWED_IMPORTS
        for path in modules_of_row(package)
        if SUBJECT not in module_name(path).split(".")
        for module in imported_modules(path)
        if SUBJECT in module.split(".")
    }
    assert users == SUBJECT_USERS


def test_oracle_chapters_are_in_their_package() -> None:
    assert {path.name for path in (ROOT / "oracles").iterdir() if path.name[0] not in "_."} == ORACLE_PACKAGES


def test_chapter_rules_are_in_modules_with_fixed_names() -> None:
    """A module with rules has the name of their kind, or is in a folder with this name."""
    chapters = ROOT / "oracles" / "chapters"
    wrong = [
        str(path.relative_to(ROOT))
        for path in sorted(chapters.rglob("*.py"))
        if assigns_name(path, "rules") and {path.stem, path.parent.name}.isdisjoint(CHAPTER_MODULES)
    ]
    assert not wrong
    register = [path for path in sorted(chapters.rglob("*.py")) if assigns_name(path, "ENTRIES")]
    assert {path.name for path in register} == {"interpretations.py"}


def test_split_conditions_are_in_one_module_per_chapter() -> None:
    declaring = {
        path
        for path in module_paths("oracles")
        for node in syntax_nodes(path)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "clause_part"
    }
    chapters = ROOT / "oracles" / "chapters"
    homes = {path.parent for path in declaring}
    assert {path.stem for path in declaring} == {SPLITS}
    assert [str(home) for home in homes if home.parent != chapters and home.name != "queries"] == []


def test_suite_chapters_are_oracle_chapters() -> None:
    folders = [
        {path.name for path in (ROOT / package / "chapters").iterdir() if path.is_dir() and path.name[0] != "_"}
        for package in ("suites", "oracles")
    ]
    assert folders[0] <= folders[1]


def test_rule_modules_of_each_chapter_are_found_without_imports() -> None:
    """A new folder or module adds its rules to the rulebook without registration."""
    declaring = [path for path in module_paths("oracles") if assigns_name(path, "rules")]
    assert set(find_rule_modules()) >= {module_name(path) for path in declaring}
    named = [
        f"{path.relative_to(ROOT)}: {module}"
        for path in module_paths("oracles")
        if "chapters" not in path.parts
        for module in imported_modules(path)
        if module.startswith(f"{OURS}.oracles.chapters")
    ]
    assert not named


def test_oracle_distinguishes_object_kinds_by_class_only() -> None:
    """The oracle must not compare class names, and model classes must not store their kind in a field."""
    names = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in module_paths("oracles")
        for node in syntax_nodes(path)
        if isinstance(node, ast.Compare)
        if any(isinstance(each, ast.Attribute) and each.attr == "__name__" for each in (node.left, *node.comparators))
    ]
    fields = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in module_paths("oracles.model")
        for kind in syntax_nodes(path)
        if isinstance(kind, ast.ClassDef)
        for node in kind.body
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "str"
        if ast.unparse(node.target) in ("kind", "sort", "type", "title")
    ]
    assert not names + fields


def test_tests_are_not_imported_by_package_name() -> None:
    """A clone may have another name, and the installed package contains no tests."""
    wrong = [
        str(path.relative_to(ROOT))
        for path in sorted((ROOT / "tests").rglob("*.py"))
        for node in syntax_nodes(path)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{OURS}.tests")
    ]
    assert not wrong


def test_suites_do_not_import_tests_of_other_suites() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {module}"
        for path in module_paths("suites")
        for module in imported_modules(path)
        if any(part.startswith("test_") for part in module.split("."))
    ]
    assert not wrong


def test_suites_import_names_but_no_rules_from_the_oracle() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {alias.name}"
        for path in module_paths("suites")
        for node in syntax_nodes(path)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{OURS}.oracles")
        for alias in node.names
        if not (alias.name.isupper() or alias.name in ENGINE_NAMES)
        and not (node.module or "").startswith(f"{OURS}.oracles.model.")
    ]
    assert not wrong


def test_package_imports_have_no_cycles() -> None:
    edges = {
        package: set().union(*(imported_packages(path) for path in modules_of_row(package))) - {package}
        for package in ALLOWED_IMPORTS
    }
    assert find_cycles(edges) == []


def test_imports_of_whole_packages_have_no_cycles() -> None:
    """A top-level package counts as one, with all packages in it; so no package imports the command line."""
    edges = {
        package: {
            module.split(".")[1]
            for path in module_paths(package)
            for module in imported_modules(path)
            if module.startswith(f"{OURS}.")
        }
        - {package}
        for package in {name.partition(".")[0] for name in ALLOWED_IMPORTS}
    }
    assert find_cycles(edges) == []
    assert [package for package in sorted(edges) if "tools" in edges[package]] == []


def importers_of(package: str) -> list[str]:
    """Return the modules outside a package that import from it, also inside functions."""
    paths = {path for row in ALLOWED_IMPORTS for path in modules_of_row(row)} - set(module_paths(package))
    return [str(path.relative_to(ROOT)) for path in sorted(paths) if imports_from(path, f"{OURS}.{package}")]


def test_only_the_extract_command_and_pages_import_the_extractor() -> None:
    assert importers_of(EXTRACTOR) == EXTRACTOR_IMPORTERS


def test_only_the_command_line_imports_commands_for_developers() -> None:
    assert importers_of(DEVELOPER_COMMANDS) == ["tools/cli.py"]


def module_edges(*, type_checking: bool) -> dict[str, set[str]]:
    """Return each module with the modules that it imports when it is loaded."""
    modules = {module_name(path): path for package in ALLOWED_IMPORTS for path in modules_of_row(package)}
    return {
        name: modules_imported_at_load(path, modules, type_checking=type_checking) for name, path in modules.items()
    }


def test_command_line_is_loaded_without_commands_for_developers() -> None:
    loaded = module_edges(type_checking=False)[f"{OURS}.tools.cli"]
    assert [module for module in sorted(loaded) if module.startswith(f"{OURS}.{DEVELOPER_COMMANDS}")] == []


def test_module_imports_have_no_cycles() -> None:
    """Imports under TYPE_CHECKING and inside functions do not count, because they do not run at load time."""
    assert find_cycles(module_edges(type_checking=False)) == []


def test_type_checking_imports_have_no_cycles() -> None:
    found = find_cycles(module_edges(type_checking=True))
    counted = {package: sum(package_of(circle[0]) == package for circle in found) for package in ALLOWED_IMPORTS}
    assert [package for package, number in counted.items() if number > ALLOWED_CYCLES.get(package, 0)] == [], found


def test_cycle_search_lists_the_members_of_each_cycle() -> None:
    """Test the check itself: cycles of three and of one member, and a node outside the cycles that imports a member."""
    assert find_cycles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}, "e": {"e"}, "f": set()}) == [
        ["a", "b", "c"],
        ["e"],
    ]


def test_oracle_does_no_input_or_output() -> None:
    wrong = []
    for path in module_paths("oracles"):
        wrong += [
            f"{path.name} imports {module}"
            for module in imported_modules(path)
            if module.split(".")[0] in INPUT_AND_OUTPUT
        ]
        for node in syntax_nodes(path):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in ("open", "print", "input", "exec")
            ):
                wrong.append(f"{path.name} calls {node.func.id}")
    assert not wrong


def test_tables_calls_and_oracle_depend_only_on_msgspec() -> None:
    foreign = {
        f"{path.relative_to(ROOT)}: {module}"
        for package in ("spec_tables", "calls", "oracles")
        for path in module_paths(package)
        for module in imported_modules(path)
        if module.split(".")[0] not in {*sys.stdlib_module_names, OURS, "msgspec"}
    }
    assert not foreign


def test_only_harness_and_reports_call_drivers() -> None:
    wrong = [
        str(path.relative_to(ROOT))
        for package in ALLOWED_IMPORTS
        if package not in ("harness", "spec_tables")
        for path in module_paths(package)
        if {"ctypes", "pyopencl"} & {module.split(".")[0] for module in imported_modules(path)}
    ]
    assert not wrong


def test_tests_and_suites_name_no_expected_code() -> None:
    """Suites make calls and the oracle evaluates them: an error code in a suite must be part of a requirement's id."""
    wrong = [
        f"{path.name}:{node.lineno}"
        for path in module_paths("suites")
        for node in syntax_nodes(path)
        if isinstance(node, ast.Compare) and any(is_error_code(each) for each in ast.walk(node))
    ]
    assert not wrong


def is_error_code(node: ast.AST) -> bool:
    codes = ("CL_INVALID", "CL_OUT_OF", "CL_DEVICE_PARTITION_FAILED")
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith(codes)
