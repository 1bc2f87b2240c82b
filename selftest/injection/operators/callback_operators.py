"""Faults of callbacks: called twice, never, or with another argument."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import msgspec

from clconform.calls.call import Call, CallbackInvocation, Outcome, Returned
from clconform.calls.harness_actions import AWAIT
from clconform.calls.values import HostCallback
from clconform.selftest.injection.fault import FaultEffect, is_object_name
from clconform.selftest.injection.operators.operator_registry import Operators

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import Function

operators = Operators()


def find_callbacks(function: Function, tables: Tables) -> Iterator[tuple[str, str]]:
    """Yield the parameters that take a callback."""
    del tables
    yield from ((each.name, "") for each in function.parameters if each.direction == "callback")


def find_callback_arguments(function: Function, tables: Tables) -> Iterator[tuple[str, str]]:
    """Yield every parameter of every callback that a function takes."""
    for place, _ in find_callbacks(function, tables):
        known = tables.callbacks.get(f"{function.name}/{place}")
        yield from ((place, each.name) for each in (known.parameters if known else ()) if each.name)


class CallbackEffect(FaultEffect):
    """Changes the callbacks of one function."""

    sees_all_calls = True

    def start(self) -> None:
        """Forget the callbacks of earlier items."""
        self.own: set[str] = set()
        self.more: Counter[str] = Counter()

    def begin(self) -> None:
        """Forget the callbacks of the previous example."""
        super().begin()
        self.start()

    def before(self, call: Call) -> Call | Outcome:
        """Record registered callbacks. A callback name belongs to the function that registered it last."""
        for name, value in call.arguments.items():
            if isinstance(value, HostCallback) and call.function != AWAIT:
                self.own.discard(value.name)
                if call.function == self.fault.function and name == self.fault.place:
                    self.own.add(value.name)
        return call

    def after(self, call: Call, outcome: Outcome, again: Callable[[Call], Outcome]) -> Outcome:
        """Change the callback invocations in an outcome, and the invocation count that a harness action returns."""
        if isinstance(outcome, Returned):
            told: list[CallbackInvocation] = []
            for each in outcome.callbacks:
                shown = (
                    self.get_replacement(each)
                    if each.name in self.own and self._matches(each) and self.is_due()
                    else [each]
                )
                self.more[each.name] += len(shown) - 1
                told += shown
            outcome = msgspec.structs.replace(outcome, callbacks=told)
            awaited = call.arguments.get("callback")
            if call.function == AWAIT and isinstance(awaited, HostCallback) and isinstance(outcome.value, int):
                outcome = msgspec.structs.replace(outcome, value=outcome.value + self.more[awaited.name])
        return super().after(call, outcome, again)

    def _matches(self, called: CallbackInvocation) -> bool:
        return not self.fault.subject or self.fault.subject in called.arguments

    def get_replacement(self, called: CallbackInvocation) -> list[CallbackInvocation]:
        """Return the callback invocations that replace one invocation."""
        raise NotImplementedError


@operators.operator("called-twice", find_callbacks)
class CalledTwice(CallbackEffect):
    """A callback is called a second time."""

    def get_replacement(self, called: CallbackInvocation) -> list[CallbackInvocation]:
        """Return the invocation twice."""
        return [called, called]


@operators.operator("never-called", find_callbacks)
class NeverCalled(CallbackEffect):
    """A callback is not called."""

    def get_replacement(self, called: CallbackInvocation) -> list[CallbackInvocation]:
        """Return an empty list, which removes the invocation."""
        del called
        return []


@operators.operator("called-with-another", find_callback_arguments)
class CalledWithAnother(CallbackEffect):
    """A callback receives another argument."""

    def get_replacement(self, called: CallbackInvocation) -> list[CallbackInvocation]:
        """Return the invocation with a changed argument."""
        value: Any = called.arguments[self.fault.subject]
        if value is None:
            value = 1
        elif isinstance(value, int):
            value += 1
        elif isinstance(value, list):
            value = value[:-1]
        else:
            value = self.objects.get_other(value) if is_object_name(value) else f"{value}x"
        return [msgspec.structs.replace(called, arguments={**called.arguments, self.fault.subject: value})]
