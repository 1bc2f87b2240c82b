"""The layer records a program that loads a loader late, with host threads, all platforms and a child process."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from clconform.recording.file_format import RecordingFile
from clconform.recording.layer_build import build_shim
from clconform.recording.program_launch import RecordingOptions, ShimUse, run_program
from clconform.spec_tables import load
from clconform.validation.recording_judge import OVERLAP, validate_recording

from .conftest import HEADER, HERE, POCL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.validation.findings import Validation

DEBIAN = Path("/usr/lib/x86_64-linux-gnu/libOpenCL.so.1")
OCLGRIND = Path("/usr/lib/oclgrind/liboclgrind-rt-icd.so")
KHRONOS = "CLCONFORM_KHRONOS_LOADER"
"""The variable with the path of Khronos' loader if it is not in this environment's folder (intel-opencl-rt)."""


def _find_loaders() -> Iterator[tuple[str, Path | None]]:
    """Yield the names and paths of the loaders; None for a loader that is not installed."""
    yield "debian", DEBIAN if DEBIAN.exists() else None
    found = importlib.util.find_spec("pyopencl")
    there = Path(found.origin).parent / ".libs" if found is not None and found.origin else Path()
    yield "pyopencl", next(iter(sorted(there.glob("libOpenCL*.so*"))), None)
    named = Path(os.environ.get(KHRONOS) or f"{sys.prefix}/lib/libOpenCL.so.1")
    yield "khronos", named if named.exists() else None


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the path of a program that is not linked with a loader."""
    if not (POCL.exists() and HEADER.exists() and shutil.which("cc")):
        pytest.skip("Debian's PoCL, the headers or a compiler is not here (pocl-opencl-icd, ocl-icd-opencl-dev, gcc)")
    made = tmp_path_factory.mktemp("late") / "late"
    words = [shutil.which("cc") or "cc", "-g", "-w", str(HERE / "late.c"), "-o", str(made), "-ldl", "-lpthread"]
    subprocess.run(words, check=True)
    return made


@pytest.mark.parametrize("loader", [pytest.param(path, id=name) for name, path in _find_loaders()])
def test_calls_through_a_late_loaded_loader_are_recorded(
    loader: Path | None, program: Path, layer: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if loader is None:
        pytest.skip(f"this loader is not here (pip install pyopencl, or intel-opencl-rt; {KHRONOS} names Khronos')")
    drivers = [each for each in (POCL, OCLGRIND) if each.exists()]
    vendors = tmp_path / "vendors"
    vendors.mkdir()
    for number, driver in enumerate(drivers):
        (vendors / f"{number}.icd").write_text(f"{driver}\n", encoding="ascii")
    monkeypatch.setenv("OCL_ICD_VENDORS", str(vendors))
    monkeypatch.setenv(
        "PYOPENCL_HOME", str(loader.parent.parent)
    )  # the loader in the package of pyopencl also searches for drivers there
    monkeypatch.setenv("LD_LIBRARY_PATH", str(loader.parent) if loader.name == "libOpenCL.so.1" else "")
    path = tmp_path / "calls.clrec"
    assert str(run_program([str(program), str(loader)], layer, path)) == "exit code 0"
    found = _judge_recording(path)
    assert len(found.platforms) == len(drivers)
    assert found.calls > len(drivers) * 160
    assert found.judged > found.calls / 2
    (of_the_child,) = tmp_path.glob("calls.clrec.*")
    found = _judge_recording(of_the_child)
    assert (found.calls, found.judged, len(found.platforms)) == (1, 1, len(drivers))


def test_calls_through_a_late_loaded_shim_are_recorded(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OCL_ICD_VENDORS", str(POCL))
    path = tmp_path / "calls.clrec"
    options = RecordingOptions(shim=ShimUse())
    assert str(run_program([str(program), "libOpenCL.so"], build_shim(load()), path, options)) == "exit code 0"
    assert _judge_recording(path).calls > 160
    (of_the_child,) = tmp_path.glob("calls.clrec.*")
    assert (_judge_recording(of_the_child).calls, len(_judge_recording(of_the_child).platforms)) == (1, 1)


def _judge_recording(path: Path) -> Validation:
    found = validate_recording(RecordingFile(path, load()), load(), "")
    assert (found.findings, found.damage) == ([], "")
    assert set(found.not_judged) <= {OVERLAP}
    return found
