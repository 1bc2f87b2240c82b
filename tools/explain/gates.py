"""Describes the conditions on the platform under which a record applies."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clconform.spec_tables.records import Gate

WHOSE = {"platform-version": "the platform", "device-version": "the device", "language-version": "the language"}


def in_words(gate: Gate) -> str:
    """Return a gate in words, as in ``the platform version is 1.2 or later``."""
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
