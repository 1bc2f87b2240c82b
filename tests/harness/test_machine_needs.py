"""A lack of resources on this machine is found before a run, and after the end of a driver's process."""

from __future__ import annotations

import resource
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call, Died
from clconform.harness import Target, Worker, control_groups, machine_needs
from clconform.harness.host_shortages import ShortageError
from clconform.harness.machine_needs import MIB, MachineWatch, require_machine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HUGE = machine_needs._Minimum(scratch_bytes=1 << 60, inodes=16, memory_bytes=1)
TOO_MANY_INODES = machine_needs._Minimum(scratch_bytes=1, inodes=1 << 60, memory_bytes=1)


@pytest.fixture(autouse=True)
def _new_checks() -> Iterator[None]:
    require_machine.cache_clear()
    yield
    require_machine.cache_clear()


def test_machine_of_the_tests_has_what_a_driver_needs() -> None:
    require_machine(for_driver=True)
    assert not MachineWatch(for_driver=True).find_shortage()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda one: one.setattr(machine_needs, "AT_START", HUGE), "MiB are free in"),
        (lambda one: one.setattr(machine_needs, "AT_START", TOO_MANY_INODES), "further files can be created"),
        (lambda one: one.setattr(machine_needs, "free_bytes", lambda: 5 * MIB), "only 5 MiB of memory are free"),
        (lambda one: one.setattr(machine_needs, "_can_start_tasks", lambda _: False), "too few processes and threads"),
        (lambda one: one.setattr(machine_needs.tempfile, "tempdir", "/nowhere"), "set TMPDIR to a folder"),
        (lambda one: one.setattr(machine_needs.os, "devnull", "/nowhere"), "/nowhere is missing"),
        (lambda one: one.setattr(machine_needs, "SEMAPHORES", Path("/nowhere")), "no semaphore can be created"),
    ],
)
def test_missing_resource_is_named_before_a_run(
    change: Callable[[pytest.MonkeyPatch], object], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(monkeypatch)
    with pytest.raises(ShortageError, match=said):
        require_machine(for_driver=True)


def test_every_missing_resource_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_needs, "AT_START", HUGE)
    monkeypatch.setattr(machine_needs, "free_bytes", lambda: 0)
    with pytest.raises(ShortageError, match=r"free in .* another folder; only 0 MiB of memory"):
        require_machine(for_driver=True)
    require_machine(for_driver=False)


@pytest.mark.parametrize(("kind", "option"), [(kind, option) for kind, _, _, option in machine_needs.LIMITS])
def test_low_limit_of_a_process_is_named(kind: int, option: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = resource.getrlimit
    monkeypatch.setattr(
        machine_needs.resource, "getrlimit", lambda one: (7, resource.RLIM_INFINITY) if one == kind else whole(one)
    )
    with pytest.raises(ShortageError, match=f"a process is limited to 7 .* ulimit {option}"):
        require_machine(for_driver=True)


@pytest.mark.parametrize("name", ["SIGXCPU", "SIGXFSZ"])
def test_signal_of_a_limit_counts_as_shortage_only_if_this_process_has_the_limit(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = MachineWatch(for_driver=True)
    assert not watch.find_shortage(name)
    monkeypatch.setattr(machine_needs.resource, "getrlimit", lambda _: (1 << 40, resource.RLIM_INFINITY))
    assert "is reached" in watch.find_shortage(name)
    assert not watch.find_shortage("SIGSEGV")


@pytest.mark.parametrize("folder", ["", "unified", "pids"])
def test_refused_process_is_found_in_every_version_of_control_groups(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control_groups, "_CGROUPS", tmp_path)
    monkeypatch.setattr(control_groups, "_OWN_CGROUPS", tmp_path / "own")
    (tmp_path / "own").write_text("5:pids:/a/b\n" if folder == "pids" else "0::/a/b\n", encoding="ascii")
    events = tmp_path / folder / "a" / "pids.events"
    events.parent.mkdir(parents=True)
    events.write_text("max 3\n", encoding="ascii")
    watch = MachineWatch(for_driver=True)
    assert not watch.find_shortage()
    events.write_text("max 4\n", encoding="ascii")
    assert "pids.max" in watch.find_shortage()


# a process that has ended


def crash(fake_driver: str) -> object:
    with Worker(Target.driver(fake_driver, direct=True)) as worker:
        return worker.call(
            Call(
                "clCreateContextFromType",
                {"properties": None, "device_type": 4, "pfn_notify": None, "user_data": None, "errcode_ret": None},
            )
        )


def test_end_of_the_process_is_the_drivers_only_if_the_machine_lacks_nothing(
    fake_driver: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert isinstance(crash(fake_driver), Died)
    monkeypatch.setattr(machine_needs, "AFTER_END", HUGE)
    with pytest.raises(ShortageError, match=r"ended \(killed SIGKILL\), perhaps because of a shortage: only"):
        crash(fake_driver)


def test_threads_that_cannot_start_are_no_internal_error() -> None:
    from clconform.harness.host_shortages import find_shortage

    assert "no further process or thread" in find_shortage(RuntimeError("can't start new thread"))
    assert not find_shortage(RuntimeError("another"))
