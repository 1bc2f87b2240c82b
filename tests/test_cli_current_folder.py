"""Files in the current folder are never imported, and inherited signal settings do not stop a command."""

from __future__ import annotations

import json
import os
import pkgutil
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from clconform.calls import exit_codes

SCRIPT = Path(sysconfig.get_path("scripts")) / "clconform"
PYTEST = Path(sysconfig.get_path("scripts")) / "pytest"
RUN = ("run", "--simulated", "flat-4", "--tier", "tables", "--seed", "7", "partition.create_sub_devices")
SHORT_RUN = (*RUN, "--requirement", "clCreateSubDevices/CL_INVALID_VALUE/1")
FAULT = "partition-count-error-is-invalid-device"
TARGET = "clCreateSubDevices/CL_INVALID_DEVICE_PARTITION_COUNT/*"
FAULTY_RUN = (*RUN[:3], "--fault", FAULT, *RUN[3:], "--requirement", TARGET)
TIMEOUT_SECONDS = 300
IMPORTED = "imported"
PLANTED = """\
import os, sys
with open({path!r}, "a", encoding="ascii") as file:
    file.write("{name} " + " ".join(sys.orig_argv)[:300] + chr(10))
raise ImportError("a file of the current folder was imported: {name}")
"""


@pytest.fixture
def planted_folder(tmp_path: Path) -> Path:
    """Return a folder with a module for each importable name, which notes its import in a file and fails."""
    folder = tmp_path / "here"
    folder.mkdir()
    names = {*sys.stdlib_module_names, *(module.name for module in pkgutil.iter_modules()), "sitecustomize"}
    for name in names | {"usercustomize", "clconform", "test_planted", "conftest"}:
        planted = PLANTED.format(name=name, path=str(tmp_path / IMPORTED))
        (folder / f"{name}.py").write_text(planted, encoding="ascii")
    return folder


def read_imported(folder: Path) -> str:
    file = folder.parent / IMPORTED
    return file.read_text(encoding="ascii") if file.exists() else ""


@pytest.mark.parametrize(
    "words",
    [
        (*SHORT_RUN, "--out", "OUT"),
        (*SHORT_RUN, "--out", "OUT", "-n", "2"),
        (*FAULTY_RUN, "--out", "OUT", "-n", "2"),
        ("platforms", "--simulated", "flat-4"),
        ("validate", "--", "/bin/true"),
        ("tables", "--count"),
        ("explain", "clFinish"),
    ],
    ids=" ".join,
)
def test_command_imports_nothing_from_the_current_folder(words: tuple[str, ...], planted_folder: Path) -> None:
    given = [word.replace("OUT", str(planted_folder.parent / "out")) for word in words]
    done = run_here(planted_folder, [sys.executable, str(SCRIPT), *given])
    assert read_imported(planted_folder) == ""
    assert done.returncode != exit_codes.INTERNAL_ERROR, done.stdout + done.stderr


def test_replay_imports_nothing_from_the_current_folder(planted_folder: Path) -> None:
    out = planted_folder.parent / "out"
    words = (*FAULTY_RUN, "--out", str(out))
    run_here(planted_folder.parent, [sys.executable, str(SCRIPT), *words])
    done = run_here(planted_folder, [sys.executable, str(SCRIPT), "replay", str(out), find_deviation(out)])
    assert done.returncode == exit_codes.DEVIATIONS, done.stderr
    assert read_imported(planted_folder) == ""


def test_module_run_without_safe_path_imports_only_what_python_itself_imports(planted_folder: Path) -> None:
    """``python -m`` searches the current folder first, before clconform runs; only ``-P`` prevents that.

    The files for the modules that Python imports before are removed here.
    """
    for name in ("runpy", "importlib", "pkgutil", "types", "functools", "contextlib", "typing", "clconform"):
        (planted_folder / f"{name}.py").unlink(missing_ok=True)
    done = run_here(planted_folder, [sys.executable, "-m", "clconform.tools", "platforms", "--simulated", "flat-4"])
    assert read_imported(planted_folder) == ""
    assert done.returncode == exit_codes.AS_EXPECTED, done.stderr


