"""Faults of the simulated platform: one output of a function, or the memory that a command writes, is always wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import UNTOUCHED, Call, Outcome, Output, Returned
from clconform.calls.values import FILL_BYTE, OutputBuffer
from clconform.selftest.faults.registry import SimulatedStep
from clconform.selftest.outcome_changes import get_stem, has_succeeded
from clconform.selftest.wrong_answers.answer_classes import (
    EMPTY_ALREADY,
    NO_OTHER,
    ONE_SIZE,
    SIGNED_TYPES,
    UNKNOWN_NUMBER,
)

if TYPE_CHECKING:
    from clconform.oracles.contents.storage import MemoryPlace, Storage
    from clconform.oracles.engine.matchers import Element, Values
    from clconform.oracles.model.state import Model
    from clconform.selftest.wrong_answers.answer_classes import AnswerClass
    from clconform.simulator.platform import Simulation
    from clconform.spec_tables.requirements import Function

RESULT, MEMORY = "result", "memory"
"""The names of the output that a function returns as its value, and of the memory that a command writes."""
MASK = 0x5A
OUTPUT_CLASSES: tuple[AnswerClass, ...] = ("other", "prefix", "longer", "stale", "zero", "ones", "unwritten")
"""The classes of wrong outputs and contents; an output has no size that the function returns."""


class AlteredOutputs:
    """Alters an output of each successful call of a function.

    ``output``: the name of the output parameter, or ``RESULT``. ``made``: the number of altered outcomes.
    ``unaltered``: the reasons why outcomes were not altered.
    """

    def __init__(self, function: Function, output: str, wrong: AnswerClass) -> None:
        self._function, self._output, self.wrong = function, output, wrong
        self._last: bytes = b""
        self.made = 0
        self.unaltered: set[str] = set()

    def __call__(self, simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
        """Return the wrong outcome of a call of the function, and every other outcome unchanged."""
        if call.function != self._function.name or not isinstance(outcome, Returned):
            return outcome
        if not has_succeeded(self._function, outcome):
            return outcome
        altered = self._alter(call, outcome, simulation.model)
        if isinstance(altered, str):
            self.unaltered.add(altered)
            return outcome
        self.made += altered != outcome
        return altered

    def _alter(self, call: Call, outcome: Returned, model: Model) -> Returned | str:
        if self._output == RESULT:
            return self._alter_result(outcome, model)
        output, buffer = outcome.outputs.get(self._output), call.arguments.get(self._output)
        if output is None or not isinstance(buffer, OutputBuffer) or not buffer.count:
            return "not requested"
        if self.wrong == "longer":
            return msgspec.structs.replace(outcome, overrun=[self._output])
        if output.raw or not output.values:
            return self._alter_bytes(outcome, output, buffer.count)
        values = self._alter_list(list(output.values), model)
        if isinstance(values, str):
            return values
        return outcome.with_outputs(**{self._output: Output(values, output.written)})

    def _alter_result(self, outcome: Returned, model: Model) -> Returned | str:
        if outcome.value is None or self.wrong in ("prefix", "longer", "unwritten"):
            return ONE_SIZE
        values = self._alter_list([outcome.value], model)
        return values if isinstance(values, str) else msgspec.structs.replace(outcome, value=values[0])

    def _alter_list(self, values: Values, model: Model) -> Values | str:
        last = max((at for at, value in enumerate(values) if value != UNTOUCHED), default=-1)
        if last < 0:
            return EMPTY_ALREADY
        if self.wrong == "unwritten":
            return [UNTOUCHED] * len(values)
        if self.wrong == "prefix":
            return [*values[:last], *[UNTOUCHED] * (len(values) - last)] if last else ONE_SIZE
        altered = [value if value == UNTOUCHED else self._alter_value(value, model) for value in values]
        return altered if altered != values else NO_OTHER

    def _alter_value(self, value: Element, model: Model) -> Element:
        if isinstance(value, int | float):
            return {"zero": 0, "ones": self._all_ones(model), "other": value + 1}.get(self.wrong, value)
        if self.wrong == "zero":
            return None
        known = model.objects.get(value) if value is not None else None
        if self.wrong == "stale":
            alike = (name for name, thing in model.objects.items() if type(thing) is type(known) and name != value)
            return next(alike, value)
        stem = value.rstrip("0123456789") if value is not None else self._find_stem()
        return f"{stem}{UNKNOWN_NUMBER}"

    def _all_ones(self, model: Model) -> int:
        """Return the number of the output's type in which all bits are set."""
        base = next((each.base for each in self._function.parameters if each.name == self._output), "size_t")
        if base in SIGNED_TYPES:
            return -1
        return (1 << 8 * (model.lookups.size_of(base) or 8)) - 1

    def _find_stem(self) -> str:
        base = next((each.base for each in self._function.parameters if each.name == self._output), "cl_event")
        return get_stem(base)

    def _alter_bytes(self, outcome: Returned, output: Output, count: int) -> Returned | str:
        right = output.raw.ljust(count, bytes([FILL_BYTE]))
        last, self._last = self._last, right
        wrong = alter_bytes(right, bytes([FILL_BYTE]) * count, last, self.wrong)
        if wrong == right:
            return NO_OTHER
        kept = wrong.rstrip(bytes([FILL_BYTE]))
        return outcome.with_outputs(**{self._output: Output([], len(kept), kept)})


