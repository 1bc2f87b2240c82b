"""Command-buffers finalized (section 5.17): invalid variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.suites.errors.variations import Variation, Variations

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

variations = Variations()


@variations.of("clFinalizeCommandBufferKHR/CL_INVALID_OPERATION/1")
def finalized_before() -> Iterator[Variation]:
    """Yield a command-buffer that is finalized already."""
    yield Variation("a command-buffer that is finalized", _finalized)


def _finalized(kit: Kit, given: Arguments) -> dict[str, Value]:
    kit.cl.clFinalizeCommandBufferKHR(given["command_buffer"])
    return {"command_buffer": given["command_buffer"]}
