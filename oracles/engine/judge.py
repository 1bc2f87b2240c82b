"""The judge: computes the outcomes that the documents allow for a call, and compares an observed outcome with them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from clconform.calls.call import GARBAGE, UNTOUCHED, Absent, Call, Died, Hung, Outcome, Returned
from clconform.calls.host import HOST_STEPS, function_of
from clconform.calls.values import OutputBuffer
from clconform.oracles.contents import abnormal_ends
from clconform.oracles.contents.access_rules import overrun_by, undefined_access, untouchable
from clconform.oracles.engine import symptoms
from clconform.oracles.engine.adopting import adopt, misuse
from clconform.oracles.engine.answers import Answer, May, Must, settle
from clconform.oracles.engine.commands import leave_unknown
from clconform.oracles.engine.crashes import Before, suspects_of
from clconform.oracles.engine.gates import Gating, applies
from clconform.oracles.engine.judged_call import AnsweredCall, JudgedCall
from clconform.oracles.engine.judgements import (
    NO_CREDIT,
    NULL,
    SUCCESS,
    UNDECIDED,
    UNEXPECTED,
    UNTOLD,
    Blame,
    Expectation,
    Held,
    Judgement,
)
from clconform.oracles.engine.legality import as_counted, longer_than_it_is, past_the_end, without_an_end
from clconform.oracles.engine.operands import operands_of
from clconform.oracles.engine.own_texts import lacking, with_entry
from clconform.oracles.engine.rulebook import rulebook_of
from clconform.oracles.engine.success import success_of
from clconform.oracles.engine.wants import Complaint, Promise, Values, beginning, settled
from clconform.oracles.engine.well_formed import completed, ill_formed
from clconform.oracles.engine.wording import by_entry
from clconform.oracles.model.errors import ForbiddenError, UnknownError
from clconform.oracles.model.scope import Scope, versions_behind
from clconform.oracles.model.versions import read_version
from clconform.oracles.queries.questions import queries_of, query_of
from clconform.oracles.queries.trimming import trimmed
from clconform.spec_tables.records import ErrorClause

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.calls.call import Output
    from clconform.calls.values import Operand
    from clconform.oracles.engine.crashes import Suspects
    from clconform.oracles.engine.rulebook import Rulebook
    from clconform.oracles.engine.rules import Trigger
    from clconform.oracles.engine.symptoms import Symptom
    from clconform.oracles.model.devices import Platform
    from clconform.oracles.model.world import Model
    from clconform.spec_tables import Tables
    from clconform.spec_tables.records import Function

ILL_FORMED = "an answer that its call cannot have"
"""The observation if an outcome is impossible for its call."""
CORE = "OpenCL"
"""The document with the functions that every driver has."""
AGAINST = ("deviates", "crashes", "hangs")
"""Kinds of evidence that a requirement is violated."""
NO_PREDICATE = May("no-predicate")
CALL_DEADLINE = May("deadline-of-a-call")
"""Why a call counts as a hang, although the documents do not specify a time."""


class Oracle:
    """The judge of one example: it owns the model and updates it with every outcome."""

    def __init__(self, model: Model, rulebook: Rulebook | None = None, *, credits_triggers: bool = True) -> None:
        """Begin with a model; ``rulebook``: other rules than those of the package.

        ``credits_triggers``: judgements list the coverage points that a call reaches. Where only deviations matter,
        this is off; deviations do not depend on it.
        """
        self.model = model
        self._credits_triggers = credits_triggers
        self.tables: Tables = model.tables
        self.rulebook = rulebook or rulebook_of(model.tables)
        self.before = Before()

    def expect(self, call: Call, *, elsewhere: bool = False) -> Expectation:
        """Return the outcomes that the documents allow for a call; in it, lists are cut to their count.

        ``elsewhere``: the call runs on a host thread of its own, so it may wait for later calls.
        """
        call, model = as_counted(call), self.model
        model.move_on()
        judged = JudgedCall(call, model, self.rulebook)
        judged.fix_scope()
        musts: list[Held] = []
        mays: list[Held] = []
        short = longer_than_it_is(call) or past_the_end(call, model)
        endless = without_an_end(call, model)
        undefined = f"{short} is shorter than the call says" if short else f"{endless} has no end" if endless else ""
        rules = self.rulebook.rules_of(call.function)
        for record, clause, gates, predicate in rules.breakable:
            reply = settle(predicate, call, model) if predicate else NO_PREDICATE
            if reply is Answer.NO:
                continue
            if reply is Answer.UNDEFINED or (clause is None and reply is Answer.MUST):
                undefined = record
                continue
            gating = judged.gating(gates) if gates else Gating.OPEN
            if clause is None or gating is Gating.CLOSED:
                continue
            if gating is Gating.UNDECIDED:
                mays.append(Held(clause, UNDECIDED))
            else:
                interpretation = reply.interpretation if isinstance(reply, (Must, May)) else ""
                (mays if isinstance(reply, May) else musts).append(Held(clause, interpretation))
        resources = [code for code, gates in rules.resources if not gates or judged.gating(gates) is not Gating.CLOSED]
        if not musts and not undefined:
            undefined = undefined_access(judged) if elsewhere else untouchable(judged)
        return Expectation(judged, tuple(musts), tuple(mays), tuple(resources), undefined)

    def judge(self, expectation: Expectation, outcome: Outcome, *, checked: bool = False) -> Judgement:
        """Compare an outcome with the expectation; a success, expected or not, updates the model.

        An outcome that is impossible for the call is not evidence for or against any requirement, and leaves the model
        unchanged. ``checked``: the outcome is known to be possible.
        """
        if isinstance(outcome, Absent):
            return self._absent(expectation, outcome)
        call = expectation.call
        if isinstance(outcome, Returned):
            if not checked and self.ill_formed(call, outcome):
                return Judgement(ILL_FORMED, [(record, "inconclusive") for record in self._blamed(expectation)])
            outcome = completed(call, outcome, self.model.lookups)
        if expectation.left_open:
            return self._note(expectation, outcome)
        if isinstance(outcome, Returned):
            judgement = self._returned(expectation, outcome)
            if call.function not in HOST_STEPS:
                self._keep_in_mind(expectation, judgement)
        elif isinstance(outcome, Hung):
            judgement = self._hung(expectation, outcome)
        else:
            judgement = self._lost(expectation, outcome)
        return self._of_what_applies(judgement, expectation.judged.scope)

    def _of_what_applies(self, judgement: Judgement, scope: Scope) -> Judgement:
        """Keep the parts of a judgement about requirements that certainly apply to everything that the call concerns.

        A deviation from any other requirement becomes inconclusive.
        """
        records = self.tables.records
        doubtful = {
            record
            for record, _ in judgement.evidence
            if (found := records.get(record)) is not None and found.gates and not applies(found.gates, scope)
        }
        if doubtful:
            judgement.evidence = [
                (record, "inconclusive" if record in doubtful else kind)
                for record, kind in judgement.evidence
                if record not in doubtful or kind in AGAINST
            ]
            judgement.blames = [
                replace(blame, also=tuple(record for record in blame.also if record not in doubtful))
                for blame in judgement.blames
                if not doubtful.issuperset(blame.records)
            ]
            judgement.suspected = [blame for blame in judgement.suspected if not doubtful.issuperset(blame.records)]
        return judgement

    def ill_formed(self, call: Call, outcome: Returned) -> str:
        """Return why an outcome is impossible for its call, in one line for people; empty if it is possible."""
        return ill_formed(call, outcome, self.model.lookups)

    def _note(self, expectation: Expectation, outcome: Outcome) -> Judgement:
        """Note a driver's reaction to a live handle of another type; a success may have created objects."""
        if isinstance(outcome, Returned):
            function = self.tables.functions[expectation.call.function]
            observed, _ = self._code(function, expectation.call, outcome)
            adopt(expectation.call, outcome, self.model)
        elif isinstance(outcome, Died):
            observed = f"{outcome.how} {outcome.detail}".strip()
        else:
            observed = "no answer in time"
        return Judgement(observed, implementation_defined=expectation.left_open)

    def _absent(self, expectation: Expectation, outcome: Absent) -> Judgement:
        """Judge a function that cannot be called; a deviation only if reported versions or extensions promise it."""
        function = self.tables.functions[expectation.call.function]
        judgement = Judgement(f"{outcome.how}: {outcome.detail}")
        platform = self.model.platform_of(list(expectation.call.arguments.values()))
        devices = self.model.root_devices(platform)
        claims = [device for device in devices if applies(function.gates, Scope(platform, (device,)))]
        if claims and platform is not None and _is_the_drivers(function, platform, outcome):
            record = f"{function.name}/success"
            judgement.evidence.append((record, "deviates"))
            judgement.blames.append(
                Blame(
                    (record,),
                    "deviates",
                    self.rulebook.confidence_of(record),
                    ("a function that can be called",),
                    judgement.observed,
                    {record: "the platform's version or extension string promises this function"},
                    symptoms.absent(function.name, outcome),
                )
            )
        return judgement

    def _lost(self, expectation: Expectation, outcome: Died | Hung) -> Judgement:
        """Judge a call that ended the process or did not return; a crash may be caused by other calls."""
        verdict, observed, symptom = fate_of(outcome)
        judgement = Judgement(observed)
        own = self._blamed(expectation)
        blame = self._blame(expectation, own, verdict, observed, symptom)
        if isinstance(outcome, Died):
            suspects = suspects_of(expectation.judged, own, self.before)
            if suspects.others:
                blame = self._blame_on(suspects, blame)
        records = blame.records
        if not records:
            return judgement
        if isinstance(outcome, Died) and outcome.how == "killed":
            judgement.evidence += [(record, "inconclusive") for record in records]
            judgement.suspected.append(blame)
            return judgement
        judgement.evidence += [(record, verdict) for record in records]
        judgement.blames.append(blame)
        return judgement

    def _hung(self, expectation: Expectation, outcome: Hung) -> Judgement:
        """Judge a call that did not return before its deadline, which an interpretation sets, not the documents."""
        judgement = self._lost(expectation, outcome)
        words = by_entry(f"A call that has not returned after {outcome.deadline:g} s never returns", CALL_DEADLINE)
        judgement.blames = [
            replace(
                blame,
                confidence="interpretation",
                conditions={record: f"{known} {words}.".lstrip() for record, known in blame.conditions.items()},
            )
            for blame in judgement.blames
        ]
        judgement.readings.append((CALL_DEADLINE.interpretation, judgement.observed))
        return judgement

    def _blame_on(self, suspects: Suspects, blame: Blame) -> Blame:
        """Return the deviation for a crash, attributed to the requirements of other calls."""
        return replace(
            blame,
            records=suspects.records,
            function=suspects.function,
            observed=f"{blame.observed} {suspects.when}",
            undecided=suspects.undecided,
            alone=blame if suspects.call_too else None,
            confidence="inferred",
            allowed=tuple(dict.fromkeys(map(self._code_of, suspects.records))),
            conditions={record: self.rulebook.words_of(record) for record in suspects.records},
            operands={},
        )

    def _code_of(self, record: str) -> str:
        """Return the error code of a requirement, or success if it has none."""
        clause = self.tables.records.get(record)
        return clause.code if isinstance(clause, ErrorClause) else SUCCESS

    def _keep_in_mind(self, expectation: Expectation, judgement: Judgement) -> None:
        """Remember a call that has returned, in case the process ends before the next call returns."""
        observed, accepted = judgement.observed, self.before.accepted
        last = self._blamed(expectation) if observed == SUCCESS else (f"{expectation.call.function}/success",)
        self.before = Before(last, accepted or (last if expectation.is_wrongly_enqueued(observed) else ()))

    def _returned(self, expectation: Expectation, outcome: Returned) -> Judgement:
        judged = expectation.judged
        call = judged.call
        function = function_of(call.function, self.tables.functions)
        whole = outcome
        if function.queries:
            outcome = trimmed(outcome, call, self.model)
        code, complaints = self._code(function, call, outcome)
        judgement = Judgement(code)
        if function.queries:
            judgement.notes = notes_of(function.name, code, whole, outcome)
        if complaints:
            self._complain(judgement, complaints)
        if outcome.overrun:
            places = ", ".join(outcome.overrun)
            record = overrun_by(judged) or f"{function.name}/success"
            allowed, symptom = "no write past the end of an output buffer", symptoms.overrun(outcome.overrun)
            self._complain(judgement, [Complaint(record, allowed, f"{places} overrun", symptom)])
        seen = {
            name: list(output.values)
            for name, output in outcome.outputs.items()
            if not (output.unrecorded and function.queries)  # an unrecorded value is unknown
        }
        met = self._triggers_met(function, judged, outcome, seen, code) if self._credits_triggers else []
        abnormal_ends.note(call, code, self.model)
        if code == SUCCESS:
            self._succeeded(expectation, outcome, seen, judgement)
        else:
            explained = self._failed(expectation, code, judgement)
            if not explained:  # its effects may be complete, partial or absent
                leave_unknown(expectation.judged)
            self._leave(call, code if explained else UNEXPECTED)
        self._watched(call, outcome, code, judgement)
        blamed = frozenset(record for blame in judgement.blames for record in blame.records)
        _share(judgement, _under_other_names(expectation, function, blamed), blamed)
        for record, known in met:
            if not blamed.isdisjoint(known.parents):
                _share(judgement, [record], blamed.intersection(known.parents))
            elif not blamed and (code == SUCCESS or not known.by_success):
                judgement.evidence.append((record, "conforms"))
        return judgement

    def _watched(self, call: Call, outcome: Returned, code: str, judgement: Judgement) -> None:
        """Judge callbacks and memory of other processes, which the function's own rules do not cover."""
        for watch in self.rulebook.watches_of(call.function):
            complaints, fulfilled = watch(call, outcome, code, self.model)
            if complaints:
                self._complain(judgement, complaints)
            if fulfilled:
                judgement.evidence += [(record, "conforms") for record in sorted(fulfilled)]

    def _triggers_met(
        self, function: Function, judged: JudgedCall, outcome: Returned, seen: dict[str, Values], code: str
    ) -> list[tuple[str, Trigger]]:
        """Return the requirements whose coverage points a call reaches."""
        names = tuple([query.name for query in queries_of(judged.call, judged.model)]) if function.queries else ()
        candidates = self.rulebook.candidates_of(function.name, names)
        if not candidates:
            return []
        raw = {name: output.raw for name, output in outcome.outputs.items() if output.raw}
        asked = AnsweredCall(judged, seen, code, raw)
        met = []
        for record, gates, known in candidates:
            try:
                if known.holds(asked) and (not gates or judged.gating(gates) is Gating.OPEN):
                    met.append((record, known))
            except (UnknownError, ForbiddenError):
                continue
        return met

    def _failed(self, expectation: Expectation, code: str, judgement: Judgement) -> bool:
        """Judge a failed call; return whether a condition of the call itself explains this code."""
        function = expectation.call.function
        codes = {held.clause.code for held in (*expectation.musts, *expectation.mays)}
        records = self._blamed(expectation)
        if code in codes or (code == UNTOLD and codes):
            alone = len(expectation.musts) == 1
            for held in expectation.musts:
                strong = alone and held.clause.code in (code, UNTOLD)
                judgement.evidence.append((held.clause.id, "conforms" if strong else "weak"))
            self._licensed(expectation, code, judgement)
            return code not in expectation.resources or any(held.clause.code == code for held in expectation.musts)
        if code in expectation.resources:
            judgement.evidence += [(record, "inconclusive") for record in records]
        elif abnormal_ends.explains(expectation.call, code, self.model):
            judgement.evidence += [(record, "inconclusive") for record in records]
            judgement.readings.append((abnormal_ends.AFTER_AN_END.interpretation, code))
        else:
            judgement.evidence += [(record, "deviates") for record in records]
            judgement.blames.append(self._blame(expectation, records, "deviates", code, _symptom_of(code)))
            query = query_of(expectation.call, self.model) if self.tables.functions[function].queries else None
            if query is not None and not expectation.musts:
                judgement.evidence.append((query.id, "refused"))
        return False

    def _licensed(self, expectation: Expectation, code: str, judgement: Judgement) -> None:
        """Credit the clause that explains the code, if it only may hold and is the only one with that code."""
        licences = [held for held in (*expectation.musts, *expectation.mays) if held.clause.code == code]
        if len(licences) == 1 and licences[0] in expectation.mays and licences[0].interpretation not in NO_CREDIT:
            judgement.evidence.append((licences[0].clause.id, "conforms"))

    def _succeeded(
        self, expectation: Expectation, outcome: Returned, seen: dict[str, Values], judgement: Judgement
    ) -> None:
        call = expectation.call
        if expectation.musts:
            records = self._blamed(expectation)
            judgement.evidence += [(record, "deviates") for record in records]
            judgement.blames.append(self._blame(expectation, records, "deviates", SUCCESS, _symptom_of(SUCCESS)))
        try:
            promise = success_of(expectation.judged)
        except (UnknownError, ForbiddenError):
            promise = None
        self.model.move_on()
        if expectation.musts:
            leave_unknown(expectation.judged)
            misuse(call, self.model)
        if promise is None or expectation.musts:
            adopt(call, outcome, self.model, wrongly=bool(expectation.musts))
            self._leave(call, SUCCESS)
            return
        complaints, fulfilled = self._check(promise, outcome)
        complaints += promise.apply(outcome.value, seen) or []
        self._complain(judgement, complaints)
        blamed = {complaint.record for complaint in complaints}
        success = f"{call.function}/success"
        if call.function in HOST_STEPS:
            return
        if complaints:
            fulfilled.discard(success)
        judgement.evidence += [(record, "conforms") for record in sorted(fulfilled - blamed)]
        if not expectation.mays and not complaints and success not in fulfilled:
            judgement.evidence.append((success, "conforms"))

    def _leave(self, call: Call, code: str) -> None:
        """Apply the aftermath of an error, or of a success with unknown effects, to the model."""
        leave = self.rulebook.aftermath_of(call.function)
        if leave is not None:
            self.model.move_on()
            leave(call, self.model, code)

    def _check(self, promise: Promise, outcome: Returned) -> tuple[list[Complaint], set[str]]:
        complaints: list[Complaint] = []
        fulfilled: set[str] = set()
        wants = [(promise.value, [outcome.value])] if promise.value is not None else []
        wants += [(promise.alignment, [outcome.alignment])] if promise.alignment is not None else []
        wants += [
            (want, seen_in(outcome.outputs[name]))
            for name, want in promise.outputs.items()
            if name in outcome.outputs and not outcome.outputs[name].unrecorded
        ]
        for want, seen in wants:
            found, kept = settled(want, seen)
            complaints += found
            fulfilled |= kept
        return complaints, fulfilled

    def _complain(self, judgement: Judgement, complaints: list[Complaint]) -> None:
        for complaint in complaints:
            if complaint.reading is not None:
                judgement.readings.append((complaint.reading.interpretation, beginning(complaint.observed)))
            judgement.evidence += [(record, "deviates") for record in (complaint.record, *complaint.also)]
            judgement.blames.append(
                Blame(
                    (complaint.record,),
                    "deviates",
                    "interpretation"
                    if complaint.reading
                    else _lowered(self.rulebook.confidence_of(complaint.record), complaint.inferred_by),
                    (beginning(complaint.allowed),),
                    beginning(complaint.observed),
                    {complaint.record: with_entry(self.rulebook.words_of(complaint.record), complaint.inferred_by)},
                    complaint.symptom,
                    also=complaint.also,
                )
            )

    def _blamed(self, expectation: Expectation) -> tuple[str, ...]:
        """Return the requirements that an unexpected outcome violates."""
        if expectation.musts:
            return tuple(held.clause.id for held in expectation.musts)
        return (f"{expectation.call.function}/success",)

    def _blame(
        self, expectation: Expectation, records: tuple[str, ...], verdict: str, observed: str, symptom: Symptom
    ) -> Blame:
        versions = versions_behind(expectation.call, self.model)
        entries = {record: lacking(record, versions, self.rulebook) for record in records}
        known = [self.rulebook.confidence_of(record) for record in records]
        confidence = "inferred" if "inferred" in known or all(entries.values()) else "literal"
        if all(held.interpretation for held in expectation.musts) if expectation.musts else "interpretation" in known:
            confidence = "interpretation"
        why = {record: self.rulebook.words_of(record) for record in records}
        operands = self._operands(expectation.call, why) if expectation.musts else {}
        why = {record: with_entry(words, entries[record]) for record, words in why.items()}
        allowed = tuple(expectation.allowed)
        return Blame(records, verdict, confidence, allowed, observed, why, symptom=symptom, operands=operands)

    def _operands(self, call: Call, why: dict[str, str]) -> dict[str, dict[str, Operand]]:
        """Return the operands of each condition in this call, for conditions that name any."""
        found = {record: operands_of(call, self.model, words) for record, words in why.items() if words}
        return {record: operands for record, operands in found.items() if operands}

    def code_of(self, call: Call, outcome: Returned) -> str:
        """Return the name of the error code that a call has returned."""
        return self._code(function_of(call.function, self.tables.functions), call, outcome)[0]

    def _code(self, function: Function, call: Call, outcome: Returned) -> tuple[str, list[Complaint]]:
        """Return the outcome's error code by name, with mismatches where result and code contradict each other."""
        success = f"{function.name}/success"
        if function.error_by == "return":
            return self._name(outcome.value), []
        if function.error_by == "none":
            fails = any(clause.code == NULL for clause in self.tables.clauses_of(function.name))
            return NULL if fails and outcome.value is None else SUCCESS, []
        if not isinstance(call.errcode_ret, OutputBuffer):
            return (SUCCESS if outcome.value is not None else UNTOLD), []
        written = outcome.outputs["errcode_ret"].values[0]
        if written == UNTOUCHED:
            code = SUCCESS if outcome.value is not None else UNTOLD
            observed, symptom = "errcode_ret left as it was", symptoms.ERRCODE_NOT_WRITTEN
            return code, [Complaint(success, "errcode_ret written", observed, symptom)]
        code = self._name(written)
        if code == SUCCESS and outcome.value is None:
            observed, symptom = "NULL with CL_SUCCESS", symptoms.NULL_WITH_SUCCESS
            return UNTOLD, [Complaint(success, "an object with CL_SUCCESS", observed, symptom)]
        if code not in (SUCCESS, self.rulebook.code_with_object(function.name)) and outcome.value is not None:
            observed, symptom = f"an object with {code}", symptoms.object_with(code)
            return code, [Complaint(success, "NULL with an error", observed, symptom)]
        return code, []

    def _name(self, value: object) -> str:
        return self.model.lookups.error_name(value) if isinstance(value, int) else str(value)


