"""Runs commands in an environment like that of a container: own mounts, limits of processes and memory, no home."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import uuid
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

COMMAND = (sys.executable, "-P", "-m", "clconform.tools")
TIMEOUT_SECONDS = 600
_CGROUPS = Path("/sys/fs/cgroup")


@functools.cache
def _find_obstacle() -> str:
    """Return why this machine cannot create namespaces; empty if it can."""
    if shutil.which("unshare") is None:
        return "unshare is not installed"
    words = ["unshare", "--mount", "--ipc", "mount", "-t", "tmpfs", "none", "/mnt"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return f"this machine does not allow namespaces: {done.stderr.strip()}" if done.returncode else ""


def require_namespaces() -> None:
    """Skip the test if this machine does not allow namespaces, as without root."""
    if _find_obstacle():
        pytest.skip(_find_obstacle())


def run_in_namespace(
    setup: str, words: Sequence[str], *, options: Sequence[str] = (), seconds: float = TIMEOUT_SECONDS
) -> subprocess.CompletedProcess[str]:
    """Run a command in new namespaces after the shell commands ``setup``.

    ``options``: further options of ``unshare``.
    """
    script = f'set -e\n{setup}\nexec "$@"'
    given = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(
        [shutil.which("unshare") or "unshare", "--mount", "--ipc", *options, "bash", "-c", script, "bash", *words],
        env=given,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )


@contextmanager
def limited_group(controller: str, limits: dict[str, str]) -> Iterator[Path]:
    """Create a control group with these limits, and yield its file ``cgroup.procs``; skip the test if that fails.

    ``limits``: maps the file names of version 2 to values.
    """
    unified = (_CGROUPS / "cgroup.controllers").exists()
    group = (_CGROUPS if unified else _CGROUPS / controller) / f"clconform-{uuid.uuid4().hex[:8]}"
    names = {"memory.max": "memory.limit_in_bytes"}
    try:
        group.mkdir()
        for name, value in limits.items():
            (group / (name if unified else names.get(name, name))).write_text(value, encoding="ascii")
    except OSError as error:
        with suppress(OSError):
            group.rmdir()
        pytest.skip(f"this machine does not allow control groups: {error}")
    try:
        yield group / "cgroup.procs"
    finally:
        with suppress(OSError):
            group.rmdir()
