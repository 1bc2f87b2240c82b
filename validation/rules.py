"""The rules that findings name: those of ``rules.toml``, and the requirements of the documents."""

from __future__ import annotations

import functools
from importlib import resources

import msgspec

from clconform.spec_tables.requirements import ErrorCondition, Requirement, UsageRule

OTHER = "other"
"""The kind of error conditions that have no recurring form."""


class ValidationRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A rule that is not one requirement of the documents.

    ``title``: what happens, as a phrase. ``party`` and ``kind``: those of its findings. ``meaning``: when a call
    violates it. ``requirement``: the requirement that states it, or empty. ``section``: the section, if no requirement
    has it. ``remedies``: templates of the remedy, the best first.
    """

    id: str
    title: str
    party: str
    kind: str
    meaning: str
    requirement: str = ""
    section: str = ""
    remedies: tuple[str, ...] = ()


class RemedyEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A template of a remedy for requirements: see ``remedies.toml``."""

    text: str
    kind: str = ""
    requirements: tuple[str, ...] = ()
    given: tuple[str, ...] = ()


class _RuleFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    rule: list[ValidationRule]


class _RemedyFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    remedy: list[RemedyEntry]


@functools.cache
def read_rules() -> dict[str, ValidationRule]:
    """Return the rules of ``rules.toml`` by id."""
    return {each.id: each for each in msgspec.toml.decode(_read("rules.toml"), type=_RuleFile).rule}


@functools.cache
def read_remedies() -> tuple[RemedyEntry, ...]:
    """Return the entries of ``remedies.toml`` in their order."""
    return tuple(msgspec.toml.decode(_read("remedies.toml"), type=_RemedyFile).remedy)


def _read(name: str) -> str:
    return resources.files("clconform.validation").joinpath(name).read_text(encoding="utf-8")


def kind_of(requirement: Requirement) -> str:
    """Return the kind of a requirement by which entries of ``remedies.toml`` select it."""
    if isinstance(requirement, ErrorCondition):
        return requirement.condition.kind
    return requirement.topic if isinstance(requirement, UsageRule) else str(requirement.__struct_config__.tag)
