"""Runs a program under the layer, or the shim, that records its calls."""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

from clconform.harness.inherited_settings import original_environment
from clconform.recording.layer_build import build_layer, build_shim

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from clconform.spec_tables import Tables

LAYERS, RECORDING, CONTENTS = "OPENCL_LAYERS", "CLCONFORM_RECORDING", "CLCONFORM_CONTENTS"
HASHES, LIVE, BREAK = "CLCONFORM_HASHES", "CLCONFORM_LIVE", "CLCONFORM_BREAK"
"""Environment variables: the loader's list of layers, and settings of the layer."""
VENDOR_LIBRARY = "CLCONFORM_VENDOR_LIBRARY"
"""The environment variable of the shim with the library whose functions it calls."""
LIBRARY_PATH, PRELOAD = "LD_LIBRARY_PATH", "LD_PRELOAD"
"""Environment variables of the linker."""
SHIM_NAMES = ("libOpenCL.so", "libOpenCL.so.1")
"""The names under which programs load the shim."""
DEFAULT_CONTENTS = 4096
"""The default limit in bytes for the recorded contents of one transfer."""


class LaunchError(Exception):
    """A program cannot be started; the message is one line."""


class ProgramEnd(NamedTuple):
    """The end of a program: its exit code, or the signal that ended it.

    ``lost``: why the end is unknown, if the connection to its machine was lost; ``code`` is then that of clconform.
    """

    code: int
    signal: str = ""
    lost: str = ""

    def __str__(self) -> str:
        if self.lost:
            return self.lost
        return f"ended by {self.signal}" if self.signal else f"exit code {self.code}"


class ShimUse(NamedTuple):
    """How a program uses the shim instead of the layer.

    ``is_preloaded``: by LD_PRELOAD; otherwise as a library of the name that the program loads. ``vendor``: the library
    whose functions the shim calls; empty: the shim searches for it.
    """

    is_preloaded: bool = False
    vendor: str = ""


class RecordingOptions(NamedTuple):
    """Recording options.

    ``contents``: the limit in bytes for the recorded contents of one transfer. ``hashes``: detect changed host memory.
    ``shim``: record with the shim; None: with the layer.
    """

    contents: int = DEFAULT_CONTENTS
    hashes: bool = False
    shim: ShimUse | None = None


DEFAULT_OPTIONS = RecordingOptions()
"""The default options."""


def build_library(tables: Tables, options: RecordingOptions) -> Path:
    """Return the path of the library that records calls on this machine: the shim or the layer."""
    return build_shim(tables) if options.shim else build_layer(tables)


def layer_environment(layer: Path, recording: Path, options: RecordingOptions) -> dict[str, str]:
    """Return the variables that make a program use the layer or the shim, and this library write a recording."""
    return {**_common_environment(layer, options), RECORDING: str(recording.absolute()), LIVE: ""}


def live_environment(layer: Path, stream: Path, options: RecordingOptions, stops: str | None) -> dict[str, str]:
    """Return the variables that make a program use the layer or the shim, and this library send records to a judge.

    ``stream``: the socket of the judge. ``stops``: a value of the option ``--break``; None: the program never stops.
    """
    return {**_common_environment(layer, options), LIVE: str(stream), **({BREAK: stops} if stops else {})}


def _common_environment(layer: Path, options: RecordingOptions) -> dict[str, str]:
    """Return the variables for the loader, and those that do not depend on the destination of the records.

    The last layer in the loader's list is the first one that receives the program's calls.
    """
    common = {CONTENTS: str(options.contents), **({HASHES: "1"} if options.hashes else {})}
    if options.shim:
        return {**common, **_shim_environment(layer, options.shim)}
    others = os.environ.get(LAYERS, "")
    return {LAYERS: f"{others}:{layer}" if others else str(layer), **common}


def _shim_environment(shim: Path, use: ShimUse) -> dict[str, str]:
    """Return the variables that make a program use the shim, before other libraries in these lists."""
    name, first = (PRELOAD, shim) if use.is_preloaded else (LIBRARY_PATH, _link_shim(shim))
    others = original_environment().get(name, "")
    variables = {name: f"{first}:{others}" if others else str(first)}
    return {**variables, **({VENDOR_LIBRARY: use.vendor} if use.vendor else {})}


def _link_shim(shim: Path) -> Path:
    """Return a folder next to the shim, with links to it that have the names of OpenCL libraries.

    LaunchError if they cannot be created.
    """
    folder = shim.with_suffix("")
    try:
        folder.mkdir(exist_ok=True)
        for name in SHIM_NAMES:
            with contextlib.suppress(FileExistsError):
                (folder / name).symlink_to(shim)
    except OSError as error:
        raise LaunchError(
            f"cannot create links to the shim in {folder}: {error.strerror}; set XDG_CACHE_HOME to a folder that can "
            "be written"
        ) from None
    return folder


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
    variables = layer_environment(layer, recording, options)
    with start_program(words, variables, stdout_to_stderr=stdout_to_stderr) as program:
        try:
            program.wait()
        except BaseException:
            program.kill()
            raise
    return describe_end(program.returncode)


def start_program(
    words: Sequence[str],
    variables: dict[str, str],
    *,
    stdout_to_stderr: bool = False,
    unblocked_signals: Iterable[signal.Signals] = (),
) -> subprocess.Popen[bytes]:
    """Start a program with additional variables; LaunchError if it cannot be started.

    ``stdout_to_stderr``: as for ``run_program``. ``unblocked_signals``: signals that this process blocks, but not the
    program.
    """
    unblock = functools.partial(signal.pthread_sigmask, signal.SIG_UNBLOCK, unblocked_signals)
    try:
        return subprocess.Popen(
            list(words),
            env={**original_environment(), **variables},
            stdout=sys.stderr if stdout_to_stderr else None,
            preexec_fn=unblock if unblocked_signals else None,  # noqa: PLW1509 (this process has no other thread)
        )
    except OSError as error:
        raise LaunchError(f"cannot start {words[0]}: {error.strerror}") from None


def describe_end(code: int) -> ProgramEnd:
    """Return the end of a program, from the code of the module ``subprocess``."""
    return ProgramEnd(128 - code, signal.Signals(-code).name) if code < 0 else ProgramEnd(code)
