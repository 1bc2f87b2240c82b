"""Faults of callbacks: called twice, never, or with another argument."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import msgspec

from clconform.calls.call import Call, CalledBack, Outcome, Returned
from clconform.calls.host import AWAIT
from clconform.calls.values import Callback
from clconform.selftest.injection.faults import Tampering, is_name
from clconform.selftest.injection.operators.registry import Operators

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.spec_tables import Tables
    from clconform.spec_tables.records import Function

operators = Operators()


def callbacks(function: Function, tables: Tables) -> Iterator[tuple[str, str]]:
    """Yield the parameters that take a callback."""
    del tables
    yield from ((each.name, "") for each in function.parameters if each.direction == "callback")


def arguments(function: Function, tables: Tables) -> Iterator[tuple[str, str]]:
    """Yield every parameter of every callback that a function takes."""
    for place, _ in callbacks(function, tables):
        known = tables.callbacks.get(f"{function.name}/{place}")
        yield from ((place, each.name) for each in (known.parameters if known else ()) if each.name)


class OfCallbacks(Tampering):
    """Changes the callbacks of one function."""

    wide = True

    def start(self) -> None:
        """Initialise without callbacks."""
        self.own: set[str] = set()
        self.more: Counter[str] = Counter()

    def begin(self) -> None:
        """Forget the callbacks of the previous example."""
        super().begin()
        self.start()

    def before(self, call: Call) -> Call | Outcome:
        """Record registered callbacks; a name belongs to the function that registered it last."""
        for name, value in call.arguments.items():
            if isinstance(value, Callback) and call.function != AWAIT:
                self.own.discard(value.name)
                if call.function == self.fault.function and name == self.fault.place:
                    self.own.add(value.name)
        return call

    def after(self, call: Call, outcome: Outcome, again: Callable[[Call], Outcome]) -> Outcome:
        """Change the recorded callback calls, and the count returned by a harness action that waits for them."""
        if isinstance(outcome, Returned):
            told: list[CalledBack] = []
            for each in outcome.called_back:
                shown = self.instead(each) if each.name in self.own and self._fits(each) and self.due() else [each]
                self.more[each.name] += len(shown) - 1
                told += shown
            outcome = msgspec.structs.replace(outcome, called_back=told)
            awaited = call.arguments.get("callback")
            if call.function == AWAIT and isinstance(awaited, Callback) and isinstance(outcome.value, int):
                outcome = msgspec.structs.replace(outcome, value=outcome.value + self.more[awaited.name])
        return super().after(call, outcome, again)

    def _fits(self, called: CalledBack) -> bool:
        return not self.fault.subject or self.fault.subject in called.arguments

    def instead(self, called: CalledBack) -> list[CalledBack]:
        """Return the callback calls that replace one call."""
        raise NotImplementedError


@operators.operator("called-twice", callbacks)
class CalledTwice(OfCallbacks):
    """A callback is called a second time."""

    def instead(self, called: CalledBack) -> list[CalledBack]:
        """Return the call twice."""
        return [called, called]


@operators.operator("never-called", callbacks)
class NeverCalled(OfCallbacks):
    """A callback is not called."""

    def instead(self, called: CalledBack) -> list[CalledBack]:
        """Return no call."""
        del called
        return []


@operators.operator("called-with-another", arguments)
class CalledWithAnother(OfCallbacks):
    """A callback receives another argument."""

    def instead(self, called: CalledBack) -> list[CalledBack]:
        """Return the call with a changed argument."""
        value: Any = called.arguments[self.fault.subject]
        if value is None:
            value = 1
        elif isinstance(value, int):
            value += 1
        elif isinstance(value, list):
            value = value[:-1]
        else:
            value = self.seen.other(value) if is_name(value) else f"{value}x"
        return [msgspec.structs.replace(called, arguments={**called.arguments, self.fault.subject: value})]
