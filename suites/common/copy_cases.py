"""Enqueued and recorded copies of objects with access flags, which restrict only kernels and the host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.suites.errors.negative_cases import Variation, VariationRegistry, bind_values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

OBJECTS = {
    "CopyBuffer": ("src_buffer", "dst_buffer"),
    "CopyBufferRect": ("src_buffer", "dst_buffer"),
    "CopyImage": ("src_image", "dst_image"),
    "CopyImageToBuffer": ("src_image", "dst_buffer"),
    "CopyBufferToImage": ("src_buffer", "dst_image"),
}
FLAGS = {"src": "CL_MEM_WRITE_ONLY", "dst": "CL_MEM_READ_ONLY"}
"""The kernel access flag of the source and of the destination; a kernel with these flags could not perform the copy."""
HOST_NO_ACCESS = "CL_MEM_HOST_NO_ACCESS"
variations = VariationRegistry()


@variations.declare(*(f"{name}/success" for each in OBJECTS for name in (f"clEnqueue{each}", f"clCommand{each}KHR")))
def objects_without_access() -> Iterator[Variation]:
    """Yield copies from a write-only source and to a read-only destination, both without host access."""
    for side, flag in FLAGS.items():
        yield Variation(f"{side} with {flag} and {HOST_NO_ACCESS}", bind_values(_with_flags, side, flag))


def _with_flags(kit: Kit, given: Arguments, side: str, flag: str) -> dict[str, Value]:
    if f"{side}_buffer" in given:
        return {f"{side}_buffer": kit.buffer(flag, HOST_NO_ACCESS)}
    return {f"{side}_image": kit.image(flags=(flag, HOST_NO_ACCESS))}
