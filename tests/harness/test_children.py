"""Only processes of the harness are ended, wherever the interpreter and the files of others lie."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from clconform.harness.children import children, kill_children

if TYPE_CHECKING:
    from collections.abc import Iterator

SLEEP = "import time; time.sleep(60)"
LONGEST = 30.0


@pytest.fixture
def child(request: pytest.FixtureRequest) -> Iterator[subprocess.Popen[bytes]]:
    """Return a child of this process with a command line; only its words matter."""
    with subprocess.Popen(request.param, executable=sys.executable) as process:
        yield process
        process.kill()


@pytest.mark.parametrize(
    "child",
    [
        ["/home/a/clconform/.venv/bin/python", "-c", SLEEP],
        ["python", "-c", SLEEP, "clconform", "--starts", "3"],
        ["python", "-c", SLEEP, "/home/a/clconform.py", "-m"],
    ],
    indirect=True,
)
def test_others_are_left_alone(child: subprocess.Popen[bytes]) -> None:
    assert child.pid in children()
    kill_children()
    time.sleep(0.2)
    assert child.poll() is None


@pytest.mark.parametrize(
    "child", [["python", "-c", SLEEP, "-m", "clconform.harness.worker", "--driver", "x"]], indirect=True
)
def test_ours_are_ended(child: subprocess.Popen[bytes]) -> None:
    kill_children()
    assert child.wait(LONGEST) < 0
