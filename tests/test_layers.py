"""Import relations between packages, read from the source: dependencies of the design have one direction."""

from __future__ import annotations

import ast
import sys
from typing import TYPE_CHECKING

import pytest

from clconform.oracles.engine.rulebook import find_rule_modules

from .imports import OURS, ROOT, circles, declares, imported_first, imports, module_name, nodes, sources

if TYPE_CHECKING:
    from pathlib import Path

BELOW = {"spec_tables", "calls", "oracles", "harness", "runner"}
ALLOWED = {
    "spec_tables": set(),
    "calls": {"spec_tables"},
    "oracles": {"spec_tables", "calls"},
    "harness": {"spec_tables", "calls"},
    "reports": {"spec_tables", "calls"},
    "recording": {"spec_tables", "calls", "harness"},
    "validation": {"spec_tables", "calls", "oracles", "recording", "reports"},
    "simulator": {"spec_tables", "calls", "oracles", "harness"},
    "runner": {"spec_tables", "calls", "oracles", "harness", "reports"},
    "suites": {"runner", "calls", "oracles", "spec_tables"},
    "selftest": BELOW,
    "selftest.mutation": {*BELOW, "selftest"},
    "selftest.injection": {*BELOW, "reports", "selftest"},
    "selftest.fuzzing": {"calls", "harness", "recording", "reports", "runner", "spec_tables", "tools"},
    "selftest.attribution": {"calls", "harness", "oracles", "runner", "selftest", "simulator", "spec_tables", "tools"},
    "selftest.false_alarms": {"calls", "harness", "oracles", "runner", "selftest", "simulator", "spec_tables", "tools"},
    "selftest.metamorphic": {*BELOW, "selftest"},
    "selftest.outcome_mutation": {*BELOW, "selftest", "simulator"},
    "selftest.faults": {"spec_tables", "calls", "oracles", "simulator", "selftest"},
    "selftest.benchmarks": {"spec_tables", "harness", "runner", "oracles", "recording", "reports", "validation"},
    "tools": {
        "spec_tables",
        "calls",
        "oracles",
        "harness",
        "recording",
        "reports",
        "simulator",
        "runner",
        "selftest.benchmarks",
        "selftest.injection",
        "selftest.faults",
        "selftest.metamorphic",
        "selftest.mutation",
        "selftest.outcome_mutation",
        "suites",
        "validation",
    },
}
"""Package to the other packages that it may import.

``selftest`` stands for its direct modules: the packages below it are separate, and share nothing else.
"""
SPLIT = "selftest"
"""The package whose inner packages are checked separately."""
CIRCLES: dict[str, int] = {}
"""Package to the allowed number of cycles through its type-checking imports; other packages must have none."""
EXPLAINS = {("tools/explain/tests.py", f"{OURS}.suites.errors")}
"""The module that may import from the suites, and the imported package."""
FROM_THE_ENGINE = {"Dialect", "Registry", "find_declarations"}
"""Names that a suite may import from the oracle in addition to constants and the model's object kinds."""
PARTS_OF_THE_ORACLE = {"engine", "model", "contents", "common", "queries", "chapters"}
MODULES_OF_A_CHAPTER = {"error_conditions", "postconditions", "effects", "query_results", "coverage_points"}
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


def packages_imported(path: Path) -> set[str]:
    return {package_of(module) for module in imports(path) if module.startswith(f"{OURS}.")}


def package_of(module: str) -> str:
    """Return the package of the table that contains a module."""
    _, package, *below = module.split(".")
    inner = f"{package}.{below[0]}" if below else ""
    return inner if inner in ALLOWED else package


def own_sources(package: str) -> list[Path]:
    """Return the modules that a row of the table covers."""
    return [path for path in sources(package) if package_of(module_name(path)) == package]


def test_every_package_is_in_the_table() -> None:
    found = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests"}
    inner = {f"{SPLIT}.{path.parent.name}" for path in ROOT.glob(f"{SPLIT}/*/__init__.py")}
    assert found | inner == set(ALLOWED)


