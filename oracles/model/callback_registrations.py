"""Registered callbacks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clconform.oracles.model.cl_object import ClObject


@dataclass(eq=False)
class CallbackRegistration:
    """One registration of a callback.

    ``requirement``: the requirement behind it. ``user_data``: the value that it must receive. ``subject``: the object
    of the registration. ``call_count``: the number of calls so far.
    """

    name: str
    requirement: str
    user_data: int | None
    subject: ClObject
    call_count: int = 0
