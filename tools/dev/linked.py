"""The ``linked`` command: judges stored traces by the note on linked allocations."""

from __future__ import annotations

from pathlib import Path

from clconform.calls import exit_codes
from clconform.calls.linked_allocations import HOST, Trace, TraceLine
from clconform.oracles.chapters.linked_allocations.runtime_rules import CURRENT_RUNTIME, NOTE
from clconform.oracles.chapters.linked_allocations.trace_judge import judge
from clconform.reports import read_journal
from clconform.reports.escaping import escape_unprintable
from clconform.reports.untrusted_files import GivenFileError, decode_json, file_in_folder, read_bytes
from clconform.runner.journal.writer import JOURNAL_FILE
from clconform.spec_tables import load
from clconform.tools.errors import CommandError
from clconform.tools.output_text import print_text


def print_violations(path: str, *, shipped_runtime: bool) -> int:
    """Print the violations of the note on linked allocations in each trace; CommandError if a trace cannot be judged.

    ``shipped_runtime``: judge by the rules of the current runtime, instead of those of the note.
    """
    traces = read_traces(Path(path))
    tables, places = load(), 0
    for trace in traces:
        try:
            faults = judge(trace, tables, CURRENT_RUNTIME if shipped_runtime else NOTE).violations
        except Exception as error:  # a recorded call may lack an argument; a trace may use undefined names
            what = error if isinstance(error, AttributeError) else f"{type(error).__name__}: {error}"
            raise CommandError(f"{path}: the trace {trace.title!r} cannot be judged: {what}") from error
        places += len(faults)
        for fault in faults:
            access = trace.accesses[fault.access].access
            where = f"access {fault.access}, {access.context} {access.mode} {access.memory}"
            call = "" if fault.step is None else f", {trace.accesses[fault.access].steps[fault.step].call.function}"
            print_text(
                f"{escape_unprintable(trace.title)}: {escape_unprintable(where + call)}: {fault.condition} "
                f"({fault.requirement})"
            )
    accesses = sum(len(trace.accesses) for trace in traces)
    summary = f"{len(traces)} {'trace' if len(traces) == 1 else 'traces'}, {accesses} accesses"
    print_text(f"{summary}: {places or 'no'} violation{'s' * (places != 1)} of the note")
    return exit_codes.DEVIATIONS if places else exit_codes.AS_EXPECTED


def read_traces(path: Path) -> list[Trace]:
    """Return the traces of a journal, which may be named by its folder, or the single trace of a JSON file."""
    path = file_in_folder(path, JOURNAL_FILE)
    if path.suffix != ".json":
        found = [line.trace for line in read_journal(path).find_lines(TraceLine)]
        if not found:
            raise CommandError(f"{path}: the journal contains no traces; run suites/chapters/linked_allocations")
        return found
    try:
        trace = decode_json(read_bytes(path), Trace)
    except GivenFileError as error:
        raise CommandError(f"{path}: not a trace: {error}") from None
    known = {HOST, *(context.name for context in trace.contexts), *(memory.name for memory in trace.objects)}
    named = {name for served in trace.accesses for name in (served.access.memory, served.access.context)}
    if named - known:
        raise CommandError(f"{path}: the trace does not define: {', '.join(sorted(named - known))}")
    return [trace]
