"""Runs drivers in worker processes; a crash or a hang becomes the outcome of a call.

``Target`` describes the driver under test, ``Worker`` is a running worker process for it, and ``query_platforms``
returns the platforms found.
"""

from clconform.harness.deadlines import Deadlines
from clconform.harness.errors import BadCall, HarnessError, StartError
from clconform.harness.targets import Target
from clconform.harness.worker_client import Worker, query_platforms

__all__ = ["BadCall", "Deadlines", "HarnessError", "StartError", "Target", "Worker", "query_platforms"]
