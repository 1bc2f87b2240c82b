"""The judge: computes the outcomes that the documents allow for a call, and compares an observed outcome with them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import GARBAGE, UNTOUCHED, Absent, Call, Died, Hung, Outcome, Returned
from clconform.calls.harness_actions import HOST_ACTIONS, find_function
from clconform.calls.values import OutputBuffer
from clconform.oracles.contents import failed_commands
from clconform.oracles.contents.access_rules import (
    find_undefined_access,
    find_undefined_or_endless,
    overrun_requirement,
    waits_for_commands,
)
from clconform.oracles.contents.byte_attribution import attribute_bytes, record_check, record_unexpected_bytes
from clconform.oracles.engine import symptoms
from clconform.oracles.engine.accepted_calls import is_use_undefined, mark_unusable
from clconform.oracles.engine.applicability import Applicability, applies, describe_unmet_condition
from clconform.oracles.engine.call_context import CallContext, CompletedCall
from clconform.oracles.engine.call_postcondition import postcondition_of
from clconform.oracles.engine.call_preconditions import (
    find_short_argument,
    find_short_memory,
    find_unterminated_list,
    trim_to_counts,
)
from clconform.oracles.engine.commands import forget_written_memory, record_recorded_command
from clconform.oracles.engine.crashes import PrecedingCalls, find_suspects
from clconform.oracles.engine.interpretation import InterpretationId
from clconform.oracles.engine.judgements import (
    CODE_NOT_REQUESTED,
    NO_EVIDENCE,
    NULL,
    SUCCESS,
    UNDECIDED_APPLICABILITY,
    UNEXPECTED_ERROR,
    ClauseMatch,
    Expectation,
    Judgement,
    ObservedDeviation,
)
from clconform.oracles.engine.legacy_spec import cite_legacy_gap, find_legacy_gap
from clconform.oracles.engine.matchers import Mismatch, Postcondition, Values, match_values, truncate
from clconform.oracles.engine.operands import operands_of
from clconform.oracles.engine.outcome_validation import find_outcome_error, pad_outputs
from clconform.oracles.engine.predicate_result import MUST, NO, UNDEFINED, evaluate, may
from clconform.oracles.engine.rulebook import rulebook_of
from clconform.oracles.engine.unmodelled_objects import adopt_objects, mark_possibly_invalid
from clconform.oracles.engine.wording import add_alternative, cite_interpretation
from clconform.oracles.model.call_scope import CallScope, versions_of
from clconform.oracles.model.errors import UndefinedBehaviourError, UnknownFactError
from clconform.oracles.queries.output_size import trim_output
from clconform.oracles.queries.query_request import requested_queries, requested_query
from clconform.spec_tables.requirements import ErrorCondition
from clconform.spec_tables.versions import read_version

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.calls.call import Output
    from clconform.calls.values import Operand
    from clconform.oracles.engine.condition_rules import FunctionRules
    from clconform.oracles.engine.crashes import Suspects
    from clconform.oracles.engine.rulebook import Rulebook
    from clconform.oracles.engine.rules import CoveragePoint
    from clconform.oracles.engine.symptoms import Symptom
    from clconform.oracles.model.devices import Platform
    from clconform.oracles.model.state import Model
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import Function

IMPOSSIBLE_OUTCOME = "an answer that its call cannot have"
"""The observed outcome in judgements of outcomes that are impossible for their calls."""
CORE_DOCUMENT = "OpenCL"
"""The document with the functions that every driver has."""
NEGATIVE_EVIDENCE = ("deviates", "crashes", "hangs")
"""Kinds of evidence that a requirement is violated."""
NO_PREDICATE = may("no-predicate")
OTHER_REVISION = InterpretationId("other-revision")
"""The interpretation for clauses that read differently in the driver's revision of their extension."""
DOUBTS = {Applicability.UNDECIDED: UNDECIDED_APPLICABILITY, Applicability.OTHER_REVISION: OTHER_REVISION}
"""The interpretations by which a clause may hold because its applicability is in doubt."""
DEPRECATED_FUNCTION = InterpretationId("deprecated-function-missing")
"""The interpretation by which a missing entry of a deprecated function is a deviation."""
UNDEFINED_FORMAT = InterpretationId("undefined-or-vendor-format")
"""The interpretation by which an image format with undefined values may be rejected."""
INDEPENDENT_QUEUES = InterpretationId("independent-queues")
"""The interpretation by which a call may wait while another queue of the device waits for a user event."""
CALL_TIMEOUT = InterpretationId("call-timeout")
"""The interpretation by which a call counts as a hang, although the documents do not specify a time."""


