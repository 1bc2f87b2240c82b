"""The client of a worker process distinguishes how the driver's process ended, and leaves no process behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import UNTOUCHED, Absent, Died, FunctionLookup, Hung, Output, Returned
from clconform.calls.values import ElementList, Handle, HostCallback, OutputBuffer
from clconform.harness import BadCall, Deadlines, HarnessError, Target, Worker, query_platforms
from clconform.harness.remote.device import create_device
from clconform.oracles.engine import symptoms

from .remote.servers import LOCAL_SERVER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.call import Call
    from clconform.spec_tables import Tables

DEVICE = Handle("device1")


@pytest.fixture(params=["here", "on a device"])
def worker(request: pytest.FixtureRequest, fake_driver: str) -> Iterator[Worker]:
    if request.param == "here":
        target = Target.driver(fake_driver, direct=True)
    else:
        target = Target.on_device(create_device(LOCAL_SERVER), library=fake_driver, direct=True)
    with Worker(target) as running:
        yield running


def _create_context(worker: Worker, create_call: Callable[..., Call]) -> Handle:
    outcome = worker.call(create_call("clCreateContext", None, 1, ElementList((DEVICE,)), None, None, OutputBuffer(1)))
    assert isinstance(outcome, Returned)
    assert isinstance(outcome.value, str)
    return Handle(outcome.value)


def test_greeting_of_worker_lists_platforms_and_devices(worker: Worker, fake_driver: str) -> None:
    seen = worker.greeting
    assert (seen.access, seen.loader, seen.libraries) == ("direct", "", [os.path.realpath(fake_driver)])
    (platform,) = seen.platforms
    assert (platform.handle, platform.name, platform.version) == ("platform1", "Fake platform", "OpenCL 1.2 fake")
    (device,) = platform.devices
    assert (device.handle, device.name, device.type, device.compute_units) == ("device1", "Fake device", 2, 4)
    assert 0 < worker.startup_seconds < 60


@pytest.mark.parametrize(
    ("function", "how", "detail"),
    [
        ("clRetainContext", "signal", "SIGSEGV"),
        ("clReleaseContext", "abort", "SIGABRT"),
        ("clRetainDevice", "exit", "7"),
        ("clCreateContextFromType", "killed", "SIGKILL"),
    ],
)
def test_signal_abort_exit_and_kill_are_distinguished(
    worker: Worker, create_call: Callable[..., Call], function: str, how: str, detail: str
) -> None:
    if function == "clCreateContextFromType":
        call = create_call(function, None, 2, None, None, None)
    else:
        call = create_call(function, DEVICE if "Device" in function else _create_context(worker, create_call))
    outcome = worker.call(call)
    assert isinstance(outcome, Died)
    assert (outcome.how, outcome.detail) == (how, detail)
    assert not worker.is_alive
    with pytest.raises(HarnessError, match="start a new one"):
        worker.call(call)


def test_last_output_of_crashed_driver_is_returned(worker: Worker, create_call: Callable[..., Call]) -> None:
    outcome = worker.call(create_call("clReleaseContext", _create_context(worker, create_call)))
    assert isinstance(outcome, Died)
    assert outcome.last_output == "printed by the driver\na last word"


def test_death_between_calls_is_detected_by_next_call(worker: Worker, create_call: Callable[..., Call]) -> None:
    context = _create_context(worker, create_call)
    assert isinstance(worker.call(create_call("clGetContextInfo", context, 0x1081, 0, None, None)), Returned)
    time.sleep(0.5)
    worker.begin_example()
    outcome = worker.call(create_call("clGetDeviceInfo", DEVICE, 0x1002, 4, OutputBuffer(4), None))
    assert isinstance(outcome, Died)
    assert outcome.how == "abort"


def test_hanging_process_and_its_children_are_killed_at_deadline(
    fake_driver: str, create_call: Callable[..., Call], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = tmp_path / "child"
    monkeypatch.setenv("FAKE_CHILD", str(told))
    with Worker(Target.driver(fake_driver, direct=True), deadlines=Deadlines(others=0.5)) as worker:
        began = time.monotonic()
        outcome = worker.call(create_call("clReleaseDevice", DEVICE))
        assert outcome == Hung(0.5)
        assert time.monotonic() - began < 10
        assert not worker.is_alive
    assert _has_ended(int(told.read_text()))


def test_deadlines_are_multiplied_by_factor_of_driver(
    fake_driver: str, create_call: Callable[..., Call], monkeypatch: pytest.MonkeyPatch
) -> None:
    target = Target.driver(fake_driver, direct=True).with_deadlines(0.5)
    with Worker(target, deadlines=Deadlines(others=1.0)) as worker:
        assert worker.call(create_call("clReleaseDevice", DEVICE)) == Hung(0.5)
    monkeypatch.setenv("FAKE_LOADING", "hang")
    with pytest.raises(HarnessError, match=r"within 0\.5 s"):
        Worker(target, start_seconds=1)


@pytest.mark.skipif(shutil.which("gdb") is None, reason="gdb is not installed")
def test_hang_outcome_has_backtrace_on_request(fake_driver: str, create_call: Callable[..., Call]) -> None:
    with Worker(Target.driver(fake_driver, direct=True), backtraces=True) as worker:
        outcome = worker.call(create_call("clReleaseDevice", DEVICE), deadline=0.5)
    assert isinstance(outcome, Hung)
    assert "ReleaseDevice" in outcome.backtrace


def test_shared_memory_is_released_when_the_worker_ends(fake_driver: str, create_call: Callable[..., Call]) -> None:
    def segments() -> int:
        maps = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace")
        return sum("SYSV" in line for line in maps.splitlines())

    before = segments()
    with Worker(Target.driver(fake_driver, direct=True)) as worker:
        assert segments() == before + 1
        assert isinstance(worker.call(create_call("clRetainDevice", DEVICE)), Died)
        assert segments() == before
    with Worker(Target.driver(fake_driver, direct=True)):
        assert segments() == before + 1
    assert segments() == before


def test_worker_dies_with_killed_parent(fake_driver: str) -> None:
    program = (
        "import sys, time; from clconform.harness import Target, Worker;"
        "worker = Worker(Target.driver(sys.argv[1], direct=True)); print(worker.pid, flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", program, fake_driver], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.kill()
    for _ in range(100):
        try:
            status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
        except (FileNotFoundError, ProcessLookupError):
            return
        if "\nState:\tZ" in status:
            return
        time.sleep(0.05)
    os.kill(pid, signal.SIGKILL)
    pytest.fail("the worker outlived its parent")


@pytest.mark.parametrize("worker", ["here"], indirect=True)
def test_closed_worker_ends_its_process(worker: Worker) -> None:
    pid = worker.pid
    worker.close()
    worker.close()
    assert _has_ended(pid)


@pytest.mark.parametrize("worker", ["here"], indirect=True)
def test_interrupted_call_ends_worker(
    worker: Worker, create_call: Callable[..., Call], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(worker._process._mailbox, "receive", interrupt)
    with pytest.raises(KeyboardInterrupt):
        worker.call(create_call("clGetDeviceInfo", DEVICE, 0x1002, 4, OutputBuffer(4), None))
    assert not worker.is_alive
    assert _has_ended(worker.pid)


def test_outcome_contains_outputs_overruns_and_callbacks(worker: Worker, create_call: Callable[..., Call]) -> None:
    outcome = worker.call(
        create_call("clCreateSubDevices", DEVICE, ElementList((0x1086, 1, 0)), 2, OutputBuffer(2), OutputBuffer(1))
    )
    assert isinstance(outcome, Returned)
    assert outcome.outputs == {
        "out_devices": Output(["device2", "device2"], 16),
        "num_devices_ret": Output([2], 4),
    }
    assert outcome.overrun == ["out_devices"]
    outcome = worker.call(
        create_call("clCreateContext", None, 1, ElementList((DEVICE,)), HostCallback("notify"), None, OutputBuffer(1))
    )
    assert isinstance(outcome, Returned)
    assert (outcome.value, [called.name for called in outcome.callbacks]) == ("context1", ["notify"])
    told = {"errinfo": "hello", "private_info": None, "cb": 0, "user_data": None}
    assert (outcome.callbacks[0].arguments, outcome.callbacks[0].driver_thread) == (told, False)


def test_query_value_is_decoded_by_its_type_in_the_tables(
    worker: Worker, create_call: Callable[..., Call], tables: Tables
) -> None:
    def query(name: str, size: int) -> Output:
        outcome = worker.call(
            create_call(
                "clGetDeviceInfo", DEVICE, tables.enumerants[name].value, size, OutputBuffer(size), OutputBuffer(1)
            )
        )
        assert isinstance(outcome, Returned)
        return outcome.outputs["param_value"]

    assert query("CL_DEVICE_NAME", 64).values == ["Fake device\0"]
    assert query("CL_DEVICE_PLATFORM", 8).values == ["platform1"]
    assert query("CL_DEVICE_PARENT_DEVICE", 8).values == [None]
    assert query("CL_DEVICE_PARTITION_TYPE", 64).values == [0x1086, 1, "device1", 0]
    assert query("CL_DEVICE_PARTITION_TYPE", 8) == Output([], 0, b"")


def test_object_names_start_again_with_each_example(worker: Worker, create_call: Callable[..., Call]) -> None:
    split = create_call("clCreateSubDevices", DEVICE, None, 1, OutputBuffer(1), None)
    first, again = worker.call(split), worker.call(split)
    worker.forget_objects(["device2"])
    after = worker.call(split)
    worker.begin_example()
    fresh = worker.call(split)
    names = [one.outputs["out_devices"].values for one in (first, again, after, fresh) if isinstance(one, Returned)]
    assert names == [["device2"], ["device2"], ["device3"], ["device2"]]


def test_invalid_call_is_rejected_and_worker_stays_alive(worker: Worker, create_call: Callable[..., Call]) -> None:
    with pytest.raises(BadCall, match=r"no live object 'device9'"):
        worker.call(create_call("clGetDeviceInfo", Handle("device9"), 0x1002, 4, OutputBuffer(4), None))
    with pytest.raises(BadCall, match=r"num_devices \(cl_uint\): 4294967296 does not fit into 32 bits"):
        worker.call(create_call("clCreateSubDevices", DEVICE, None, 1 << 32, None, None))
    outcome = worker.call(create_call("clGetDeviceInfo", DEVICE, 0x1002, 4, OutputBuffer(4), OutputBuffer(1)))
    assert isinstance(outcome, Returned)
    assert outcome.value == 0
    outcome = worker.call(create_call("clGetDeviceInfo", DEVICE, 0, 4, OutputBuffer(4), OutputBuffer(1)))
    assert isinstance(outcome, Returned)
    assert (outcome.value, outcome.outputs["param_value_size_ret"].values) == (-30, [UNTOUCHED])


def test_unknown_object_cannot_be_put_aside(worker: Worker, create_call: Callable[..., Call]) -> None:
    with pytest.raises(BadCall, match="no live object 'context9'"):
        worker.put_aside("context9")
    units = create_call("clGetDeviceInfo", DEVICE, 0x1002, 4, OutputBuffer(4), OutputBuffer(1))
    assert isinstance(worker.call(units), Returned)


def test_object_kept_for_the_next_example_is_named_again(worker: Worker, create_call: Callable[..., Call]) -> None:
    worker.put_aside(_create_context(worker, create_call).name)
    worker.begin_example()
    assert worker.take_back(0) == Returned("context1")
    assert isinstance(worker.call(create_call("clGetContextInfo", Handle("context1"), 0x1080, 0, None, None)), Returned)
    with pytest.raises(BadCall, match="no object 1 was put aside"):
        worker.take_back(1)


def test_used_up_callbacks_end_the_process_with_the_example(worker: Worker, create_call: Callable[..., Call]) -> None:
    """The functions of a process are never assigned again, because a driver may invoke them at any later time."""

    def create_contexts(count: int) -> None:
        for number in range(count):
            callback = HostCallback(f"notify {number}")
            outcome = worker.call(create_call("clCreateContext", None, 0, None, callback, None, None))
            assert isinstance(outcome, Returned)
            assert [called.name for called in outcome.callbacks] == [callback.name]

    create_contexts(500)
    worker.begin_example()
    assert worker.is_alive
    create_contexts(500)
    assert worker.is_alive, "the example continues"
    worker.begin_example()
    assert not worker.is_alive
    assert _has_ended(worker.pid)
    with pytest.raises(HarnessError, match="start a new one"):
        create_contexts(1)


def test_function_with_empty_entry_is_absent_without_loader(worker: Worker, create_call: Callable[..., Call]) -> None:
    outcome = worker.call(create_call("clRetainDeviceEXT", DEVICE))
    assert isinstance(outcome, Absent)
    assert outcome.how == "no-entry"
    assert symptoms.function_absent("clRetainDeviceEXT", outcome).code == f"no-entry: {outcome.detail}"


def test_function_of_later_version_than_the_platform_is_absent(
    fake_driver: str, create_call: Callable[..., Call], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_VERSION", "OpenCL 1.1 fake")
    with Worker(Target.driver(fake_driver, direct=True)) as worker:
        outcome = worker.call(create_call("clCreateSubDevices", DEVICE, None, 0, None, OutputBuffer(1)))
    assert outcome == Absent("no-entry", "clCreateSubDevices is of OpenCL 1.2, and the platform states 1.1")


def test_function_of_loader_with_empty_dispatch_entry_is_absent(
    fake_driver: str, loader: str, create_call: Callable[..., Call]
) -> None:
    with Worker(Target.driver(fake_driver, loader=loader)) as worker:
        seen = worker.greeting
        assert (seen.access, seen.libraries, len(seen.platforms)) == ("loader", [os.path.realpath(fake_driver)], 1)
        outcome = worker.call(create_call("clCreateSubDevicesEXT", DEVICE, None, 0, None, OutputBuffer(1)))
        assert isinstance(outcome, Absent)
        assert outcome.how == "empty-entry"
        assert "the driver's library does not know the function either" in outcome.detail
        assert outcome.lookup == FunctionLookup("table", entry=89, library="lacks")
        assert symptoms.function_absent("clCreateSubDevicesEXT", outcome).code == (
            "empty-entry: the loader hands out its own address for clCreateSubDevicesEXT, but entry 89 of the driver's "
            "dispatch table holds nothing; the driver's library does not know the function either"
        )
        assert isinstance(
            worker.call(create_call("clCreateSubDevices", DEVICE, None, 0, None, OutputBuffer(1))), Returned
        )


@pytest.mark.parametrize(("extension", "library"), [("clMemFreeINTEL", "has"), ("clMemAllocINTEL", "lacks")])
def test_missing_function_is_looked_up_in_library_before_opencl_1_2(
    extension: str,
    library: str,
    fake_driver: str,
    loader: str,
    create_call: Callable[..., Call],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FAKE_VERSION", "OpenCL 1.1 fake")
    monkeypatch.setenv("FAKE_EXTENSION", extension)
    with Worker(Target.driver(fake_driver, loader=loader)) as worker:
        outcome = worker.call(create_call("clMemFreeINTEL", None, None))
    assert isinstance(outcome, Absent)
    assert outcome.lookup is not None
    assert (outcome.lookup.where, outcome.lookup.library) == ("loader", library)


def test_platform_is_selected_by_part_of_its_name(
    fake_driver: str, loader: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "fake.icd").write_text(fake_driver)
    monkeypatch.setenv("OCL_ICD_VENDORS", str(tmp_path))
    seen = query_platforms(Target.platform("FAKE plat", loader=loader))
    assert (seen.libraries, [platform.name for platform in seen.platforms]) == (
        [os.path.realpath(fake_driver)],
        ["Fake platform"],
    )
    with pytest.raises(HarnessError, match=r"no platform matches 'other'; available: .*Fake platform \(clconform\)"):
        query_platforms(Target.platform("other", loader=loader))


def test_platform_without_devices_is_listed_but_cannot_be_tested(
    fake_driver: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_DEVICES", "0")
    target = Target.driver(fake_driver, direct=True)
    assert query_platforms(target).platforms[0].devices == []
    with pytest.raises(HarnessError, match="Fake platform: the platform has no devices"):
        Worker(target)


@pytest.mark.parametrize(
    ("loading", "message"), [("crash", "ended its process during loading .signal SIGSEGV"), ("hang", "within 1 s")]
)
def test_crash_or_hang_during_loading_is_reported(
    fake_driver: str, loading: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_LOADING", loading)
    with pytest.raises(HarnessError, match=message):
        Worker(Target.driver(fake_driver, direct=True), start_seconds=30 if loading == "crash" else 1)


@pytest.mark.parametrize(
    ("definition", "message"), [("NO_PLATFORM", "reports no platforms"), ("NO_DRIVER", "is not an OpenCL driver")]
)
@pytest.mark.parametrize("direct", [True, False])
def test_library_that_is_not_a_driver_is_rejected(
    compile_driver: Callable[..., Path], loader: str, definition: str, message: str, *, direct: bool
) -> None:
    library = str(compile_driver(definition))
    with pytest.raises(HarnessError, match=message) as caught:
        Worker(Target.driver(library, direct=direct, loader="" if direct else loader))
    assert "\n" not in str(caught.value)


def _has_ended(pid: int) -> bool:
    """Return whether the process has ended, after a short wait for its new parent to reap it."""
    for _ in range(100):
        try:
            state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rsplit(")", 1)[1].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False
