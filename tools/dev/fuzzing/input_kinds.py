"""The kinds of inputs that are mutated: the mutations of each, and the commands that read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clconform.reports.compression import SUFFIX, compress_lines, decompress
from clconform.reports.result_consistency import load_result
from clconform.reports.untrusted_files import GivenFileError
from clconform.reports.writer import RESULT
from clconform.runner.journal.full_log import CALLS_FILE
from clconform.runner.journal.writer import JOURNAL_FILE
from clconform.selftest.fuzzing.message_mutations import change_answers, change_memory, change_requests
from clconform.selftest.fuzzing.mutations import change_bytes, change_calls, change_json, change_lines
from clconform.selftest.fuzzing.recording_writer import change_records
from clconform.tools.cli import cli
from clconform.tools.dev.fuzzing import readers

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    import click

    from clconform.tools.dev.fuzzing.valid_inputs import ValidInputs

KNOWN, INTENDED, FAULTS = "known.toml", "intended.toml", "faults.json"
ANSWERS, REQUESTS = "answers.msgpack", "requests.msgpack"
RECORDING = "calls.clrec"
OLD_JOURNAL, OLD_RESULT = "old.jsonl", "old.json"
PACKED = JOURNAL_FILE + SUFFIX


MAX_SEQUENCES = 8
"""The maximum number of sequences that are replayed from each result."""


class ReaderCall(NamedTuple):
    """One reader of an input: a command and its arguments."""

    command: click.Command
    words: list[str]


class InputKind(NamedTuple):
    """A kind of input. ``file``: its file name; ``seed``: valid content; ``changes``: its mutations.

    ``tries`` yields the readers, given the folder with the mutated input and the other valid inputs, and a random
    generator.
    """

    name: str
    file: str
    seed: bytes
    changes: tuple[Callable[[bytes, random.Random], bytes], ...]
    tries: Callable[[Path, random.Random], Iterator[ReaderCall]]


def get_kinds(seeds: ValidInputs, valid: Path) -> list[InputKind]:
    """Return all kinds of inputs, and write the valid inputs into the folder ``valid``.

    A mutated input is in a folder with the other valid inputs, because some readers need several files.
    """
    for name, content in get_contents(seeds).items():
        (valid / name).write_bytes(content)

    def calls(folder: Path, _chance: random.Random) -> Iterator[ReaderCall]:
        yield ReaderCall(cli, ["dev", "rejudge", str(folder)])
        yield ReaderCall(cli, ["dev", "migrate", str(folder / CALLS_FILE)])

    def result(folder: Path, chance: random.Random) -> Iterator[ReaderCall]:
        mutated = str(folder / RESULT)
        yield from _choose_two(
            chance,
            ReaderCall(cli, ["gate", mutated, "--known", str(valid / KNOWN)]),
            ReaderCall(cli, ["known", "--from", mutated]),
            ReaderCall(cli, ["compare", mutated, str(valid / RESULT)]),
            ReaderCall(cli, ["interpretations", mutated]),
            ReaderCall(cli, ["report", mutated, str(valid / RESULT), "--out", str(folder / "matrix")]),
            ReaderCall(cli, ["dev", "migrate", mutated]),
        )
        yield from sequences(folder, chance)

    def sequences(folder: Path, chance: random.Random) -> Iterator[ReaderCall]:
        mutated = str(folder / RESULT)
        for wanted in _get_deviation_ids(folder / RESULT, chance):
            yield ReaderCall(cli, ["reproduce", mutated, wanted])
            yield ReaderCall(readers.replay, [mutated, wanted])

    def known(folder: Path, _chance: random.Random) -> Iterator[ReaderCall]:
        yield ReaderCall(cli, ["gate", str(valid / RESULT), "--known", str(folder / KNOWN)])
        yield ReaderCall(cli, ["dev", "migrate", str(folder / KNOWN)])

    def intended(folder: Path, _chance: random.Random) -> Iterator[ReaderCall]:
        yield ReaderCall(cli, ["dev", "rejudge", str(valid), "--intended", str(folder / INTENDED)])

    def faults(folder: Path, _chance: random.Random) -> Iterator[ReaderCall]:
        words = ["report", str(valid / JOURNAL_FILE), "--faults", str(folder / FAULTS), "--out", str(folder / "out")]
        yield ReaderCall(cli, words)
        yield ReaderCall(cli, ["dev", "migrate", str(folder / FAULTS)])

    lines, tree = (
        (change_lines, change_lines, change_lines, change_bytes),
        (change_json, change_json, change_bytes),
    )
    answers = (change_answers, change_answers, change_memory)
    return [
        InputKind("journal", JOURNAL_FILE, seeds.journal, lines, _read_journal(JOURNAL_FILE, valid)),
        InputKind(
            "packed-journal",
            PACKED,
            compress_lines(seeds.journal),
            (change_bytes, _change_packed_journal),
            _read_journal(PACKED, valid),
        ),
        InputKind("calls", CALLS_FILE, seeds.calls, lines, calls),
        InputKind("result", RESULT, seeds.result, tree, result),
        InputKind("sequences", RESULT, seeds.sequences, (change_calls, change_calls, change_json), sequences),
        InputKind("known", KNOWN, seeds.known, (change_bytes,), known),
        InputKind("intended", INTENDED, seeds.intended, (change_bytes,), intended),
        InputKind("faults", FAULTS, seeds.faults, tree, faults),
        InputKind(
            "old-journal", OLD_JOURNAL, seeds.old_journal, lines, _read_by(readers.migrate_and_read, OLD_JOURNAL)
        ),
        InputKind("old-result", OLD_RESULT, seeds.old_result, tree, _read_by(readers.migrate_and_read, OLD_RESULT)),
        InputKind("answers", ANSWERS, seeds.messages, answers, _read_by(readers.answers, ANSWERS)),
        InputKind("requests", REQUESTS, seeds.messages, (change_requests,), _read_by(readers.requests, REQUESTS)),
        InputKind(
            "recording", RECORDING, seeds.recording, (change_bytes, change_records, change_records), _validate_recording
        ),
    ]


def _change_packed_journal(content: bytes, chance: random.Random) -> bytes:
    """Return a compressed journal with changed lines, or with changed bytes if the content cannot be decompressed."""
    try:
        return compress_lines(change_lines(decompress(content), chance))
    except GivenFileError:
        return change_bytes(content, chance)


def get_contents(seeds: ValidInputs) -> dict[str, bytes]:
    """Return the valid inputs, as a mapping from file names to contents."""
    return {
        JOURNAL_FILE: seeds.journal,
        CALLS_FILE: seeds.calls,
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


def _read_journal(name: str, valid: Path) -> Callable[[Path, random.Random], Iterator[ReaderCall]]:
    """Return a function that yields readers of the mutated journal with this file name."""

    def tries(folder: Path, chance: random.Random) -> Iterator[ReaderCall]:
        mutated = str(folder / name)
        yield from _choose_two(
            chance,
            ReaderCall(cli, ["report", mutated, "--out", str(folder / "out")]),
            ReaderCall(cli, ["compare", mutated, str(valid / JOURNAL_FILE)]),
            ReaderCall(cli, ["dev", "rejudge", mutated]),
            ReaderCall(cli, ["dev", "linked", mutated]),
            ReaderCall(readers.resume, [mutated]),
            ReaderCall(readers.merge, [mutated, str(valid / JOURNAL_FILE)]),
            ReaderCall(cli, ["dev", "migrate", mutated]),
        )

    return tries


def _read_by(command: click.Command, file: str) -> Callable[[Path, random.Random], Iterator[ReaderCall]]:
    """Return a function that yields one reader of the mutated file: this command."""
    return lambda folder, _chance: iter([ReaderCall(command, [str(folder / file)])])


def _validate_recording(folder: Path, _chance: random.Random) -> Iterator[ReaderCall]:
    """Yield the reader that validates the mutated recording."""
    yield ReaderCall(cli, ["validate", "--out", str(folder / "out"), str(folder / RECORDING)])


def _choose_two(chance: random.Random, *tries: ReaderCall) -> Iterable[ReaderCall]:
    """Return two random readers. Running all readers for each input would reduce the number of inputs."""
    return chance.sample(tries, 2)


def _get_deviation_ids(path: Path, chance: random.Random) -> list[str]:
    try:
        found = [deviation.id for deviation in load_result(path).deviations]
    except Exception:  # noqa: BLE001 (only selects ids; the readers under test report the error)
        return ["0"]
    return chance.sample(found, min(len(found), MAX_SEQUENCES))
