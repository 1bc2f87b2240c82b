"""Run readers on mutated inputs.

The seed of the run and the number of an input determine the mutations of the input.
"""

from __future__ import annotations

import random
import shutil
from typing import TYPE_CHECKING, NamedTuple

from clconform.tools.cli import cli
from clconform.tools.dev.fuzzing.command_trials import find_failure
from clconform.tools.dev.fuzzing.input_kinds import get_contents

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.tools.dev.fuzzing.input_kinds import InputKind, ReaderCall
    from clconform.tools.dev.fuzzing.valid_inputs import ValidInputs


class ReaderResult(NamedTuple):
    """A reader's command line, and a description of its failure; ``failure`` is empty if the reader ended properly."""

    words: list[str]
    failure: str


def mutate(kind: InputKind, chance: random.Random) -> bytes:
    """Return the valid content of a kind with one to three changes."""
    content = kind.seed
    for _ in range(chance.choice((1, 1, 2, 3))):
        content = chance.choice(kind.changes)(content, chance)
    return content


def make_random(seed: int, number: int) -> random.Random:
    """Return the random generator for the input with this number."""
    return random.Random(f"{seed}/{number}")  # noqa: S311 (not for security)


def try_content(
    kind: InputKind, content: bytes, made: ValidInputs, work: Path, chance: random.Random, deadline: float
) -> list[ReaderResult]:
    """Run the readers of a kind of input on this content, and return the result of each.

    Each reader has ``deadline`` seconds. The folder ``work`` is recreated.
    """
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    for name, valid in get_contents(made).items():
        (work / name).write_bytes(valid)
    (work / kind.file).write_bytes(content)
    tried = []
    for each in kind.tries(work, chance):
        tried.append(ReaderResult(get_command_line(each), find_failure(each.command, each.words, deadline)))
        (work / kind.file).write_bytes(content)  # migrate may have rewritten the file
    return tried


def get_command_line(each: ReaderCall) -> list[str]:
    """Return the command line of a reader, starting with its name."""
    return each.words if each.command is cli else [each.command.name or "", *each.words]
