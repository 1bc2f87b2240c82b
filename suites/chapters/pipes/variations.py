"""Creation of pipes (section 5.4.1): invalid and valid flags and sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Items
from clconform.suites.errors.variations import Variation, Variations, bound
from clconform.suites.steps import needs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.calls.values import Value
    from clconform.suites.errors.variations import Difference
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

variations = Variations()
MOST_BYTES = "CL_DEVICE_PIPE_MAX_PACKET_SIZE"
READ_WRITE, NO_ACCESS = "CL_MEM_READ_WRITE", "CL_MEM_HOST_NO_ACCESS"
OTHERS = (
    "CL_MEM_WRITE_ONLY",
    "CL_MEM_READ_ONLY",
    "CL_MEM_USE_HOST_PTR",
    "CL_MEM_ALLOC_HOST_PTR",
    "CL_MEM_COPY_HOST_PTR",
    "CL_MEM_HOST_WRITE_ONLY",
    "CL_MEM_HOST_READ_ONLY",
    "CL_MEM_KERNEL_READ_AND_WRITE",
)
"""Flags of memory objects that pipes do not accept."""
NOBODYS = 1 << 62
"""A bit that is not a flag."""
LARGEST = (1 << 32) - 1


def _flags(*names: str, more: int = 0) -> Difference:
    return lambda kit, _given: {"flags": (kit.value(*names) if names else 0) | more}


@variations.of("clCreatePipe/CL_INVALID_VALUE/1")
def flags_of_other_objects() -> Iterator[Variation]:
    """Yield each flag of buffers and images, alone and with a pipe flag, and an unknown bit."""
    for name in OTHERS:
        yield Variation(name, _flags(name))
        yield Variation(f"{name} | {READ_WRITE}", _flags(name, READ_WRITE))
    yield Variation(f"{OTHERS[0]} | {OTHERS[1]}", _flags(*OTHERS[:2]))
    yield Variation(f"a bit of no flag | {READ_WRITE}", _flags(READ_WRITE, more=NOBODYS))
    yield Variation("a bit of no flag", _flags(more=NOBODYS))


@variations.of("clCreatePipe/CL_INVALID_VALUE/2")
def lists_of_properties() -> Iterator[Variation]:
    """Yield an empty property list, and a list with an unknown name."""
    yield Variation("an empty property list", {"properties": Items((0,))})
    yield Variation("a property", {"properties": Items((0x7777, 1, 0))})


@variations.of("clCreatePipe/CL_INVALID_PIPE_SIZE/1")
def sizes_of_no_pipe() -> Iterator[Variation]:
    """Yield empty packets, zero packets, and packets larger than the device's maximum."""
    yield Variation("pipe_packet_size=0", {"pipe_packet_size": 0})
    yield Variation("pipe_max_packets=0", {"pipe_max_packets": 0})
    yield Variation("pipe_packet_size=0, pipe_max_packets=0", {"pipe_packet_size": 0, "pipe_max_packets": 0})
    yield Variation("pipe_packet_size={largest+1}", bound(_packet, 1))
    yield Variation("pipe_packet_size=0xffffffff", {"pipe_packet_size": LARGEST})
    yield Variation("pipe_packet_size=0xffffffff, pipe_max_packets=1", {**_sizes(LARGEST, 1)})


def _sizes(packet: int, packets: int) -> Mapping[str, Value]:
    return {"pipe_packet_size": packet, "pipe_max_packets": packets}


def _packet(kit: Kit, _given: Arguments, more: int) -> Mapping[str, Value]:
    """Return a packet size of the device's maximum plus ``more`` bytes."""
    most = kit.cl.fact(MOST_BYTES)
    needs(most, "the device supports no packets, or does not tell their largest size")
    return _sizes(min((most or 0) + more, LARGEST), 1)


@variations.of("clCreatePipe/success")
def valid_pipes() -> Iterator[Variation]:
    """Yield each combination of the valid flags, and the smallest and largest packets."""
    yield Variation("flags=0", {"flags": 0})
    yield Variation(READ_WRITE, _flags(READ_WRITE))
    yield Variation(NO_ACCESS, _flags(NO_ACCESS))
    yield Variation("one packet of one byte", {**_sizes(1, 1)})
    yield Variation("packets of a size that is no power of two", {**_sizes(12, 3)})
    yield Variation("pipe_packet_size={largest}", bound(_packet, 0))
    yield Variation("in a context of two devices", _of_two)


def _of_two(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    return {"context": kit.new_context(kit.cl.device, kit.another_device)}
