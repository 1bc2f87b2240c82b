"""The declarations of all modules of a package are found in order, and duplicates are rejected."""

from __future__ import annotations

import itertools
import sys
from typing import TYPE_CHECKING

import pytest

from clconform.selftest.gathering import gathered
from clconform.selftest.injection.operators.every_operator import every_operator
from clconform.selftest.planted.registry import Faults

if TYPE_CHECKING:
    from pathlib import Path

MODULE = """
from clconform.selftest.planted.registry import Faults
faults = Faults()
@faults.plant
def {name}(simulation, call, outcome):
    return outcome
"""
NUMBERS = itertools.count()


def package(folder: Path, monkeypatch: pytest.MonkeyPatch, modules: dict[str, str]) -> str:
    """Write a package with these modules, each with one fault or none; return its name."""
    name = f"made_up_{next(NUMBERS)}"
    (folder / name).mkdir()
    for module, fault in {"__init__": "", **modules}.items():
        (folder / name / f"{module}.py").write_text(MODULE.format(name=fault) if fault else "")
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    return name


def test_what_the_modules_declare_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = package(tmp_path, monkeypatch, {"b": "second_fault", "a": "first_fault", "c": ""})
    assert list(gathered(there, "faults", Faults).known) == ["first-fault", "second-fault"]
    assert not gathered(there, "operators", Faults).known


def test_nothing_is_declared_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = package(tmp_path, monkeypatch, {"a": "same", "b": "same"})
    with pytest.raises(ValueError, match="same has two faults"):
        gathered(there, "faults", Faults)


def test_every_operator_says_what_it_does() -> None:
    operators = every_operator()
    assert operators
    assert all(name == each.name and each.words.endswith(".") for name, each in operators.items())
