"""Runs drivers in worker processes; a crash or a hang becomes the outcome of a call.

``Target`` describes the driver under test, ``Worker`` is a running worker process for it, and ``query_platforms``
returns the platforms found.

The names of ``__all__`` are imported when they are first used, because most commands need few of the modules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.spec_tables.lazy_names import import_on_use

if TYPE_CHECKING:
    from clconform.harness.deadlines import Deadlines
    from clconform.harness.errors import BadCall, HarnessError, StartError
    from clconform.harness.targets import Target
    from clconform.harness.worker_client import Worker, query_platforms

__all__ = ["BadCall", "Deadlines", "HarnessError", "StartError", "Target", "Worker", "query_platforms"]

_MODULES = {
    "BadCall": "errors",
    "Deadlines": "deadlines",
    "HarnessError": "errors",
    "StartError": "errors",
    "Target": "targets",
    "Worker": "worker_client",
    "query_platforms": "worker_client",
}
"""The module of each name."""

if not TYPE_CHECKING:  # otherwise every name would have a type
    __getattr__ = import_on_use(__name__, _MODULES)
