"""Compares the layer with a test run: judged recordings of the same calls must contain the same deviations.

``python -m tests.validation.agreement OUT`` replays the calls of a full journal under the layer, judges the recordings,
and prints the deviations that only the run or only the layer found. The calls are made sequentially. If the driver ends
its process, the next process continues after the current example. Examples with calls on several host threads, and
examples in which the driver ended its process, are skipped.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from clconform.calls.call import Returned
from clconform.calls.harness_actions import NEXT_PROCESS
from clconform.harness import Target, Worker
from clconform.recording.file_format import RecordingFile
from clconform.recording.layer_build import build_layer
from clconform.recording.program_launch import run_program
from clconform.runner.journal.full_log import CALLS_FILE
from clconform.runner.journal.rejudging import OPENING_EXAMPLE, read_call_lines
from clconform.spec_tables import load
from clconform.tools.output_text import print_text
from clconform.validation.findings import DEVIATION, UNDEFINED, Validation
from clconform.validation.recording_judge import validate_recording

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.journal import CallLine
    from clconform.validation.findings import ValidationFinding

MODULE = "tests.validation.agreement"
MAX_PROCESSES = 200
UNRECORDED_REQUIREMENTS = {
    "clEnqueueReadImage/success": "what a transfer of an image reads is in no recording",
    "clEnqueueWriteImage/success": "what a transfer of an image writes is in no recording",
    "clEnqueueUnmapMemObject/success": "what the program writes into mapped memory is in no recording",
}
"""Requirements whose deviations are visible only in contents that a recording lacks, each with the reason."""
RequirementIds = tuple[str, ...]


class LayerComparison(NamedTuple):
    """Comparison of a run with the layer: number of calls, and requirements of deviations that both or only one found.

    ``validations``: one for each process with calls under the layer.
    """

    calls: int
    in_both: set[RequirementIds]
    only_in_run: set[RequirementIds]
    only_in_layer: set[RequirementIds]
    validations: list[Validation]

    @property
    def undefined_findings(self) -> list[ValidationFinding]:
        """Return the findings of undefined behaviour; there should be none, because a run does not make such calls."""
        every = [finding for each in self.validations for finding in each.findings]
        return [finding for finding in every if finding.kind == UNDEFINED]


def plain_examples(out: Path) -> Iterator[list[CallLine]]:
    """Yield the examples of a full journal whose calls can be made sequentially."""
    found: dict[tuple[str, int], list[CallLine]] = {}
    for line in read_call_lines(out / CALLS_FILE):
        found.setdefault((line.process, line.example), []).append(line)
    for (_, example), lines in found.items():
        if example != OPENING_EXAMPLE and all(map(_is_sequential, lines)):
            yield lines


def _is_sequential(line: CallLine) -> bool:
    alone = not line.host_thread and not line.together and line.call.function != NEXT_PROCESS
    return alone and isinstance(line.outcome, Returned)


def replay_calls(out: Path, start: int, progress: Path) -> bool:
    """Make the calls of a full journal, from example ``start`` on; return whether the driver's process survived them.

    ``progress``: file for the number of each example, written before its calls.
    """
    file = os.open(progress, os.O_WRONLY | os.O_CREAT)
    with Worker(Target.installed(loader="libOpenCL.so.1")) as worker:
        for number, lines in enumerate(plain_examples(out)):
            if number < start:
                continue
            os.pwrite(file, number.to_bytes(8, "little"), 0)
            worker.begin_example()
            for line in lines:
                if not isinstance(worker.call(line.call), Returned):
                    break
            if not worker.is_alive:
                return False
    return True


def compare_findings(out: Path, recording: Path) -> LayerComparison:
    """Replay a run's calls under the layer, and compare the findings; ``recording``: prefix of the recordings."""
    progress, start, found = recording.with_suffix(".progress"), 0, []
    progress.unlink(missing_ok=True)
    for number in range(MAX_PROCESSES):
        file = recording.with_name(f"{recording.stem}-{number}{recording.suffix}")
        file.unlink(missing_ok=True)
        words = [sys.executable, "-m", MODULE, "--make", str(out), str(start), str(progress)]
        ended = run_program(words, build_layer(load()), file)
        found.append(validate_recording(RecordingFile(file, load()), load(), str(file)))
        if not ended.code:
            break
        start = int.from_bytes(progress.read_bytes(), "little") + 1
    every = [finding for each in found for finding in each.findings]
    of_the_layer = {tuple(finding.requirements) for finding in every if finding.kind == DEVIATION}
    lines = [line for each in plain_examples(out) for line in each]
    of_the_run = {tuple(blame.requirements) for line in lines for blame in line.verdict.deviations}
    both = of_the_run & of_the_layer
    return LayerComparison(len(lines), both, of_the_run - both, of_the_layer - both, found)


def main(words: list[str]) -> int:
    """Compare a run with the layer and print the result, or only make the calls of a run (``--make``)."""
    if words[0] == "--make":
        return 0 if replay_calls(Path(words[1]), int(words[2]), Path(words[3])) else 1
    told = compare_findings(Path(words[0]), Path(words[0]) / "calls.clrec")
    calls, judged = (sum(getattr(each, what) for each in told.validations) for what in ("calls", "judged"))
    print_text(
        f"{told.calls} calls of the run; recorded {calls}, in {len(told.validations)} processes, and {judged} judged"
    )
    reasons: Counter[str] = Counter()
    for each in told.validations:
        reasons.update(each.not_judged)
    for reason, count in reasons.most_common():
        print_text(f"  {count} not judged: {reason}")
    print_text(f"deviations of both: {len(told.in_both)}")
    for title, records in (("the run", told.only_in_run), ("the layer", told.only_in_layer)):
        print_text(f"of {title} alone: {len(records)}")
        for one in sorted(records):
            why = "; ".join(
                sorted({UNRECORDED_REQUIREMENTS[record] for record in one if record in UNRECORDED_REQUIREMENTS})
            )
            print_text(f"  {' '.join(one)}{f': {why}' if why else ''}")
    print_text(f"undefined calls, of which the run makes none: {len(told.undefined_findings)}")
    for finding in told.undefined_findings:
        print_text(f"  {finding.function}: {finding.reason} (call {finding.call_number})")
    unexplained = [each for each in told.only_in_run if not set(each) & UNRECORDED_REQUIREMENTS.keys()]
    return 1 if told.only_in_layer or told.undefined_findings or unexplained else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
