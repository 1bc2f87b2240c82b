"""Finds a C compiler and runs it.

This module imports only the standard library, because the build of the wheel imports it, too.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

COMPILERS = ("cc", "gcc", "clang")
INSTALL_ADVICE = "install a C compiler (Debian: apt-get install gcc libc6-dev), or set CC to one"
_SECONDS = 300.0
_MAX_ERROR_TEXT = 600


class CompilerError(Exception):
    """A C compiler is missing or fails; the message is one line."""


def list_compilers() -> list[list[str]]:
    """Return the commands of the C compilers that are installed: only the value of CC, if it is set."""
    chosen = shlex.split(os.environ.get("CC", ""))
    commands = [chosen] if chosen else [[name] for name in COMPILERS]
    return [[found, *options] for name, *options in commands if (found := shutil.which(name))]


def find_compiler(product: str) -> list[str]:
    """Return the command of the first C compiler; CompilerError, which names the product, if none is installed."""
    found = list_compilers()
    if not found:
        chosen = os.environ.get("CC", "").strip()
        reason = f"CC is {chosen}, which is missing" if chosen else f"none of {', '.join(COMPILERS)} is installed"
        raise CompilerError(f"{product} must be built by a C compiler, but {reason}; {INSTALL_ADVICE}")
    return found[0]


def run_compiler(
    compiler: Sequence[str], arguments: Sequence[str | Path], product: str, variables: Mapping[str, str] | None = None
) -> None:
    """Run a compiler with arguments, and with additional environment variables.

    CompilerError if it fails; the message names the product.
    """
    command = [*compiler, *map(str, arguments)]
    environment = {**os.environ, **(variables or {})}
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, errors="replace", timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CompilerError(f"{compiler[0]} cannot build {product}: {error}") from None
    if done.returncode:
        output = " ".join(done.stderr.split())[:_MAX_ERROR_TEXT]
        raise CompilerError(f"{compiler[0]} cannot build {product}: {output or f'exit code {done.returncode}'}")
