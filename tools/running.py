"""Runs the suites with pytest, in this process, independent of the current folder and environment."""

from __future__ import annotations

import difflib
import os
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from clconform.harness import StartError, scratch
from clconform.harness.shortages import require_open_files
from clconform.reports.escaping import visible
from clconform.reports.known_deviations import read_known_deviations
from clconform.reports.packing import packed_name
from clconform.runner.gate import exit_codes
from clconform.runner.gate.stopping import Stop, heeded
from clconform.runner.journal.last_run import last_run
from clconform.runner.journal.names import files_by_name, top_level_names
from clconform.runner.journal.writer import JOURNAL
from clconform.runner.pytest_plugin.plan import START_KEY
from clconform.runner.pytest_plugin.selection import shard_of
from clconform.spec_tables import load, loading
from clconform.spec_tables.across import in_place_of
from clconform.tools import choosing
from clconform.tools.errors import CommandError
from clconform.tools.output import lost_output
from clconform.tools.resuming import KEPT, SUITES, run_before
from clconform.tools.saying import say
from clconform.tools.targets import Named, named_or_default, reach, stored

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_QUEUED = 4
"""Maximum number of items queued for a worker of pytest-xdist: a worker with a long queue ends last."""
PLUGINS = ("clconform.runner.pytest_plugin.plugin", "_hypothesis_pytestplugin", "xdist.plugin")
"""Loaded by name, so that other installed plugins do not affect a run."""
FAILURES = "failures.txt"
QUICK_OUT = "quick"
"""Name of the folder of a quick run, inside the folder of the run that it is compared with."""
STAGES = ("setup", "call", "teardown")
"""Stages of an item; a report of another stage means that the item's pytest-xdist worker has ended."""


class Failure(NamedTuple):
    """A failure of the suite itself: the test, if any, the error in one line, and pytest's full text."""

    test: str
    error: str
    told: str


def _failure_of(report: pytest.CollectReport | pytest.TestReport) -> Failure:
    told = report.longreprtext
    crash = getattr(report.longrepr, "reprcrash", None)  # the message begins with the exception; notes follow
    error = crash.message.splitlines()[0] if crash is not None and crash.message else _last_line(told)
    test = report.nodeid
    if test.startswith("::") and report.location:  # outside our suites, an id lacks its file
        test = f"{Path(report.location[0]).name}{test}"
    return Failure(test, error, told)


def _last_line(text: str) -> str:
    return text.strip().rpartition("\n")[2]


class Witness:
    """A pytest plugin that collects failures other than verdicts on the driver: internal errors and early exits."""

    def __init__(self, start_error: StartError | None = None) -> None:
        """Start without failures. ``start_error``: the error of the driver's start before pytest."""
        self.failures: list[Failure] = []
        self.lost: list[str] = []
        self.interrupted = False
        self.reason = ""
        self._start_error = start_error

    def pytest_configure(self, config: pytest.Config) -> None:
        """Store the driver's start error, so that the plugin reports it without waiting for another start."""
        if self._start_error is not None:
            config.stash[START_KEY] = self._start_error

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Record a suite that cannot be imported."""
        if report.failed:
            self.failures.append(_failure_of(report))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record an item that failed for a reason other than the driver."""
        kind = getattr(report, "clconform", "failure")
        if report.failed and (kind == "lost" or report.when not in STAGES):
            self.lost.append(_last_line(report.longreprtext))
        elif report.failed and kind == "failure":
            self.failures.append(_failure_of(report))

    def pytest_internalerror(self, excrepr: object) -> None:
        """Record an error of pytest or of our plugin."""
        self.failures.append(Failure("", _last_line(str(excrepr)), str(excrepr)))

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Record why the run stopped early: the plugin's message, or Ctrl-C."""
        if isinstance(excinfo.value, pytest.exit.Exception):
            self.reason = str(excinfo.value.msg).removeprefix("clconform: ")
        else:
            self.interrupted = True


