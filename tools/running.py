"""Runs the suites by pytest, in this process, whatever folder and environment it is called from."""

from __future__ import annotations

import os
import sys
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

from clconform.harness import scratch
from clconform.judge import exit_codes
from clconform.reports.escaping import visible
from clconform.reports.expectations import read_expectations
from clconform.reports.writing import REPORTS
from clconform.spec_tables import load
from clconform.tools.errors import CommandError
from clconform.tools.targets import Named, named_or_default, reach

if TYPE_CHECKING:
    from collections.abc import Sequence

SUITES = Path(__file__).resolve().parents[1] / "suites"
PLUGINS = ("clconform.judge.plugin", "_hypothesis_pytestplugin", "xdist.plugin")
"""Loaded by name: what else is installed in the environment does not change a run."""
FAILURES = "failures.txt"
LEFT_BEHIND = (*REPORTS, FAILURES)
"""Of an earlier run in the same folder; removed, so that nothing stale lies beside a journal that is cut short."""


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


def run(
    named: Named,
    paths: Sequence[str],
    passed_on: Sequence[str],
    *,
    records: Sequence[str],
    out: str,
    workers: int,
    expectations: str,
    settings: Sequence[str],
) -> int:
    """Run the suites and return the exit code; CommandError or HarnessError where there is nothing to run or test.

    ``passed_on``: pytest's own arguments. ``expectations``: a file of known deviations, or nothing; it is read before
    anything else is done. ``settings``: further options of the plugin.
    """
    if expectations:
        read_expectations(Path(expectations))
    named, why = named_or_default(named)
    if why:
        click.echo(f"clconform: {why}. Testing the simulated platform {named.simulated} instead.")
    chosen = [_chosen(path) for path in paths] or [str(SUITES)]
    _check_records(records)
    folder = _folder(out)
    _introduce(named)
    prepare_environment()
    words = [
        *("-c", os.devnull, f"--rootdir={SUITES.parent}", f"--confcutdir={SUITES}", "--import-mode=importlib"),
        *("-p", "no:cacheprovider", *(word for plugin in PLUGINS for word in ("-p", plugin))),
        *("--strict-markers", "-q", "--tb=no", "-rN", f"--cl-out={folder}"),
        *named.plugin_options(),
        *(f"--cl-record={pattern}" for pattern in records),
        *((f"--cl-expectations={expectations}",) if expectations else ()),
        *settings,
        *(("-n", str(workers)) if workers else ()),
        *passed_on,
        *chosen,
    ]
    witness = Witness()
    code = int(pytest.main(words, plugins=[witness]))
    return _settled(code, witness, folder)


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
    """Return a path or an item's id as pytest takes it; both are looked for here and beside the suites."""
    name, separator, rest = path.partition("::")
    for place in (Path(name), SUITES.parent / name, SUITES / name):
        if place.exists():
            return f"{place.resolve()}{separator}{rest}"
    raise CommandError(f"{path}: there is no such file here or beside {SUITES}; leave it out to run every suite")


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
        for name in LEFT_BEHIND:
            (folder / name).unlink(missing_ok=True)
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
    click.echo(f"clconform: testing {said} · {reached.way}")
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
