"""Judges the calls of a full journal again, without the driver, and reports changed verdicts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.cutting import is_cut
from clconform.calls.host import NEXT_PROCESS
from clconform.calls.journal import BlameLine, CallLine, Verdict
from clconform.oracles.engine.judge import Oracle
from clconform.oracles.model.devices import Device, Platform
from clconform.oracles.model.world import Model
from clconform.reports.reading import JournalError
from clconform.runner.journal.every_call import verdict
from clconform.runner.session.opening import Base

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from clconform.calls.call import Outcome
    from clconform.calls.journal import PlatformLine
    from clconform.oracles.engine.judge import Expectation
    from clconform.spec_tables import Tables

OPENING = 1
"""The number of the example in which a session queries what the oracle must know."""


@dataclass(frozen=True)
class Change:
    """A call with a changed verdict; ``parts``: the fields of the verdict that differ."""

    line: CallLine
    now: Verdict
    parts: tuple[str, ...]

    @property
    def records(self) -> tuple[str, ...]:
        """Return the records on which two verdicts differ."""
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
    """One process of the run: the state after its calls."""

    base: Base
    oracle: Oracle
    example: int = 0
    group: list[CallLine] = field(default_factory=list)


class Rejudge:
    """Judges lines in file order; the processes of a run may be interleaved.

    ``calls`` counts those that were judged.
    """

    def __init__(self, tables: Tables, tested: PlatformLine) -> None:
        """Start with the run's description of its platform."""
        self._tables, self._tested = tables, tested
        self._processes: dict[str, _Process] = {}
        self.calls = 0

    def take(self, line: CallLine) -> Iterator[Change]:
        """Judge a call, or a group of concurrent calls once it is complete; yield what has changed."""
        process = self._processes.get(line.process)
        if process is None:
            process = self._processes[line.process] = _Process(self._base(), Oracle(self._model()))
        group = process.group
        if group and not (line.together and (line.example, line.together) == (group[0].example, group[0].together)):
            yield from self._judge(process)
        if line.example != process.example:
            self._begin(process, line.example)
        process.group.append(line)
        if not line.together:
            yield from self._judge(process)

    def close(self) -> Iterator[Change]:
        """Judge calls that still wait for their group."""
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

    def _fresh(self, process: _Process) -> Oracle:
        model = self._model()
        process.base.restore(model)
        return Oracle(model)

    def _judge(self, process: _Process) -> Iterator[Change]:
        group, process.group = process.group, []
        expectations = [process.oracle.expect(line.call) for line in group]
        for line, expectation in zip(group, expectations, strict=True):
            if line.call.function == NEXT_PROCESS and line.outcome is not None:
                self._next_process(process)
            now = _judged(process.oracle, expectation, line.outcome)
            if is_cut(line.outcome):  # judged by more than was stored: its verdict cannot be found again
                now = line.verdict
            process.oracle.model.gone.clear()
            self.calls += 1
            if process.example == OPENING:
                _read_again(process.oracle.model)
                continue
            parts = tuple(name for name in Verdict.__struct_fields__ if _differs(name, line.verdict, now))
            if parts:
                yield Change(line, now, parts)

    def _next_process(self, process: _Process) -> None:
        before = process.oracle.model
        process.oracle = self._fresh(process)
        process.oracle.model.marked_before = before.marked or before.marked_before


def _read_again(model: Model) -> None:
    """Reread versions and extensions, which gates depend on."""
    for thing in model.things.values():
        if isinstance(thing, Platform | Device):
            thing.refresh()


def _judged(oracle: Oracle, expectation: Expectation, outcome: Outcome | None) -> Verdict:
    if outcome is None:
        return verdict(expectation)
    return verdict(expectation, oracle.judge(expectation, outcome))


def _differs(name: str, before: Verdict, now: Verdict) -> bool:
    one, other = getattr(before, name), getattr(now, name)
    if isinstance(one, str):
        return bool(one != other)
    return sorted(map(repr, one)) != sorted(map(repr, other))


def _with_symptoms(line: CallLine) -> CallLine:
    """Return a line in which each blame has a symptom."""
    blames = line.verdict.blames
    if all(blame.symptom for blame in blames):
        return line
    told = [msgspec.structs.replace(blame, symptom=blame.symptom or blame.observed) for blame in blames]
    return msgspec.structs.replace(line, verdict=msgspec.structs.replace(line.verdict, blames=told))


def call_lines(path: Path) -> Iterator[CallLine]:
    """Yield the calls of a file; JournalError if it cannot be read. An incomplete last line is skipped.

    A blame without a symptom is from an older format, in which the observed text was the code.
    """
    decoder = msgspec.json.Decoder(CallLine)
    try:
        with path.open("rb") as file:
            for number, text in enumerate(file, start=1):
                if not text.endswith(b"\n"):
                    return
                try:
                    yield _with_symptoms(decoder.decode(text))
                except (msgspec.DecodeError, UnicodeDecodeError) as error:
                    raise JournalError(f"{path}: line {number} is not a call: {error}; run again") from error
    except FileNotFoundError:
        message = f"{path}: no such file; `clconform run --journal full` writes it next to the journal"
        raise JournalError(message) from None
    except OSError as error:
        raise JournalError(f"{path}: cannot read: {error.strerror}") from error
