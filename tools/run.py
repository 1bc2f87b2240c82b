"""Runs the suites with pytest in this process, independent of the current folder and the environment."""

from __future__ import annotations

import difflib
import os
import shlex
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from clconform.calls import exit_codes
from clconform.calls.run_verdict import select_exit_code
from clconform.harness import StartError, cache_dirs
from clconform.harness.host_shortages import require_open_files
from clconform.harness.machine_needs import require_working_folder
from clconform.reports.compression import packed_path
from clconform.reports.escaping import escape_unprintable
from clconform.reports.id_patterns import matches_pattern
from clconform.reports.known_deviations import read_known_deviations
from clconform.runner.gate.stop_signals import StopRequest, handle_stop_signals
from clconform.runner.journal.last_run import read_last_run
from clconform.runner.journal.suite_names import SUITES, files_by_name, top_level_names
from clconform.runner.journal.writer import JOURNAL_FILE
from clconform.runner.program_binaries import ProgramBinariesError, describe_device, read_binaries
from clconform.runner.pytest_plugin.environment import prepare_environment
from clconform.runner.pytest_plugin.item_selection import parse_shard
from clconform.runner.pytest_plugin.run_plan import START_ERROR_KEY
from clconform.spec_tables import load, loading
from clconform.spec_tables.revision_ids import resolve_pattern
from clconform.tools import revision_option
from clconform.tools.driver_options import DriverOptions, parse_stored_target, survey_target, with_default_driver
from clconform.tools.errors import CommandError
from clconform.tools.output_text import print_text
from clconform.tools.resumed_run import RESUMED_OPTIONS, read_resumed_run
from clconform.tools.standard_output import output_error
from clconform.tools.worker_count import choose_worker_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.calls.protocol import DeviceIdentity, TargetReached
    from clconform.harness import Target

MAX_QUEUED_ITEMS = 4
"""Maximum number of queued items for a worker of pytest-xdist, because a worker with a long queue would end last."""
PLUGINS = ("clconform.runner.pytest_plugin.plugin", "_hypothesis_pytestplugin", "xdist.plugin")
"""Plugins that are loaded by name, so that other installed plugins do not affect a run."""
FAILURES_FILE = "failures.txt"
QUICK_FOLDER = "quick"
"""Name of the folder of a quick run, inside the folder of the run with which it is compared."""
TEST_STAGES = ("setup", "call", "teardown")
"""Stages of an item; a report of another stage means that the worker of pytest-xdist has ended."""


class InternalFailure(NamedTuple):
    """A failure of the suite itself: the test or an empty name, the error in one line, and pytest's full text."""

    test: str
    error: str
    text: str


def _parse_failure(report: pytest.CollectReport | pytest.TestReport) -> InternalFailure:
    told = report.longreprtext
    crash = getattr(report.longrepr, "reprcrash", None)  # the message begins with the exception; notes follow
    error = crash.message.splitlines()[0] if crash is not None and crash.message else _last_line(told)
    test = report.nodeid
    if test.startswith("::") and report.location:  # for other suites than ours, the id lacks the file
        test = f"{Path(report.location[0]).name}{test}"
    return InternalFailure(test, error, told)


def _last_line(text: str) -> str:
    return text.strip().rpartition("\n")[2]


