"""A fault of the simulated platform: every answer to one query is wrong, by one class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import UNTOUCHED, Call, Outcome, Output, Returned
from clconform.calls.values import OutputBuffer
from clconform.selftest.faults.registry import SIZE, VALUE
from clconform.selftest.wrong_answers.answer_classes import (
    Answer,
    alter_answer,
    holds_objects,
    measure_values,
)

if TYPE_CHECKING:
    from collections.abc import Collection

    from clconform.calls.values import Value
    from clconform.oracles.engine.matchers import Element
    from clconform.selftest.wrong_answers.answer_classes import AnswerClass
    from clconform.simulator.platform import Simulation
    from clconform.spec_tables.requirements import Query

SIZE_BYTES = 8
ANY_SIZE = 1 << 16
"""The size of an output buffer for the right value of a query whose number of elements depends on the buffer."""


class AlteredQueries:
    """Alters each answer to ``query``; the size, the value and the error for a small buffer agree with one another.

    ``others``: right values of other objects. ``made``: the number of altered outcomes. ``unaltered``: the reasons why
    answers were not altered.
    """

    def __init__(self, query: Query, wrong: AnswerClass, others: Collection[tuple[Element, ...]] = ()) -> None:
        self.query, self.wrong, self._others = query, wrong, others
        self.made = 0
        self.unaltered: set[str] = set()

    def __call__(self, simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
        """Return the wrong outcome of a query, and every other outcome unchanged."""
        lookups = simulation.model.lookups
        if call.function != self.query.function or not isinstance(outcome, Returned):
            return outcome
        if self.query not in lookups.queries(call.function, call.param_name):
            return outcome
        right = find_right_answer(simulation, call, self.query)
        if right is None:
            return outcome
        wrong = alter_answer(right, self.query, self.wrong, self._choose_others(simulation, right), lookups)
        if isinstance(wrong, str):
            self.unaltered.add(wrong)
            return outcome
        altered = _answer_with(call, wrong, simulation)
        self.made += altered != outcome
        return altered

    def _choose_others(self, simulation: Simulation, right: Answer) -> Collection[tuple[Element, ...]]:
        """Return values of other objects; for a list of objects or one object, an object that exists now."""
        lookups, objects = simulation.model.lookups, simulation.model.objects
        if not holds_objects(self.query, lookups):
            return self._others
        known = next((objects[value] for value in right.values if isinstance(value, str) and value in objects), None)
        return [(name,) for name, thing in objects.items() if type(thing) is type(known) and name not in right.values]


class AnswerCollector:
    """Collects the right answers to ``query`` as ``values``, and changes no outcome; ``made``: their number."""

    def __init__(self, query: Query) -> None:
        self.query = query
        self.values: dict[tuple[Element, ...], None] = {}
        self.made = 0

    def __call__(self, simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
        """Collect the answer to a query, and return the outcome."""
        if call.function == self.query.function and self.query in simulation.model.lookups.queries(
            call.function, call.param_name
        ):
            right = find_right_answer(simulation, call, self.query)
            if right is not None:
                self.values[right.values] = None
                self.made += 1
        return outcome


def find_right_answer(simulation: Simulation, call: Call, query: Query) -> Answer | None:
    """Return the right answer to a query, by making the query with a large buffer; None if the query fails."""
    capacity = ANY_SIZE
    if query.name == "CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT":
        capacity = call.param_value_size
        if not isinstance(call.param_value, OutputBuffer):
            return None
    elif query.type.endswith("*") and query.shape == "array":
        return None  # a list of pointers to buffers
    complete: dict[str, Value] = {"param_value_size": capacity, VALUE: OutputBuffer(capacity), SIZE: OutputBuffer(1)}
    answer = simulation.make_call(Call(call.function, {**call.arguments, **complete}))
    if not isinstance(answer, Returned) or answer.value != 0:
        return None
    values = tuple(value for value in answer.outputs[VALUE].values if value != UNTOUCHED)
    if values == ("\0",) and query.shape != "string":
        values = ()
    size = measure_values(values, query, simulation.model.lookups)
    return Answer(values, size, reported=size)


def _answer_with(call: Call, wrong: Answer, simulation: Simulation) -> Returned:
    """Return the outcome of a query with this answer."""
    value, size = call.param_value, call.param_value_size_ret
    outputs: dict[str, Output] = {}
    if isinstance(value, OutputBuffer) and call.param_value_size < wrong.size:
        outputs[VALUE] = Output()
        if isinstance(size, OutputBuffer):
            outputs[SIZE] = Output([UNTOUCHED])
        return Returned(simulation.model.constant_value("CL_INVALID_VALUE"), outputs)
    if isinstance(value, OutputBuffer):
        outputs[VALUE] = _written_output(wrong) if wrong.is_written else Output()
    if isinstance(size, OutputBuffer):
        outputs[SIZE] = Output([UNTOUCHED]) if wrong.reported is None else Output([wrong.reported], SIZE_BYTES)
    return Returned(0, outputs)


def _written_output(wrong: Answer) -> Output:
    texts = [str(value) for value in wrong.values] if wrong.size else []
    if len(texts) == 1 and texts[0].endswith("\0"):
        raw = texts[0].encode("utf-8", "surrogateescape")
        return Output([raw.decode("utf-8", "backslashreplace")], len(raw), raw)
    return Output(list(wrong.values), wrong.size)
