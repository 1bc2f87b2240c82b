"""Runs a program under the layer that records its calls."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

from clconform.harness.inherited_settings import original_environment

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

LAYERS, RECORDING, CONTENTS = "OPENCL_LAYERS", "CLCONFORM_RECORDING", "CLCONFORM_CONTENTS"
HASHES = "CLCONFORM_HASHES"
"""Environment variables: the loader's list of layers, and three settings of the layer."""
DEFAULT_CONTENTS = 4096
"""The default limit in bytes for the recorded contents of one transfer."""


class LaunchError(Exception):
    """A program cannot be started; the message is one line."""


class ProgramEnd(NamedTuple):
    """The end of a program: its exit code, or the signal that ended it."""

    code: int
    signal: str = ""

    def __str__(self) -> str:
        return f"ended by {self.signal}" if self.signal else f"exit code {self.code}"


class RecordingOptions(NamedTuple):
    """Recording options.

    ``contents``: the limit in bytes for the recorded contents of one transfer. ``hashes``: detect changed host memory.
    """

    contents: int = DEFAULT_CONTENTS
    hashes: bool = False


DEFAULT_OPTIONS = RecordingOptions()
"""The default options."""


def layer_environment(layer: Path, recording: Path, options: RecordingOptions) -> dict[str, str]:
    """Return the variables that make a loader load the layer, and the layer write a recording.

    The last layer in the loader's list is the first one that receives the program's calls.
    """
    others = os.environ.get(LAYERS, "")
    listed = f"{others}:{layer}" if others else str(layer)
    made = {LAYERS: listed, RECORDING: str(recording.absolute()), CONTENTS: str(options.contents)}
    return {**made, HASHES: "1"} if options.hashes else made


def run_program(
    words: Sequence[str],
    layer: Path,
    recording: Path,
    options: RecordingOptions = DEFAULT_OPTIONS,
    *,
    stdout_to_stderr: bool = False,
) -> ProgramEnd:
    """Run a program to its end; LaunchError if it cannot be started.

    ``stdout_to_stderr``: redirect the program's standard output to standard error, so that the caller can use standard
    output.
    """
    variables = {**original_environment(), **layer_environment(layer, recording, options)}
    try:
        ended = subprocess.run(list(words), env=variables, stdout=sys.stderr if stdout_to_stderr else None, check=False)
    except OSError as error:
        raise LaunchError(f"cannot start {words[0]}: {error.strerror}") from None
    if ended.returncode < 0:
        return ProgramEnd(128 - ended.returncode, signal.Signals(-ended.returncode).name)
    return ProgramEnd(ended.returncode)
