"""The ``record`` command: records the calls of a program, so that they can be judged later or on another machine."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from clconform.recording.device_launch import DeviceProgram, run_on_device
from clconform.recording.file_format import RecordingFile
from clconform.recording.layer_build import LayerError
from clconform.recording.program_launch import LaunchError, ProgramEnd, RecordingOptions, build_library, run_program
from clconform.reports.escaping import escape_unprintable
from clconform.spec_tables import load
from clconform.tools.errors import CommandError
from clconform.tools.output_text import print_text
from clconform.tools.program_place import THIS_MACHINE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.tools.program_place import ProgramPlace


def record_program(out: str, words: Sequence[str], wanted: RecordingOptions, place: ProgramPlace = THIS_MACHINE) -> int:
    """Run a program and record its calls; return its exit code, or INCOMPLETE if its machine was lost.

    CommandError if the program cannot be run or recorded.
    """
    place.check()
    path = Path(out)
    if path.exists():
        raise CommandError(f"{path} exists; remove it, or choose another name with -o")
    if not os.access(path.parent, os.W_OK):
        raise CommandError(f"cannot write {path}: {path.parent} is not a writable folder")
    ended = run_recorded(path, words, wanted, place)
    where = f"its calls are in {path}" if path.is_file() else describe_no_calls(place)
    print_text(f"clconform: {escape_unprintable(words[0])}: {ended}; {where}", err=not path.is_file())
    return ended.code


NO_CALLS_MESSAGE = (
    "no OpenCL call was recorded: the program makes none, its loader does not support layers (ocl-icd supports them "
    "from 2.3.0, Khronos' from 2021), it is linked with a driver instead of a loader (--shim records such programs), "
    "or the file cannot be written"
)
NO_SHIM_CALLS_MESSAGE = (
    "no OpenCL call was recorded: the program makes none, its OpenCL library has another name than libOpenCL.so and "
    "libOpenCL.so.1 or is found by a path (try --shim=preload), or the file cannot be written"
)
NO_PRELOADED_CALLS_MESSAGE = (
    "no OpenCL call was recorded: the program makes none, it opens its OpenCL library itself (try --shim=library), or "
    "the file cannot be written"
)


def describe_no_calls(place: ProgramPlace) -> str:
    """Return why a program may have no recorded calls."""
    use = place.shim_use()
    message = NO_CALLS_MESSAGE
    if use:
        message = NO_PRELOADED_CALLS_MESSAGE if use.is_preloaded else NO_SHIM_CALLS_MESSAGE
    if not place.device:
        return message
    return f"{message}, or it needs the layer of another type of machine: name that with --device-target"


def run_recorded(
    path: Path,
    words: Sequence[str],
    wanted: RecordingOptions,
    place: ProgramPlace = THIS_MACHINE,
    *,
    aside: bool = False,
) -> ProgramEnd:
    """Run a program with the recording layer, and report recordings that are incomplete for lack of space.

    ``aside``: standard output of the program goes to standard error. CommandError if the program cannot be run.
    """
    try:
        if place.device:
            program = DeviceProgram(place.find_device(), words, place.driver)
            ended = run_on_device(program, load(), path, wanted, stdout=sys.stderr.fileno() if aside else None)
        else:
            ended = run_program(words, build_library(load(), wanted), path, wanted, stdout_to_stderr=aside)
    except (LayerError, LaunchError) as error:
        raise CommandError(str(error)) from None
    for each in find_recordings(path):
        reason = RecordingFile(each, load()).stop
        if reason:
            print_text(f"clconform: {escape_unprintable(words[0])}: its recording is incomplete: {reason}", err=True)
    return ended


def find_recordings(path: Path) -> list[Path]:
    """Return the recordings of a program and of its child processes."""
    children = sorted(each for each in path.parent.glob(f"{path.name}.*") if each.suffix[1:].isdigit())
    return [each for each in (path, *children) if each.is_file()]
