"""Judges the calls of a run with ``--journal full`` again, without the driver, and reports changed verdicts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Absent, Begun, Died, Hung, Returned
from clconform.calls.harness_actions import HAS_RETURNED, JOIN, NEXT_PROCESS
from clconform.calls.journal import CallDeviation, CallLine, CallVerdict
from clconform.calls.protocol import CallEnded
from clconform.calls.truncation import is_truncated
from clconform.oracles.engine.accepted_calls import exclude_unusable
from clconform.oracles.engine.host_threads import HostThreads
from clconform.oracles.engine.judge import Oracle
from clconform.oracles.engine.linearization import judge_concurrent_calls
from clconform.oracles.model.devices import Device, Platform
from clconform.oracles.model.state import Model
from clconform.reports.escaping import escape_unprintable
from clconform.reports.journal_reader import JournalError
from clconform.reports.untrusted_files import (
    MAX_BYTES,
    GivenFileError,
    MalformedError,
    MissingFileError,
    decode_with,
    mebibytes,
    open_regular,
)
from clconform.runner.journal.full_log import stored_verdict
from clconform.runner.session.device_discovery import SessionBase

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from clconform.calls.call import Outcome
    from clconform.calls.journal import PlatformLine
    from clconform.oracles.engine.judgements import Expectation, Judgement
    from clconform.spec_tables import Tables

MAX_CALLS_BYTES = 64 << 30
"""Maximum size in bytes of the file of all calls, which is read line by line; the limit for each line is that of a
journal."""
OPENING_EXAMPLE = 1
"""The number of the example with the first queries of a session, which initialise the oracle."""


@dataclass(frozen=True)
class ChangedVerdict:
    """A call with a changed verdict; ``changed_fields``: the fields of the verdict that differ."""

    line: CallLine
    new_verdict: CallVerdict
    changed_fields: tuple[str, ...]

    @property
    def requirements(self) -> tuple[str, ...]:
        """Return the requirements on which the stored and the new verdict differ."""
        named: set[str] = set()
        for part in self.changed_fields:
            before, after = getattr(self.line.verdict, part), getattr(self.new_verdict, part)
            if isinstance(before, str):
                named.add(f"{self.line.call.function}/success")
                continue
            for one in (each for each in (*before, *after) if each not in before or each not in after):
                named.update(
                    one.requirements if isinstance(one, CallDeviation) else (one if isinstance(one, str) else one[0],)
                )
        return tuple(sorted(named or {f"{self.line.call.function}/success"}))


@dataclass
class _ReplayedProcess:
    """The state of one driver process of the run after the calls that were judged so far."""

    base: SessionBase
    oracle: Oracle
    host_threads: HostThreads
    example: int = 0
    group: list[CallLine] = field(default_factory=list)


class Rejudger:
    """Judges stored calls in file order.

    The calls of several driver processes may be interleaved. ``call_count``: the number of judged calls.
    """

    def __init__(self, tables: Tables, tested: PlatformLine) -> None:
        """Start without calls; ``tested``: the description of the platform in the run's journal."""
        self._tables, self._tested = tables, tested
        self._processes: dict[str, _ReplayedProcess] = {}
        self.call_count = 0

    def judge_line(self, line: CallLine) -> Iterator[ChangedVerdict]:
        """Judge a call, or a group of concurrent calls after its last line; yield changed verdicts."""
        process = self._processes.get(line.process)
        if process is None:
            oracle = Oracle(self._create_model())
            process = self._processes[line.process] = _ReplayedProcess(self._create_base(), oracle, HostThreads(oracle))
        group = process.group
        if group and not (line.together and (line.example, line.together) == (group[0].example, group[0].together)):
            yield from self._judge_group(process)
        if line.example != process.example:
            self._begin_example(process, line.example)
        process.group.append(line)
        if not line.together:
            yield from self._judge_group(process)

    def judge_rest(self) -> Iterator[ChangedVerdict]:
        """After the last line, judge the groups of concurrent calls that are incomplete; yield changed verdicts."""
        for process in self._processes.values():
            yield from self._judge_group(process)

    def _create_base(self) -> SessionBase:
        platform = self._tested.platform
        devices = [device.handle for device in platform.devices]
        return SessionBase(platform.handle, self._tested.device, [platform.handle, *devices], devices)

    def _create_model(self) -> Model:
        return Model(
            self._tables,
            through_loader=self._tested.access == "loader",
            pointer_bytes=self._tested.pointer_bytes,
        )

    def _begin_example(self, process: _ReplayedProcess, example: int) -> None:
        if process.example == OPENING_EXAMPLE:
            process.base.store_facts(process.oracle.model)
        process.example = example
        process.oracle = self._create_oracle(process)
        process.host_threads = HostThreads(process.oracle)

    def _create_oracle(self, process: _ReplayedProcess) -> Oracle:
        model = self._create_model()
        process.base.restore_to(model)
        return Oracle(model)

    def _judge_group(self, process: _ReplayedProcess) -> Iterator[ChangedVerdict]:
        group, process.group = process.group, []
        if group and (process.host_threads.pending or group[0].host_thread):
            yield from self._judge_among_threads(process, group[0])
            return
        returned = [line.outcome for line in group if isinstance(line.outcome, (Returned, Absent))]
        if len(group) > 1 and len(returned) == len(group):
            yield from self._judge_concurrent(process, group, returned)
            return
        expectations = [exclude_unusable(process.oracle.expect(line.call), process.oracle.model) for line in group]
        for line, expectation in zip(group, expectations, strict=True):
            if line.call.function == NEXT_PROCESS and line.outcome is not None:
                self._start_next_process(process)
            now = _judge_outcome(process.oracle, expectation, line.outcome)
            if is_truncated(line.outcome):  # the stored outcome is truncated, so the verdict cannot be reproduced
                now = line.verdict
            process.oracle.model.released.clear()
            self.call_count += 1
            if process.example == OPENING_EXAMPLE:
                _refresh_model(process.oracle.model)
                continue
            yield from _find_changes(line, now)

    def _judge_concurrent(
        self, process: _ReplayedProcess, group: list[CallLine], outcomes: Sequence[Outcome]
    ) -> Iterator[ChangedVerdict]:
        """Judge a group of concurrent calls, all of which have returned."""
        judged = judge_concurrent_calls(process.oracle, [line.call for line in group], outcomes)
        process.oracle.model.released.clear()
        self.call_count += len(group)
        for line, now in zip(group, judged, strict=True):
            yield from _find_changes(line, line.verdict if is_truncated(line.outcome) else stored_verdict(*now))

    def _judge_among_threads(self, process: _ReplayedProcess, line: CallLine) -> Iterator[ChangedVerdict]:
        """Judge a call that was made, started or joined while calls were in flight on host threads."""
        host_threads, call, outcome = process.host_threads, line.call, line.outcome
        self.call_count += 1
        if isinstance(outcome, Begun):
            expectation = host_threads.expect(call)
            host_threads.begin(line.host_thread, expectation, outcome.entered)
            now = stored_verdict(expectation)
        elif call.function in (JOIN, HAS_RETURNED) and outcome is not None:
            now = stored_verdict(*_judge_join(host_threads, line, outcome))
        else:
            expectation = exclude_unusable(process.oracle.expect(call), process.oracle.model)
            now = _judge_outcome(process.oracle, expectation, outcome)
            host_threads.note_judged_call(line.entered)
        process.oracle.model.released.clear()
        yield from _find_changes(line, now)

    def _start_next_process(self, process: _ReplayedProcess) -> None:
        before = process.oracle.model
        process.oracle = self._create_oracle(process)
        process.oracle.model.had_marker_before = before.has_marker or before.had_marker_before


