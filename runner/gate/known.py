"""The known deviations of a run: whether an item's deviations are known, and the gate's verdict at the end."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from clconform.reports.grouping import unexplained
from clconform.reports.known_deviations import Entries, KnownDeviation, KnownDeviationsError, read_known_deviations
from clconform.runner.gate import exit_codes
from clconform.runner.gate.policy import answer_to, decide, in_force

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.calls.journal import Deviation
    from clconform.reports.result import Gate, Result
    from clconform.runner.session.session import Session


class Known:
    """The entries of a file; empty if no file was given."""

    def __init__(self, file: str = "", entries: Iterable[KnownDeviation] = ()) -> None:
        self.file, self.entries = file, list(entries)
        self._valid: dict[tuple[dt.date, str], Entries] = {}

    @classmethod
    def read(cls, file: str) -> Known:
        """Return the entries of a file, or none; KnownDeviationsError if it cannot be read."""
        return cls(file, read_known_deviations(Path(file)) if file else ())

    def expect_all(self, deviations: Iterable[Deviation], session: Session) -> bool:
        """Return whether all deviations of an item are known."""
        devices = [device for platform in session.reached.platforms for device in platform.devices]
        version = next(device.driver_version for device in devices if device.handle == session.base.device)
        valid = self._valid_now(version)
        return bool(valid.every) and all(
            answer_to(deviation, valid).kind == "known" for deviation in unexplained(deviations)
        )

    def _valid_now(self, version: str) -> Entries:
        """Return the entries in force today for a driver's version; they are found once, not for each item."""
        key = today(), version
        if key not in self._valid:
            self._valid[key] = Entries(in_force(self.entries, *key))
        return self._valid[key]

    def gate(self, result: Result) -> Gate:
        """Return the gate's verdict on a complete result."""
        return decide(result, self.entries, today(), file=self.file)

    def told_in(self, result: Result) -> Result:
        """Return a result with the gate's verdict, if a file was given."""
        return msgspec.structs.replace(result, gate=self.gate(result)) if self.file else result


def known_of(options: Any) -> Known:
    """Return the known deviations that pytest's options name; ends the run if they cannot be read."""
    file = options.cl_known
    if not file:
        return Known()
    if not options.cl_out:
        message = "clconform: --cl-known needs --cl-out DIR, because the verdict is on the whole run's journal"
        pytest.exit(message, returncode=exit_codes.BAD_USAGE)
    try:
        return Known.read(file)
    except KnownDeviationsError as error:
        pytest.exit(f"clconform: {error}", returncode=exit_codes.BAD_USAGE)


def today() -> dt.date:
    """Return the current day, in UTC, for the expiry of entries."""
    return dt.datetime.now(dt.UTC).date()
