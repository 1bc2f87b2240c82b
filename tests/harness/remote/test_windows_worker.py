"""The worker for Windows, which runs under Wine here: ends of the driver's process, output, paths and connections.

The driver is a small library for Windows. Wine's own loader passes calls on to the drivers of this machine.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Died, Hung
from clconform.harness import HarnessError, Target
from clconform.harness.driver_connection import DriverConnection
from clconform.harness.machine_memory import ProcessMemory
from clconform.harness.remote.device import create_device
from clconform.harness.remote.links import close_links
from clconform.harness.remote.remote_process import RemoteProcess
from clconform.harness.remote.transports import connect
from clconform.harness.worker_executable import build_executable
from clconform.harness.worker_process import ProcessEndedError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.harness.remote.device import RemoteDevice

COMPILER = shutil.which("x86_64-w64-mingw32-gcc") or ""
WINE, WINE_SERVER = shutil.which("wine") or "", shutil.which("wineserver") or ""
START_SECONDS = 60.0
SECONDS = 1.5
"""The deadline of calls: shorter than the work of the function that works."""
NO_ARGUMENTS = "i"
LIBRARY = "windows_driver.dll"
ENDS = {
    "write_to_null": Died("signal", "SIGSEGV, exception 0xc0000005"),
    "crash_on_another_thread": Died("signal", "SIGSEGV, exception 0xc0000005"),
    "overflow_stack": Died("signal", "SIGSEGV, exception 0xc00000fd"),
    "divide_by_zero": Died("signal", "SIGFPE, exception 0xc0000094"),
    "run_illegal_instruction": Died("signal", "SIGILL, exception 0xc000001d"),
    "raise_exception": Died("signal", "exception 0xe06d7363"),
    "call_abort": Died("signal", "SIGABRT, exception 0x40000015"),
    "call_exit": Died("exit", "7"),
    "exit_with_minus_one": Died("exit", "4294967295"),
    "end_main_thread": Died("exit", "of the main thread"),
    "print_and_crash": Died("signal", "SIGSEGV, exception 0xc0000005", "printed by the driver"),
    "hang": Hung(SECONDS),
}
"""The end of the driver's process after a call of each function."""

pytestmark = [
    pytest.mark.skipif(not COMPILER, reason="no C compiler for Windows (gcc-mingw-w64-x86-64)"),
    pytest.mark.skipif(not WINE or not WINE_SERVER, reason="Wine is not installed"),
]


def windows_path(path: Path) -> str:
    """Return the path under which Windows programs find a file of this machine in Wine."""
    return "Z:" + str(path).replace("/", "\\")


