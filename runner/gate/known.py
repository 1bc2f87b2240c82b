"""The known deviations of a run: decides which deviations are expected, which are not repeated, and the verdict."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from clconform.calls.journal import Confirmation
from clconform.oracles.engine.crashes import only_waits
from clconform.reports.driver_versions import driver_version, version_tested
from clconform.reports.escaping import visible
from clconform.reports.grouping import unexplained
from clconform.reports.id_patterns import Ids, is_pattern
from clconform.reports.known_deviations import (
    VERDICTS,
    Entries,
    KnownDeviation,
    KnownDeviationsError,
    read_known_deviations,
)
from clconform.runner.gate import exit_codes
from clconform.runner.gate.policy import answer_to, decide, in_force

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.calls.journal import Deviation
    from clconform.reports.result import DeviationResult, Gate, Result
    from clconform.runner.session.session import Session


class Known:
    """The known deviations of a file; empty without a file."""

    def __init__(self, file: str = "", entries: Iterable[KnownDeviation] = ()) -> None:
        self.file, self.entries = file, list(entries)
        self._valid: dict[tuple[dt.date, str], Entries] = {}

    @classmethod
    def read(cls, file: str) -> Known:
        """Read the entries of a file; none for an empty name. KnownDeviationsError if the file is invalid."""
        return cls(file, read_known_deviations(Path(file)) if file else ())

    def expect_all(self, deviations: Iterable[Deviation], session: Session) -> bool:
        """Return whether all deviations of an item are known."""
        valid = self._valid_now(driver_version(session.reached.platforms, session.base.device))
        return bool(valid.every) and all(
            answer_to(deviation, valid).kind == "known" for deviation in unexplained(deviations)
        )

    def hanging(self, session: Session) -> frozenset[str]:
        """Return the requirements whose calls hang by a known deviation."""
        valid = self._valid_now(driver_version(session.reached.platforms, session.base.device))
        return hanging_of(valid.every, session.tables.records)

    def named_once(self, session: Session) -> frozenset[str]:
        """Return the requirements with exactly one entry in force; it is enough to see their deviation once."""
        valid = self._valid_now(driver_version(session.reached.platforms, session.base.device))
        return named_once(valid.every, session.tables.records)

    def not_repeated(self, deviation: Deviation, version: str) -> Confirmation | None:
        """Return the confirmation of a deviation that an entry in force accepts, so that it is not repeated.

        None if no entry accepts it. If the cause of a crash is undecided, the process must have ended in a call that
        waits for commands, because any other call may be the cause, and a deviation that no entry accepts. In this
        case the entry must name this deviation, or a requirement with a crash. ``version``: of the driver.
        """
        valid = self._valid_now(version)
        answer = answer_to(deviation, valid) if valid.every else None
        if answer is None or answer.kind != "known":
            return None
        if deviation.undecided and not (
            all(only_waits(step.call) for step in deviation.sequence[-1:])
            and all(entry.deviation or is_of_a_crash(entry) for entry in answer.entries)
        ):
            return None
        entry = answer.entries[0]
        verdict = "flaky" if all(each.flaky for each in answer.entries) else deviation.verdict
        note = f"known ({entry.place} of the known deviations: {visible(entry.reason, limit=200)}), not repeated"
        return Confirmation(deviation.key, verdict, 0, 0, [], note=note, known=True)

    def _valid_now(self, version: str) -> Entries:
        """Return the entries in force today for a driver's version; the result is cached."""
        key = today(), version
        if key not in self._valid:
            self._valid[key] = Entries(in_force(self.entries, *key))
        return self._valid[key]

    def gate(self, result: Result) -> Gate:
        """Return the gate's verdict on a complete result."""
        return decide(result, self.entries, today(), file=self.file)

    def not_accepted(self, result: Result) -> list[DeviationResult]:
        """Return the deviations of a result that entries in force do not accept in all tests and with this severity."""
        valid = self._valid_now(version_tested(result))
        return [each for each in result.deviations if answer_to(each, valid).kind in ("new", "worse", "elsewhere")]

    def told_in(self, result: Result) -> Result:
        """Return a result with the gate's verdict if there is a file of known deviations."""
        return msgspec.structs.replace(result, gate=self.gate(result)) if self.file else result


def known_of(options: Any) -> Known:
    """Read the known deviations that pytest's options name; end the run if that fails."""
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


def is_of_a_crash(entry: KnownDeviation) -> bool:
    """Return whether an entry accepts all crashes for one requirement."""
    return entry.verdict == "crashes" and not is_pattern(entry.record)


def hanging_of(entries: Iterable[KnownDeviation], records: Iterable[str]) -> frozenset[str]:
    """Return the requirements whose calls hang by these entries.

    Entries with an observed text are excluded: the text contains the deadline, which differs for such requirements.
    """
    ids = Ids(records)
    hangs = (entry for entry in entries if entry.verdict == "hangs" and not entry.observed)
    return frozenset(record for entry in hangs for record in ids.matching(entry.record))


def named_once(entries: Iterable[KnownDeviation], records: Iterable[str]) -> frozenset[str]:
    """Return the requirements that exactly one entry matches."""
    ids = Ids(records)
    times = Counter(record for entry in entries for record in ids.matching(entry.record))
    return frozenset(record for record, count in times.items() if count == 1)


def turns_of(entries: Iterable[KnownDeviation], records: Iterable[str]) -> dict[str, int]:
    """Return the requirements that entries match, each with its turn: 1 for ``deviates``, then by severity.

    Items run in the order of their turns, so that known crashes and hangs come last.
    """
    ids = Ids(records)
    found: dict[str, int] = {}
    for entry in entries:
        turn = VERDICTS.index(entry.verdict) + 1
        for record in ids.matching(entry.record):
            found[record] = max(turn, found.get(record, 0))
    return found


def today() -> dt.date:
    """Return the current date in UTC, for the expiry of entries."""
    return dt.datetime.now(dt.UTC).date()
