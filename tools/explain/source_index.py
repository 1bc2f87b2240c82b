"""Reads the source of the package: definitions of functions, and occurrences of ids."""

from __future__ import annotations

import ast
import functools
import inspect
import re
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from clconform.tools.explain.explanation import SourceLocation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

ROOT = Path(__file__).resolve().parents[2]
"""The folder of the package; in a checkout, the repository."""
PACKAGE = "clconform"
Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
TopLevel: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Assign | ast.AnnAssign


_ID_START = re.compile(r"[^/:@]+")


@functools.cache
def _read_source(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@functools.cache
def parse_file(path: Path) -> ast.Module:
    """Return the syntax tree of a file."""
    return ast.parse(_read_source(path))


def path_of(module: str) -> Path:
    """Return the file of a module of the package, by its full name."""
    path = ROOT.joinpath(*module.split(".")[1:])
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def location_of(function: Callable[..., object]) -> SourceLocation | None:
    """Return the source location of a function, or None if it is not in this package."""
    unwrapped = inspect.unwrap(function)
    unwrapped = unwrapped.func if isinstance(unwrapped, functools.partial) else unwrapped
    code = getattr(unwrapped, "__code__", None)
    if code is None:
        return None
    return location_at(Path(code.co_filename), code.co_firstlineno, getattr(unwrapped, "__qualname__", ""))


def location_at(path: Path, line: int, name: str = "") -> SourceLocation | None:
    """Return the source location of the function that begins at ``line``; None if the file is not in this package.

    If decorators precede the function, the location is the line of its ``def``. A nested function gets the name of its
    outermost function.
    """
    file = _relative_path(path)
    if file is None:
        return None
    outer = name.partition(".<locals>")[0]
    if line in (functions := _functions_by_line(path)):
        node = functions[line]
        return SourceLocation(file, node.lineno, outer or node.name)
    return SourceLocation(file, line, "" if outer == "<lambda>" else outer)


def location_in(path: Path, name: str) -> SourceLocation:
    """Return the source location of the top-level definition of ``name`` in a file."""
    return SourceLocation(_relative_path(path) or str(path), top_level_definitions(path)[name].lineno, name)


@functools.cache
def _functions_by_line(path: Path) -> dict[int, Function]:
    """Map lines to the outermost functions of a file that begin there.

    A function begins with its first decorator.
    """
    functions: dict[int, Function] = {}
    for node in ast.walk(parse_file(path)):
        if isinstance(node, Function):
            functions.setdefault(min([node.lineno, *(each.lineno for each in node.decorator_list)]), node)
    return functions


@functools.cache
def _relative_path(path: Path) -> str | None:
    """Return the path of a file relative to the folder of the package, or None if it is outside."""
    file = path.resolve()
    return file.relative_to(ROOT).as_posix() if file.is_relative_to(ROOT) else None


@functools.cache
def top_level_definitions(path: Path) -> dict[str, TopLevel]:
    """Map names to the top-level definitions of a file: functions, classes and values."""
    found: dict[str, TopLevel] = {}
    for node in parse_file(path).body:
        if isinstance(node, TopLevel):
            found.update(dict.fromkeys(_defined_names(node), node))
    return found


@functools.cache
def imported_names(module: str) -> dict[str, tuple[str, str]]:
    """Map the names that a module imports from the package to their module and their name in that module."""
    found = {}
    for node in parse_file(path_of(module)).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{PACKAGE}."):
            found.update({each.asname or each.name: (str(node.module), each.name) for each in node.names})
    return found


def _defined_names(node: ast.stmt) -> list[str]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)]


class NameIndex:
    """The places where files name ids.

    A file is parsed only if it contains the beginning of the requested id.
    """

    def __init__(self, files: Iterable[Path]) -> None:
        self._files = sorted(files)
        self._with: dict[str, list[Path]] = {}

    def locations_of(self, wanted: str) -> list[SourceLocation]:
        """Return the places of an id, in the order of the files."""
        start = _ID_START.match(wanted)
        beginning = start[0] if start else wanted
        if beginning not in self._with:
            self._with[beginning] = [path for path in self._files if beginning in _read_source(path)]
        return [place for path in self._with[beginning] for place in literals_in(path).get(wanted, ())]


@functools.cache
def literals_in(path: Path) -> dict[str, list[SourceLocation]]:
    """Map the strings of a file to their places.

    F-strings are included if their values are top-level strings. A place is named after the enclosing top-level
    definition; inside a class, also after the method.
    """
    tree, file = parse_file(path), _relative_path(path) or str(path)
    constants = {name: text for node in tree.body for name, text in _string_constants(node)}
    found: dict[str, list[SourceLocation]] = {}
    for name, part in _named_statements(tree.body):
        for node in _nodes_in_order(part):
            text = _string_value(node, constants)
            if text:
                found.setdefault(text, []).append(SourceLocation(file, getattr(node, "lineno", 0), name))
    return found


def _named_statements(statements: Iterable[ast.stmt]) -> Iterator[tuple[str, ast.AST]]:
    """Yield the top-level statements of a module with their names; for a class, yield its members instead.

    The name of a method contains the names of the class and the method.
    """
    for statement in statements:
        name = next(iter(_defined_names(statement)), "")
        if isinstance(statement, ast.ClassDef):
            for each in ast.iter_child_nodes(statement):
                yield f"{name}.{each.name}" if isinstance(each, Function) else name, each
        else:
            yield name, statement


def _nodes_in_order(part: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a syntax tree in source order; the nodes inside f-strings are left out."""
    left = [part]
    while left:
        node = left.pop()
        yield node
        if not isinstance(node, ast.JoinedStr):
            left += reversed([*ast.iter_child_nodes(node)])


def _string_constants(node: ast.stmt) -> Iterator[tuple[str, str]]:
    if not isinstance(node, ast.Assign):
        return
    for target in node.targets:
        pairs = [(target, node.value)]
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            pairs = list(zip(target.elts, node.value.elts, strict=False))
        for name, value in pairs:
            if isinstance(name, ast.Name) and isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield name.id, value.value


def _string_value(node: ast.AST, constants: dict[str, str]) -> str:
    """Return the value of a node that is a string; empty for other nodes and unknown values."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if not isinstance(node, ast.JoinedStr):
        return ""
    parts = []
    for part in node.values:
        inner = part.value if isinstance(part, ast.FormattedValue) else part
        told = constants.get(inner.id, "") if isinstance(inner, ast.Name) else _string_value(inner, constants)
        if not told:
            return ""
        parts.append(told)
    return "".join(parts)