def _share(judgement: Judgement, records: Iterable[str], blamed: frozenset[str]) -> None:
    """Add further requirements to the deviations from any of ``blamed``."""
    further = tuple(records)
    if further:
        judgement.evidence += [(record, "deviates") for record in further]
        judgement.blames = [
            replace(blame, also=(*blame.also, *further)) if blamed.intersection(blame.records) else blame
            for blame in judgement.blames
        ]


def _under_other_names(expectation: Expectation, function: Function, blamed: frozenset[str]) -> list[str]:
    """Return the aliases, names of equal value, of the query whose value was unexpected."""
    question = expectation.judged.question if blamed and function.queries else None
    if question is None or not blamed.intersection(question.records):
        return []
    return [record for record in question.records if record not in blamed]


def _is_the_drivers(function: Function, platform: Platform, outcome: Absent) -> bool:
    """Return whether the driver, and not an older loader, is responsible for the function's absence.

    Functions without applicability conditions are those of version 1.0: every driver has them, except those that its
    version deprecates. The driver must provide an extension's function, unless its library has the function and only
    the loader does not find it.
    """
    lookup = outcome.lookup if outcome.lookup is not None and outcome.lookup.where == "loader" else None
    if any(gate.subject == "extension" for gate in function.gates):
        return lookup is None or lookup.library != "has"
    if lookup is not None:
        return False
    if function.gates:
        return True
    dropped = bool(function.deprecated_by) and platform.version >= read_version(function.deprecated_by)
    return function.document == CORE and not dropped


