"""A process that its own driver kills is distinguished from one killed for lack of memory or by a user."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Died, Step
from clconform.calls.journal import KilledProcess
from clconform.harness import Target, control_groups, oom_watch
from clconform.harness.oom_watch import MemoryWatch
from clconform.runner.deviations.confirmation_pools import ConfirmationSettings
from clconform.runner.deviations.parallel_confirmation import Confirmers, confirm_all
from clconform.runner.deviations.repeated_kills import find_repeated_kills
from clconform.runner.journal.recorder import Recorder
from clconform.runner.session.session import Session
from clconform.spec_tables import load

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.calls.line_kinds import JournalLine

MEMINFO = "MemTotal: 1 kB\nMemAvailable: {} kB\n"


class LineRecorder(Recorder):
    """A recorder that stores its lines instead of writing them."""

    def __init__(self) -> None:
        self.lines: list[JournalLine] = []
        super().__init__(None)

    def _write_lines(self, *lines: JournalLine) -> None:
        self.lines += lines


@pytest.fixture
def machine_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with the /proc files of a machine with enough free memory; tests may change them."""
    (tmp_path / "meminfo").write_text(MEMINFO.format(8 << 20), encoding="ascii")
    (tmp_path / "vmstat").write_text("nr_free_pages 1\noom_kill 3\n", encoding="ascii")
    for name in ("meminfo", "vmstat"):
        monkeypatch.setattr(oom_watch, f"_{name.upper()}", tmp_path / name)
    monkeypatch.setattr(control_groups, "_CGROUPS", tmp_path / "group")
    monkeypatch.setattr(control_groups, "_OWN_CGROUPS", tmp_path / "none")
    return tmp_path


def record_kill(fake_driver: str) -> KilledProcess:
    """Run a session on a driver that kills its process, and return the journal line about the kill."""
    recorder = LineRecorder()
    session = Session(Target.driver(fake_driver, direct=True), load(), recorder)
    try:
        with session.example():
            session.clCreateContextFromType(None, 4, None, None, None)
    finally:
        session.close()
    (line,) = [each for each in recorder.lines if isinstance(each, KilledProcess)]
    assert line.key not in recorder.deviations
    assert isinstance(line.sequence[-1].outcome, Died)
    return line


def test_repeated_kill_with_spare_memory_is_crash(fake_driver: str, machine_files: Path) -> None:
    line, target = record_kill(fake_driver), Target.driver(fake_driver, direct=True)
    (crash,) = find_repeated_kills([line, line], target, load())
    assert (crash.verdict, crash.key, crash.while_confirming) == ("crashes", line.key, True)
    (finding,) = confirm_all([crash], Confirmers(ConfirmationSettings(target)))
    assert (finding.verdict, finding.repeated, finding.attempts) == ("crashes", 2, 2)
    (machine_files / "meminfo").write_text(MEMINFO.format(1 << 10), encoding="ascii")
    assert list(find_repeated_kills([line], target, load())) == []


def test_unrepeated_kill_is_not_a_deviation(fake_driver: str, machine_files: Path) -> None:
    assert machine_files.is_dir()
    line = record_kill(fake_driver)
    elsewhere = KilledProcess(
        "i", line.key, line.requirements, "literal", [], "killed SIGKILL", {}, [Step(*_unload_outcome(line))]
    )
    assert list(find_repeated_kills([elsewhere], Target.driver(fake_driver, direct=True), load())) == []


def _unload_outcome(line: KilledProcess) -> tuple[object, ...]:
    step = line.sequence[-1]
    return type(step.call)("clUnloadCompiler", {}), step.outcome


@pytest.mark.parametrize(
    ("change", "spare"),
    [
        ({}, True),
        ({"vmstat": "oom_kill 4\n"}, False),
        ({"meminfo": MEMINFO.format(1 << 10)}, False),
        ({"meminfo": "nothing"}, False),
        ({"vmstat": "nothing"}, False),
        ({"group/memory.events": "oom 1\noom_kill 1\n"}, False),
        ({"group/memory.events": "oom 1\noom_kill 0\n"}, True),
        ({"group/memory/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n"}, False),
        ({"vmstat": "nothing", "group/memory.events": "oom_kill 4\n"}, False),
        ({"group/memory.max": "1000000", "group/memory.current": "900000"}, False),
        (
            {
                "group/memory.max": "9000000000",
                "group/memory.current": "8900000000",
                "group/memory.stat": "anon 5\ninactive_file 8000000000\nactive_file 5\n",
            },
            True,
        ),
        (
            {
                "none": "4:memory:/a/b\n",
                "group/memory/a/memory.limit_in_bytes": "1000",
                "group/memory/a/memory.usage_in_bytes": "900",
            },
            False,
        ),
        ({"none": "0::/a/b\n", "group/a/memory.max": "1000", "group/a/memory.current": "900"}, False),
        ({"group/memory.max": "max", "group/memory.current": "900000"}, True),
        ({"group/memory/memory.limit_in_bytes": "1000", "group/memory/memory.usage_in_bytes": "900"}, False),
    ],
)
def test_memory_counts_as_short_after_oom_kill_or_with_little_free_memory(
    change: dict[str, str],
    spare: bool,  # noqa: FBT001
    machine_files: Path,
) -> None:
    watch = MemoryWatch()
    for name, text in change.items():
        (machine_files / name).parent.mkdir(parents=True, exist_ok=True)
        (machine_files / name).write_text(text, encoding="ascii")
    assert watch.had_spare_memory() == spare
