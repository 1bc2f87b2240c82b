"""The ``bisect`` command: finds the first build of a driver whose results for stored calls differ."""

from __future__ import annotations

import re
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from clconform.calls import exit_codes
from clconform.calls.host_threads import pair_with_calls
from clconform.harness import HarnessError, Target
from clconform.harness.inherited_settings import original_environment
from clconform.reports.call_formatting import ValueNames, format_step
from clconform.reports.escaping import escape_non_ascii, escape_unprintable
from clconform.reports.json_documents import encode_document
from clconform.reports.untrusted_files import GivenFileError, read_text
from clconform.runner.deviations.bisection import BisectionResult, BuildResult, find_first_change, run_on_build
from clconform.runner.deviations.confirmation_steps import HANG_DEADLINES
from clconform.spec_tables import load
from clconform.tools.errors import CommandError
from clconform.tools.output_text import print_text
from clconform.tools.replay import tested_device_index
from clconform.tools.result_commands import find_deviation, load_result_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.reports import DeviationResult

FORMAT = 1
TITLE = "Output of clconform bisect"
REVISION_PLACEHOLDER = "{}"
"""The text in the build command that is replaced by the revision."""
REVISION_RANGE = re.compile(r"([0-9]{1,9})\.\.([0-9]{1,9})")
MAX_REVISIONS = 100_000
"""Maximum number of revisions in a range."""


class TriedBuild(msgspec.Struct, frozen=True):
    """The result of one build: conforming (good), a deviation (bad), or untestable."""

    build: str
    verdict: Literal["good", "bad", "untestable"]
    observed: str


class BisectResult(msgspec.Struct, frozen=True):
    """The result of a search.

    ``builds``: the builds that were replayed, oldest first. ``first``: the first build with a different result; None if
    it cannot be determined, because builds before it are untestable. ``suspects``: all builds that may be the first.
    """

    deviation: str
    builds: list[TriedBuild]
    first: str | None
    suspects: list[str]
    format: int = FORMAT


@dataclass(frozen=True)
class BuildSeries:
    """The builds, oldest first: driver libraries, or revisions for which ``command`` builds the library ``driver``."""

    names: list[str]
    command: list[str]
    driver: str
    direct: bool

    def target(self, number: int) -> Target:
        """Return the target for the build with this number; if there is a build command, run it first.

        HarnessError if the library is missing or the build fails.
        """
        name = self.names[number]
        if self.command:
            _run_build([word.replace(REVISION_PLACEHOLDER, name) for word in self.command])
        return Target.driver(self.driver or name, direct=self.direct)


def bisect_builds(  # (one parameter per option)
    result_path: str,
    deviation_id: str,
    drivers: Sequence[str],
    *,
    build: str,
    revisions: str,
    driver: str,
    direct: bool,
    device: int | None,
    as_json: bool,
) -> int:
    """Replay a deviation on as few builds as needed; print each result and the first build with a different result."""
    result, _ = load_result_at(result_path)
    deviation = find_deviation(result, deviation_id)
    if not deviation.sequence:
        raise CommandError(f"the result has no stored calls for {deviation.id}; run the suite again")
    builds = _select_builds(drivers, build, revisions, driver, direct=direct)
    number = tested_device_index(result) if device is None else device
    telling = _BisectPrinter(deviation, builds, quiet=as_json)
    telling.print_deviation()

    def probe(index: int) -> BuildResult:
        answer = _probe_build(builds, index, deviation, number)
        telling.print_result(index, answer)
        return answer

    found = find_first_change(len(builds.names), probe)
    if as_json:
        print_text(encode_document(telling.to_document(found)), nl=False)
    return telling.print_conclusion(found)


def _probe_build(builds: BuildSeries, index: int, deviation: DeviationResult, device: int) -> BuildResult:
    deadlines = HANG_DEADLINES if deviation.verdict == "hangs" else None
    try:
        target = builds.target(index)
    except HarnessError as error:
        return BuildResult("untestable", reason=str(error))
    return run_on_build(target, load(), deviation.sequence, device_index=device, deadlines=deadlines)


def _select_builds(drivers: Sequence[str], build: str, revisions: str, driver: str, *, direct: bool) -> BuildSeries:
    if drivers and (build or revisions or driver):
        raise CommandError("give either the builds' libraries, or --build, --revisions and --driver")
    if not drivers and not (build and revisions and driver):
        raise CommandError(
            "no builds given; list their libraries, oldest first, or use --build COMMAND --revisions R --driver LIB"
        )
    if build and REVISION_PLACEHOLDER not in build:
        raise CommandError(
            f"--build {build}: the command must contain {REVISION_PLACEHOLDER} as the placeholder for the revision"
        )
    try:
        command = shlex.split(build)
    except ValueError as error:
        raise CommandError(f"--build {build}: {error}") from None
    names = list(drivers) or _read_revisions(revisions)
    if len(names) < 2:  # noqa: PLR2004 (an oldest and a newest)
        raise CommandError(f"at least two builds are needed (oldest and newest), got {len(names)}")
    return BuildSeries(names, command, driver, direct)


