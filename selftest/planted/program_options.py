"""Faults of build options to plant in a simulated platform: macros that are not defined, or not as they were given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call, Outcome, Returned
from clconform.oracles.contents.storage import Place
from clconform.oracles.model.argument_kernels import WORD_BYTES
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.option_kernels import LAST, TELL_OPTIONS, WORDS
from clconform.selftest.planted.registry import Faults

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.simulator.platform import Simulation

faults = Faults()
LAUNCH = "clEnqueueNDRangeKernel"


@faults.plant
def macros_without_a_value_are_empty(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A macro that is defined without a value is defined to nothing."""
    return _rewritten(simulation, call, outcome, lambda words: [0 if word == TWICE_ONE else word for word in words])


@faults.plant
def definitions_are_evaluated(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A macro that is defined to a sum has its value, as if there were brackets around it."""
    return _rewritten(simulation, call, outcome, lambda words: [BOTH if word == A_SUM else word for word in words])


@faults.plant
def the_macro_of_relaxed_arithmetic_is_missing(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The macro for -cl-fast-relaxed-math is never defined."""
    return _rewritten(simulation, call, outcome, lambda words: [*words[:LAST], 0])


TWICE_ONE, A_SUM, BOTH = 2, 7, 10
"""What the kernel stores for a macro of 1, and for one of 2+3, with and without brackets."""


def _rewritten(
    simulation: Simulation, call: Call, outcome: Outcome, change: Callable[[list[int]], list[int]]
) -> Outcome:
    """Change the words that the kernel has just stored."""
    done = call.function == LAUNCH and isinstance(outcome, Returned) and outcome.value == 0
    kernel = simulation.model.known(call.kernel) if done else None
    argument = kernel.arguments.get(0) if isinstance(kernel, Kernel) and kernel.title == TELL_OPTIONS.name else None
    buffer = argument.object if argument is not None else None
    if not isinstance(buffer, Buffer) or buffer.memory is None:
        return outcome
    place = Place(buffer.memory.storage, buffer.memory.spans(0, WORD_BYTES * WORDS), buffer)
    content = place.read()
    starts = range(0, WORD_BYTES * WORDS, WORD_BYTES)
    words = [int.from_bytes(content.held[at : at + WORD_BYTES], "little") for at in starts]
    place.write(content._replace(held=b"".join(word.to_bytes(WORD_BYTES, "little") for word in change(words))))
    return outcome
