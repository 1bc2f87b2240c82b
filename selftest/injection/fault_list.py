"""The list of all faults, generated from the tables and committed, so that tests use a fixed list."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from clconform.selftest.committed_files import encode_line
from clconform.selftest.injection.fault import Fault
from clconform.selftest.injection.operators.every_operator import get_every_operator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.spec_tables import Tables

LIST_PATH = Path(__file__).parent / "faults.json"
FORMAT = "clconform-faults-2"
GroupedFaults: TypeAlias = dict[str, dict[str, dict[str, list[str]]]]


class FaultList(msgspec.Struct, frozen=True):
    """The content of the file.

    ``faults``: the subjects by operator, function and place. ``occurrences``: maps operators to the values of
    ``Fault.occurrence`` that are tried.
    """

    format: str
    occurrences: dict[str, list[int]]
    faults: GroupedFaults


def generate_list(tables: Tables) -> FaultList:
    """Return the list generated from the tables and the operators.

    Operators keep the order of the committed list, and new ones follow, because samples depend on that order.
    """
    operators = get_every_operator()
    before = load_committed_list().occurrences
    faults: GroupedFaults = {name: {} for name in [*before, *operators] if name in operators}
    for name, functions in faults.items():
        for function in tables.functions.values():
            for place, subject in operators[name].places(function, tables):
                functions.setdefault(function.name, {}).setdefault(place, []).append(subject)
    return FaultList(FORMAT, {name: list(operators[name].turns) for name in faults}, faults)


def load_committed_list() -> FaultList:
    """Return the committed list."""
    return msgspec.json.decode(LIST_PATH.read_bytes(), type=FaultList)


def iterate_faults(listed: FaultList) -> Iterator[Fault]:
    """Yield every fault of a list."""
    for operator, functions in listed.faults.items():
        for function, places in functions.items():
            for place, subjects in places.items():
                for subject in subjects:
                    for turn in listed.occurrences[operator]:
                        yield Fault(operator, function, place, subject, turn)


def encode_list(listed: FaultList) -> bytes:
    """Return a list in the form of the file: one line per operator and function."""
    lines = []
    for operator, functions in listed.faults.items():
        rows = ",\n".join(
            f"   {_encode_value(function)}: {_encode_value(places)}" for function, places in functions.items()
        )
        lines.append(f"  {_encode_value(operator)}: {{\n{rows}\n  }}")
    occurrences = _encode_value(listed.occurrences)
    head = f'{{\n "format": {_encode_value(listed.format)},\n "occurrences": {occurrences},\n "faults": {{\n'
    return (head + ",\n".join(lines) + "\n }\n}\n").encode()


def _encode_value(value: object) -> str:
    return encode_line(value).replace(",", ", ").replace(":", ": ")
