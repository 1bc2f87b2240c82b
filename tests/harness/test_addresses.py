"""ProcessMemory can read the memory of this process even if a driver closes or replaces the file descriptor for it."""

from __future__ import annotations

import contextlib
import ctypes
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from clconform.harness.addresses import ProcessMemory

if TYPE_CHECKING:
    from collections.abc import Callable


def _replace_by_zeros(descriptor: int) -> None:
    zeros = os.open("/dev/zero", os.O_RDONLY)
    os.dup2(zeros, descriptor)
    os.close(zeros)


@pytest.mark.parametrize("harm", [os.close, _replace_by_zeros], ids=["closed", "replaced"])
def test_process_memory_is_read_after_its_descriptor_is_closed_or_replaced(harm: Callable[[int], None]) -> None:
    content = ctypes.create_string_buffer(b"content")
    address = ctypes.addressof(content)
    before = _memory_descriptors()
    addresses = ProcessMemory()
    (ours,) = _memory_descriptors() - before
    harm(ours)
    assert addresses.read(address, 7) == b"content"
    assert addresses.read_text(address) == b"content"
    assert addresses.read_pointer(address) == int.from_bytes(b"content\0", "little")


def test_read_of_unmapped_address_returns_none() -> None:
    addresses = ProcessMemory()
    assert addresses.read(4096, 1) is None
    assert addresses.read_pointer(4096) is None
    assert addresses.read_text(4096) is None


def _memory_descriptors() -> set[int]:
    """Return the open file descriptors of ``/proc/.../mem``, through which this process reads its memory."""
    found = set()
    for descriptor in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            if descriptor.readlink().name == "mem":
                found.add(int(descriptor.name))
    return found
