"""Finds the ids of requirements in the syntax tree of code: at their predicates, and in their tests."""

from __future__ import annotations

import ast
import functools
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path


class NamingTest(NamedTuple):
    """A test function that names a requirement, and its file."""

    __test__ = False

    file: Path
    function: str


def declared_in(folder: Path, ids: Collection[str]) -> set[str]:
    """Return the ids that are arguments of a call of ``clause``, such as ``@rules.clause("...")``."""
    return {
        each.value
        for file in sorted(folder.rglob("*.py"))
        for node in _nodes_of(file, "clause")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "clause"
        for each in node.args
        if isinstance(each, ast.Constant) and isinstance(each.value, str) and each.value in ids
    }


def _nodes_of(file: Path, word: str) -> Iterator[ast.AST]:
    """Yield the syntax nodes of a file, if its text contains the word."""
    text = file.read_text(encoding="utf-8")
    if word in text:
        yield from ast.walk(ast.parse(text))


def find_naming_tests(folder: Path, ids: Collection[str]) -> dict[str, list[NamingTest]]:
    """Map ids to the test functions in a folder that name them.

    Strings count in the body and decorators of a test, and in the constants and functions of its module that it uses.
    """
    found: dict[str, list[NamingTest]] = {}
    for file in sorted(folder.rglob("test_*.py")):
        for function, names in _names_by_test(ast.parse(file.read_text(encoding="utf-8"))):
            for each in sorted(names.intersection(ids)):
                found.setdefault(each, []).append(NamingTest(file, function))
    return found


def _names_by_test(module: ast.Module) -> Iterator[tuple[str, set[str]]]:
    """Yield each test function of a module with the words in all strings that it uses."""
    defined = dict(_definitions(module))
    said = functools.cache(lambda name: _words_and_names_in(defined[name]))
    for name, node in defined.items():
        if isinstance(node, ast.FunctionDef) and name.startswith("test_"):
            words: set[str] = set()
            reached, waiting = {name}, [name]
            while waiting:
                new_words, names = said(waiting.pop())
                words |= new_words
                new = {each for each in names if each in defined and not each.startswith("test_")} - reached
                reached |= new
                waiting += new
            yield name, words


def _definitions(module: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """Yield the names that a module defines, each with its syntax node."""
    for statement in module.body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            yield statement.name, statement
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value:
            yield statement.target.id, statement.value
        elif isinstance(statement, ast.Assign):
            for target in statement.targets:
                yield from _assignments(target, statement.value)


def _assignments(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.AST]]:
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple):
        whole = not isinstance(value, ast.Tuple) or len(value.elts) != len(target.elts)
        for number, each in enumerate(target.elts):
            yield from _assignments(each, value if whole else value.elts[number])


def words_in(node: ast.AST) -> set[str]:
    """Return the words in all strings of a syntax tree, except in expression statements such as docstrings."""
    return _words_and_names_in(node)[0]


def _words_and_names_in(node: ast.AST) -> tuple[set[str], set[str]]:
    """Return the words in strings of a syntax tree, and the names that it reads.

    Argument names count: they name fixtures.
    """
    idle: set[ast.AST] = set()
    words: set[str] = set()
    names: set[str] = set()
    for each in ast.walk(node):  # a statement comes before its parts
        if isinstance(each, ast.Expr):
            idle.add(each.value)
        elif isinstance(each, ast.Constant):
            if isinstance(each.value, str) and each not in idle:
                words.update(each.value.split())
        elif isinstance(each, ast.Name):
            if isinstance(each.ctx, ast.Load):
                names.add(each.id)
        elif isinstance(each, ast.arg):
            names.add(each.arg)
    return words, names
