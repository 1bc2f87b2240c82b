"""Creation of pipes (section 5.4.1): invalid and valid flags and sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList
from clconform.suites.errors.negative_cases import Variation, VariationRegistry, bind_values
from clconform.suites.helpers import skip_unless

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.calls.values import Value
    from clconform.suites.errors.negative_cases import Difference
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

variations = VariationRegistry()
MAX_PACKET_SIZE = "CL_DEVICE_PIPE_MAX_PACKET_SIZE"
READ_WRITE, NO_ACCESS = "CL_MEM_READ_WRITE", "CL_MEM_HOST_NO_ACCESS"
INVALID_FLAGS = (
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
UNKNOWN_FLAG = 1 << 62
"""A bit that is not a flag."""
LARGEST = (1 << 32) - 1


def _with_flags(*names: str, more: int = 0) -> Difference:
    return lambda kit, _given: {"flags": (kit.constant(*names) if names else 0) | more}


@variations.declare("clCreatePipe/CL_INVALID_VALUE/1")
def flags_of_other_objects() -> Iterator[Variation]:
    """Yield each flag of buffers and images, alone and with a pipe flag, and an unknown bit."""
    for name in INVALID_FLAGS:
        yield Variation(name, _with_flags(name))
        yield Variation(f"{name} | {READ_WRITE}", _with_flags(name, READ_WRITE))
    yield Variation(f"{INVALID_FLAGS[0]} | {INVALID_FLAGS[1]}", _with_flags(*INVALID_FLAGS[:2]))
    yield Variation(f"a bit of no flag | {READ_WRITE}", _with_flags(READ_WRITE, more=UNKNOWN_FLAG))
    yield Variation("a bit of no flag", _with_flags(more=UNKNOWN_FLAG))


@variations.declare("clCreatePipe/CL_INVALID_VALUE/2")
def invalid_property_lists() -> Iterator[Variation]:
    """Yield an empty property list, and a list with an unknown name."""
    yield Variation("an empty property list", {"properties": ElementList((0,))})
    yield Variation("a property", {"properties": ElementList((0x7777, 1, 0))})


@variations.declare("clCreatePipe/CL_INVALID_PIPE_SIZE/1")
def invalid_sizes() -> Iterator[Variation]:
    """Yield packets of 0 bytes, pipes of 0 packets, and packets larger than the device's maximum."""
    yield Variation("pipe_packet_size=0", {"pipe_packet_size": 0})
    yield Variation("pipe_max_packets=0", {"pipe_max_packets": 0})
    yield Variation("pipe_packet_size=0, pipe_max_packets=0", {"pipe_packet_size": 0, "pipe_max_packets": 0})
    yield Variation("pipe_packet_size={largest+1}", bind_values(_with_packet_size, 1))
    yield Variation("pipe_packet_size=0xffffffff", {"pipe_packet_size": LARGEST})
    yield Variation("pipe_packet_size=0xffffffff, pipe_max_packets=1", {**_with_sizes(LARGEST, 1)})


def _with_sizes(packet: int, packets: int) -> Mapping[str, Value]:
    return {"pipe_packet_size": packet, "pipe_max_packets": packets}


def _with_packet_size(kit: Kit, _given: Arguments, more: int) -> Mapping[str, Value]:
    """Return a packet size that is the device's maximum plus ``more`` bytes."""
    most = kit.cl.fact(MAX_PACKET_SIZE)
    skip_unless(most, "the device supports no packets, or does not tell their largest size")
    return _with_sizes(min((most or 0) + more, LARGEST), 1)


@variations.declare("clCreatePipe/success")
def valid_pipes() -> Iterator[Variation]:
    """Yield each valid combination of flags, and the smallest and the largest packet size."""
    yield Variation("flags=0", {"flags": 0})
    yield Variation(READ_WRITE, _with_flags(READ_WRITE))
    yield Variation(NO_ACCESS, _with_flags(NO_ACCESS))
    yield Variation("one packet of one byte", {**_with_sizes(1, 1)})
    yield Variation("packets of a size that is no power of two", {**_with_sizes(12, 3)})
    yield Variation("pipe_packet_size={largest}", bind_values(_with_packet_size, 0))
    yield Variation("in a context of two devices", _in_context_of_two_devices)


def _in_context_of_two_devices(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    return {"context": kit.new_context(kit.cl.device, kit.other_available_device)}
