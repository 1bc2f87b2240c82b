"""The ways to ask one query of one object: size first, at once, with every room that matters, again, and together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call, Returned
from clconform.calls.values import OutputBuffer, OutputBuffers, Value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clconform.calls.call import Outcome
    from clconform.runner.session.session import Session

BEHIND = 16
"""Bytes of room behind the answer, where a larger room is given."""
THREADS = 4
MOST_BYTES = 1 << 20
"""Answers that claim more bytes than this are not asked for."""


class Asker:
    """Asks one function about one object. ``about``: the arguments that say whose information is wanted, by name."""

    def __init__(self, cl: Session, function: str, about: Mapping[str, Value]) -> None:
        self._cl, self._function, self._about = cl, function, about
        self._parameters = [parameter.name for parameter in cl.tables.functions[function].parameters]

    def call(
        self, name: int, size: int, output_buffer: OutputBuffer | OutputBuffers | None, *, told: bool = True
    ) -> Call:
        """Return a call for a name. ``output_buffer``: where the answer goes; ``told``: ask for its size too."""
        given: dict[str, Value] = {
            **self._about,
            "param_name": name,
            "param_value_size": size,
            "param_value": output_buffer,
            "param_value_size_ret": OutputBuffer(1) if told else None,
        }
        return Call(self._function, {parameter: given[parameter] for parameter in self._parameters})

    def ask(
        self, boundary: str, name: int, size: int, output_buffer: OutputBuffer | None, *, told: bool = True
    ) -> Outcome:
        """Ask once, and say which boundary that is."""
        return self._cl.at(boundary).ask(self.call(name, size, output_buffer, told=told))

    def everything(self, name: int) -> None:
        """Ask for a name in every way."""
        size = told_size(self.ask("size first", name, 0, None))
        if size is None:
            return
        exact = OutputBuffer(size) if size else None
        self.ask("exact room", name, size, exact)
        self.ask("exact room, size not asked for", name, size, exact, told=False)
        if size > 1:
            self.ask("one byte too small", name, size - 1, OutputBuffer(size - 1))
        if size:
            self.ask("room of no byte", name, 0, OutputBuffer(0))
        self.ask("more room than the answer", name, size + BEHIND, OutputBuffer(size + BEHIND))
        self.ask("a size without room", name, size, None)
        self.ask("neither answer nor size", name, 0, None, told=False)
        self._cl.at("several host threads at once").together([self.call(name, size, exact)] * THREADS)
        self.ask("the same again", name, size, exact)

    def pointers(self, name: int, sizes: Sequence[int]) -> Outcome | None:
        """Ask for a name whose room is a list of pointers to rooms of these sizes; None where it tells no size."""
        size = told_size(self.ask("size first", name, 0, None))
        if not size or not sizes:
            return None
        return self._cl.at("exact rooms").ask(self.call(name, size, OutputBuffers(tuple(sizes))))

    def too_few_pointers(self, name: int, sizes: Sequence[int]) -> None:
        """Ask for a name whose room is a list of pointers, with one byte too little for the list."""
        size = told_size(self.ask("size first", name, 0, None))
        if size and sizes:
            self._cl.at("one byte too small").ask(self.call(name, size - 1, OutputBuffers(tuple(sizes))))


def told_size(outcome: Outcome) -> int | None:
    """Return the size in bytes that a query has told, or None where it failed or told what cannot be asked for."""
    if not isinstance(outcome, Returned) or outcome.value != 0:
        return None
    (size,) = outcome.outputs["param_value_size_ret"].values
    return size if isinstance(size, int) and 0 <= size <= MOST_BYTES else None
