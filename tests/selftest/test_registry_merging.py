"""The declarations of all modules of a package are merged in order, and duplicates are rejected."""

from __future__ import annotations

import itertools
import sys
from typing import TYPE_CHECKING

import pytest

from clconform.selftest.faults.registry import Faults
from clconform.selftest.injection.operators.every_operator import get_every_operator
from clconform.selftest.registry_merging import merge_registries

if TYPE_CHECKING:
    from pathlib import Path

MODULE = """
from clconform.selftest.faults.registry import Faults
faults = Faults()
@faults.plant("clFinish")
def {name}(step):
    return step.accept()
"""
PACKAGE_NUMBERS = itertools.count()


def write_package(folder: Path, monkeypatch: pytest.MonkeyPatch, modules: dict[str, str]) -> str:
    """Write a package with these modules, each with one fault or none; return its name."""
    name = f"made_up_{next(PACKAGE_NUMBERS)}"
    (folder / name).mkdir()
    for module, fault in {"__init__": "", **modules}.items():
        (folder / name / f"{module}.py").write_text(MODULE.format(name=fault) if fault else "")
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    return name


def test_declarations_of_all_modules_of_a_package_are_merged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = write_package(tmp_path, monkeypatch, {"b": "second_fault", "a": "first_fault", "c": ""})
    assert list(merge_registries(there, "faults", Faults).entries) == ["first-fault", "second-fault"]
    assert not merge_registries(there, "operators", Faults).entries


def test_duplicate_declaration_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = write_package(tmp_path, monkeypatch, {"a": "same", "b": "same"})
    with pytest.raises(ValueError, match="same has two faults"):
        merge_registries(there, "faults", Faults)


def test_every_injection_operator_has_a_description() -> None:
    operators = get_every_operator()
    assert operators
    assert all(name == each.name and each.description.endswith(".") for name, each in operators.items())
