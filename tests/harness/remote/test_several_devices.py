"""A run on several machines states which machine each verdict is of, and a resumed run uses all of them again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

from clconform.calls import exit_codes

from .run_results import RUN, SECONDS, read_result, verdicts
from .servers import LOCAL_SERVER, server_folders, wait_until

if TYPE_CHECKING:
    from pathlib import Path

OTHER_SERVER = "exec:env OTHER=1 {worker} {arguments}"
OPTIONS = ("--direct", "--tier", "smoke", "--seed", "1", "-n", "2", "--requirement", "clGetDeviceInfo/*")
ENOUGH_ITEMS = 3
"""The run is killed after this many items have ended."""


def run_options(driver: str, out: Path) -> list[str]:
    """Return the options of a run on two machines."""
    return ["--device", LOCAL_SERVER, "--device", OTHER_SERVER, "--driver", driver, *OPTIONS, "--out", str(out)]


@pytest.fixture
def undisturbed(tmp_path: Path, fake_driver: str) -> dict[str, Any]:
    out = tmp_path / "undisturbed"
    done = subprocess.run(
        [*RUN, *run_options(fake_driver, out)], capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode == exit_codes.DEVIATIONS, done.stdout + done.stderr
    return read_result(out)


def test_each_verdict_states_its_machine(undisturbed: dict[str, Any]) -> None:
    both = {LOCAL_SERVER, OTHER_SERVER}
    tested = [each for each in undisturbed["requirements"] if each["calls"]]
    assert tested
    assert all(each["machines"] and both.issuperset(each["machines"]) for each in tested)
    assert {machine for each in tested for machine in each["machines"]} == both
    assert all(each["machines"] and both.issuperset(each["machines"]) for each in undisturbed["deviations"])


@pytest.mark.parametrize("named", ["", LOCAL_SERVER])
def test_resumed_run_equals_an_undisturbed_one(
    tmp_path: Path, fake_driver: str, undisturbed: dict[str, Any], named: str
) -> None:
    out = tmp_path / "killed"
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    environment = os.environ | {"TMPDIR": str(temporary)}
    with (tmp_path / "printed").open("wb") as printed:
        run = subprocess.Popen(
            [*RUN, *run_options(fake_driver, out)],
            stdout=printed,
            stderr=printed,
            env=environment,
            start_new_session=True,
        )
    journal, until = out / "journal.jsonl", time.monotonic() + SECONDS
    while not journal.exists() or journal.read_bytes().count(b'"line":"item"') < ENOUGH_ITEMS:
        assert run.poll() is None
        assert time.monotonic() < until
        time.sleep(0.01)
    run.send_signal(signal.SIGKILL)  # all that it has started ends by itself, here and on the machines
    run.wait()
    assert wait_until(lambda: not server_folders(temporary))
    chosen = ["--device", named] if named else []
    done = subprocess.run(
        [*RUN, "--resume", journal, *chosen], capture_output=True, text=True, timeout=SECONDS, check=False
    )
    if named:  # one of the machines alone is another target
        assert done.returncode == exit_codes.BAD_USAGE
        return
    assert done.returncode == exit_codes.DEVIATIONS, done.stdout + done.stderr
    result = read_result(out)
    assert verdicts(result) == verdicts(undisturbed)
    late = json.dumps(result["run"]["target"])
    assert LOCAL_SERVER in late
    assert OTHER_SERVER in late
