"""Damages recordings and checks their verdicts: ``python -m tests.validation.damage RECORDING [PLACES [SEED]]``.

Each damaged copy of a recording is cut, or one of its bits or bytes is changed. The command fails if events of a copy
are not the first events of the recording, if lost events are not reported, or if the copy has a verdict that the
recording does not have.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from clconform.recording.file_format import CallEntry, RecordingFile
from clconform.spec_tables import load
from clconform.tools.output_text import print_text
from clconform.validation.recording_judge import validate_recording

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.validation.findings import Validation, ValidationFinding

PLACES, SEED = 500, 1


class Damage(NamedTuple):
    """A damaged copy of a recording."""

    description: str
    content: bytes


def damage_recording(content: bytes, places: int, seed: int) -> Iterator[Damage]:
    """Yield damaged copies; three of four places hold a byte that is not 0, the others lie anywhere in the file."""
    chosen = random.Random(seed)  # noqa: S311 (no secret)
    used = [position for position, byte in enumerate(content) if byte]
    for number in range(places):
        at = chosen.choice(used) if number % 4 else chosen.randrange(len(content))
        changed = bytearray(content)
        match number % 3:
            case 0:
                yield Damage(f"cut at byte {at}", content[:at])
                continue
            case 1:
                changed[at] ^= 1 << chosen.randrange(8)
            case _:
                changed[at] = (changed[at] + chosen.randrange(1, 256)) % 256
        yield Damage(f"byte {at} changed from {content[at]} to {changed[at]}", bytes(changed))


class DamageChecker:
    """Compares damaged copies of one recording with it; ``results``: the numbers of complete and incomplete copies."""

    def __init__(self, recording: Path, copy: Path) -> None:
        """Read and judge the recording; ``copy``: the path of the damaged copies."""
        self._tables = load()
        self.content = recording.read_bytes()
        self._copy = copy
        whole = RecordingFile(recording, self._tables)
        self._events = list(whole.events())
        self._whole = self._judge(recording)
        self._is_complete = not whole.truncation
        self._known: dict[tuple[int, bool], list[str]] = {}
        self.results: Counter[str] = Counter()

    def check(self, content: bytes) -> list[str]:
        """Return the errors of the verdict on a damaged copy."""
        self._copy.write_bytes(content)
        copy = RecordingFile(self._copy, self._tables)
        events = list(copy.events())
        self.results["incomplete" if copy.truncation else "complete"] += 1
        if events != self._events[: len(events)]:
            return ["its events are not the first events of the recording"]
        if len(events) < len(self._events) and not copy.truncation:
            return [f"{len(self._events) - len(events)} lost events are not reported"]
        has_call = any(isinstance(each, CallEntry) and not each.opening for each in events)
        key = len(events) if has_call else 0, bool(copy.truncation)  # equal calls have equal verdicts
        if key not in self._known:
            self._known[key] = list(self._compare(self._judge(self._copy)))
        return self._known[key]

    def _judge(self, path: Path) -> Validation:
        return validate_recording(RecordingFile(path, self._tables), self._tables, "")

    def _compare(self, found: Validation) -> Iterator[str]:
        whole = self._whole
        for each in {_describe(finding) for finding in found.findings} - {_describe(each) for each in whole.findings}:
            yield f"the recording has no finding {each}"
        for reason, count in found.not_judged.items():
            if count > whole.not_judged.get(reason, 0):
                yield f"{count} calls are not judged: {reason}"
        if found.damage:
            if not found.damage.startswith(f"judged the first {found.calls:,} calls of an incomplete recording: "):
                yield f"the verdict does not state the loss: {found.damage}"
            if found.pending_calls:
                yield "calls are reported as pending at the end of the recording"
        elif self._is_complete and (found.calls, len(found.findings)) != (whole.calls, len(whole.findings)):
            yield "a complete copy has other verdicts"


def _describe(finding: ValidationFinding) -> tuple[object, ...]:
    return finding.party, finding.kind, finding.function, tuple(finding.requirements), finding.call_number


def main(words: list[str]) -> int:
    """Check damaged copies of a recording; return 1 if a verdict on one of them has an error."""
    places, seed = (*map(int, words[1:3]), *(PLACES, SEED)[len(words) - 1 :])
    errors = 0
    with tempfile.TemporaryDirectory() as work:
        checker = DamageChecker(Path(words[0]), Path(work) / "copy.clrec")
        for damage in damage_recording(checker.content, places, seed):
            for error in checker.check(damage.content):
                errors += 1
                print_text(f"{damage.description}: {error}")
    for result, count in sorted(checker.results.items()):
        print_text(f"{count} {result}")
    print_text(f"{errors} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
