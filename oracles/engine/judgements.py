"""Data types: the outcomes that the documents allow for one call, and the result of judging an outcome."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from clconform.oracles.contents.undefined_use import UndefinedUse
from clconform.oracles.engine.call_context import CallContext
from clconform.oracles.engine.symptoms import Symptom
from clconform.spec_tables.requirements import ErrorCondition

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.calls.values import Operand

SUCCESS = "CL_SUCCESS"
NULL = "NULL"
"""The code of a function that reports failure without an error code."""
CODE_NOT_REQUESTED = "an error"
"""Stands for an error code that is unknown, for example because errcode_ret is NULL."""
UNEXPECTED_ERROR = "an error that no condition of the call explains"
"""The code that an aftermath rule receives for an error that no condition of the call explains.

No clause allows the error, resources are lacking, or an earlier command has ended abnormally. The call may have done
its work in part or completely before it failed.
"""
UNEXPLAINED_CODES = (SUCCESS, UNEXPECTED_ERROR)
"""The codes that an aftermath rule receives for an unexpected result; the effects of the call are then unknown."""
OTHER_TYPE = "handle-of-other-type"
UNDECIDED_APPLICABILITY = "undecided-applicability"
MISSING_KNOWLEDGE = ("no-predicate", "unknown-fact", UNDECIDED_APPLICABILITY)
"""Interpretations that apply because a predicate or a fact is missing, or because applicability is undecided."""
NO_EVIDENCE = (
    *MISSING_KNOWLEDGE,
    "related-to-null",
    "code-for-counts-out-of-range",
    "after-termination",
    "possibly-invalid-object",
)
"""Interpretations under which an outcome is not evidence for a clause."""


class ClauseMatch(msgspec.Struct, frozen=True):
    """A clause that holds for a call; ``interpretation``: the id of the interpretation by which it holds, or empty."""

    clause: ErrorCondition
    interpretation: str = ""


class Expectation(msgspec.Struct, frozen=True):
    """The outcomes that the documents allow for one call.

    ``required_errors``: the error conditions that hold. ``optional_errors``: those that may hold. ``resource_codes``:
    the codes for a lack of resources. ``undefined``: why the call is undefined, or an empty string. ``undefined_use``:
    the use of memory or objects that makes the call undefined, or None. ``other_revision``: the call is undefined since
    the function may differ in the driver's revision of its extension.
    """

    context: CallContext
    required_errors: tuple[ClauseMatch, ...]
    optional_errors: tuple[ClauseMatch, ...]
    resource_codes: tuple[str, ...]
    undefined: str = ""
    undefined_use: UndefinedUse | None = None
    other_revision: bool = False

    @property
    def call(self) -> Call:
        """Return the call for which the outcomes are allowed."""
        return self.context.call

    @property
    def implementation_defined(self) -> tuple[str, ...]:
        """Return the clauses about a handle of a type that the call does not accept.

        If there are any, the outcome is implementation-defined.
        """
        return (
            tuple(held.clause.id for held in self.optional_errors if held.interpretation == OTHER_TYPE)
            if self.optional_errors
            else ()
        )

    def is_unexpected_success(self, observed: str) -> bool:
        """Return whether a call succeeded although it should have failed."""
        return bool(self.required_errors) and observed == SUCCESS

    def is_unexpected_enqueue(self, observed: str) -> bool:
        """Return whether the driver enqueued a command that it should have rejected; its effects are unknown."""
        return self.is_unexpected_success(observed) and self.call.function.startswith("clEnqueue")

    @property
    def allowed_codes(self) -> list[str]:
        """Return the allowed codes, sorted; if success is allowed, it comes first."""
        if not self.required_errors and not self.optional_errors:
            return [SUCCESS]
        codes = sorted({held.clause.code for held in (*self.required_errors, *self.optional_errors)})
        return codes if self.required_errors else [SUCCESS, *codes]


@dataclass(frozen=True)
class ObservedDeviation:
    """A deviation: the driver violates one or more requirements.

    ``requirements``: the violated requirements. ``allowed``, ``observed`` and ``conditions`` are for people.
    ``symptom`` is common to equal deviations and part of their id. ``operands``: requirement id to the values in this
    call that its condition names. ``also_violated``: other requirements that the outcome violates, with the same
    verdict. ``function``: the function of the deviation, if not that of the call. ``undecided``: the process has ended,
    and only repetitions can decide between these requirements and the pending call; ``call_deviation`` is the deviation
    if the pending call is the cause. ``judged_by``: as for ``Mismatch``. TypeError if ``symptom`` is not a ``Symptom``.
    """

    requirements: tuple[str, ...]
    verdict: str
    confidence: str
    allowed: tuple[str, ...]
    observed: str
    conditions: dict[str, str]
    symptom: Symptom
    operands: dict[str, dict[str, Operand]] = field(default_factory=dict)
    also_violated: tuple[str, ...] = ()
    function: str = ""
    undecided: bool = False
    call_deviation: ObservedDeviation | None = None
    judged_by: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.symptom, Symptom):
            raise TypeError(f"{self.symptom!r} is not a symptom of oracles.engine.symptoms")


class Judgement(msgspec.Struct):
    """The result of judging an outcome: ``evidence`` pairs a requirement with a kind of evidence.

    ``implementation_defined``: the requirements that leave the outcome to the implementation. ``notes``: pairs of a
    requirement and a text about an unnecessary write of the driver, which is allowed. ``suspected_deviations``:
    deviations that count only if nothing but the driver can have killed its process. ``interpretations``: the
    interpretations on which a deviation depends, each with the observation.
    """

    observed: str
    evidence: list[tuple[str, str]] = []
    deviations: list[ObservedDeviation] = []
    suspected_deviations: list[ObservedDeviation] = []
    implementation_defined: tuple[str, ...] = ()
    notes: list[tuple[str, str]] = []
    interpretations: list[tuple[str, str]] = []
