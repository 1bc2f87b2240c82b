"""A server runs drivers for a session, leaves nothing behind, and admits only those who know its token."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Died, Hung, Returned
from clconform.calls.values import Handle, OutputBuffer
from clconform.harness import Deadlines, HarnessError, Target, Worker
from clconform.harness.errors import ConnectionLostError
from clconform.harness.remote import links
from clconform.harness.remote.device import create_device
from clconform.harness.remote.frames import HEAD_BYTES
from clconform.harness.worker_build import find_worker

from .servers import SECONDS, children_of, listening_server, server_folders, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Call

DEVICE = Handle("device1")


@pytest.fixture(autouse=True)
def _close_links() -> None:
    """Close the links that earlier tests have left open."""
    links.forget_devices()


@pytest.fixture
def query(create_call: Callable[..., Call]) -> Call:
    return create_call("clGetDeviceInfo", DEVICE, 0x1002, 4, OutputBuffer(4), None)


def local_device(folder: Path, driver: str, *environment: str) -> Target:
    """Return the target for a driver with a server on this machine, whose files are below a folder."""
    device = create_device(f"exec:{find_worker()} {{arguments}} --folder {folder}", environment=environment)
    return Target.on_device(device, library=driver, direct=True)


def server_of(folder: Path) -> int:
    """Return the id of the only server with a folder below this one."""
    (found,) = server_folders(folder)
    return int(found.name.split("-")[2])


def has_ended(process: int) -> bool:
    try:
        return "\nState:\tZ" in Path(f"/proc/{process}/status").read_text(encoding="ascii")
    except (FileNotFoundError, ProcessLookupError):
        return True


def test_one_server_runs_one_process_after_another(
    tmp_path: Path, fake_driver: str, query: Call, create_call: Callable[..., Call]
) -> None:
    target = local_device(tmp_path, fake_driver)
    servers = set()
    for _ in range(3):
        with Worker(target) as worker:
            assert isinstance(worker.call(query), Returned)
            servers.add(server_of(tmp_path))
            died = worker.call(create_call("clRetainDevice", DEVICE))
            assert isinstance(died, Died)
            assert (died.how, died.detail) == ("exit", "7")
    assert len(servers) == 1
    assert children_of(servers.pop()) == []


def test_nothing_is_left_when_the_connection_is_closed(tmp_path: Path, fake_driver: str, query: Call) -> None:
    worker = Worker(local_device(tmp_path, fake_driver))
    assert isinstance(worker.call(query), Returned)
    server = server_of(tmp_path)
    (driver,) = children_of(server)
    worker.close()
    links.close_links()
    assert wait_until(lambda: has_ended(server) and has_ended(driver))
    assert list(tmp_path.iterdir()) == []


def test_servers_that_start_together_do_not_remove_the_folders_of_each_other(tmp_path: Path) -> None:
    words = [find_worker(), "--serve", "--folder", tmp_path]
    for _ in range(10):
        started = [subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(8)]
        greetings = []
        for server in started:
            assert server.stdout is not None
            greetings.append(len(server.stdout.read(HEAD_BYTES)))
        assert greetings == [HEAD_BYTES] * len(started)
        assert len(server_folders(tmp_path)) == len(started)
        for server in started[::2]:
            server.kill()  # its folder stays, and the next servers remove it
        for server in started:
            server.communicate()
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as last:
        last.communicate()
    assert server_folders(tmp_path) == set()


def test_killed_server_ends_its_driver_and_the_next_server_removes_its_folder(
    tmp_path: Path, fake_driver: str, query: Call
) -> None:
    target = local_device(tmp_path, fake_driver)
    worker = Worker(target)
    server = server_of(tmp_path)
    (driver,) = children_of(server)
    os.kill(server, signal.SIGKILL)
    assert wait_until(lambda: has_ended(driver))
    with pytest.raises(ConnectionLostError, match="was lost"):
        worker.call(query)
    worker.close()
    with Worker(target) as again:
        assert isinstance(again.call(query), Returned)
        assert len(server_folders(tmp_path)) == 1
        assert server_of(tmp_path) != server


def test_killed_driver_is_an_end_and_not_a_loss(tmp_path: Path, fake_driver: str, query: Call) -> None:
    with Worker(local_device(tmp_path, fake_driver)) as worker:
        (driver,) = children_of(server_of(tmp_path))
        os.kill(driver, signal.SIGKILL)
        outcome = worker.call(query)
    assert isinstance(outcome, Died)
    assert (outcome.how, outcome.detail) == ("killed", "SIGKILL")


def test_terminated_server_cleans_up(tmp_path: Path, fake_driver: str) -> None:
    worker = Worker(local_device(tmp_path, fake_driver))
    server = server_of(tmp_path)
    (driver,) = children_of(server)
    os.kill(server, signal.SIGTERM)
    assert wait_until(lambda: has_ended(server) and has_ended(driver))
    assert list(tmp_path.iterdir()) == []
    worker.close()


def test_hanging_driver_and_its_children_are_ended(
    tmp_path: Path, fake_driver: str, create_call: Callable[..., Call], query: Call
) -> None:
    target = local_device(tmp_path, fake_driver)
    with Worker(target, deadlines=Deadlines(others=0.5)) as worker:
        server = server_of(tmp_path)
        assert worker.call(create_call("clReleaseDevice", DEVICE)) == Hung(0.5)
        assert children_of(server) == []
    with Worker(target) as worker:
        assert isinstance(worker.call(query), Returned)


def test_environment_reaches_the_driver(tmp_path: Path, fake_driver: str) -> None:
    with Worker(local_device(tmp_path, fake_driver, "FAKE_DEVICES=0"), devices_needed=False) as worker:
        assert worker.greeting.platforms[0].devices == []
    with Worker(local_device(tmp_path, fake_driver)) as worker:
        assert len(worker.greeting.platforms[0].devices) == 1


def test_listening_server_admits_only_those_with_its_token(tmp_path: Path, fake_driver: str, query: Call) -> None:
    with listening_server(tmp_path) as server:
        address = f"tcp:127.0.0.1:{server.port}"
        device = create_device(address, token=server.token)
        with Worker(Target.on_device(device, library=fake_driver, direct=True)) as worker:
            assert isinstance(worker.call(query), Returned)
            with socket.create_connection(("127.0.0.1", server.port)) as other:
                other.sendall(b"0" * len(server.token))
                other.settimeout(SECONDS)
                assert other.recv(1) == b""
            assert isinstance(worker.call(query), Returned)
        wrong = create_device(address, token="0" * len(server.token))
        with pytest.raises(ConnectionLostError, match="was lost"):
            Worker(Target.on_device(wrong, library=fake_driver, direct=True))
        links.close_links()
        assert wait_until(lambda: children_of(server.process.pid) == [])
    assert list(tmp_path.iterdir()) == []


def test_several_sessions_use_a_listening_server_at_once(tmp_path: Path, fake_driver: str, query: Call) -> None:
    with listening_server(tmp_path) as server:
        device = create_device(f"tcp:127.0.0.1:{server.port}", token=server.token)
        target = Target.on_device(device, library=fake_driver, direct=True)
        with Worker(target) as first, Worker(target) as second:
            assert isinstance(first.call(query), Returned)
            assert isinstance(second.call(query), Returned)
            assert len(server_folders(tmp_path)) == 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--listen", "70000"], "not a port: 70000"),
        (["--listen"], "an option without a value: --listen"),
        (["--listen", "0", "--address", "no address"], "cannot listen on no address"),
        (["--serve", "--folder", "/no/such/folder"], "cannot create a folder for temporary files"),
        (["--serve", "--other", "1"], "unknown option --other"),
        ([], "an option is missing"),
    ],
)
def test_bad_options_are_named(options: list[str], said: str) -> None:
    done = subprocess.run(
        [find_worker(), *options],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert done.returncode in (1, 2)
    assert said in done.stderr


def test_other_programs_and_versions_are_named(fake_driver: str, tmp_path: Path) -> None:
    script = tmp_path / "other"
    script.write_text("#!/bin/sh\necho welcome to the board, please log in\nsleep 60\n", encoding="ascii")
    script.chmod(0o755)
    target = Target.on_device(create_device(f"exec:{script} {{arguments}}"), library=fake_driver)
    with pytest.raises(
        ConnectionLostError, match="something other than the server of clconform answers there: 'welcome"
    ):
        Worker(target)


def test_library_that_is_missing_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match=r"cannot load /no/such/lib\.so"):
        Worker(local_device(tmp_path, "/no/such/lib.so"))
