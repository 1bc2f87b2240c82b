"""Judges the calls of a full journal again without the driver, and reports changed verdicts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Absent, Begun, Died, Hung, Returned
from clconform.calls.cutting import is_cut
from clconform.calls.host import HAS_RETURNED, JOIN, NEXT_PROCESS
from clconform.calls.journal import BlameLine, CallLine, Verdict
from clconform.calls.protocol import Ended
from clconform.oracles.engine.judge import Oracle
from clconform.oracles.engine.lanes import Lanes
from clconform.oracles.engine.orders import judged_at_once
from clconform.oracles.model.devices import Device, Platform
from clconform.oracles.model.world import Model
from clconform.reports.escaping import visible
from clconform.reports.given_files import (
    LARGEST,
    GivenFileError,
    MalformedError,
    MissingFileError,
    decoded_by,
    mebibytes,
    opened,
)
from clconform.reports.reading import JournalError
from clconform.runner.journal.every_call import verdict
from clconform.runner.session.opening import Base

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from clconform.calls.call import Outcome
    from clconform.calls.journal import PlatformLine
    from clconform.oracles.engine.judgements import Expectation, Judgement
    from clconform.spec_tables import Tables

LARGEST_CALLS = 64 << 30
"""Maximum size in bytes of the file of all calls; it is read line by line, each with the size limit of a journal."""
OPENING = 1
"""The number of the example with a session's first queries, which initialise the oracle."""


@dataclass(frozen=True)
class Change:
    """A call with a changed verdict; ``parts``: the fields of the verdict that differ."""

    line: CallLine
    now: Verdict
    parts: tuple[str, ...]

    @property
    def records(self) -> tuple[str, ...]:
        """Return the requirements on which the two verdicts differ."""
        named: set[str] = set()
        for part in self.parts:
            before, after = getattr(self.line.verdict, part), getattr(self.now, part)
            if isinstance(before, str):
                named.add(f"{self.line.call.function}/success")
                continue
            for one in (each for each in (*before, *after) if each not in before or each not in after):
                named.update(one.records if isinstance(one, BlameLine) else (one if isinstance(one, str) else one[0],))
        return tuple(sorted(named or {f"{self.line.call.function}/success"}))


@dataclass
class _Process:
    """The state of one process of the run after its calls so far."""

    base: Base
    oracle: Oracle
    lanes: Lanes
    example: int = 0
    group: list[CallLine] = field(default_factory=list)


class Rejudge:
    """Judges lines in file order; the processes of a run may be interleaved.

    ``calls``: the number of judged calls.
    """

    def __init__(self, tables: Tables, tested: PlatformLine) -> None:
        """Start without calls. ``tested``: the run's description of its platform."""
        self._tables, self._tested = tables, tested
        self._processes: dict[str, _Process] = {}
        self.calls = 0

    def take(self, line: CallLine) -> Iterator[Change]:
        """Judge a call, or a group of concurrent calls when it is complete; yield changed verdicts."""
        process = self._processes.get(line.process)
        if process is None:
            oracle = Oracle(self._model())
            process = self._processes[line.process] = _Process(self._base(), oracle, Lanes(oracle))
        group = process.group
        if group and not (line.together and (line.example, line.together) == (group[0].example, group[0].together)):
            yield from self._judge(process)
        if line.example != process.example:
            self._begin(process, line.example)
        process.group.append(line)
        if not line.together:
            yield from self._judge(process)

    def close(self) -> Iterator[Change]:
        """Judge the calls of incomplete groups; yield changed verdicts."""
        for process in self._processes.values():
            yield from self._judge(process)

    def _base(self) -> Base:
        platform = self._tested.platform
        devices = [device.handle for device in platform.devices]
        return Base(platform.handle, self._tested.device, [platform.handle, *devices], devices)

    def _model(self) -> Model:
        return Model(self._tables, through_loader=self._tested.access == "loader")

    def _begin(self, process: _Process, example: int) -> None:
        if process.example == OPENING:
            process.base.keep(process.oracle.model)
        process.example = example
        process.oracle = self._fresh(process)
        process.lanes = Lanes(process.oracle)

    def _fresh(self, process: _Process) -> Oracle:
        model = self._model()
        process.base.restore(model)
        return Oracle(model)

    def _judge(self, process: _Process) -> Iterator[Change]:
        group, process.group = process.group, []
        if group and (process.lanes.under_way or group[0].lane):
            yield from self._judge_among_lanes(process, group[0])
            return
        returned = [line.outcome for line in group if isinstance(line.outcome, (Returned, Absent))]
        if len(group) > 1 and len(returned) == len(group):
            yield from self._judge_at_once(process, group, returned)
            return
        expectations = [process.oracle.expect(line.call) for line in group]
        for line, expectation in zip(group, expectations, strict=True):
            if line.call.function == NEXT_PROCESS and line.outcome is not None:
                self._next_process(process)
            now = _judged(process.oracle, expectation, line.outcome)
            if is_cut(line.outcome):  # the stored outcome is truncated, so the verdict cannot be reproduced
                now = line.verdict
            process.oracle.model.gone.clear()
            self.calls += 1
            if process.example == OPENING:
                _read_again(process.oracle.model)
                continue
            yield from _changes(line, now)

    def _judge_at_once(self, process: _Process, group: list[CallLine], outcomes: Sequence[Outcome]) -> Iterator[Change]:
        """Judge concurrent calls of several host threads that have all returned."""
        judged = judged_at_once(process.oracle, [line.call for line in group], outcomes)
        process.oracle.model.gone.clear()
        self.calls += len(group)
        for line, now in zip(group, judged, strict=True):
            yield from _changes(line, line.verdict if is_cut(line.outcome) else verdict(*now))

    def _judge_among_lanes(self, process: _Process, line: CallLine) -> Iterator[Change]:
        """Judge a call that was made, started or joined while host threads had calls in flight."""
        lanes, call, outcome = process.lanes, line.call, line.outcome
        self.calls += 1
        if isinstance(outcome, Begun):
            expectation = lanes.expect(call)
            lanes.begun(line.lane, expectation, outcome.entered)
            now = verdict(expectation)
        elif call.function in (JOIN, HAS_RETURNED) and outcome is not None:
            now = verdict(*_ended(lanes, line, outcome))
        else:
            now = _judged(process.oracle, process.oracle.expect(call), outcome)
            lanes.happened(line.entered)
        process.oracle.model.gone.clear()
        yield from _changes(line, now)

    def _next_process(self, process: _Process) -> None:
        before = process.oracle.model
        process.oracle = self._fresh(process)
        process.oracle.model.marked_before = before.marked or before.marked_before


