"""Reads import relations from the source, without importing modules."""

from __future__ import annotations

import ast
import functools
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

ROOT = Path(__file__).resolve().parents[1]
OURS = "clconform"


def module_paths(package: str) -> list[Path]:
    """Return the paths of the modules in and below a package, such as ``selftest.mutation``."""
    return sorted((ROOT / package.replace(".", "/")).rglob("*.py"))


@functools.cache
def parse_file(path: Path) -> ast.Module:
    """Return the syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def syntax_nodes(path: Path) -> tuple[ast.AST, ...]:
    """Return every node of the syntax tree of a file."""
    return tuple(ast.walk(parse_file(path)))


def module_name(path: Path) -> str:
    """Return the full name under which a file is imported."""
    parts = (OURS, *path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def assigns_name(path: Path, name: str) -> bool:
    """Return whether a module assigns a name at its top level."""
    assigned = [node for node in parse_file(path).body if isinstance(node, (ast.Assign, ast.AnnAssign))]
    return any(
        isinstance(target, ast.Name) and target.id == name
        for node in assigned
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    )


@functools.cache
def imported_modules(path: Path) -> frozenset[str]:
    """Return the full names of the modules that a file imports, also inside functions and under TYPE_CHECKING."""
    found: set[str] = set()
    for node in syntax_nodes(path):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = absolute_name(node, path)
            found |= {f"{module}.{alias.name}" for alias in node.names} if module == OURS else {module}
    return frozenset(found | named_modules(path))


def imports_from(path: Path, package: str) -> bool:
    """Return whether a file imports a package, or a module or name in it, also inside functions."""
    names = set(imported_modules(path))
    for node in syntax_nodes(path):
        if isinstance(node, ast.ImportFrom):
            names |= {f"{absolute_name(node, path)}.{alias.name}" for alias in node.names}
    return any(f"{name}.".startswith(f"{package}.") for name in names)


def absolute_name(node: ast.ImportFrom, path: Path) -> str:
    """Return the full name of the module of a ``from`` import, also of a relative one."""
    module = node.module or ""
    if node.level:
        parts = (OURS, *path.relative_to(ROOT).parts[: -node.level])
        module = ".".join((*parts, module)).rstrip(".")
    return module


def named_modules(path: Path) -> set[str]:
    """Return the names of our modules in strings of a file, which it imports or starts later."""
    found = set()
    for node in syntax_nodes(path):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in (
            "import_module",
            "__import__",
        ):
            found |= {
                each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and isinstance(each.value, str)
            }
    return {name for name in found if name.startswith(f"{OURS}.")}


def modules_imported_at_load(path: Path, known: Collection[str], *, type_checking: bool) -> set[str]:
    """Return the modules among ``known`` that a file imports before its functions can be called.

    Their packages count as well, except the packages of the file itself. ``type_checking``: whether imports under
    TYPE_CHECKING count.
    """
    own = module_name(path)
    found = set()
    for node in _top_level_imports(parse_file(path).body, type_checking=type_checking):
        if isinstance(node, ast.Import):
            names = {alias.name for alias in node.names}
        else:
            module = absolute_name(node, path)
            inner = {f"{module}.{alias.name}" for alias in node.names}
            names = (inner & set(known)) | ({module} if inner - set(known) else set())
        for name in names:
            parts = name.split(".")
            found |= {".".join(parts[:end]) for end in range(2, len(parts) + 1)}
    return {name for name in found if name in known and name != own and not own.startswith(f"{name}.")}


def _top_level_imports(body: Iterable[ast.stmt], *, type_checking: bool) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the imports in statements and nested blocks, except those inside functions."""
    for node in body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test) and not type_checking:
            yield from _top_level_imports(node.orelse, type_checking=type_checking)
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            inner = [each for each in ast.iter_child_nodes(node) if isinstance(each, (ast.stmt, ast.ExceptHandler))]
            yield from _top_level_imports(inner, type_checking=type_checking)  # type: ignore[arg-type]


def find_cycles(edges: Mapping[str, Collection[str]]) -> list[list[str]]:
    """Return the groups of names that reach each other over edges, each sorted, or an empty list without cycles."""
    reached = {name: _reachable_names(name, edges) for name in edges}
    groups = {
        tuple(sorted(other for other in reached[name] if name in reached.get(other, ())))
        for name in edges
        if name in reached[name]
    }
    return sorted(map(list, groups))


def _reachable_names(name: str, edges: Mapping[str, Collection[str]]) -> set[str]:
    found: set[str] = set()
    left = list(edges[name])
    while left:
        other = left.pop()
        if other not in found:
            found.add(other)
            left += edges.get(other, ())
    return found