def test_plain_pytest_starts_its_workers_without_the_current_folder(planted_folder: Path) -> None:
    for name in ("conftest", "test_planted"):
        (planted_folder / f"{name}.py").unlink()
    words = (
        "--pyargs",
        "clconform.suites.chapters.partition",
        "--cl-simulated",
        "flat-4",
        "-n",
        "2",
        "-q",
        "-k",
        "nothing_of_this_name",
    )
    done = run_here(planted_folder, [sys.executable, str(PYTEST), *words])
    assert read_imported(planted_folder) == ""
    assert done.returncode == pytest.ExitCode.NO_TESTS_COLLECTED, done.stdout + done.stderr


def test_program_of_the_user_keeps_its_own_search_path(tmp_path: Path) -> None:
    """The program under ``record`` gets the environment of the user, not that of clconform's processes."""
    shown = "import os, sys; print(os.environ.get('PYTHONSAFEPATH'), os.environ.get('PYTHONPATH'))"
    for given in ({}, {"PYTHONSAFEPATH": "1"}, {"PYTHONPATH": f":{tmp_path}"}):
        words = [sys.executable, "-P", str(SCRIPT), "record", "-o", f"{len(given)}.clrec", "--", sys.executable]
        done = run_here(tmp_path, [*words, "-c", shown], environment=given)
        assert f"{given.get('PYTHONSAFEPATH')} {given.get('PYTHONPATH')}" in done.stdout, done.stderr
        assert done.returncode in (0, exit_codes.NO_SUCH_PLATFORM)


def find_deviation(out: Path) -> str:
    """Return the id of the first deviation of a run."""
    result = json.loads((out / "result.json").read_text(encoding="utf-8"))
    return str(result["deviations"][0]["id"])


def run_here(
    folder: Path, words: list[str], *, environment: dict[str, str] | None = None, before: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, after the statements ``before`` of a Python program that it replaces."""
    given = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHONSAFEPATH", "PYTEST_"))}
    start = [sys.executable, "-P", "-c", f"import os, signal, sys\n{before}\nos.execv(sys.argv[1], sys.argv[1:])"]
    return subprocess.run(
        [*start, *words] if before else words,
        cwd=folder,
        env=given | (environment or {}),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
        stdin=subprocess.DEVNULL,
    )


# inherited signals

INHERITED = {
    "SIGCHLD ignored": "signal.signal(signal.SIGCHLD, signal.SIG_IGN)",
    "SIGCHLD blocked": "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})",
    "all blocked": "signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())",
    "SIGPIPE and SIGTERM": "[signal.signal(each, signal.SIG_IGN) for each in (signal.SIGPIPE, signal.SIGTERM)]",
    "all ignored": "[signal.signal(each, signal.SIG_IGN) for each in signal.valid_signals() if each not in (9, 19)]",
}


@pytest.mark.parametrize("name", INHERITED)
@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((*SHORT_RUN, "--out", "OUT"), exit_codes.AS_EXPECTED),
        (("platforms", "--simulated", "flat-4"), exit_codes.AS_EXPECTED),
        (("validate", "--", "/bin/true"), exit_codes.NO_SUCH_PLATFORM),
    ],
    ids=["run", "platforms", "validate"],
)
def test_command_ends_despite_inherited_signal_settings(
    name: str, words: tuple[str, ...], code: int, tmp_path: Path
) -> None:
    given = [word.replace("OUT", str(tmp_path / "out")) for word in words]
    done = run_here(tmp_path, [sys.executable, str(SCRIPT), *given], before=INHERITED[name])
    assert done.returncode == code, done.stdout + done.stderr


def test_run_in_two_processes_and_replay_end_with_ignored_sigchld(tmp_path: Path) -> None:
    before, out = INHERITED["SIGCHLD ignored"], tmp_path / "out"
    words = (*FAULTY_RUN, "--out", str(out), "-n", "2")
    done = run_here(tmp_path, [sys.executable, str(SCRIPT), *words], before=before)
    assert done.returncode == exit_codes.DEVIATIONS, done.stdout + done.stderr
    replayed = run_here(tmp_path, [sys.executable, str(SCRIPT), "replay", str(out), find_deviation(out)], before=before)
    assert replayed.returncode == exit_codes.DEVIATIONS, replayed.stderr


def test_shell_that_ignores_sigchld_starts_a_run(tmp_path: Path) -> None:
    words = shlex.join([sys.executable, str(SCRIPT), *SHORT_RUN, "--out", str(tmp_path / "out")])
    done = run_here(tmp_path, ["/bin/sh", "-c", f"trap '' CHLD; {words}"])
    assert done.returncode == exit_codes.AS_EXPECTED, done.stderr