def fate_of(outcome: Died | Hung) -> tuple[str, str, Symptom]:
    """Return the verdict on a call that did not return, the observation for people, and the symptom."""
    if isinstance(outcome, Hung):
        return "hangs", f"no answer within {outcome.deadline:g} s", symptoms.NO_ANSWER
    fate = ILL_FORMED if outcome.how == GARBAGE else f"{outcome.how} {outcome.detail}".strip()
    return "crashes", fate, symptoms.died(outcome.how, outcome.detail)


def _lowered(confidence: str, inferred_by: str) -> str:
    """Return the confidence of a deviation, lowered if the document of the driver's version may lack the sentence."""
    return "inferred" if inferred_by and confidence == "literal" else confidence


def _symptom_of(code: str) -> Symptom:
    """Return the symptom of an outcome by the name of its code."""
    return symptoms.UNTOLD if code == UNTOLD else symptoms.returned(code)


def notes_of(function: str, code: str, whole: Returned, answer: Returned) -> list[tuple[str, str]]:
    """Return notes on writes of a query outside its value: on an error, or past the end of the value."""
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


def seen_in(output: Output) -> Values:
    """Return an output's values; for plain bytes, their hexadecimal digits as the only value."""
    return list(output.values) if output.values or not output.raw else [output.raw.hex()]
