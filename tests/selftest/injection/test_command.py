"""The command ``inject``: its list, invalid options, reported results, and exit code."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING

import msgspec
import pytest
from click.testing import CliRunner, Result

from clconform.calls import exit_codes
from clconform.reports.fault_campaign import FaultCampaign, FaultResult, FaultStatus, make_campaign
from clconform.selftest.injection.fault import Fault
from clconform.spec_tables import load, loading
from clconform.tools.cli import cli
from clconform.tools.dev import inject
from clconform.tools.dev.inject import print_campaign, select_faults
from clconform.tools.errors import CommandError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

BUFFERS = ("clCreateBuffer",)


def run_command(*words: str) -> Result:
    return CliRunner().invoke(cli, ("dev", "inject", *words))


def campaign_with(*statuses: FaultStatus) -> FaultCampaign:
    fault = Fault("crash", "clCreateBuffer", occurrence=1)
    results = [FaultResult(fault.name, fault.operator, fault.function, "5.2", status, "why") for status in statuses]
    return make_campaign(results, ["--simulated", "flat-4"], {"crash": "The call ends the process."})


def test_list_option_describes_each_operator() -> None:
    shown = run_command("--list", "--function", "clCreateBuffer", "--operator", "crash")
    assert shown.exit_code == 0
    assert shown.output.splitlines() == [
        "# crash: The call ends the process.",
        "crash clCreateBuffer@1",
        "crash clCreateBuffer@2",
    ]


def test_faults_of_functions_missing_in_the_tables_are_omitted(monkeypatch: pytest.MonkeyPatch) -> None:
    named = ("clCreateBuffer", "clCreateSubBuffer")
    functions = load().functions
    less = SimpleNamespace(functions={name: each for name, each in functions.items() if name != named[0]})
    monkeypatch.setattr(inject, "load", lambda: less)
    assert {fault.function for fault in select_faults((), (), named, None, 0)} == {named[1]}
    with pytest.raises(CommandError, match=r"5\.2"):
        select_faults((), (), named[:1], None, 0)


def test_tables_option_does_not_change_the_default_tables() -> None:
    assert run_command("--list", "--tables", "3.1.1", "--function", "clCreateBuffer").exit_code == 0
    assert loading.selected_folder() == loading.DATA
    assert run_command("--list", "--tables", "9.9").exit_code == exit_codes.BAD_USAGE


@pytest.mark.parametrize(
    ("words", "said"),
    [(("--operator", "boom"), ("boom", "crash")), (("--function", "clNothing"), ("5.2", "--list"))],
)
def test_option_without_matching_fault_is_rejected(words: Sequence[str], said: Sequence[str]) -> None:
    refused = run_command(*words)
    assert refused.exit_code == exit_codes.BAD_USAGE
    assert all(word in refused.stderr for word in said)


def test_sample_of_faults_depends_only_on_the_seed() -> None:
    whole = select_faults((), (), BUFFERS, None, 0)
    sample = select_faults((), (), BUFFERS, 9, 7)
    assert sample == select_faults((), (), BUFFERS, 9, 7)
    assert sample != select_faults((), (), BUFFERS, 9, 8)
    assert len(set(sample)) == 9
    assert set(sample) < set(whole)
    assert set(select_faults((), (), BUFFERS, 10**6, 7)) == set(whole)


@pytest.mark.parametrize(
    ("statuses", "code"),
    [
        (("found", "equivalent", "not-applied"), exit_codes.AS_EXPECTED),
        (("found", "survived"), exit_codes.DEVIATIONS),
        ((), exit_codes.AS_EXPECTED),
    ],
)
def test_exit_code_reports_deviations_only_if_a_fault_survived(
    statuses: Sequence[FaultStatus], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert print_campaign(campaign_with(*statuses)) == code
    assert "operator" in capsys.readouterr().out


@pytest.mark.parametrize(("equivalent", "warned"), [(1, False), (2, True)])
def test_too_many_equivalent_faults_are_reported(
    equivalent: int, capsys: pytest.CaptureFixture[str], *, warned: bool
) -> None:
    nine: list[FaultStatus] = ["found"] * 9
    print_campaign(campaign_with(*nine, *["equivalent"] * equivalent))
    assert ("are equivalent" in capsys.readouterr().out) == warned


def test_detection_rate_is_omitted_if_no_fault_was_applied(capsys: pytest.CaptureFixture[str]) -> None:
    print_campaign(campaign_with("not-applied"))
    assert "100.0" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("reached", "said"),
    [
        (
            (("clCreateBuffer", 2), ("clCreateBuffer", 0), ("clCreatePipe", 0)),
            "1 of 2 faults in functions of the platform were applied",
        ),
        ((("clCreatePipe", 0),), None),
    ],
)
def test_share_of_applied_faults_counts_only_available_functions(
    reached: Sequence[tuple[str, int]], said: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    results = [
        FaultResult(f"crash {function}@1", "crash", function, "5.2", "found" if number else "not-applied", "why")
        for function, number in reached
    ]
    results = [
        msgspec.structs.replace(each, affected_items=number) for each, (_, number) in zip(results, reached, strict=True)
    ]
    print_campaign(make_campaign(results, ["--simulated", "flat-4"], {"crash": "The call ends the process."}))
    shown = capsys.readouterr().out
    assert ("were applied" in shown) == bool(said)
    assert (said or "") in shown


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_campaign_reports_and_writes_its_results(tmp_path: Path, number: signal.Signals) -> None:
    out = tmp_path / "faults.json"
    words = ["dev", "inject", "--simulated", "flat-4", "--targeted-tests", "--function", "clCreateBuffer", "-n", "2"]
    heeded = "--default-signal=INT,TERM"  # the signals may be ignored, for example under nohup
    command = ["env", heeded, sys.executable, "-P", "-m", "clconform.tools", *words, "--json", str(out)]
    with subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        assert "faults for simulated platform flat-4" in process.stdout.readline()  # from now on, signals are handled
        time.sleep(1)
        process.send_signal(number)
        _, said = process.communicate(timeout=120)
    assert process.returncode == 128 + number
    assert said.splitlines() == [said.strip()]
    assert f"stopped by {'Ctrl-C' if number == signal.SIGINT else number.name}" in said
    campaign = msgspec.json.decode(out.read_bytes(), type=FaultCampaign)
    assert campaign.target == ["--simulated", "flat-4"]
    assert campaign.header is not None
    assert campaign.header.command.startswith("clconform dev inject --simulated flat-4")
