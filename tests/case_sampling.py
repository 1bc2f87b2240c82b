"""Selects a part of the cases of long tests by default, and all cases with ``CLCONFORM_TESTS=all``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TypeVar

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable

SampledCase = TypeVar("SampledCase")
ALL = os.environ.get("CLCONFORM_TESTS") == "all"
ONLY_WITH_ALL = pytest.mark.skipif(not ALL, reason="these runs take minutes: set CLCONFORM_TESTS=all")


def one_in(share: int, cases: Iterable[SampledCase]) -> list[SampledCase]:
    """Return the first case and every ``share``-th case after it. The choice is deterministic."""
    return list(cases)[:: 1 if ALL else share]
