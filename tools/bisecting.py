"""The ``bisect`` command: finds the first build of a driver whose results for stored calls differ."""

from __future__ import annotations

import re
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from clconform.calls.lanes import with_calls
from clconform.harness import HarnessError, Target
from clconform.reports.escaping import visible, visible_ascii
from clconform.reports.given_files import GivenFileError, read_text
from clconform.reports.json_documents import encode
from clconform.reports.wording import Names, format_step
from clconform.runner.deviations.bisecting import Answer, Found, answer_of, first_change
from clconform.runner.deviations.confirming import LONE_DEADLINES
from clconform.runner.gate import exit_codes
from clconform.spec_tables import load
from clconform.tools.errors import CommandError
from clconform.tools.replaying import tested_device
from clconform.tools.results import find, result_at
from clconform.tools.saying import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.reports import DeviationResult

FORMAT = 1
TITLE = "Output of clconform bisect"
PLACE = "{}"
"""Placeholder for the revision in the build command."""
RANGE = re.compile(r"([0-9]{1,9})\.\.([0-9]{1,9})")
MOST = 100_000
"""Maximum number of revisions in a range."""


class BuildTried(msgspec.Struct, frozen=True):
    """The result of one build: conforming (good), a deviation (bad), or untestable."""

    build: str
    verdict: Literal["good", "bad", "untestable"]
    observed: str


class Bisected(msgspec.Struct, frozen=True):
    """The result of a search. ``builds``: the builds that were replayed, oldest first.

    ``first``: the first build with a different result, if it is unique. ``suspects``: all candidates.
    """

    deviation: str
    builds: list[BuildTried]
    first: str | None
    suspects: list[str]
    format: int = FORMAT


@dataclass(frozen=True)
class Builds:
    """The builds, oldest first: libraries, or revisions for which ``command`` builds ``driver``."""

    names: list[str]
    command: list[str]
    driver: str
    direct: bool

    def target(self, number: int) -> Target:
        """Return the target, built first if there is a command; HarnessError if it is missing or the build fails."""
        name = self.names[number]
        if self.command:
            _make([word.replace(PLACE, name) for word in self.command])
        return Target.driver(self.driver or name, direct=self.direct)


def bisect(  # (one parameter per option)
    given: str,
    wanted: str,
    drivers: Sequence[str],
    *,
    build: str,
    revisions: str,
    driver: str,
    direct: bool,
    device: int | None,
    as_json: bool,
) -> int:
    """Replay a deviation on as few builds as needed; print each result and the build that changed it."""
    result, _ = result_at(given)
    deviation = find(result, wanted)
    if not deviation.sequence:
        raise CommandError(f"the result has no stored calls for {deviation.id}; run the suite again")
    builds = _builds(drivers, build, revisions, driver, direct=direct)
    number = tested_device(result) if device is None else device
    telling = _Telling(deviation, builds, quiet=as_json)
    telling.introduce()

    def probe(index: int) -> Answer:
        answer = _probed(builds, index, deviation, number)
        telling.tell(index, answer)
        return answer

    found = first_change(len(builds.names), probe)
    if as_json:
        say(encode(telling.document(found)), nl=False)
    return telling.conclude(found)


def _probed(builds: Builds, index: int, deviation: DeviationResult, device: int) -> Answer:
    deadlines = LONE_DEADLINES if deviation.verdict == "hangs" else None
    try:
        target = builds.target(index)
    except HarnessError as error:
        return Answer("untestable", why=str(error))
    return answer_of(target, load(), deviation.sequence, device_index=device, deadlines=deadlines)


def _builds(drivers: Sequence[str], build: str, revisions: str, driver: str, *, direct: bool) -> Builds:
    if drivers and (build or revisions or driver):
        raise CommandError("give either the builds' libraries, or --build, --revisions and --driver")
    if not drivers and not (build and revisions and driver):
        raise CommandError(
            "no builds given; list their libraries, oldest first, or use --build COMMAND --revisions R --driver LIB"
        )
    if build and PLACE not in build:
        raise CommandError(f"--build {build}: the command must contain {PLACE} as the placeholder for the revision")
    try:
        command = shlex.split(build)
    except ValueError as error:
        raise CommandError(f"--build {build}: {error}") from None
    names = list(drivers) or _revisions(revisions)
    if len(names) < 2:  # noqa: PLR2004 (an oldest and a newest)
        raise CommandError(f"at least two builds are needed (oldest and newest), got {len(names)}")
    return Builds(names, command, driver, direct)


