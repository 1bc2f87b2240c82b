"""The ``record`` command: records a program's calls, for judging later or elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from clconform.recording.building import LayerError, layer_of
from clconform.recording.launching import Ended, LaunchError, Wanted, launch
from clconform.reports.escaping import visible
from clconform.runner.gate import exit_codes
from clconform.spec_tables import load
from clconform.tools.errors import CommandError
from clconform.tools.saying import say

if TYPE_CHECKING:
    from collections.abc import Sequence


def record(out: str, words: Sequence[str], wanted: Wanted) -> int:
    """Run a program and record its calls; return its exit code. CommandError if it cannot be run or recorded."""
    path = Path(out)
    if path.exists():
        raise CommandError(f"{path} exists; remove it, or choose another name with -o")
    ended = recorded(path, words, wanted)
    if not path.is_file():
        raise CommandError(NO_CALLS.format(program=words[0]), exit_codes.NO_SUCH_PLATFORM)
    say(f"clconform: {visible(words[0])}: {ended}; its calls are in {path}")
    return ended.code


NO_CALLS = (
    "{program} made no OpenCL call that a loader layer can record: it makes none, its loader does not support layers "
    "(ocl-icd supports them from 2.3.0, Khronos' from 2021), or it is linked with a driver instead of a loader"
)


def recorded(path: Path, words: Sequence[str], wanted: Wanted, *, aside: bool = False) -> Ended:
    """Run a program under the layer; CommandError if that fails. ``aside``: as for ``launch``."""
    try:
        return launch(words, layer_of(load()), path, wanted, aside=aside)
    except (LayerError, LaunchError) as error:
        raise CommandError(str(error)) from None
