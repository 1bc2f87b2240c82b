"""The closed list of reasons why no call covers some requirements: ``reasons.toml`` next to this module."""

from __future__ import annotations

import functools
from importlib import resources
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class ReasonCategory(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A category of reasons: a short name, a description, and the reasons as the rules state them."""

    name: str
    description: str
    reasons: tuple[str, ...]


class ReasonList(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The contents of ``reasons.toml``."""

    sort: tuple[ReasonCategory, ...]


@functools.cache
def load_reason_categories() -> Sequence[ReasonCategory]:
    """Return all categories of reasons."""
    content = resources.files("clconform.oracles.engine").joinpath("reasons.toml").read_text(encoding="utf-8")
    return msgspec.toml.decode(content, type=ReasonList).sort


@functools.cache
def categories_by_reason() -> Mapping[str, str]:
    """Return reason to the name of its category."""
    return {reason: sort.name for sort in load_reason_categories() for reason in sort.reasons}