class AlteredMemory:
    """Alters the memory that each successful call of a function writes or maps, after the call; attributes as above."""

    def __init__(self, function: Function, wrong: AnswerClass) -> None:
        self._function, self.wrong = function, wrong
        self._model: Model | None = None
        self._before: dict[int, tuple[Storage, bytes]] = {}
        self._last: bytes = b""
        self.made = 0
        self.unaltered: set[str] = set()

    def __call__(self, simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
        """Alter the memory, and return the outcome unchanged."""
        if simulation.model is not self._model:
            self._model, self._before, self._last = simulation.model, {}, b""
        if isinstance(outcome, Returned):
            if call.function == self._function.name and has_succeeded(self._function, outcome):
                effect = SimulatedStep(simulation, call, outcome).find_effect()
                if effect is not None:
                    maps = "Map" in call.function and "Unmap" not in call.function
                    for place in (*effect.writes, *(effect.reads if maps else ())):
                        self._alter_place(place)
            self._remember_contents(simulation.model)
        return outcome

    def _alter_place(self, place: MemoryPlace) -> None:
        content = place.read()
        if not any(content.defined):
            self.unaltered.add("unknown bytes")
            return
        if self.wrong == "longer":
            self._write_more(place)
            return
        _, whole = self._before.get(id(place.storage), (None, bytes(place.storage.size)))
        old = b"".join(whole[start : start + size] for start, size in place.spans)
        right = content.bytes_held
        wrong = alter_bytes(right, old, self._last, self.wrong)
        self._last = right
        if all(a == b for a, b, known in zip(right, wrong, content.defined, strict=True) if known):
            self.unaltered.add(NO_OTHER)
            return
        self.made += 1
        place.write(content._replace(bytes_held=wrong, tolerances=()))

    def _write_more(self, place: MemoryPlace) -> None:
        """Write one byte after the last one of a place, if the memory has such a byte and the model knows it."""
        end = max(start + size for start, size in place.spans)
        if end >= place.storage.size:
            self.unaltered.add("the end of the memory")
            return
        content = place.storage.read(((end, 1),))
        if not content.defined[0]:
            self.unaltered.add("unknown bytes")
            return
        self.made += 1
        place.storage.write(((end, 1),), content._replace(bytes_held=bytes([content.bytes_held[0] ^ MASK])))

    def _remember_contents(self, model: Model) -> None:
        for thing in model.objects.values():
            view = getattr(thing, "memory", None)
            storage = getattr(view, "storage", None)
            if storage is not None and storage.is_kept:
                self._before[id(storage)] = (storage, storage.read(((0, storage.size),)).bytes_held)


def alter_bytes(right: bytes, old: bytes, last: bytes, wrong: AnswerClass) -> bytes:
    """Return wrong bytes in place of ``right``; ``old``: those before the call; ``last``: those of an earlier call."""
    match wrong:
        case "prefix":
            return right[: len(right) // 2] + old[len(right) // 2 :]
        case "stale":
            return last if len(last) == len(right) else right[1:] + right[:1]
        case "zero":
            return bytes(len(right))
        case "ones":
            return b"\xff" * len(right)
        case "unwritten":
            return old
        case _:
            return bytes(byte ^ MASK for byte in right)
