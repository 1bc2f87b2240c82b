"""Runs the command line with a driver that fails to start: ``python -m tests.failing_start HOW FIRST LAST ...``.

HOW is ``crashes``, ``hangs`` or ``killed``. The starts FIRST to LAST, counted from 1 in each process, fail in
clGetPlatformIDs. The remaining arguments are those of ``clconform``.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from clconform.calls.call import Call, Died, Hung
from clconform.calls.values import OutputBuffer
from clconform.harness import StartError, Worker
from clconform.tools.cli import cli

if TYPE_CHECKING:
    from clconform.calls.protocol import TargetReached
    from clconform.harness.platform_client import PlatformClient

CALL = Call("clGetPlatformIDs", {"num_entries": 0, "platforms": None, "num_platforms": OutputBuffer(1)})
OUTCOMES = {
    "crashes": Died("signal", "SIGSEGV"),
    "killed": Died("killed", "SIGKILL"),
    "hangs": Hung(60.0),
}


def main() -> None:
    """Run the remaining arguments as a command of clconform, in which the selected driver starts fail."""
    how, first, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    whole, starts = Worker._open_platform, [0]

    def fail_selected_starts(worker: Worker, seconds: float) -> tuple[PlatformClient, TargetReached]:
        starts[0] += 1
        if first <= starts[0] <= last:
            raise StartError(f"the driver {how} in {CALL.function} while it is started", CALL, OUTCOMES[how])
        return whole(worker, seconds)

    Worker._open_platform = fail_selected_starts  # type: ignore[method-assign]
    cli.main(sys.argv[4:])


if __name__ == "__main__":
    main()
