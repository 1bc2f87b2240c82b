"""The kinds of inputs that are mutated: how each is changed, and the commands that read it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click
import msgspec

from clconform.calls.journal import CallLine, Line
from clconform.reports.reading import read_journal
from clconform.reports.result import load_result
from clconform.reports.writing import RESULT
from clconform.runner.journal.every_call import CALLS, EveryCall
from clconform.runner.journal.recorder import Recorder
from clconform.runner.journal.resuming import earlier_run
from clconform.runner.journal.writer import JOURNAL, JournalWriter
from clconform.selftest.fuzzing.exchanges import read
from clconform.selftest.fuzzing.feeding import feed
from clconform.selftest.fuzzing.mutating import changed_bytes, changed_json, changed_lines
from clconform.selftest.fuzzing.mutating_messages import changed_answers, changed_memory, changed_requests
from clconform.selftest.fuzzing.requesting import request
from clconform.spec_tables import load
from clconform.tools.cli import cli
from clconform.tools.merging import parts_of
from clconform.tools.replaying import to_replay
from clconform.tools.resuming import run_before
from clconform.tools.targets import stored

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterable, Iterator

    from clconform.selftest.fuzzing.seeds import Seeds

KNOWN, ANSWERS, REQUESTS = "known.toml", "answers.msgpack", "requests.msgpack"


class Try(NamedTuple):
    """One reader of an input: a command and its words."""

    command: click.Command
    words: list[str]


class Kind(NamedTuple):
    """One kind of input. ``file``: its name in a folder; ``seed``: valid content; ``changes``: ways to mutate it.

    ``tries``: the readers, given the folder with the mutated input, the valid others, and a random generator.
    """

    name: str
    file: str
    seed: bytes
    changes: tuple[Callable[[bytes, random.Random], bytes], ...]
    tries: Callable[[Path, random.Random], Iterator[Try]]


def kinds(seeds: Seeds, valid: Path) -> list[Kind]:
    """Return all kinds, and write the valid inputs into the folder ``valid``.

    The mutated input lies in a folder with the valid others, which readers of several files need.
    """
    for name, content in contents(seeds).items():
        (valid / name).write_bytes(content)

    def journal(folder: Path, chance: random.Random) -> Iterator[Try]:
        mutated = str(folder / JOURNAL)
        yield from _each(
            chance,
            Try(cli, ["report", mutated, "--out", str(folder / "out")]),
            Try(cli, ["compare", mutated, str(valid / JOURNAL)]),
            Try(cli, ["rejudge", str(folder)]),
            Try(cli, ["linked", mutated]),
            Try(RESUME, [mutated]),
            Try(MERGE, [mutated, str(valid / JOURNAL)]),
            Try(cli, ["migrate", mutated]),
        )

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
        for wanted in _ids(folder / RESULT, chance):
            yield Try(cli, ["reproduce", mutated, wanted])
            yield Try(REPLAY, [mutated, wanted])

    def known(folder: Path, _chance: random.Random) -> Iterator[Try]:
        yield Try(cli, ["gate", str(valid / RESULT), "--known", str(folder / KNOWN)])
        yield Try(cli, ["rejudge", str(valid / "none"), "--intended", str(folder / KNOWN)])
        yield Try(cli, ["migrate", str(folder / KNOWN)])

    def answers(folder: Path, _chance: random.Random) -> Iterator[Try]:
        yield Try(ASKED, [str(folder / ANSWERS)])

    def requests(folder: Path, _chance: random.Random) -> Iterator[Try]:
        yield Try(ANSWERED, [str(folder / REQUESTS)])

    lines, tree = (
        (changed_lines, changed_lines, changed_lines, changed_bytes),
        (changed_json, changed_json, changed_bytes),
    )
    return [
        Kind("journal", JOURNAL, seeds.journal, lines, journal),
        Kind("calls", CALLS, seeds.calls, lines, calls),
        Kind("result", RESULT, seeds.result, tree, result),
        Kind("known", KNOWN, seeds.known, (changed_bytes,), known),
        Kind("answers", ANSWERS, seeds.messages, (changed_answers, changed_answers, changed_memory), answers),
        Kind("requests", REQUESTS, seeds.messages, (changed_requests,), requests),
    ]


def contents(seeds: Seeds) -> dict[str, bytes]:
    """Return the valid inputs by the names of their files."""
    return {
        JOURNAL: seeds.journal,
        CALLS: seeds.calls,
        RESULT: seeds.result,
        KNOWN: seeds.known,
        ANSWERS: seeds.messages,
        REQUESTS: seeds.messages,
    }


def _each(chance: random.Random, *tries: Try) -> Iterable[Try]:
    """Return two of the readers: all of them for each input would leave time for few inputs."""
    return chance.sample(tries, 2)


def _ids(path: Path, chance: random.Random) -> list[str]:
    try:
        found = [deviation.id for deviation in load_result(path).deviations]
    except Exception:  # noqa: BLE001 (the commands are tried; this only finds what to try them with)
        return ["0"]
    return chance.sample(found, min(len(found), 6))


# readers of commands that would go on to start a driver


@click.command("resume")
@click.argument("journal")
def _resume(journal: str) -> None:
    before = run_before(journal, frozenset(), "")
    stored(before.header.target, before.header.device)
    earlier = earlier_run(Path(journal))
    earlier.check_header(before.header)
    if earlier.journal.platform is not None:
        earlier.check_platform(earlier.journal.platform)


@click.command("merge")
@click.argument("journals", nargs=-1)
def _merge(journals: tuple[str, ...]) -> None:
    parts_of([Path(journal) for journal in journals])


@click.command("replay")
@click.argument("result")
@click.argument("wanted")
def _replay(result: str, wanted: str) -> None:
    to_replay(result, wanted)
    read_journal(Path(result).with_name(JOURNAL))


# readers of messages: the two sides of the shared memory


@click.command("answers")
@click.argument("recording")
def _asked(recording: str) -> None:
    """Let a session make the recorded calls, and read what it has written about them."""
    path = Path(recording)
    written = {path.with_name(f"written-{name}"): line for name, line in ((JOURNAL, Line), (CALLS, CallLine))}
    journal, calls = (JournalWriter(each, keep=0) for each in written)
    try:
        judged = feed(read(path.read_bytes()), load(), Recorder(journal, EveryCall(calls)))
    finally:
        journal.close()
        calls.close()
    for each, line in written.items():
        for content in each.read_bytes().splitlines():
            msgspec.json.decode(content, type=line)
    click.echo(f"{judged} calls")


@click.command("requests")
@click.argument("recording")
def _answered(recording: str) -> None:
    """Have a worker answer the recorded requests."""
    kinds = request(read(Path(recording).read_bytes()), load())
    click.echo(", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())))


RESUME, MERGE, REPLAY, ASKED, ANSWERED = _resume, _merge, _replay, _asked, _answered