class Oracle:
    """The judge of one example: it owns the model and updates it with every outcome."""

    def __init__(self, model: Model, rulebook: Rulebook | None = None, *, records_coverage: bool = True) -> None:
        """Create the judge for a model; ``rulebook``: rules to use instead of those of the package.

        ``records_coverage``: judgements contain the coverage points that a call reaches. Callers that only use
        deviations turn this off; deviations do not depend on it.
        """
        self.model = model
        self._records_coverage = records_coverage
        self.tables: Tables = model.tables
        self.rulebook = rulebook or rulebook_of(model.tables)
        self.preceding = PrecedingCalls()

    def expect(self, call: Call, *, on_host_thread: bool = False) -> Expectation:
        """Return the outcomes that the documents allow for a call.

        The expectation contains the call with every list cut to its count. ``on_host_thread``: the call runs on a
        separate host thread, so it may wait for later calls.
        """
        call, model = trim_to_counts(call), self.model
        model.clear_cache()
        judged = CallContext(call, model, self.rulebook)
        judged.compute_scope()
        rules = self.rulebook.conditions.rules_of(call.function)
        different = _describe_other_revision(rules, judged)
        if different:
            return Expectation(judged, (), (), (), different, other_revision=True)
        musts: list[ClauseMatch] = []
        mays: list[ClauseMatch] = []
        short = find_short_argument(call, model) or find_short_memory(call, model)
        endless = find_unterminated_list(call, model)
        undefined = f"{short} is shorter than the call says" if short else f"{endless} has no end" if endless else ""
        changed = [
            clause
            for clause in rules.changed
            if judged.applicability(clause.applicability) is Applicability.OTHER_REVISION
        ]
        mays += [ClauseMatch(clause, OTHER_REVISION) for clause in changed]
        for requirement, clause, gates, predicate in rules.conditions:
            reply = evaluate(predicate, call, model) if predicate else NO_PREDICATE
            if reply is NO:
                continue
            if reply is UNDEFINED or (clause is None and reply is MUST):
                undefined = requirement
                continue
            gating = judged.applicability(gates) if gates else Applicability.APPLIES
            if clause is None or clause in changed or gating is Applicability.NOT_APPLICABLE:
                continue
            if gating in DOUBTS:
                mays.append(ClauseMatch(clause, DOUBTS[gating]))
            else:
                interpretation = reply.interpretation
                (mays if reply.is_may else musts).append(ClauseMatch(clause, interpretation))
        resources = [
            code
            for code, gates in rules.resource_codes
            if not gates or judged.applicability(gates) is not Applicability.NOT_APPLICABLE
        ]
        if not musts and not undefined:
            use = find_undefined_access(judged) if on_host_thread else find_undefined_or_endless(judged)
            if use is not None:
                return Expectation(judged, (), tuple(mays), tuple(resources), use.text, use)
        return Expectation(judged, tuple(musts), tuple(mays), tuple(resources), undefined)

    def may_hold(self, condition: str, call: Call) -> bool:
        """Return whether an error condition holds or may hold for a call; ``condition``: its requirement id."""
        self.model.clear_cache()
        rules = self.rulebook.conditions.rules_of(call.function).conditions
        return any(
            rule.requirement == condition
            and rule.predicate is not None
            and evaluate(rule.predicate, call, self.model) is not NO
            for rule in rules
        )

    def judge(self, expectation: Expectation, outcome: Outcome, *, validated: bool = False) -> Judgement:
        """Compare an outcome with the expectation; a success, expected or not, updates the model.

        An outcome that is impossible for the call is not evidence for or against any requirement, and leaves the model
        unchanged. ``validated``: the outcome is known to be possible.
        """
        if isinstance(outcome, Absent):
            return self._judge_absence(expectation, outcome)
        call = expectation.call
        if isinstance(outcome, Returned):
            if not validated and self.find_outcome_error(call, outcome):
                return Judgement(
                    IMPOSSIBLE_OUTCOME,
                    [(requirement, "inconclusive") for requirement in self._violated_requirements(expectation)],
                )
            outcome = pad_outputs(call, outcome, self.model.lookups)
        if expectation.implementation_defined:
            return self._judge_other_type(expectation, outcome)
        if isinstance(outcome, Returned):
            judgement = self._judge_returned(expectation, outcome)
            if call.function not in HOST_ACTIONS:
                self._remember_call(expectation, outcome, judgement)
        elif isinstance(outcome, Hung):
            judgement = self._judge_hang(expectation, outcome)
        else:
            judgement = self._judge_crash_or_hang(expectation, outcome)
        return self._drop_inapplicable(judgement, expectation.context.scope)

    def _drop_inapplicable(self, judgement: Judgement, scope: CallScope) -> Judgement:
        """Remove from a judgement the requirements that may not apply to the platform or a device of the call.

        Negative evidence for such a requirement becomes inconclusive; evidence of another kind is removed. A deviation
        is removed if none of its requirements certainly applies.
        """
        requirements = self.tables.requirements
        doubtful = {
            requirement
            for requirement, _ in judgement.evidence
            if (found := requirements.get(requirement)) is not None
            and found.applicability
            and not applies(found.applicability, scope)
        }
        if doubtful:
            judgement.evidence = [
                (requirement, "inconclusive" if requirement in doubtful else kind)
                for requirement, kind in judgement.evidence
                if requirement not in doubtful or kind in NEGATIVE_EVIDENCE
            ]
            judgement.deviations = [
                replace(
                    deviation,
                    also_violated=tuple(
                        requirement for requirement in deviation.also_violated if requirement not in doubtful
                    ),
                )
                for deviation in judgement.deviations
                if not doubtful.issuperset(deviation.requirements)
            ]
            judgement.suspected_deviations = [
                deviation
                for deviation in judgement.suspected_deviations
                if not doubtful.issuperset(deviation.requirements)
            ]
        return judgement

    def find_outcome_error(self, call: Call, outcome: Returned) -> str:
        """Return why an outcome is impossible for its call, in one line for people; empty if it is possible."""
        return find_outcome_error(call, outcome, self.model.lookups)

    def _judge_other_type(self, expectation: Expectation, outcome: Outcome) -> Judgement:
        """Return a judgement without a verdict for a call with a live handle of a type that it does not accept.

        Objects that the call created are added to the model.
        """
        if isinstance(outcome, Returned):
            function = self.tables.functions[expectation.call.function]
            observed, _ = self._decode_error(function, expectation.call, outcome)
            adopt_objects(expectation.call, outcome, self.model)
            if observed == SUCCESS:
                mark_unusable(expectation, outcome, self.model)
        elif isinstance(outcome, Died):
            observed = f"{outcome.how} {outcome.detail}".strip()
        else:
            observed = "no answer in time"
        return Judgement(observed, implementation_defined=expectation.implementation_defined)

    def _judge_absence(self, expectation: Expectation, outcome: Absent) -> Judgement:
        """Judge a missing function: a deviation only if the reported versions or extensions promise the function."""
        function = self.tables.functions[expectation.call.function]
        judgement = Judgement(f"{outcome.how}: {outcome.detail}")
        platform = self.model.platform_of(list(expectation.call.arguments.values()))
        devices = self.model.root_devices(platform)
        claims = [device for device in devices if applies(function.applicability, CallScope(platform, (device,)))]
        if claims and platform is not None and _is_driver_responsible(function, platform, outcome, self.tables):
            requirement = f"{function.name}/success"
            confidence = self.rulebook.basis.confidence_of(requirement)
            words = "the platform's version or extension string promises this function"
            if _is_deprecated(function, platform):
                confidence, words = "interpretation", cite_interpretation(words, DEPRECATED_FUNCTION)
                judgement.interpretations.append((DEPRECATED_FUNCTION, judgement.observed))
            judgement.evidence.append((requirement, "deviates"))
            judgement.deviations.append(
                ObservedDeviation(
                    (requirement,),
                    "deviates",
                    confidence,
                    ("a function that can be called",),
                    judgement.observed,
                    {requirement: words},
                    symptoms.function_absent(function.name, outcome),
                )
            )
        return judgement

    def _judge_crash_or_hang(self, expectation: Expectation, outcome: Died | Hung) -> Judgement:
        """Judge a call that ended the process or did not return; a crash may be caused by other calls."""
        verdict, observed, symptom = describe_process_end(outcome)
        judgement = Judgement(observed)
        own = self._violated_requirements(expectation)
        deviation = self._create_deviation(expectation, own, verdict, observed, symptom)
        if isinstance(outcome, Died):
            suspects = find_suspects(expectation.context, own, self.preceding)
            if suspects.blames_other_calls:
                deviation = self._attribute_to_suspects(suspects, deviation)
        requirements = deviation.requirements
        if not requirements:
            return judgement
        if isinstance(outcome, Died) and outcome.how == "killed":
            judgement.evidence += [(requirement, "inconclusive") for requirement in requirements]
            judgement.suspected_deviations.append(deviation)
            return judgement
        judgement.evidence += [(requirement, verdict) for requirement in requirements]
        judgement.deviations.append(deviation)
        return judgement

    def _judge_hang(self, expectation: Expectation, outcome: Hung) -> Judgement:
        """Judge a call that did not return before its deadline. An interpretation treats such a call as a hang.

        A call that waits for commands may wait as long as other commands wait for a user event.
        """
        held = self.model.commands.has_blocked_commands()
        if held and waits_for_commands(expectation.call):
            judgement = Judgement(describe_process_end(outcome)[1])
            judgement.evidence += [(each, "inconclusive") for each in self._violated_requirements(expectation)]
            judgement.interpretations.append((INDEPENDENT_QUEUES, judgement.observed))
            return judgement
        judgement = self._judge_crash_or_hang(expectation, outcome)
        words = cite_interpretation(
            f"A call that has not returned after {outcome.seconds:g} s never returns", CALL_TIMEOUT
        )
        judgement.deviations = [
            replace(
                deviation,
                confidence="interpretation",
                conditions={
                    requirement: f"{known} {words}.".lstrip() for requirement, known in deviation.conditions.items()
                },
            )
            for deviation in judgement.deviations
        ]
        judgement.interpretations.append((CALL_TIMEOUT, judgement.observed))
        return judgement

    def _attribute_to_suspects(self, suspects: Suspects, deviation: ObservedDeviation) -> ObservedDeviation:
        """Return the deviation ``deviation`` of a crash, attributed to the requirements of the suspects."""
        return replace(
            deviation,
            requirements=suspects.requirements,
            function=suspects.function,
            observed=f"{deviation.observed} {suspects.timing}",
            undecided=suspects.undecided,
            call_deviation=deviation if suspects.includes_pending_call else None,
            confidence="inferred",
            allowed=tuple(dict.fromkeys(map(self._code_of_requirement, suspects.requirements))),
            conditions={
                requirement: self.rulebook.texts.words_of(requirement) for requirement in suspects.requirements
            },
            operands={},
        )

    def _code_of_requirement(self, requirement: str) -> str:
        """Return the error code of an error condition, or CL_SUCCESS for any other requirement."""
        clause = self.tables.requirements.get(requirement)
        return clause.code if isinstance(clause, ErrorCondition) else SUCCESS

    def _remember_call(self, expectation: Expectation, outcome: Returned, judgement: Judgement) -> None:
        """Remember a call that has returned, in case the process ends before the next call returns.

        If the call is invalid, its objects must not be used again.
        """
        observed, accepted = judgement.observed, self.preceding.invalid_enqueue
        if is_use_undefined(expectation, observed):
            mark_unusable(expectation, outcome, self.model)
        last = (
            self._violated_requirements(expectation)
            if observed == SUCCESS
            else (f"{expectation.call.function}/success",)
        )
        self.preceding = PrecedingCalls(last, accepted or (last if expectation.is_unexpected_enqueue(observed) else ()))

    def _judge_returned(self, expectation: Expectation, outcome: Returned) -> Judgement:
        judged = expectation.context
        call = judged.call
        function = find_function(call.function, self.tables.functions)
        whole = outcome
        if function.queries:
            outcome = trim_output(outcome, call, self.model)
        code, complaints = self._decode_error(function, call, outcome)
        judgement = Judgement(code)
        if function.queries:
            judgement.notes = find_stray_writes(function.name, code, whole, outcome)
        if complaints:
            self._add_mismatches(judgement, complaints)
        if outcome.overrun:
            places = ", ".join(outcome.overrun)
            requirement = overrun_requirement(judged) or f"{function.name}/success"
            allowed, symptom = "no write past the end of an output buffer", symptoms.buffer_overrun(outcome.overrun)
            self._add_mismatches(judgement, [Mismatch(requirement, allowed, f"{places} overrun", symptom)])
        seen = {
            name: list(output.values)
            for name, output in outcome.outputs.items()
            if not output.unrecorded  # an unrecorded value is unknown
        }
        met = self._find_covered_points(function, judged, outcome, seen, code) if self._records_coverage else []
        failed_commands.record_errors(call, code, self.model)
        if code == SUCCESS:
            self._judge_success(expectation, outcome, seen, judgement)
        else:
            explained = self._judge_failure(expectation, code, judgement)
            self._judge_object_with_error(expectation, outcome, code, judgement)
            if not explained:  # its effects may be complete, partial or absent
                forget_written_memory(expectation.context)
            self._apply_aftermath(call, code if explained else UNEXPECTED_ERROR)
        self._apply_watches(call, outcome, code, judgement)
        blamed = frozenset(each for deviation in judgement.deviations for each in _judged_requirements(deviation))
        _add_requirements(judgement, _find_aliases(expectation, function, blamed), blamed)
        for requirement, known in met:
            if not blamed.isdisjoint(known.judged_requirements):
                _add_requirements(judgement, [requirement], blamed.intersection(known.judged_requirements))
            elif not blamed and (code == SUCCESS or not known.requires_success):
                judgement.evidence.append((requirement, "conforms"))
        return judgement

    def _apply_watches(self, call: Call, outcome: Returned, code: str, judgement: Judgement) -> None:
        """Apply the rulebook's watches to the outcome, for example those for callbacks and for event timestamps."""
        for watch in self.rulebook.watches_of(call.function):
            complaints, fulfilled = watch(call, outcome, code, self.model)
            if complaints:
                self._add_mismatches(judgement, complaints)
            if fulfilled:
                judgement.evidence += [(requirement, "conforms") for requirement in sorted(fulfilled)]

    def _find_covered_points(
        self, function: Function, judged: CallContext, outcome: Returned, seen: dict[str, Values], code: str
    ) -> list[tuple[str, CoveragePoint]]:
        """Return the requirements whose coverage points a call reaches."""
        names = (
            tuple([query.name for query in requested_queries(judged.call, judged.model)]) if function.queries else ()
        )
        candidates = self.rulebook.coverage.candidates_of(function.name, names)
        if not candidates:
            return []
        raw = {name: output.raw for name, output in outcome.outputs.items() if output.raw}
        asked = CompletedCall(judged, seen, code, raw)
        met = []
        for requirement, gates, known in candidates:
            try:
                if known.holds(asked) and (not gates or judged.applicability(gates) is Applicability.APPLIES):
                    met.append((requirement, known))
            except (UnknownFactError, UndefinedBehaviourError):
                continue
        return met

    def _judge_failure(self, expectation: Expectation, code: str, judgement: Judgement) -> bool:
        """Judge a failed call; return whether a condition of the call explains the error code."""
        function = expectation.call.function
        codes = {held.clause.code for held in (*expectation.required_errors, *expectation.optional_errors)}
        requirements = self._violated_requirements(expectation)
        if code in codes or (code == CODE_NOT_REQUESTED and codes):
            alone = len(expectation.required_errors) == 1
            for held in expectation.required_errors:
                strong = alone and held.clause.code in (code, CODE_NOT_REQUESTED)
                judgement.evidence.append((held.clause.id, "conforms" if strong else "weak"))
            self._credit_explaining_clause(expectation, code, judgement)
            return code not in expectation.resource_codes or any(
                held.clause.code == code for held in expectation.required_errors
            )
        if code in expectation.resource_codes:
            judgement.evidence += [(requirement, "inconclusive") for requirement in requirements]
        elif failed_commands.is_explained(expectation.call, code, self.model):
            judgement.evidence += [(requirement, "inconclusive") for requirement in requirements]
            judgement.interpretations.append((failed_commands.AFTER_ABNORMAL_END, code))
        else:
            judgement.evidence += [(requirement, "deviates") for requirement in requirements]
            judgement.deviations.append(
                self._create_deviation(expectation, requirements, "deviates", code, _code_symptom(code))
            )
            query = requested_query(expectation.call, self.model) if self.tables.functions[function].queries else None
            if query is not None and not expectation.required_errors:
                judgement.evidence.append((query.id, "refused"))
        return False

    def _judge_object_with_error(
        self, expectation: Expectation, outcome: Returned, code: str, judgement: Judgement
    ) -> None:
        """Record the object that comes with an error, or report that it is missing.

        It is required if the condition of this error holds, and no other condition may hold.
        """
        rule = self.rulebook.object_with_error(expectation.call.function)
        if rule is None or code != rule.code:
            return
        if isinstance(outcome.value, str):
            rule.record(expectation.call, outcome.value, self.model)
            return
        may_hold = {held.clause.code for held in (*expectation.required_errors, *expectation.optional_errors)}
        if expectation.required_errors and may_hold == {code}:
            allowed, observed = f"an object with {code}", f"NULL with {code}"
            symptom, reading = symptoms.NULL_WITH_ERROR, rule.interpretation
            missing = Mismatch(rule.requirement, allowed, observed, symptom=symptom, interpretation=reading)
            self._add_mismatches(judgement, [missing])

    def _credit_explaining_clause(self, expectation: Expectation, code: str, judgement: Judgement) -> None:
        """Add evidence for a clause that may hold, if it is the only clause with the observed code."""
        licences = [
            held for held in (*expectation.required_errors, *expectation.optional_errors) if held.clause.code == code
        ]
        if (
            len(licences) == 1
            and licences[0] in expectation.optional_errors
            and licences[0].interpretation not in NO_EVIDENCE
        ):
            judgement.evidence.append((licences[0].clause.id, "conforms"))

    def _judge_success(
        self, expectation: Expectation, outcome: Returned, seen: dict[str, Values], judgement: Judgement
    ) -> None:
        call = expectation.call
        if expectation.required_errors:
            requirements = self._violated_requirements(expectation)
            judgement.evidence += [(requirement, "deviates") for requirement in requirements]
            judgement.deviations.append(
                self._create_deviation(expectation, requirements, "deviates", SUCCESS, _code_symptom(SUCCESS))
            )
        try:
            promise = postcondition_of(expectation.context)
        except (UnknownFactError, UndefinedBehaviourError):
            promise = None
        self.model.clear_cache()
        if expectation.required_errors:
            forget_written_memory(expectation.context)
            mark_possibly_invalid(call, self.model)
        if promise is None or expectation.required_errors:
            adopt_objects(call, outcome, self.model, should_have_failed=bool(expectation.required_errors))
            self._apply_aftermath(call, SUCCESS)
            return
        complaints, fulfilled = self._check_postcondition(promise, outcome)
        complaints = [_attribute_mismatch(each, expectation, outcome) for each in complaints]
        if not complaints:
            record_check(expectation.context, outcome)
        else:
            record_unexpected_bytes(expectation.context, outcome)
        complaints += promise.apply(outcome.value, seen) or []
        record_recorded_command(call, self.model)
        if is_use_undefined(expectation, SUCCESS):
            self._apply_aftermath(call, SUCCESS)
        self._add_mismatches(judgement, complaints)
        blamed = {each for complaint in complaints for each in (complaint.requirement, *complaint.or_violated)}
        success = f"{call.function}/success"
        if call.function in HOST_ACTIONS:
            return
        if complaints:
            fulfilled.discard(success)
        judgement.evidence += [(requirement, "conforms") for requirement in sorted(fulfilled - blamed)]
        if not expectation.optional_errors and not complaints and success not in fulfilled:
            judgement.evidence.append((success, "conforms"))

    def _apply_aftermath(self, call: Call, code: str) -> None:
        """Update the model by the aftermath rule of the function, after an error or a success with unknown effects."""
        leave = self.rulebook.aftermath_of(call.function)
        if leave is not None:
            self.model.clear_cache()
            leave(call, self.model, code)

    def _check_postcondition(self, promise: Postcondition, outcome: Returned) -> tuple[list[Mismatch], set[str]]:
        complaints: list[Mismatch] = []
        fulfilled: set[str] = set()
        wants = [(promise.value, [outcome.value])] if promise.value is not None else []
        wants += [(promise.alignment, [outcome.alignment])] if promise.alignment is not None else []
        wants += [
            (want, output_values(outcome.outputs[name]))
            for name, want in promise.outputs.items()
            if name in outcome.outputs and not outcome.outputs[name].unrecorded
        ]
        for want, seen in wants:
            found, kept = match_values(want, seen)
            complaints += found
            fulfilled |= kept
        return complaints, fulfilled

    def _add_mismatches(self, judgement: Judgement, mismatches: list[Mismatch]) -> None:
        for complaint in mismatches:
            if complaint.interpretation is not None:
                judgement.interpretations.append((complaint.interpretation, truncate(complaint.observed)))
            named = (complaint.requirement, *complaint.or_violated)
            kind = "inconclusive" if complaint.or_violated else "deviates"
            judgement.evidence += [(requirement, kind) for requirement in (*named, *complaint.also_violated)]
            judgement.deviations.append(
                ObservedDeviation(
                    named,
                    "deviates",
                    "interpretation"
                    if complaint.interpretation
                    else "inferred"
                    if complaint.or_violated
                    else _lower_confidence(
                        self.rulebook.basis.confidence_of(complaint.requirement), complaint.inferred_by
                    ),
                    (truncate(complaint.allowed),),
                    truncate(complaint.observed),
                    {
                        requirement: cite_legacy_gap(self.rulebook.texts.words_of(requirement), complaint.inferred_by)
                        for requirement in named
                    },
                    complaint.symptom,
                    also_violated=complaint.also_violated,
                    judged_by=complaint.judged_by,
                )
            )

    def _violated_requirements(self, expectation: Expectation) -> tuple[str, ...]:
        """Return the requirements that an unexpected outcome violates.

        A call that may be invalid because of an undefined value violates the error condition about this value.
        """
        if expectation.required_errors:
            return tuple(held.clause.id for held in expectation.required_errors)
        for held in expectation.optional_errors:
            if held.interpretation == UNDEFINED_FORMAT:
                return (held.clause.id,)
        return (f"{expectation.call.function}/success",)

    def _create_deviation(
        self, expectation: Expectation, requirements: tuple[str, ...], verdict: str, observed: str, symptom: Symptom
    ) -> ObservedDeviation:
        versions = versions_of(expectation.call, self.model)
        entries = {requirement: find_legacy_gap(requirement, versions, self.rulebook) for requirement in requirements}
        known = [self.rulebook.basis.confidence_of(requirement) for requirement in requirements]
        confidence = "inferred" if "inferred" in known or all(entries.values()) else "literal"
        if (
            all(held.interpretation for held in expectation.required_errors)
            if expectation.required_errors
            else "interpretation" in known
        ):
            confidence = "interpretation"
        why = {requirement: self.rulebook.texts.words_of(requirement) for requirement in requirements}
        held = self._find_alternatives(expectation)
        operands = self._find_operands(expectation.call, why | held) if expectation.required_errors else {}
        why = {
            requirement: add_alternative(cite_legacy_gap(words, entries[requirement]), held.get(requirement, ""))
            for requirement, words in why.items()
        }
        allowed = tuple(expectation.allowed_codes)
        return ObservedDeviation(
            requirements, verdict, confidence, allowed, observed, why, symptom=symptom, operands=operands
        )

    def _find_alternatives(self, expectation: Expectation) -> dict[str, str]:
        """Return id to the alternative that holds, for each required error that combines several alternatives."""
        ids = (held.clause.id for held in expectation.required_errors)
        found = {each: self.rulebook.texts.held_alternative(each, expectation.call, self.model) for each in ids}
        return {each: alternative for each, alternative in found.items() if alternative}

    def _find_operands(self, call: Call, why: dict[str, str]) -> dict[str, dict[str, Operand]]:
        """Return requirement id to the operands of its condition in this call, omitting conditions without operands."""
        found = {requirement: operands_of(call, self.model, words) for requirement, words in why.items() if words}
        return {requirement: operands for requirement, operands in found.items() if operands}

    def error_code_of(self, call: Call, outcome: Returned) -> str:
        """Return the name of the error code that a call has returned."""
        return self._decode_error(find_function(call.function, self.tables.functions), call, outcome)[0]

    def _decode_error(self, function: Function, call: Call, outcome: Returned) -> tuple[str, list[Mismatch]]:
        """Return the name of the outcome's error code, and mismatches if the result contradicts the code."""
        success = f"{function.name}/success"
        if function.error_by == "return":
            return self._error_name(outcome.value), []
        if function.error_by == "none":
            fails = any(clause.code == NULL for clause in self.tables.error_conditions_of(function.name))
            return NULL if fails and outcome.value is None else SUCCESS, []
        if not isinstance(call.errcode_ret, OutputBuffer):
            return (SUCCESS if outcome.value is not None else CODE_NOT_REQUESTED), []
        written = outcome.outputs["errcode_ret"].values[0]
        if written == UNTOUCHED:
            code = SUCCESS if outcome.value is not None else CODE_NOT_REQUESTED
            observed, symptom = "errcode_ret left as it was", symptoms.ERRCODE_NOT_WRITTEN
            return code, [Mismatch(success, "errcode_ret written", observed, symptom)]
        code = self._error_name(written)
        if code == SUCCESS and outcome.value is None:
            observed, symptom = "NULL with CL_SUCCESS", symptoms.NULL_WITH_SUCCESS
            return CODE_NOT_REQUESTED, [Mismatch(success, "an object with CL_SUCCESS", observed, symptom)]
        rule = self.rulebook.object_with_error(function.name)
        if code not in (SUCCESS, rule.code if rule else "") and outcome.value is not None:
            observed, symptom = f"an object with {code}", symptoms.object_with_error(code)
            return code, [Mismatch(success, "NULL with an error", observed, symptom)]
        return code, []

    def _error_name(self, value: object) -> str:
        return self.model.lookups.error_name(value) if isinstance(value, int) else str(value)


