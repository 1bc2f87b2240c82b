"""The commands for programs of devices without a compiler, and a run with their binaries."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from clconform.calls import exit_codes
from clconform.runner.program_binaries import MANIFEST
from clconform.suites.needed_programs import list_programs

from . import in_process

if TYPE_CHECKING:
    from pathlib import Path

WITHOUT_COMPILER, WITH_COMPILER = ("--simulated", "without-compiler"), ("--simulated", "few-handles")
SUITE = "execution.sub_devices"


def test_list_writes_a_source_for_each_program(tmp_path: Path) -> None:
    done = in_process.run_command(tmp_path, "programs", "list", "--opencl", "1.2", "--out", "sources")
    programs = list_programs((1, 2))
    assert done.returncode == exit_codes.AS_EXPECTED
    assert f"{len(programs)} sources are in sources" in done.stdout
    for text in programs:
        assert f"{text.digest}  {text.kernel_list}" in done.stdout
        assert (tmp_path / "sources" / f"{text.digest}.cl").read_text(encoding="utf-8") == text.source


@pytest.fixture(scope="module")
def binaries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of binaries that are registered for the simulated device without a compiler."""
    folder = tmp_path_factory.mktemp("programs")
    built = in_process.run_command(folder, "programs", "build", "built", *WITH_COMPILER)
    assert built.returncode == exit_codes.AS_EXPECTED
    assert "programs were built for simulated device of 4 units; they are in built" in built.stdout
    registered = in_process.run_command(folder, "programs", "register", "built", *WITHOUT_COMPILER)
    assert registered.returncode == exit_codes.AS_EXPECTED
    assert "registered for simulated device of 4 units" in registered.stdout
    return folder / "built"


def count_covered(folder: Path, *words: str) -> int:
    """Return the number of requirements that a run on the device without a compiler covers."""
    done = in_process.run_command(folder, "run", *WITHOUT_COMPILER, "--seed", "1", SUITE, *words)
    assert done.returncode == exit_codes.AS_EXPECTED, done.stdout + done.stderr
    result = json.loads((folder / "clconform-out" / "result.json").read_text(encoding="utf-8"))
    return sum(status == "conforms" for status in (each["status"] for each in result["requirements"]))


def test_binaries_cover_more_requirements(binaries: Path, tmp_path: Path) -> None:
    assert count_covered(tmp_path) < count_covered(tmp_path, "--program-binaries", str(binaries))


def test_run_refuses_binaries_of_another_platform(binaries: Path, tmp_path: Path) -> None:
    done = in_process.run_command(tmp_path, "run", *WITH_COMPILER, "--program-binaries", str(binaries), SUITE)
    assert done.returncode == exit_codes.BAD_USAGE
    assert "the binaries are for a device with platform 'clconform simulated platform without-compiler'" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_run_reports_another_driver_version(binaries: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(binaries, tmp_path / "older")
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    manifest["device"]["driver_version"] = "0.9"
    (folder / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
    done = in_process.run_command(tmp_path, "run", *WITHOUT_COMPILER, "--program-binaries", "older", SUITE)
    assert done.returncode == exit_codes.AS_EXPECTED
    assert "clconform: version 0.9 of the driver built the binaries; version 1 may reject them" in done.stdout


@pytest.mark.parametrize(
    ("words", "code", "reason"),
    [
        (
            ("run", *WITHOUT_COMPILER, "--program-binaries", "none"),
            exit_codes.BAD_USAGE,
            "none: there is no such folder",
        ),
        (("programs", "build", "built", *WITHOUT_COMPILER), exit_codes.BAD_USAGE, "the device has no compiler"),
        (("programs", "build", "file", *WITH_COMPILER), exit_codes.BAD_USAGE, "file: cannot write"),
        (("programs", "list", "--out", "file"), exit_codes.BAD_USAGE, "--out file: cannot write"),
        (("programs", "list", "--opencl", "4.0"), exit_codes.BAD_USAGE, "'4.0'"),
    ],
)
def test_unusable_arguments_are_refused_with_one_line(
    tmp_path: Path, words: tuple[str, ...], code: int, reason: str
) -> None:
    (tmp_path / "file").touch()
    done = in_process.run_command(tmp_path, *words)
    assert done.returncode == code
    assert reason in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_folder_without_binaries_is_not_registered(tmp_path: Path) -> None:
    done = in_process.run_command(tmp_path, "programs", "register", ".", *WITHOUT_COMPILER)
    assert done.returncode == exit_codes.INCOMPLETE
    assert "has none of the" in done.stdout
    assert not (tmp_path / MANIFEST).exists()
