"""Applies known deviations to a run: determines the deviations that are not repeated, and the verdict on the run."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from clconform.calls import exit_codes
from clconform.calls.journal import Confirmation
from clconform.oracles.engine.crashes import only_waits
from clconform.reports.deviation_causes import drop_explained
from clconform.reports.driver_versions import driver_version, tested_driver_version
from clconform.reports.escaping import escape_unprintable
from clconform.reports.id_patterns import IdIndex, is_pattern
from clconform.reports.known_deviations import (
    VERDICTS,
    KnownDeviation,
    KnownDeviationIndex,
    KnownDeviationsError,
    read_known_deviations,
)
from clconform.reports.result_verdict import with_headline
from clconform.runner.gate.policy import decide_gate, match_entries, select_in_force

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.calls.journal import Deviation
    from clconform.reports.run_result import DeviationResult, GateResult, RunResult
    from clconform.runner.session.session import Session


class KnownDeviations:
    """The entries of a file of known deviations; no entries without a file."""

    def __init__(self, file: str = "", entries: Iterable[KnownDeviation] = ()) -> None:
        self.file, self.entries = file, list(entries)
        self._in_force_cache: dict[tuple[dt.date, str], KnownDeviationIndex] = {}

    @classmethod
    def read(cls, file: str) -> KnownDeviations:
        """Read the entries of a file; no entries for an empty name. KnownDeviationsError if the file is invalid."""
        return cls(file, read_known_deviations(Path(file)) if file else ())

    def are_all_known(self, deviations: Iterable[Deviation], session: Session) -> bool:
        """Return whether all deviations of an item are known.

        ``deviations``: a line for each test value of each deviation.
        """
        valid = self._entries_in_force(driver_version(session.reached.platforms, session.base.device))
        return bool(valid.every) and all(
            match_entries(deviation, valid).kind == "known" for deviation in drop_explained(deviations)
        )

    def known_hangs(self, session: Session) -> frozenset[str]:
        """Return the requirements whose calls hang according to an entry in force."""
        valid = self._entries_in_force(driver_version(session.reached.platforms, session.base.device))
        return find_hanging(valid.every, session.tables.requirements)

    def single_entry_requirements(self, session: Session) -> frozenset[str]:
        """Return the requirements with exactly one entry in force.

        One observation of their deviation is enough.
        """
        valid = self._entries_in_force(driver_version(session.reached.platforms, session.base.device))
        return find_single_entry_requirements(valid.every, session.tables.requirements)

    def find_known_confirmation(self, deviation: Deviation, version: str) -> Confirmation | None:
        """Return the confirmation, without repetitions, of a deviation that entries in force accept; else None.

        The cause of an undecided deviation may be any running command, or a deviation that no entry accepts. Two more
        conditions must therefore hold: the process ended in a call that only waits for commands, and the entry names
        this deviation or accepts all crashes for a requirement. ``version``: the version of the driver.
        """
        valid = self._entries_in_force(version)
        answer = match_entries(deviation, valid) if valid.every else None
        if answer is None or answer.kind != "known":
            return None
        if deviation.undecided and not (
            all(only_waits(step.call) for step in deviation.sequence[-1:])
            and all(entry.deviation or accepts_all_crashes(entry) for entry in answer.entries)
        ):
            return None
        entry = answer.entries[0]
        verdict = "flaky" if all(each.flaky for each in answer.entries) else deviation.verdict
        reason = escape_unprintable(entry.reason, limit=200)
        note = f"known ({entry.position} of the known deviations: {reason}), not repeated"
        return Confirmation(deviation.key, verdict, 0, 0, [], note=note, known=True)

    def _entries_in_force(self, version: str) -> KnownDeviationIndex:
        """Return the entries in force today for this version of the driver.

        The result is cached.
        """
        key = current_date(), version
        if key not in self._in_force_cache:
            self._in_force_cache[key] = KnownDeviationIndex(select_in_force(self.entries, *key))
        return self._in_force_cache[key]

    def decide_verdict(self, result: RunResult) -> GateResult:
        """Return the verdict of the gate on a complete result."""
        return decide_gate(result, self.entries, current_date(), file=self.file)

    def find_unaccepted(self, result: RunResult) -> list[DeviationResult]:
        """Return the deviations of a result that entries in force do not accept.

        These deviations are new, more severe than their entry, or in a test or at a test value that their entry does
        not name.
        """
        valid = self._entries_in_force(tested_driver_version(result))
        return [each for each in result.deviations if match_entries(each, valid).kind in ("new", "worse", "elsewhere")]

    def add_verdict(self, result: RunResult) -> RunResult:
        """Return the result, with the verdict of the gate if there is a file of known deviations."""
        return with_headline(msgspec.structs.replace(result, gate=self.decide_verdict(result))) if self.file else result


def read_known_option(options: Any) -> KnownDeviations:
    """Read the known deviations from the file that pytest's options name; end the run if that fails."""
    file = options.cl_known
    if not file:
        return KnownDeviations()
    if not options.cl_out:
        message = "clconform: --cl-known needs --cl-out DIR, because the verdict is on the whole run's journal"
        pytest.exit(message, returncode=exit_codes.BAD_USAGE)
    try:
        return KnownDeviations.read(file)
    except KnownDeviationsError as error:
        pytest.exit(f"clconform: {error}", returncode=exit_codes.BAD_USAGE)


def accepts_all_crashes(entry: KnownDeviation) -> bool:
    """Return whether an entry accepts all crashes for one requirement."""
    return entry.verdict == "crashes" and not is_pattern(entry.requirement)


def find_hanging(entries: Iterable[KnownDeviation], requirements: Iterable[str]) -> frozenset[str]:
    """Return the requirements whose calls hang according to these entries.

    Entries with an observed text are excluded: the text contains the deadline, and the deadline of calls with known
    hangs is different.
    """
    ids = IdIndex(requirements)
    hangs = (entry for entry in entries if entry.verdict == "hangs" and not entry.observed)
    return frozenset(requirement for entry in hangs for requirement in ids.find_matching(entry.requirement))


def find_single_entry_requirements(entries: Iterable[KnownDeviation], requirements: Iterable[str]) -> frozenset[str]:
    """Return the requirements that exactly one entry matches."""
    ids = IdIndex(requirements)
    times = Counter(requirement for entry in entries for requirement in ids.find_matching(entry.requirement))
    return frozenset(requirement for requirement, count in times.items() if count == 1)


def turns_of_requirements(entries: Iterable[KnownDeviation], requirements: Iterable[str]) -> dict[str, int]:
    """Map each requirement that an entry matches to its turn: 1 for ``deviates``, higher for crashes and hangs.

    Items run in the order of the turns of their requirements, so that known crashes and hangs come last.
    """
    ids = IdIndex(requirements)
    found: dict[str, int] = {}
    for entry in entries:
        turn = VERDICTS.index(entry.verdict) + 1
        for requirement in ids.find_matching(entry.requirement):
            found[requirement] = max(turn, found.get(requirement, 0))
    return found


def current_date() -> dt.date:
    """Return the current date in UTC, for the expiry of entries."""
    return dt.datetime.now(dt.UTC).date()
