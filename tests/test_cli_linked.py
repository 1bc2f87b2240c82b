"""The command that evaluates stored traces: from a journal, or recorded from another runtime."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from click.testing import CliRunner, Result

from clconform.calls import exit_codes
from clconform.calls.call import Call, Returned, Step
from clconform.tools.cli import cli

from .oracles.linked_traces import (
    FAR_CONTEXT,
    A,
    access_from,
    access_from_host,
    allocate_host,
    create_buffer,
    create_trace,
    fill_buffer,
    map_buffer,
    read_buffer,
    read_host,
    write_buffer,
    write_host,
)
from .suite_runs import run_suites

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.calls.linked_allocations import Trace

VALID_TRACE = create_trace(
    access_from(A, "write", create_buffer(A, "a"), fill_buffer("a")),
    access_from_host("read", map_buffer("a", "p"), read_host("p")),
)
INVALID_TRACE = create_trace(
    access_from(A, "write", create_buffer(A, "a"), fill_buffer("a")),
    access_from_host("read", map_buffer("a", "p"), map_buffer("a", "q"), read_host("p")),
)
DISCARDING_TRACE = create_trace(
    access_from_host("write", allocate_host("area"), write_host("area")),
    access_from(
        FAR_CONTEXT, "read_write", create_buffer(FAR_CONTEXT, "f"), write_buffer("f", "area"), fill_buffer("f")
    ),
    access_from_host("discard_write", read_buffer("f", "area"), write_host("area")),
)


def run_linked(path: Path, told: Trace | bytes, *options: str) -> Result:
    path.write_bytes(told if isinstance(told, bytes) else msgspec.json.encode(told))
    return CliRunner().invoke(cli, ["dev", "linked", str(path), *options])


def test_linked_command_reports_the_violations_of_a_recorded_trace(tmp_path: Path) -> None:
    good = run_linked(tmp_path / "trace.json", VALID_TRACE)
    assert (good.exit_code, good.output) == (0, "1 trace, 2 accesses: no violations of the note\n")
    bad = run_linked(tmp_path / "trace.json", INVALID_TRACE)
    assert bad.exit_code == exit_codes.DEVIATIONS
    assert "a test: access 1, host read m, clEnqueueMapBuffer: the host's side is active already" in bad.output
    assert "linked-allocations:linked-allocation-commands/7" in bad.output


def test_shipped_runtime_option_rejects_a_discarding_trace(tmp_path: Path) -> None:
    assert run_linked(tmp_path / "trace.json", DISCARDING_TRACE).exit_code == 0
    assert run_linked(tmp_path / "trace.json", DISCARDING_TRACE, "--shipped-runtime").exit_code == exit_codes.DEVIATIONS


def test_invalid_trace_is_reported_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    nameless = msgspec.structs.replace(VALID_TRACE, contexts=[])
    bare = msgspec.structs.replace(
        VALID_TRACE, accesses=[access_from(A, "read", Step(Call("clCreateBuffer", {}), Returned("a")))]
    )
    for told, said in ((b"[]", "not a trace"), (nameless, "A"), (bare, "clCreateBuffer has no parameter")):
        refused = run_linked(path, told)
        assert refused.exit_code == exit_codes.BAD_USAGE
        assert said in refused.stderr
        assert len(refused.stderr.splitlines()) == 1
    missing = CliRunner().invoke(cli, ["dev", "linked", str(tmp_path / "nothing.json")])
    assert missing.exit_code == exit_codes.BAD_USAGE


def test_linked_command_evaluates_the_traces_of_a_journal(tmp_path: Path) -> None:
    options = [
        "suites/chapters/linked_allocations",
        "--cl-simulated=numa-16",
        "--cl-seed=1",
        "-k",
        "cycle",
        f"--cl-out={tmp_path}",
    ]
    assert run_suites({"linked": options})["linked"].code == 0
    again = CliRunner().invoke(cli, ["dev", "linked", str(tmp_path)])
    assert again.exit_code == 0, again.output
    assert "4 traces" in again.output
