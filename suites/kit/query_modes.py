"""Query modes: queries with various output sizes, repeated queries, and concurrent queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call, Returned
from clconform.calls.values import OutputBuffer, OutputBuffers, Value
from clconform.runner.session.outcome_values import MAX_VALUE_BYTES, TRUNCATED_VALUE_BYTES, long_value_note

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clconform.calls.call import Outcome
    from clconform.runner.session.session import Session

EXTRA_BYTES = 16
"""The number of bytes by which the larger output buffer exceeds the value."""
THREADS = 4
POINTED_FACTOR = 16
"""The limit on the total size of output buffers in a list of pointers, as a multiple of ``MAX_VALUE_BYTES``."""


class QueryCaller:
    """Makes queries of one object with one query function.

    ``about``: the arguments that identify the object, by name.
    """

    def __init__(self, cl: Session, function: str, about: Mapping[str, Value]) -> None:
        self._cl, self._function, self._about = cl, function, about
        self._parameters = [parameter.name for parameter in cl.tables.functions[function].parameters]

    def build_call(
        self, name: int, size: int, output_buffer: OutputBuffer | OutputBuffers | None, *, with_size_ret: bool = True
    ) -> Call:
        """Return a query call.

        ``output_buffer``: the param_value argument. ``with_size_ret``: whether param_value_size_ret is requested.
        """
        given: dict[str, Value] = {
            **self._about,
            "param_name": name,
            "param_value_size": size,
            "param_value": output_buffer,
            "param_value_size_ret": OutputBuffer(1) if with_size_ret else None,
        }
        return Call(self._function, {parameter: given[parameter] for parameter in self._parameters})

    def query(
        self, test_value: str, name: int, size: int, output_buffer: OutputBuffer | None, *, with_size_ret: bool = True
    ) -> Outcome:
        """Make one query; ``test_value`` names the test value in reports."""
        return self._cl.call_at(test_value, self.build_call(name, size, output_buffer, with_size_ret=with_size_ret))

    def query_in_all_modes(self, name: int) -> None:
        """Make queries of one name in every mode."""
        size = returned_size(self.query("size only", name, 0, None))
        if size is None:
            return
        if size > MAX_VALUE_BYTES:
            self._note_too_long(name, size)
            self.query("a short output buffer", name, TRUNCATED_VALUE_BYTES, OutputBuffer(TRUNCATED_VALUE_BYTES))
            return
        exact = OutputBuffer(size) if size else None
        self.query("exact size", name, size, exact)
        self.query("exact size, param_value_size_ret=NULL", name, size, exact, with_size_ret=False)
        if size > 1:
            self.query("param_value_size=size-1", name, size - 1, OutputBuffer(size - 1))
        if size:
            self.query("param_value_size=0", name, 0, OutputBuffer(0))
        self.query(f"param_value_size=size+{EXTRA_BYTES}", name, size + EXTRA_BYTES, OutputBuffer(size + EXTRA_BYTES))
        self.query("size without a buffer", name, size, None)
        self.query("param_value=NULL, param_value_size_ret=NULL", name, 0, None, with_size_ret=False)
        self.query("param_value=NULL, param_value_size=1", name, 1, None)
        self._cl.at_value("from several host threads").call_concurrently([self.build_call(name, size, exact)] * THREADS)
        self._cl.at_value("")
        self.query("repeated", name, size, exact)

    def query_pointers(self, name: int, sizes: Sequence[int]) -> Outcome | None:
        """Query a name whose value is a list of pointers to output buffers of these sizes.

        The result is None if the size of the list is unknown.
        """
        size = returned_size(self.query("size only", name, 0, None))
        if not size or not sizes or not self._is_readable(name, size, sizes):
            return None
        return self._cl.call_at("exact sizes", self.build_call(name, size, OutputBuffers(tuple(sizes))))

    def query_short_pointer_list(self, name: int, sizes: Sequence[int]) -> None:
        """Make a query whose value is a list of pointers, with a param_value_size that is one byte too small."""
        size = returned_size(self.query("size only", name, 0, None))
        if size and sizes and self._is_readable(name, size, sizes):
            self._cl.call_at("param_value_size=size-1", self.build_call(name, size - 1, OutputBuffers(tuple(sizes))))

    def _is_readable(self, name: int, size: int, sizes: Sequence[int]) -> bool:
        """Return whether a list of pointers and the memory at these pointers are small enough; add a note if not."""
        largest = max(size, sum(map(abs, sizes)))
        if largest > MAX_VALUE_BYTES * POINTED_FACTOR or min(sizes) < 0:
            self._note_too_long(name, largest)
            return False
        return size <= MAX_VALUE_BYTES

    def _note_too_long(self, name: int, size: int) -> None:
        query = self._cl.model.lookups.query(self._function, name)
        if query is not None:
            self._cl.observer.on_note(query.id, long_value_note(size), self._cl.sequence.steps[-1].call)


def returned_size(outcome: Outcome) -> int | None:
    """Return the size in bytes that a query returned; None if the query failed or did not return a size."""
    if not isinstance(outcome, Returned) or outcome.value != 0:
        return None
    size = next(iter(outcome.outputs["param_value_size_ret"].values), None)
    return size if isinstance(size, int) and size >= 0 else None
