"""Repeats a sequence of calls with the driver's process under gdb, for the backtrace of a crash."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from clconform.calls.call import Hung
from clconform.harness.backtrace import MAX_OUTPUT_CHARACTERS, debugger_command
from clconform.harness.driver_start import start_driver
from clconform.harness.errors import BadCall, HarnessError, fold_line
from clconform.harness.worker_process import ProcessEndedError, WorkerProcess

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.calls.call import Call
    from clconform.harness.targets import Target

REPLAYED = "clconform: the sequence ran to its end"
"""The line after the last call, which shows that the process survived all calls."""
_EXIT_SECONDS = 30.0
_TOO_LATE = "the calls did not return in time; the sequence may hang"
_INDENTATION = "  "


class _DebuggedProcess(WorkerProcess):
    """A driver's process under gdb, without a supervisor: gdb itself ends with the process."""

    def write_line(self, text: str, indentation: str = "") -> None:
        """Add a line to the output of the process."""
        os.write(self._log.fileno(), f"{indentation}{fold_line(text)}\n".encode("utf-8", "backslashreplace"))

    def read_output(self) -> str:
        """Return the output of gdb and of the process."""
        size = os.fstat(self._log.fileno()).st_size
        tail = os.pread(self._log.fileno(), MAX_OUTPUT_CHARACTERS, max(0, size - MAX_OUTPUT_CHARACTERS))
        return tail.decode("utf-8", "backslashreplace")


def replay_backtrace(target: Target, calls: Sequence[Call], *, seconds: float = 120.0) -> str:
    """Make the calls in a new process under gdb; return its transcript with the backtraces.

    The transcript contains ``REPLAYED`` if the process survived all calls. HarnessError if gdb is missing, if the calls
    take longer than ``seconds``, or for a simulated platform, because it has no driver to debug.
    """
    if target.kind == "simulated":
        raise HarnessError("a simulated platform has no driver to debug with gdb; replay it without --gdb")
    process = _DebuggedProcess(target, prefix=debugger_command(), options=["--unsupervised"])
    try:
        _make_calls(process, target, calls, time.monotonic() + seconds)
        process.end(_EXIT_SECONDS)  # gdb prints the backtraces before it ends
        return process.read_output()
    finally:
        process.close()


def _make_calls(process: _DebuggedProcess, target: Target, calls: Sequence[Call], until: float) -> None:
    """Make the calls, and write each with its outcome into the transcript; stop if the process ends."""
    try:
        driver, _ = start_driver(process, target, until - time.monotonic())
        for call in calls:
            process.write_line(f"{call.function} ...")
            left = until - time.monotonic()
            if left <= 0:
                raise HarnessError(_TOO_LATE)
            try:
                process.write_line(repr(driver.make_call(call, left)), _INDENTATION)
            except BadCall as error:
                process.write_line(str(error), _INDENTATION)
        process.write_line(REPLAYED)
    except ProcessEndedError as ended:
        if isinstance(ended.outcome, Hung):
            raise HarnessError(_TOO_LATE) from None
