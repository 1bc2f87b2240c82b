"""Finds predicates that no test covers: without the predicate, a test that names its requirement must fail.

``python -m tests.dropped [ID...]`` checks these requirements, or all that have their own predicate. It exits with 1 if
all tests of a requirement pass without its predicate. ``--tests FOLDER``: use other tests than those of the oracle.
Everything runs in one process; pytest only collects the tests and runs single ones.
"""

from __future__ import annotations

import copy
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest
from _pytest.runner import runtestprotocol

from clconform.oracles.engine.rulebook import rulebook_of
from clconform.spec_tables import load, loading

from .id_references import NamingTest, find_naming_tests

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clconform.oracles.engine.rulebook import Rulebook

TESTS = Path(__file__).resolve().parent / "oracles"


def _load_rulebooks() -> list[Rulebook]:
    """Return the rulebook of each revision."""
    chosen, found = loading.selected_folder(), []
    for revision in loading.list_revisions():
        loading.select_folder(loading.REVISIONS / revision)
        found.append(rulebook_of(load()))
    loading.select_folder(chosen)
    return found


@contextmanager
def without_predicate(requirement: str) -> Iterator[None]:
    """Remove the predicate of a requirement from the rulebook of every revision, inside the context."""
    rulebooks = _load_rulebooks()
    kept = [rulebook.predicates for rulebook in rulebooks]
    for rulebook in rulebooks:
        left = copy.copy(rulebook.predicates)
        left.declared = {name: each for name, each in left.declared.items() if name != requirement}
        rulebook._use_predicates(left)
    try:
        yield
    finally:
        for rulebook, predicates in zip(rulebooks, kept, strict=True):
            rulebook._use_predicates(predicates)


class DropPlugin:
    """A pytest plugin that replaces the test loop: it runs the tests of each requirement without its predicate."""

    def __init__(self, requirements: Iterable[str], tests_by_id: dict[str, list[NamingTest]]) -> None:
        self.records, self.named = list(requirements), tests_by_id
        self.complaints: list[str] = []

    def pytest_configure(self, config: pytest.Config) -> None:
        """Disable tracebacks, since the reason of a failure is not used."""
        config.option.tbstyle = "no"

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Remove each predicate in turn, and run the tests of its requirement until one fails."""
        if session.testsfailed:
            raise session.Failed(f"{session.testsfailed} modules cannot be collected")
        items: dict[NamingTest, list[pytest.Function]] = {}
        for item in session.items:
            if isinstance(item, pytest.Function):
                items.setdefault(NamingTest(item.path.resolve(), item.originalname), []).append(item)
        for requirement in self.records:
            own = [item for test in self.named.get(requirement, ()) for item in items.get(test, ())]
            own.sort(key=lambda item: not _has_parameter(item, requirement))
            complaint = _find_problem(requirement, own)
            if complaint:
                self.complaints.append(f"{requirement}: {complaint}")
        session._setupstate.teardown_exact(None)
        return True


def _has_parameter(item: pytest.Function, requirement: str) -> bool:
    """Return whether the parameters of an item name a requirement."""
    return hasattr(item, "callspec") and requirement in repr(item.callspec.params)


def _find_problem(requirement: str, items: list[pytest.Function]) -> str:
    """Return why tests do not cover the predicate of a requirement, or "" if one fails only without it."""
    if not items:
        return "no test names it"
    for item in items:
        with without_predicate(requirement):
            noticed = _fails(item)
        if noticed:
            return f"{item.nodeid} fails with its predicate, too" if _fails(item) else ""
    names = ", ".join(dict.fromkeys(item.originalname for item in items))
    return f"without its predicate the tests that name it pass as before: {names}"


def _fails(item: pytest.Function) -> bool:
    """Run an item and return whether it fails. Keep the module's fixtures for the next item."""
    item.session._setupstate.teardown_exact(item)
    beside = next((each for each in item.session.items if each.parent is item.parent and each is not item), None)
    return any(report.failed for report in runtestprotocol(item, log=False, nextitem=beside))


def find_uncovered(requirements: Iterable[str], folder: Path = TESTS) -> list[str]:
    """Return a line for each requirement whose predicate can be removed without a failing test in the folder."""
    requirements = list(requirements)
    named = find_naming_tests(folder.resolve(), requirements)
    files = sorted({str(test.file) for tests in named.values() for test in tests})
    dropping = DropPlugin(requirements, named)
    options = ["-p", "no:terminal", "-p", "no:cacheprovider", "--assert=plain"]
    code = pytest.main([*options, *files], plugins=[dropping]) if files else pytest.ExitCode.OK
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        raise click.ClickException(f"tests cannot be collected: pytest ended with {code!r}")
    return dropping.complaints or [
        f"{requirement}: no test names it" for requirement in requirements if requirement not in named
    ]


@click.command()
@click.argument("ids", nargs=-1)
@click.option("--tests", type=click.Path(exists=True, file_okay=False, path_type=Path), default=TESTS)
def main(ids: tuple[str, ...], tests: Path) -> None:
    """List the requirements whose predicate can be removed without a failing test."""
    written = rulebook_of(load()).predicates.declared
    for each in ids:
        if each not in written:
            raise click.BadParameter(f"nobody has written a predicate for {each}", param_hint="ID")
    complaints = find_uncovered(ids or written, tests)
    for complaint in complaints:
        click.echo(complaint)
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
