"""Trials: determine the items that distinguish a mutant from the original, and run them with the mutant as judge.

The driver's side does not use the mutant: it is a real driver, or a simulated platform with the original predicate in
its own process.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clconform.harness import BadCall
from clconform.oracles.engine.judge import Oracle
from clconform.oracles.engine.predicate_result import Predicate, evaluate
from clconform.runner.session.errors import UndefinedCallError
from clconform.runner.session.session import Session
from clconform.selftest.trial import ItemTrial

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from clconform.calls.call import Call, Outcome
    from clconform.harness import Target
    from clconform.oracles.model.state import Model
    from clconform.runner.pytest_plugin.item_collection import SuiteItem
    from clconform.runner.session.observer import SessionObserver
    from clconform.selftest.mutation.mutants import Mutant
    from clconform.spec_tables import Tables

ERROR = "error"
"""The reply of a mutant that raises an unexpected exception, or returns an invalid reply."""
ReplyPair = tuple[str, str]
"""The replies of the original and of the mutant for a call: ``no``, ``may``, ``must``, ``undefined`` or ``error``."""
HARMLESS_PAIRS = {("no", "may"), ("must", "may"), ("must", "must"), ("may", "may")}
"""The pairs of replies for which every conforming outcome still conforms."""


@dataclass
class MutantFinding:
    """The findings about a mutant.

    ``applied``: its requirement applies to one of the platforms tried. ``reply_pairs``: the replies of the original and
    of the mutant, for calls that distinguish them. ``noticed``: the item that failed with the mutant, and the failure.
    """

    applied: bool = False
    reply_pairs: set[ReplyPair] = field(default_factory=set)
    noticed: str = ""


class MutantTrial(ItemTrial):
    """Trials of mutants on one platform.

    ``findings``: the findings about each mutant, on all platforms so far.
    """

    def __init__(self, target: Target, tables: Tables, findings: dict[Mutant, MutantFinding]) -> None:
        """Start a session; HarnessError if the target cannot be tested."""
        self.findings = findings
        self.mutant: Mutant | None = None
        """The mutant that the judge uses, if any."""
        self._apart: dict[Mutant, set[ReplyPair]] | None = None
        """While an item runs without mutants: the mutants that its calls distinguish, with the reply pairs."""
        self._watching: dict[str, list[Mutant]] = {}
        super().__init__(lambda trial: _ScreenedSession(target, tables, trial, self))
        self.rulebook = self.session.rulebook

    def run(self, items: Iterable[SuiteItem], progress: Callable[[str], None] = lambda _words: None) -> None:
        """Run each item that targets a function with live mutants: first without a mutant, then with some of them.

        An item is run with each mutant that its calls distinguish from the original.
        """
        self._watching = {}
        for mutant, finding in self.findings.items():
            if not finding.noticed and not self.session.find_inapplicability(mutant.requirement):
                finding.applied = True
                self._watching.setdefault(get_function(mutant.requirement), []).append(mutant)
        applying = [item for item in items if not any(map(self.session.find_inapplicability, item.requirements))]
        for number, item in enumerate(applying):
            if any(map(self._watching.get, item.target_functions)):
                progress(f"item {number + 1} of {len(applying)}")
                known, apart = self._screen(item)
                for mutant, turns in apart.items():
                    self.findings[mutant].reply_pairs |= turns
                    if not turns <= HARMLESS_PAIRS:
                        self._try_mutant(mutant, item, known)

    # items without a mutant

    def _screen(self, item: SuiteItem) -> tuple[Collection[str], dict[Mutant, set[ReplyPair]]]:
        """Run an item without mutants; return its deviations, and the mutants that its calls distinguish.

        An item that does not complete distinguishes none, because it would not complete with a mutant either.
        """
        apart: dict[Mutant, set[ReplyPair]] = {}
        self._apart = apart
        try:
            unchanged = self.run_unchanged(item)
        finally:
            self._apart = None
        return unchanged.keys, apart if unchanged.complete else {}

    def record_distinguished(self, call: Call, model: Model) -> None:
        """Record the mutants whose reply differs from the original, before a screened item makes a call."""
        if self._apart is None:
            return
        for mutant in self._watching.get(call.function, ()):
            turn = get_reply_pair(mutant, call, model)
            if turn[0] != turn[1]:
                self._apart.setdefault(mutant, set()).add(turn)

    # items with a mutant

    def _try_mutant(self, mutant: Mutant, item: SuiteItem, known: Collection[str]) -> None:
        """Run an item with the mutant instead of the original, and record whether it has a new failure."""
        finding = self.findings[mutant]
        try:
            with self._use_mutant(mutant):
                noticed = self.run_changed(item, known)
        except Exception as error:  # noqa: BLE001 (a mutant may raise any exception, which counts as a failure)
            noticed = f"{type(error).__name__}: {error}"
        if noticed:
            finding.noticed = f"{item.name}: {noticed}"
            self._watching[get_function(mutant.requirement)].remove(mutant)
            with suppress(BadCall):  # the model and the platform may have diverged
                self.session.finish_example()

    @contextmanager
    def _use_mutant(self, mutant: Mutant) -> Iterator[None]:
        """Make the judge use a mutant instead of its original."""
        self.mutant = mutant
        self.session.set_rulebook(self.rulebook.with_predicate(mutant.requirement, mutant.predicate))
        try:
            yield
        finally:
            self.session.set_rulebook(self.rulebook)
            self.mutant = None


class _ScreenedSession(Session):
    """A session that reports each call to its trial before it makes the call.

    It never makes calls that the original predicates regard as undefined. If its target is a simulated platform, it
    also passes valid handles of an incorrect type, which are harmless there.
    """

    def __init__(self, target: Target, tables: Tables, observer: SessionObserver, trial: MutantTrial) -> None:
        self._trial = trial
        super().__init__(target, tables, observer, robustness=target.kind == "simulated")

    def call(self, call: Call) -> Outcome:
        """Make one call and judge it, as ``Session.call`` does."""
        self._trial.record_distinguished(call, self.model)
        mutant = self._trial.mutant
        if mutant is not None and get_function(mutant.requirement) == call.function:
            undefined = Oracle(self.model, self._trial.rulebook).expect(call).undefined
            if undefined:
                raise UndefinedCallError(f"{call.function}: undefined behaviour by {undefined}")
            if self.oracle.expect(call).undefined:
                self._trial.record_deviation(f"{call.function} is not called")
        return super().call(call)


def get_reply_pair(mutant: Mutant, call: Call, model: Model) -> ReplyPair:
    """Return the replies of the original and of the mutant for a call."""
    return _get_reply(mutant.original, call, model), _get_reply(mutant.predicate, call, model)


def _get_reply(predicate: Predicate, call: Call, model: Model) -> str:
    try:
        return evaluate(predicate, call, model).decision.value
    except Exception:  # noqa: BLE001 (a mutant may raise any exception)
        return ERROR


def get_function(requirement: str) -> str:
    """Return the function that a requirement belongs to."""
    return requirement.partition("/")[0]