@dataclass(frozen=True)
class Wanted:
    """The options of ``clconform run`` other than the driver; ``said``: those given on the command line."""

    paths: tuple[str, ...]
    records: tuple[str, ...]
    tier: str
    seed: int | None
    examples: int | None
    workers: str
    out: str
    minimise_seconds: float
    deadline_scale: float
    journal: str
    robustness: bool
    quick: bool
    known: str
    shard: str
    budget: str
    resume: str
    tables: str
    passed_on: tuple[str, ...]
    said: frozenset[str]
    last: str = ""

    def __post_init__(self) -> None:
        """Raise CommandError if the options contradict each other."""
        if self.shard and self.known:
            raise CommandError("--shard and --known cannot be combined; give --known to clconform merge")
        if self.shard and self.seed is None and not self.resume:
            raise CommandError(f"--shard {self.shard} needs --seed N, the same for every shard")
        if self.quick and (self.shard or self.resume):
            raise CommandError("--quick cannot be combined with --shard or --resume")
        try:
            shard_of(self.shard)
        except pytest.UsageError as error:
            raise CommandError(str(error)) from None

    def plugin_options(self) -> list[str]:
        """Return these as options of pytest and of our plugin."""
        values = {
            "tier": self.tier,
            "minimise-seconds": self.minimise_seconds,
            "deadline-scale": self.deadline_scale,
            "journal": self.journal,
            "seed": self.seed,
            "examples": self.examples or None,
            "known": self.known or None,
            "shard": self.shard or None,
            "budget": self.budget or None,
            "last": self.last or None,
        }
        words = [f"--cl-{name}={value}" for name, value in values.items() if value is not None]
        words += [f"--cl-record={pattern}" for pattern in self.records]
        words += [f"--cl-tables={loading.chosen()}"] if loading.chosen() != loading.DATA else []
        words += ["--robustness"] if self.robustness else []
        words += ["--cl-resume"] if self.resume else []
        words += ["--cl-quick"] if self.quick else []
        # a budget needs the order of items, which long queues of workers would change
        chunk = 1 if self.budget else MOST_QUEUED
        return [*words, "-n", self.workers, f"--maxschedchunk={chunk}"] if self.workers else words


def run(named: Named, wanted: Wanted) -> int:
    """Run the suites and return the exit code; CommandError or HarnessError if there is nothing to run or test."""
    if wanted.known:
        read_known_deviations(Path(wanted.known))
    if wanted.resume:
        named, wanted = _as_before(named, wanted)
    if wanted.quick:
        named, wanted = _as_last_time(named, wanted)
    named, why = named_or_default(named)
    if why:
        say(f"clconform: {why}. Testing simulated platform {named.simulated} instead.")
    if wanted.tables != choosing.AUTO:
        choosing.choose(wanted.tables)
    chosen = [_chosen(path) for path in wanted.paths] or [str(SUITES)]
    folder = _folder(wanted.out)
    require_open_files()
    prepare_environment()
    start_error = _introduce(named, wanted)
    _check_records(wanted.records)
    words = [
        *("-c", os.devnull, f"--rootdir={SUITES.parent}", f"--confcutdir={SUITES}", "--import-mode=importlib"),
        *("-p", "no:cacheprovider", *(word for plugin in PLUGINS for word in ("-p", plugin))),
        *("--strict-markers", "-q", "--tb=no", "-rN", f"--cl-out={folder}", "--cl-progress"),
        *("-o", "console_output_style=classic"),
        f"--basetemp={scratch.folder() / 'pytest'}",
        *named.plugin_options(),
        *wanted.plugin_options(),
        *wanted.passed_on,
        *chosen,
    ]
    witness = Witness(start_error)
    with heeded() as stop:
        try:
            code = int(pytest.main(words, plugins=[witness]))
        except KeyboardInterrupt:  # a second Ctrl-C at a moment when pytest does not handle it
            code = exit_codes.AS_EXPECTED
            witness.interrupted = True
    code = _settled(code, witness, folder, stop)
    if code == exit_codes.NOTHING_SELECTED:
        say(f"clconform: no test was selected; {_selecting(wanted)}", err=True)
    in_brackets = [path for path in wanted.paths if "[" in path]
    if code == exit_codes.BAD_USAGE and in_brackets and not witness.reason:
        say(f"clconform: a test of these ids does not exist: {', '.join(in_brackets)}", err=True)
    return code


