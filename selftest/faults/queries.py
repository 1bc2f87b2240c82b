"""Faults of queries. Each fault applies to every query function that returns a value of the affected type."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Call, Outcome, Output, Returned
from clconform.calls.values import Handle, OutputBuffer
from clconform.oracles.common.object_creation import is_reference_count
from clconform.oracles.model.memory_objects import MemoryObject, SubBuffer
from clconform.selftest.faults.outcomes import with_output
from clconform.selftest.faults.registry import Faults
from clconform.spec_tables.requirements import Limit

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.matchers import Element
    from clconform.simulator.platform import Simulation
    from clconform.spec_tables.requirements import Query

faults = Faults()

SIZE, VALUE = "param_value_size_ret", "param_value"
UNKNOWN_BIT = 1 << 40
"""A bit that is not used in any bit-field of the documents."""


@faults.plant
def query_size_off_by_one(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """param_value_size_ret is one byte too large."""
    if _get_answered_query(simulation, call, outcome) is None or SIZE not in outcome.outputs:  # type: ignore[union-attr]
        return outcome
    (size,) = outcome.outputs[SIZE].values  # type: ignore[union-attr]
    return with_output(outcome, SIZE, Output([int(size) + 1], 8)) if isinstance(size, int) else outcome


@faults.plant
def string_terminator_missing(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Strings are returned with another character instead of their terminator."""
    query = _get_answered_query(simulation, call, outcome)
    if query is None or query.shape != "string" or VALUE not in outcome.outputs:  # type: ignore[union-attr]
        return outcome
    raw = outcome.outputs[VALUE].raw.rstrip(b"\0") + b"!"  # type: ignore[union-attr]
    return with_output(outcome, VALUE, Output([raw.decode()], len(raw), raw))


