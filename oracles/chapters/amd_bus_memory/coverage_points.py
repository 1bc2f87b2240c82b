"""Coverage points of flags, addresses and signals of bus-addressable memory, and untestable requirements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.amd_bus_memory.error_conditions import RESIDENT, has_existing_view
from clconform.oracles.common.flags import ADDRESSABLE, EXTERNAL
from clconform.oracles.common.ordering_evidence import cover_status_query
from clconform.oracles.common.readback_evidence import writers_of_known_bytes
from clconform.oracles.contents.bus_memory import WAIT, WRITE
from clconform.oracles.contents.dependencies import pending_awaited
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.memory_objects import Buffer

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.oracles.model.enqueued_command import Command
    from clconform.spec_tables import Tables

    Holds = Callable[[CompletedCall], bool]

rules = Rules()

MAKE = "clCreateBuffer"
POINTER = "clCreateBuffer/CL_INVALID_HOST_PTR/3"


def _uses_memory_with(flag: str, parameter: str) -> Holds:
    """Return a coverage condition: a call succeeds, and all objects in ``parameter`` were created with ``flag``."""

    def holds(asked: CompletedCall) -> bool:
        given = asked.call.arguments[parameter]
        memory = [asked.model.get(Buffer, each) for each in getattr(given, "values", (given,))]
        return asked.code == SUCCESS and all(each.flags & asked.model.constant_value(flag) for each in memory)

    return holds


def _is_misplaced(field: str) -> Holds:
    """Return a coverage condition: the address in ``field`` of the structure at host_ptr does not start a page."""
    return lambda asked: hasattr(getattr(asked.call.host_ptr, field, None), "offset")


def _waits_for_written_signal(asked: CompletedCall) -> bool:
    """Return whether a call succeeds and waits for a clEnqueueWaitSignalAMD command whose signal was written."""
    waits = [each for each in pending_awaited(asked.call, asked.model) if each.function == WAIT]
    return asked.code == SUCCESS and any(each.function == WRITE for one in waits for each in one.predecessors)


rules.coverage_point(
    "cl_mem_flags:CL_MEM_BUS_ADDRESSABLE_AMD",
    RESIDENT,
    "After a buffer with CL_MEM_BUS_ADDRESSABLE_AMD is made resident, other devices can write to the buffer.",
    "clEnqueueMakeBuffersResidentAMD/success",
    holds=_uses_memory_with(ADDRESSABLE, "mem_objects"),
)
rules.coverage_point(
    "cl_mem_flags:CL_MEM_EXTERNAL_PHYSICAL_AMD",
    WRITE,
    "A buffer with CL_MEM_EXTERNAL_PHYSICAL_AMD represents memory of another device. clEnqueueWriteSignalAMD can write "
    "the signal of this memory.",
    "clEnqueueWriteSignalAMD/success",
    holds=_uses_memory_with(EXTERNAL, "buffer"),
)
for _requirement, _field, _words in (
    ("clCreateBuffer/alignment/1", "surface", "surfbusaddress in the structure at host_ptr is aligned to a page."),
    ("clCreateBuffer/alignment/2", "signal", "signalbusaddress in the structure at host_ptr is aligned to a page."),
):
    rules.coverage_point(_requirement, MAKE, _words, POINTER, holds=_is_misplaced(_field))
rules.coverage_point(
    "clEnqueueWriteSignalAMD/effect/1",
    "clWaitForEvents",
    "value is written to the signal address of buffer, and a clEnqueueWaitSignalAMD command for value on the device "
    "that owns the memory completes.",
    "clWaitForEvents/success",
    holds=_waits_for_written_signal,
)


@rules.completion
def _declare_untestable(rules: Rules, _tables: Tables) -> None:
    rules.untestable(
        "cl_amd_bus_addressable_memory:additions-to-section-5-2-1-creating-buffer-objects/1",
        "The initial contents of the buffer are undefined, unless flags contains CL_MEM_COPY_HOST_PTR.",
        "undefined contents can have any value, so nothing can violate it",
    )
    for requirement in ("clEnqueueWaitSignalAMD/CL_INVALID_VALUE/1", "clEnqueueWriteSignalAMD/CL_INVALID_VALUE/1"):
        rules.untestable(
            requirement,
            "The signal address of buffer is not valid.",
            "a buffer gets its addresses when it becomes resident, where an address of 0 is already "
            "a deviation, and must not be used earlier",
        )


STATUS, QUERY = "CL_EVENT_COMMAND_EXECUTION_STATUS", "clGetEventInfo"
READ = "clEnqueueReadBuffer"


def _shows_copied_bytes(asked: CompletedCall) -> bool:
    """Return whether a read returns the bytes that clCreateBuffer copied to a bus-addressable buffer."""
    buffer, value = asked.model.get(Buffer, asked.call.buffer), asked.model.constant_value
    both = all(buffer.flags & value(name) for name in ("CL_MEM_BUS_ADDRESSABLE_AMD", "CL_MEM_COPY_HOST_PTR"))
    return both and "" in writers_of_known_bytes(asked)


def _waits_for_signal(command: Command) -> bool:
    """Return whether a command comes after a wait for a signal value that is certainly not written yet."""
    return bool(command.unwritten_signals) and all(each.is_settled for each in command.unwritten_signals)


rules.coverage_point(
    "cl_amd_bus_addressable_memory:additions-to-section-5-2-1-creating-buffer-objects/2",
    READ,
    "Checked on reads of a new buffer created with CL_MEM_BUS_ADDRESSABLE_AMD and CL_MEM_COPY_HOST_PTR.",
    "clEnqueueReadBuffer/success",
    holds=_shows_copied_bytes,
)
rules.coverage_point(
    "cl_amd_bus_addressable_memory:additions-to-section-5-2-1-creating-buffer-objects/3",
    MAKE,
    "",
    "clCreateBuffer/CL_MEM_OBJECT_ALLOCATION_FAILURE/2",
    holds=lambda asked: has_existing_view(asked.call, asked.model),
)
rules.coverage_point(
    "clEnqueueWaitSignalAMD/effect/1",
    QUERY,
    "Checked on queries of the status of a command after a clEnqueueWaitSignalAMD whose value is not yet written.",
    STATUS,
    holds=cover_status_query(lambda command: command.function != WAIT and _waits_for_signal(command)),
)
