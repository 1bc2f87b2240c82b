"""Tells which predicates no test would miss: each is dropped, and the tests that name its record must fail.

As a command, ``python -m tests.dropped [ID...]``, it does so for these records, or for all that have a predicate of
their own, and ends with 1 where a record's tests all pass without it. ``--tests FOLDER``: other tests than the
oracle's. All runs in one process, of which pytest is asked only to collect the tests and to run single ones.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest
from _pytest.runner import runtestprotocol

from clconform.oracles.engine.rulebook import rulebook_of
from clconform.spec_tables import load, loading

from .naming import Test, named_by_tests

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clconform.oracles.engine.rulebook import Rulebook

TESTS = Path(__file__).resolve().parent / "oracles"


def _rulebooks() -> list[Rulebook]:
    """Return the one rulebook of each revision."""
    chosen, found = loading.selected_folder(), []
    for revision in loading.list_revisions():
        loading.select_folder(loading.REVISIONS / revision)
        found.append(rulebook_of(load()))
    loading.select_folder(chosen)
    return found


@contextmanager
def without(record: str) -> Iterator[None]:
    """Judge without a record's predicate for a while, by the tables of whatever revision."""
    rulebooks = _rulebooks()
    kept = [rulebook._predicates for rulebook in rulebooks]
    for rulebook in rulebooks:
        rulebook._function_rules = {}
        rulebook._predicates = {name: each for name, each in rulebook._predicates.items() if name != record}
    try:
        yield
    finally:
        for rulebook, predicates in zip(rulebooks, kept, strict=True):
            rulebook._predicates, rulebook._function_rules = predicates, {}


class Dropping:
    """What pytest does in place of its own loop: it runs the tests of one record after the other without it."""

    def __init__(self, records: Iterable[str], named: dict[str, list[Test]]) -> None:
        self.records, self.named = list(records), named
        self.complaints: list[str] = []

    def pytest_configure(self, config: pytest.Config) -> None:
        """Have no tracebacks made: nobody reads why a test fails."""
        config.option.tbstyle = "no"

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Drop each predicate and run its tests until one fails."""
        if session.testsfailed:
            raise session.Failed(f"{session.testsfailed} modules cannot be collected")
        items: dict[Test, list[pytest.Function]] = {}
        for item in session.items:
            if isinstance(item, pytest.Function):
                items.setdefault(Test(item.path.resolve(), item.originalname), []).append(item)
        for record in self.records:
            own = [item for test in self.named.get(record, ()) for item in items.get(test, ())]
            own.sort(key=lambda item: not _asks_about(item, record))
            complaint = _complaint(record, own)
            if complaint:
                self.complaints.append(f"{record}: {complaint}")
        session._setupstate.teardown_exact(None)
        return True


def _asks_about(item: pytest.Function, record: str) -> bool:
    """Tell whether a record is named in the row that an item is made from."""
    return hasattr(item, "callspec") and record in repr(item.callspec.params)


def _complaint(record: str, items: list[pytest.Function]) -> str:
    """Return what is wrong with a record's tests, or an empty string: one fails without it, and only without it."""
    if not items:
        return "no test names it"
    for item in items:
        with without(record):
            noticed = _fails(item)
        if noticed:
            return f"{item.nodeid} fails with its predicate, too" if _fails(item) else ""
    names = ", ".join(dict.fromkeys(item.originalname for item in items))
    return f"without its predicate the tests that name it pass as before: {names}"


def _fails(item: pytest.Function) -> bool:
    """Run an item; what its module has set up is kept for the next one."""
    item.session._setupstate.teardown_exact(item)
    beside = next((each for each in item.session.items if each.parent is item.parent and each is not item), None)
    return any(report.failed for report in runtestprotocol(item, log=False, nextitem=beside))


def unnoticed(records: Iterable[str], folder: Path = TESTS) -> list[str]:
    """Return, for each of the records whose predicate no test of a folder would miss, a line that says so."""
    records = list(records)
    named = named_by_tests(folder.resolve(), records)
    files = sorted({str(test.file) for tests in named.values() for test in tests})
    dropping = Dropping(records, named)
    options = ["-p", "no:terminal", "-p", "no:cacheprovider", "--assert=plain"]
    code = pytest.main([*options, *files], plugins=[dropping]) if files else pytest.ExitCode.OK
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        raise click.ClickException(f"tests cannot be collected: pytest ended with {code!r}")
    return dropping.complaints or [f"{record}: no test names it" for record in records if record not in named]


@click.command()
@click.argument("ids", nargs=-1)
@click.option("--tests", type=click.Path(exists=True, file_okay=False, path_type=Path), default=TESTS)
def main(ids: tuple[str, ...], tests: Path) -> None:
    """List the records whose predicate no test would miss."""
    written = rulebook_of(load()).written_predicates
    for each in ids:
        if each not in written:
            raise click.BadParameter(f"nobody has written a predicate for {each}", param_hint="ID")
    complaints = unnoticed(ids or written, tests)
    for complaint in complaints:
        click.echo(complaint)
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
