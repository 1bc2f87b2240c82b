"""Finds the suites, and reads the names that their modules declare.

Item ids begin with these names, so moving a file does not change ids.
"""

from __future__ import annotations

import ast
import contextlib
import re
from pathlib import Path

SUITES = Path(__file__).resolve().parents[2] / "suites"
"""The folder of the suites of this installation."""
NAME_CONSTANT = "NAME"
"""The constant that contains the declared name of a module."""
DECLARATION_PATTERN = re.compile(rf"^{NAME_CONSTANT}\b.*\n", re.MULTILINE)
"""The line that declares the name, in the form of almost all modules."""
NAME_PATTERN = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*")
"""The form of declared names: words separated by dots, as in ``partition.trees``."""


def read_declared_name(path: Path) -> str:
    """Return the name that a module's source declares, without importing the module; empty if it declares none."""
    if path.suffix != ".py" or not path.is_file():
        return ""
    source = path.read_text(encoding="utf-8")
    line = DECLARATION_PATTERN.search(source)
    if line is None:
        return ""
    with contextlib.suppress(SyntaxError):  # the line is inside a longer statement or string
        found = _declared_name(source[: line.end()])
        if found:
            return found
    return _declared_name(source)


def _declared_name(source: str) -> str:
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            targets = [target.id for target in node.targets if isinstance(target, ast.Name)]
            if targets == [NAME_CONSTANT]:
                return node.value.value
    return ""


def top_level_names(path: Path) -> list[str]:
    """Return the functions, classes and variables at the top level of a module, without importing the module."""
    names: dict[str, None] = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names[node.name] = None
        elif isinstance(node, ast.Assign):
            names.update(dict.fromkeys(target.id for target in node.targets if isinstance(target, ast.Name)))
    return list(names)


def files_by_name(folder: Path) -> dict[str, Path]:
    """Map declared names to the paths of the suite modules below a folder."""
    found = {read_declared_name(path): path for path in sorted(folder.rglob("test_*.py"))}
    return {name: path for name, path in found.items() if name}
