"""Coverage points of flags, addresses and signals of bus-addressable memory, and untestable requirements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.bus.clauses import RESIDENT, is_viewed
from clconform.oracles.contents.bus import WAIT, WRITE
from clconform.oracles.contents.waiting import awaited
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.recurring.flags import ADDRESSABLE, EXTERNAL
from clconform.oracles.recurring.order import asked_about
from clconform.oracles.recurring.reads import told

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.oracles.model.commands import Command
    from clconform.spec_tables import Tables

    Holds = Callable[[AnsweredCall], bool]

rules = Rules()

MAKE, WAIT_FOR = "clCreateBuffer", "clWaitForEvents"
POINTER = f"{MAKE}/CL_INVALID_HOST_PTR/3"
CREATING = "cl_amd_bus_addressable_memory:additions-to-section-5-2-1-creating-buffer-objects"
USES = {
    ADDRESSABLE: (
        "A buffer created with this flag can be made resident, so that other devices can write to it.",
        RESIDENT,
    ),
    EXTERNAL: (
        "A buffer created with this flag represents memory of another device, whose signal can be written.",
        WRITE,
    ),
}


@rules.completion
def _flags(rules: Rules, _tables: Tables) -> None:
    def used(name: str, parameter: str) -> Holds:
        def holds(asked: AnsweredCall) -> bool:
            given = asked.call.arguments[parameter]
            memory = [asked.model.get(Buffer, each) for each in getattr(given, "values", (given,))]
            return asked.code == SUCCESS and all(each.flags & asked.model.value(name) for each in memory)

        return holds

    for name, (words, function) in USES.items():
        parameter = "mem_objects" if function == RESIDENT else "buffer"
        rules.trigger(f"cl_mem_flags:{name}", function, words, f"{function}/success", holds=used(name, parameter))


@rules.completion
def _pages(rules: Rules, _tables: Tables) -> None:
    def misplaced(field: str) -> Holds:
        """Return the test that one of the two addresses is inside a page."""
        return lambda asked: hasattr(getattr(asked.call.host_ptr, field, None), "offset")

    for number, field, words in (
        (1, "surface", "surfbusaddress is aligned to a page."),
        (2, "signal", "signalbusaddress is aligned to a page."),
    ):
        rules.trigger(f"{MAKE}/alignment/{number}", MAKE, words, POINTER, holds=misplaced(field))


@rules.completion
def _signals(rules: Rules, _tables: Tables) -> None:
    def seen(asked: AnsweredCall) -> bool:
        """Return whether the call waits for a signal that another device has written."""
        waits = [each for each in awaited(asked.call, asked.model) if each.function == WAIT]
        return asked.code == SUCCESS and any(each.function == WRITE for one in waits for each in one.before)

    words = "The value is written to the signal address of buffer, and a wait for it on the other device ends."
    rules.trigger(f"{WRITE}/effect/1", WAIT_FOR, words, f"{WAIT_FOR}/success", holds=seen)


@rules.completion
def _out_of_reach(rules: Rules, _tables: Tables) -> None:
    rules.untestable(
        f"{CREATING}/1",
        "The initial contents of the buffer are undefined, unless CL_MEM_COPY_HOST_PTR is given.",
        "undefined contents can have any value, so nothing can violate it",
    )
    for function in (WAIT, WRITE):
        rules.untestable(
            f"{function}/CL_INVALID_VALUE/1",
            "The signal address of buffer is not valid.",
            "a buffer gets its addresses when it is made resident, where 0 is already a deviation, and "
            "must not be used before",
        )


STATUS, QUERY = "CL_EVENT_COMMAND_EXECUTION_STATUS", "clGetEventInfo"
READ = "clEnqueueReadBuffer"


def _copied_on_the_bus(asked: AnsweredCall) -> bool:
    """Return whether a read returns the initial bytes of a buffer on the bus."""
    buffer, value = asked.model.get(Buffer, asked.call.buffer), asked.model.value
    both = all(buffer.flags & value(name) for name in ("CL_MEM_BUS_ADDRESSABLE_AMD", "CL_MEM_COPY_HOST_PTR"))
    return both and "" in told(asked)


def _is_held_up(command: Command) -> bool:
    """Return whether a command follows a wait for a signal that is certainly not written yet."""
    return bool(command.owing) and all(each.settled for each in command.owing)


rules.trigger(
    f"{CREATING}/2",
    READ,
    "Checked on reads of a new buffer created with CL_MEM_BUS_ADDRESSABLE_AMD and CL_MEM_COPY_HOST_PTR.",
    f"{READ}/success",
    holds=_copied_on_the_bus,
)
rules.trigger(
    f"{CREATING}/3",
    MAKE,
    "",
    f"{MAKE}/CL_MEM_OBJECT_ALLOCATION_FAILURE/2",
    holds=lambda asked: is_viewed(asked.call, asked.model),
)
rules.trigger(
    f"{WAIT}/effect/1",
    QUERY,
    "Checked on queries of the status of a command after a wait for a signal that is not written.",
    STATUS,
    holds=asked_about(lambda command: command.function != WAIT and _is_held_up(command)),
)