def _read_revisions(given: str) -> list[str]:
    """Return the revisions in an option's value: a range of numbers, or a file with one revision per line."""
    span = REVISION_RANGE.fullmatch(given)
    if span:
        numbers = range(int(span[1]), int(span[2]) + 1)
        if len(numbers) > MAX_REVISIONS:
            raise CommandError(f"--revisions {given}: more than {MAX_REVISIONS} revisions")
        return [str(number) for number in numbers]
    try:
        lines = read_text(Path(given)).splitlines()
    except GivenFileError as error:
        raise CommandError(
            f"--revisions {given}: not a range of numbers (1..16) or a file with one revision per line: {error}"
        ) from None
    return [line.strip() for line in lines if line.strip()]


def _run_build(command: list[str]) -> None:
    """Run a build command; if it fails, raise HarnessError with the last line of its output."""
    try:
        done = subprocess.run(
            command, env=original_environment(), capture_output=True, check=False, stdin=subprocess.DEVNULL
        )
    except OSError as error:
        raise HarnessError(f"cannot start {command[0]}: {error.strerror}") from None
    if done.returncode:
        said = (done.stderr or done.stdout).decode("utf-8", "backslashreplace").strip().splitlines()
        raise HarnessError(f"the build failed with exit code {done.returncode}: {said[-1] if said else 'no output'}")


class _BisectPrinter:
    """Prints the result of each build, and finally the first build with a different result."""

    def __init__(self, deviation: DeviationResult, builds: BuildSeries, *, quiet: bool) -> None:
        self._deviation, self._builds, self._quiet = deviation, builds, quiet
        self._tables = load()
        self._names = ValueNames(self._tables)

    def print_deviation(self) -> None:
        """Print the deviation that is replayed."""
        deviation, count = self._deviation, len(self._builds.names)
        if not self._quiet:
            print_text(f"{deviation.id}  {deviation.verdict}  {escape_unprintable(' | '.join(deviation.requirements))}")
            print_text(f"allowed: {escape_unprintable(', '.join(deviation.allowed))}; {count} builds, oldest first")

    def print_result(self, index: int, answer: BuildResult) -> None:
        """Print the result of one build."""
        if not self._quiet:
            number = f"{index + 1} of {len(self._builds.names)}"
            print_text(f"  {number:>12}  {answer.verdict:<10}  {self._build_name(index)}: {self._result_text(answer)}")

    def print_conclusion(self, found: BisectionResult) -> int:
        """Print the first build with a different result; CommandError if the oldest and newest build do not differ."""
        if found.before is None or found.after is None:
            many = len(found.results)
            raise CommandError(f"fewer than two of {many} builds could be tested", exit_codes.NO_SUCH_PLATFORM)
        before, after = found.results[found.before], found.results[found.after]
        if found.is_unchanged:
            raise CommandError(
                f"the oldest and the newest testable build give the same result ({before.verdict}:  "
                f"{self._result_text(before)}), so there is nothing to bisect; give a wider range"
            )
        if not self._quiet:
            print_text(
                f"last with the old result:  {self._build_name(found.before)} ({before.verdict}: "
                f"{self._result_text(before)})"
            )
            print_text(
                f"first with the new result: {self._build_name(found.after)} ({after.verdict}: "
                f"{self._result_text(after)})"
            )
            if len(found.suspects) > 1:
                between = ", ".join(self._build_name(index) for index in found.suspects)
                print_text(f"the builds in between cannot be tested; the change is in one of: {between}")
            newest = found.results[max(index for index, each in found.results.items() if each.verdict != "untestable")]
            if not after.is_same_as(newest):
                print_text(f"note: the newest build gives yet another result ({self._result_text(newest)})")
        return exit_codes.AS_EXPECTED

    def to_document(self, found: BisectionResult) -> BisectResult:
        """Return the results and the conclusion as the JSON document."""
        builds = [
            TriedBuild(self._build_name(index), answer.verdict, self._result_text(answer))
            for index, answer in sorted(found.results.items())
        ]
        suspects = [] if found.is_unchanged else [self._build_name(index) for index in found.suspects]
        return BisectResult(self._deviation.id, builds, suspects[0] if len(suspects) == 1 else None, suspects)

    def _build_name(self, index: int) -> str:
        return escape_non_ascii(self._builds.names[index], limit=200)

    def _result_text(self, answer: BuildResult) -> str:
        if answer.verdict == "untestable":
            return escape_non_ascii(answer.reason, limit=200)
        if answer.deviation_keys - {self._deviation.key}:
            return escape_non_ascii("; ".join(sorted(answer.deviation_keys)), limit=300)
        *_, (step, call) = pair_with_calls(answer.steps)
        return escape_non_ascii(format_step(step, call, self._tables, self._names)[1], limit=200)
