"""The command that evaluates stored traces: from a journal, or recorded from another runtime."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from click.testing import CliRunner, Result

from clconform.calls.call import Call, Returned, Step
from clconform.runner.gate import exit_codes
from clconform.tools.cli import cli

from .oracles.linked_traces import FAR, A, allocate, at, create, host, look, map_, put, read, trace, use, write
from .suite_runs import run_suites

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.calls.traces import Trace

GOOD = trace(at(A, "write", create(A, "a"), use("a")), host("read", map_("a", "p"), look("p")))
BAD = trace(at(A, "write", create(A, "a"), use("a")), host("read", map_("a", "p"), map_("a", "q"), look("p")))
DISCARDING = trace(
    host("write", allocate("area"), put("area")),
    at(FAR, "read_write", create(FAR, "f"), write("f", "area"), use("f")),
    host("discard_write", read("f", "area"), put("area")),
)


def judged(path: Path, told: Trace | bytes, *options: str) -> Result:
    path.write_bytes(told if isinstance(told, bytes) else msgspec.json.encode(told))
    return CliRunner().invoke(cli, ["linked", str(path), *options])


def test_a_recorded_trace_is_judged(tmp_path: Path) -> None:
    good = judged(tmp_path / "trace.json", GOOD)
    assert (good.exit_code, good.output) == (0, "1 trace, 2 accesses: no violations of the note\n")
    bad = judged(tmp_path / "trace.json", BAD)
    assert bad.exit_code == exit_codes.DEVIATIONS
    assert "a test: access 1, host read m, clEnqueueMapBuffer: the host's side is active already" in bad.output
    assert "linked-allocations:linked-allocation-commands/7" in bad.output


def test_habits_of_a_later_runtime_are_an_option(tmp_path: Path) -> None:
    assert judged(tmp_path / "trace.json", DISCARDING).exit_code == 0
    assert judged(tmp_path / "trace.json", DISCARDING, "--later").exit_code == exit_codes.DEVIATIONS


def test_what_is_no_trace_is_told_in_a_line(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    nameless = msgspec.structs.replace(GOOD, contexts=[])
    bare = msgspec.structs.replace(GOOD, accesses=[at(A, "read", Step(Call("clCreateBuffer", {}), Returned("a")))])
    for told, said in ((b"[]", "not a trace"), (nameless, "A"), (bare, "clCreateBuffer has no parameter")):
        refused = judged(path, told)
        assert refused.exit_code == exit_codes.BAD_USAGE
        assert said in refused.stderr
        assert len(refused.stderr.splitlines()) == 1
    missing = CliRunner().invoke(cli, ["linked", str(tmp_path / "nothing.json")])
    assert missing.exit_code == exit_codes.BAD_USAGE


def test_the_traces_of_a_journal_are_judged_again(tmp_path: Path) -> None:
    options = [
        "suites/chapters/linked_allocations",
        "--cl-simulated=numa-16",
        "--cl-seed=1",
        "-k",
        "round",
        f"--cl-out={tmp_path}",
    ]
    assert run_suites({"linked": options})["linked"].code == 0
    again = CliRunner().invoke(cli, ["linked", str(tmp_path)])
    assert again.exit_code == 0, again.output
    assert "4 traces" in again.output
