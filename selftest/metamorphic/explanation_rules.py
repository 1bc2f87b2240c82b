"""Explains each changed deviation under an alteration by the applicability conditions of the tables, if possible."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Literal, NamedTuple

from clconform.selftest.metamorphic.altering_worker import INFO_FUNCTIONS
from clconform.selftest.metamorphic.claim_applicability import ConditionStatus, evaluate_applicability
from clconform.selftest.metamorphic.used_capabilities import CapabilityIndex
from clconform.spec_tables.requirements import OptionalBehaviour

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.oracles.engine.judgements import ObservedDeviation
    from clconform.selftest.metamorphic.claims import Claims
    from clconform.selftest.metamorphic.sequence_sender import JudgedStep, SentSequence
    from clconform.selftest.metamorphic.used_capabilities import ConditionSets
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import ApplicabilityCondition

ChangeKind = Literal["comes", "goes", "stays"]
OTHER_OUTCOME = "the driver answered otherwise"
"""The reason for a change that does not depend on claims, because an outcome differs between the runs.

It is the outcome of this call, or of an earlier call with one of its objects.
"""
CLAIM = "the answer is the altered claim itself"
UNSURE = "less is known of the devices"
WITHOUT_CONDITIONS: dict[str, str] = {
    "CL_DEVICE_OPENCL_C_VERSION": "the oldest OpenCL C that a device must have follows from its version",
    "clSetEventCallback/success": "before 3.0 a callback may be told the status of the command",
}
"""Requirement patterns that depend on versions or extensions without an applicability condition, and the reason."""


CLAIM_QUERIES = frozenset(
    f"CL_{kind}_{rest}"
    for kind in ("PLATFORM", "DEVICE")
    for rest in (
        *("VERSION", "PROFILE", "EXTENSIONS", "NUMERIC_VERSION", "NUMERIC_VERSION_KHR"),
        *("EXTENSIONS_WITH_VERSION", "EXTENSIONS_WITH_VERSION_KHR"),
    )
)
"""The queries that the applicability conditions depend on. A difference in these queries does not explain a change."""
PER_DEVICE_QUERIES = (
    *("CL_CONTEXT_DEVICES", "CL_CONTEXT_NUM_DEVICES", "CL_PROGRAM_DEVICES", "CL_PROGRAM_NUM_DEVICES"),
    *("CL_PROGRAM_BINARIES", "CL_PROGRAM_BINARY_SIZES", "CL_PROGRAM_BINARIES/*", "CL_PROGRAM_BINARY_SIZES/*"),
)
"""Requirements, by pattern, on queries whose value has one element per device of a context."""


class DeviationChange(NamedTuple):
    """A deviation that appears, disappears, or stays although none of its requirements applies any more.

    ``at``: the position of the call in the stored sequence. ``reason``: the explanation; empty if there is none.
    """

    at: int
    key: str
    how: ChangeKind
    blame: ObservedDeviation
    reason: str


class ComparedRun(NamedTuple):
    """One of two compared runs: the claims, and the judgements of the sequence."""

    claims: Claims
    sent: SentSequence


class _StepPair(NamedTuple):
    """One step of a sequence in both compared runs."""

    was: JudgedStep
    now: JudgedStep
    before: Claims
    after: Claims

    def get_applicability(self, ways: ConditionSets) -> tuple[ConditionStatus, ConditionStatus]:
        """Return the applicability of conditions in the run before and in the run after the alteration.

        The conditions are evaluated for the root devices of the call in each run.
        """
        return (
            evaluate_applicability(ways, self.before, self.was.devices),
            evaluate_applicability(ways, self.after, self.now.devices),
        )


class _ObjectHistory:
    """The effects of earlier steps on objects: other outcomes, and capabilities with changed applicability."""

    def __init__(self) -> None:
        self._otherwise: set[str] = set()
        self._made_with: dict[str, str] = {}
        self._answered = False

    def add_step(self, pair: _StepPair, use: str, *, claim: bool) -> None:
        """Add a step to the history.

        ``use``: a capability with changed applicability that the step uses. ``claim``: whether the step queries an
        altered claim.
        """
        self._answered = pair.was.outcome != pair.now.outcome
        if self._answered and not claim:
            self._otherwise |= pair.was.objects
        if use:
            self._made_with.update(dict.fromkeys(pair.was.objects, use))

    def get_creation_use(self, judged: JudgedStep) -> str:
        """Return the capability with changed applicability that an earlier step used on one of the call's objects."""
        return next((self._made_with[name] for name in sorted(judged.objects) if name in self._made_with), "")

    def has_other_outcome(self, judged: JudgedStep) -> bool:
        """Return whether this call, or an earlier one with its objects, had another outcome."""
        return self._answered or not self._otherwise.isdisjoint(judged.objects)


