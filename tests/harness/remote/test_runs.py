"""A run whose connection is lost several times has the same results as an undisturbed run."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from clconform.calls import exit_codes
from clconform.harness.worker_build import find_worker

from .run_results import RUN, SECONDS, read_result, verdicts
from .servers import LOCAL_SERVER, LinkFault, listening_server, proxy

if TYPE_CHECKING:
    from pathlib import Path

OPTIONS = ("--direct", "--tier", "smoke", "--seed", "1", "-n", "1", "--requirement", "clGetDeviceInfo/*")


def run_on_port(port: int, token: str, driver: str, out: Path, *options: str) -> tuple[int, dict[str, Any], str]:
    """Run some tests on a driver behind a port; return the exit code, the result and the output."""
    words = [*RUN, "--device", f"tcp:127.0.0.1:{port}", "--driver", driver]
    done = subprocess.run(
        [*words, *OPTIONS, *options, "--out", out],
        env=os.environ | {"CLCONFORM_TOKEN": token},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    result = read_result(out) if (out / "result.json").exists() else {}
    return done.returncode, result, done.stdout + done.stderr


@pytest.fixture
def undisturbed(tmp_path: Path, fake_driver: str) -> dict[str, Any]:
    with listening_server(tmp_path) as server:
        code, result, output = run_on_port(server.port, server.token, fake_driver, tmp_path / "undisturbed")
    assert code == exit_codes.DEVIATIONS, output
    return result


def test_lost_connections_change_no_result(tmp_path: Path, fake_driver: str, undisturbed: dict[str, Any]) -> None:
    faults = [LinkFault("nothing", 0), *(LinkFault("cut", 12_000 + 1_000 * number) for number in range(3))]
    with listening_server(tmp_path) as server, proxy(server.port, faults) as between:
        code, result, output = run_on_port(between.port, server.token, fake_driver, tmp_path / "disturbed")
    assert not faults, output
    assert code == exit_codes.DEVIATIONS, output
    assert verdicts(result) == verdicts(undisturbed)


def test_machine_that_does_not_return_leaves_an_incomplete_result(tmp_path: Path, fake_driver: str) -> None:
    faults = [LinkFault("nothing", 0), LinkFault("cut", 14_000)]
    with listening_server(tmp_path) as server, proxy(server.port, faults, most=2) as between:
        out = tmp_path / "lost"
        code, result, output = run_on_port(between.port, server.token, fake_driver, out, "--device-wait", "1")
    assert code in (exit_codes.INCOMPLETE, exit_codes.DEVIATIONS), output
    assert "the device was lost, so the run has ended" in output
    assert result["run"]["device_lost"].startswith("tcp:127.0.0.1")
    assert not any(each["verdict"] == "crashes" for each in result["deviations"])


def test_different_devices_are_refused(tmp_path: Path, fake_driver: str) -> None:
    words = [*RUN, "--direct", "--driver", fake_driver]
    script = tmp_path / "other"
    script.write_text(f'#!/bin/sh\nFAKE_VERSION=2.0 exec {find_worker()} "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    devices = ["--device", LOCAL_SERVER, "--device", f"exec:{script} {{arguments}}"]
    done = subprocess.run(
        [*words, *devices, "--out", tmp_path / "out"], capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode == exit_codes.BAD_USAGE
    assert "differ, so one run cannot test both (Fake platform, OpenCL 1.2 fake" in done.stderr