@pytest.mark.parametrize("package", ALLOWED)
def test_a_package_imports_only_what_lies_below_it(package: str) -> None:
    allowed = ALLOWED[package] | {package}
    wrong = {
        str(path.relative_to(ROOT)): sorted(packages_imported(path) - allowed)
        for path in own_sources(package)
        if packages_imported(path) - allowed
    }
    assert not wrong


def test_nothing_is_imported_by_a_bare_or_an_outside_name() -> None:
    """A module imported without the distribution's name would be loaded twice."""
    inner = {package for package in ALLOWED if "." not in package} | {"tests", "conftest"}
    wrong = {
        f"{path.relative_to(ROOT)}: {module}"
        for package in ALLOWED
        for path in own_sources(package)
        for module in imports(path)
        if module.split(".")[0] in inner or module == OURS
    }
    assert not wrong


def test_the_table_of_the_architecture_is_this_one() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rows = [line.strip("|").split(" | ") for line in text.splitlines() if line.startswith("| `")]
    told = {row[0].strip(" `"): row[2].strip() for row in rows if len(row) == 3}
    assert told == {name: ", ".join(sorted(allowed)) or "nothing" for name, allowed in ALLOWED.items()}


def test_nothing_imports_suites_or_tests_but_what_explains_them() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {module}"
        for package in ALLOWED
        if package != "suites"
        for path in sources(package)
        for module in imports(path)
        if module.startswith((f"{OURS}.suites", f"{OURS}.tests")) or module.rpartition(".")[2].startswith("test_")
        if (str(path.relative_to(ROOT)), module.rpartition(".")[0]) not in EXPLAINS
    ]
    assert not wrong


def test_the_oracle_has_no_chapter_beside_its_engine() -> None:
    assert {path.name for path in (ROOT / "oracles").iterdir() if path.name[0] not in "_."} == PARTS_OF_THE_ORACLE


def test_rules_of_a_chapter_stand_in_modules_of_few_names() -> None:
    """Such a module has the name of its declarations, or is in a folder with that name."""
    chapters = ROOT / "oracles" / "chapters"
    wrong = [
        str(path.relative_to(ROOT))
        for path in sorted(chapters.rglob("*.py"))
        if declares(path, "rules") and {path.stem, path.parent.name}.isdisjoint(MODULES_OF_A_CHAPTER)
    ]
    assert not wrong
    register = [path for path in sorted(chapters.rglob("*.py")) if declares(path, "ENTRIES")]
    assert {path.name for path in register} == {"interpretations.py"}


def test_a_chapter_of_the_suites_is_one_of_the_oracles() -> None:
    folders = [
        {path.name for path in (ROOT / package / "chapters").iterdir() if path.is_dir() and path.name[0] != "_"}
        for package in ("suites", "oracles")
    ]
    assert folders[0] <= folders[1]


def test_each_chapter_is_found_by_the_package() -> None:
    """A new folder or module adds its rules to the rulebook without registration."""
    declaring = [path for path in sources("oracles") if declares(path, "rules")]
    assert set(find_rule_modules()) >= {module_name(path) for path in declaring}
    named = [
        f"{path.relative_to(ROOT)}: {module}"
        for path in sources("oracles")
        if "chapters" not in path.parts
        for module in imports(path)
        if module.startswith(f"{OURS}.oracles.chapters")
    ]
    assert not named


def test_kinds_of_objects_are_told_apart_by_their_classes() -> None:
    """Class names must not be compared, and fields of objects must not encode the purpose of a model class."""
    names = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sources("oracles")
        for node in nodes(path)
        if isinstance(node, ast.Compare)
        if any(isinstance(each, ast.Attribute) and each.attr == "__name__" for each in (node.left, *node.comparators))
    ]
    fields = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sources("oracles.model")
        for kind in nodes(path)
        if isinstance(kind, ast.ClassDef)
        for node in kind.body
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "str"
        if ast.unparse(node.target) in ("kind", "sort", "type", "title")
    ]
    assert not names + fields


