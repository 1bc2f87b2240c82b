"""Commands that only read inputs. They take the place of sessions, and of commands that would also start a driver."""

from __future__ import annotations

import functools
import sys
from pathlib import Path

import click
import msgspec

from clconform.calls.journal import CallLine
from clconform.calls.line_kinds import JournalLine
from clconform.harness import Target
from clconform.reports import format_steps
from clconform.reports.call_formatting import ValueNames
from clconform.reports.escaping import escape_unprintable
from clconform.reports.journal_reader import read_journal
from clconform.reports.result_consistency import load_result
from clconform.runner.deviations.replay import Replayer, ReplayTarget
from clconform.runner.journal.full_log import CALLS_FILE, FullLog
from clconform.runner.journal.recorder import Recorder
from clconform.runner.journal.resuming import read_earlier_run
from clconform.runner.journal.writer import JOURNAL_FILE, JournalWriter
from clconform.selftest.fuzzing.exchanges import decode_exchanges
from clconform.selftest.fuzzing.replay_session import replay_exchanges
from clconform.selftest.fuzzing.request_replay import replay_requests
from clconform.spec_tables import load
from clconform.tools.dev.fuzzing.valid_inputs import SIMULATED
from clconform.tools.dev.migrate import migrate_files
from clconform.tools.driver_options import parse_stored_target
from clconform.tools.merge import merge_lines
from clconform.tools.replay import find_replayable
from clconform.tools.resumed_run import read_resumed_run

# readers of commands that start a driver


@click.command("resume")
@click.argument("journal")
def resume(journal: str) -> None:
    """Read the inputs of ``run --resume``."""
    before = read_resumed_run(journal, frozenset(), "")
    parse_stored_target(before.header.target, before.header.device)
    earlier = read_earlier_run(Path(journal))
    earlier.check_header(before.header)
    if earlier.journal.platform is not None:
        earlier.check_platform(earlier.journal.platform)


@click.command("merge")
@click.argument("journals", nargs=-1)
def merge(journals: tuple[str, ...]) -> None:
    """Read the partial journals of a run."""
    merge_lines([Path(journal) for journal in journals])


@functools.cache
def _get_replayer() -> Replayer:
    """Return the replayer on a simulated platform, whose process serves all inputs."""
    return Replayer(ReplayTarget(Target.simulated(SIMULATED), load()))


@click.command("replay")
@click.argument("result")
@click.argument("wanted")
def replay(result: str, wanted: str) -> None:
    """Read the sequence of a deviation and the journal next to the result, and replay it on a simulated platform."""
    _, _, deviation = find_replayable(result, wanted)
    read_journal(Path(result).with_name(JOURNAL_FILE))
    replayed = _get_replayer().run(deviation.sequence)
    tables = load()
    for line in format_steps(replayed.steps, tables, ValueNames(tables)):
        click.echo(escape_unprintable(line, limit=2000))
    click.echo(escape_unprintable(replayed.obstacle, limit=2000))


# the two processes that use the shared memory: the session and the worker


@click.command("answers")
@click.argument("recording")
def answers(recording: str) -> None:
    """Make the recorded calls in a session, and read the files that it writes."""
    path = Path(recording)
    written = {
        path.with_name(f"written-{name}"): line for name, line in ((JOURNAL_FILE, JournalLine), (CALLS_FILE, CallLine))
    }
    journal, calls = (JournalWriter(each, keep=0) for each in written)
    try:
        judged = replay_exchanges(decode_exchanges(path.read_bytes()), load(), Recorder(journal, FullLog(calls)))
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
    kinds = replay_requests(decode_exchanges(Path(recording).read_bytes()), load())
    click.echo(", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())))


# files of format 1


@click.command("migrate-and-read")
@click.argument("file")
def migrate_and_read(file: str) -> None:
    """Migrate a journal or a result of format 1, and read it."""
    path = Path(file)
    code = migrate_files([file])
    if path.suffix == ".jsonl":
        read_journal(path)
    else:
        load_result(path)
    sys.exit(code)
