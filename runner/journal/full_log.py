"""Stores every call of a run with its verdict, so that the calls can be judged again without the driver."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.journal import CallDeviation, CallLine, CallVerdict

if TYPE_CHECKING:
    from clconform.calls.call import Step
    from clconform.oracles.engine.judgements import ClauseMatch, Expectation, Judgement
    from clconform.runner.journal.writer import JournalWriter

CALLS_FILE = "calls.jsonl"
"""The name of the file with all calls in the folder of its run."""


class FullLog:
    """Writes one line per call to the file of all calls.

    The calls that start a session come before the first item. Their lines are held until the first item, because an
    earlier run may own the file until then.
    """

    def __init__(self, writer: JournalWriter) -> None:
        self._writer = writer
        self._process = f"{os.environ.get('PYTEST_XDIST_WORKER', 'main')}-{os.getpid()}"
        self._example = 0
        self._held_lines: list[CallLine] = []

    @property
    def write_error(self) -> str:
        """Return why calls can no longer be written; empty if they can."""
        return self._writer.write_error

    def begin_example(self) -> None:
        """Start a new example.

        Its calls are stored with its number.
        """
        self._example += 1

    def write_undefined_call(self, item: str, expectation: Expectation, test_value: str) -> None:
        """Store a call that was not made because its behaviour is undefined."""
        self._write_line(
            CallLine(
                self._process, self._example, item, expectation.call, stored_verdict(expectation), None, test_value
            )
        )

    def write_judged_call(
        self, item: str, expectation: Expectation, step: Step, judgement: Judgement, test_value: str
    ) -> None:
        """Store one judged call, which is ``step`` of its sequence."""
        self._write_line(self._create_line(item, step, stored_verdict(expectation, judgement), test_value))

    def write_started_call(self, item: str, expectation: Expectation, step: Step) -> None:
        """Store the start of a call on a host thread."""
        self._write_line(self._create_line(item, step, stored_verdict(expectation), ""))

    def _create_line(self, item: str, step: Step, verdict: CallVerdict, test_value: str) -> CallLine:
        whose = (self._process, self._example, item)
        order = (step.together, step.host_thread, step.entered, step.returned)
        return CallLine(*whose, step.call, verdict, step.outcome, test_value, *order)

    def _write_line(self, line: CallLine) -> None:
        self._held_lines.append(line)
        if line.item:
            self._writer.write(*self._held_lines)
            self._held_lines.clear()

    def close(self) -> None:
        """Close the file."""
        self._writer.close()


def stored_verdict(expectation: Expectation, judgement: Judgement | None = None) -> CallVerdict:
    """Return the verdict on a call in the form of the journal; ``judgement``: None if the call was not judged."""
    said = CallVerdict(
        required_errors=_id_pairs(expectation.required_errors),
        optional_errors=_id_pairs(expectation.optional_errors),
        resources=list(expectation.resource_codes),
        undefined=expectation.undefined,
    )
    if judgement is None:
        return said
    deviations = [
        CallDeviation(list(b.requirements), b.verdict, b.confidence, list(b.allowed), b.observed, b.symptom.code)
        for b in judgement.deviations
    ]
    return msgspec.structs.replace(
        said,
        observed=judgement.observed,
        evidence=list(judgement.evidence),
        deviations=deviations,
        implementation_defined=list(judgement.implementation_defined),
        notes=list(judgement.notes),
    )


def _id_pairs(matches: tuple[ClauseMatch, ...]) -> list[tuple[str, str]]:
    return [(each.clause.id, each.interpretation) for each in matches]
