"""A fault: an operator, a function, a place in its calls, and the calls in which it takes effect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from clconform.calls.call import Call, Outcome, Returned

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import Function

DIGITS = "0123456789"
EVERY = 0
"""The ``occurrence`` of a fault that takes effect in every matching call."""


class Fault(msgspec.Struct, frozen=True, order=True, omit_defaults=True):
    """One driver fault.

    ``place``: a parameter of the prototype, or ``result``. ``subject``: the error code, the query, or the position in
    the bytes. ``occurrence``: the number of the matching call in which the fault takes effect, counted from 1 in each
    item, or ``EVERY``.
    """

    operator: str
    function: str
    place: str = ""
    subject: str = ""
    occurrence: int = EVERY

    @property
    def name(self) -> str:
        """Return the unique name: ``one-more clGetDeviceIDs.num_devices``, with ``@2`` for the second occurrence."""
        place = f".{self.place}" if self.place else ""
        subject = f"[{self.subject}]" if self.subject else ""
        turn = f"@{self.occurrence}" if self.occurrence else ""
        return f"{self.operator} {self.function}{place}{subject}{turn}"


class LiveObjects:
    """The names of the live objects, as far as the calls show them, in order of their creation."""

    def __init__(self, lasting: Collection[str]) -> None:
        """Start with the platforms and root devices, which exist in all examples."""
        self._lasting = lasting
        self.begin()

    def begin(self) -> None:
        """Start an example: remove all other objects."""
        self.names = dict.fromkeys(self._lasting)

    def forget(self, names: Collection[str]) -> None:
        """Remove objects that no longer exist."""
        for name in names:
            self.names.pop(name, None)

    def add_objects(self, outcome: Outcome) -> None:
        """Add the objects that an outcome names."""
        if isinstance(outcome, Returned):
            values: list[Any] = [outcome.value]
            for output in outcome.outputs.values():
                values += output.values
            self.names.update((value, None) for value in values if is_object_name(value))

    def get_youngest(self, stem: str, but: object = None) -> str | None:
        """Return the youngest live object with this name stem, other than ``but``; None if there is no such object."""
        return next((each for each in reversed(self.names) if each.rstrip(DIGITS) == stem and each != but), None)

    def get_other(self, name: str) -> str | None:
        """Return the youngest live object of the same type, other than ``name``; None if there is no such object."""
        return self.get_youngest(name.rstrip(DIGITS), name)


class FaultEffect:
    """The effect of one fault on the calls of one item. Each item has its own instance.

    ``met``: the number of matching calls. ``applied``: the number of affected calls.
    """

    sees_all_calls = False
    """Whether the effect also needs the calls of other functions."""

    def __init__(self, fault: Fault, tables: Tables, seen: LiveObjects) -> None:
        self.fault, self.tables, self.objects = fault, tables, seen
        self.function: Function = tables.functions[fault.function]
        self.met = self.applied = 0
        self.start()

    def start(self) -> None:
        """Initialise the operator's state."""

    def begin(self) -> None:
        """Start an example: the objects of the previous example no longer exist."""

    def before(self, call: Call) -> Call | Outcome:
        """Return the call to make instead of this one, or an outcome if the call must be omitted."""
        return call

    def after(self, call: Call, outcome: Outcome, again: Callable[[Call], Outcome]) -> Outcome:
        """Return the outcome for the session; ``again`` makes another call."""
        del again
        if call.function == self.fault.function and isinstance(outcome, Returned):
            changed = self.change_outcome(call, outcome)
            if changed is not outcome and self.is_due():
                return changed
        return outcome

    def change_outcome(self, call: Call, outcome: Returned) -> Returned:
        """Return a changed outcome of the fault's function, or the same outcome if the fault does not match."""
        del call
        return outcome

    def is_due(self) -> bool:
        """Count a matching call; return whether the fault takes effect in this call."""
        self.met += 1
        due = self.fault.occurrence in (EVERY, self.met)
        self.applied += due
        return due


def is_object_name(value: object) -> bool:
    """Return whether a value is the name of an object, such as ``device2``."""
    return isinstance(value, str) and value[-1:].isdigit() and value.rstrip(DIGITS).replace("_", "").isalpha()
