"""What several host threads do at once: a fault there is found, and sound platforms have no deviation."""

from __future__ import annotations

import pytest

from clconform.suites.threads.test_threads import cases

from .blaming import blamed_with


def test_lost_retains_are_found() -> None:
    assert "CL_CONTEXT_REFERENCE_COUNT" in blamed_with("everything", "retains-of-other-threads-are-lost", cases())


@pytest.mark.parametrize("topology", ["everything", "numa-16", "oldest"])
def test_a_sound_platform_has_no_deviation(topology: str) -> None:
    assert blamed_with(topology, "", cases()) == set()
