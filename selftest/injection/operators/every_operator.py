"""All operators of the modules in this package."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.selftest.injection.operators.operator_registry import Operators
from clconform.selftest.registry_merging import merge_registries

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.selftest.injection.operators.operator_registry import FaultOperator


@functools.cache
def get_every_operator() -> Mapping[str, FaultOperator]:
    """Map names to the operators; ValueError if two have the same name."""
    return merge_registries("clconform.selftest.injection.operators", "operators", Operators).entries
