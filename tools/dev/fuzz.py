"""The ``fuzz`` command: runs commands on mutated input files, and keeps the files that cause failures."""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from clconform.calls import exit_codes
from clconform.reports.escaping import escape_unprintable
from clconform.runner.pytest_plugin.environment import prepare_environment
from clconform.tools.dev.fuzzing.input_kinds import get_kinds
from clconform.tools.dev.fuzzing.input_trials import make_random, mutate, try_content
from clconform.tools.dev.fuzzing.valid_inputs import make_valid_inputs
from clconform.tools.output_text import print_text

if TYPE_CHECKING:
    from collections.abc import Collection

    from clconform.tools.dev.fuzzing.input_kinds import InputKind
    from clconform.tools.dev.fuzzing.valid_inputs import ValidInputs


def fuzz_commands(seconds: float, seed: int, kinds: Collection[str], deadline: float, out: str) -> int:
    """Mutate input files for this time, and write the files that cause failures to the folder ``out``.

    ``kinds``: the names of the kinds of inputs; all if it is empty. ``deadline``: the seconds for each command. Return
    the exit code.
    """
    prepare_environment()
    with tempfile.TemporaryDirectory(prefix="clconform-fuzzing-") as name:
        valid = Path(name) / "valid"
        valid.mkdir()
        made = make_valid_inputs(Path(name) / "run")
        every = [kind for kind in get_kinds(made, valid) if not kinds or kind.name in kinds]
        return _search_failures(every, made, Path(name) / "work", seconds, seed, deadline, Path(out))


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
        for words, failure in try_content(kind, content, made, work, chance, deadline):
            tried += 1
            if failure:
                _keep_failure(found, out, f"{kind.name}-{seed}-{number}", kind.file, content, words, failure)
    print_text(f"{number} inputs, {tried} commands, {found.total()} failures of {len(found)} kinds, in {out}")
    return exit_codes.DEVIATIONS if found else exit_codes.AS_EXPECTED


def _keep_failure(
    found: Counter[str], out: Path, name: str, file: str, content: bytes, words: list[str], failure: str
) -> None:
    """Save the first input of each kind of failure, with the output of the command."""
    last = failure.strip().splitlines()[-1]
    command = " ".join(words[:2] if words[0] == "dev" else words[:1])
    kind = f"{command}: {failure.splitlines()[0]}: {escape_unprintable(last, limit=120)}"
    found[kind] += 1
    if found[kind] == 1:
        folder = out / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / file).write_bytes(content)
        (folder / "said.txt").write_text(
            f"{' '.join(words)}\n\n{failure}\n", encoding="utf-8", errors="backslashreplace"
        )
        print_text(f"{escape_unprintable(kind, limit=400)}: {folder}")
