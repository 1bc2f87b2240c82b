"""Commands in the process of the tests: half of the time of a short run would be the start of a process for it."""

from __future__ import annotations

import contextlib
import os
import subprocess
from typing import TYPE_CHECKING
from unittest import mock

from click.testing import CliRunner

from clconform.tools.cli import cli

if TYPE_CHECKING:
    from pathlib import Path


def call(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Carry out a command in a folder, and return what a process would; the environment stays as it was."""
    with contextlib.chdir(folder), mock.patch.dict(os.environ):
        done = CliRunner().invoke(cli, words)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return subprocess.CompletedProcess(words, done.exit_code, done.stdout, done.stderr)
