"""Detects that a device was lost: the driver no longer works, although it worked at the start of the run.

The server of a driver may end, or a device may not respond after a fault. Then every call fails, whichever requirement
it covers, so a failure is not evidence. A sign of a loss is an unexpected failure of a call that must
succeed, a lack of resources, or the end of the driver's process. Before the next example, the platform, the
availability of the device, and some valid calls are then checked in the process. If one of them fails that succeeded
at the start of the run, the check is repeated in new processes. A driver that never supported one of these calls is not
lost: the failures are its deviations.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from clconform.calls.call import Absent, Died, Hung, Returned
from clconform.calls.harness_actions import build_call
from clconform.calls.values import Data, ElementList, Handle, OutputBuffer
from clconform.harness import BadCall, HarnessError
from clconform.harness.errors import ConnectionLostError
from clconform.harness.host_shortages import find_shortage
from clconform.runner.session.errors import DeviceLostError
from clconform.runner.session.outcome_values import error_code
from clconform.spec_tables.conditions import NO_DEVICE_CODES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Outcome
    from clconform.calls.values import Value
    from clconform.harness import Worker
    from clconform.oracles.engine.judgements import Expectation, Judgement
    from clconform.runner.session.session_process import SessionProcess
    from clconform.spec_tables import Tables

CONTENT = bytes(range(64))
"""The bytes that are written to a buffer and read again."""
RETRY_PAUSES = (0.0, 2.0)
"""Seconds before each further check in a new process."""
RELEASES = {"clReleaseMemObject": "memobj", "clReleaseCommandQueue": "command_queue", "clReleaseContext": "context"}


class DeviceHealth:
    """The checks of one session.

    ``is_suspicious``: a call since the last check shows a sign of a loss. ``lost``: why the driver no longer works, or
    empty.
    """

    def __init__(self, process: SessionProcess, tables: Tables, platform: Handle, device: Handle) -> None:
        """Make the calls once, to learn which of them succeed; no example may be running."""
        self._process, self._tables = process, tables
        self._platform, self._device = platform, device
        self.is_suspicious, self.lost = False, ""
        self._working = frozenset(name for name, failure in self._failures(process.worker) if not failure)

    def note_call(self, expectation: Expectation, outcome: Outcome, judgement: Judgement) -> None:
        """Note whether a judged call shows a sign of a loss."""
        if isinstance(outcome, (Died, Hung)):
            self.is_suspicious = True
        elif isinstance(outcome, Returned):
            code = judgement.observed
            unexpected = bool(judgement.deviations) and not expectation.required_errors and code.startswith("CL_")
            self.is_suspicious |= code in NO_DEVICE_CODES or (unexpected and code != "CL_SUCCESS")

    def check_if_suspicious(self) -> None:
        """Check the driver after a sign of a loss, between two examples; DeviceLostError if it no longer works.

        ShortageError if the machine lacks something that a driver needs.
        """
        if self.lost:
            raise DeviceLostError(self.lost)
        if self.is_suspicious:
            if self._process.is_running:
                self._process.worker.check_machine()
            self.check()

    def check(self) -> None:
        """Check the driver, between two examples; DeviceLostError if it no longer works.

        After a failure the driver's process is replaced by a new one.
        """
        failure = self._find_failure()
        for pause in RETRY_PAUSES:
            if failure:
                self._process.end()
                time.sleep(pause)
                failure = self._find_failure()
        self.is_suspicious, self.lost = False, failure
        if failure:
            raise DeviceLostError(failure)

    def _find_failure(self) -> str:
        """Return why the driver does not work; empty if it works. HarnessError if this machine lacks resources."""
        try:
            worker = self._process.worker
        except HarnessError as error:
            if find_shortage(error) or isinstance(error, ConnectionLostError):
                raise
            return f"the driver does not start any more: {error}"
        failures = ((name, failure) for name, failure in self._failures(worker) if name in self._working and failure)
        name, failure = next(failures, ("", ""))
        return f"{name} {failure}, although it worked at the start" if failure else ""

    def _failures(self, worker: Worker) -> Iterator[tuple[str, str]]:
        """Make the calls, and yield each function or query with its failure as text, empty if the call succeeded.

        Later calls are not made if they need an object that could not be created.
        """
        device, one = self._device, OutputBuffer(1)
        number = {name: known.value for name, known in self._tables.enumerants.items()}
        name = (self._platform, number["CL_PLATFORM_NAME"], 0, None, one)
        yield "clGetPlatformInfo", self._failure(worker, "clGetPlatformInfo", *name)
        listing = (self._platform, number["CL_DEVICE_TYPE_ALL"], 0, None, one)
        yield "clGetDeviceIDs", self._failure(worker, "clGetDeviceIDs", *listing)
        query = (device, number["CL_DEVICE_AVAILABLE"], 4, OutputBuffer(4), None)
        available = self._make(worker, "clGetDeviceInfo", *query)
        unavailable = _describe_value(available, (1).to_bytes(4, "little")) and "is not CL_TRUE"
        yield "CL_DEVICE_AVAILABLE", _describe(available) or unavailable
        made: dict[str, Value] = {}
        creations: tuple[tuple[str, str, tuple[Value, ...]], ...] = (
            ("context", "clCreateContext", (None, 1, ElementList((device,)), None, None, one)),
            ("command_queue", "clCreateCommandQueue", (device, 0, one)),
            ("memobj", "clCreateBuffer", (number["CL_MEM_READ_WRITE"], len(CONTENT), None, one)),
        )
        for parameter, function, values in creations:
            owner = () if parameter == "context" else (made["context"],)
            outcome = self._make(worker, function, *owner, *values)
            failure = _describe(outcome)
            yield function, failure
            if failure or not isinstance(outcome, Returned) or not isinstance(outcome.value, str):
                break
            made[parameter] = Handle(outcome.value)
        if "memobj" in made:
            yield from self._transfer_failures(worker, made["command_queue"], made["memobj"])
        for function, parameter in RELEASES.items():
            if parameter in made:
                yield function, self._failure(worker, function, made[parameter])

    def _transfer_failures(self, worker: Worker, queue: Value, buffer: Value) -> Iterator[tuple[str, str]]:
        """Write a buffer and read it again; yield the failures as ``_failures`` does."""
        place, waits = (queue, buffer, 1, 0, len(CONTENT)), (0, None, None)
        yield "clEnqueueWriteBuffer", self._failure(worker, "clEnqueueWriteBuffer", *place, Data(CONTENT), *waits)
        read = self._make(worker, "clEnqueueReadBuffer", *place, OutputBuffer(len(CONTENT)), *waits)
        yield "clEnqueueReadBuffer", _describe(read) or _describe_value(read, CONTENT)
        yield "clFinish", self._failure(worker, "clFinish", queue)

    def _failure(self, worker: Worker, function: str, *values: Value) -> str:
        return _describe(self._make(worker, function, *values))

    def _make(self, worker: Worker, function: str, *values: Value) -> Outcome:
        """Make one call, which is not judged. A call that cannot be made counts as missing."""
        if not worker.is_alive:
            return Died("", "")
        try:
            return worker.call(build_call(function, self._tables.functions, *values))
        except BadCall as error:
            return Absent("no-entry", str(error))


def _describe(outcome: Outcome) -> str:
    """Return how a call failed, as text; empty if it succeeded."""
    match outcome:
        case Died():
            return "ends the process"
        case Hung():
            return "does not return"
        case Absent():
            return "is missing"
    code = error_code(outcome)
    return f"returns {code}" if code else ""


def _describe_value(outcome: Outcome, expected: bytes) -> str:
    """Return that a call has not written the expected bytes to its output buffer, as text; empty if it has."""
    written = next(iter(outcome.outputs.values())).raw if isinstance(outcome, Returned) and outcome.outputs else b""
    return "" if written == expected else "returns another value"
