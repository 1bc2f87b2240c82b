"""The process's own memory stays readable even if a driver closes or reuses file descriptors."""

from __future__ import annotations

import contextlib
import ctypes
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from clconform.harness.addresses import Addresses

if TYPE_CHECKING:
    from collections.abc import Callable


def _put_zeros_over(descriptor: int) -> None:
    zeros = os.open("/dev/zero", os.O_RDONLY)
    os.dup2(zeros, descriptor)
    os.close(zeros)


@pytest.mark.parametrize("harm", [os.close, _put_zeros_over], ids=["closed", "replaced"])
def test_a_descriptor_that_is_no_longer_ours_is_opened_again(harm: Callable[[int], None]) -> None:
    content = ctypes.create_string_buffer(b"content")
    address = ctypes.addressof(content)
    before = _of_memory()
    addresses = Addresses()
    (ours,) = _of_memory() - before
    harm(ours)
    assert addresses.read(address, 7) == b"content"
    assert addresses.text(address) == b"content"
    assert addresses.pointer(address) == int.from_bytes(b"content\0", "little")


def test_memory_that_cannot_be_read_is_none() -> None:
    addresses = Addresses()
    assert addresses.read(4096, 1) is None
    assert addresses.pointer(4096) is None
    assert addresses.text(4096) is None


def _of_memory() -> set[int]:
    """Return the descriptors by which this process reads its memory."""
    found = set()
    for descriptor in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            if descriptor.readlink().name == "mem":
                found.add(int(descriptor.name))
    return found
