"""The items of valid calls and of invalid calls, created once for all test modules."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.spec_tables import load
from clconform.suites.errors.negative_tests import single_violation_cases, valid_call_cases

if TYPE_CHECKING:
    from clconform.runner.pytest_plugin.covers import TableCase


@functools.cache
def get_valid_cases() -> tuple[TableCase, ...]:
    """Return the items of valid calls."""
    return tuple(valid_call_cases(load()))


@functools.cache
def get_invalid_cases() -> tuple[TableCase, ...]:
    """Return the items of calls that violate one error condition."""
    return tuple(single_violation_cases(load()))