def _selecting(wanted: Wanted) -> str:
    """Return a message with the options that select tests."""
    given = [
        *wanted.paths,
        *(f"--record {pattern}" for pattern in wanted.records),
        *((f"--shard {wanted.shard}",) if wanted.shard else ()),
        *((f"-- {' '.join(wanted.passed_on)}",) if wanted.passed_on else ()),
        f"--tier {wanted.tier}",
    ]
    return f"no test matches all of: {', '.join(given)}"


def _as_before(named: Named, wanted: Wanted) -> tuple[Named, Wanted]:
    """Return the options of the run to resume, overridden by the current ones; the plugin compares the two."""
    before = run_before(wanted.resume, wanted.said, wanted.out)
    kept = before.options if wanted.passed_on else before.options | {"passed_on": before.passed_on}
    if named.nothing:
        named = stored(before.header.target, before.header.device if named.device is None else named.device)
    if not wanted.tables:
        choosing.choose_as(before.header.documents, before.header.tables)
    return named, replace(wanted, out=str(before.folder), **kept)


def _as_last_time(named: Named, wanted: Wanted) -> tuple[Named, Wanted]:
    """Return the options of a quick run: those of the last run in its folder, overridden by the current ones."""
    journal = Path(wanted.out) / JOURNAL
    if not (journal.exists() or packed_name(journal).exists()):
        if wanted.records:
            return named, replace(wanted, out=str(Path(wanted.out) / QUICK_OUT))
        raise CommandError(
            f"--quick: there is no run in {wanted.out}; name requirements with --record, or the run's folder"
        )
    last = last_run(journal)
    failed = [*last.wrong, *(() if wanted.known else last.known)]
    if not failed and not wanted.records:
        raise CommandError(f"--quick: no test failed in the run in {wanted.out}; name requirements with --record")
    kept = {name: getattr(last.header, name) for name in KEPT if name != "shard" and name not in wanted.said}
    if not wanted.paths and not wanted.records:
        named_files = files_by_name(SUITES)
        names = sorted({item.partition("::")[0] for item in failed})
        kept["paths"] = tuple(name for name in names if name in named_files)
    if named.nothing:
        named = stored(last.header.target, last.header.device if named.device is None else named.device)
    return named, replace(wanted, out=str(Path(wanted.out) / QUICK_OUT), last=str(journal), **kept)


def _settled(code: int, witness: Witness, folder: Path, stop: Stop) -> int:
    """Return the exit code of a run; print failures other than verdicts to stderr."""
    codes = [exit_codes.BAD_USAGE if code == pytest.ExitCode.USAGE_ERROR else code]
    if witness.interrupted:
        codes = [stop.code, *(each for each in codes if each != pytest.ExitCode.INTERRUPTED)]
    if witness.failures:
        _print_failures(witness.failures, folder)
        codes.append(exit_codes.OUR_FAILURE)
    if witness.reason:
        say(f"clconform: {visible(witness.reason, limit=1000)}", err=True)
    if witness.lost:
        first = visible(witness.lost[0], limit=600)
        say(f"clconform: items that did not finish: {len(witness.lost)}, the first: {first}", err=True)
        codes.append(exit_codes.INCOMPLETE)
    if stop.name:
        say(f"clconform: stopped by {stop.name}", err=True)
    if lost_output():
        where = f"the reports are in {folder}"
        say(f"clconform: standard output cannot be written ({lost_output()}); {where}", err=True)
    return exit_codes.deciding(codes)


