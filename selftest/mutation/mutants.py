"""The mutants of one error condition: its predicate is removed, is negated, or has one change in its source."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from clconform.oracles.engine.predicate_result import MUST, NO, UNDEFINED, Predicate, PredicateResult, evaluate
from clconform.selftest.mutation.mutation_operators import make_edits
from clconform.selftest.mutation.predicate_sources import SourcePiece, get_pieces, rebuild

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.engine.rulebook import Rulebook
    from clconform.oracles.model.state import Model
    from clconform.spec_tables.requirements import ErrorCondition

DROPPED, NEGATED = "dropped", "negated"


@dataclass(frozen=True)
class Mutant:
    """An error condition with a slightly changed predicate.

    ``place``: the function or constant of ``module`` that is changed, or the predicate itself, with its ``line``.
    ``number``: the number of the change among those of its operator in ``place``, from 1, or 0 if the predicate is
    removed or negated. ``change``: the expression before and after, or empty.
    """

    requirement: str
    operator: str
    module: str
    place: str
    line: int
    number: int
    change: str
    original: Predicate
    predicate: Predicate

    @property
    def name(self) -> str:
        """Return the mutant's name for people, unique within its error condition."""
        return f"{self.place}/{self.number}: {self.change}" if self.number else self.operator


def make_mutants(requirement: ErrorCondition, rulebook: Rulebook) -> Iterator[Mutant]:
    """Yield each mutant of an error condition; none if the condition does not have a predicate.

    An inherited predicate is only removed and negated. Changes in its source are tried where the predicate is defined.
    The same applies to a condition that is split from an older condition and uses its predicate.
    """
    predicate = rulebook.predicates.predicate_of(requirement)
    if predicate is None:
        return
    source = (
        requirement
        if requirement.id in rulebook.predicates.declared
        else rulebook.predicates.inherited_clause_of(requirement) or requirement
    )
    builder = None if source.id in rulebook.predicates.declared else rulebook.predicates.builder_of(source)
    pieces = get_pieces(builder or rulebook.predicates.predicate_of(source) or predicate)
    module, name, line = predicate.__module__, predicate.__name__, 0
    if pieces:
        module, name, line = pieces[0].module, pieces[0].name, pieces[0].tree.lineno
    whole = Mutant(requirement.id, DROPPED, module, name, line, 0, "", predicate, _drop(predicate))
    yield whole
    yield replace(whole, operator=NEGATED, predicate=_negate(predicate))
    for piece in pieces if source is requirement else ():
        for edit, tree in make_edits(piece.tree):
            function = rebuild(pieces, SourcePiece(piece.module, piece.name, tree))  # type: ignore[arg-type]
            yield Mutant(
                requirement.id,
                edit.operator,
                piece.module,
                piece.name,
                edit.line,
                edit.number,
                f"{edit.before} -> {edit.after}",
                predicate,
                _keep_undefined(predicate, function(requirement) if builder else function),
            )


def _drop(predicate: Predicate) -> Predicate:
    """Return a predicate that never holds."""
    return _keep_undefined(predicate, lambda _call, _model: NO)


def _negate(predicate: Predicate) -> Predicate:
    """Return the negated predicate: must becomes no and vice versa; may is unchanged."""

    def other(call: Call, model: Model) -> PredicateResult:
        reply = evaluate(predicate, call, model)
        if reply.is_must:
            return NO
        return MUST if reply is NO else reply

    return other


def _keep_undefined(predicate: Predicate, mutated: Predicate) -> Predicate:
    """Return the mutated predicate with one exception: where the original is undefined, it is undefined as well.

    Undefined calls are never made.
    """

    def guarded(call: Call, model: Model) -> PredicateResult:
        if evaluate(predicate, call, model) is UNDEFINED:
            return UNDEFINED
        return mutated(call, model)

    return guarded
