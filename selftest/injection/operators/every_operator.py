"""All operators of the modules in this package."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.selftest.gathering import gathered
from clconform.selftest.injection.operators.registry import Operators

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.selftest.injection.operators.registry import Operator


@functools.cache
def every_operator() -> Mapping[str, Operator]:
    """Return the operators by name; ValueError if two have the same name."""
    return gathered("clconform.selftest.injection.operators", "operators", Operators).known