def _revisions(given: str) -> list[str]:
    """Return the revisions of a range of numbers, or of a file with one per line."""
    span = RANGE.fullmatch(given)
    if span:
        numbers = range(int(span[1]), int(span[2]) + 1)
        if len(numbers) > MOST:
            raise CommandError(f"--revisions {given}: more than {MOST} revisions")
        return [str(number) for number in numbers]
    try:
        lines = read_text(Path(given)).splitlines()
    except GivenFileError as error:
        raise CommandError(
            f"--revisions {given}: not a range of numbers (1..16) or a file with one revision per line: {error}"
        ) from None
    return [line.strip() for line in lines if line.strip()]


def _make(command: list[str]) -> None:
    """Run a build command; HarnessError with its last line of output if it fails."""
    try:
        done = subprocess.run(command, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    except OSError as error:
        raise HarnessError(f"cannot start {command[0]}: {error.strerror}") from None
    if done.returncode:
        said = (done.stderr or done.stdout).decode("utf-8", "backslashreplace").strip().splitlines()
        raise HarnessError(f"the build failed with exit code {done.returncode}: {said[-1] if said else 'no output'}")


class _Telling:
    """Prints the result of each build, and finally the first build with a different result."""

    def __init__(self, deviation: DeviationResult, builds: Builds, *, quiet: bool) -> None:
        self._deviation, self._builds, self._quiet = deviation, builds, quiet
        self._tables = load()
        self._names = Names(self._tables)

    def introduce(self) -> None:
        """Print the deviation that is replayed."""
        deviation, count = self._deviation, len(self._builds.names)
        if not self._quiet:
            say(f"{deviation.id}  {deviation.verdict}  {visible(' | '.join(deviation.records))}")
            say(f"allowed: {visible(', '.join(deviation.allowed))}; {count} builds, oldest first")

    def tell(self, index: int, answer: Answer) -> None:
        """Print the result of one build."""
        if not self._quiet:
            number = f"{index + 1} of {len(self._builds.names)}"
            say(f"  {number:>12}  {answer.verdict:<10}  {self._name(index)}: {self._said(answer)}")

    def conclude(self, found: Found) -> int:
        """Print the build that changed the result; CommandError if the first and the last build do not differ."""
        if found.before is None or found.after is None:
            many = len(found.answers)
            raise CommandError(f"fewer than two of {many} builds could be tested", exit_codes.NO_SUCH_PLATFORM)
        before, after = found.answers[found.before], found.answers[found.after]
        if found.agree:
            raise CommandError(
                f"the oldest and the newest testable build give the same result ({before.verdict}:  "
                f"{self._said(before)}), so there is nothing to bisect; give a wider range"
            )
        if not self._quiet:
            say(f"last with the old result:  {self._name(found.before)} ({before.verdict}: {self._said(before)})")
            say(f"first with the new result: {self._name(found.after)} ({after.verdict}: {self._said(after)})")
            if len(found.suspects) > 1:
                between = ", ".join(self._name(index) for index in found.suspects)
                say(f"the builds in between cannot be tested; the change is in one of: {between}")
            newest = found.answers[max(index for index, each in found.answers.items() if each.verdict != "untestable")]
            if not after.same_as(newest):
                say(f"note: the newest build gives yet another result ({self._said(newest)})")
        return exit_codes.AS_EXPECTED

    def document(self, found: Found) -> Bisected:
        """Return the results and the conclusion as the JSON document."""
        builds = [
            BuildTried(self._name(index), answer.verdict, self._said(answer))
            for index, answer in sorted(found.answers.items())
        ]
        suspects = [] if found.agree else [self._name(index) for index in found.suspects]
        return Bisected(self._deviation.id, builds, suspects[0] if len(suspects) == 1 else None, suspects)

    def _name(self, index: int) -> str:
        return visible_ascii(self._builds.names[index], limit=200)

    def _said(self, answer: Answer) -> str:
        if answer.verdict == "untestable":
            return visible_ascii(answer.why, limit=200)
        if answer.keys - {self._deviation.key}:
            return visible_ascii("; ".join(sorted(answer.keys)), limit=300)
        *_, (step, call) = with_calls(answer.steps)
        return visible_ascii(format_step(step, call, self._tables, self._names)[1], limit=200)
