"""The programs ssh and adb carry the connection and copy the worker once. Here, scripts replace them."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Returned
from clconform.calls.values import Handle, OutputBuffer
from clconform.harness import HarnessError, Target, Worker
from clconform.harness.errors import ConnectionLostError
from clconform.harness.remote import device_shell, links
from clconform.harness.remote.device import create_device
from clconform.harness.worker_executable import NAME, source_digest

from .boards import Board

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from clconform.calls.call import Call


@pytest.fixture
def board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Board]:
    links.forget_devices()
    made = Board(tmp_path)
    monkeypatch.setenv("PATH", f"{made.programs}:{os.environ['PATH']}")
    monkeypatch.setattr(device_shell, "_PROBE", device_shell._PROBE.replace("/data/local/tmp", ""))
    yield made
    links.close_links()


@pytest.fixture
def query(create_call: Callable[..., Call]) -> Call:
    return create_call("clGetDeviceInfo", Handle("device1"), 0x1002, 4, OutputBuffer(4), None)


@pytest.mark.parametrize("address", ["ssh:board", "adb:0123", "adb:"])
def test_worker_is_copied_once(board: Board, fake_driver: str, query: Call, address: str) -> None:
    target = Target.on_device(create_device(address), library=fake_driver, direct=True)
    for _ in range(2):
        with Worker(target) as worker:
            assert isinstance(worker.call(query), Returned)
        links.close_links()
    (copied,) = board.own_folder.glob(f"{NAME}-{source_digest()}-*")
    assert stat.S_IMODE(copied.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(copied.stat().st_mode) == 0o700
    copies = [line for line in board.commands() if "cat >" in line]
    assert len(copies) == 1
    assert all(("-s 0123" in line) == (address == "adb:0123") for line in board.commands())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_folder_of_another_user_is_not_used(board: Board, fake_driver: str) -> None:
    board.own_folder.mkdir()
    os.chown(board.own_folder, 1, 1)
    target = Target.on_device(create_device("ssh:board"), library=fake_driver, direct=True)
    with pytest.raises(HarnessError, match=f"{board.own_folder} there belongs to another user"):
        Worker(target)
    assert list(board.own_folder.iterdir()) == []


def test_half_a_copy_is_never_used(board: Board, fake_driver: str, query: Call) -> None:
    target = Target.on_device(create_device("ssh:board"), library=fake_driver, direct=True)
    board.set_fault('case "$last" in cat*) head -c 1000 | sh -c "$last"; exit;; esac')
    with pytest.raises(ConnectionLostError, match="ssh has ended with exit code 1"):
        Worker(target)
    board.set_fault("")
    links.forget_devices()
    with Worker(target) as worker:
        assert isinstance(worker.call(query), Returned)


@pytest.mark.parametrize(
    ("fault", "error", "said"),
    [
        (
            "echo 'Permission denied (publickey).' >&2; exit 255",
            ConnectionLostError,
            r"Permission denied \(publickey\)",
        ),
        ("echo 'error: device unauthorized' >&2; exit 1", ConnectionLostError, "device unauthorized"),
        ("echo FreeBSD amd64; exit", HarnessError, "runs on Linux, Android and Windows, and 'FreeBSD' answers"),
        ("echo Linux mips; echo /tmp; exit", HarnessError, "no worker for machines of the type 'mips'; build it there"),
        ("echo Linux x86_64; exit", HarnessError, "no folder for temporary files there can be written to; set TMPDIR"),
        ("echo Linux x86_64; echo foreign /x; exit", HarnessError, "/x there belongs to another user"),
        ("echo Linux riscv64; echo /tmp; exit", HarnessError, "clconform device worker riscv64-linux-gnu --build"),
        ('case "$last" in env*) echo no such file >&2; exit 127;; esac', ConnectionLostError, "127: no such file"),
        (
            'case "$last" in env*) echo cannot execute: exec format error; exit 126;; esac',
            ConnectionLostError,
            "cannot",
        ),
        ('case "$last" in env*) kill $$;; esac', ConnectionLostError, "was lost"),
    ],
)
def test_what_prevents_a_connection_is_named(
    board: Board, fake_driver: str, fault: str, error: type[HarnessError], said: str
) -> None:
    board.set_fault(fault)
    target = Target.on_device(create_device("ssh:board"), library=fake_driver, direct=True)
    with pytest.raises(error, match=said) as raised:
        Worker(target)
    assert "\n" not in str(raised.value)
    assert str(raised.value).count("ssh:board") == 1


def test_missing_program_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(HarnessError, match="cannot start 'adb': No such file or directory; install it"):
        Worker(Target.on_device(create_device("adb:1")))
    with pytest.raises(HarnessError, match="cannot start 'no-such-program'"):
        Worker(Target.on_device(create_device("exec:no-such-program {arguments}")))