def _ended(lanes: Lanes, line: CallLine, outcome: Outcome) -> tuple[Expectation, Judgement]:
    """Judge a step that waits for the call on a host thread."""
    lane = line.call.lane
    if isinstance(outcome, (Died, Hung)):
        return lanes.lost(lane, outcome)
    if line.call.function == HAS_RETURNED:
        return lanes.seen(lane, returned=isinstance(outcome, Returned) and outcome.value == 1)
    expectation, _, judgement = lanes.ended(lane, Ended(outcome, line.entered, line.returned))
    return expectation, judgement


def _changes(line: CallLine, now: Verdict) -> Iterator[Change]:
    parts = tuple(name for name in Verdict.__struct_fields__ if _differs(name, line.verdict, now))
    if parts:
        yield Change(line, now, parts)


def _read_again(model: Model) -> None:
    """Recompute versions and extensions, on which applicability conditions depend."""
    for thing in model.things.values():
        if isinstance(thing, Platform | Device):
            thing.refresh()


def _judged(oracle: Oracle, expectation: Expectation, outcome: Outcome | Begun | None) -> Verdict:
    if outcome is None or isinstance(outcome, Begun):
        return verdict(expectation)
    return verdict(expectation, oracle.judge(expectation, outcome))


def _differs(name: str, before: Verdict, now: Verdict) -> bool:
    one, other = getattr(before, name), getattr(now, name)
    if isinstance(one, str) or one == other:
        return bool(one != other)
    return sorted(map(repr, one)) != sorted(map(repr, other))


def _with_symptoms(line: CallLine) -> CallLine:
    """Return a line in which each deviation has a symptom."""
    blames = line.verdict.blames
    if all(blame.symptom for blame in blames):
        return line
    told = [msgspec.structs.replace(blame, symptom=blame.symptom or blame.observed) for blame in blames]
    return msgspec.structs.replace(line, verdict=msgspec.structs.replace(line.verdict, blames=told))


def call_lines(path: Path) -> Iterator[CallLine]:
    """Yield the calls of a file without an incomplete last line; JournalError if the file is unreadable.

    A deviation without a symptom is from an older format, in which the observed text is the symptom code.
    """
    decoder, name = msgspec.json.Decoder(CallLine), visible(str(path))
    try:
        with opened(path, LARGEST_CALLS) as file:
            number = 0
            while text := file.readline(LARGEST):
                number += 1
                if not text.endswith(b"\n"):
                    if len(text) == LARGEST:
                        raise JournalError(f"{name}: line {number} has more than {mebibytes(LARGEST)} MiB; run again")
                    return
                try:
                    yield _with_symptoms(decoded_by(decoder, text))
                except MalformedError as error:
                    raise JournalError(f"{name}: line {number} is not a call: {error}; run again") from None
    except MissingFileError:
        message = f"{name}: no such file; `clconform run --journal full` writes it next to the journal"
        raise JournalError(message) from None
    except GivenFileError as error:
        raise JournalError(f"{name}: cannot read the calls: {error}; run again") from None
    except OSError as error:
        raise JournalError(f"{name}: cannot read the calls: {error.strerror}") from None
