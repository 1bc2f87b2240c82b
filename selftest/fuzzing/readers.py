"""Readers of inputs as separate commands: the reading part of commands that start a driver, and of sessions."""

from __future__ import annotations

import functools
import sys
from pathlib import Path

import click
import msgspec

from clconform.calls.journal import CallLine, Line
from clconform.harness import Target
from clconform.reports import format_steps
from clconform.reports.escaping import visible
from clconform.reports.reading import read_journal
from clconform.reports.result import load_result
from clconform.reports.wording import Names
from clconform.runner.deviations.replay import Replayer
from clconform.runner.journal.every_call import CALLS, EveryCall
from clconform.runner.journal.recorder import Recorder
from clconform.runner.journal.resuming import earlier_run
from clconform.runner.journal.writer import JOURNAL, JournalWriter
from clconform.selftest.fuzzing.exchanges import read
from clconform.selftest.fuzzing.feeding import feed
from clconform.selftest.fuzzing.requesting import request
from clconform.selftest.fuzzing.seeds import SIMULATED
from clconform.spec_tables import load
from clconform.tools.merging import parts_of
from clconform.tools.migrating import migrate
from clconform.tools.replaying import to_replay
from clconform.tools.resuming import run_before
from clconform.tools.targets import stored

# readers of commands that start a driver


@click.command("resume")
@click.argument("journal")
def resume(journal: str) -> None:
    """Read the inputs of ``run --resume``."""
    before = run_before(journal, frozenset(), "")
    stored(before.header.target, before.header.device)
    earlier = earlier_run(Path(journal))
    earlier.check_header(before.header)
    if earlier.journal.platform is not None:
        earlier.check_platform(earlier.journal.platform)


@click.command("merge")
@click.argument("journals", nargs=-1)
def merge(journals: tuple[str, ...]) -> None:
    """Read the partial journals of a run."""
    parts_of([Path(journal) for journal in journals])


@functools.cache
def _replayer() -> Replayer:
    """Return a replayer on a simulated platform; one process serves all inputs."""
    return Replayer(Target.simulated(SIMULATED), load())


@click.command("replay")
@click.argument("result")
@click.argument("wanted")
def replay(result: str, wanted: str) -> None:
    """Read the sequence of a deviation and the journal next to the result, and replay it on a simulated platform."""
    _, _, deviation = to_replay(result, wanted)
    read_journal(Path(result).with_name(JOURNAL))
    replayed = _replayer().run(deviation.sequence)
    tables = load()
    for line in format_steps(replayed.steps, tables, Names(tables)):
        click.echo(visible(line, limit=2000))
    click.echo(visible(replayed.broken, limit=2000))


# the two sides of the shared memory


@click.command("answers")
@click.argument("recording")
def answers(recording: str) -> None:
    """Make the recorded calls in a session, and read the files that it writes."""
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
def requests(recording: str) -> None:
    """Send the recorded requests to a worker."""
    kinds = request(read(Path(recording).read_bytes()), load())
    click.echo(", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())))


# files of format 1


@click.command("migrate-and-read")
@click.argument("file")
def migrate_and_read(file: str) -> None:
    """Migrate a journal or a result of format 1, and read it."""
    path = Path(file)
    code = migrate([file])
    if path.suffix == ".jsonl":
        read_journal(path)
    else:
        load_result(path)
    sys.exit(code)
