"""The parent's side: all ways in which a driver may end its process are distinguished, and no process is left."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import UNTOUCHED, Absent, Died, Hung, Lookup, Output, Returned
from clconform.calls.values import Callback, Handle, Items, OutputBuffer
from clconform.harness import BadCall, Deadlines, HarnessError, Target, Worker, survey
from clconform.oracles.engine import symptoms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.call import Call
    from clconform.spec_tables import Tables

DEVICE = Handle("device1")


@pytest.fixture
def worker(fake: str) -> Iterator[Worker]:
    with Worker(Target.driver(fake, direct=True)) as running:
        yield running


def _context(worker: Worker, made: Callable[..., Call]) -> Handle:
    outcome = worker.ask(made("clCreateContext", None, 1, Items((DEVICE,)), None, None, OutputBuffer(1)))
    assert isinstance(outcome, Returned)
    assert isinstance(outcome.value, str)
    return Handle(outcome.value)


def test_the_greeting_tells_what_is_there(worker: Worker, fake: str) -> None:
    seen = worker.greeting
    assert (seen.access, seen.loader, seen.libraries) == ("direct", "", [os.path.realpath(fake)])
    (platform,) = seen.platforms
    assert (platform.handle, platform.name, platform.version) == ("platform1", "Fake platform", "OpenCL 1.2 fake")
    (device,) = platform.devices
    assert (device.handle, device.name, device.type, device.compute_units) == ("device1", "Fake device", 2, 4)
    assert 0 < worker.started_in < 60


@pytest.mark.parametrize(
    ("function", "how", "detail"),
    [
        ("clRetainContext", "signal", "SIGSEGV"),
        ("clReleaseContext", "abort", "SIGABRT"),
        ("clRetainDevice", "exit", "7"),
        ("clCreateContextFromType", "killed", "SIGKILL"),
    ],
)
def test_deaths_are_told_apart(worker: Worker, made: Callable[..., Call], function: str, how: str, detail: str) -> None:
    if function == "clCreateContextFromType":
        call = made(function, None, 2, None, None, None)
    else:
        call = made(function, DEVICE if "Device" in function else _context(worker, made))
    outcome = worker.ask(call)
    assert isinstance(outcome, Died)
    assert (outcome.how, outcome.detail) == (how, detail)
    assert not worker.alive
    with pytest.raises(HarnessError, match="start a new one"):
        worker.ask(call)


def test_the_last_words_are_kept(worker: Worker, made: Callable[..., Call]) -> None:
    outcome = worker.ask(made("clReleaseContext", _context(worker, made)))
    assert isinstance(outcome, Died)
    assert outcome.said == "printed by the driver\na last word"


def test_a_death_between_calls_is_told_at_the_next(worker: Worker, made: Callable[..., Call]) -> None:
    context = _context(worker, made)
    assert isinstance(worker.ask(made("clGetContextInfo", context, 0x1081, 0, None, None)), Returned)
    time.sleep(0.5)
    worker.begin()
    outcome = worker.ask(made("clGetDeviceInfo", DEVICE, 0x1002, 4, OutputBuffer(4), None))
    assert isinstance(outcome, Died)
    assert outcome.how == "abort"


def test_a_hang_ends_at_its_deadline_with_all_children(
    fake: str, made: Callable[..., Call], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = tmp_path / "child"
    monkeypatch.setenv("FAKE_CHILD", str(told))
    with Worker(Target.driver(fake, direct=True), deadlines=Deadlines(others=0.5)) as worker:
        began = time.monotonic()
        outcome = worker.ask(made("clReleaseDevice", DEVICE))
        assert outcome == Hung(0.5)
        assert time.monotonic() - began < 10
        assert not worker.alive
    assert _gone(int(told.read_text()))


def test_deadlines_are_scaled_with_the_target(
    fake: str, made: Callable[..., Call], monkeypatch: pytest.MonkeyPatch
) -> None:
    target = Target.driver(fake, direct=True).with_deadlines(0.5)
    with Worker(target, deadlines=Deadlines(others=1.0)) as worker:
        assert worker.ask(made("clReleaseDevice", DEVICE)) == Hung(0.5)
    monkeypatch.setenv("FAKE_LOADING", "hang")
    with pytest.raises(HarnessError, match=r"within 0\.5 s"):
        Worker(target, start_seconds=1)


@pytest.mark.skipif(shutil.which("gdb") is None, reason="gdb is not installed")
def test_a_hang_is_looked_into_on_request(fake: str, made: Callable[..., Call]) -> None:
    with Worker(Target.driver(fake, direct=True), backtraces=True) as worker:
        outcome = worker.ask(made("clReleaseDevice", DEVICE), deadline=0.5)
    assert isinstance(outcome, Hung)
    assert "ReleaseDevice" in outcome.backtrace


def test_a_worker_that_has_ended_keeps_no_shared_memory(fake: str, made: Callable[..., Call]) -> None:
    def segments() -> int:
        maps = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace")
        return sum("SYSV" in line for line in maps.splitlines())

    before = segments()
    with Worker(Target.driver(fake, direct=True)) as worker:
        assert segments() == before + 1
        assert isinstance(worker.ask(made("clRetainDevice", DEVICE)), Died)
        assert segments() == before
    with Worker(Target.driver(fake, direct=True)):
        assert segments() == before + 1
    assert segments() == before


def test_closing_ends_the_process(worker: Worker) -> None:
    pid = worker.pid
    worker.close()
    worker.close()
    assert _gone(pid)


def test_an_interrupted_call_ends_the_worker(
    worker: Worker, made: Callable[..., Call], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(worker._mailbox, "receive", interrupt)
    with pytest.raises(KeyboardInterrupt):
        worker.ask(made("clGetDeviceInfo", DEVICE, 0x1002, 4, OutputBuffer(4), None))
    assert not worker.alive
    assert _gone(worker.pid)


def test_outputs_overruns_and_callbacks(worker: Worker, made: Callable[..., Call]) -> None:
    outcome = worker.ask(made("clCreateSubDevices", DEVICE, Items((0x1086, 1, 0)), 2, OutputBuffer(2), OutputBuffer(1)))
    assert isinstance(outcome, Returned)
    assert outcome.outputs == {
        "out_devices": Output(["device2", "device2"], 16),
        "num_devices_ret": Output([2], 4),
    }
    assert outcome.overrun == ["out_devices"]
    outcome = worker.ask(made("clCreateContext", None, 1, Items((DEVICE,)), Callback("notify"), None, OutputBuffer(1)))
    assert isinstance(outcome, Returned)
    assert (outcome.value, [called.name for called in outcome.called_back]) == ("context1", ["notify"])
    told = {"errinfo": "hello", "private_info": None, "cb": 0, "user_data": None}
    assert (outcome.called_back[0].arguments, outcome.called_back[0].driver_thread) == (told, False)


def test_queries_are_decoded_by_the_tables(worker: Worker, made: Callable[..., Call], tables: Tables) -> None:
    def query(name: str, size: int) -> Output:
        outcome = worker.ask(
            made("clGetDeviceInfo", DEVICE, tables.enumerants[name].value, size, OutputBuffer(size), OutputBuffer(1))
        )
        assert isinstance(outcome, Returned)
        return outcome.outputs["param_value"]

    assert query("CL_DEVICE_NAME", 64).values == ["Fake device\0"]
    assert query("CL_DEVICE_PLATFORM", 8).values == ["platform1"]
    assert query("CL_DEVICE_PARENT_DEVICE", 8).values == [None]
    assert query("CL_DEVICE_PARTITION_TYPE", 64).values == [0x1086, 1, "device1", 0]
    assert query("CL_DEVICE_PARTITION_TYPE", 8) == Output([], 0, b"")


def test_names_start_again_with_an_example(worker: Worker, made: Callable[..., Call]) -> None:
    split = made("clCreateSubDevices", DEVICE, None, 1, OutputBuffer(1), None)
    first, again = worker.ask(split), worker.ask(split)
    worker.forget(["device2"])
    after = worker.ask(split)
    worker.begin()
    fresh = worker.ask(split)
    names = [one.outputs["out_devices"].values for one in (first, again, after, fresh) if isinstance(one, Returned)]
    assert names == [["device2"], ["device2"], ["device3"], ["device2"]]


def test_a_call_that_makes_no_sense_is_refused_and_costs_nothing(worker: Worker, made: Callable[..., Call]) -> None:
    with pytest.raises(BadCall, match=r"no live object 'device9'"):
        worker.ask(made("clGetDeviceInfo", Handle("device9"), 0x1002, 4, OutputBuffer(4), None))
    with pytest.raises(BadCall, match=r"num_devices \(cl_uint\): 4294967296 does not fit into 32 bits"):
        worker.ask(made("clCreateSubDevices", DEVICE, None, 1 << 32, None, None))
    outcome = worker.ask(made("clGetDeviceInfo", DEVICE, 0x1002, 4, OutputBuffer(4), OutputBuffer(1)))
    assert isinstance(outcome, Returned)
    assert outcome.value == 0
    outcome = worker.ask(made("clGetDeviceInfo", DEVICE, 0, 4, OutputBuffer(4), OutputBuffer(1)))
    assert isinstance(outcome, Returned)
    assert (outcome.value, outcome.outputs["param_value_size_ret"].values) == (-30, [UNTOUCHED])


def test_what_goes_wrong_in_a_request_without_an_answer_is_no_death_of_the_driver(
    worker: Worker, made: Callable[..., Call]
) -> None:
    worker.put_aside("context9")
    units = made("clGetDeviceInfo", DEVICE, 0x1002, 4, OutputBuffer(4), OutputBuffer(1))
    with pytest.raises(BadCall, match="no live object 'context9'"):
        worker.ask(units)
    assert isinstance(worker.ask(units), Returned)


def test_objects_put_aside_come_back_under_new_names(worker: Worker, made: Callable[..., Call]) -> None:
    worker.put_aside(_context(worker, made).name)
    worker.begin()
    assert worker.take_back(0) == Returned("context1")
    assert isinstance(worker.ask(made("clGetContextInfo", Handle("context1"), 0x1080, 0, None, None)), Returned)
    with pytest.raises(BadCall, match="no object 1 was put aside"):
        worker.take_back(1)


def test_past_the_loader_an_empty_entry_is_no_entry(worker: Worker, made: Callable[..., Call]) -> None:
    outcome = worker.ask(made("clRetainDeviceEXT", DEVICE))
    assert isinstance(outcome, Absent)
    assert outcome.how == "no-entry"
    assert symptoms.absent("clRetainDeviceEXT", outcome).code == f"no-entry: {outcome.detail}"


def test_a_function_beyond_the_platforms_version_is_not_called(
    fake: str, made: Callable[..., Call], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_VERSION", "OpenCL 1.1 fake")
    with Worker(Target.driver(fake, direct=True)) as worker:
        outcome = worker.ask(made("clCreateSubDevices", DEVICE, None, 0, None, OutputBuffer(1)))
    assert outcome == Absent("no-entry", "clCreateSubDevices is of OpenCL 1.2, and the platform states 1.1")


def test_the_loaders_trampoline_is_found_out(fake: str, loader: str, made: Callable[..., Call]) -> None:
    with Worker(Target.driver(fake, loader=loader)) as worker:
        seen = worker.greeting
        assert (seen.access, seen.libraries, len(seen.platforms)) == ("loader", [os.path.realpath(fake)], 1)
        outcome = worker.ask(made("clCreateSubDevicesEXT", DEVICE, None, 0, None, OutputBuffer(1)))
        assert isinstance(outcome, Absent)
        assert outcome.how == "empty-entry"
        assert "the driver's library does not know the function either" in outcome.detail
        assert outcome.lookup == Lookup("table", entry=89, library="lacks")
        assert symptoms.absent("clCreateSubDevicesEXT", outcome).code == (
            "empty-entry: the loader hands out its own address for clCreateSubDevicesEXT, but entry 89 of the driver's "
            "dispatch table holds nothing; the driver's library does not know the function either"
        )
        assert isinstance(worker.ask(made("clCreateSubDevices", DEVICE, None, 0, None, OutputBuffer(1))), Returned)


@pytest.mark.parametrize(("extension", "library"), [("clMemFreeINTEL", "has"), ("clMemAllocINTEL", "lacks")])
def test_before_1_2_the_library_is_asked_for_what_the_loader_does_not_find(
    extension: str, library: str, fake: str, loader: str, made: Callable[..., Call], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_VERSION", "OpenCL 1.1 fake")
    monkeypatch.setenv("FAKE_EXTENSION", extension)
    with Worker(Target.driver(fake, loader=loader)) as worker:
        outcome = worker.ask(made("clMemFreeINTEL", None, None))
    assert isinstance(outcome, Absent)
    assert outcome.lookup is not None
    assert (outcome.lookup.where, outcome.lookup.library) == ("loader", library)


def test_platforms_by_part_of_a_name(fake: str, loader: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fake.icd").write_text(fake)
    monkeypatch.setenv("OCL_ICD_VENDORS", str(tmp_path))
    seen = survey(Target.platform("FAKE plat", loader=loader))
    assert (seen.libraries, [platform.name for platform in seen.platforms]) == (
        [os.path.realpath(fake)],
        ["Fake platform"],
    )
    with pytest.raises(HarnessError, match=r"no platform matches 'other'; available: .*Fake platform \(clconform\)"):
        survey(Target.platform("other", loader=loader))


def test_a_platform_without_devices_is_listed_but_not_tested(fake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_DEVICES", "0")
    target = Target.driver(fake, direct=True)
    assert survey(target).platforms[0].devices == []
    with pytest.raises(HarnessError, match="Fake platform: the platform has no devices"):
        Worker(target)


@pytest.mark.parametrize(
    ("loading", "message"), [("crash", "ended its process during loading .signal SIGSEGV"), ("hang", "within 1 s")]
)
def test_a_driver_that_does_not_come_up(fake: str, loading: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_LOADING", loading)
    with pytest.raises(HarnessError, match=message):
        Worker(Target.driver(fake, direct=True), start_seconds=30 if loading == "crash" else 1)


@pytest.mark.parametrize(
    ("definition", "message"), [("NO_PLATFORM", "reports no platforms"), ("NO_DRIVER", "is not an OpenCL driver")]
)
@pytest.mark.parametrize("direct", [True, False])
def test_a_library_that_is_no_driver(
    compile_driver: Callable[..., Path], loader: str, definition: str, message: str, *, direct: bool
) -> None:
    library = str(compile_driver(definition))
    with pytest.raises(HarnessError, match=message) as caught:
        Worker(Target.driver(library, direct=direct, loader="" if direct else loader))
    assert "\n" not in str(caught.value)


def _gone(pid: int) -> bool:
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
