"""Which package imports which, read from the source: the arrows of the design point one way."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
OURS = "clconform"
ALLOWED = {
    "spec_tables": set(),
    "calls": {"spec_tables"},
    "oracles": {"spec_tables", "calls"},
    "harness": {"spec_tables", "calls"},
    "reports": {"spec_tables", "calls"},
    "simulator": {"spec_tables", "calls", "oracles", "harness"},
    "judge": {"spec_tables", "calls", "oracles", "harness", "reports"},
    "suites": {"judge", "calls", "oracles", "spec_tables"},
    "mutation": {"spec_tables", "calls", "oracles", "harness", "judge"},
    "injection": {"spec_tables", "calls", "oracles", "harness", "judge", "reports"},
    "benchmarks": {"spec_tables", "harness", "judge", "oracles", "reports"},
    "tools": {
        "benchmarks",
        "spec_tables",
        "calls",
        "oracles",
        "harness",
        "reports",
        "simulator",
        "judge",
        "mutation",
        "injection",
    },
}
"""Package to the packages that it may import besides itself."""
KINDS_OF_THE_ORACLE = {"Child", "Context", "Device", "Dialect", "Platform", "ClObject"}
"""What a suite may take from the oracle besides constants: dialects and kinds of objects, but nothing that judges."""
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


def sources(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def imports(path: Path) -> set[str]:
    """Return the modules that a file imports, those inside functions and under TYPE_CHECKING too, in full."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if node.level:
                parts = (OURS, *path.relative_to(ROOT).parts[: -node.level])
                module = ".".join((*parts, module)).rstrip(".")
            found |= {f"{module}.{alias.name}" for alias in node.names} if module == OURS else {module}
    return found | named_modules(path)


def named_modules(path: Path) -> set[str]:
    """Return the modules of ours that a file names in strings, to import or start them later."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in (
            "import_module",
            "__import__",
        ):
            found |= {
                each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and isinstance(each.value, str)
            }
    return {name for name in found if name.startswith(f"{OURS}.")}


def packages_imported(path: Path) -> set[str]:
    return {module.split(".")[1] for module in imports(path) if module.startswith(f"{OURS}.")}


def test_every_package_is_in_the_table() -> None:
    found = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests"}
    assert found == set(ALLOWED)


@pytest.mark.parametrize("package", ALLOWED)
def test_a_package_imports_only_what_lies_below_it(package: str) -> None:
    allowed = ALLOWED[package] | {package}
    wrong = {
        str(path.relative_to(ROOT)): sorted(packages_imported(path) - allowed)
        for path in sources(package)
        if packages_imported(path) - allowed
    }
    assert not wrong


def test_nothing_is_imported_by_a_bare_or_an_outside_name() -> None:
    """A module that is imported without the distribution's name would be loaded twice."""
    inner = set(ALLOWED) | {"tests", "conftest"}
    wrong = {
        f"{path.relative_to(ROOT)}: {module}"
        for package in ALLOWED
        for path in sources(package)
        for module in imports(path)
        if module.split(".")[0] in inner or module == OURS
    }
    assert not wrong


def test_nothing_imports_suites_or_tests() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {module}"
        for package in ALLOWED
        if package != "suites"
        for path in sources(package)
        for module in imports(path)
        if module.startswith((f"{OURS}.suites", f"{OURS}.tests")) or module.rpartition(".")[2].startswith("test_")
    ]
    assert not wrong


def test_no_test_imports_tests_by_the_packages_name() -> None:
    """A clone may have another name, and what is installed has no tests."""
    wrong = [
        str(path.relative_to(ROOT))
        for path in sorted((ROOT / "tests").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
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
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{OURS}.oracles")
        for alias in node.names
        if not (alias.name.isupper() or alias.name in KINDS_OF_THE_ORACLE)
    ]
    assert not wrong


def test_packages_import_each_other_in_no_circle() -> None:
    edges = {
        package: set().union(*(packages_imported(path) for path in sources(package))) - {package} for package in ALLOWED
    }
    left = dict(edges)
    while left:
        free = [package for package, below in left.items() if not below & set(left)]
        assert free, f"a circle among {sorted(left)}"
        for package in free:
            del left[package]


def test_modules_of_the_oracle_import_each_other_in_no_circle() -> None:
    """Imports for type checking only do not count: they are not made."""
    edges = {module_name(path): runtime_imports(path) for path in sources("oracles")}
    left = {name: below & set(edges) for name, below in edges.items()}
    while left:
        free = [name for name, below in left.items() if not below & set(left) - {name}]
        assert free, f"a circle among {sorted(left)}"
        for name in free:
            del left[name]


def module_name(path: Path) -> str:
    parts = (OURS, *path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def runtime_imports(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = set()
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def test_the_oracle_does_no_input_and_no_output() -> None:
    wrong = []
    for path in sources("oracles"):
        wrong += [
            f"{path.name} imports {module}" for module in imports(path) if module.split(".")[0] in INPUT_AND_OUTPUT
        ]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
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
    """Suites ask; the oracle judges: an error code in a suite is a record's id or nothing."""
    wrong = [
        f"{path.name}:{node.lineno}"
        for path in sources("suites")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Compare) and any(is_error_code(each) for each in ast.walk(node))
    ]
    assert not wrong


def is_error_code(node: ast.AST) -> bool:
    codes = ("CL_INVALID", "CL_OUT_OF", "CL_DEVICE_PARTITION_FAILED")
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith(codes)
