"""Only messages of the allocator count as evidence of a corrupted heap."""

from __future__ import annotations

import pytest

from clconform.harness import Target
from clconform.runner.deviations.heap_check import ALLOCATOR_MESSAGE


@pytest.mark.parametrize(
    "said",
    [
        "free(): invalid pointer",
        "some words of the driver\nfree(): invalid pointer",
        "malloc_check_get_size: memory corruption",
        "realloc(): invalid pointer",
        "malloc: top chunk is corrupt",
        "corrupted size vs. prev_size",
    ],
)
def test_message_of_the_allocator_is_recognised_in_output(said: str) -> None:
    assert ALLOCATOR_MESSAGE.findall(said)


@pytest.mark.parametrize("said", ["", "Assertion `x' failed.", "cannot free() this", "the free list is empty"])
def test_output_without_allocator_message_is_ignored(said: str) -> None:
    assert not ALLOCATOR_MESSAGE.findall(said)


def test_driver_process_does_not_preload_a_faked_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_PRELOAD", "/usr/lib/faketime/libfaketime.so.1:libother.so")
    assert Target.simulated("numa-16").worker_command().environment["LD_PRELOAD"] == "libother.so"


def test_only_target_with_heap_checks_sets_their_environment_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_PRELOAD", "libother.so")
    target = Target.simulated("numa-16")
    assert "MALLOC_CHECK_" not in target.worker_command().environment
    environment = target.with_heap_checks().worker_command().environment
    assert environment["MALLOC_CHECK_"] == "3"
    assert environment["LD_PRELOAD"].split(":") == ["libc_malloc_debug.so.0", "libother.so"]
    assert target.with_heap_checks().to_options() == target.to_options()
