"""Runs the suites by pytest, in this process, whatever folder and environment it is called from."""

from __future__ import annotations

import difflib
import os
import sys
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest

from clconform.harness import scratch
from clconform.reports import read_journal
from clconform.reports.escaping import visible
from clconform.reports.known_deviations import read_known_deviations
from clconform.runner.gate import exit_codes
from clconform.runner.journal.names import files_by_name
from clconform.runner.journal.writer import JOURNAL
from clconform.runner.pytest_plugin.selection import shard_of
from clconform.spec_tables import load
from clconform.tools.errors import CommandError
from clconform.tools.targets import Named, named_or_default, reach, stored

if TYPE_CHECKING:
    from collections.abc import Sequence

SUITES = Path(__file__).resolve().parents[1] / "suites"
PLUGINS = ("clconform.runner.pytest_plugin.plugin", "_hypothesis_pytestplugin", "xdist.plugin")
"""Loaded by name: what else is installed in the environment does not change a run."""
FAILURES = "failures.txt"


class Witness:
    """Sees, as a plugin of pytest, what of a run's end is no verdict on the driver: bugs of ours and early exits."""

    def __init__(self) -> None:
        self.failures: list[str] = []
        self.interrupted = False
        self.reason = ""

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note a suite that cannot be imported."""
        if report.failed:
            self.failures.append(f"{report.nodeid}\n{report.longreprtext}")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note an item that failed for another reason than the driver."""
        if report.failed and getattr(report, "clconform", "failure") == "failure":
            self.failures.append(f"{report.nodeid}\n{report.longreprtext}")

    def pytest_internalerror(self, excrepr: object) -> None:
        """Note an error of pytest or of our plugin."""
        self.failures.append(str(excrepr))

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Note why the run stopped early: by the plugin's own word, or by Ctrl-C."""
        if isinstance(excinfo.value, pytest.exit.Exception):
            self.reason = str(excinfo.value.msg).removeprefix("clconform: ")
        else:
            self.interrupted = True


@dataclass(frozen=True)
class Wanted:
    """The options of ``clconform run`` that name no driver; ``said``: those that stand on the command line."""

    paths: tuple[str, ...]
    records: tuple[str, ...]
    tier: str
    seed: int | None
    examples: int | None
    workers: str
    out: str
    minimise_seconds: float
    journal: str
    robustness: bool
    known: str
    shard: str
    budget: str
    resume: str
    passed_on: tuple[str, ...]
    said: frozenset[str]

    def __post_init__(self) -> None:
        """CommandError where the options contradict each other."""
        if self.shard and self.known:
            raise CommandError("--shard and --known: the whole run is judged; give them to clconform merge")
        if self.shard and self.seed is None and not self.resume:
            raise CommandError(f"--shard {self.shard} needs --seed N, the same for each shard")
        try:
            shard_of(self.shard)
        except pytest.UsageError as error:
            raise CommandError(str(error)) from None

    def plugin_options(self) -> list[str]:
        """Return the same as options of pytest and of our plugin."""
        values = {
            "tier": self.tier,
            "minimise-seconds": self.minimise_seconds,
            "journal": self.journal,
            "seed": self.seed,
            "examples": self.examples or None,
            "known": self.known or None,
            "shard": self.shard or None,
            "budget": self.budget or None,
        }
        words = [f"--cl-{name}={value}" for name, value in values.items() if value is not None]
        words += [f"--cl-record={pattern}" for pattern in self.records]
        words += ["--robustness"] if self.robustness else []
        words += ["--cl-resume"] if self.resume else []
        words += ["-n", self.workers] if self.workers else []
        # a worker that has many items at hand would not keep to their order
        return [*words, "--maxschedchunk=1"] if self.workers and self.budget else words


def run(named: Named, wanted: Wanted) -> int:
    """Run the suites and return the exit code; CommandError or HarnessError where there is nothing to run or test."""
    if wanted.known:
        read_known_deviations(Path(wanted.known))
    if wanted.resume:
        named, wanted = _as_before(named, wanted)
    named, why = named_or_default(named)
    if why:
        click.echo(f"clconform: {why}. Testing the simulated platform {named.simulated} instead.")
    chosen = [_chosen(path) for path in wanted.paths] or [str(SUITES)]
    _check_records(wanted.records)
    folder = _folder(wanted.out)
    _introduce(named)
    prepare_environment()
    words = [
        *("-c", os.devnull, f"--rootdir={SUITES.parent}", f"--confcutdir={SUITES}", "--import-mode=importlib"),
        *("-p", "no:cacheprovider", *(word for plugin in PLUGINS for word in ("-p", plugin))),
        *("--strict-markers", "-q", "--tb=no", "-rN", f"--cl-out={folder}"),
        *named.plugin_options(),
        *wanted.plugin_options(),
        *wanted.passed_on,
        *chosen,
    ]
    witness = Witness()
    code = int(pytest.main(words, plugins=[witness]))
    return _settled(code, witness, folder)


