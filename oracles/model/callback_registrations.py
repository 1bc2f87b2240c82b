"""Callbacks that the application has registered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clconform.oracles.model.cl_object import ClObject


@dataclass(eq=False)
class CallbackRegistration:
    """One registration of a callback.

    ``requirement``: the requirement that the callback is called. ``user_data``: the value that the callback must
    receive. ``subject``: the object for which the callback was registered. ``call_count``: the number of invocations so
    far.
    """

    name: str
    requirement: str
    user_data: int | None
    subject: ClObject
    call_count: int = 0
