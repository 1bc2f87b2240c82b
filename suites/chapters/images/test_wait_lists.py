"""Commands on images with and without event wait lists (sections 5.3.4 to 5.3.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.runner.pytest_plugin.covers import parametrize
from clconform.suites.common.waiting import waiting_cases

if TYPE_CHECKING:
    import pytest

    from clconform.runner.pytest_plugin.covers import TableCase
    from clconform.runner.session.session import Session

NAME = "images.wait_lists"
FUNCTIONS = (
    "clEnqueueReadImage",
    "clEnqueueWriteImage",
    "clEnqueueCopyImage",
    "clEnqueueFillImage",
    "clEnqueueCopyImageToBuffer",
    "clEnqueueCopyBufferToImage",
    "clEnqueueMapImage",
)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, waiting_cases(FUNCTIONS))


def test_image_commands_honour_wait_lists(cl: Session, case: TableCase) -> None:
    case.action(cl)
