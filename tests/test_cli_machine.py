"""What this machine lacks is never attributed to the driver: a run ends with 7, what is missing, and the remedy.

Each environment is made by namespaces, control groups or limits; a test is skipped if the machine does not allow them.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from clconform.calls import exit_codes
from clconform.harness import HarnessError
from clconform.harness.libraries import embedded_pocl

from .container import SUFFICIENT_BYTES, SUFFICIENT_SCRATCH, find_differences, run_in_container
from .namespaces import COMMAND, limited_group, require_namespaces, run_in_namespace

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SCRATCH = "mkdir -p {0}; mount -t tmpfs -o {1} none {0}; export TMPDIR={0}"
ENVIRONMENTS = {
    "noexec": (SCRATCH.format("tmp", "noexec"), "mounted noexec"),
    "little space": (SCRATCH.format("tmp", "size=300k"), "MiB are free in"),
    "few inodes": (SCRATCH.format("tmp", "nr_inodes=20"), "further files can be created"),
    "no /proc": ("umount -l /proc", "/proc cannot be used"),
    "another /proc": ("", "/proc belongs to another process namespace"),
    "small segments": ("echo 4096 > /proc/sys/kernel/shmmax", "kernel.shmmax"),
    "no segments": ("echo 0 > /proc/sys/kernel/shmmni", "kernel.shmmni"),
    "no pages of segments": ("echo 1 > /proc/sys/kernel/shmall", "kernel.shmall"),
    "no /dev/shm": ("mount -t tmpfs -o ro none /dev/shm", "no semaphore can be created"),
    "a small /dev/shm": ("mount -t tmpfs -o size=64k none /dev/shm", "MiB are free in /dev/shm"),
    "no /dev": ("mount -t tmpfs none /dev", "/dev/null is missing"),
    "a removed folder": ("mkdir gone; cd gone; rmdir ../gone", "the current folder cannot be used"),
    "little address space": ("ulimit -v 1500000", "ulimit -v"),
    "little processor time": ("ulimit -t 60", "ulimit -t"),
    "a small stack": ("ulimit -s 256", "ulimit -s"),
    "small files": ("ulimit -f 1000", "ulimit -f"),
}


def driver_words() -> tuple[str, ...]:
    try:
        embedded_pocl()
    except HarnessError as error:
        pytest.skip(str(error))
    return ("run", "--embedded", "partition.create_sub_devices", "--tier", "tables", "--seed", "7")


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_run_names_what_the_machine_lacks(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    require_namespaces()
    monkeypatch.chdir(tmp_path)
    setup, said = ENVIRONMENTS[name]
    options = ("--pid", "--fork") if name == "another /proc" else ()
    words = (*COMMAND, *driver_words(), "--out", str(tmp_path / "out"))
    done = run_in_namespace(setup, words, options=options)
    assert done.returncode == exit_codes.NO_RESOURCES, done.stdout + done.stderr
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not list((tmp_path / "out").glob("result.json"))


@pytest.mark.parametrize(
    ("controller", "limit", "value", "said"),
    [
        ("pids", "pids.max", "4", "too few processes and threads"),
        ("pids", "pids.max", "12", "too few processes and threads"),
        ("memory", "memory.max", str(256 << 20), "MiB of memory are free"),
        ("memory", "memory.max", str(400 << 20), "MiB of memory are free"),
    ],
)
def test_run_names_the_limit_of_its_control_group(
    controller: str, limit: str, value: str, said: str, tmp_path: Path
) -> None:
    with limited_group(controller, {limit: value}) as group:
        words = (*COMMAND, *driver_words(), "--out", str(tmp_path / "out"))
        done = enter_group(group, words)
    assert done.returncode == exit_codes.NO_RESOURCES, done.stdout + done.stderr
    assert said in done.stderr


def enter_group(group: Path, words: Sequence[str]) -> subprocess.CompletedProcess[str]:
    shell = f"echo $$ > {shlex.quote(str(group))} && exec {shlex.join(words)}"
    bash = shutil.which("bash") or "bash"
    return subprocess.run([bash, "-c", shell], capture_output=True, text=True, timeout=300, check=False)


def test_platforms_command_names_what_the_machine_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    require_namespaces()
    monkeypatch.chdir(tmp_path)
    driver = embedded_pocl()
    done = run_in_namespace(SCRATCH.format("tmp", "noexec"), (*COMMAND, "platforms", "--driver", driver))
    assert done.returncode == exit_codes.NO_RESOURCES, done.stdout + done.stderr
    assert "mounted noexec" in done.stdout


def test_simulated_platform_needs_no_executable_scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    require_namespaces()
    monkeypatch.chdir(tmp_path)
    words = (*COMMAND, "platforms", "--simulated", "flat-4")
    done = run_in_namespace(SCRATCH.format("tmp", "noexec"), words)
    assert done.returncode == exit_codes.AS_EXPECTED, done.stdout + done.stderr


# containers


def test_run_in_a_small_container_names_everything_that_is_missing(tmp_path: Path) -> None:
    done = run_in_container(tmp_path, "small", driver_words(), memory=512 << 20, scratch_options="noexec,size=256m")
    assert done.returncode == exit_codes.NO_RESOURCES, done.stdout + done.stderr
    assert "mounted noexec" in done.stderr
    assert "MiB of memory are free, and a driver needs 512 MiB" in done.stderr


def test_run_in_a_sufficient_container_has_the_same_result_as_outside(tmp_path: Path) -> None:
    """``python -m tests.container`` compares a whole run."""
    inside = run_in_container(
        tmp_path, "inside", driver_words(), memory=SUFFICIENT_BYTES, scratch_options=SUFFICIENT_SCRATCH
    )
    words = (*COMMAND, *driver_words(), "--out", str(tmp_path / "outside"))
    outside = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
    assert inside.returncode == outside.returncode, inside.stdout + inside.stderr
    assert find_differences(tmp_path / "inside", tmp_path / "outside") == ([], [])
