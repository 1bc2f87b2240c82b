"""Compares the layer with a test run: the same calls, recorded, must give the same deviations.

``python -m tests.validation.agreement OUT`` makes the calls of a full journal again under the layer, judges the
recording, and prints what only one of both has found. The calls are made in one process, one after the other: examples
with calls on several host threads, and those in which the driver ended its process, are left out.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from clconform.calls.call import Returned
from clconform.calls.host import NEXT_PROCESS
from clconform.calls.protocol import Ask, Begin
from clconform.harness.addresses import Addresses
from clconform.harness.driver import Driver
from clconform.harness.entry_points import LoaderEntryPoints
from clconform.harness.worker import answer_to
from clconform.recording.building import layer_of
from clconform.recording.file_format import Recording
from clconform.recording.launching import launch
from clconform.runner.journal.every_call import CALLS
from clconform.runner.journal.rejudging import OPENING, call_lines
from clconform.spec_tables import load
from clconform.tools.saying import say
from clconform.validation.findings import DEVIATION, UNDEFINED, Validation
from clconform.validation.judging import validated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.journal import CallLine

MODULE = "tests.validation.agreement"
Records = tuple[str, ...]


class Agreement(NamedTuple):
    """What both have found: the calls that were made, and the records of the deviations that only one has."""

    calls: int
    of_both: set[Records]
    of_the_run: set[Records]
    of_the_layer: set[Records]
    validation: Validation


def examples(out: Path) -> Iterator[list[CallLine]]:
    """Yield the examples of a full journal whose calls can be made one after the other."""
    found: dict[tuple[str, int], list[CallLine]] = {}
    for line in call_lines(out / CALLS):
        found.setdefault((line.process, line.example), []).append(line)
    for (_, example), lines in found.items():
        if example != OPENING and all(map(_is_plain, lines)):
            yield lines


def _is_plain(line: CallLine) -> bool:
    alone = not line.lane and not line.together and line.call.function != NEXT_PROCESS
    return alone and isinstance(line.outcome, Returned)


def make(out: Path) -> None:
    """Make the calls of a full journal on the first platform of the loader; the process ends here."""
    tables, addresses = load(), Addresses()
    driver = Driver(tables, LoaderEntryPoints("libOpenCL.so.1", None, tables, addresses), addresses)
    driver.survey("", lambda _call: None)
    for lines in examples(out):
        answer_to(Begin(), driver)
        for line in lines:
            if not isinstance(answer_to(Ask(line.call), driver), Returned):
                break
    sys.stdout.flush()
    os._exit(0)


def compared(out: Path, recording: Path) -> Agreement:
    """Make the calls under the layer, and compare what is found."""
    launch([sys.executable, "-m", MODULE, "--make", str(out)], layer_of(load()), recording)
    found = validated(Recording(recording, load()), load(), str(recording))
    of_the_layer = {tuple(finding.records) for finding in found.findings if finding.kind == DEVIATION}
    lines = [line for each in examples(out) for line in each]
    of_the_run = {tuple(blame.records) for line in lines for blame in line.verdict.blames}
    both = of_the_run & of_the_layer
    return Agreement(len(lines), both, of_the_run - both, of_the_layer - both, found)


def main(words: list[str]) -> int:
    """Print what both have found, or make the calls."""
    if words[0] == "--make":
        make(Path(words[1]))
    recording = Path(words[0]) / "calls.clrec"
    recording.unlink(missing_ok=True)
    told = compared(Path(words[0]), recording)
    say(f"{told.calls} calls of the run; recorded and judged: {told.validation.judged} of {told.validation.calls}")
    for reason, count in told.validation.not_judged.items():
        say(f"  {count} not judged: {reason}")
    say(f"deviations of both: {len(told.of_both)}")
    for title, records in (("the run", told.of_the_run), ("the layer", told.of_the_layer)):
        say(f"of {title} alone: {len(records)}")
        for each in sorted(records):
            say(f"  {' '.join(each)}")
    undefined = [finding for finding in told.validation.findings if finding.kind == UNDEFINED]
    say(f"undefined calls, of which the run makes none: {len(undefined)}")
    for finding in undefined:
        say(f"  {finding.function}: {finding.words} (call {finding.number})")
    return 1 if told.of_the_layer or undefined else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
