"""Matchers: expected values of a successful call; the judge checks them, and the simulated platform produces them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import compress
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from clconform.calls.call import UNTOUCHED
from clconform.calls.values import FILL
from clconform.oracles.engine import symptoms
from clconform.oracles.engine.answers import May
from clconform.oracles.engine.permitted import Loose
from clconform.oracles.engine.symptoms import Demand, Symptom

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Element: TypeAlias = "int | float | str | None"
Values: TypeAlias = "list[Element]"


class Complaint(msgspec.Struct, frozen=True):
    """A mismatch: a successful call left a value that ``record`` does not allow.

    ``allowed`` and ``observed`` are for people; ``symptom`` is what equal mismatches have in common, and part of their
    ids. ``reading``: the interpretation by which it is a mismatch, if the requirement alone does not imply it.
    ``inferred_by``: the interpretation, if the document of the driver's version lacks the sentence. ``also``: other
    requirements that the same call violates, with the same verdict. TypeError if ``symptom`` is not a declared one.
    """

    record: str
    allowed: str
    observed: str
    symptom: Symptom
    reading: May | None = None
    inferred_by: str = ""
    also: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.symptom, Symptom):
            raise TypeError(f"{self.symptom!r} is not a symptom of oracles.engine.symptoms")


class Anything(msgspec.Struct, frozen=True):
    """Any values match; ``choice``: the values that the simulated platform returns."""

    choice: tuple[Element, ...] | str | None = None
    records: tuple[str, ...] = ()

    def complaints(self, seen: Values) -> list[Complaint]:
        """Return no mismatches."""
        del seen
        return []


class OneOf(msgspec.Struct, frozen=True):
    """The values must equal one of ``alternatives``; the simulated platform returns the first.

    ``inferred_by``: as for ``Such``.
    """

    alternatives: tuple[tuple[Element, ...], ...]
    records: tuple[str, ...]
    inferred_by: str = ""

    def complaints(self, seen: Values) -> list[Complaint]:
        """Return a mismatch for values that equal none of the alternatives."""
        if tuple(seen) in self.alternatives:
            return []
        allowed = " or ".join(show(values) for values in self.alternatives)
        symptom = symptoms.other_values(self.records)
        return [Complaint(self.records[0], allowed, show(seen), symptom, inferred_by=self.inferred_by)]


class Such(msgspec.Struct, frozen=True):
    """The values must satisfy ``test``; ``allowed`` describes it.

    ``choice``: the values of the simulated platform. ``demand``: the code of the test, if it is about an argument of a
    callback. ``inferred_by``: the interpretation, if the document of the driver's version lacks the sentence.
    ``rises``: other values that a simulated platform returns are not smaller.
    """

    test: Callable[[Values], bool]
    allowed: str
    records: tuple[str, ...]
    choice: tuple[Element, ...] | str | None = None
    demand: Demand | None = None
    inferred_by: str = ""
    rises: bool = False

    def complaints(self, seen: Values) -> list[Complaint]:
        """Return a mismatch for values that fail the test."""
        if self.test(seen):
            return []
        symptom = symptoms.other_values(self.records)
        return [Complaint(self.records[0], self.allowed, show(seen), symptom, inferred_by=self.inferred_by)]


class When(Such, frozen=True):
    """``Such`` for the values that ``applies`` selects; other values are not checked, and are not evidence."""

    applies: Callable[[Values], bool] = bool

    def complaints(self, seen: Values) -> list[Complaint]:
        """Return a mismatch for selected values that fail the test."""
        return super().complaints(seen) if self.applies(seen) else []


class Fresh(msgspec.Struct, frozen=True):
    """New handles: not NULL, distinct, and different from the handles of live objects.

    ``count``: their number, or None if unknown. ``capacity``: how many fit. ``kept``: live objects that the application
    has released, each with the requirement that keeps them alive. ``optional``: an output without handles is also
    valid.
    """

    type: str
    count: int | None
    capacity: int
    records: tuple[str, ...]
    alive: frozenset[str] = frozenset()
    kept: Mapping[str, str] = {}
    optional: bool = False

    def complaints(self, seen: Values) -> list[Complaint]:
        """Return mismatches for missing, NULL or repeated handles, and for handles of live objects."""
        made = handles(seen)
        if self.optional and all(value == UNTOUCHED for value in seen):
            return []
        if self.count is not None:
            expected = min(self.count, self.capacity)
            shown = list(seen[:expected])
            if len(shown) < expected or any(value is None or value == UNTOUCHED for value in shown):
                return [
                    Complaint(self.records[0], f"{expected} new handles", show(seen), symptoms.no_new_handles(seen))
                ]
        elif not made and self.capacity:
            return [Complaint(self.records[0], "at least one new handle", show(seen), symptoms.no_new_handles(seen))]
        if len(set(made)) < len(made):
            return [Complaint(self.records[0], "distinct handles", show(seen), symptoms.no_new_handles(seen))]
        living = [name for name in made if name in self.alive]
        if living:
            record = self.kept.get(living[0], self.records[0])
            observed = f"the handle of a living object again: {show(living)}"
            return [Complaint(record, "new handles", observed, symptoms.HANDLE_OF_LIVING)]
        return []


class Each(msgspec.Struct, frozen=True):
    """All ``parts`` must match the values; ``choice`` holds the values of the simulated platform, if known.

    ``members``: the required number of written values, checked before the parts; 0 if it is unspecified.
    """

    parts: tuple[Want, ...]
    choice: tuple[Element, ...] | str | None = None
    records: tuple[str, ...] = ()
    members: int = 0

    def missing(self, seen: Values) -> bool:
        """Return whether the values are not exactly ``members`` written ones."""
        return self.members > 0 and (len(seen) != self.members or UNTOUCHED in seen)

    def complaints(self, seen: Values) -> list[Complaint]:
        """Return a mismatch for an incomplete value; else the mismatches of all parts."""
        if self.missing(seen):
            allowed = "a value" if self.members == 1 else f"{self.members} values"
            symptom = symptoms.other_values(self.records[:1])
            return [Complaint(self.records[0], allowed, show(seen), symptom)]
        return [complaint for part in self.parts for complaint in part.complaints(seen)]


class Terminated(msgspec.Struct, frozen=True):
    """A string with a single zero, at its end, whose text all ``parts`` match.

    ``or_nothing``: the value may be empty, without a terminator.
    """

    parts: tuple[Want, ...]
    records: tuple[str, ...]
    or_nothing: bool = False
    choice: None = None

    def complaints(self, seen: Values) -> list[Complaint]:
        """Return a mismatch for a missing or an early terminator; else the mismatches of all parts."""
        text = "".join(str(value) for value in seen)
        if not text and self.or_nothing:
            return []
        if not text.endswith("\0"):
            allowed = "a string with its terminator"
            return [Complaint(self.records[0], allowed, show([text]), symptoms.NO_TERMINATOR)]
        if "\0" in text[:-1]:
            allowed = "one terminator, at the end"
            return [Complaint(self.records[0], allowed, show([text]), symptoms.TERMINATOR_INSIDE)]
        return [complaint for part in self.parts for complaint in part.complaints([text[:-1]])]


class Bytes(msgspec.Struct, frozen=True):
    """The bytes must be ``content`` where they are ``defined`` (1, else 0).

    ``answering``: for each byte the requirement of the command that wrote it, or an empty string; ``own`` is
    responsible for all other bytes. ``loose``: tolerances for numbers among the undefined bytes.
    """

    content: bytes
    defined: bytes
    answering: tuple[str, ...]
    own: str
    loose: Loose = ()

    @property
    def records(self) -> tuple[str, ...]:
        """Return the requirements for which matching bytes are evidence."""
        there = filter(None, (*compress(self.answering, self.defined), *(self.answering[at] for at, _ in self.loose)))
        return tuple(dict.fromkeys((self.own, *there))) if any(self.defined) or self.loose else ()

    def complaints(self, seen: Values) -> list[Complaint]:
        """Return a mismatch for the first unexpected byte, with their number; unwritten bytes hold the fill pattern."""
        told = _bytes_of(seen)[: len(self.content)].ljust(len(self.content), bytes([FILL]))
        if bytes(compress(told, self.defined)) == bytes(compress(self.content, self.defined)):
            return self._beyond_the_permitted(told)
        wrong = [at for at, known in enumerate(self.defined) if known and told[at] != self.content[at]]
        first = wrong[0]
        observed = f"byte {first} is {told[first]:#04x}; {len(wrong)} of {len(told)} bytes are wrong"
        allowed = f"{self.content[first]:#04x} at byte {first}"
        return [Complaint(self.answering[first] or self.own, allowed, observed, symptoms.WRONG_BYTES)]

    def _beyond_the_permitted(self, told: bytes) -> list[Complaint]:
        """Return a mismatch for the first number outside its tolerance, with their number."""
        wrong = [(at, one) for at, one in self.loose if not one.accepts(told[at : at + one.size])]
        if not wrong:
            return []
        at, first = wrong[0]
        number = int.from_bytes(told[at : at + first.size], "little")
        observed = f"{number:#x} at byte {at}; {len(wrong)} of {len(self.loose)} numbers are wrong"
        allowed, record = f"{first.words} at byte {at}", self.answering[at] or self.own
        return [Complaint(record, allowed, observed, symptoms.WRONG_BYTES, inferred_by=first.entry)]


Want: TypeAlias = "Anything | Bytes | OneOf | Such | Fresh | Each | Terminated"


def settled(want: Want, seen: Values) -> tuple[list[Complaint], set[str]]:
    """Return the mismatches of a matcher, and the requirements of all its parts without mismatches."""
    if isinstance(want, Each):
        if want.missing(seen):
            return want.complaints(seen), set()
        found, fulfilled = _settled_parts(want.parts, seen)
        return found, fulfilled if found else fulfilled.union(want.records)
    if isinstance(want, Terminated):
        text = "".join(str(value) for value in seen)
        whole = want.complaints(seen)
        if whole and not text.endswith("\0"):
            return whole, set()
        fulfilled = _settled_parts(want.parts, [text[:-1]])[1]
        return whole, fulfilled - {complaint.record for complaint in whole} if whole else fulfilled.union(want.records)
    if isinstance(want, When) and not want.applies(seen):
        return [], set()
    found = want.complaints(seen)
    return found, set() if found else set(want.records)


def _settled_parts(parts: Iterable[Want], seen: Values) -> tuple[list[Complaint], set[str]]:
    """Return the mismatches of parts, and the requirements without any mismatch."""
    complaints: list[Complaint] = []
    fulfilled: set[str] = set()
    for part in parts:
        found, kept = settled(part, seen)
        complaints += found
        fulfilled |= kept
    return complaints, fulfilled - {complaint.record for complaint in complaints}


@dataclass
class Promise:
    """The postcondition of one call.

    ``value``: the expected result, if the function returns a handle. ``alignment``: the required alignment of a
    resulting address. ``outputs``: by parameter, for those with an output buffer. ``apply``: updates the model; it gets
    the result's name and the outputs' values as returned.
    """

    value: Want | None = None
    outputs: dict[str, Want] = field(default_factory=dict)
    apply: Callable[[Element, dict[str, Values]], list[Complaint] | None] = lambda _value, _outputs: None
    alignment: Want | None = None


def _bytes_of(seen: Values) -> bytes:
    """Return the bytes of hexadecimal digits; empty if they are not such digits."""
    try:
        return bytes.fromhex("".join(map(str, seen)))
    except ValueError:
        return b""


def handles(seen: Values) -> list[str]:
    """Return the names among the elements of an output, without NULLs and elements that were not written."""
    return [value for value in seen if isinstance(value, str) and value != UNTOUCHED]


SHOWN_VALUES, SHOWN_CHARACTERS = 256, 2000
"""Maximum numbers of values and characters to show: a driver may have written millions."""


def show(values: Sequence[Element]) -> str:
    """Format values for people: a single one alone, several as a list in braces; long texts are cut."""
    words = ["NULL" if value is None else str(value) for value in values[:SHOWN_VALUES]]
    if len(values) > SHOWN_VALUES:
        words.append(f"... {len(values) - SHOWN_VALUES} more")
    whole = words[0] if len(words) == 1 else "{" + ", ".join(words) + "}"
    return beginning(whole)


def beginning(words: str) -> str:
    """Return a text for people, cut if it is long, since it may contain values of a driver."""
    return words if len(words) <= SHOWN_CHARACTERS else f"{words[:SHOWN_CHARACTERS]}... ({len(words)} characters)"
