"""Run the fuzzer: ``python -m clconform.selftest.fuzzing``."""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clconform.reports.escaping import escape_unprintable
from clconform.runner.pytest_plugin.environment import prepare_environment
from clconform.selftest.fuzzing.input_kinds import get_kinds
from clconform.selftest.fuzzing.input_trials import make_random, mutate, try_content
from clconform.selftest.fuzzing.valid_inputs import make_valid_inputs

if TYPE_CHECKING:
    from clconform.selftest.fuzzing.input_kinds import InputKind
    from clconform.selftest.fuzzing.valid_inputs import ValidInputs

KIND_NAMES = (
    *("journal", "packed-journal", "calls", "result", "sequences", "known", "intended", "faults"),
    *("old-journal", "old-result", "answers", "requests", "recording"),
)


@click.command()
@click.option("--seconds", metavar="S", type=click.FloatRange(0), default=60.0, show_default=True,
              help="set the duration")  # fmt: skip
@click.option("--seed", metavar="N", type=click.IntRange(0), default=1, show_default=True, help="set the random seed")
@click.option("--kind", "wanted", type=click.Choice(KIND_NAMES), multiple=True,
              help="run only inputs of this kind; may repeat")  # fmt: skip
@click.option("--deadline", metavar="S", type=click.FloatRange(0.1), default=60.0, show_default=True,
              help="set the deadline per command")  # fmt: skip
@click.option("--out", metavar="DIR", default="clconform-fuzzing", show_default=True,
              help="set the folder for failures")  # fmt: skip
def fuzz(seconds: float, seed: int, wanted: tuple[str, ...], deadline: float, out: str) -> None:
    """Mutate files that commands read; keep each file that causes exit code 3, a traceback or a timeout.

    The exit code is 1 if there are such files. The same seed mutates the same inputs in the same order.
    """
    prepare_environment()
    with tempfile.TemporaryDirectory(prefix="clconform-fuzzing-") as name:
        valid = Path(name) / "valid"
        valid.mkdir()
        made = make_valid_inputs(Path(name) / "run")
        every = [kind for kind in get_kinds(made, valid) if not wanted or kind.name in wanted]
        sys.exit(_search_failures(every, made, Path(name) / "work", seconds, seed, deadline, Path(out)))


def _search_failures(
    every: list[InputKind], made: ValidInputs, work: Path, seconds: float, seed: int, deadline: float, out: Path
) -> int:
    found: Counter[str] = Counter()
    end, number, tried = time.monotonic() + seconds, 0, 0
    while time.monotonic() < end:
        number += 1
        chance = make_random(seed, number)
        kind = every[number % len(every)]
        content = mutate(kind, chance)
        for words, said in try_content(kind, content, made, work, chance, deadline):
            tried += 1
            if said:
                _keep_failure(found, out, f"{kind.name}-{seed}-{number}", kind.file, content, words, said)
    click.echo(f"{number} inputs, {tried} commands, {found.total()} failures of {len(found)} kinds, in {out}")
    return 1 if found else 0


def _keep_failure(
    found: Counter[str], out: Path, name: str, file: str, content: bytes, words: list[str], said: str
) -> None:
    """Save the first input of each kind of failure, with the output of the command."""
    last = said.strip().splitlines()[-1]
    kind = f"{words[0]}: {said.splitlines()[0]}: {escape_unprintable(last, limit=120)}"
    found[kind] += 1
    if found[kind] == 1:
        folder = out / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / file).write_bytes(content)
        (folder / "said.txt").write_text(f"{' '.join(words)}\n\n{said}\n", encoding="utf-8", errors="backslashreplace")
        click.echo(f"{escape_unprintable(kind, limit=400)}: {folder}")


if __name__ == "__main__":
    fuzz()