class FailureCollector:
    """A pytest plugin that collects failures of the suite itself: internal errors, and a run that stopped early.

    ``has_result``: the run has written a result. ``only_collects``: pytest only lists the tests.
    """

    def __init__(self, start_error: StartError | None = None) -> None:
        """Start without failures; ``start_error``: the error if the driver could not be started before pytest."""
        self.failures: list[InternalFailure] = []
        self.lost: list[str] = []
        self.interrupted = False
        self.reason = ""
        self.has_result = self.only_collects = False
        self._start_error = start_error

    def pytest_configure(self, config: pytest.Config) -> None:
        """Store the error of the driver's start, so that the plugin reports it without another attempt."""
        if self._start_error is not None:
            config.stash[START_ERROR_KEY] = self._start_error
        self.only_collects = bool(config.option.collectonly)

    def pytest_unconfigure(self, config: pytest.Config) -> None:
        """Store whether the run has written a result."""
        from clconform.runner.pytest_plugin.plugin import RUN_KEY  # pytest imports the plugin itself, before this

        run = config.stash.get(RUN_KEY, None)
        self.has_result = run is not None and run.completion.has_result

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Record a suite that cannot be imported."""
        if report.failed:
            self.failures.append(_parse_failure(report))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record an item that failed for a reason other than the driver."""
        kind = getattr(report, "clconform", "failure")
        if report.failed and (kind == "lost" or report.when not in TEST_STAGES):
            self.lost.append(_last_line(report.longreprtext))
        elif report.failed and kind == "failure":
            self.failures.append(_parse_failure(report))

    def pytest_internalerror(self, excrepr: object) -> None:
        """Record an error of pytest or of the plugin."""
        self.failures.append(InternalFailure("", _last_line(str(excrepr)), str(excrepr)))

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Record why the run stopped early: the message of the plugin, or Ctrl-C."""
        if isinstance(excinfo.value, pytest.exit.Exception):
            self.reason = str(excinfo.value.msg).removeprefix("clconform: ")
        else:
            self.interrupted = True


@dataclass(frozen=True)
class RunOptions:
    """The options of ``clconform run``, except for those that select a driver.

    ``passed_on``: arguments for pytest. ``from_command_line``: names of the options on the command line.
    """

    paths: tuple[str, ...]
    requirements: tuple[str, ...]
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
    verbose: bool
    known: str
    shard: str
    budget: str
    resume: str
    tables: str
    program_binaries: str
    passed_on: tuple[str, ...]
    from_command_line: frozenset[str]
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
            parse_shard(self.shard)
        except pytest.UsageError as error:
            raise CommandError(str(error)) from None

    def plugin_options(self) -> list[str]:
        """Return the options in the form of options of pytest and of the plugin."""
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
            "program-binaries": self.program_binaries or None,
        }
        words = [f"--cl-{name}={value}" for name, value in values.items() if value is not None]
        words += [f"--cl-requirement={pattern}" for pattern in self.requirements]
        words += [f"--cl-tables={loading.selected_folder()}"] if loading.selected_folder() != loading.DATA else []
        words += ["--robustness"] if self.robustness else []
        words += ["--cl-resume"] if self.resume else []
        words += ["--cl-quick"] if self.quick else []
        words += ["--cl-verbose"] if self.verbose else []
        # a budget needs its order of items, which long queues of workers would change
        chunk = 1 if self.budget else MAX_QUEUED_ITEMS
        return [*words, "-n", self.workers, f"--maxschedchunk={chunk}"] if self.workers else words


def run_suites(named: DriverOptions, wanted: RunOptions) -> int:
    """Run the suites and return the exit code; CommandError or HarnessError if there is nothing to run or test."""
    require_working_folder()
    if wanted.known:
        read_known_deviations(Path(wanted.known))
    if wanted.resume:
        named, wanted = _resume_options(named, wanted)
    if wanted.quick:
        named, wanted = _quick_options(named, wanted)
    named, why = with_default_driver(named)
    if why:
        installed = escape_unprintable(named.platform, limit=200)
        print_text(f"clconform: {why}. Testing installed platform {installed} instead.")
    if wanted.tables != revision_option.AUTO:
        revision_option.select_tables(wanted.tables)
    chosen = [_resolve_path(path) for path in wanted.paths] or [str(SUITES)]
    folder = _create_folder(wanted.out)
    require_open_files()
    prepare_environment()
    start_error = _print_target(named, wanted)
    _check_requirements(wanted.requirements)
    wanted = _choose_workers(named, wanted, start_error)
    words = [
        *("-c", os.devnull, f"--rootdir={SUITES.parent}", f"--confcutdir={SUITES}", "--import-mode=importlib"),
        *("-p", "no:cacheprovider", *(word for plugin in PLUGINS for word in ("-p", plugin))),
        *("--strict-markers", "-q", "--tb=no", "-rN", f"--cl-out={folder}", "--cl-progress"),
        *("-o", "console_output_style=classic"),
        f"--basetemp={cache_dirs.process_folder() / 'pytest'}",
        *named.plugin_options(),
        *wanted.plugin_options(),
        *wanted.passed_on,
        *chosen,
    ]
    witness = FailureCollector(start_error)
    with handle_stop_signals() as stop:
        try:
            code = int(pytest.main(words, plugins=[witness]))
        except KeyboardInterrupt:  # a second Ctrl-C while pytest does not handle it
            code = exit_codes.AS_EXPECTED
            witness.interrupted = True
    code = _final_exit_code(code, witness, folder, stop)
    if code == exit_codes.AS_EXPECTED and not (witness.has_result or witness.only_collects):
        print_text("clconform: pytest ran no test, so there is no result", err=True)
        code = exit_codes.INCOMPLETE
    if code == exit_codes.NOTHING_SELECTED:
        print_text(f"clconform: no test was selected; {_selection_text(wanted)}", err=True)
    in_brackets = [path for path in wanted.paths if "[" in path]
    if code == exit_codes.BAD_USAGE and in_brackets and not witness.reason:
        print_text(f"clconform: a test of these ids does not exist: {', '.join(in_brackets)}", err=True)
    return code


def _choose_workers(named: DriverOptions, wanted: RunOptions, start_error: StartError | None) -> RunOptions:
    """Return the options with the number of processes for ``-n auto``; print why it is not that of processors."""
    if wanted.workers != "auto" or start_error is not None:
        return wanted
    count = choose_worker_count(named.target().with_deadlines(wanted.deadline_scale), named.device_index or 0)
    if count.reason:
        print_text(f"clconform: {count.number} processes: {count.reason}")
    return replace(wanted, workers=str(count.number))


def _check_program_binaries(folder: Path, reached: TargetReached, device: DeviceIdentity) -> None:
    """Print that another version of the driver built the program binaries; CommandError if the device cannot use them.

    The plugin also compares the sizes of addresses, which a platform does not report at its start.
    """
    try:
        binaries = read_binaries(folder)
        tested = describe_device(reached, device.handle, binaries.device.address_bits)
        binaries.require_device(tested)
    except ProgramBinariesError as error:
        raise CommandError(f"--program-binaries {error}") from None
    versions = (binaries.device.driver_version, tested.driver_version)
    if versions[0] != versions[1]:
        built, running = (escape_unprintable(version, limit=200) for version in versions)
        print_text(f"clconform: version {built} of the driver built the binaries; version {running} may reject them")


def _selection_text(wanted: RunOptions) -> str:
    """Return the options that select tests as text for a message."""
    given = [
        *wanted.paths,
        *(f"--requirement {pattern}" for pattern in wanted.requirements),
        *((f"--shard {wanted.shard}",) if wanted.shard else ()),
        *((f"-- {' '.join(wanted.passed_on)}",) if wanted.passed_on else ()),
        f"--tier {wanted.tier}",
    ]
    return f"no test matches all of: {', '.join(given)}"


def _resume_options(named: DriverOptions, wanted: RunOptions) -> tuple[DriverOptions, RunOptions]:
    """Return the options of the run to resume, replaced by those on the command line where given.

    The plugin checks that both runs match.
    """
    before = read_resumed_run(wanted.resume, wanted.from_command_line, wanted.out)
    kept = before.options if wanted.passed_on else before.options | {"passed_on": before.passed_on}
    if named.is_empty:
        named = parse_stored_target(
            before.header.target, before.header.device if named.device_index is None else named.device_index
        )
    if not wanted.tables:
        revision_option.select_as_in_result(before.header.documents, before.header.tables)
    return named, replace(wanted, out=str(before.folder), **kept)


def _quick_options(named: DriverOptions, wanted: RunOptions) -> tuple[DriverOptions, RunOptions]:
    """Return the options of a quick run: those of the last run, replaced by those on the command line where given."""
    journal = Path(wanted.out) / JOURNAL_FILE
    if not (journal.exists() or packed_path(journal).exists()):
        if wanted.requirements:
            return named, replace(wanted, out=str(Path(wanted.out) / QUICK_FOLDER))
        raise CommandError(
            f"--quick: there is no run in {wanted.out}; name requirements with --requirement, or the run's folder"
        )
    last = read_last_run(journal)
    failed = [*last.failed, *(() if wanted.known else last.known)]
    if not failed and not wanted.requirements:
        raise CommandError(f"--quick: no test failed in the run in {wanted.out}; name requirements with --requirement")
    kept = {
        name: getattr(last.header, name)
        for name in RESUMED_OPTIONS
        if name != "shard" and name not in wanted.from_command_line
    }
    if not wanted.paths and not wanted.requirements:
        named_files = files_by_name(SUITES)
        names = sorted({item.partition("::")[0] for item in failed})
        kept["paths"] = tuple(name for name in names if name in named_files)
    if named.is_empty:
        named = parse_stored_target(
            last.header.target, last.header.device if named.device_index is None else named.device_index
        )
    return named, replace(wanted, out=str(Path(wanted.out) / QUICK_FOLDER), last=str(journal), **kept)


def _final_exit_code(code: int, witness: FailureCollector, folder: Path, stop: StopRequest) -> int:
    """Return the exit code of a run; print failures of the suite itself to stderr."""
    codes = [exit_codes.BAD_USAGE if code == pytest.ExitCode.USAGE_ERROR else code]
    if witness.interrupted:
        codes = [stop.exit_code, *(each for each in codes if each != pytest.ExitCode.INTERRUPTED)]
    if witness.failures:
        _print_failures(witness.failures, folder)
        codes.append(exit_codes.INTERNAL_ERROR)
    if witness.reason:
        print_text(f"clconform: {escape_unprintable(witness.reason, limit=1000)}", err=True)
    if witness.lost:
        first = escape_unprintable(witness.lost[0], limit=600)
        print_text(f"clconform: items that did not finish: {len(witness.lost)}, the first: {first}", err=True)
        codes.append(exit_codes.INCOMPLETE)
    if stop.signal_name:
        print_text(f"clconform: stopped by {stop.signal_name}", err=True)
    if output_error():
        where = f"the reports are in {folder}"
        print_text(f"clconform: standard output cannot be written ({output_error()}); {where}", err=True)
    return select_exit_code(codes)


def _print_failures(failures: Sequence[InternalFailure], folder: Path) -> None:
    """Print the number of internal errors and the first of them, and write all of them to a file."""
    test, error, _ = failures[0]
    many = "an internal error" if len(failures) == 1 else f"{len(failures)} internal errors, the first"
    told = (
        f"{many}{f' in {escape_unprintable(test, limit=200)}' if test else ''}: {escape_unprintable(error, limit=200)}"
    )
    kept = folder / FAILURES_FILE
    try:
        kept.write_text(
            "\n\n".join(f"{each.test}\n{each.text}".lstrip() for each in failures) + "\n",
            encoding="utf-8",
            errors="backslashreplace",
        )
        told += f"; see {kept}"
    except OSError as error:
        told += f"; cannot write {kept} ({error.strerror})"
    print_text(f"clconform: {told}", err=True)


def _resolve_path(path: str) -> str:
    """Return the name of a suite, the id of an item or a path in pytest's form.

    Relative paths are searched in the current folder and in the folder of the suites.
    """
    name, separator, rest = path.partition("::")
    named = files_by_name(SUITES)
    for place in (named.get(name, Path(name)), SUITES.parent / name, SUITES / name):
        if os.path.exists(place):  # noqa: PTH110 (pathlib raises OSError for a name too long)
            _check_test(path, place, rest if separator else None)
            return f"{place.resolve()}{separator}{rest}"
    near = difflib.get_close_matches(name, named, 1)
    help_ = f"did you mean {near[0]}?" if near else "omit it to run every suite"
    if any(matches_pattern(path, requirement) for requirement in load().requirements):
        help_ = f"to select tests by requirement, write --requirement {shlex.quote(path)}"
    raise CommandError(f"{path}: no suite of that name, and no such file here or in {SUITES}; {help_}")


def _check_test(path: str, place: Path, test: str | None) -> None:
    """Raise CommandError if a suite has no test with the name ``test``, apart from its parameters.

    None means all tests of the suite.
    """
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


def _check_requirements(patterns: Sequence[str]) -> None:
    tables = load()
    for pattern in patterns:
        named = resolve_pattern(pattern, tables)
        if not any(fnmatchcase(requirement, each) for each in named for requirement in tables.requirements):
            raise CommandError(f"--requirement {pattern}: no requirement matches; list them with: clconform tables")


def _create_folder(out: str) -> Path:
    """Return the folder for the output of the run; create it if it is missing, and check that it is writable."""
    folder = Path(out)
    probe = folder / f".clconform-{os.getpid()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
        (folder / FAILURES_FILE).unlink(missing_ok=True)
    except OSError as error:
        raise CommandError(f"--out {out}: cannot write ({error.strerror}); choose another folder") from None
    return folder


def _check_equality(target: Target, reached: TargetReached, other: Target, other_reached: TargetReached) -> None:
    """Raise CommandError if two machines have different platforms, so that they cannot share the items of a run."""
    if reached.platforms == other_reached.platforms and reached.pointer_bytes == other_reached.pointer_bytes:
        return
    shown = escape_unprintable(f"{_describe_platforms(reached)} and {_describe_platforms(other_reached)}", limit=1000)
    raise CommandError(
        f"{target.device} and {other.device} differ, so one run cannot test both ({shown}); give each a run of its own"
    )


def _describe_platforms(reached: TargetReached) -> str:
    """Return the platforms and their devices as one line."""
    return "; ".join(
        f"{platform.name}, {platform.version}, {device.name}, driver {device.driver_version}"
        for platform in reached.platforms
        for device in platform.devices
    )


def _print_target(named: DriverOptions, wanted: RunOptions) -> StartError | None:
    """Print the driver to test and the tables; HarnessError if there is no driver.

    With ``--tables auto``, this function also selects the tables. If the driver exists but does not start, return the
    error, which the run then reports.
    """
    try:
        reached = survey_target(named.target().with_deadlines(wanted.deadline_scale), named.device_index or 0)
    except StartError as error:
        if error.call is None:
            raise
        print_text(f"clconform: testing {named.target()}: {escape_unprintable(str(error), limit=1000)}")
        return error
    for other in named.other_device_targets():
        _check_equality(named.target(), reached, other, survey_target(other, named.device_index or 0))
    platform = next(platform for platform in reached.platforms if platform.devices)
    device = platform.devices[named.device_index or 0]
    said = " · ".join(escape_unprintable(text, limit=200) for text in (platform.name, platform.version, device.name))
    print_text(f"clconform: testing {said} · {reached.access}")
    if wanted.program_binaries:
        _check_program_binaries(Path(wanted.program_binaries), reached, device)
    if wanted.tables == revision_option.AUTO:
        revision_option.select_for_platform(reached)
    if wanted.tables or loading.selected_folder() != loading.DATA:
        print_text(f"clconform: by the tables of revision {revision_option.current_revision()}")
    if revision_option.newer_platform_warning(reached):
        print_text(f"clconform: {revision_option.newer_platform_warning(reached)}")
    others = [other.name for other in reached.platforms if other is not platform]
    if others:
        print_text(f"clconform: other platforms, not tested: {escape_unprintable(', '.join(others), limit=300)}")
    return None
