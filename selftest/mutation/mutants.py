"""The mutants of one error condition: its predicate dropped, negated, or with one change in its source."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from clconform.oracles.engine.answers import Answer, Must, settle
from clconform.selftest.mutation.operators import edits
from clconform.selftest.mutation.sources import Piece, pieces_of, rebuilt

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.engine.answers import Predicate, Reply
    from clconform.oracles.engine.rulebook import Rulebook
    from clconform.oracles.model.world import Model
    from clconform.spec_tables.records import ErrorClause

DROPPED, NEGATED = "dropped", "negated"


@dataclass(frozen=True)
class Mutant:
    """An error condition with a slightly changed predicate.

    ``place``: the function or constant of ``module`` that is changed, or the predicate itself, with its ``line``.
    ``change``: the expression before and after; empty if the whole predicate is dropped or negated.
    """

    record: str
    operator: str
    module: str
    place: str
    line: int
    change: str
    original: Predicate
    predicate: Predicate

    @property
    def name(self) -> str:
        """Return the mutant's unique name within its error condition, independent of line numbers."""
        return f"{self.place}: {self.change}" if self.change else self.operator


def mutants_of(record: ErrorClause, rulebook: Rulebook) -> Iterator[Mutant]:
    """Yield each mutant of an error condition; none if it has no predicate.

    An inherited condition is only dropped and negated as a whole, because its parts are mutated at their source. The
    same applies to a part of an older condition without a source of its own.
    """
    predicate = rulebook.predicate_of(record)
    if predicate is None:
        return
    source = record if record.id in rulebook.written else rulebook.lent_to(record) or record
    builder = None if source.id in rulebook.written else rulebook.builder_of(source)
    pieces = pieces_of(builder or rulebook.predicate_of(source) or predicate)
    module, name, line = predicate.__module__, predicate.__name__, 0
    if pieces:
        module, name, line = pieces[0].module, pieces[0].name, pieces[0].tree.lineno
    whole = Mutant(record.id, DROPPED, module, name, line, "", predicate, _dropped(predicate))
    yield whole
    yield replace(whole, operator=NEGATED, predicate=_negated(predicate))
    for piece in pieces if source is record else ():
        for edit, tree in edits(piece.tree):
            function = rebuilt(pieces, Piece(piece.module, piece.name, tree))  # type: ignore[arg-type]
            yield Mutant(
                record.id,
                edit.operator,
                piece.module,
                piece.name,
                edit.line,
                f"{edit.before} -> {edit.after}",
                predicate,
                _undefined_as(predicate, function(record) if builder else function),
            )


def _dropped(predicate: Predicate) -> Predicate:
    """Return a predicate that never holds."""
    return _undefined_as(predicate, lambda _call, _model: Answer.NO)


def _negated(predicate: Predicate) -> Predicate:
    """Return the negated predicate: must becomes no and vice versa; may is unchanged."""

    def other(call: Call, model: Model) -> Reply:
        reply = settle(predicate, call, model)
        if reply is Answer.MUST or isinstance(reply, Must):
            return Answer.NO
        return Answer.MUST if reply is Answer.NO else reply

    return other


def _undefined_as(predicate: Predicate, mutated: Predicate) -> Predicate:
    """Return the mutated predicate, but undefined where the original is, because such calls are never made."""

    def guarded(call: Call, model: Model) -> Reply:
        if settle(predicate, call, model) is Answer.UNDEFINED:
            return Answer.UNDEFINED
        return mutated(call, model)

    return guarded