def _add_requirements(judgement: Judgement, requirements: Iterable[str], violated: frozenset[str]) -> None:
    """Add ``requirements`` as also violated to each deviation from one of ``violated``."""
    further = tuple(requirements)
    if further:
        judgement.evidence += [(requirement, "deviates") for requirement in further]
        judgement.deviations = [
            replace(deviation, also_violated=(*deviation.also_violated, *further))
            if violated.intersection(_judged_requirements(deviation))
            else deviation
            for deviation in judgement.deviations
        ]


def _judged_requirements(deviation: ObservedDeviation) -> tuple[str, ...]:
    """Return the requirements whose coverage points a deviation concerns."""
    return (*deviation.requirements, deviation.judged_by) if deviation.judged_by else deviation.requirements


def _find_aliases(expectation: Expectation, function: Function, violated: frozenset[str]) -> list[str]:
    """Return the requirements of a violated query's aliases, which are names with the same constant."""
    question = expectation.context.query_request if violated and function.queries else None
    if question is None or not violated.intersection(question.requirements):
        return []
    return [requirement for requirement in question.requirements if requirement not in violated]


def _describe_other_revision(rules: FunctionRules, judged: CallContext) -> str:
    """Return why a function must not be called: it may differ in the driver's revision of its extension."""
    conditions, scope = rules.function_conditions, judged.scope
    if not conditions or judged.applicability(conditions) is not Applicability.OTHER_REVISION:
        return ""
    words = (describe_unmet_condition(conditions, scope.platform, device) for device in scope.devices or (None,))
    return next(filter(None, words))


