"""Programs on another machine are recorded there and judged here. A script that runs a shell stands for ssh and adb."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from clconform.calls import exit_codes
from clconform.harness.worker_executable import platform_name
from clconform.recording.file_format import RecordingFile
from clconform.recording.layer_build import LayerError, build_layer_for
from clconform.spec_tables import load
from tests import in_process
from tests.harness.remote.boards import Board

from .conftest import POCL
from .test_loaders import DEBIAN

if TYPE_CHECKING:
    from collections.abc import Callable

SECONDS = 120.0
DRIVER = ("--driver", str(POCL))
LONG_PROGRAM = 'touch "$0/started"; sleep 60'
"""A shell program that runs until it is ended; the first argument: a folder."""


@pytest.fixture
def board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Board:
    made = Board(tmp_path)
    monkeypatch.setenv("PATH", f"{made.programs}:{os.environ['PATH']}")
    monkeypatch.setenv("OCL_ICD_VENDORS", "/no/such/folder")
    monkeypatch.chdir(tmp_path)
    return made


def run_clconform(*words: object) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "clconform.tools", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        input="",
    )


def assert_board_is_clean(board: Board) -> None:
    """Check that only the layer, which is kept for later programs, is left on the board."""
    assert [each.name[:6] for each in board.own_folder.iterdir()] == ["layer-"]


@pytest.mark.parametrize("address", ["ssh:board", "adb:0123"])
def test_program_on_a_device_is_judged(board: Board, build_program: Callable[..., Path], address: str) -> None:
    correct, wrong = build_program("mistakes", "SHORT"), build_program("mistakes", "MISTAKES", "SHORT")
    ended = run_clconform("validate", "--device", address, *DRIVER, "--", correct)
    assert ended.returncode == exit_codes.AS_EXPECTED, ended.stdout + ended.stderr
    assert "0 violations of the program · 0 deviations of the driver" in ended.stdout
    ended = run_clconform("validate", "--device", address, *DRIVER, "--", wrong)
    assert ended.returncode == exit_codes.DEVIATIONS, ended.stdout + ended.stderr
    assert "program: error  clEnqueueCopyBuffer/CL_MEM_COPY_OVERLAP/1" in ended.stdout
    assert f"{wrong}+0x" in ended.stdout
    assert ".c:" not in ended.stdout  # a code file of this machine is not read
    assert_board_is_clean(board)
    assert len([line for line in board.commands() if "cat >" in line]) == 1


@pytest.mark.parametrize("shim", ["--shim", "--shim=preload"])
def test_shim_records_a_program_on_a_device(
    board: Board, build_program: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, shim: str
) -> None:
    wrong = build_program("mistakes", "MISTAKES", "SHORT")
    monkeypatch.setenv("OCL_ICD_VENDORS", str(POCL))
    ended = run_clconform("validate", "--device", "ssh:board", shim, "--driver", DEBIAN, "--", wrong)
    assert ended.returncode == exit_codes.DEVIATIONS, ended.stdout + ended.stderr
    assert "program: error  clEnqueueCopyBuffer/CL_MEM_COPY_OVERLAP/1" in ended.stdout
    assert [each.name[:5] for each in board.own_folder.iterdir()] == ["shim-"]


def test_program_on_android_is_recorded_by_a_shim_of_the_ndk(
    board: Board, build_program: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    compiler = tmp_path / "bin" / "x86_64-linux-android26-clang"
    compiler.write_text('#!/bin/sh\nexec cc "$@"\n')
    compiler.chmod(0o755)
    board.set_fault(f'case "$last" in uname*) echo Linux x86_64; echo {board.folder}; echo Android; exit;; esac')
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("OCL_ICD_VENDORS", str(POCL))
    ended = run_clconform("validate", "--device", "adb:", "--", build_program("mistakes", "SHORT"))
    assert ended.returncode == exit_codes.AS_EXPECTED, ended.stdout + ended.stderr
    assert "0 violations of the program · 0 deviations of the driver" in ended.stdout


def test_command_for_a_shell_carries_output_and_variables(
    board: Board, build_program: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TMPDIR", str(board.folder))
    script = tmp_path / "program"
    script.write_text(f'#!/bin/sh\necho "$WORD" >&2; cat\n{build_program("mistakes", "SHORT")}\nexit 3\n')
    script.chmod(0o755)
    words = ("--device", "exec:env {arguments}", "--device-env", "WORD=two  'words'", *DRIVER, "--", "./program")
    ended = run_clconform("record", *words)
    assert ended.returncode == 3, ended.stdout + ended.stderr
    assert "two  'words'" in ended.stderr
    assert "its calls are in calls.clrec" in ended.stdout
    assert in_process.run_command(tmp_path, "validate", "calls.clrec").returncode == exit_codes.AS_EXPECTED
    assert_board_is_clean(board)


def test_lost_connection_leaves_an_incomplete_recording(board: Board, build_program: Callable[..., Path]) -> None:
    program = build_program("mistakes", "SHORT")
    cut = f'case "$last" in env*) TMPDIR={board.folder} sh -c "$last" & sleep 5; echo gone >&2; exit 255;; esac'
    board.set_fault(cut)
    ended = run_clconform("validate", "--device", "ssh:board", *DRIVER, "--", "sh", "-c", f"{program}; sleep 60")
    assert ended.returncode == exit_codes.INCOMPLETE, ended.stdout + ended.stderr
    assert "the connection to ssh:board was lost (ssh has ended with exit code 255)" in ended.stdout
    assert "incomplete recording: the connection to the machine of the program was lost" in ended.stdout
    assert_board_is_clean(board)


def test_half_a_fetched_recording_is_incomplete(
    board: Board, build_program: Callable[..., Path], tmp_path: Path
) -> None:
    program = build_program("mistakes", "SHORT")
    board.set_fault('case "$last" in "cat "*clrec) sh -c "$last" | head -c 30000; exit 255;; esac')
    ended = run_clconform("record", "--device", "ssh:board", *DRIVER, "--", program)
    assert ended.returncode == exit_codes.AS_EXPECTED
    assert "its recording is incomplete: the connection to the machine" in ended.stderr
    assert in_process.run_command(tmp_path, "validate", "calls.clrec").returncode == exit_codes.INCOMPLETE
    assert list(RecordingFile(tmp_path / "calls.clrec", load()).events())
    assert_board_is_clean(board)


def test_unreachable_machine_after_a_lost_connection_is_an_error(board: Board, tmp_path: Path) -> None:
    board.set_fault(
        f'test -e {tmp_path}/gone && exit 255; case "$last" in env*) touch {tmp_path}/gone; exit 255;; esac'
    )
    ended = run_clconform("record", "--device", "ssh:board", "--", "true")
    assert ended.returncode == exit_codes.NO_SUCH_PLATFORM, ended.stdout + ended.stderr
    assert "ssh:board was lost" in ended.stderr
    assert "its recording cannot be fetched" in ended.stderr


def test_interrupt_ends_the_program_and_removes_its_folder(board: Board, tmp_path: Path) -> None:
    words = ("record", "--device", "ssh:board", "--", "sh", "-c", LONG_PROGRAM, tmp_path)
    with subprocess.Popen([sys.executable, "-m", "clconform.tools", *map(str, words)]) as command:
        until = time.monotonic() + SECONDS
        while not (tmp_path / "started").exists():
            assert time.monotonic() < until
            time.sleep(0.05)
        (process,) = board.own_folder.glob("clconform-recording-*/process")
        number = process.read_text().strip()
        command.send_signal(signal.SIGINT)
        assert command.wait(SECONDS) == exit_codes.INTERRUPTED
    assert_board_is_clean(board)
    state = Path("/proc", number, "stat")
    assert not state.exists() or state.read_text().split()[2] == "Z"


@pytest.mark.parametrize(
    ("fault", "words", "code", "said"),
    [
        ("", ("--device", "ssh:board", "--", "./none"), 2, "there is no program ./none there"),
        ("", ("--device", "ssh:board", "--", "./log"), 2, "./log of this machine is not copied: copy it there first"),
        ("", ("--device", "ssh:board", "--", "true"), 6, "name that with --device-target"),
        ("", ("--device", "ssh:board", "--", "sh", "-c", "kill -9 $$"), 14, "ended by SIGKILL; no OpenCL call"),
        ("", ("--device", "tcp:board:7000", "--", "true"), 6, "not to a shell; use ssh:HOST, adb:SERIAL or exec:"),
        ("", ("--device", "exec:{worker} {arguments}", "--", "true"), 6, "starts the worker, not a shell"),
        ("", ("--device", "ssh:board", "--device-target", "mips", "--", "true"), 6, "unknown target 'mips'"),
        ("", ("--device", "ssh:board", "--device-target", "x86_64-windows-gnu", "--", "true"), 2, "there is no layer"),
        ("", ("--device", "ssh:board", "--live", "--", "true"), 2, "--live judges programs of this machine only"),
        ("", ("--device-env", "A=B", "--", "true"), 2, "--device-env applies to other machines only"),
        ("", ("--driver", "lib.so", "--", "true"), 2, "set OCL_ICD_VENDORS for a program of this machine"),
        (
            "echo Linux aarch64; echo /tmp; echo Android; exit",
            ("--device", "adb:", "--", "true"),
            2,
            "the shim for aarch64-linux-android must be built here, but there is no aarch64-linux-android24-clang",
        ),
        ("", ("--shim", "--", "true"), 6, "has another name than libOpenCL.so and libOpenCL.so.1"),
        ("", ("--shim=preload", "--", "true"), 6, "it opens its OpenCL library itself (try --shim=library)"),
        ("echo FreeBSD amd64; exit", ("--device", "ssh:board", "--", "true"), 6, "recorded on Linux, and 'FreeBSD'"),
        (
            "",
            ("--device", "exec:false {arguments}", "--", "true"),
            6,
            "false has ended with exit code 1; the command must be able to run sh, uname and test there",
        ),
        (
            "echo Linux mips; echo /tmp; exit",
            ("--device", "ssh:board", "--", "true"),
            2,
            "no layer for machines of the type 'mips'",
        ),
        ("echo denied >&2; exit 255", ("--device", "ssh:board", "--", "true"), 6, "exit code 255: denied"),
    ],
)
def test_invalid_use_is_rejected_in_one_line(
    board: Board, layer: Path, fault: str, words: tuple[str, ...], code: int, said: str
) -> None:
    del layer
    board.set_fault(fault)
    ended = run_clconform("validate", *words)
    assert ended.returncode == code, ended.stdout + ended.stderr
    assert said in ended.stderr
    assert ended.stderr.count("clconform: ") == 1


@pytest.fixture
def compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a script on the search path that stands for a C compiler for riscv64."""
    program = tmp_path / "riscv64-linux-gnu-gcc"
    program.write_text('#!/bin/sh\nwhile test "$1" != -o; do shift; done; echo built > "$2"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")


@pytest.mark.usefixtures("compiler")
def test_worker_and_layer_are_built_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    ended = in_process.run_command(tmp_path, "device", "worker", "riscv64-linux-gnu", "--build")
    assert ended.returncode == exit_codes.AS_EXPECTED, ended.stderr
    worker, layer = map(Path, ended.stdout.splitlines())
    assert worker.parent.name.startswith("linux_riscv64-")
    assert layer == build_layer_for(load(), "linux_riscv64")


@pytest.mark.usefixtures("compiler")
def test_layer_is_built_for_the_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, layer: Path) -> None:
    built = build_layer_for(load(), "linux_riscv64", tmp_path)
    assert built.read_text() == "built\n"
    assert built == build_layer_for(load(), "linux_riscv64", tmp_path)
    assert build_layer_for(load(), platform_name()) == layer
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    with pytest.raises(LayerError, match="install gcc-arm-linux-gnueabihf"):
        build_layer_for(load(), "linux_armv7l", tmp_path)
