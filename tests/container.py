"""Runs the driver from PyPI in an environment like a container, and compares the result with that of a run outside.

``python -m tests.container --tier smoke`` compares all results of a run with this tier. If the machine does not allow
namespaces or control groups, it prints the reason and exits with code 77: nothing was compared.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .namespaces import COMMAND, limited_group, require_namespaces, run_in_namespace

if TYPE_CHECKING:
    from collections.abc import Sequence

VARYING = frozenset({"crashes", "hangs", "flaky", "unconfirmed", "not-covered"})
"""Results that also differ between two runs outside: PoCL crashes at random, and a crash costs other calls."""
MAX_VARYING = 40
"""Maximum number of such differences."""
SKIPPED = 77
"""The exit code if nothing was compared, as in automake."""
WHOLE_RUN_SECONDS = 6 * 3600
SUFFICIENT_BYTES = 2 << 30
SUFFICIENT_SCRATCH = "size=512m"
READ_ONLY = """
mount --make-rprivate /
mount --bind {out} {out}
mount -o remount,bind,ro /
mount -t tmpfs -o {options} none {scratch}
export TMPDIR={scratch} HOME=/nonexistent
unset XDG_CACHE_HOME XDG_CONFIG_HOME
"""


def run_in_container(
    folder: Path, name: str, words: Sequence[str], *, memory: int, scratch_options: str
) -> subprocess.CompletedProcess[str]:
    """Run a command with a read-only root, no home, 256 processes, and a scratch folder of its own.

    ``name``: the folder of its output in ``folder``; ``memory``: in bytes. Skip the test if this machine does not
    allow it.
    """
    require_namespaces()
    out, scratch = folder / name, folder / f"{name}-scratch"
    out.mkdir()
    scratch.mkdir()
    quoted = {"out": shlex.quote(str(out)), "scratch": shlex.quote(str(scratch)), "options": scratch_options}
    limits = (("pids", {"pids.max": "256"}), ("memory", {"memory.max": str(memory)}))
    with ExitStack() as stack:
        groups = [stack.enter_context(limited_group(*limit)) for limit in limits]
        enter = "".join(f"echo $$ > {shlex.quote(str(group))}\n" for group in groups)
        return run_in_namespace(
            enter + READ_ONLY.format(**quoted), (*COMMAND, *words, "--out", str(out)), seconds=WHOLE_RUN_SECONDS
        )


def read_statuses(folder: Path) -> tuple[dict[str, str], dict[str, str]]:
    """Return the status of each requirement, and the verdict of each deviation, by their ids."""
    result = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    requirements = {one["id"]: one["status"] for one in result["requirements"]}
    return requirements, {one["id"]: one["verdict"] for one in result["deviations"]}


def main() -> int:
    """Compare a run inside with a run outside; return 0 if they are equal, and ``SKIPPED`` if nothing was compared."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tier", default="smoke", help="the tier of both runs [smoke]")
    parser.add_argument("--seed", default="7", help="the seed of both runs [7]")
    options = parser.parse_args()
    words = ("run", "--embedded", "--tier", options.tier, "--seed", options.seed)
    with tempfile.TemporaryDirectory(prefix="clconform-container-") as name:
        folder = Path(name)
        try:
            inside = run_in_container(
                folder, "inside", words, memory=SUFFICIENT_BYTES, scratch_options=SUFFICIENT_SCRATCH
            )
        except pytest.skip.Exception as reason:
            write_line(f"skipped, nothing was compared: {reason}")
            return SKIPPED
        outside = subprocess.run([*COMMAND, *words, "--out", str(folder / "outside")], check=False)
        write_line(f"exit code inside: {inside.returncode}, outside: {outside.returncode}")
        if inside.returncode != outside.returncode:
            write_line(inside.stdout + inside.stderr)
            return 1
        differences, varying = find_differences(folder / "inside", folder / "outside")
    for line in varying:
        write_line(f"may vary between runs: {line}")
    write_line("\n".join(differences) or "the results are equal")
    return int(bool(differences) or len(varying) > MAX_VARYING)


def write_line(text: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def find_differences(inside: Path, outside: Path) -> tuple[list[str], list[str]]:
    """Return the requirements and deviations whose results in two folders differ, as lines.

    The second list has those of which one result is in ``VARYING``.
    """
    found: tuple[list[str], list[str]] = ([], [])
    for one, other in zip(read_statuses(inside), read_statuses(outside), strict=True):
        for name in sorted(one.keys() | other.keys()):
            pair = (one.get(name), other.get(name))
            if pair[0] != pair[1]:
                found[bool(VARYING.intersection(pair))].append(f"{name}: inside {pair[0]}, outside {pair[1]}")
    return found


if __name__ == "__main__":
    sys.exit(main())
