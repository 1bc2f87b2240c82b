"""The context that the parts of a run share: the options, the plan, and why no further items are started."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from clconform.harness import HarnessError
from clconform.harness.host_shortages import find_shortage
from clconform.runner.gate.known_entries import read_known_option
from clconform.runner.pytest_plugin import tiers
from clconform.runner.session.errors import DeviceLostError

if TYPE_CHECKING:
    from clconform.runner.gate.known_entries import KnownDeviations
    from clconform.runner.pytest_plugin.run_plan import RunPlan
    from clconform.runner.session.session import Session


class RunContext:
    """The context of a run in one process.

    ``is_worker``: this process is a worker of pytest-xdist. ``known``: the known deviations. ``started_at``: the start
    on the monotonic clock. ``stop_reason``: why items are no longer started, as one line, or empty.
    ``is_resource_shortage``: ``stop_reason`` is a lack of resources on this machine. ``device_lost``: why the driver no
    longer works although it worked at the start, or empty.
    """

    def __init__(self, config: pytest.Config, plan: RunPlan) -> None:
        """Create the context; pytest ends with a message if the file of known deviations is invalid."""
        self.config, self.plan = config, plan
        self.options: Any = config.option
        self.is_worker = hasattr(config, "workerinput")
        self.known: KnownDeviations = read_known_option(self.options)
        self.started_at = time.monotonic()
        self.stop_reason = ""
        self.is_resource_shortage = False
        self.device_lost = ""

    @property
    def is_smoke_test(self) -> bool:
        """Whether the run is a smoke test."""
        return bool(self.options.cl_tier == tiers.SMOKE)

    @property
    def processes(self) -> int:
        """The number of processes of the run."""
        return getattr(self.options, "numprocesses", None) or 1

    @property
    def is_controller(self) -> bool:
        """Whether worker processes of pytest-xdist run the items of this process."""
        return not self.is_worker and self.config.getoption("dist", "no") != "no"

    @property
    def process_name(self) -> str:
        """The name of this worker process of pytest-xdist; empty in another process."""
        return str(getattr(self.config, "workerinput", {}).get("workerid", ""))

    def seconds(self) -> float:
        """Return the seconds since the start of the run."""
        return time.monotonic() - self.started_at

    def stop_after_loss(self, reason: str) -> None:
        """Start no further items, because the device was lost for this reason."""
        self.device_lost = self.device_lost or reason
        self.stop_reason = self.stop_reason or f"the device was lost, so the run has ended: {reason}"

    def check_device(self, session: Session) -> None:
        """Check whether the driver still works, and stop the run if it does not."""
        if session.health is None:
            return
        try:
            session.health.check()
        except DeviceLostError as error:
            self.stop_after_loss(str(error))
        except HarnessError as error:  # this machine lacks resources, which confirmations report
            self.stop_reason = self.stop_reason or str(error)
            self.is_resource_shortage = self.is_resource_shortage or bool(find_shortage(error))

    def end_before_items(self, message: str, code: int) -> None:
        """End the run before its first item.

        A worker of pytest-xdist ends alone, because others may still run.
        """
        self.stop_reason = message
        if not self.is_worker:
            pytest.exit(f"clconform: {message}", returncode=code)
