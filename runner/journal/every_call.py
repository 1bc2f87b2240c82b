"""Stores every call of a run with its verdict, so that the calls can be judged again without the driver."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.journal import BlameLine, CallLine, Verdict

if TYPE_CHECKING:
    from clconform.calls.call import Step
    from clconform.oracles.engine.judgements import Expectation, Held, Judgement
    from clconform.runner.journal.writer import JournalWriter

CALLS = "calls.jsonl"
"""The name of the file with all calls in the folder of a run."""


class EveryCall:
    """Writes one line per call; lines of the opening are held until the first item, when the file is this run's."""

    def __init__(self, writer: JournalWriter) -> None:
        self._writer = writer
        self._process = f"{os.environ.get('PYTEST_XDIST_WORKER', 'main')}-{os.getpid()}"
        self._example = 0
        self._waiting: list[CallLine] = []

    @property
    def broken(self) -> str:
        """Return why calls can no longer be written; empty if they can."""
        return self._writer.broken

    def began(self) -> None:
        """Count an example."""
        self._example += 1

    def refused(self, item: str, expectation: Expectation, boundary: str) -> None:
        """Store a call that was not made because its behaviour is undefined."""
        self._keep(CallLine(self._process, self._example, item, expectation.call, verdict(expectation), None, boundary))

    def judged(self, item: str, expectation: Expectation, step: Step, judgement: Judgement, boundary: str) -> None:
        """Store one call; ``step``: its step in the sequence."""
        self._keep(self._line(item, step, verdict(expectation, judgement), boundary))

    def begun(self, item: str, expectation: Expectation, step: Step) -> None:
        """Store the start of a call on a host thread."""
        self._keep(self._line(item, step, verdict(expectation), ""))

    def _line(self, item: str, step: Step, said: Verdict, boundary: str) -> CallLine:
        whose = (self._process, self._example, item)
        order = (step.together, step.lane, step.entered, step.returned)
        return CallLine(*whose, step.call, said, step.outcome, boundary, *order)

    def _keep(self, line: CallLine) -> None:
        self._waiting.append(line)
        if line.item:
            self._writer.write(*self._waiting)
            self._waiting.clear()

    def close(self) -> None:
        """Close the file."""
        self._writer.close()


def verdict(expectation: Expectation, judgement: Judgement | None = None) -> Verdict:
    """Return the stored form of the verdict on a call; without a judgement, that of a call that was not made."""
    said = Verdict(
        musts=_pairs(expectation.musts),
        mays=_pairs(expectation.mays),
        resources=list(expectation.resources),
        undefined=expectation.undefined,
    )
    if judgement is None:
        return said
    blames = [
        BlameLine(list(b.records), b.verdict, b.confidence, list(b.allowed), b.observed, b.symptom.code)
        for b in judgement.blames
    ]
    return msgspec.structs.replace(
        said,
        observed=judgement.observed,
        evidence=list(judgement.evidence),
        blames=blames,
        implementation_defined=list(judgement.implementation_defined),
        notes=list(judgement.notes),
    )


def _pairs(held: tuple[Held, ...]) -> list[tuple[str, str]]:
    return [(each.clause.id, each.interpretation) for each in held]
