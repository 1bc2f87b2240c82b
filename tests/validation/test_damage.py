"""Damaged recordings and those of killed programs: no verdict that the whole recording does not have."""

from __future__ import annotations

import errno
import os
import random
import signal
import struct
import subprocess
from typing import TYPE_CHECKING

import pytest
from junitparser import JUnitXml

from clconform.calls import exit_codes
from clconform.recording.file_format import RecordingFile
from clconform.recording.file_layout import CHUNK_HEAD, CHUNK_MAGIC, FILE_HEAD, PAGE
from clconform.recording.program_launch import RecordingOptions, layer_environment
from clconform.selftest.fuzzing.recording_writer import change_records
from clconform.spec_tables import load
from clconform.validation.findings import ADVICE, PROBE, PROCESS_ENDED, PROGRAM
from clconform.validation.recording_judge import validate_recording
from tests import in_process

from .conftest import POCL, create_recorder
from .damage import SEED, DamageChecker, damage_recording

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from clconform.validation.findings import Validation

PLACES = 500
NEXT_NUMBER_AT = 64
"""The offset of the number of the next record in the head of a recording."""


def judge(path: Path) -> Validation:
    return validate_recording(RecordingFile(path, load()), load(), "")


def describe(found: Validation) -> set[tuple[object, ...]]:
    return {(each.party, each.kind, each.function, *each.requirements) for each in found.findings}