@pytest.fixture(scope="module")
def worker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the worker for Windows; the library is next to it."""
    folder = tmp_path_factory.mktemp("windows")
    build_executable([COMPILER], folder / "clconform-worker.exe", ["-s"], platform="windows_x86_64")
    source = Path(__file__).with_name("windows_driver.c")
    subprocess.run([COMPILER, "-O1", "-shared", "-o", folder / LIBRARY, source], check=True)
    return folder / "clconform-worker.exe"


@pytest.fixture(scope="module")
def device(worker: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RemoteDevice]:
    """Return a device that runs the worker in a Wine of its own, which ends with the module."""
    folder = tmp_path_factory.mktemp("wine")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WINEPREFIX", str(folder))
        patch.setenv("WINEDEBUG", "-all")
        patch.setenv("WINEDLLOVERRIDES", "mscoree,mshtml=")  # else Wine offers to download them
        subprocess.run([WINE, "cmd", "/c", "ver"], check=True, capture_output=True, timeout=300)
        yield create_device(f"exec:{WINE} {worker} {{arguments}}")
        close_links()
        subprocess.run([WINE_SERVER, "-k"], check=False, capture_output=True, timeout=60)


@contextlib.contextmanager
def started(device: RemoteDevice, library: str) -> Iterator[DriverConnection]:
    process = RemoteProcess(Target.on_device(device, library=library))
    try:
        yield DriverConnection(process, START_SECONDS)
    finally:
        process.close()


@pytest.fixture
def library(worker: Path) -> str:
    return windows_path(worker.with_name(LIBRARY))


def call(connection: DriverConnection, library: str, function: str, seconds: float = SECONDS) -> int:
    """Call a function of the library, and return its result."""
    address = connection.find_symbol(connection.load_library(library), function)
    connection.subject, connection.seconds = function, seconds
    return connection.call_function(address, NO_ARGUMENTS).result


@pytest.mark.parametrize("function", ENDS)
def test_end_of_process_is_reported(device: RemoteDevice, library: str, function: str) -> None:
    with started(device, library) as connection, pytest.raises(ProcessEndedError) as raised:
        call(connection, library, function)
    assert raised.value.outcome == ENDS[function]


def test_working_call_gets_more_time(device: RemoteDevice, library: str) -> None:
    with started(device, library) as connection:
        assert call(connection, library, "work_for_three_seconds") == 5


def test_started_process_ends_with_the_driver(device: RemoteDevice, library: str) -> None:
    with started(device, library) as connection:
        assert call(connection, library, "start_process", START_SECONDS) > 0
    listed = subprocess.run([WINE, "tasklist"], check=True, capture_output=True, text=True, timeout=60)
    assert "cmd.exe" not in listed.stdout


def test_path_with_other_case_and_slashes_is_the_same_file(device: RemoteDevice, library: str) -> None:
    with started(device, library) as connection:
        address = connection.find_symbol(connection.load_library(library.replace("\\", "/")), "hang")
        memory = ProcessMemory(connection)
        assert memory.library_at(address) == library
        assert memory.is_code(address)
        assert memory.is_mapped(library)
        assert memory.is_mapped(library.replace("Z:\\", "z:/"))
        assert memory.is_mapped(LIBRARY.upper())
        assert not memory.is_mapped("other.dll")


def test_unreadable_memory_is_reported(device: RemoteDevice, library: str) -> None:
    with started(device, library) as connection:
        address = connection.find_symbol(connection.load_library(library), "hang")
        assert connection.peek(address, 16) is not None
        assert connection.peek(8, 16) is None
        assert connection.peek(1 << 60, 16) is None


def test_missing_library_is_reported_with_the_message_of_windows(device: RemoteDevice, library: str) -> None:
    with started(device, library) as connection, pytest.raises(OSError, match=r"no-such\.dll: .*126"):
        connection.load_library("C:\\no-such.dll")


def test_machine_has_the_types_of_windows(device: RemoteDevice, library: str) -> None:
    with started(device, library) as connection:
        assert (connection.machine.pointer_bytes, connection.machine.long_bytes) == (8, 4)


def test_facts_describe_windows(device: RemoteDevice) -> None:
    link = connect(device)
    facts = link.read_facts()
    boot = link.boot
    link.close()
    assert facts["system"] == "Windows"
    assert facts["machine"] == "x86_64"
    assert all(int(facts[name]) > 0 for name in ("processors", "memory", "free memory", "free space", "time"))
    again = connect(device)
    again.close()
    assert boot
    assert again.boot == boot


def test_folder_is_removed_at_the_end(device: RemoteDevice, tmp_path: Path) -> None:
    address = f"{device.address} --folder {windows_path(tmp_path).replace(chr(92), '/')}"
    link = connect(create_device(address))
    assert [each.name.startswith("clconform-server-") for each in tmp_path.iterdir()] == [True]
    link.close()
    assert list(tmp_path.iterdir()) == []


def test_server_listens_on_tcp(worker: Path, device: RemoteDevice, library: str) -> None:
    assert str(worker) in str(device)
    with subprocess.Popen([WINE, worker, "--listen", "0"], stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            found = re.match(r"clconform: listening on (\S+), port (\d+); token (\w+)", server.stdout.readline())
            assert found is not None
            address, token = f"tcp:{found[1]}:{found[2]}", found[3]
            with started(create_device(address, token=token), library) as one:
                link = connect(create_device(address, token=token))
                link.measure_latency()
                link.close()
                with pytest.raises(ProcessEndedError):
                    call(one, library, "write_to_null")
            with pytest.raises(HarnessError):
                connect(create_device(address, token="0" * len(token)))
            close_links()
        finally:
            server.kill()


def test_options_of_linux_are_rejected(worker: Path, device: RemoteDevice) -> None:
    assert str(worker) in str(device)
    done = subprocess.run([WINE, worker, "--mailbox", "1"], check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "--mailbox exists on Linux only" in done.stderr
