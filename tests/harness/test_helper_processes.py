"""Helper processes end with the command that started them, also if it is killed while they start."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from .remote.servers import wait_until
from .test_orphans import running_with

if TYPE_CHECKING:
    from pathlib import Path

COMMAND = """
import time
from clconform.harness.helper_processes import create_pool

if __name__ == "__main__":
    pool = create_pool(2, time.sleep, 0.0)
    work = [pool.submit(time.sleep, 600) for _ in range(2)]
    print("started", flush=True)
    time.sleep(600)
"""


@pytest.mark.parametrize("delay", [0.0, 0.1, 0.3, 0.6, 1.5])
def test_helpers_of_a_killed_command_end(tmp_path: Path, delay: float) -> None:
    script = tmp_path / "command.py"
    script.write_text(COMMAND, encoding="ascii")
    mark = f"HELPERS_OF={os.getpid()}-{delay}"
    name, _, value = mark.partition("=")
    with subprocess.Popen(
        [sys.executable, script], env=os.environ | {name: value}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as command:
        assert command.stdout is not None
        assert command.stdout.readline() == b"started\n"
        time.sleep(delay)
        command.send_signal(signal.SIGKILL)
    assert wait_until(lambda: not running_with(mark))
