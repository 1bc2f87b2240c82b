"""The list of interpretations: it contains each interpretation that the rules use, and no other."""

from __future__ import annotations

import ast
from pathlib import Path

from clconform import oracles
from clconform.oracles.engine.interpretation_list import INTERPRETATIONS

ORACLES_FOLDER = Path(next(iter(oracles.__path__)))
INTERPRETATION_TYPES = ("may", "must_by", "InterpretationId", "UnspecifiedBehaviourError", "UndocumentedVersions")
"""Types that name an interpretation: conditions that may or must hold by it, unspecified behaviour, and sentences that
older documents lack."""
DECLARING_METHODS = ("uses_interpretation", "relies_on_interpretation")
"""Methods of ``Rules`` whose first argument is an interpretation, for rules other than error conditions."""


def find_used_interpretations() -> dict[str, set[str]]:
    """Return each interpretation that the code uses, with the names of the files."""
    found: dict[str, set[str]] = {}
    for path in sorted(ORACLES_FOLDER.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "undocumented_in"
            ):
                found.setdefault(ast.literal_eval(node.args[2]), set()).add(path.name)
            elif (
                isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in INTERPRETATION_TYPES
            ):
                named = [
                    each.value
                    for each in ast.walk(node)
                    if isinstance(each, ast.Constant) and isinstance(each.value, str)
                ]
                for interpretation in named:
                    found.setdefault(interpretation, set()).add(path.name)
            elif (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in DECLARING_METHODS
            ):
                entry = node.args[0]
                if isinstance(entry, ast.Constant) and isinstance(entry.value, str):
                    found.setdefault(entry.value, set()).add(path.name)
    return found


def test_interpretations_named_in_code_are_listed() -> None:
    missing = {
        interpretation: sorted(files)
        for interpretation, files in find_used_interpretations().items()
        if interpretation not in INTERPRETATIONS
    }
    assert not missing


def test_listed_interpretations_are_named_in_code() -> None:
    assert sorted(set(INTERPRETATIONS) - set(find_used_interpretations())) == []


def test_interpretation_ids_are_unique() -> None:
    named = [
        node.args[0].value
        for path in sorted(ORACLES_FOLDER.rglob("interpretation*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Interpretation"
        if isinstance(node.args[0], ast.Constant)
    ]
    assert sorted(named) == sorted(INTERPRETATIONS)


def test_interpretations_have_place_reading_and_reason() -> None:
    for interpretation, entry in INTERPRETATIONS.items():
        assert entry.id == interpretation
        assert all(text.strip() and text == text.strip() for text in (entry.where, entry.text, entry.reason))
        assert entry.reason != entry.text
