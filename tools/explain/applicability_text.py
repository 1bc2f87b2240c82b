"""Describes the platforms and devices to which a requirement applies."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from clconform.spec_tables.requirements import ApplicabilityCondition

SUBJECT_NAMES = {"platform-version": "the platform", "device-version": "the device", "language-version": "the language"}


def conditions_text(gates: Collection[ApplicabilityCondition]) -> str:
    """Return applicability conditions as text, each once.

    A condition that follows from another is omitted.
    """
    kept = [gate for gate in gates if not any(_implies(other, gate) for other in gates if other != gate)]
    return "; ".join(dict.fromkeys(condition_text(gate) for gate in kept))


def _implies(first: ApplicabilityCondition, second: ApplicabilityCondition) -> bool:
    """Return whether ``first`` implies ``second``: they differ only in the end, which only ``first`` has."""
    alike = (first.subject, first.name, first.instead, first.since) == (
        second.subject,
        second.name,
        second.instead,
        second.since,
    )
    return alike and bool(first.before) and not second.before


def condition_text(gate: ApplicabilityCondition) -> str:
    """Return an applicability condition as text, such as ``the platform version is 1.2 or later``."""
    if gate.subject == "extension":
        words = f"{gate.name} is supported"
    elif gate.subject == "profile":
        words = f"the profile is {gate.name}"
    else:
        words = f"{SUBJECT_NAMES.get(gate.subject, gate.subject)} version is {_version_range(gate)}"
    return f"{words}, or {gate.instead} is supported" if gate.instead else words


def _version_range(gate: ApplicabilityCondition) -> str:
    if gate.since and gate.before:
        return f"{gate.since} or later, and before {gate.before}"
    return f"{gate.since} or later" if gate.since else f"before {gate.before}"