def test_no_test_imports_tests_by_the_packages_name() -> None:
    """A clone may have another name, and the installed package contains no tests."""
    wrong = [
        str(path.relative_to(ROOT))
        for path in sorted((ROOT / "tests").rglob("*.py"))
        for node in nodes(path)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{OURS}.tests")
    ]
    assert not wrong


def test_no_suite_imports_another_suites_tests() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {module}"
        for path in sources("suites")
        for module in imports(path)
        if any(part.startswith("test_") for part in module.split("."))
    ]
    assert not wrong


def test_suites_take_names_from_the_oracle_and_nothing_that_judges() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {alias.name}"
        for path in sources("suites")
        for node in nodes(path)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{OURS}.oracles")
        for alias in node.names
        if not (alias.name.isupper() or alias.name in FROM_THE_ENGINE)
        and not (node.module or "").startswith(f"{OURS}.oracles.model.")
    ]
    assert not wrong


def test_packages_import_each_other_in_no_circle() -> None:
    edges = {
        package: set().union(*(packages_imported(path) for path in own_sources(package))) - {package}
        for package in ALLOWED
    }
    assert circles(edges) == []


def edges_of_modules(*, type_checking: bool) -> dict[str, set[str]]:
    """Return each module with the modules that it imports when it is loaded."""
    modules = {module_name(path): path for package in ALLOWED for path in own_sources(package)}
    return {name: imported_first(path, modules, type_checking=type_checking) for name, path in modules.items()}


def test_modules_import_each_other_in_no_circle() -> None:
    """Imports under TYPE_CHECKING and inside functions do not count, because they do not run at load time."""
    assert circles(edges_of_modules(type_checking=False)) == []


def test_modules_refer_to_each_other_in_no_circle_for_type_checking() -> None:
    found = circles(edges_of_modules(type_checking=True))
    counted = {package: sum(package_of(circle[0]) == package for circle in found) for package in ALLOWED}
    assert [package for package, number in counted.items() if number > CIRCLES.get(package, 0)] == [], found


def test_a_circle_is_found_by_whoever_is_in_it() -> None:
    """Test the check itself: cycles of three and of one member, and a node that only leads to them."""
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}, "e": {"e"}, "f": set()}) == [["a", "b", "c"], ["e"]]


def test_the_oracle_does_no_input_and_no_output() -> None:
    wrong = []
    for path in sources("oracles"):
        wrong += [
            f"{path.name} imports {module}" for module in imports(path) if module.split(".")[0] in INPUT_AND_OUTPUT
        ]
        for node in nodes(path):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in ("open", "print", "input", "exec")
            ):
                wrong.append(f"{path.name} calls {node.func.id}")
    assert not wrong


def test_the_oracle_and_the_calls_need_little_besides_the_standard_library() -> None:
    foreign = {
        f"{path.relative_to(ROOT)}: {module}"
        for package in ("spec_tables", "calls", "oracles")
        for path in sources(package)
        for module in imports(path)
        if module.split(".")[0] not in {*sys.stdlib_module_names, OURS, "msgspec"}
    }
    assert not foreign


def test_only_the_harness_and_the_reports_program_speak_to_a_driver() -> None:
    wrong = [
        str(path.relative_to(ROOT))
        for package in ALLOWED
        if package not in ("harness", "spec_tables")
        for path in sources(package)
        if {"ctypes", "pyopencl"} & {module.split(".")[0] for module in imports(path)}
    ]
    assert not wrong


def test_no_test_or_suite_names_an_expected_code() -> None:
    """Suites make calls and the oracle evaluates them: an error code in a suite must be part of a requirement's id."""
    wrong = [
        f"{path.name}:{node.lineno}"
        for path in sources("suites")
        for node in nodes(path)
        if isinstance(node, ast.Compare) and any(is_error_code(each) for each in ast.walk(node))
    ]
    assert not wrong


def is_error_code(node: ast.AST) -> bool:
    codes = ("CL_INVALID", "CL_OUT_OF", "CL_DEVICE_PARTITION_FAILED")
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith(codes)
