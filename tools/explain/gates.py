"""Describes the platforms to which a requirement applies."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from clconform.spec_tables.records import Gate

WHOSE = {"platform-version": "the platform", "device-version": "the device", "language-version": "the language"}


def all_in_words(gates: Collection[Gate]) -> str:
    """Return applicability conditions in words, each once; a condition that another one implies is omitted."""
    kept = [gate for gate in gates if not any(_implies(other, gate) for other in gates if other != gate)]
    return "; ".join(dict.fromkeys(in_words(gate) for gate in kept))


def _implies(narrow: Gate, wide: Gate) -> bool:
    """Return whether two conditions have the same subject and start, and only ``narrow`` has an end."""
    alike = (narrow.subject, narrow.name, narrow.instead, narrow.since) == (
        wide.subject,
        wide.name,
        wide.instead,
        wide.since,
    )
    return alike and bool(narrow.before) and not wide.before


def in_words(gate: Gate) -> str:
    """Return an applicability condition in words, such as ``the platform version is 1.2 or later``."""
    if gate.subject == "extension":
        words = f"{gate.name} is supported"
    elif gate.subject == "profile":
        words = f"the profile is {gate.name}"
    else:
        words = f"{WHOSE.get(gate.subject, gate.subject)} version is {_versions(gate)}"
    return f"{words}, or {gate.instead} is supported" if gate.instead else words


def _versions(gate: Gate) -> str:
    if gate.since and gate.before:
        return f"{gate.since} or later, and before {gate.before}"
    return f"{gate.since} or later" if gate.since else f"before {gate.before}"
