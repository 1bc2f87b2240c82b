"""The list of all faults, generated from the tables and committed, so that tests use a fixed list."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from clconform.selftest.injection.faults import Fault
from clconform.selftest.injection.operators.every_operator import every_operator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.spec_tables import Tables

LIST = Path(__file__).parent / "faults.json"
FORMAT = "clconform-faults-1"
Grouped: TypeAlias = dict[str, dict[str, dict[str, list[str]]]]


class Listed(msgspec.Struct, frozen=True):
    """The file: subjects by operator, function and place, and the turns at which each operator is tried."""

    format: str
    turns: dict[str, list[int]]
    faults: Grouped


def generate(tables: Tables) -> Listed:
    """Return the list generated from the tables and the operators.

    Operators keep the order of the committed list, and new ones follow, because samples depend on that order.
    """
    operators = every_operator()
    before = committed().turns
    faults: Grouped = {name: {} for name in [*before, *operators] if name in operators}
    for name, functions in faults.items():
        for function in tables.functions.values():
            for place, subject in operators[name].places(function, tables):
                functions.setdefault(function.name, {}).setdefault(place, []).append(subject)
    return Listed(FORMAT, {name: list(operators[name].turns) for name in faults}, faults)


def committed() -> Listed:
    """Return the committed list."""
    return msgspec.json.decode(LIST.read_bytes(), type=Listed)


def faults_of(listed: Listed) -> Iterator[Fault]:
    """Yield every fault of a list."""
    for operator, functions in listed.faults.items():
        for function, places in functions.items():
            for place, subjects in places.items():
                for subject in subjects:
                    for turn in listed.turns[operator]:
                        yield Fault(operator, function, place, subject, turn)


def encoded(listed: Listed) -> bytes:
    """Return a list in the form of the file: one line per operator and function."""
    lines = []
    for operator, functions in listed.faults.items():
        rows = ",\n".join(f"   {_text(function)}: {_text(places)}" for function, places in functions.items())
        lines.append(f"  {_text(operator)}: {{\n{rows}\n  }}")
    head = f'{{\n "format": {_text(listed.format)},\n "turns": {_text(listed.turns)},\n "faults": {{\n'
    return (head + ",\n".join(lines) + "\n }\n}\n").encode()


def _text(value: object) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=-1).decode().replace(",", ", ").replace(":", ": ")
