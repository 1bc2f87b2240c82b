"""Reads from OpenCL C which arguments each work-item of a kernel certainly writes to."""

from __future__ import annotations

import itertools
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from clconform.oracles.model.kernel_signatures import MARK, clean_source, read_signatures

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MAX_BODY = 1 << 14
"""The maximum number of characters of a kernel's body that are read."""
_TOKEN = re.compile(r"[A-Za-z_]\w*|[0-9.][\w.]*|\S")
_CONTROL = {"if", "for", "while", "do", "switch", "return", "goto", "case", "default", "asm", "?", "{", "}", MARK}
"""Tokens after which a statement need not be executed by each work-item."""
_OPERATORS = set("+-*/%&|^")


@lru_cache(maxsize=64)
def read_written_arguments(source: str, options: str) -> dict[str, frozenset[int]]:
    """Return the indices of the arguments to which every work-item of a kernel writes, for each kernel.

    Only assignments to an element of the argument are read, before the first statement that may skip others.
    """
    found: dict[str, frozenset[int]] = {}
    cleaned = clean_source(source, options)
    if cleaned is None:
        return found
    text, macros = cleaned.text, frozenset(cleaned.macros)
    for kernel, parameters in read_signatures(source, options).items():
        definitions = list(re.finditer(rf"\bvoid\s+{re.escape(kernel)}\s*\([^(){{}};]*\)\s*\{{", text))
        if len(definitions) == 1:
            start = definitions[0].end()
            names = {each.name: index for index, each in enumerate(parameters) if each is not None}
            found[kernel] = frozenset(_written(text[start : start + MAX_BODY], names, macros))
    return found


def _written(body: str, names: Mapping[str, int], macros: frozenset[str]) -> Iterator[int]:
    """Yield the indices of the arguments that the first statements of a body write to."""
    for statement in _statements(body):
        if not macros.isdisjoint(statement) or not _CONTROL.isdisjoint(statement):
            return
        if any(name in names and after in ("=", "+", "-") for name, after in itertools.pairwise(statement)):
            return  # an argument may be changed, and then points to other memory
        target = _assigned_element(statement)
        if target in names:
            yield names[target]


def _statements(body: str) -> Iterator[list[str]]:
    """Yield the tokens of each statement."""
    tokens: list[str] = []
    for each in _TOKEN.finditer(body):
        if each[0] == ";":
            yield tokens
            tokens = []
        else:
            tokens.append(each[0])


def _assigned_element(statement: list[str]) -> str:
    """Return the name of the array to whose element a statement assigns a value; empty for other statements."""
    if statement[1:2] != ["["]:
        return ""
    depth = 0
    for position in range(1, len(statement)):
        depth += {"[": 1, "]": -1}.get(statement[position], 0)
        if not depth:
            rest = statement[position + 1 : position + 3]
            is_assigned = rest[:1] == ["="] and rest[1:] != ["="]
            is_changed = len(rest) > 1 and rest[0] in _OPERATORS and rest[1] == "="
            return statement[0] if is_assigned or is_changed else ""
    return ""
