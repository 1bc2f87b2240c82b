"""Fixtures: the layer, test programs, and recordings of them on PoCL."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from clconform.recording.layer_build import build_layer
from clconform.recording.program_launch import ProgramEnd, run_program
from clconform.spec_tables import load

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).parent
POCL = Path("/usr/lib/x86_64-linux-gnu/libpocl.so.2")
SOURCES = (HERE, HERE.parents[1] / "selftest" / "benchmarks")
HEADER = Path("/usr/include/CL/cl.h")


@pytest.fixture(scope="session")
def layer() -> Path:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler is here (apt-get install gcc)")
    return build_layer(load())


@pytest.fixture(scope="session")
def build_program(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Return a function that builds a program of this folder or of the benchmarks, once for each set of definitions."""
    if not (POCL.exists() and HEADER.exists() and shutil.which("cc")):
        pytest.skip("Debian's PoCL, the headers or a compiler is not here (pocl-opencl-icd, ocl-icd-opencl-dev, gcc)")
    folder = tmp_path_factory.mktemp("programs")

    def built(name: str, *defined: str) -> Path:
        program = folder / "-".join((name, *defined))
        if not program.exists():
            flags = [f"-D{each}" for each in defined]
            source = next(path for folder in SOURCES if (path := folder / f"{name}.c").exists())
            words = ["cc", "-g", "-w", *flags, str(source), "-o", str(program), "-lOpenCL", "-lpthread"]
            subprocess.run(words, check=True)
        return program

    return built


@pytest.fixture
def record_program(
    layer: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[Path, ProgramEnd]]:
    """Return a function that runs a program on PoCL, and returns the recording and the end of the program."""
    return create_recorder(layer, tmp_path, monkeypatch)


def create_recorder(
    layer: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[Path, ProgramEnd]]:
    """Return a function that runs a program on PoCL as ``record_program`` does, with the recordings in a folder."""
    for name in [name for name in os.environ if name.startswith(("OCL_ICD", "OPENCL_LAYER"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("OCL_ICD_VENDORS", str(POCL))

    def recorded(*words: object) -> tuple[Path, ProgramEnd]:
        path = folder / f"{len(list(folder.iterdir()))}.clrec"
        return path, run_program([str(word) for word in words], layer, path)

    return recorded
