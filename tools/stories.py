"""Judges stored stories by the note on linked allocations: those of a journal, or one that was recorded elsewhere."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from clconform.calls.stories import HOST, Story
from clconform.oracles.chapters.linked.judging import judge
from clconform.oracles.chapters.linked.rules import LATER, NOTE
from clconform.reports import read_journal
from clconform.reports.escaping import visible
from clconform.runner.gate import exit_codes
from clconform.spec_tables import load
from clconform.tools.errors import CommandError

JOURNAL = "journal.jsonl"


def show(given: str, *, later: bool) -> int:
    """Print where each story leaves the note; CommandError where there is none to be read."""
    stories = stories_at(Path(given))
    tables, places = load(), 0
    for story in stories:
        try:
            faults = judge(story, tables, LATER if later else NOTE).faults
        except AttributeError as error:  # a call that was recorded without one of its arguments
            raise CommandError(f"{given}: {error}") from None
        places += len(faults)
        for fault in faults:
            access = story.served[fault.access].access
            where = f"access {fault.access}, {access.context} {access.mode} {access.memory}"
            call = "" if fault.step is None else f", {story.served[fault.access].steps[fault.step].call.function}"
            click.echo(f"{visible(story.title)}: {visible(where + call)}: {fault.words} ({fault.record})")
    accesses = sum(len(story.served) for story in stories)
    told = f"{len(stories)} {'story' if len(stories) == 1 else 'stories'}, {accesses} accesses"
    click.echo(f"{told}: {places or 'no'} place{'s' * (places != 1)} against the note")
    return exit_codes.DEVIATIONS if places else exit_codes.AS_EXPECTED


def stories_at(path: Path) -> list[Story]:
    """Return the stories of a journal, or of the folder that it lies in, or the one story that a JSON file holds."""
    path = path / JOURNAL if path.is_dir() else path
    if path.suffix != ".json":
        found = [line.story for line in read_journal(path).stories]
        if not found:
            raise CommandError(f"{path}: the journal holds no story; run suites/chapters/linked into it")
        return found
    try:
        story = msgspec.json.decode(path.read_bytes(), type=Story)
    except OSError as error:
        raise CommandError(f"{path}: cannot be read ({error.strerror})") from None
    except msgspec.DecodeError as error:
        raise CommandError(f"{path}: this is no story: {error}") from None
    known = {HOST, *(context.name for context in story.contexts), *(memory.name for memory in story.objects)}
    named = {name for served in story.served for name in (served.access.memory, served.access.context)}
    if named - known:
        raise CommandError(f"{path}: the story does not say what these are: {', '.join(sorted(named - known))}")
    return [story]