@faults.plant
def value_below_minimum(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Values with a lower limit, and reference counts, are zero."""
    query = _get_answered_query(simulation, call, outcome)
    if query is None or VALUE not in outcome.outputs:  # type: ignore[union-attr]
        return outcome
    limits = [each for each in simulation.model.lookups.requirements_about(query.name) if isinstance(each, Limit)]
    small = is_reference_count(query.name) or any(each.relation == "at-least" for each in limits)
    values = outcome.outputs[VALUE].values  # type: ignore[union-attr]
    return with_output(outcome, VALUE, Output([0] * len(values), 4)) if small else outcome


@faults.plant
def unknown_bit_set(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Values of bit-fields have an unknown bit set."""
    query = _get_answered_query(simulation, call, outcome)
    known = simulation.tables.types.get(query.type) if query else None
    if known is None or known.kind != "bitfield" or VALUE not in outcome.outputs:  # type: ignore[union-attr]
        return outcome
    values = outcome.outputs[VALUE].values  # type: ignore[union-attr]
    wrong = [value | UNKNOWN_BIT if isinstance(value, int) else value for value in values]
    return with_output(outcome, VALUE, Output(wrong, 8))


@faults.plant
def listed_value_replaced_by_next(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Each value from a documented list is replaced by the next larger value of that list."""
    query = _get_answered_query(simulation, call, outcome)
    flags = simulation.model.lookups.flags_of(query.type) if query else []
    listed = sorted({simulation.model.constant_value(flag.name) for flag in flags})
    if not listed or VALUE not in outcome.outputs:  # type: ignore[union-attr]
        return outcome
    shown = outcome.outputs[VALUE]  # type: ignore[union-attr]
    following = dict(zip(listed, [*listed[1:], listed[0]], strict=True))
    wrong = [following.get(value, value) if isinstance(value, int) else value for value in shown.values]
    return with_output(outcome, VALUE, msgspec.structs.replace(shown, values=wrong))


@faults.plant
def query_values_of_first_object(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Every object returns the query values of the first queried object."""
    query = _get_answered_query(simulation, call, outcome)
    if query is None or VALUE not in outcome.outputs:  # type: ignore[union-attr]
        return outcome
    first: dict[str, Output] = simulation.__dict__.setdefault("first_answers", {})
    return with_output(outcome, VALUE, first.setdefault(query.name, outcome.outputs[VALUE]))  # type: ignore[union-attr]


@faults.plant
def query_overruns_buffer(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A query writes one byte past the end of its output buffer."""
    if _get_answered_query(simulation, call, outcome) is None or VALUE not in outcome.outputs:  # type: ignore[union-attr]
        return outcome
    return msgspec.structs.replace(outcome, overrun=[VALUE])


@faults.plant
def failed_query_writes_buffer(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A failing query still changes the output buffer."""
    failed = isinstance(outcome, Returned) and outcome.value not in (0, None)
    output_buffer = call.arguments.get(VALUE)
    if not isinstance(output_buffer, OutputBuffer) or not output_buffer.count:
        return outcome
    if not failed or not _is_query(simulation, call) or VALUE not in outcome.outputs:  # type: ignore[union-attr]
        return outcome
    return with_output(outcome, VALUE, Output([], 1, b"\1"))


@faults.plant
def short_query_buffer_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A query succeeds with too small an output buffer, and fills the buffer."""
    output_buffer = call.arguments.get(VALUE)
    if not isinstance(outcome, Returned) or outcome.value == 0 or not isinstance(output_buffer, OutputBuffer):
        return outcome
    if not _is_query(simulation, call):
        return outcome
    wide = Call(call.function, {**call.arguments, "param_value_size": 1 << 16, VALUE: OutputBuffer(1 << 16)})
    again = simulation.make_call(wide)
    if not isinstance(again, Returned) or again.value != 0:
        return outcome
    raw = again.outputs[VALUE].raw[: output_buffer.count]
    return with_output(again, VALUE, Output([], len(raw), raw))


@faults.plant
def concurrent_query_value_off_by_one(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Of several concurrent queries, all but the first return a number that is one too large."""
    if not simulation.thread or _get_answered_query(simulation, call, outcome) is None or VALUE not in outcome.outputs:  # type: ignore[union-attr]
        return outcome
    shown = outcome.outputs[VALUE]  # type: ignore[union-attr]
    wrong = [value + 1 if isinstance(value, int) else value for value in shown.values]
    return with_output(outcome, VALUE, msgspec.structs.replace(shown, values=wrong))


@faults.plant
def missing_list_reported_terminated(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """An object created without a property list returns a list that contains only the terminating zero."""
    query = _get_answered_query(simulation, call, outcome)
    lists = ("CL_CONTEXT_PROPERTIES", "CL_QUEUE_PROPERTIES_ARRAY", "CL_MEM_PROPERTIES", "CL_SAMPLER_PROPERTIES")
    if query is None or query.name not in lists or outcome.outputs.get(SIZE, Output([8], 8)).values != [0]:  # type: ignore[union-attr]
        return outcome
    told = with_output(outcome, SIZE, Output([8], 8))
    return with_output(told, VALUE, Output([0], 8)) if isinstance(call.arguments.get(VALUE), OutputBuffer) else told


@faults.plant
def attribute_group_size_reversed(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The work-group size in CL_KERNEL_ATTRIBUTES is reversed."""
    query = _get_answered_query(simulation, call, outcome)
    if query is None or query.name != "CL_KERNEL_ATTRIBUTES" or VALUE not in outcome.outputs:  # type: ignore[union-attr]
        return outcome
    raw = outcome.outputs[VALUE].raw.replace(b"4, 1, 1", b"1, 1, 4")  # type: ignore[union-attr]
    return with_output(outcome, VALUE, Output([raw.decode()], len(raw), raw))


@faults.plant
def memory_size_rounded_down(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """CL_MEM_SIZE is rounded down to a multiple of 128."""
    return _change_memory_query(
        simulation, call, outcome, "CL_MEM_SIZE", lambda _memory, size: int(size or 0) // 128 * 128
    )


@faults.plant
def sub_buffer_reports_parent_host_ptr(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """CL_MEM_HOST_PTR of a sub-buffer does not include the sub-buffer's offset."""

    def of_the_buffer(memory: MemoryObject, address: Element) -> Element:
        buffer = memory.buffer if isinstance(memory, SubBuffer) else None
        whole = buffer.host.address if buffer is not None and buffer.host is not None else None
        return address if whole is None else whole

    return _change_memory_query(simulation, call, outcome, "CL_MEM_HOST_PTR", of_the_buffer)


@faults.plant
def host_ptr_not_reported(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """CL_MEM_HOST_PTR is always NULL."""
    return _change_memory_query(simulation, call, outcome, "CL_MEM_HOST_PTR", lambda _memory, _address: 0)


@faults.plant
def sub_buffer_svm_not_reported(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A sub-buffer does not report CL_MEM_USES_SVM_POINTER although its buffer uses SVM."""
    name = "CL_MEM_USES_SVM_POINTER"
    return _change_memory_query(
        simulation, call, outcome, name, lambda memory, shared: 0 if isinstance(memory, SubBuffer) else shared
    )


@faults.plant
def sub_buffer_access_not_inherited(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A sub-buffer does not report CL_MEM_WRITE_ONLY although its buffer has that flag."""
    access = simulation.model.constant_value("CL_MEM_WRITE_ONLY")

    def without(memory: MemoryObject, flags: Element) -> Element:
        return int(flags or 0) & ~access if isinstance(memory, SubBuffer) else flags

    return _change_memory_query(simulation, call, outcome, "CL_MEM_FLAGS", without)


@faults.plant
def unknown_query_name_crashes(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """An unknown query name kills the process."""
    if _is_query(simulation, call) and call.param_name >= 1 << 30:
        os.kill(os.getpid(), signal.SIGSEGV)
    return outcome


def _get_answered_query(simulation: Simulation, call: Call, outcome: Outcome) -> Query | None:
    """Return the query that a call has successfully executed; None for other calls."""
    if not _is_query(simulation, call) or not isinstance(outcome, Returned):
        return None
    subject = next(iter(call.arguments.values()))
    if outcome.value != 0 or not isinstance(subject, Handle):
        return None
    return simulation.model.lookups.query(call.function, call.param_name)


def _is_query(simulation: Simulation, call: Call) -> bool:
    """Return whether a call is to a query function; False for harness actions, which the tables do not contain."""
    function = simulation.tables.functions.get(call.function)
    return function is not None and bool(function.queries)


def _change_memory_query(
    simulation: Simulation, call: Call, outcome: Outcome, name: str, change: Callable[[MemoryObject, Element], Element]
) -> Outcome:
    """Return the outcome of a memory object's query of this name with changed values."""
    query = _get_answered_query(simulation, call, outcome)
    memory = simulation.model.find(next(iter(call.arguments.values())))
    if query is None or query.name != name or not isinstance(memory, MemoryObject) or VALUE not in outcome.outputs:  # type: ignore[union-attr]
        return outcome
    shown = outcome.outputs[VALUE]  # type: ignore[union-attr]
    return with_output(
        outcome, VALUE, msgspec.structs.replace(shown, values=[change(memory, one) for one in shown.values])
    )
