"""``clconform bisect`` on builds of a small driver: libraries by path, and a command that builds each revision."""

from __future__ import annotations

import json
import shlex
import subprocess
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from clconform.calls import exit_codes
from clconform.calls.call import Call, Returned, Step
from clconform.calls.journal import Deviation, ItemEnd, RunEnd
from clconform.calls.values import Handle
from clconform.reports import result_of, write_reports
from clconform.tools.cli import cli

from .reports import fabricated_journals
from .reports.bad_driver import COMPILER, build_command
from .reports.schemas import validated

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(not COMPILER, reason="no C compiler")
RECORD = "clReleaseDevice/success"
KEY = f"clReleaseDevice | {RECORD} | CL_INVALID_DEVICE"
BEHAVIOURS = [
    "",
    "",
    "fails to build",
    "",
    "",
    "",
    "",
    "",
    "",
    "refuse",
    "refuse",
    "refuse",
    "refuse",
    "crash",
    "crash",
    "crash",
]
"""Behaviours of revisions 1 to 16."""


@pytest.fixture(scope="module")
def builds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with one driver library per behaviour, and a build script.

    The behaviours: conforming, refusing, crashing. The script copies the library for a source revision.
    """
    folder = tmp_path_factory.mktemp("builds")
    for how in ("", "refuse", "crash"):
        subprocess.run(build_command(folder / f"like-{how}.so", how), check=True)
    cases = [f"{number}) like={shlex.quote(how)};;" for number, how in enumerate(BEHAVIOURS, start=1)]
    copied = 'cp "like-$like.so" built.so || { echo "revision $1 $like" >&2; exit 3; }'
    script = ["cd " + shlex.quote(str(folder)), 'case "$1" in', *cases, "esac", copied]
    (folder / "build.sh").write_text("\n".join(script) + "\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def result_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a result with the deviation that revision 10 introduced."""
    folder = tmp_path_factory.mktemp("result")
    step = Step(Call("clReleaseDevice", {"device": Handle("device1")}), Returned(-33))
    item = "x.y::test_x"
    said = ("deviates", "literal", ["CL_SUCCESS"], "CL_INVALID_DEVICE", {RECORD: "It goes."})
    lines = [
        *fabricated_journals.journal_lines()[:2],
        Deviation(item, KEY, [RECORD], *said, [step]),
        ItemEnd(item, "failed", 0.1, 1, {}),
    ]
    journal = fabricated_journals.write_journal(folder / "journal.jsonl", [*lines, RunEnd("2025-11-20T23:41:30Z", 1.0)])
    tables = fabricated_journals.create_tables()
    write_reports(result_of(journal, tables), folder, tables)
    return folder


def run_bisect(*words: object) -> Result:
    return CliRunner().invoke(cli, ["bisect", "--direct", *map(str, words)])


def assert_refused(done: Result, code: int, expected: str) -> None:
    assert done.exit_code == code, done.output
    assert expected in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_bisect_builds_each_tested_revision_with_the_build_command(builds: Path, result_folder: Path) -> None:
    command = f"sh {shlex.quote(str(builds / 'build.sh'))} {{}}"
    done = run_bisect(
        result_folder, RECORD, "--build", command, "--revisions", "1..16", "--driver", builds / "built.so"
    )
    assert done.exit_code == exit_codes.AS_EXPECTED, done.output
    assert "last with the old result:  9 (good: CL_SUCCESS)" in done.output
    assert "first with the new result: 10 (bad: CL_INVALID_DEVICE)" in done.output
    assert "the newest build gives yet another result" in done.output
    assert len([line for line in done.output.splitlines() if line.startswith("  ")]) <= 6


def test_bisect_names_the_suspects_next_to_a_failing_build(builds: Path, result_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "revisions").write_text("2\n3\n\n10\n", encoding="utf-8")
    command = f"sh {shlex.quote(str(builds / 'build.sh'))} {{}}"
    named = ("--build", command, "--revisions", tmp_path / "revisions", "--driver", builds / "built.so")
    done = run_bisect(result_folder, RECORD, *named)
    assert done.exit_code == exit_codes.AS_EXPECTED, done.output
    assert "untestable  3: the build failed with exit code 3: revision 3 fails to build" in done.output
    assert "the change is in one of: 3, 10" in done.output
    read = json.loads(validated(run_bisect(result_folder, RECORD, "--json", *named).output, "bisect"))
    assert (read["first"], read["suspects"]) == (None, ["3", "10"])
    assert [(build["build"], build["verdict"]) for build in read["builds"]] == [
        ("2", "good"),
        ("3", "untestable"),
        ("10", "bad"),
    ]


def test_bisect_accepts_libraries_as_builds(builds: Path, result_folder: Path) -> None:
    good, bad, crash = (builds / f"like-{how}.so" for how in ("", "refuse", "crash"))
    (builds / "no-driver.so").write_bytes(b"")
    read = json.loads(
        run_bisect(
            result_folder, RECORD, "--json", crash, crash, builds / "no-driver.so", crash, good, good, good, bad
        ).output
    )
    assert read["first"] == str(good)
    verdicts = {build["verdict"] for build in read["builds"]}
    assert verdicts == {"good", "bad"}


def test_bisect_refuses_equal_ends_and_fewer_than_two_testable_builds(builds: Path, result_folder: Path) -> None:
    good, missing = builds / "like-.so", builds / "missing.so"
    assert_refused(
        run_bisect(result_folder, RECORD, good, missing, good),
        exit_codes.BAD_USAGE,
        "give the same result (good: CL_SUCCESS)",
    )
    assert_refused(run_bisect(result_folder, RECORD, missing, good), exit_codes.NO_SUCH_PLATFORM, "fewer than two of")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "no builds given"),
        (("a.so",), "at least two builds"),
        (("a.so", "--build", "make {}"), "give either"),
        (("--build", "make", "--revisions", "1..9", "--driver", "a.so"), "must contain {}"),
        (("--build", "make '{}", "--revisions", "1..9", "--driver", "a.so"), "quotation"),
        (("--build", "make {}", "--revisions", "v1..v9", "--driver", "a.so"), "v1..v9"),
    ],
)
def test_bisect_refuses_invalid_options_with_bad_usage(words: tuple[str, ...], said: str, result_folder: Path) -> None:
    assert_refused(run_bisect(result_folder, RECORD, *words), exit_codes.BAD_USAGE, said)
