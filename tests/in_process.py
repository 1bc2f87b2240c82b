"""Runs commands in the process of the tests, because starting a process takes half the time of a short run."""

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


def run_command(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder within this process, and return its output and exit code. Restores the environment."""
    with contextlib.chdir(folder), mock.patch.dict(os.environ):
        done = CliRunner().invoke(cli, words)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return subprocess.CompletedProcess(words, done.exit_code, done.stdout, done.stderr)
