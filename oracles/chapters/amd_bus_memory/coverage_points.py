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
    from clconform.oracles.model.command_state import Command
    from clconform.spec_tables import Tables

    Holds = Callable[[CompletedCall], bool]

rules = Rules()

MAKE, WAIT_FOR = "clCreateBuffer", "clWaitForEvents"
POINTER = "clCreateBuffer/CL_INVALID_HOST_PTR/3"
CREATING = "cl_amd_bus_addressable_memory:additions-to-section-5-2-1-creating-buffer-objects"
FLAG_USES = {
    ADDRESSABLE: (
        "After a buffer with CL_MEM_BUS_ADDRESSABLE_AMD is made resident, other devices can write to the buffer.",
        RESIDENT,
    ),
    EXTERNAL: (
        (
            "A buffer with CL_MEM_EXTERNAL_PHYSICAL_AMD represents memory of another device. clEnqueueWriteSignalAMD "
            "can write the signal of this memory."
        ),
        WRITE,
    ),
}


@rules.completion
def _declare_flags(rules: Rules, _tables: Tables) -> None:
    def used(name: str, parameter: str) -> Holds:
        def holds(asked: CompletedCall) -> bool:
            given = asked.call.arguments[parameter]
            memory = [asked.model.get(Buffer, each) for each in getattr(given, "values", (given,))]
            return asked.code == SUCCESS and all(each.flags & asked.model.constant_value(name) for each in memory)

        return holds

    for name, (words, function) in FLAG_USES.items():
        parameter = "mem_objects" if function == RESIDENT else "buffer"
        rules.coverage_point(
            f"cl_mem_flags:{name}", function, words, f"{function}/success", holds=used(name, parameter)
        )


@rules.completion
def _declare_alignment(rules: Rules, _tables: Tables) -> None:
    def misplaced(field: str) -> Holds:
        """Return a coverage condition: the address in ``field`` of the structure at host_ptr does not start a page."""
        return lambda asked: hasattr(getattr(asked.call.host_ptr, field, None), "offset")

    for number, field, words in (
        (1, "surface", "surfbusaddress in the structure at host_ptr is aligned to a page."),
        (2, "signal", "signalbusaddress in the structure at host_ptr is aligned to a page."),
    ):
        rules.coverage_point(f"{MAKE}/alignment/{number}", MAKE, words, POINTER, holds=misplaced(field))


@rules.completion
def _declare_signals(rules: Rules, _tables: Tables) -> None:
    def seen(asked: CompletedCall) -> bool:
        """Return whether a call succeeds and waits for a clEnqueueWaitSignalAMD command whose signal was written."""
        waits = [each for each in pending_awaited(asked.call, asked.model) if each.function == WAIT]
        return asked.code == SUCCESS and any(each.function == WRITE for one in waits for each in one.predecessors)

    words = (
        "value is written to the signal address of buffer, and a clEnqueueWaitSignalAMD command for value on the "
        "device that owns the memory completes."
    )
    rules.coverage_point("clEnqueueWriteSignalAMD/effect/1", WAIT_FOR, words, "clWaitForEvents/success", holds=seen)


@rules.completion
def _declare_untestable(rules: Rules, _tables: Tables) -> None:
    rules.untestable(
        "cl_amd_bus_addressable_memory:additions-to-section-5-2-1-creating-buffer-objects/1",
        "The initial contents of the buffer are undefined, unless flags contains CL_MEM_COPY_HOST_PTR.",
        "undefined contents can have any value, so nothing can violate it",
    )
    for function in (WAIT, WRITE):
        rules.untestable(
            f"{function}/CL_INVALID_VALUE/1",
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
