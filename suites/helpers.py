"""Helpers for all suites: they skip unsupported items, look up constants, and return the handles that calls created."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

import pytest

from clconform.calls.call import Returned
from clconform.runner.session.outcome_values import returned_handles

if TYPE_CHECKING:
    from clconform.calls.call import Outcome
    from clconform.calls.values import Handle
    from clconform.runner.session.session import Session


def skip_unless(condition: object, reason: str) -> None:
    """Skip the item, with a reason, unless the condition holds."""
    if not condition:
        pytest.skip(reason)


def is_success(outcome: Outcome | None) -> TypeGuard[Returned]:
    """Return whether a call returned CL_SUCCESS."""
    return isinstance(outcome, Returned) and outcome.value == 0


def is_rejected(outcome: Outcome) -> bool:
    """Return whether a call returned an error, or NULL instead of an object."""
    return isinstance(outcome, Returned) and outcome.value != 0 and not isinstance(outcome.value, str)


def constant_value(cl: Session, name: str) -> int:
    """Return the value of a named constant."""
    return cl.tables.enumerants[name].value


def require_handle(outcome: Outcome, parameter: str = "") -> Handle:
    """Return the only handle in the outcome of a call; skip the item if there is none.

    ``parameter``: the output parameter that contains the handle; empty for the return value.
    """
    handles = returned_handles(outcome, parameter)
    skip_unless(handles, "the driver does not create the object")
    return handles[0]


def has_version(cl: Session, version: tuple[int, int]) -> bool:
    """Return whether the version of the device under test is at least ``version``."""
    return cl.model.device(cl.device).version >= version


def is_available(cl: Session, function: str) -> bool:
    """Return whether a function is available on the platform and device under test."""
    return not cl.find_inapplicability(f"{function}/success")
