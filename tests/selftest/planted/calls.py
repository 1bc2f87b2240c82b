"""The items of valid and of invalid calls, created once for all modules."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.spec_tables import load
from clconform.suites.errors.provoking import right_calls, wrong_calls

if TYPE_CHECKING:
    from clconform.runner.pytest_plugin.aims import Case


@functools.cache
def right() -> tuple[Case, ...]:
    """Return the items of valid calls."""
    return tuple(right_calls(load()))


@functools.cache
def wrong() -> tuple[Case, ...]:
    """Return the items of calls that violate one error condition."""
    return tuple(wrong_calls(load()))
