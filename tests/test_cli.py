"""The real command line: its output, its files, and its exit codes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click
import pytest
from click.testing import CliRunner, Result

from clconform.calls import exit_codes
from clconform.calls.protocol import DeviceIdentity, PlatformIdentity, TargetReached
from clconform.harness import HarnessError, Target
from clconform.harness.host_shortages import ShortageError
from clconform.tools.cli import cli
from clconform.tools.dev.commands import dev
from clconform.tools.driver_options import DriverOptions, parse_stored_target, with_default_driver

from .every_command import commands_by_path

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

GROUPS = {path: command for path, command in commands_by_path().items() if isinstance(command, click.Group)}


def invoke(*words: str) -> Result:
    return CliRunner().invoke(cli, words)


def assert_refused(result: Result, code: int, *expected: str) -> None:
    """Assert one line on stderr with these words, without a traceback, and the exit code."""
    assert result.exit_code == code, result.output
    lines = result.stderr.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("clconform: ")
    assert all(word in lines[0] for word in expected), lines[0]


def test_help_documents_every_exit_code() -> None:
    shown = invoke("run", "--help")
    assert shown.exit_code == 0
    for code, meaning in exit_codes.MEANINGS.items():
        assert f"{code}  {meaning}" in shown.output


@pytest.mark.parametrize("path", GROUPS)
def test_group_without_arguments_shows_whole_summary_of_each_command_in_80_columns(path: str) -> None:
    shown = CliRunner().invoke(cli, path.split(), env={"COLUMNS": "80"})
    assert shown.exit_code == 0
    lines = shown.output.partition("Commands:\n")[2].splitlines()
    assert [line.split()[0] for line in lines] == GROUPS[path].list_commands(click.Context(GROUPS[path]))
    assert [line for line in lines if line.endswith("...") or not line.endswith(".")] == []


def test_first_level_has_no_command_for_developers() -> None:
    assert not set(cli.commands) & set(dev.commands)


def test_name_of_a_command_for_developers_without_dev_suggests_the_whole_name() -> None:
    assert_refused(invoke("mutate"), exit_codes.BAD_USAGE, "'mutate'", "did you mean: clconform dev mutate?")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("bogus",), exit_codes.BAD_USAGE, ("bogus", "clconform --help")),
        (("dev", "bogus"), exit_codes.BAD_USAGE, ("bogus", "clconform dev --help")),
        (("run", "--tier", "whole"), exit_codes.BAD_USAGE, ("whole", "smoke")),
        (("run", "--driver", "a", "--platform", "b"), exit_codes.BAD_USAGE, ("--driver", "--platform")),
        (("run", "--direct", "--platform", "b"), exit_codes.BAD_USAGE, ("--direct", "--driver")),
        (
            ("run", "--fault", "sub-device-without-parent"),
            exit_codes.BAD_USAGE,
            ("sub-device-without-parent", "--simulated"),
        ),
        (("run", "--driver", "/nowhere/lib.so"), exit_codes.NO_SUCH_PLATFORM, ("/nowhere/lib.so",)),
        (("run", "--simulated", "mountain"), exit_codes.NO_SUCH_PLATFORM, ("mountain", "numa-16")),
        (
            ("run", "--simulated", "single", "--fault", "no-parnt"),
            exit_codes.NO_SUCH_PLATFORM,
            ("no-parnt", "sub-device-without-parent"),
        ),
        (("run", "--simulated", "single", "--device-index", "3"), exit_codes.NO_SUCH_PLATFORM, ("--device-index 3",)),
        (("run", "--simulated", "single", "--requirement", "clNone*"), exit_codes.BAD_USAGE, ("clNone*", "tables")),
        (("run", "--simulated", "single", "nowhere"), exit_codes.BAD_USAGE, ("nowhere",)),
        (
            ("run", "--simulated", "single", "clCreateSampler/*"),
            exit_codes.BAD_USAGE,
            ("--requirement 'clCreateSampler/*'",),
        ),
        (("report", "/nowhere"), exit_codes.BAD_USAGE, ("/nowhere", "clconform run")),
        (("replay", "/nowhere", "1"), exit_codes.BAD_USAGE, ("/nowhere",)),
        (("reproduce", "/nowhere", "1"), exit_codes.BAD_USAGE, ("/nowhere",)),
        (("tables", "clNone*"), exit_codes.BAD_USAGE, ("clNone*",)),
        (("tables", "--kind", "clause"), exit_codes.BAD_USAGE, ("clause", "error-clause")),
        (("dev", "extract", "--documents", "/nowhere"), exit_codes.BAD_USAGE, ("/nowhere",)),
    ],
)
def test_invalid_input_is_reported_in_one_line(
    words: tuple[str, ...], code: int, said: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert_refused(invoke(*words), code, *said)


def test_unwritable_folder_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    assert_refused(invoke("run", "--simulated", "single", "--out", str(file)), exit_codes.BAD_USAGE, str(file), "--out")


def test_corrupt_journal_is_refused(tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    journal.write_text('{"line":"first-seen"}\n', encoding="utf-8")
    assert_refused(invoke("report", str(journal)), exit_codes.BAD_USAGE, str(journal), "line 1")


def test_internal_error_writes_its_traceback_to_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fail() -> None:
        raise ZeroDivisionError("a bug\nof two lines")

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("clconform.tools.tables.load", fail)
    assert_refused(invoke("tables"), exit_codes.INTERNAL_ERROR, "ZeroDivisionError", "a bug of two lines")
    (kept,) = tmp_path.glob("clconform-failure-*.txt")
    assert "Traceback" in kept.read_text(encoding="utf-8")


def test_tables_command_prints_only_matching_requirements_and_their_number() -> None:
    shown = invoke("tables", "--function", "clCreateSubDevices", "--kind", "error-clause")
    lines = shown.output.splitlines()
    assert shown.exit_code == 0
    assert all(line.startswith("clCreateSubDevices/") for line in lines[:-1])
    assert lines[-1].startswith(f"{len(lines) - 1} of ")
    requirements = json.loads(invoke("tables", "--json", "clCreateSubDevices/*").output)
    assert {requirement["function"] for requirement in requirements} == {"clCreateSubDevices"}


def test_tables_command_lists_callbacks() -> None:
    shown = invoke("tables", "--kind", "callback", "--function", "clSetEventCallback")
    assert shown.exit_code == 0
    assert shown.output.startswith("clSetEventCallback/pfn_notify  callback")
    (entry,) = json.loads(invoke("tables", "--json", "clSetEventCallback/pfn_notify").output)
    assert (entry["kind"], entry["id"]) == ("callback", "clSetEventCallback/pfn_notify")


def test_platforms_command_identifies_each_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clconform.tools.platforms.TOPOLOGIES", {"single": None, "flat-4": None})
    shown = invoke("platforms", "--json", "--simulated", "list")
    simulated = json.loads(shown.output)
    assert shown.exit_code == 0
    assert [source["options"] for source in simulated] == ["--simulated single", "--simulated flat-4"]
    assert all(source["error"] == "" and source["platforms"] for source in simulated)


def test_platforms_command_lists_real_platforms_by_default() -> None:
    sources = json.loads(invoke("platforms", "--json").output)
    assert {"installed", "embedded"} <= {source["source"] for source in sources}
    assert "simulated" not in {source["source"] for source in sources}
    assert "clconform platforms --simulated list" in invoke("platforms").output


def test_verbose_platforms_command_prints_query_values_with_limits() -> None:
    shown = invoke("platforms", "--verbose", "--simulated", "two-devices").output
    (units,) = [line for line in shown.splitlines() if line.startswith("CL_DEVICE_MAX_COMPUTE_UNITS") and "16" in line]
    assert units.split() == ["CL_DEVICE_MAX_COMPUTE_UNITS", "4.2", "at", "least", "1", "16", "meets", "4", "meets"]
    assert "CL_DEVICE_NUMERIC_VERSION" in shown
    assert "3.0.0" in shown


def test_platforms_command_lists_further_platforms_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clconform.tools.platforms.TOPOLOGIES", {"single": None, "mountain": None})
    shown = invoke("platforms", "--simulated", "list")
    assert shown.exit_code == 0
    assert "simulated: clconform simulated platform single" not in shown.output
    assert "simulated: unknown topology 'mountain'" in shown.output
    assert "clconform simulated platform single" in shown.output


def _create_platform(name: str, vendor: str, *devices: str) -> PlatformIdentity:
    return PlatformIdentity(
        "platform1",
        name,
        vendor,
        "OpenCL 3.0",
        "FULL_PROFILE",
        "",
        [DeviceIdentity(each, each, 1, "", "", 1) for each in devices],
    )


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that removes the embedded driver, and installs these platforms or raises this error."""

    def missing() -> str:
        raise HarnessError("there is no PoCL for this machine")

    def install_platforms(*found: PlatformIdentity | HarnessError) -> None:
        def query(target: Target) -> TargetReached:
            assert target == Target.installed()
            if isinstance(found[0], HarnessError):
                raise found[0]
            return TargetReached("loader", "", [], [each for each in found if isinstance(each, PlatformIdentity)], {})

        monkeypatch.setattr("clconform.harness.libraries.embedded_pocl", missing)
        monkeypatch.setattr("clconform.harness.query_platforms", query)

    return install_platforms


