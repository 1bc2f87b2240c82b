"""Recordings of machines whose pointers have 4 bytes."""

from __future__ import annotations

import shutil
import struct
import subprocess
from typing import TYPE_CHECKING

import pytest

from clconform.calls.values import ElementList, Handle, HandleBytes
from clconform.recording.conversion import Conversion
from clconform.recording.file_format import CallEntry, CallReturn, RecordedArgument
from clconform.recording.layer_build import FLAGS
from clconform.recording.layer_source import generate_layer
from clconform.spec_tables import load

if TYPE_CHECKING:
    from pathlib import Path

COMPILER = "arm-linux-gnueabihf-gcc"


@pytest.fixture
def conversion() -> Conversion:
    return Conversion(load(), 4)


def enter(function: str, **arguments: int | bytes | tuple[int, bytes]) -> CallEntry:
    """Return a call: an argument is its bits, or the bits with the content at an address."""
    parameters = [each.name for each in load().functions[function].parameters]
    given = dict.fromkeys(parameters, RecordedArgument(0))
    for name, value in arguments.items():
        given[name] = RecordedArgument(*value) if isinstance(value, tuple) else RecordedArgument(int(value))
    return CallEntry(1, 1, 0, function, 0, False, given)


def test_sizes_have_the_width_of_the_machine(conversion: Conversion) -> None:
    sizes = struct.pack("<2I", 16, 0xFFFFFFFF)
    entered = enter("clEnqueueNDRangeKernel", work_dim=2, global_work_size=(1, sizes))
    assert conversion.convert_call(entered).call.arguments["global_work_size"] == ElementList((16, 0xFFFFFFFF))


def test_handle_in_an_argument_has_the_width_of_the_machine(conversion: Conversion) -> None:
    entered = enter("clCreateBuffer", size=64)
    called = conversion.convert_call(entered).call
    conversion.convert_outcome(entered, CallReturn(2, 1, 1, 0xF0001000, {}), called, [])
    argument = (0x1000, struct.pack("<I", 0xF0001000))
    converted = conversion.convert_call(enter("clSetKernelArg", arg_size=4, arg_value=argument)).call
    assert converted.arguments["arg_value"] == HandleBytes(Handle("mem1"))


def test_layer_compiles_without_warnings(tmp_path: Path) -> None:
    if shutil.which(COMPILER) is None:
        pytest.skip(f"{COMPILER} is not installed (Debian: gcc-arm-linux-gnueabihf)")
    source = tmp_path / "layer.c"
    source.write_text(generate_layer(load(), "", 4), encoding="ascii")
    words = [COMPILER, *FLAGS, "-O0", "-Wall", "-Wextra", "-Werror", "-o", tmp_path / "layer.so", source]
    compiled = subprocess.run(words, capture_output=True, text=True, check=False)
    assert compiled.returncode == 0, compiled.stderr
