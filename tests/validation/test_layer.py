"""The interface of the layer to loaders, for two kinds of loaders."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from clconform.recording.layer_build import LayerError, build_layer
from clconform.spec_tables import load

if TYPE_CHECKING:
    from pathlib import Path

VERSION, NAME = 0x4240, 0x4241
INVALID_VALUE = -30
LOADER_PROGRAM = """
import ctypes, sys
layer = ctypes.CDLL(sys.argv[1])
entries = int(sys.argv[2])
target = (ctypes.c_void_p * entries)(*range(0x1000, 0x1000 + entries))
table, count = ctypes.POINTER(ctypes.c_void_p)(), ctypes.c_uint32(7)
init = getattr(layer, sys.argv[3])
more = [None] if sys.argv[3].endswith("Properties") else []
assert init(entries, target, ctypes.byref(count), ctypes.byref(table), *more) == 0
assert count.value == entries
ours = [table[each] for each in range(entries)]
print(sum(one != theirs for one, theirs in zip(ours, target)))
assert all(ours)
"""


def test_layer_reports_version_and_name(layer: Path) -> None:
    library = ctypes.CDLL(str(layer))
    version, size = ctypes.c_uint32(), ctypes.c_size_t()
    assert library.clGetLayerInfo(VERSION, ctypes.sizeof(version), ctypes.byref(version), ctypes.byref(size)) == 0
    assert (version.value, size.value) == (100, 4)
    assert library.clGetLayerInfo(NAME, 0, None, ctypes.byref(size)) == 0
    name = ctypes.create_string_buffer(size.value)
    assert library.clGetLayerInfo(NAME, size, name, None) == 0
    assert name.value == b"clconform recording"
    assert library.clGetLayerInfo(NAME, 1, name, None) == INVALID_VALUE
    assert library.clGetLayerInfo(0x1234, 0, None, ctypes.byref(size)) == INVALID_VALUE


@pytest.mark.parametrize("entries", [20, 149, 400])
@pytest.mark.parametrize("init", ["clInitLayer", "clInitLayerWithProperties"])
def test_layer_fills_dispatch_entries_up_to_the_size_of_the_loader(layer: Path, entries: int, init: str) -> None:
    words = [sys.executable, "-c", LOADER_PROGRAM, str(layer), str(entries), init]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    known = len(load().dispatch)
    assert int(ended.stdout) == pytest.approx(min(entries, known), abs=12)  # some functions are missing in the tables


def test_layer_exports_four_functions(layer: Path) -> None:
    words = [shutil.which("nm") or "nm", "-D", "--defined-only", str(layer)]
    listed = subprocess.run(words, capture_output=True, text=True, check=True)
    names = {line.split()[-1] for line in listed.stdout.splitlines()}
    assert names == {"clGetLayerInfo", "clInitLayer", "clInitLayerWithProperties", "clDeinitLayer"}


def test_layer_build_without_compiler_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(LayerError, match=r"no-such-compiler.*; install a C compiler"):
        build_layer(load(), tmp_path)


def test_layer_build_with_failing_compiler_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "/bin/false")
    with pytest.raises(LayerError, match="/bin/false cannot build the layer"):
        build_layer(load(), tmp_path)
