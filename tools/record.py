"""The ``record`` command: records the calls of a program, so that they can be judged later or on another machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from clconform.calls import exit_codes
from clconform.recording.layer_build import LayerError, build_layer
from clconform.recording.program_launch import LaunchError, ProgramEnd, RecordingOptions, run_program
from clconform.reports.escaping import escape_unprintable
from clconform.spec_tables import load
from clconform.tools.errors import CommandError
from clconform.tools.output_text import print_text

if TYPE_CHECKING:
    from collections.abc import Sequence


def record_program(out: str, words: Sequence[str], wanted: RecordingOptions) -> int:
    """Run a program and record its calls; return its exit code.

    CommandError if the program cannot be run or recorded.
    """
    path = Path(out)
    if path.exists():
        raise CommandError(f"{path} exists; remove it, or choose another name with -o")
    ended = run_recorded(path, words, wanted)
    if not path.is_file():
        raise CommandError(NO_CALLS_MESSAGE.format(program=words[0]), exit_codes.NO_SUCH_PLATFORM)
    print_text(f"clconform: {escape_unprintable(words[0])}: {ended}; its calls are in {path}")
    return ended.code


NO_CALLS_MESSAGE = (
    "{program} made no OpenCL call that a loader layer can record: it makes none, its loader does not support layers "
    "(ocl-icd supports them from 2.3.0, Khronos' from 2021), or it is linked with a driver instead of a loader"
)


def run_recorded(path: Path, words: Sequence[str], wanted: RecordingOptions, *, aside: bool = False) -> ProgramEnd:
    """Run a program with the recording layer; CommandError if that fails.

    ``aside``: standard output of the program goes to standard error.
    """
    try:
        return run_program(words, build_layer(load()), path, wanted, stdout_to_stderr=aside)
    except (LayerError, LaunchError) as error:
        raise CommandError(str(error)) from None
