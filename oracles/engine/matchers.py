"""Matchers: expected values of a successful call; the judge checks them, and the simulated platform produces them."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from itertools import compress
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from clconform.calls.call import UNTOUCHED
from clconform.calls.values import FILL_BYTE
from clconform.oracles.engine import symptoms
from clconform.oracles.engine.interpretation import InterpretationId
from clconform.oracles.engine.symptoms import Demand, Symptom
from clconform.oracles.engine.tolerances import Tolerances

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Element: TypeAlias = "int | float | str | None"
Values: TypeAlias = "list[Element]"


class Mismatch(msgspec.Struct, frozen=True):
    """A value after a successful call that ``requirement`` does not allow.

    ``allowed`` and ``observed`` are texts for people. ``symptom`` is common to equal mismatches and part of their ids.
    ``interpretation``: the interpretation that makes the value a mismatch, if the requirement alone does not.
    ``inferred_by``: the interpretation for the gap, if the document of the driver's version lacks the requirement.
    ``also_violated``: other requirements that the call violates, with the same verdict. ``or_violated``: requirements
    one of which may be violated instead of ``requirement``. ``judged_by``: the requirement whose coverage points the
    mismatch concerns, if it is not ``requirement``. TypeError if ``symptom`` is not a ``Symptom``.
    """

    requirement: str
    allowed: str
    observed: str
    symptom: Symptom
    interpretation: InterpretationId | None = None
    inferred_by: str = ""
    also_violated: tuple[str, ...] = ()
    or_violated: tuple[str, ...] = ()
    judged_by: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.symptom, Symptom):
            raise TypeError(f"{self.symptom!r} is not a symptom of oracles.engine.symptoms")


class Anything(msgspec.Struct, frozen=True):
    """Any values match; ``example``: the values that the simulated platform returns."""

    example: tuple[Element, ...] | str | None = None
    requirements: tuple[str, ...] = ()

    def mismatches(self, elements: Values) -> list[Mismatch]:
        """Return an empty list: any values match."""
        del elements
        return []


class OneOf(msgspec.Struct, frozen=True):
    """The values must equal one of ``alternatives``; the simulated platform returns the first.

    ``inferred_by``: as for ``Satisfies``.
    """

    alternatives: tuple[tuple[Element, ...], ...]
    requirements: tuple[str, ...]
    inferred_by: str = ""

    def mismatches(self, elements: Values) -> list[Mismatch]:
        """Return a mismatch if the values do not equal one of the alternatives."""
        if tuple(elements) in self.alternatives:
            return []
        allowed = " or ".join(format_values(values) for values in self.alternatives)
        symptom = symptoms.unexpected_values(self.requirements)
        return [Mismatch(self.requirements[0], allowed, format_values(elements), symptom, inferred_by=self.inferred_by)]


class Satisfies(msgspec.Struct, frozen=True):
    """The values must satisfy ``test``; ``allowed`` describes the test for people.

    ``example``: the values of the simulated platform. ``demand``: the symptom code of the test, if the values are an
    argument of a callback. ``inferred_by``: the interpretation for the gap, if the document of the driver's version
    lacks the requirement. ``is_minimum``: the simulated platform must not return smaller values than ``example``.
    """

    test: Callable[[Values], bool]
    allowed: str
    requirements: tuple[str, ...]
    example: tuple[Element, ...] | str | None = None
    demand: Demand | None = None
    inferred_by: str = ""
    is_minimum: bool = False

    def mismatches(self, elements: Values) -> list[Mismatch]:
        """Return a mismatch for values that fail the test."""
        if self.test(elements):
            return []
        symptom = symptoms.unexpected_values(self.requirements)
        return [
            Mismatch(self.requirements[0], self.allowed, format_values(elements), symptom, inferred_by=self.inferred_by)
        ]


class Conditional(Satisfies, frozen=True):
    """Values for which ``applies`` is true must satisfy ``test``; other values are neither checked nor evidence."""

    applies: Callable[[Values], bool] = bool

    def mismatches(self, elements: Values) -> list[Mismatch]:
        """Return a mismatch for values for which ``applies`` is true and that fail the test."""
        return super().mismatches(elements) if self.applies(elements) else []


class NewHandles(msgspec.Struct, frozen=True):
    """New handles: not NULL, distinct, and different from the handles of live objects.

    ``count``: the number of handles, or None if unknown. ``capacity``: the number of handles that fit into the output.
    ``alive``: the names of live objects. ``retained``: live objects that the application has released, each with the
    requirement that keeps it alive. ``optional``: an output without handles is also valid.
    """

    type: str
    count: int | None
    capacity: int
    requirements: tuple[str, ...]
    alive: Container[str] = frozenset()
    retained: Mapping[str, str] = {}
    optional: bool = False

    def mismatches(self, elements: Values) -> list[Mismatch]:
        """Return mismatches for missing, NULL or repeated handles, and for handles of live objects."""
        made = handle_names(elements)
        if self.optional and all(value == UNTOUCHED for value in elements):
            return []
        if self.count is not None:
            expected = min(self.count, self.capacity)
            shown = list(elements[:expected])
            if len(shown) < expected or any(value is None or value == UNTOUCHED for value in shown):
                return [
                    Mismatch(
                        self.requirements[0],
                        f"{expected} new handles",
                        format_values(elements),
                        symptoms.no_new_handles(elements),
                    )
                ]
        elif not made and self.capacity:
            return [
                Mismatch(
                    self.requirements[0],
                    "at least one new handle",
                    format_values(elements),
                    symptoms.no_new_handles(elements),
                )
            ]
        if len(set(made)) < len(made):
            return [
                Mismatch(
                    self.requirements[0], "distinct handles", format_values(elements), symptoms.no_new_handles(elements)
                )
            ]
        living = [name for name in made if name in self.alive]
        if living:
            requirement = self.retained.get(living[0], self.requirements[0])
            observed = f"the handle of a living object again: {format_values(living)}"
            return [Mismatch(requirement, "new handles", observed, symptoms.HANDLE_IN_USE)]
        return []


class AllOf(msgspec.Struct, frozen=True):
    """All ``matchers`` must match the values; ``example`` holds the values of the simulated platform, if known.

    ``length``: the required number of written values, checked before the matchers; 0 if any number is allowed.
    """

    matchers: tuple[Matcher, ...]
    example: tuple[Element, ...] | str | None = None
    requirements: tuple[str, ...] = ()
    length: int = 0

    def is_incomplete(self, seen: Values) -> bool:
        """Return whether the number of values is not ``length``, or a value was not written; False without a length."""
        return self.length > 0 and (len(seen) != self.length or UNTOUCHED in seen)

    def mismatches(self, elements: Values) -> list[Mismatch]:
        """Return a mismatch if values are missing or not written; otherwise the mismatches of all matchers."""
        if self.is_incomplete(elements):
            allowed = "a value" if self.length == 1 else f"{self.length} values"
            symptom = symptoms.unexpected_values(self.requirements[:1])
            return [Mismatch(self.requirements[0], allowed, format_values(elements), symptom)]
        return [complaint for part in self.matchers for complaint in part.mismatches(elements)]


class TerminatedString(msgspec.Struct, frozen=True):
    """A string with a single zero, at its end; all ``matchers`` must match the text before the zero.

    ``may_be_empty``: the value may be empty, without a terminator.
    """

    matchers: tuple[Matcher, ...]
    requirements: tuple[str, ...]
    may_be_empty: bool = False
    example: None = None

    def mismatches(self, elements: Values) -> list[Mismatch]:
        """Return a mismatch for a missing or an early terminator; otherwise the mismatches of all matchers."""
        text = "".join(str(value) for value in elements)
        if not text and self.may_be_empty:
            return []
        if not text.endswith("\0"):
            allowed = "a string with its terminator"
            return [Mismatch(self.requirements[0], allowed, format_values([text]), symptoms.NO_TERMINATOR)]
        if "\0" in text[:-1]:
            allowed = "one terminator, at the end"
            return [Mismatch(self.requirements[0], allowed, format_values([text]), symptoms.EARLY_TERMINATOR)]
        return [complaint for part in self.matchers for complaint in part.mismatches([text[:-1]])]


class ExpectedBytes(msgspec.Struct, frozen=True):
    """Each byte whose element in ``defined`` is 1 must equal the byte in ``content``.

    ``writers``: for each byte the requirement of the command that wrote it, or an empty string. Mismatches of bytes
    without a writer violate ``default_requirement``. ``tolerances``: tolerances for numbers among the undefined bytes.
    """

    content: bytes
    defined: bytes
    writers: tuple[str, ...]
    default_requirement: str
    tolerances: Tolerances = ()

    @property
    def requirements(self) -> tuple[str, ...]:
        """Return the requirements for which matching bytes are evidence."""
        there = filter(None, (*compress(self.writers, self.defined), *(self.writers[at] for at, _ in self.tolerances)))
        return tuple(dict.fromkeys((self.default_requirement, *there))) if any(self.defined) or self.tolerances else ()

    def mismatches(self, elements: Values) -> list[Mismatch]:
        """Return a mismatch for the first unexpected byte, with the number of all unexpected bytes.

        Bytes that the driver did not write hold the fill pattern.
        """
        told = _bytes_of(elements)[: len(self.content)].ljust(len(self.content), bytes([FILL_BYTE]))
        if bytes(compress(told, self.defined)) == bytes(compress(self.content, self.defined)):
            return self._check_tolerances(told)
        wrong = [at for at, known in enumerate(self.defined) if known and told[at] != self.content[at]]
        first = wrong[0]
        observed = f"byte {first} is {told[first]:#04x}; {len(wrong)} of {len(told)} bytes are wrong"
        allowed = f"{self.content[first]:#04x} at byte {first}"
        return [Mismatch(self.writers[first] or self.default_requirement, allowed, observed, symptoms.UNEXPECTED_BYTES)]

    def _check_tolerances(self, told: bytes) -> list[Mismatch]:
        """Return a mismatch for the first number outside its tolerance, with the count of all such numbers."""
        wrong = [(at, one) for at, one in self.tolerances if not one.accepts(told[at : at + one.size])]
        if not wrong:
            return []
        at, first = wrong[0]
        number = int.from_bytes(told[at : at + first.size], "little")
        observed = f"{number:#x} at byte {at}; {len(wrong)} of {len(self.tolerances)} numbers are wrong"
        allowed, requirement = f"{first.description} at byte {at}", self.writers[at] or self.default_requirement
        return [Mismatch(requirement, allowed, observed, symptoms.UNEXPECTED_BYTES, inferred_by=first.interpretation)]


Matcher: TypeAlias = "Anything | ExpectedBytes | OneOf | Satisfies | NewHandles | AllOf | TerminatedString"


def match_values(matcher: Matcher, values: Values) -> tuple[list[Mismatch], set[str]]:
    """Return the mismatches of values, and the requirements of the matcher and its parts that the values fulfil."""
    if isinstance(matcher, AllOf):
        if matcher.is_incomplete(values):
            return matcher.mismatches(values), set()
        found, fulfilled = _match_all(matcher.matchers, values)
        return found, fulfilled if found else fulfilled.union(matcher.requirements)
    if isinstance(matcher, TerminatedString):
        text = "".join(str(value) for value in values)
        whole = matcher.mismatches(values)
        if whole and not text.endswith("\0"):
            return whole, set()
        fulfilled = _match_all(matcher.matchers, [text[:-1]])[1]
        return whole, fulfilled - {complaint.requirement for complaint in whole} if whole else fulfilled.union(
            matcher.requirements
        )
    if isinstance(matcher, Conditional) and not matcher.applies(values):
        return [], set()
    found = matcher.mismatches(values)
    return found, set() if found else set(matcher.requirements)


def _match_all(matchers: Iterable[Matcher], seen: Values) -> tuple[list[Mismatch], set[str]]:
    """Return the mismatches of all matchers, and the requirements without a mismatch."""
    complaints: list[Mismatch] = []
    fulfilled: set[str] = set()
    for part in matchers:
        found, kept = match_values(part, seen)
        complaints += found
        fulfilled |= kept
    return complaints, fulfilled - {complaint.requirement for complaint in complaints}


@dataclass
class Postcondition:
    """The postcondition of one call: matchers for its results, and its effect on the model.

    ``value``: the expected result, if the function returns a handle. ``alignment``: the required alignment of a
    returned address. ``outputs``: parameter to the matcher for its output buffer. ``apply``: updates the model, given
    the result and the returned values of each output; it may return further mismatches.
    """

    value: Matcher | None = None
    outputs: dict[str, Matcher] = field(default_factory=dict)
    apply: Callable[[Element, dict[str, Values]], list[Mismatch] | None] = lambda _value, _outputs: None
    alignment: Matcher | None = None


def _bytes_of(seen: Values) -> bytes:
    """Return the bytes that the elements encode as hexadecimal digits; empty if an element is not hexadecimal."""
    try:
        return bytes.fromhex("".join(map(str, seen)))
    except ValueError:
        return b""


def handle_names(seen: Values) -> list[str]:
    """Return the names of objects in an output, without NULLs and elements that were not written."""
    return [value for value in seen if isinstance(value, str) and value != UNTOUCHED]


MAX_SHOWN_VALUES, MAX_SHOWN_CHARACTERS = 256, 2000
"""Maximum numbers of values and characters to show: a driver may have written millions."""


def format_values(values: Sequence[Element]) -> str:
    """Return values as text: a single value alone, several as a list in braces; long texts are cut."""
    words = ["NULL" if value is None else str(value) for value in values[:MAX_SHOWN_VALUES]]
    if len(values) > MAX_SHOWN_VALUES:
        words.append(f"... {len(values) - MAX_SHOWN_VALUES} more")
    whole = words[0] if len(words) == 1 else "{" + ", ".join(words) + "}"
    return truncate(whole)


def truncate(words: str) -> str:
    """Return a text, cut if it is long: a text with values from a driver may have any length."""
    return (
        words if len(words) <= MAX_SHOWN_CHARACTERS else f"{words[:MAX_SHOWN_CHARACTERS]}... ({len(words)} characters)"
    )