def _judge_join(host_threads: HostThreads, line: CallLine, outcome: Outcome) -> tuple[Expectation, Judgement]:
    """Judge a harness action that waits for the call on a host thread."""
    host_thread = line.call.host_thread
    if isinstance(outcome, (Died, Hung)):
        return host_threads.judge_lost(host_thread, outcome)
    if line.call.function == HAS_RETURNED:
        return host_threads.judge_observed(host_thread, returned=isinstance(outcome, Returned) and outcome.value == 1)
    expectation, _, judgement = host_threads.judge_returned(
        host_thread, CallEnded(outcome, line.entered, line.returned)
    )
    return expectation, judgement


def _find_changes(line: CallLine, now: CallVerdict) -> Iterator[ChangedVerdict]:
    parts = tuple(name for name in CallVerdict.__struct_fields__ if _is_field_different(name, line.verdict, now))
    if parts:
        yield ChangedVerdict(line, now, parts)


def _refresh_model(model: Model) -> None:
    """Recompute the versions and extensions in the model, on which applicability conditions depend."""
    for thing in model.objects.values():
        if isinstance(thing, Platform | Device):
            thing.refresh()


def _judge_outcome(oracle: Oracle, expectation: Expectation, outcome: Outcome | Begun | None) -> CallVerdict:
    if outcome is None or isinstance(outcome, Begun):
        return stored_verdict(expectation)
    return stored_verdict(expectation, oracle.judge(expectation, outcome))


def _is_field_different(name: str, before: CallVerdict, now: CallVerdict) -> bool:
    one, other = getattr(before, name), getattr(now, name)
    if isinstance(one, str) or one == other:
        return bool(one != other)
    return sorted(map(repr, one)) != sorted(map(repr, other))


def _add_symptoms(line: CallLine) -> CallLine:
    """Return the line with a symptom in each deviation; in older formats, the observed text is the symptom."""
    deviations = line.verdict.deviations
    if all(deviation.symptom for deviation in deviations):
        return line
    told = [
        msgspec.structs.replace(deviation, symptom=deviation.symptom or deviation.observed) for deviation in deviations
    ]
    return msgspec.structs.replace(line, verdict=msgspec.structs.replace(line.verdict, deviations=told))


def read_call_lines(path: Path) -> Iterator[CallLine]:
    """Yield the calls of a file, without an incomplete last line; JournalError if the file is unreadable.

    An older format stores deviations without symptoms; their observed text becomes the symptom code.
    """
    decoder, name = msgspec.json.Decoder(CallLine), escape_unprintable(str(path))
    try:
        with open_regular(path, MAX_CALLS_BYTES) as file:
            number = 0
            while text := file.readline(MAX_BYTES):
                number += 1
                if not text.endswith(b"\n"):
                    if len(text) == MAX_BYTES:
                        raise JournalError(f"{name}: line {number} has more than {mebibytes(MAX_BYTES)} MiB; run again")
                    return
                try:
                    yield _add_symptoms(decode_with(decoder, text))
                except MalformedError as error:
                    raise JournalError(f"{name}: line {number} is not a call: {error}; run again") from None
    except MissingFileError:
        message = f"{name}: no such file; `clconform run --journal full` writes it next to the journal"
        raise JournalError(message) from None
    except GivenFileError as error:
        raise JournalError(f"{name}: cannot read the calls: {error}; run again") from None
    except OSError as error:
        raise JournalError(f"{name}: cannot read the calls: {error.strerror}") from None
