"""The kinds of inputs that are mutated: the mutations of each, and the commands that read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clconform.reports.given_files import GivenFileError
from clconform.reports.packing import SUFFIX, packed, unpacked
from clconform.reports.result import load_result
from clconform.reports.writing import RESULT
from clconform.runner.journal.every_call import CALLS
from clconform.runner.journal.writer import JOURNAL
from clconform.selftest.fuzzing import readers
from clconform.selftest.fuzzing.mutating import changed_bytes, changed_calls, changed_json, changed_lines
from clconform.selftest.fuzzing.mutating_messages import changed_answers, changed_memory, changed_requests
from clconform.selftest.fuzzing.recordings import changed_records
from clconform.tools.cli import cli

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    import click

    from clconform.selftest.fuzzing.seeds import Seeds

KNOWN, INTENDED, FAULTS = "known.toml", "intended.toml", "faults.json"
ANSWERS, REQUESTS = "answers.msgpack", "requests.msgpack"
RECORDING = "calls.clrec"
OLD_JOURNAL, OLD_RESULT = "old.jsonl", "old.json"
PACKED = JOURNAL + SUFFIX


SEQUENCES = 8
"""The number of sequences per result that are replayed."""


class Try(NamedTuple):
    """One reader of an input: a command and its arguments."""

    command: click.Command
    words: list[str]


class Kind(NamedTuple):
    """A kind of input. ``file``: its file name; ``seed``: valid content; ``changes``: its mutations.

    ``tries`` yields the readers, given the folder with the mutated input and the other valid inputs, and a random
    generator.
    """

    name: str
    file: str
    seed: bytes
    changes: tuple[Callable[[bytes, random.Random], bytes], ...]
    tries: Callable[[Path, random.Random], Iterator[Try]]


def kinds(seeds: Seeds, valid: Path) -> list[Kind]:
    """Return all kinds, and write the valid inputs into the folder ``valid``.

    The mutated input is in a folder with the other valid inputs, because some readers need several files.
    """
    for name, content in contents(seeds).items():
        (valid / name).write_bytes(content)

    def calls(folder: Path, _chance: random.Random) -> Iterator[Try]:
        yield Try(cli, ["rejudge", str(folder)])
        yield Try(cli, ["migrate", str(folder / CALLS)])

    def result(folder: Path, chance: random.Random) -> Iterator[Try]:
        mutated = str(folder / RESULT)
        yield from _each(
            chance,
            Try(cli, ["gate", mutated, "--known", str(valid / KNOWN)]),
            Try(cli, ["known", "--from", mutated]),
            Try(cli, ["compare", mutated, str(valid / RESULT)]),
            Try(cli, ["register", mutated]),
            Try(cli, ["report", mutated, str(valid / RESULT), "--out", str(folder / "matrix")]),
            Try(cli, ["migrate", mutated]),
        )
        yield from sequences(folder, chance)

    def sequences(folder: Path, chance: random.Random) -> Iterator[Try]:
        mutated = str(folder / RESULT)
        for wanted in _ids(folder / RESULT, chance):
            yield Try(cli, ["reproduce", mutated, wanted])
            yield Try(readers.replay, [mutated, wanted])

    def known(folder: Path, _chance: random.Random) -> Iterator[Try]:
        yield Try(cli, ["gate", str(valid / RESULT), "--known", str(folder / KNOWN)])
        yield Try(cli, ["migrate", str(folder / KNOWN)])

    def intended(folder: Path, _chance: random.Random) -> Iterator[Try]:
        yield Try(cli, ["rejudge", str(valid), "--intended", str(folder / INTENDED)])

    def faults(folder: Path, _chance: random.Random) -> Iterator[Try]:
        words = ["report", str(valid / JOURNAL), "--faults", str(folder / FAULTS), "--out", str(folder / "out")]
        yield Try(cli, words)
        yield Try(cli, ["migrate", str(folder / FAULTS)])

    lines, tree = (
        (changed_lines, changed_lines, changed_lines, changed_bytes),
        (changed_json, changed_json, changed_bytes),
    )
    answers = (changed_answers, changed_answers, changed_memory)
    return [
        Kind("journal", JOURNAL, seeds.journal, lines, _journal_by(JOURNAL, valid)),
        Kind(
            "packed-journal", PACKED, packed(seeds.journal), (changed_bytes, _changed_in_it), _journal_by(PACKED, valid)
        ),
        Kind("calls", CALLS, seeds.calls, lines, calls),
        Kind("result", RESULT, seeds.result, tree, result),
        Kind("sequences", RESULT, seeds.sequences, (changed_calls, changed_calls, changed_json), sequences),
        Kind("known", KNOWN, seeds.known, (changed_bytes,), known),
        Kind("intended", INTENDED, seeds.intended, (changed_bytes,), intended),
        Kind("faults", FAULTS, seeds.faults, tree, faults),
        Kind("old-journal", OLD_JOURNAL, seeds.old_journal, lines, _read_by(readers.migrate_and_read, OLD_JOURNAL)),
        Kind("old-result", OLD_RESULT, seeds.old_result, tree, _read_by(readers.migrate_and_read, OLD_RESULT)),
        Kind("answers", ANSWERS, seeds.messages, answers, _read_by(readers.answers, ANSWERS)),
        Kind("requests", REQUESTS, seeds.messages, (changed_requests,), _read_by(readers.requests, REQUESTS)),
        Kind("recording", RECORDING, seeds.recording, (changed_bytes, changed_records, changed_records), _validated),
    ]


def _changed_in_it(content: bytes, chance: random.Random) -> bytes:
    """Return a compressed journal with changed lines; change its bytes instead if it is already damaged."""
    try:
        return packed(changed_lines(unpacked(content), chance))
    except GivenFileError:
        return changed_bytes(content, chance)


def contents(seeds: Seeds) -> dict[str, bytes]:
    """Return the valid inputs by file name."""
    return {
        JOURNAL: seeds.journal,
        CALLS: seeds.calls,
        RESULT: seeds.result,
        KNOWN: seeds.known,
        ANSWERS: seeds.messages,
        REQUESTS: seeds.messages,
        RECORDING: seeds.recording,
        INTENDED: seeds.intended,
        FAULTS: seeds.faults,
        OLD_JOURNAL: seeds.old_journal,
        OLD_RESULT: seeds.old_result,
    }


def _journal_by(name: str, valid: Path) -> Callable[[Path, random.Random], Iterator[Try]]:
    """Return a generator of journal readers for the file of this name."""

    def tries(folder: Path, chance: random.Random) -> Iterator[Try]:
        mutated = str(folder / name)
        yield from _each(
            chance,
            Try(cli, ["report", mutated, "--out", str(folder / "out")]),
            Try(cli, ["compare", mutated, str(valid / JOURNAL)]),
            Try(cli, ["rejudge", mutated]),
            Try(cli, ["linked", mutated]),
            Try(readers.resume, [mutated]),
            Try(readers.merge, [mutated, str(valid / JOURNAL)]),
            Try(cli, ["migrate", mutated]),
        )

    return tries


def _read_by(command: click.Command, file: str) -> Callable[[Path, random.Random], Iterator[Try]]:
    """Return a generator of one reader for the mutated file."""
    return lambda folder, _chance: iter([Try(command, [str(folder / file)])])


def _validated(folder: Path, _chance: random.Random) -> Iterator[Try]:
    """Yield the reader that validates the mutated recording."""
    yield Try(cli, ["validate", "--out", str(folder / "out"), str(folder / RECORDING)])


def _each(chance: random.Random, *tries: Try) -> Iterable[Try]:
    """Return two of the readers; running all of them for each input would limit the number of inputs."""
    return chance.sample(tries, 2)


def _ids(path: Path, chance: random.Random) -> list[str]:
    try:
        found = [deviation.id for deviation in load_result(path).deviations]
    except Exception:  # noqa: BLE001 (only selects ids; the readers under test report the error)
        return ["0"]
    return chance.sample(found, min(len(found), SEQUENCES))