@pytest.mark.parametrize(
    ("platforms", "chosen"),
    [
        ([_create_platform("Mine", "Me", "device1")], "Mine"),
        ([_create_platform("Empty", "Me"), _create_platform("Full", "Me", "device1", "device2")], "Full"),
        ([_create_platform(" ", "Nameless", "device1")], "Nameless"),
    ],
)
def test_first_installed_platform_with_a_device_replaces_a_missing_embedded_driver(
    platforms: list[PlatformIdentity], chosen: str, install: Callable[..., None]
) -> None:
    install(*platforms)
    named, why = with_default_driver(DriverOptions(device_index=1))
    assert (named, why) == (DriverOptions(platform=chosen, device_index=1), "there is no PoCL for this machine")
    assert with_default_driver(DriverOptions(embedded=True)) == (DriverOptions(embedded=True), "")
    assert with_default_driver(DriverOptions(simulated="flat-4")) == (DriverOptions(simulated="flat-4"), "")


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (
            HarnessError("no OpenCL loader found"),
            "no OpenCL loader found; name a driver with --driver; a simulated platform is only tested",
        ),
        (HarnessError("libOpenCL.so.1 ended its process during loading"), "ended its process during loading"),
        (_create_platform("Empty", "Me"), "none of them has a device"),
        (_create_platform("", "", "device1"), "the installed platform has no name"),
    ],
)
@pytest.mark.parametrize(
    "words", [("run",), ("run", "--quick", "--requirement", "clFinish/success"), ("dev", "benchmark")]
)
def test_simulated_platform_is_never_tested_without_its_option(
    found: PlatformIdentity | HarnessError,
    reason: str,
    words: tuple[str, ...],
    install: Callable[..., None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    install(found)
    monkeypatch.chdir(tmp_path)
    shown = invoke(*words)
    assert_refused(shown, exit_codes.NO_SUCH_PLATFORM, "there is no PoCL for this machine", reason, "--driver")
    assert list(tmp_path.rglob("result.json")) == list(tmp_path.rglob("badge.json")) == []


def test_shortage_while_the_installed_platforms_are_listed_is_not_a_missing_driver(
    install: Callable[..., None],
) -> None:
    install(ShortageError("not enough memory"))
    assert_refused(invoke("run"), exit_codes.NO_RESOURCES, "not enough memory")


def test_stored_target_is_parsed_to_the_same_driver_options() -> None:
    for named in (
        DriverOptions(simulated="flat-4", fault="sub-device-without-parent", device_index=1),
        DriverOptions(platform="intel", device_index=0),
    ):
        assert parse_stored_target(named.target().to_options(), named.device_index or 0) == named
