"""Declaration of faults that change the words that a test kernel has stored."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.oracles.contents.storage import MemoryPlace
from clconform.oracles.model.argument_kernels import WORD_BYTES
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.memory_objects import Buffer

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.selftest.faults.registry import Faults, SimulatedStep

    Change = Callable[[Kernel, list[int]], list[int]]


def plant_in_words(faults: Faults, name: str) -> Callable[[Change], Change]:
    """Return a decorator that declares a fault of a kernel: other words are stored in the first argument.

    The function returns them, from the kernel and the words that it has stored.
    """

    def declare(change: Change) -> Change:
        @faults.plant("clEnqueueNDRangeKernel", succeeded=True)
        @functools.wraps(change)
        def fault(step: SimulatedStep) -> None:
            kernel = step.find("kernel", Kernel)
            argument = kernel.arguments.get(0) if kernel is not None and kernel.function_name == name else None
            buffer = argument.object if argument is not None else None
            if kernel is None or not isinstance(buffer, Buffer) or buffer.memory is None:
                return
            size = buffer.memory.size // WORD_BYTES * WORD_BYTES
            place = MemoryPlace(buffer.memory.storage, buffer.memory.spans(0, size), buffer)
            content = place.read()
            held = content.bytes_held
            words = [int.from_bytes(held[at : at + WORD_BYTES], "little") for at in range(0, size, WORD_BYTES)]
            changed = b"".join(word.to_bytes(WORD_BYTES, "little") for word in change(kernel, words))
            place.write(content._replace(bytes_held=changed))

        return change

    return declare
