"""Explains each changed deviation under an alteration by the applicability conditions of the tables, if possible."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Literal, NamedTuple

from clconform.selftest.metamorphic.layer import INFO
from clconform.selftest.metamorphic.readings import Reading, reading
from clconform.selftest.metamorphic.uses import Uses
from clconform.spec_tables.records import OptionalBehaviour

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.oracles.engine.judgements import Blame
    from clconform.selftest.metamorphic.claims import Claims
    from clconform.selftest.metamorphic.sending import Judged, Sent
    from clconform.selftest.metamorphic.uses import Ways
    from clconform.spec_tables import Tables
    from clconform.spec_tables.records import Gate

How = Literal["comes", "goes", "stays"]
OTHERWISE = "the driver answered otherwise"
"""The reason for changes that do not depend on claims: this or an earlier call of its objects had another outcome."""
CLAIM = "the answer is the altered claim itself"
UNSURE = "less is known of the devices"
WITHOUT_GATES: dict[str, str] = {
    "CL_DEVICE_OPENCL_C_VERSION": "the oldest OpenCL C that a device must have follows from its version",
    "clSetEventCallback/success": "before 3.0 a callback may be told the status of the command",
}
"""Requirement patterns that depend on versions or extensions without an applicability condition, and the reason."""


CLAIMS = frozenset(
    f"CL_{kind}_{rest}"
    for kind in ("PLATFORM", "DEVICE")
    for rest in (
        *("VERSION", "PROFILE", "EXTENSIONS", "NUMERIC_VERSION", "NUMERIC_VERSION_KHR"),
        *("EXTENSIONS_WITH_VERSION", "EXTENSIONS_WITH_VERSION_KHR"),
    )
)
"""The queries that the applicability conditions depend on; their absence does not explain a change."""
FOR_EACH_DEVICE = (
    *("CL_CONTEXT_DEVICES", "CL_CONTEXT_NUM_DEVICES", "CL_PROGRAM_DEVICES", "CL_PROGRAM_NUM_DEVICES"),
    *("CL_PROGRAM_BINARIES", "CL_PROGRAM_BINARY_SIZES", "CL_PROGRAM_BINARIES/*", "CL_PROGRAM_BINARY_SIZES/*"),
)
"""Requirements, by pattern, on queries whose value has one element per device of a context."""


class Change(NamedTuple):
    """A deviation that appears, disappears, or stays although none of its requirements applies any more.

    ``at``: its position in the stored sequence. ``reason``: the explanation; empty if there is none.
    """

    at: int
    key: str
    how: How
    blame: Blame
    reason: str


class Side(NamedTuple):
    """One of two compared runs: the claims, and the judgements of the sequence."""

    claims: Claims
    sent: Sent


class _Pair(NamedTuple):
    """One step in both runs."""

    was: Judged
    now: Judged
    before: Claims
    after: Claims

    def readings(self, ways: Ways) -> tuple[Reading, Reading]:
        """Return the applicability of conditions before and after, for the root devices of the call in each run."""
        return (
            reading(ways, self.before, self.was.behind),
            reading(ways, self.after, self.now.behind),
        )


class _Earlier:
    """The changes that earlier steps caused to objects."""

    def __init__(self) -> None:
        self._otherwise: set[str] = set()
        self._made_with: dict[str, str] = {}
        self._answered = False

    def take(self, pair: _Pair, use: str, *, claim: bool) -> None:
        """Add a step; ``use``: a used capability with changed applicability; ``claim``: it queries an altered claim."""
        self._answered = pair.was.answer != pair.now.answer
        if self._answered and not claim:
            self._otherwise |= pair.was.objects
        if use:
            self._made_with.update(dict.fromkeys(pair.was.objects, use))

    def made_with(self, judged: Judged) -> str:
        """Return the capability with changed applicability that an earlier step used on one of the call's objects."""
        return next((self._made_with[name] for name in sorted(judged.objects) if name in self._made_with), "")

    def answered_otherwise(self, judged: Judged) -> bool:
        """Return whether this call, or an earlier one with its objects, had another outcome."""
        return self._answered or not self._otherwise.isdisjoint(judged.objects)


