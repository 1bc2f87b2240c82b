"""Helper that changes the words that a test kernel has stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Returned
from clconform.oracles.contents.storage import MemoryPlace
from clconform.oracles.model.argument_kernels import WORD_BYTES
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.memory_objects import Buffer

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Call, Outcome
    from clconform.simulator.platform import Simulation


def change_stored_words(
    simulation: Simulation,
    call: Call,
    outcome: Outcome,
    name: str,
    change: Callable[[Kernel, list[int]], list[int]],
) -> Outcome:
    """Change the words that a kernel of this name has stored in its first argument; return the outcome unchanged."""
    done = call.function == "clEnqueueNDRangeKernel" and isinstance(outcome, Returned) and outcome.value == 0
    kernel = simulation.model.find(call.kernel) if done else None
    argument = kernel.arguments.get(0) if isinstance(kernel, Kernel) and kernel.function_name == name else None
    buffer = argument.object if argument is not None else None
    if not isinstance(buffer, Buffer) or buffer.memory is None or not isinstance(kernel, Kernel):
        return outcome
    size = buffer.memory.size // WORD_BYTES * WORD_BYTES
    place = MemoryPlace(buffer.memory.storage, buffer.memory.spans(0, size), buffer)
    content = place.read()
    words = [int.from_bytes(content.bytes_held[at : at + WORD_BYTES], "little") for at in range(0, size, WORD_BYTES)]
    changed = b"".join(word.to_bytes(WORD_BYTES, "little") for word in change(kernel, words))
    place.write(content._replace(bytes_held=changed))
    return outcome
