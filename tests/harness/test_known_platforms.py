"""Later starts of a driver reuse the platforms of the first one, unless the driver or its environment has changed."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from clconform.harness import Target, Worker
from clconform.harness.known_platforms import forget_platforms, recall_platforms

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(autouse=True)
def without_known_platforms() -> Iterator[None]:
    forget_platforms()
    yield
    forget_platforms()


def start(target: Target) -> tuple[str, ...]:
    """Start a driver, and return the versions of its platforms."""
    with Worker(target) as worker:
        return tuple(platform.version for platform in worker.greeting.platforms)


def test_platforms_are_known_after_the_first_start(fake_driver: str, monkeypatch: pytest.MonkeyPatch) -> None:
    target = Target.driver(fake_driver, direct=True)
    assert recall_platforms(target) is None
    start(target)
    known = recall_platforms(target)
    assert known is not None
    monkeypatch.setenv("PYTEST_CURRENT_TEST", "another item")
    assert recall_platforms(target) is known
    assert recall_platforms(Target.driver(fake_driver)) is None


def test_changed_environment_is_queried_again(fake_driver: str, monkeypatch: pytest.MonkeyPatch) -> None:
    target = Target.driver(fake_driver, direct=True)
    before = start(target)
    monkeypatch.setenv("FAKE_VERSION", "OpenCL 2.1 fake")
    assert recall_platforms(target) is None
    after = start(target)
    assert after != before
    assert any("2.1" in version for version in after)


def test_changed_library_is_queried_again(fake_driver: str, tmp_path: Path) -> None:
    library = tmp_path / "libcopied.so"
    shutil.copy(fake_driver, library)
    target = Target.driver(str(library), direct=True)
    start(target)
    assert recall_platforms(target) is not None
    os.utime(library, ns=(1, 1))
    assert recall_platforms(target) is None
    library.unlink()
    assert recall_platforms(target) is None