def _is_driver_responsible(function: Function, platform: Platform, outcome: Absent, tables: Tables) -> bool:
    """Return whether the driver, and not an older loader, is responsible for the function's absence.

    Every driver has the functions of its platform's version, also deprecated ones. Deprecated functions without an
    object are exempt, since loaders implement these themselves. The driver is responsible for a function of an
    extension, unless its library has the function and only the loader does not find it.
    """
    lookup = outcome.lookup if outcome.lookup is not None and outcome.lookup.where == "loader" else None
    if any(gate.subject == "extension" for gate in function.applicability):
        return lookup is None or lookup.library != "has"
    if lookup is not None:
        return False
    if _is_deprecated(function, platform):
        return any(
            parameter.base in tables.types and tables.types[parameter.base].kind == "handle"
            for parameter in function.parameters
        )
    return bool(function.applicability) or function.document == CORE_DOCUMENT


def _is_deprecated(function: Function, platform: Platform) -> bool:
    """Return whether the version of the platform, or an earlier one, deprecates a function."""
    return bool(function.deprecated_by) and platform.version >= read_version(function.deprecated_by)


def describe_process_end(outcome: Died | Hung) -> tuple[str, str, Symptom]:
    """Return the verdict on a call that did not return, the text of the observation, and the symptom."""
    if isinstance(outcome, Hung):
        return "hangs", f"no answer within {outcome.seconds:g} s", symptoms.NO_RETURN
    fate = IMPOSSIBLE_OUTCOME if outcome.how == GARBAGE else f"{outcome.how} {outcome.detail}".strip()
    return "crashes", fate, symptoms.process_ended(outcome.how, outcome.detail)


