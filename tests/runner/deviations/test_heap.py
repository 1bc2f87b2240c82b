"""Only messages of the allocator count as evidence of a corrupted heap."""

from __future__ import annotations

import pytest

from clconform.harness import Target
from clconform.runner.deviations.heap import FOUND


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
def test_what_the_allocator_says(said: str) -> None:
    assert FOUND.findall(said)


@pytest.mark.parametrize("said", ["", "Assertion `x' failed.", "cannot free() this", "the free list is empty"])
def test_what_others_say(said: str) -> None:
    assert not FOUND.findall(said)


def test_the_checks_are_only_in_a_process_that_is_to_have_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_PRELOAD", "libother.so")
    target = Target.simulated("numa-16")
    assert "MALLOC_CHECK_" not in target.start().environment
    environment = target.with_heap_checks().start().environment
    assert environment["MALLOC_CHECK_"] == "3"
    assert environment["LD_PRELOAD"].split(":") == ["libc_malloc_debug.so.0", "libother.so"]
    assert target.with_heap_checks().describe() == target.describe()
