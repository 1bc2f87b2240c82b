"""The examples of a seed do not depend on imported modules."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

import hypothesis
from hypothesis import strategies as st

from clconform.runner.session.examples import disable_source_constants

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

NUMBERS = [7_000_000_000 + number for number in range(500)]


def draw_numbers() -> list[int]:
    """Return the numbers that Hypothesis draws with a fixed seed."""
    seen: list[int] = []

    @hypothesis.seed(1)
    @hypothesis.settings(max_examples=100, database=None, phases=[hypothesis.Phase.generate])
    @hypothesis.given(number=st.integers(0, 1 << 40))
    def draw(number: int) -> None:
        seen.append(number)

    draw()
    return seen


def test_examples_do_not_contain_constants_of_imported_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disable_source_constants()
    before = draw_numbers()
    (tmp_path / "numbers.py").write_text(f"NUMBERS = {NUMBERS}\n", encoding="utf-8")
    module = ModuleType("numbers_of_a_module")
    module.__file__ = str(tmp_path / "numbers.py")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    assert draw_numbers() == before
    assert not set(before) & set(NUMBERS)