def _attribute_mismatch(mismatch: Mismatch, expectation: Expectation, outcome: Returned) -> Mismatch:
    """Return a mismatch of memory contents, attributed to the function that returned or wrote the unexpected bytes.

    Other mismatches are returned unchanged.
    """
    if mismatch.symptom is not symptoms.UNEXPECTED_BYTES:
        return mismatch
    requirement, *others = attribute_bytes(expectation.context, outcome) or (mismatch.requirement,)
    is_own = requirement in (f"{expectation.call.function}/success", mismatch.requirement)
    judged_by = "" if is_own else mismatch.requirement
    return msgspec.structs.replace(mismatch, requirement=requirement, or_violated=tuple(others), judged_by=judged_by)


def _lower_confidence(confidence: str, inferred_by: str) -> str:
    """Return the confidence of a deviation, lowered to inferred if ``inferred_by`` names a gap in an older document."""
    return "inferred" if inferred_by and confidence == "literal" else confidence


def _code_symptom(code: str) -> Symptom:
    """Return the symptom of an outcome whose error code or CL_SUCCESS was not expected."""
    return symptoms.CODE_NOT_REQUESTED if code == CODE_NOT_REQUESTED else symptoms.unexpected_result(code)


def find_stray_writes(function: str, code: str, whole: Returned, answer: Returned) -> list[tuple[str, str]]:
    """Return notes on a query's unnecessary writes to its output buffer: on an error, or past the end of the value.

    Each note is a requirement and a text. ``whole``: the outcome; ``answer``: the outcome cut to the returned size.
    """
    output_buffer, used = whole.outputs.get("param_value"), answer.outputs.get("param_value")
    if output_buffer is None or used is None:
        return []
    if code != SUCCESS:
        return (
            [(f"{function}/success", f"changes the output buffer although it fails with {code}")]
            if output_buffer.written
            else []
        )
    return (
        [(f"{function}/success", "changes the output buffer past the end of its answer")]
        if output_buffer.written > used.written
        else []
    )


def output_values(output: Output) -> Values:
    """Return an output's values; for plain bytes, their hexadecimal digits as the only value."""
    return list(output.values) if output.values or not output.raw else [output.raw.hex()]
