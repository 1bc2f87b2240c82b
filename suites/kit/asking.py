"""Query modes: size only, exact size, boundary sizes, repeated, and concurrently."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call, Returned
from clconform.calls.values import OutputBuffer, OutputBuffers, Value
from clconform.runner.session.answers import LONGEST_ANSWER_BYTES, SHORT_ANSWER_BYTES, too_long

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clconform.calls.call import Outcome
    from clconform.runner.session.session import Session

BEHIND = 16
"""Bytes after the end of the value, in a larger output buffer."""
THREADS = 4
POINTED = 16
"""A list of pointers may lead to this multiple of ``LONGEST_ANSWER_BYTES`` bytes."""


class Asker:
    """Makes queries of one object with one function; ``about``: the arguments that identify the object, by name."""

    def __init__(self, cl: Session, function: str, about: Mapping[str, Value]) -> None:
        self._cl, self._function, self._about = cl, function, about
        self._parameters = [parameter.name for parameter in cl.tables.functions[function].parameters]

    def call(
        self, name: int, size: int, output_buffer: OutputBuffer | OutputBuffers | None, *, told: bool = True
    ) -> Call:
        """Return a query of a name; ``output_buffer``: param_value; ``told``: pass param_value_size_ret."""
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
        """Make one query; ``boundary`` names the test value in reports."""
        return self._cl.at(boundary).ask(self.call(name, size, output_buffer, told=told))

    def everything(self, name: int) -> None:
        """Query one name in every mode."""
        size = told_size(self.ask("size only", name, 0, None))
        if size is None:
            return
        if size > LONGEST_ANSWER_BYTES:
            self._too_long(name, size)
            self.ask("a short output buffer", name, SHORT_ANSWER_BYTES, OutputBuffer(SHORT_ANSWER_BYTES))
            return
        exact = OutputBuffer(size) if size else None
        self.ask("exact size", name, size, exact)
        self.ask("exact size, param_value_size_ret=NULL", name, size, exact, told=False)
        if size > 1:
            self.ask("param_value_size=size-1", name, size - 1, OutputBuffer(size - 1))
        if size:
            self.ask("param_value_size=0", name, 0, OutputBuffer(0))
        self.ask(f"param_value_size=size+{BEHIND}", name, size + BEHIND, OutputBuffer(size + BEHIND))
        self.ask("size without a buffer", name, size, None)
        self.ask("param_value=NULL, param_value_size_ret=NULL", name, 0, None, told=False)
        self.ask("param_value=NULL, param_value_size=1", name, 1, None)
        self._cl.at("from several host threads").together([self.call(name, size, exact)] * THREADS)
        self.ask("repeated", name, size, exact)

    def pointers(self, name: int, sizes: Sequence[int]) -> Outcome | None:
        """Query a name whose output is a list of pointers to buffers of these sizes; None if the size is unknown."""
        size = told_size(self.ask("size only", name, 0, None))
        if not size or not sizes or not self._is_readable(name, size, sizes):
            return None
        return self._cl.at("exact sizes").ask(self.call(name, size, OutputBuffers(tuple(sizes))))

    def too_few_pointers(self, name: int, sizes: Sequence[int]) -> None:
        """Query a name whose output is a list of pointers, with a size one byte less than the list's."""
        size = told_size(self.ask("size only", name, 0, None))
        if size and sizes and self._is_readable(name, size, sizes):
            self._cl.at("param_value_size=size-1").ask(self.call(name, size - 1, OutputBuffers(tuple(sizes))))

    def _is_readable(self, name: int, size: int, sizes: Sequence[int]) -> bool:
        """Return whether a list of pointers and its target memory are short enough; add a note if not."""
        largest = max(size, sum(map(abs, sizes)))
        if largest > LONGEST_ANSWER_BYTES * POINTED or min(sizes) < 0:
            self._too_long(name, largest)
            return False
        return size <= LONGEST_ANSWER_BYTES

    def _too_long(self, name: int, size: int) -> None:
        query = self._cl.model.lookups.query(self._function, name)
        if query is not None:
            self._cl.observer.noted(query.id, too_long(size), self._cl.steps[-1].call)


def told_size(outcome: Outcome) -> int | None:
    """Return the size in bytes that a query returned; None if it failed or returned no size."""
    if not isinstance(outcome, Returned) or outcome.value != 0:
        return None
    size = next(iter(outcome.outputs["param_value_size_ret"].values), None)
    return size if isinstance(size, int) and size >= 0 else None