@pytest.fixture(scope="module")
def recording(build_program: Callable[..., Path], layer: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        return create_recorder(layer, tmp_path_factory.mktemp("whole"), patch)(build_program("damaged"), 2)[0]


@pytest.fixture(scope="module")
def checker(recording: Path, tmp_path_factory: pytest.TempPathFactory) -> DamageChecker:
    return DamageChecker(recording, tmp_path_factory.mktemp("damaged") / "copy.clrec")


def test_damaged_recording_has_only_verdicts_of_the_whole(checker: DamageChecker) -> None:
    errors = {
        each.description: found
        for each in damage_recording(checker.content, PLACES, SEED)
        if (found := checker.check(each.content))
    }
    assert errors == {}
    assert checker.results["incomplete"] > PLACES / 2
    assert checker.results["complete"] > PLACES / 20


def test_whole_recording_has_findings_from_its_end(recording: Path) -> None:
    """Cut recordings must not have these, so the whole one must have them."""
    found = describe(judge(recording))
    leaks = {(PROGRAM, ADVICE, name) for name in ("clCreateContext", "clEnqueueReadBuffer")}
    unanswered = (PROGRAM, "error", "clGetDeviceInfo", "clGetDeviceInfo/CL_INVALID_VALUE/1")
    assert leaks | {unanswered} <= found
    assert len(found) >= 9


def test_changed_bit_of_each_used_byte_is_detected_or_harmless(checker: DamageChecker) -> None:
    """The heads of the file and of a chunk, and the first records: every byte."""
    start = checker.content.index(CHUNK_MAGIC)
    for at in (*range(FILE_HEAD.size + 8), *range(start, start + CHUNK_HEAD.size + 200)):
        changed = bytearray(checker.content)
        changed[at] ^= 1 << at % 8
        assert checker.check(bytes(changed)) == [], at


def test_changed_records_with_valid_checksums_do_not_cause_an_error(checker: DamageChecker, tmp_path: Path) -> None:
    path = tmp_path / "changed.clrec"
    for seed in range(24):
        path.write_bytes(change_records(checker.content, random.Random(seed)))  # noqa: S311 (no secret)
        assert judge(path).calls <= 200


def _mark_as_stopped(content: bytes) -> bytes:
    magic, length, checksum, _, _, following = FILE_HEAD.unpack_from(content)
    head = FILE_HEAD.pack(magic, length, checksum, b"STOP", errno.ENOSPC, following)
    return head + content[len(head) :]


def _drop_a_chunk(content: bytes) -> bytes:
    """Return a recording in which the first chunk is unused space."""
    at = content.index(CHUNK_MAGIC)
    _, _, size, *_ = CHUNK_HEAD.unpack_from(content, at)
    return content[:at] + bytes(size) + content[at + size :]


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "cut": lambda content: content[: content.rindex(CHUNK_MAGIC) + 100],
    "cut before the last chunk": lambda content: content[: content.rindex(CHUNK_MAGIC)],
    "marked as stopped": _mark_as_stopped,
    "without a chunk": _drop_a_chunk,
    "a head only": lambda content: content[: content.index(CHUNK_MAGIC)],
    "another head": lambda content: content.replace(b"clCreateContext", b"clCreateKontext", 1),
    "a part of a head": lambda content: content[:3],
    "empty": lambda content: content[:0],
    "zeros": lambda content: bytes(len(content)),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_incomplete_recording_has_the_exit_code_of_an_incomplete_run(
    name: str, recording: Path, tmp_path: Path
) -> None:
    path, out = tmp_path / "calls.clrec", tmp_path / "out"
    path.write_bytes(DAMAGES[name](recording.read_bytes()))
    ended = in_process.run_command(tmp_path, "validate", "--out", str(out), str(path))
    assert (ended.returncode, ended.stderr) == (exit_codes.INCOMPLETE, "")
    (line,) = (line for line in ended.stdout.splitlines() if line.startswith("judged the first "))
    suites = {suite.name: suite for suite in JUnitXml.fromfile(str(out / "junit.xml"))}
    assert suites["clconform validate: recording"].errors == 1
    for file in ("validation.html", "validation.json", "junit.xml"):
        assert line in (out / file).read_text(encoding="utf-8"), file
    ended = in_process.run_command(tmp_path, "trace", str(path))
    assert (ended.returncode, ended.stdout.splitlines()[-1]) == (exit_codes.INCOMPLETE, line)


def test_undamaged_recording_has_the_exit_code_of_its_findings(recording: Path, tmp_path: Path) -> None:
    assert in_process.run_command(tmp_path, "validate", str(recording)).returncode == exit_codes.PROGRAM_VIOLATIONS
    assert in_process.run_command(tmp_path, "trace", str(recording)).returncode == exit_codes.AS_EXPECTED


def test_damage_of_one_process_does_not_hide_findings_of_another(recording: Path, tmp_path: Path) -> None:
    path = tmp_path / "calls.clrec.17"
    path.write_bytes(recording.read_bytes()[:-PAGE])
    ended = in_process.run_command(tmp_path, "validate", str(recording), str(path))
    assert ended.returncode == exit_codes.PROGRAM_VIOLATIONS
    assert in_process.run_command(tmp_path, "validate", str(path)).returncode == exit_codes.INCOMPLETE


@pytest.mark.parametrize("records", [10, 650, 700, 900, 1200])
def test_killed_program_has_only_verdicts_of_the_whole(
    records: int, recording: Path, build_program: Callable[..., Path], layer: Path, tmp_path: Path
) -> None:
    """The program is killed when so many records are written; failed queries are probes then."""
    path = tmp_path / "killed.clrec"
    with _start(build_program("damaged"), 40, layer, path) as program:
        while not path.is_file() or _count_records(path) < records:
            assert program.poll() is None
        program.send_signal(signal.SIGKILL)
    found = judge(path)
    more = describe(found) - describe(judge(recording))
    assert {kind for _, kind, *_ in more} <= (set() if found.damage else {PROCESS_ENDED, PROBE})
    assert ADVICE not in {each.kind for each in found.findings}


def test_commands_of_a_killed_program_are_reported(
    build_program: Callable[..., Path], layer: Path, tmp_path: Path
) -> None:
    """The program is killed outside calls, with a read that may be running."""
    path = tmp_path / "killed.clrec"
    with _start(build_program("damaged"), 1, layer, path) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == b"waiting\n"
        program.send_signal(signal.SIGKILL)
    found = judge(path)
    assert (found.damage, found.pending_calls) == ("", [])
    (running,) = found.running_commands
    assert running.startswith(f"clEnqueueReadBuffer, call {found.calls - 1}, ")
    assert not {ADVICE, PROCESS_ENDED} & {each.kind for each in found.findings}
    ended = in_process.run_command(tmp_path, "validate", str(path))
    assert f"may have been running when the process ended: {running}" in ended.stdout.splitlines()


def _start(program: Path, rounds: int, layer: Path, recording: Path) -> subprocess.Popen[bytes]:
    variables = {**os.environ, "OCL_ICD_VENDORS": str(POCL), **layer_environment(layer, recording, RecordingOptions())}
    return subprocess.Popen([str(program), str(rounds), "wait"], env=variables, stdout=subprocess.PIPE)


def _count_records(path: Path) -> int:
    with path.open("rb") as file:
        content = os.pread(file.fileno(), 8, NEXT_NUMBER_AT)
    return struct.unpack("<Q", content)[0] - 1 if len(content) == 8 else 0
