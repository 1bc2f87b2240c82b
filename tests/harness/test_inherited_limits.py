"""A limit of the session's own memory does not reach the driver, which would report other properties under it."""

from __future__ import annotations

import resource

from clconform.harness import Target
from clconform.harness.driver_connection import DriverConnection
from clconform.harness.worker_process import WorkerProcess

LIMIT = 1 << 33


def test_process_does_not_inherit_the_memory_limit_of_the_session() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (LIMIT, hard))
    try:
        process = WorkerProcess(Target.null())
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
    try:
        DriverConnection(process, 60.0)
        assert resource.prlimit(process.pid, resource.RLIMIT_DATA) == (hard, hard)
    finally:
        process.close()