class ChangeExplainer:
    """Compares two runs of one sequence by the tables."""

    def __init__(self, tables: Tables) -> None:
        self._tables, self._uses = tables, CapabilityIndex(tables)
        self._gates: dict[str, tuple[ApplicabilityCondition, ...]] = {}
        self._optional: dict[str, list[tuple[ApplicabilityCondition, ...]]] = {}
        for requirement in tables.requirements.values():
            if isinstance(requirement, OptionalBehaviour):
                self._optional.setdefault(requirement.subject, []).append(requirement.applicability)
        for requirement in tables.requirements.values():
            function = tables.functions.get(getattr(requirement, "function", ""))
            self._gates[requirement.id] = requirement.applicability + (function.applicability if function else ())

    def find_changes(self, before: ComparedRun, after: ComparedRun) -> Iterator[DeviationChange]:
        """Yield each change between two runs in the order of the steps. Steps with different functions are skipped."""
        earlier = _ObjectHistory()
        altered = self._get_altered_queries(before.claims, after.claims)
        for at, was in sorted(before.sent.steps.items()):
            now = after.sent.steps.get(at)
            if now is None:
                return
            pair = _StepPair(was, now, before.claims, after.claims)
            claim = (was.call.function, was.call.arguments.get("param_name")) in altered
            use = self._find_changed_use(pair)
            earlier.add_step(pair, use, claim=claim)
            if was.call.function == now.call.function:
                yield from self._find_step_changes(at, pair, CLAIM if claim else use, earlier)

    def _find_step_changes(
        self, at: int, pair: _StepPair, use: str, earlier: _ObjectHistory
    ) -> Iterator[DeviationChange]:
        """Yield the changes of one step; ``use``: an explanation for all changes of applicable requirements."""
        for key, how, deviation in _find_differences(pair.was, pair.now):
            reason = use or earlier.get_creation_use(pair.was) or self._explain_deviation(pair, deviation, how)
            reason = reason or self._explain_regrouping(pair, deviation, how)
            if how == "comes" and not self._is_applicable(deviation, pair.now, pair.after):
                reason = ""
            if not reason and earlier.has_other_outcome(pair.was):
                reason = OTHER_OUTCOME
            yield DeviationChange(at, key, how, deviation, reason)
        for key, deviation in pair.now.deviations.items():
            if key in pair.was.deviations and not self._is_applicable(deviation, pair.now, pair.after):
                yield DeviationChange(at, key, "stays", deviation, "")

    def _get_altered_queries(self, before: Claims, after: Claims) -> set[tuple[str, int]]:
        """Return the altered queries, each as the name of its function and its number."""
        queries = {query for told in before.get_differences(after).values() for query in told}
        return {
            (function, self._tables.enumerants[query].value)
            for query in queries
            for function in INFO_FUNCTIONS
            if query.startswith("CL_PLATFORM") == (function == "clGetPlatformInfo")
        }

    def _is_applicable(self, deviation: ObservedDeviation, judged: JudgedStep, claims: Claims) -> bool:
        """Return whether one of the deviation's requirements applies to any device of the call."""
        return any(
            evaluate_applicability((self._gates.get(requirement, ()),), claims, judged.devices)
            is not ConditionStatus.FAILS
            for requirement in deviation.requirements
        )

    def _find_changed_use(self, pair: _StepPair) -> str:
        """Return a description of a used capability with changed applicability; empty if there is none."""
        for name, ways in self._uses.find_uses(pair.was.call):
            was, now = pair.get_applicability(ways)
            if was is not now:
                return _format_applicability_change(name, was, now)
        return ""

    def _explain_deviation(self, pair: _StepPair, deviation: ObservedDeviation, how: ChangeKind) -> str:
        """Return an explanation by the applicability of requirements; empty if there is none."""
        if how == "goes" and pair.was.devices.sure and not pair.now.devices.sure:
            return UNSURE
        moved = self._explain_by_requirements(pair, deviation, how) or self._explain_by_returned_code(pair, how)
        if moved:
            return moved
        if pair.was.devices.devices != pair.now.devices.devices:
            if any(
                fnmatchcase(requirement, glob) for requirement in deviation.requirements for glob in PER_DEVICE_QUERIES
            ):
                return "the answer has an element for each device"
            if not self._are_devices_alike(pair, deviation):
                return "the devices differ in what the condition names"
        if not pair.before.get_differences(pair.after):
            return ""
        known = WITHOUT_CONDITIONS.items()
        return next((why for glob, why in known for each in deviation.requirements if fnmatchcase(each, glob)), "")

    def _explain_regrouping(self, pair: _StepPair, deviation: ObservedDeviation, how: ChangeKind) -> str:
        """Return why a deviation with the same symptom lists more or fewer requirements; empty if unexplained."""
        others = (pair.was if how == "comes" else pair.now).deviations.values()
        for other in others:
            shared = set(other.requirements) & set(deviation.requirements)
            if shared and other.symptom.code == deviation.symptom.code:
                reason = self._explain_deviation(pair, other, "goes" if how == "comes" else "comes")
                if reason:
                    return reason
        return ""

    def _explain_by_requirements(self, pair: _StepPair, deviation: ObservedDeviation, how: ChangeKind) -> str:
        """Return a changed applicability condition of the deviation's requirements, or of names in them."""
        for requirement in deviation.requirements:
            was, now = pair.get_applicability((self._gates.get(requirement, ()),))
            if was is not now and (how == "comes") == (now is ConditionStatus.HOLDS):
                return _format_applicability_change(requirement, was, now)
            known = self._tables.requirements.get(requirement)
            optional = self._optional.get(getattr(known, "name", ""), ())
            for gates in optional:  # optional behaviour: the requirement applies where these conditions do not hold
                was, now = pair.get_applicability((gates,))
                if was is not now and (how == "comes") == (now is ConditionStatus.FAILS):
                    return _format_applicability_change(f"what is optional of {requirement}", was, now)
            named = getattr(known, "symbols", ())
            for name in (*named, *sorted((pair.was.read | pair.now.read) - CLAIM_QUERIES)):
                was, now = pair.get_applicability(self._uses.get_conditions(name) or ((),))
                if was is not now and (how == "comes") == (now is ConditionStatus.HOLDS):
                    return _format_applicability_change(name, was, now)
        return ""

    def _explain_by_returned_code(self, pair: _StepPair, how: ChangeKind) -> str:
        """Return an error condition of the returned code whose changed applicability explains the deviation."""
        for clause in self._tables.error_conditions_of(pair.was.call.function):
            if clause.code == pair.now.observed:
                was, now = pair.get_applicability((self._gates[clause.id],))
                if was is not now and (now is ConditionStatus.FAILS) == (how == "comes"):
                    return _format_applicability_change(clause.id, was, now)
        return ""

    def _are_devices_alike(self, pair: _StepPair, deviation: ObservedDeviation) -> bool:
        """Return whether all devices report the same values for the queries that the judgement depends on."""
        requirements = [self._tables.requirements.get(each) for each in deviation.requirements]
        named = {
            name
            for each in (*requirements, *self._tables.error_conditions_of(pair.was.call.function))
            if each
            for name in each.symbols
        }
        named |= pair.was.read | pair.now.read
        devices = pair.was.devices.devices | pair.now.devices.devices
        answers = [pair.after.things[device].values for device in sorted(devices)]
        return all(each.get(name) == answers[0].get(name) for each in answers for name in named)


def _format_applicability_change(name: str, was: ConditionStatus, now: ConditionStatus) -> str:
    return f"{name} was {was.value} and is now {now.value}"


def _find_differences(was: JudgedStep, now: JudgedStep) -> Iterator[tuple[str, ChangeKind, ObservedDeviation]]:
    for key, deviation in was.deviations.items():
        if key not in now.deviations:
            yield key, "goes", deviation
    for key, deviation in now.deviations.items():
        if key not in was.deviations:
            yield key, "comes", deviation
