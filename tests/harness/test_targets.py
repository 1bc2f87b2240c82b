"""Targets: the command line and environment of the worker, and errors about missing or invalid libraries."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from clconform.harness import HarnessError, Target, Worker, cache_dirs, libraries
from clconform.harness.targets import WRAPPER
from clconform.harness.worker_build import find_worker


@pytest.fixture
def library(tmp_path: Path) -> str:
    path = tmp_path / "libsome.so"
    path.write_bytes(b"")
    return str(path)


def test_worker_command_selects_driver_by_its_library(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", "/elsewhere")
    monkeypatch.setenv("OCL_ICD_PLATFORM_SORT", "none")
    monkeypatch.setenv("PYTHONFAULTHANDLER", "1")
    target = Target.driver(library, loader=library)
    start = target.worker_command()
    assert start.argv == [str(find_worker())]
    assert start.environment["OCL_ICD_VENDORS"] == start.environment["OCL_ICD_FILENAMES"] == library
    assert start.environment["LD_LIBRARY_PATH"] == f"{os.path.realpath(Path(library).parent)}:/elsewhere"
    assert "OCL_ICD_PLATFORM_SORT" not in start.environment
    assert "PYTHONFAULTHANDLER" not in start.environment
    assert target.to_options() == ["--driver", library, "--loader", library]


def test_library_path_lists_driver_folder_before_loader_folder(tmp_path: Path, library: str) -> None:
    own = tmp_path / "loader"
    own.mkdir()
    (own / "libOpenCL.so.1").write_bytes(b"")
    start = Target.driver(library, loader=str(own / "libOpenCL.so.1")).worker_command()
    paths = start.environment["LD_LIBRARY_PATH"].split(":")
    assert paths[:2] == [os.path.realpath(tmp_path), os.path.realpath(own)]


def test_direct_access_needs_no_loader(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> str:
        raise HarnessError("no loader")

    monkeypatch.setattr(libraries, "any_loader", fail)
    with pytest.raises(HarnessError, match="no loader"):
        Target.driver(library).worker_command()
    target = Target.driver(library, direct=True)
    assert target.worker_command().argv == [str(find_worker())]
    assert target.to_options() == ["--driver", library, "--direct"]


def test_rusticl_enable_defaults_to_llvmpipe(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RUSTICL_ENABLE", raising=False)
    target = Target.driver(library, direct=True)
    assert target.worker_command().environment["RUSTICL_ENABLE"] == "llvmpipe"
    monkeypatch.setenv("RUSTICL_ENABLE", "iris")
    assert target.worker_command().environment["RUSTICL_ENABLE"] == "iris"


def test_driver_caches_are_in_process_and_shared_folders(library: str, tmp_path: Path) -> None:
    target = Target.driver(library, direct=True)
    own = target.worker_command().environment
    assert Path(own["POCL_CACHE_DIR"]).parent == cache_dirs.process_folder()
    assert Path(own["CUDA_CACHE_PATH"]).parent == cache_dirs.shared_folder()
    other = target.with_caches(tmp_path).worker_command().environment
    assert Path(other["POCL_CACHE_DIR"]).parent == tmp_path
    assert other["CUDA_CACHE_PATH"] == own["CUDA_CACHE_PATH"]
    assert Path(own["CUDA_CACHE_PATH"]).is_dir()


def test_wrapper_precedes_command_of_driver_only(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(WRAPPER, "valgrind -q")
    assert Target.driver(library, direct=True).worker_command().argv == ["valgrind", "-q", str(find_worker())]
    assert "valgrind" not in Target.simulated("flat").worker_command().argv


def test_null_target_needs_no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCL_ICD_VENDORS", "/nowhere")
    start = Target.null().worker_command()
    assert (start.argv, start.template) == ([str(find_worker())], ())


def test_platform_and_simulation_are_selected_by_options(library: str) -> None:
    named = Target.platform("intel", loader=library)
    assert (named.worker_command().argv, named.loader_library()) == ([str(find_worker())], library)
    assert named.to_options() == ["--platform", "intel", "--loader", library]
    simulated = Target.simulated("numa", "--fault", "remainder")
    assert simulated.worker_command().argv[-5:] == [
        "clconform.selftest.faults",
        "--topology",
        "numa",
        "--fault",
        "remainder",
    ]
    assert simulated.to_options() == ["--simulated", "numa", "--fault", "remainder"]


@pytest.mark.parametrize(
    ("library", "message"),
    [
        ("/nowhere/libx.so", "no such library: /nowhere/libx.so"),
        ("/tmp", "it is a folder"),  # noqa: S108 (a folder that always exists)
        ("libnone-such.so.9", "does not find 'libnone-such.so.9'"),
    ],
)
def test_missing_library_is_rejected(library: str, message: str) -> None:
    with pytest.raises(HarnessError, match=message):
        Target.driver(library)


def test_file_that_is_not_a_library_is_rejected(library: str) -> None:
    with pytest.raises(HarnessError, match="cannot load"):
        Worker(Target.driver(library, direct=True))


def test_empty_platform_name_is_rejected() -> None:
    with pytest.raises(HarnessError, match="clconform platforms"):
        Target.platform(" ")


def test_cache_folder_of_a_process_is_removed_at_exit() -> None:
    program = "from clconform.harness import cache_dirs; f = cache_dirs.process_folder(); (f / 'x').touch(); print(f)"
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert not Path(said.stdout.strip()).exists()
