"""Starts the driver's process of a session on first use, and again after it has ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import GARBAGE, Call, Died, Outcome, Returned
from clconform.harness import HarnessError, Worker

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.harness import Deadlines, Target
    from clconform.oracles.engine.judge import Oracle
    from clconform.runner.session.context_reuse import KeptContexts


def start_worker(target: Target, deadlines: Deadlines | None) -> Worker:
    """Start a worker for a target; HarnessError if the driver does not start."""
    return Worker(target, deadlines=deadlines)


class SessionProcess:
    """The driver's process of a session, of which at most one runs at a time.

    ``start_error``: why the last start failed; None if it succeeded. ``kept_contexts``: the contexts that the process
    keeps for later examples; None if examples do not reuse contexts.
    """

    def __init__(self, start: Callable[[], Worker]) -> None:
        """Start no process yet; ``start`` starts a worker, and raises HarnessError if the driver does not start."""
        self._start = start
        self._worker: Worker | None = None
        self.start_error: HarnessError | None = None
        self.kept_contexts: KeptContexts | None = None

    @property
    def worker(self) -> Worker:
        """Return a running worker; start a new worker if the last one has ended.

        HarnessError, also stored in ``start_error``, if the driver does not start.
        """
        worker = self._worker
        if worker is None or not worker.is_alive:
            self.end()
            try:
                worker = self._worker = self._start()
            except HarnessError as error:
                self.start_error = error
                raise
            self.start_error = None
        return worker

    @property
    def is_running(self) -> bool:
        """Whether a process runs, as far as its last call has shown."""
        return self._worker is not None and self._worker.is_alive

    @property
    def has_died(self) -> bool:
        """Whether the process has ended since the last call.

        The next call then detects the end.
        """
        return self._worker is not None and self._worker.has_died

    def end(self) -> None:
        """End the process, if one runs; the next access to ``worker`` starts a new process."""
        if self._worker is not None:
            self._worker.close()
            self._worker = None
            if self.kept_contexts is not None:
                self.kept_contexts.forget_all()

    def check_outcome(self, oracle: Oracle, call: Call, outcome: Outcome) -> Outcome:
        """Return a well-formed outcome unchanged; for any other outcome, end the process and return ``Died``.

        Only a driver that has overwritten memory of the worker can cause such an outcome.
        """
        reason = oracle.find_outcome_error(call, outcome) if isinstance(outcome, Returned) else ""
        if not reason:
            return outcome
        self.end()
        return Died(GARBAGE, "", reason)
