"""Trials: which items tell a mutant from the original, and whether a run with the mutant in the judge's place fails.

The driver's side knows nothing of it: a real driver, or the model with the original, in a process of its own.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from clconform.harness import BadCall
from clconform.oracles.engine.answers import May, Must, settle
from clconform.oracles.engine.judge import Oracle
from clconform.runner.journal.recorder import deviation_key
from clconform.runner.session.errors import UndefinedCallError
from clconform.runner.session.session import Observer, Session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from clconform.calls.call import Call, Outcome, Step
    from clconform.harness import Target
    from clconform.oracles.engine.answers import Predicate
    from clconform.oracles.engine.judge import Expectation, Judgement
    from clconform.oracles.model.world import Model
    from clconform.runner.pytest_plugin.items import Item
    from clconform.selftest.mutation.mutants import Mutant
    from clconform.spec_tables import Tables

ERROR = "error"
"""Stands for the reply of a mutant that raises what no predicate may."""
Turn = tuple[str, str]
"""What the original says of a call and what the mutant says: ``no``, ``may``, ``must``, ``undefined`` or ``error``."""
INNOCENT = {("no", "may"), ("must", "may"), ("must", "must"), ("may", "may")}
"""Turns after which every answer that was right is still right."""


class NoticedError(Exception):
    """The run with the mutant deviates where the one without does not."""


@dataclass
class Finding:
    """What is known of a mutant.

    ``applied``: its clause applies on a platform that was tried. ``turns``: the ways in which calls have told it from
    its original. ``noticed``: the item that failed with it, and how.
    """

    applied: bool = False
    turns: set[Turn] = field(default_factory=set)
    noticed: str = ""


@dataclass
class _Screened:
    """One item run without mutants: what deviated, and which mutants its calls tell apart, in what ways."""

    keys: set[str] = field(default_factory=set)
    apart: dict[Mutant, set[Turn]] = field(default_factory=dict)


class Trial(Observer):
    """Trials on one platform; the observer of its own session.

    ``findings``: of each mutant, kept from platform to platform.
    """

    def __init__(self, target: Target, tables: Tables, findings: dict[Mutant, Finding]) -> None:
        """Start a session; HarnessError where the target cannot be tested."""
        self.findings = findings
        self.mutant: Mutant | None = None
        """The one that the judge is asking, if any."""
        self._screened: _Screened | None = None
        self._known: set[str] | None = None
        self._watching: dict[str, list[Mutant]] = {}
        self._session = _Watched(target, tables, self)
        self.rulebook = self._session.rulebook

    def close(self) -> None:
        """End the session's process."""
        self._session.close()

    def run(self, items: Iterable[Item], progress: Callable[[str], None] = lambda _words: None) -> None:
        """Run each item that aims at a function with mutants alive: by itself, then with each that it tells apart."""
        self._watching = {}
        for mutant, finding in self.findings.items():
            if not finding.noticed and not self._session.applies(mutant.record):
                finding.applied = True
                self._watching.setdefault(function_of(mutant.record), []).append(mutant)
        applying = [item for item in items if not any(map(self._session.applies, item.records))]
        for number, item in enumerate(applying):
            if any(map(self._watching.get, item.functions)):
                progress(f"item {number + 1} of {len(applying)}")
                screened = self._screen(item)
                for mutant, turns in screened.apart.items():
                    self.findings[mutant].turns |= turns
                    if not turns <= INNOCENT:
                        self._try(mutant, item, screened.keys)

    # items without a mutant

    def _screen(self, item: Item) -> _Screened:
        self._screened = screened = _Screened()
        try:
            self._run(item)
        except pytest.skip.Exception:
            pass
        except (UndefinedCallError, BadCall):
            screened.apart.clear()  # it would end there with a mutant, too
        finally:
            self._screened = None
        return screened

    def _run(self, item: Item) -> None:
        if item.fresh:
            self._session.restart()
        with self._session.example():
            item.act(self._session)

    def before(self, call: Call, model: Model) -> None:
        """Note, before a call of a screened item is made, which mutants answer otherwise than their originals."""
        if self._screened is None:
            return
        for mutant in self._watching.get(call.function, ()):
            turn = turn_of(mutant, call, model)
            if turn[0] != turn[1]:
                self._screened.apart.setdefault(mutant, set()).add(turn)

    # items with a mutant

    def _try(self, mutant: Mutant, item: Item, known: set[str]) -> None:
        """Run an item with the mutant in its original's place, and note whether it fails as it did not without it."""
        finding = self.findings[mutant]
        self._known, self.mutant = known, mutant
        try:
            with self._with(mutant):
                self._run(item)
        except pytest.skip.Exception:
            pass
        except NoticedError as noticed:
            finding.noticed = f"{item.name}: {noticed}"
        except Exception as error:  # noqa: BLE001 (a mutant may raise anything, and then no run is a clean one)
            finding.noticed = f"{item.name}: {type(error).__name__}: {error}"
        finally:
            self._known = self.mutant = None
        if finding.noticed:
            self._watching[function_of(mutant.record)].remove(mutant)
            with suppress(BadCall):  # the model may have gone another way than the platform
                self._session.finish_example()

    @contextmanager
    def _with(self, mutant: Mutant) -> Iterator[None]:
        """Let the judge ask a mutant in its original's place."""
        self._session.judge_by(self.rulebook.with_predicate(mutant.record, mutant.predicate))
        try:
            yield
        finally:
            self._session.judge_by(self.rulebook)

    def judged(
        self, expectation: Expectation, outcome: Outcome, judgement: Judgement, steps: list[Step], boundary: str
    ) -> None:
        """Take note of one judged call; NoticedError where it deviates and did not in the screened item."""
        del outcome, steps, boundary
        keys = {deviation_key(expectation.call.function, blame): blame for blame in judgement.blames}
        if self._screened is not None:
            self._screened.keys |= set(keys)
        for key, blame in keys.items():
            if self._known is not None and key not in self._known:
                raise NoticedError(f"{expectation.call.function} gave {blame.observed}")


class _Watched(Session):
    """A session that tells its trial of each call first, and makes none that the originals call undefined.

    A simulated platform gets live handles of another type, too: they do it no harm.
    """

    def __init__(self, target: Target, tables: Tables, trial: Trial) -> None:
        self._trial = trial
        super().__init__(target, tables, trial, robustness=target.kind == "simulated")

    def ask(self, call: Call) -> Outcome:
        """Make one call and have it judged, as ``Session.ask`` does."""
        self._trial.before(call, self.model)
        mutant = self._trial.mutant
        if mutant is not None and function_of(mutant.record) == call.function:
            undefined = Oracle(self.model, self._trial.rulebook).expect(call).undefined
            if undefined:
                raise UndefinedCallError(f"{call.function}: undefined by {undefined}")
            if self.oracle.expect(call).undefined:
                raise NoticedError(f"{call.function} is not called")
        return super().ask(call)


def turn_of(mutant: Mutant, call: Call, model: Model) -> Turn:
    """Return what the original says of a call and what the mutant says."""
    return _said(mutant.original, call, model), _said(mutant.predicate, call, model)


def _said(predicate: Predicate, call: Call, model: Model) -> str:
    try:
        reply = settle(predicate, call, model)
    except Exception:  # noqa: BLE001 (a mutant may raise anything)
        return ERROR
    if isinstance(reply, (May, Must)):
        return "may" if isinstance(reply, May) else "must"
    return reply.value


def function_of(record: str) -> str:
    """Return the function that a clause belongs to."""
    return record.partition("/")[0]
