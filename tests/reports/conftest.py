"""A Chromium instance for the tests of a module."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .browser import Browser, start_chromium

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Return a browser that the tests of a module share."""
    with start_chromium(tmp_path_factory.mktemp("chromium") / "profile") as started:
        yield started
