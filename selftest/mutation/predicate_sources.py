"""The source of a predicate with its helpers and constants, and the predicate with one of these definitions changed."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Definition: TypeAlias = ast.FunctionDef | ast.Assign
FOLLOWED_MODULES = ("clconform.oracles.contents.geometry",)
"""Other modules whose functions count as parts of the predicates that call them.

They contain the rule of Appendix D.
"""


@dataclass(frozen=True)
class SourcePiece:
    """A top-level function of a module, or a top-level constant with numbers."""

    module: str
    name: str
    tree: Definition


def get_pieces(function: Callable[..., object]) -> list[SourcePiece]:
    """Return a top-level function and the definitions that it uses, from its module and ``FOLLOWED_MODULES``."""
    return list(_collect_pieces(function.__module__, function.__name__, set()))


def _collect_pieces(module: str, name: str, seen: set[tuple[str, str]]) -> Iterator[SourcePiece]:
    tree = get_definitions(module).get(name)
    if (module, name) in seen or tree is None:
        return
    seen.add((module, name))
    yield SourcePiece(module, name, tree)
    used = dict.fromkeys(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    for other in used:
        home = getattr(vars(importlib.import_module(module)).get(other), "__module__", module)
        yield from _collect_pieces(home if home in FOLLOWED_MODULES else module, other, seen)


@functools.cache
def get_definitions(module: str) -> dict[str, Definition]:
    """Map names to the top-level functions of a module, and to its constants with numbers.

    Decorators that are calls or attributes are removed, because they would register the function again. Plain
    decorators are kept, because they are part of the function's behaviour.
    """
    found: dict[str, Definition] = {}
    for node in ast.parse(inspect.getsource(importlib.import_module(module))).body:
        if isinstance(node, ast.FunctionDef):
            node.decorator_list = [each for each in node.decorator_list if isinstance(each, ast.Name)]
            found[node.name] = node
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and _contains_number(node.value):
            found[node.targets[0].id] = node
    return found


def _contains_number(value: ast.expr) -> bool:
    return any(isinstance(node, ast.Constant) and type(node.value) is int for node in ast.walk(value))


def rebuild(pieces: list[SourcePiece], changed: SourcePiece) -> Callable[..., Any]:
    """Return the first piece's function, rebuilt with one of the pieces changed.

    The original modules are not modified.
    """
    (start, *_) = pieces
    lent: dict[str, Any] = {}
    followed = [
        module for module in dict.fromkeys(piece.module for piece in reversed(pieces)) if module != start.module
    ]
    for module in (*followed, start.module):
        own = {piece.name: piece.tree for piece in pieces if piece.module == module}
        if changed.module == module:
            own[changed.name] = changed.tree
        namespace = {**vars(importlib.import_module(module)), **lent}
        ordered = sorted(own.values(), key=lambda tree: tree.lineno)
        body = ast.Module([*_get_future_imports(module), *ordered], type_ignores=[])
        exec(compile(body, f"<mutant of {module}>", "exec"), namespace)  # noqa: S102
        lent |= {name: namespace[name] for name in own}
    function: Callable[..., Any] = lent[start.name]
    return function


@functools.cache
def _get_future_imports(module: str) -> list[ast.stmt]:
    """Return the module's ``__future__`` imports.

    They permit annotations with names that are imported only for type checking.
    """
    body = ast.parse(inspect.getsource(importlib.import_module(module))).body
    return [node for node in body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
