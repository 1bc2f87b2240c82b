"""The session reads the memory of the driver's process, whatever the driver does to its file descriptors."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from clconform.calls.values import Data
from clconform.harness.machine_memory import ProcessMemory

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from clconform.calls.call import Call

    from .scripted_driver import ScriptedDriver


def put_bytes(scripted: ScriptedDriver, create_call: Callable[..., Call], content: bytes) -> int:
    """Return the address of bytes in the process; they stay there, like all memory of an enqueued command."""
    scripted.call(create_call("clEnqueueWriteBuffer", None, None, 0, 0, 0, Data(content), 0, None, None))
    return scripted.functions.words[5]


@pytest.fixture
def memory(scripted: ScriptedDriver) -> ProcessMemory:
    return ProcessMemory(scripted.connection)


def test_memory_of_the_process_is_read(
    scripted: ScriptedDriver, memory: ProcessMemory, create_call: Callable[..., Call]
) -> None:
    address = put_bytes(scripted, create_call, b"content\0")
    assert memory.read(address, 7) == b"content"
    assert memory.read(address, 0) == b""
    assert memory.read_text(address) == b"content"
    assert memory.read_pointer(address) == int.from_bytes(b"content\0", "little")
    assert memory.read_pointers(address - 8, 2)[1] == memory.read_pointer(address)
    assert memory.read_pointers(8, 2) == [None, None]


def test_process_has_no_descriptor_that_a_driver_could_use(scripted: ScriptedDriver) -> None:
    """So a driver that closes or replaces descriptors does not disturb reads or messages."""
    folder = f"/proc/{scripted.process.pid}/fd"
    found = {int(name): os.readlink(f"{folder}/{name}") for name in os.listdir(folder)}  # noqa: PTH115, PTH208
    assert found.keys() == {0, 1, 2}
    assert found[0] == "/dev/null"
    assert found[1] == found[2]


@pytest.mark.parametrize("address", [0, 1, 4096, (1 << 63) - 1, 1 << 63, (1 << 64) - 8, (1 << 64) - 1, 1 << 64, -8])
def test_read_of_unmapped_address_returns_none(memory: ProcessMemory, address: int) -> None:
    assert memory.read(address, 1) is None
    assert memory.read_pointer(address) is None
    assert memory.read_text(address) is None
    assert not memory.is_code(address)
    assert memory.library_at(address) == ""


def test_read_beyond_a_mapping_returns_none(scripted: ScriptedDriver, memory: ProcessMemory) -> None:
    mappings = sorted(scripted.connection.mappings())
    starts = {start for start, *_ in mappings}
    end = next(end for _, end, _, path in mappings if end not in starts and path == b"[stack]")
    assert memory.read(end - 4, 4) is not None
    assert memory.read(end - 4, 5) is None
    assert memory.read_pointer(end - 4) is None


@pytest.mark.parametrize(("length", "is_read"), [(5000, True), (65_535, True), (65_536, False)])
def test_text_of_limited_length_is_read(
    scripted: ScriptedDriver,
    memory: ProcessMemory,
    create_call: Callable[..., Call],
    length: int,
    *,
    is_read: bool,
) -> None:
    text = b"x" * length
    address = put_bytes(scripted, create_call, text + b"\0")
    assert memory.read_text(address) == (text if is_read else None)


def test_functions_are_code_and_belong_to_their_library(
    scripted: ScriptedDriver, memory: ProcessMemory, scripted_library: Path
) -> None:
    address = scripted.functions.address_of("ip")
    assert memory.is_code(address)
    assert memory.library_at(address) == str(scripted_library.resolve())
    assert memory.is_mapped(str(scripted_library))
    assert not memory.is_mapped("/nowhere/libOpenCL.so.1")


def test_library_that_is_loaded_later_is_found(
    scripted: ScriptedDriver, memory: ProcessMemory, fake_driver: str
) -> None:
    """The list of mappings is read again for an address that it does not contain."""
    assert memory.is_code(scripted.functions.address_of("ip"))
    assert not memory.is_mapped(fake_driver)
    library = scripted.connection.load_library(fake_driver)
    address = scripted.connection.find_symbol(library, "clGetExtensionFunctionAddress")
    assert memory.is_code(address)
    assert memory.library_at(address) == os.path.realpath(fake_driver)