def _as_before(named: Named, wanted: Wanted) -> tuple[Named, Wanted]:
    """Return what a run that goes on was told when it began, but for what is said now; the plugin compares the two."""
    path = Path(wanted.resume)
    path = path / JOURNAL if path.is_dir() else path
    header = read_journal(path).run
    if path.name != JOURNAL or ("out" in wanted.said and Path(wanted.out).resolve() != path.parent.resolve()):
        raise CommandError(f"--resume {wanted.resume}: a run goes on in its own folder, in {JOURNAL}; leave --out away")
    before: dict[str, Any] = {
        "records": tuple(header.records),
        "paths": tuple(map(_where_it_is, header.paths)),
        **{name: getattr(header, name) for name in ("tier", "seed", "examples", "robustness", "shard")},
    }
    kept = {name: value for name, value in before.items() if name not in wanted.said}
    if not wanted.passed_on:
        words = (("-k", header.keyword) if header.keyword else (), ("-m", header.markers) if header.markers else ())
        kept["passed_on"] = tuple(word for pair in words for word in pair)
    if named.nothing:
        named = stored(header.target, header.device if named.device is None else named.device)
    return named, replace(wanted, out=str(path.parent), **kept)


def _where_it_is(path: str) -> str:
    """Return what a journal's first line calls a suite or a path, without regard to where this command was called."""
    if path.startswith("/") or path.partition("::")[0] in files_by_name(SUITES):
        return path
    return f"{SUITES.parent}/{path}"


def _settled(code: int, witness: Witness, folder: Path) -> int:
    """Return the exit code of a run, with what is no verdict said on stderr."""
    if witness.failures:
        kept = folder / FAILURES
        kept.write_text("\n\n".join(witness.failures) + "\n", encoding="utf-8", errors="backslashreplace")
        last = witness.failures[0].strip().splitlines()[-1]
        one = f"{len(witness.failures)} failures of our own, the first: {visible(last, limit=200)}; all are in {kept}"
        click.echo(f"clconform: {one}", err=True)
        return max(code, exit_codes.OUR_FAILURE) if code in exit_codes.MEANINGS else exit_codes.OUR_FAILURE
    if witness.reason:
        click.echo(f"clconform: {visible(witness.reason, limit=1000)}", err=True)
    if witness.interrupted:
        return exit_codes.INTERRUPTED
    return exit_codes.BAD_USAGE if code == pytest.ExitCode.USAGE_ERROR else code


def _chosen(path: str) -> str:
    """Return a suite's name, an item's id or a path as pytest takes it; paths are looked for here and at the suites."""
    name, separator, rest = path.partition("::")
    named = files_by_name(SUITES)
    for place in (named.get(name, Path(name)), SUITES.parent / name, SUITES / name):
        if place.exists():
            return f"{place.resolve()}{separator}{rest}"
    near = difflib.get_close_matches(name, named, 1)
    help_ = f"did you mean {near[0]}?" if near else "leave it out to run every suite"
    raise CommandError(f"{path}: there is no suite of that name, and no such file here or beside {SUITES}; {help_}")


def _check_records(patterns: Sequence[str]) -> None:
    known = load().records
    for pattern in patterns:
        if not any(fnmatchcase(record, pattern) for record in known):
            raise CommandError(f"--record {pattern}: no record matches; list them with: clconform tables")


def _folder(out: str) -> Path:
    """Return the folder for what the run leaves behind, made where it is missing and seen to be writable."""
    folder = Path(out)
    probe = folder / f".clconform-{os.getpid()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
        (folder / FAILURES).unlink(missing_ok=True)
    except OSError as error:
        raise CommandError(
            f"--out {out}: nothing can be written there ({error.strerror}); choose another folder"
        ) from None
    return folder


def _introduce(named: Named) -> None:
    """Say what is going to be tested; HarnessError where nothing answers."""
    reached = reach(named.target(), named.device or 0)
    platform = next(platform for platform in reached.platforms if platform.devices)
    device = platform.devices[named.device or 0]
    said = " · ".join(visible(text, limit=200) for text in (platform.name, platform.version, device.name))
    click.echo(f"clconform: testing {said} · {reached.access}")
    others = [other.name for other in reached.platforms if other is not platform]
    if others:
        click.echo(f"clconform: not tested, although they answer too: {visible(', '.join(others), limit=300)}")
    sys.stdout.flush()


def prepare_environment() -> None:
    """Keep the user's pytest settings out of the run, and Hypothesis' files out of the user's folder."""
    for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
        os.environ.pop(name, None)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(scratch.folder() / "hypothesis")