def _print_failures(failures: Sequence[Failure], folder: Path) -> None:
    """Print the number of internal errors and the first one, and write them all to a file."""
    test, error, _ = failures[0]
    many = "an internal error" if len(failures) == 1 else f"{len(failures)} internal errors, the first"
    told = f"{many}{f' in {visible(test, limit=200)}' if test else ''}: {visible(error, limit=200)}"
    kept = folder / FAILURES
    try:
        kept.write_text(
            "\n\n".join(f"{each.test}\n{each.told}".lstrip() for each in failures) + "\n",
            encoding="utf-8",
            errors="backslashreplace",
        )
        told += f"; see {kept}"
    except OSError as error:
        told += f"; cannot write {kept} ({error.strerror})"
    say(f"clconform: {told}", err=True)


def _chosen(path: str) -> str:
    """Return a suite's name, an item's id or a path in pytest's form; search the current folder and the suites."""
    name, separator, rest = path.partition("::")
    named = files_by_name(SUITES)
    for place in (named.get(name, Path(name)), SUITES.parent / name, SUITES / name):
        if os.path.exists(place):  # noqa: PTH110 (pathlib raises OSError for a name too long)
            _check_test(path, place, rest if separator else None)
            return f"{place.resolve()}{separator}{rest}"
    near = difflib.get_close_matches(name, named, 1)
    help_ = f"did you mean {near[0]}?" if near else "omit it to run every suite"
    raise CommandError(f"{path}: no suite of that name, and no such file here or in {SUITES}; {help_}")


def _check_test(path: str, place: Path, test: str | None) -> None:
    """Check that a suite has a test of that name (None: all tests), without its parameters; CommandError if not."""
    if test is None:
        return
    if place.is_dir():
        raise CommandError(f"{path}: a folder has no tests of its own; name one of the suites in it, or the folder")
    known, wanted = top_level_names(place), test.partition("[")[0].partition("::")[0]
    if wanted not in known:
        tests = [name for name in known if name.lower().startswith("test")]
        near = difflib.get_close_matches(wanted, tests, 1)
        hint = f"did you mean {near[0]}?" if near else f"it has {', '.join(tests) or 'none'}"
        raise CommandError(f"{path}: the suite has no test {wanted!r}; {hint}")


def _check_records(patterns: Sequence[str]) -> None:
    tables = load()
    for pattern in patterns:
        named = in_place_of(pattern, tables)
        if not any(fnmatchcase(record, each) for each in named for record in tables.records):
            raise CommandError(f"--record {pattern}: no requirement matches; list them with: clconform tables")


def _folder(out: str) -> Path:
    """Return the folder for the run's output, created if missing and checked to be writable."""
    folder = Path(out)
    probe = folder / f".clconform-{os.getpid()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
        (folder / FAILURES).unlink(missing_ok=True)
    except OSError as error:
        raise CommandError(f"--out {out}: cannot write ({error.strerror}); choose another folder") from None
    return folder


def _introduce(named: Named, wanted: Wanted) -> StartError | None:
    """Print the driver to test and the tables; HarnessError if there is no driver.

    With ``--tables auto`` the tables are selected here. If the driver exists but does not start, return its error for
    the run to report.
    """
    try:
        reached = reach(named.target().with_deadlines(wanted.deadline_scale), named.device or 0)
    except StartError as error:
        if error.call is None:
            raise
        say(f"clconform: testing {named.target()}: {visible(str(error), limit=1000)}")
        return error
    platform = next(platform for platform in reached.platforms if platform.devices)
    device = platform.devices[named.device or 0]
    said = " · ".join(visible(text, limit=200) for text in (platform.name, platform.version, device.name))
    say(f"clconform: testing {said} · {reached.access}")
    if wanted.tables == choosing.AUTO:
        choosing.choose_for(reached)
    if wanted.tables or loading.chosen() != loading.DATA:
        say(f"clconform: by the tables of revision {choosing.revision()}")
    if choosing.too_new(reached):
        say(f"clconform: {choosing.too_new(reached)}")
    others = [other.name for other in reached.platforms if other is not platform]
    if others:
        say(f"clconform: other platforms, not tested: {visible(', '.join(others), limit=300)}")
    return None


def prepare_environment() -> None:
    """Exclude the user's pytest settings from the run, and keep Hypothesis' files out of the user's folder."""
    for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
        os.environ.pop(name, None)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(scratch.folder() / "hypothesis")
