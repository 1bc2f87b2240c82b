"""Losses of the connection to another machine, as a test sees them.

After a loss the outcome of the call in flight is unknown, and so is the state of the driver. A test that holds losses
gets the same error for each further call, until the test is repeated as a whole.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.harness.errors import ConnectionLostError

_held = threading.local()


@contextmanager
def hold_losses() -> Iterator[None]:
    """After a loss in this block, let this thread get the same error for each further call."""
    _held.depth = getattr(_held, "depth", 0) + 1
    try:
        yield
    finally:
        _held.depth -= 1
        _held.error = None


def keep_loss(error: ConnectionLostError) -> None:
    """Note a loss, which is raised again while this thread holds losses."""
    if getattr(_held, "depth", 0):
        _held.error = error


def raise_kept_loss() -> None:
    """Raise the loss that this thread holds, if there is one."""
    error = getattr(_held, "error", None)
    if error is not None:
        raise error
