"""The temporary folders of killed processes are removed, but not those of processes in other containers."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

NO_PROCESS = 1 << 30
"""A number above the largest id of a process."""
START = "from clconform.harness import cache_dirs; cache_dirs.process_folder()"


def test_only_unlocked_folders_of_missing_processes_are_removed(tmp_path: Path) -> None:
    killed, elsewhere, own = (
        tmp_path / f"clconform-{name}" for name in (f"{NO_PROCESS}-a", f"{NO_PROCESS}-b", f"{os.getpid()}-c")
    )
    for folder in (killed, elsewhere, own):
        (folder / "pocl").mkdir(parents=True)
    descriptor = os.open(elsewhere, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        environment = {**os.environ, "TMPDIR": str(tmp_path)}
        subprocess.run([sys.executable, "-c", START], env=environment, check=True, timeout=60)
    finally:
        os.close(descriptor)
    assert sorted(tmp_path.iterdir()) == sorted((elsewhere, own))
    assert (elsewhere / "pocl").is_dir()


def test_folder_of_a_running_process_is_locked(tmp_path: Path) -> None:
    program = f"{START}; print(cache_dirs.process_folder(), flush=True); input()"
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-c", program], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as started:
        assert started.stdout is not None
        descriptor = os.open(started.stdout.readline().strip(), os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_locked = False
        except BlockingIOError:
            is_locked = True
        finally:
            os.close(descriptor)
        started.communicate("\n", timeout=60)
    assert is_locked
