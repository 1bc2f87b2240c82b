"""Small changes to Python code: a shifted comparison, a number incremented by one, ``and`` in place of ``or``."""

from __future__ import annotations

import ast
import pickle
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

BOUNDARY, NUMBER, JUNCTION = "boundary", "number", "and/or"
SHIFTED_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
}
SWAPPED_JUNCTIONS: dict[type[ast.boolop], type[ast.boolop]] = {ast.And: ast.Or, ast.Or: ast.And}
SMALL_NODES = (ast.Constant, ast.UnaryOp, ast.Slice, ast.Tuple)
"""Kinds of syntax nodes that are too small to display alone.

A change in such a node is displayed with its parent node.
"""


@dataclass(frozen=True)
class SourceEdit:
    """One change: its kind, its place, and the expression before and after.

    ``number``: the number of the change among those of its kind in the tree, from 1, in the order of the source.
    """

    operator: str
    line: int
    number: int
    before: str
    after: str


def make_edits(tree: ast.AST) -> Iterator[tuple[SourceEdit, ast.AST]]:
    """Yield every change of a tree, with a changed copy of the whole tree."""
    nodes = list(ast.walk(tree))
    numbers = _number_changes(nodes)
    around = {id(child): node for node in nodes for child in ast.iter_child_nodes(node)}
    whole = pickle.dumps(tree)  # unpickling takes a fraction of the time of copy.deepcopy
    for index, node in enumerate(nodes):
        shown = node
        while isinstance(shown, SMALL_NODES) and id(shown) in around:
            shown = around[id(shown)]
        place = nodes.index(shown)
        for operator, part in _find_changes(node):
            changed: ast.AST = pickle.loads(whole)  # noqa: S301 (pickled above)
            copies = list(ast.walk(changed))
            _apply_change(copies[index], part)
            line = getattr(node, "lineno", 0)
            yield (
                SourceEdit(operator, line, numbers[index, part], ast.unparse(shown), ast.unparse(copies[place])),
                changed,
            )


def _number_changes(nodes: list[ast.AST]) -> dict[tuple[int, int], int]:
    """Return the number of each change, by the index of its node and the index of the changed part."""
    places: dict[str, list[tuple[int, int, int, int]]] = {}
    for index, node in enumerate(nodes):
        for operator, part in _find_changes(node):
            line, column = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
            places.setdefault(operator, []).append((line, column, index, part))
    return {
        (index, part): number
        for found in places.values()
        for number, (_, _, index, part) in enumerate(sorted(found), start=1)
    }


def _find_changes(node: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield the kind of each possible change of a node, and the index of the part that it changes."""
    if isinstance(node, ast.Compare):
        for part, operator in enumerate(node.ops):
            if type(operator) in SHIFTED_COMPARISONS:
                yield BOUNDARY, part
    elif isinstance(node, ast.BoolOp):
        yield JUNCTION, 0
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield NUMBER, 0


def _apply_change(node: ast.AST, part: int) -> None:
    """Change a node in place."""
    if isinstance(node, ast.Compare):
        node.ops[part] = SHIFTED_COMPARISONS[type(node.ops[part])]()
    elif isinstance(node, ast.BoolOp):
        node.op = SWAPPED_JUNCTIONS[type(node.op)]()
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        node.value += 1