class Explainer:
    """Compares two runs of one sequence by the tables."""

    def __init__(self, tables: Tables) -> None:
        self._tables, self._uses = tables, Uses(tables)
        self._gates: dict[str, tuple[Gate, ...]] = {}
        self._optional: dict[str, list[tuple[Gate, ...]]] = {}
        for record in tables.records.values():
            if isinstance(record, OptionalBehaviour):
                self._optional.setdefault(record.subject, []).append(record.gates)
        for record in tables.records.values():
            function = tables.functions.get(getattr(record, "function", ""))
            self._gates[record.id] = record.gates + (function.gates if function else ())

    def changes(self, before: Side, after: Side) -> Iterator[Change]:
        """Yield each change between two runs in the order of the steps; steps with different functions are skipped."""
        earlier = _Earlier()
        altered = self._altered(before.claims, after.claims)
        for at, was in sorted(before.sent.steps.items()):
            now = after.sent.steps.get(at)
            if now is None:
                return
            pair = _Pair(was, now, before.claims, after.claims)
            claim = (was.call.function, was.call.arguments.get("param_name")) in altered
            use = self._used_otherwise(pair)
            earlier.take(pair, use, claim=claim)
            if was.call.function == now.call.function:
                yield from self._changes(at, pair, CLAIM if claim else use, earlier)

    def _changes(self, at: int, pair: _Pair, use: str, earlier: _Earlier) -> Iterator[Change]:
        """Yield the changes of one step; ``use``: an explanation for all changes of applicable requirements."""
        for key, how, blame in _differing(pair.was, pair.now):
            reason = use or earlier.made_with(pair.was) or self._reason(pair, blame, how)
            reason = reason or self._shared(pair, blame, how)
            if how == "comes" and not self._applies(blame, pair.now, pair.after):
                reason = ""
            if not reason and earlier.answered_otherwise(pair.was):
                reason = OTHERWISE
            yield Change(at, key, how, blame, reason)
        for key, blame in pair.now.blames.items():
            if key in pair.was.blames and not self._applies(blame, pair.now, pair.after):
                yield Change(at, key, "stays", blame, "")

    def _altered(self, before: Claims, after: Claims) -> set[tuple[str, int]]:
        """Return the altered queries by function and number."""
        queries = {query for told in before.differing(after).values() for query in told}
        return {
            (function, self._tables.enumerants[query].value)
            for query in queries
            for function in INFO
            if query.startswith("CL_PLATFORM") == (function == "clGetPlatformInfo")
        }

    def _applies(self, blame: Blame, judged: Judged, claims: Claims) -> bool:
        """Return whether one of the deviation's requirements applies to any device of the call."""
        return any(
            reading((self._gates.get(record, ()),), claims, judged.behind) is not Reading.CLOSED
            for record in blame.records
        )

    def _used_otherwise(self, pair: _Pair) -> str:
        """Return a description of a used capability with changed applicability; empty if there is none."""
        for name, ways in self._uses.of(pair.was.call):
            was, now = pair.readings(ways)
            if was is not now:
                return _moved(name, was, now)
        return ""

    def _reason(self, pair: _Pair, blame: Blame, how: How) -> str:
        """Return an explanation by the applicability of requirements; empty if there is none."""
        if how == "goes" and pair.was.behind.sure and not pair.now.behind.sure:
            return UNSURE
        moved = self._blamed_otherwise(pair, blame, how) or self._allowed_otherwise(pair, how)
        if moved:
            return moved
        if pair.was.behind.devices != pair.now.behind.devices:
            if any(fnmatchcase(record, glob) for record in blame.records for glob in FOR_EACH_DEVICE):
                return "the answer has an element for each device"
            if not self._alike(pair, blame):
                return "the devices differ in what the condition names"
        if not pair.before.differing(pair.after):
            return ""
        known = WITHOUT_GATES.items()
        return next((why for glob, why in known for each in blame.records if fnmatchcase(each, glob)), "")

    def _shared(self, pair: _Pair, blame: Blame, how: How) -> str:
        """Return why a deviation with the same symptom lists more or fewer requirements; empty if unexplained."""
        others = (pair.was if how == "comes" else pair.now).blames.values()
        for other in others:
            shared = set(other.records) & set(blame.records)
            if shared and other.symptom.code == blame.symptom.code:
                reason = self._reason(pair, other, "goes" if how == "comes" else "comes")
                if reason:
                    return reason
        return ""

    def _blamed_otherwise(self, pair: _Pair, blame: Blame, how: How) -> str:
        """Return a changed applicability condition of the deviation's requirements, or of names in them."""
        for record in blame.records:
            was, now = pair.readings((self._gates.get(record, ()),))
            if was is not now and (how == "comes") == (now is Reading.OPEN):
                return _moved(record, was, now)
            known = self._tables.records.get(record)
            optional = self._optional.get(getattr(known, "name", ""), ())
            for gates in optional:  # optional behaviour with these conditions is required where they do not hold
                was, now = pair.readings((gates,))
                if was is not now and (how == "comes") == (now is Reading.CLOSED):
                    return _moved(f"what is optional of {record}", was, now)
            named = getattr(known, "symbols", ())
            for name in (*named, *sorted((pair.was.read | pair.now.read) - CLAIMS)):
                was, now = pair.readings(self._uses.of_name(name) or ((),))
                if was is not now and (how == "comes") == (now is Reading.OPEN):
                    return _moved(name, was, now)
        return ""

    def _allowed_otherwise(self, pair: _Pair, how: How) -> str:
        """Return an error condition of the returned code whose applicability changes like the deviation."""
        for clause in self._tables.clauses_of(pair.was.call.function):
            if clause.code == pair.now.observed:
                was, now = pair.readings((self._gates[clause.id],))
                if was is not now and (now is Reading.CLOSED) == (how == "comes"):
                    return _moved(clause.id, was, now)
        return ""

    def _alike(self, pair: _Pair, blame: Blame) -> bool:
        """Return whether all devices report the same values for the queries that the judgement depends on."""
        records = [self._tables.records.get(each) for each in blame.records]
        named = {
            name
            for each in (*records, *self._tables.clauses_of(pair.was.call.function))
            if each
            for name in each.symbols
        }
        named |= pair.was.read | pair.now.read
        devices = pair.was.behind.devices | pair.now.behind.devices
        answers = [pair.after.things[device].answers for device in sorted(devices)]
        return all(each.get(name) == answers[0].get(name) for each in answers for name in named)


def _moved(name: str, was: Reading, now: Reading) -> str:
    return f"{name} was {was.value} and is now {now.value}"


def _differing(was: Judged, now: Judged) -> Iterator[tuple[str, How, Blame]]:
    for key, blame in was.blames.items():
        if key not in now.blames:
            yield key, "goes", blame
    for key, blame in now.blames.items():
        if key not in was.blames:
            yield key, "comes", blame
