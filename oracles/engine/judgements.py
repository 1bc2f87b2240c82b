"""What the documents allow for one call, and what an outcome says against that: as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from clconform.oracles.engine.judged_call import JudgedCall
from clconform.oracles.engine.symptoms import Symptom
from clconform.spec_tables.records import ErrorClause

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.calls.values import Operand

SUCCESS = "CL_SUCCESS"
NULL = "NULL"
"""The code of a function that fails without one."""
UNTOLD = "an error"
"""The code if the application did not request it."""
UNEXPECTED = "an error that no condition of the call explains"
"""What stands for the code of such an error where it matters what the call has left behind.

No clause allows it, resources are lacking, or a command before has ended abnormally: the call may have done its work in
part, or all of it, before it failed.
"""
AGAINST_THE_CLAUSES = (SUCCESS, UNEXPECTED)
"""What an aftermath gets as the error of a call that has not answered as it must, so that nobody knows what it did."""
OTHER_TYPE = "other-type"
UNDECIDED = "undecided-gate"
NOTHING_SAID = ("no-predicate", "unknown-fact", UNDECIDED)
"""Interpretations by which a clause is open because a predicate or a fact is missing, or its gate is not decided."""
NO_CREDIT = (*NOTHING_SAID, "beside-null", "counts-are-values", "after-termination", "misused-object")
"""Interpretations under which an answer is not evidence for a clause."""


class Held(msgspec.Struct, frozen=True):
    """A clause that holds for a call; ``interpretation`` is the register's entry if that is not literal."""

    clause: ErrorClause
    interpretation: str = ""


class Expectation(msgspec.Struct, frozen=True):
    """What the documents allow for one call."""

    judged: JudgedCall
    musts: tuple[Held, ...]
    mays: tuple[Held, ...]
    resources: tuple[str, ...]
    undefined: str = ""

    @property
    def call(self) -> Call:
        """Return the call itself."""
        return self.judged.call

    @property
    def left_open(self) -> tuple[str, ...]:
        """Return the clauses about a handle of another type: with one of them, any outcome is the implementation's."""
        return tuple(held.clause.id for held in self.mays if held.interpretation == OTHER_TYPE) if self.mays else ()

    def is_wrongly_accepted(self, observed: str) -> bool:
        """Return whether a call has succeeded that had to fail."""
        return bool(self.musts) and observed == SUCCESS

    def is_wrongly_enqueued(self, observed: str) -> bool:
        """Return whether a command was enqueued that had to be refused: what it does then, nobody knows."""
        return self.is_wrongly_accepted(observed) and self.call.function.startswith("clEnqueue")

    @property
    def allowed(self) -> list[str]:
        """Return the outcomes that are right, sorted, success first where it is one of them."""
        if not self.musts and not self.mays:
            return [SUCCESS]
        codes = sorted({held.clause.code for held in (*self.musts, *self.mays)})
        return codes if self.musts else [SUCCESS, *codes]


@dataclass(frozen=True)
class Blame:
    """A deviation: the driver did what no clause allows.

    ``allowed``, ``observed`` and ``conditions`` are for people; ``symptom`` is what equal deviations share,
    and goes into their id. ``operands``: record id to what the condition's words name, with the values of the call.
    ``also``: other records that the same outcome violates, and that share the verdict.
    ``function``: the one to blame, if it is not that of the call. ``undecided``: the process has ended, and only
    repetitions can tell whether it is for these records, or for the call under way; ``alone`` is the blame on that.
    TypeError if ``symptom`` is not a declared one.
    """

    records: tuple[str, ...]
    verdict: str
    confidence: str
    allowed: tuple[str, ...]
    observed: str
    conditions: dict[str, str]
    symptom: Symptom
    operands: dict[str, dict[str, Operand]] = field(default_factory=dict)
    also: tuple[str, ...] = ()
    function: str = ""
    undecided: bool = False
    alone: Blame | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.symptom, Symptom):
            raise TypeError(f"{self.symptom!r} is not a symptom of oracles.engine.symptoms")


class Judgement(msgspec.Struct):
    """What an outcome says about the records: ``evidence`` pairs a record with a kind of evidence.

    ``implementation_defined``: the records that leave the outcome to the implementation.
    ``notes``: pairs of a record and what a driver did to memory that no clause covers.
    ``suspected``: what would be to blame if nobody but the driver had killed its process. ``readings``: the entries
    of the register by which something is to blame, each with what was observed.
    """

    observed: str
    evidence: list[tuple[str, str]] = []
    blames: list[Blame] = []
    suspected: list[Blame] = []
    implementation_defined: tuple[str, ...] = ()
    notes: list[tuple[str, str]] = []
    readings: list[tuple[str, str]] = []
