"""A process that ends while the machine lacks something is not a crash of the driver: the run stops with 7."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from clconform.calls import exit_codes
from clconform.harness import machine_needs

from .. import in_process  # noqa: TID252 (tests are no part of the installed package)

if TYPE_CHECKING:
    from pathlib import Path

TOO_MUCH = machine_needs._Minimum(scratch_bytes=1 << 60, inodes=1, memory_bytes=1)


@pytest.mark.parametrize("behaviour", ["segv", "aborts", "exits_7"])
def test_end_of_the_process_during_a_shortage_stops_the_run(
    behaviour: str, library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOSTILE", f"{behaviour}@clRetainContext")
    monkeypatch.setattr(machine_needs, "AFTER_END", TOO_MUCH)
    selected = ("--requirement", "clRetainContext/*", "--tier", "tables")
    words = ("--driver", str(library), *selected, "--out", str(tmp_path / "out"))
    done = in_process.run_command(tmp_path, "run", *words)
    assert done.returncode == exit_codes.NO_RESOURCES, done.stdout + done.stderr
    assert "perhaps because of a shortage: only" in done.stdout + done.stderr
    result = json.loads((tmp_path / "out" / "result.json").read_text(encoding="utf-8"))
    assert [one for one in result["deviations"] if one["verdict"] in ("crashes", "hangs", "flaky")] == []
    assert result["run"]["gaps"]
