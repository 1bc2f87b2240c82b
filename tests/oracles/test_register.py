"""The list of interpretations: it contains each interpretation that the rules use, and no other."""

from __future__ import annotations

import ast
from pathlib import Path

from clconform import oracles
from clconform.oracles.engine.interpretation_list import INTERPRETATIONS

FOLDER = Path(next(iter(oracles.__path__)))
APPEALS = ("May", "Must", "UnspecifiedBehaviourError", "UndocumentedVersions")
"""Types that name an interpretation: conditions that may or must hold by it, unspecified behaviour, and sentences that
older documents lack."""
DECLARED = ("uses_interpretation", "relies_on_interpretation")
"""Methods of ``Rules`` whose first argument is an interpretation, for rules other than error conditions."""


def interpretations() -> dict[str, set[str]]:
    """Return each interpretation that the code uses, with the names of the files."""
    found: dict[str, set[str]] = {}
    for path in sorted(FOLDER.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "undocumented_in"
            ):
                found.setdefault(ast.literal_eval(node.args[2]), set()).add(path.name)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in APPEALS:
                named = [
                    each.value
                    for each in ast.walk(node)
                    if isinstance(each, ast.Constant) and isinstance(each.value, str)
                ]
                for interpretation in named:
                    found.setdefault(interpretation, set()).add(path.name)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in DECLARED:
                entry = node.args[0]
                if isinstance(entry, ast.Constant) and isinstance(entry.value, str):
                    found.setdefault(entry.value, set()).add(path.name)
    return found


def test_every_point_that_a_rule_appeals_to_is_in_the_register() -> None:
    missing = {
        interpretation: sorted(files)
        for interpretation, files in interpretations().items()
        if interpretation not in INTERPRETATIONS
    }
    assert not missing


def test_every_entry_of_the_register_is_appealed_to() -> None:
    assert sorted(set(INTERPRETATIONS) - set(interpretations())) == []


def test_no_point_has_two_entries() -> None:
    named = [
        node.args[0].value
        for path in sorted(FOLDER.rglob("interpretation*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Interpretation"
        if isinstance(node.args[0], ast.Constant)
    ]
    assert sorted(named) == sorted(INTERPRETATIONS)


def test_every_entry_says_where_what_and_why() -> None:
    for interpretation, entry in INTERPRETATIONS.items():
        assert entry.id == interpretation
        assert all(text.strip() and text == text.strip() for text in (entry.where, entry.reading, entry.reason))
        assert entry.reason != entry.reading
