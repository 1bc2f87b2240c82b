"""Judges a program while it runs: prints each finding immediately, and stops the program on request."""

from __future__ import annotations

import signal
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from clconform.oracles.engine.rulebook import rulebook_of
from clconform.recording.file_format import CallEntry, CallReturn, RecordingError
from clconform.recording.layer_build import LayerError
from clconform.recording.live_stream import LiveReceiver
from clconform.recording.program_launch import (
    LaunchError,
    ProgramEnd,
    RecordingOptions,
    build_library,
    describe_end,
    live_environment,
    start_program,
)
from clconform.reports.call_formatting import ValueNames
from clconform.spec_tables import load
from clconform.tools.errors import CommandError
from clconform.tools.output_text import print_text
from clconform.validation.printer import format_finding, is_shown
from clconform.validation.recording_judge import RecordingJudge
from clconform.validation.suppressions import suppress_findings

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from clconform.recording.file_format import Event
    from clconform.recording.live_stream import LiveProcess
    from clconform.spec_tables import Tables
    from clconform.validation.findings import Validation, ValidationFinding
    from clconform.validation.suppressions import FindingSuppression

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
"""The signals that end the program and the judging."""
NEXT, BEFORE = "next", "before"
"""The values of ``--break``."""
_EVENTS_AT_A_TIME = 64
"""The number of events that are judged before more are received."""
_WAIT_SECONDS = 0.2
_IDLE_SECONDS = 0.4
"""The findings about a call that has not returned for so long are printed before it returns."""
_FROM_TERMINAL = 0x80
"""The code of a signal that the kernel has sent to all processes of the terminal (SI_KERNEL)."""
_MAX_ANNOUNCED = 4096


class LiveOptions(NamedTuple):
    """The options of the command; ``parties``, ``notes``, ``stops`` and ``my_code``: as in ``ValidateOptions``.

    ``aside``: the program's standard output goes to standard error.
    """

    suppressed: Sequence[FindingSuppression]
    parties: tuple[str, ...]
    recording: RecordingOptions
    stops: str | None
    notes: bool
    aside: bool
    my_code: tuple[str, ...] = ()


def judge_running_program(
    folder: Path, words: Sequence[str], options: LiveOptions
) -> tuple[list[Validation], ProgramEnd]:
    """Run a program, and return what was found in each of its processes, and how it ended.

    ``folder``: a folder for a socket. CommandError if the program cannot be run.
    """
    tables = load()
    try:
        rulebook_of(tables)  # before the program starts, so that the first finding is not late
        receiver = LiveReceiver(folder, tables)
        library = build_library(tables, options.recording)
        variables = live_environment(library, receiver.path, options.recording, options.stops)
        with receiver, _block_signals():
            program = start_program(words, variables, stdout_to_stderr=options.aside, unblocked_signals=STOP_SIGNALS)
            with program:  # waits for its end, which must not depend on the receiver
                try:
                    found = _LiveRun(receiver, program, words[0], options, tables).judge()
                finally:
                    receiver.close()
            return found, describe_end(program.returncode)
    except (LayerError, LaunchError, RecordingError) as error:
        raise CommandError(str(error)) from None


@contextmanager
def _block_signals() -> Iterator[None]:
    """Block the signals that stop the program within this block, so that they can be received in order."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    try:
        yield
    finally:
        while signal.sigtimedwait(STOP_SIGNALS, 0):
            pass
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _JudgedProcess:
    """A process of the program that has not ended, with its judge."""

    def __init__(self, process: LiveProcess, judge: RecordingJudge) -> None:
        self.process, self.judge = process, judge
        self.stop = 0
        self._must_stop = False
        self._under_way: set[int] = set()
        self._entered: CallEntry | None = None
        self._since = time.monotonic()
        self._announced: dict[tuple[object, ...], None] = {}

    def note_event(self) -> Event | None:
        """Judge and return the next event; None if there is none yet."""
        event = self.process.take_event()
        if event is not None:
            self.judge.note_event(event)
            self._entered = event if isinstance(event, CallEntry) and not event.opening else None
            self._since = time.monotonic()
        return event

    def reply(self, event: Event, stops: str) -> None:
        """Reply to a call of the program if it waits for this, after its findings were announced."""
        if isinstance(event, CallEntry) and not event.opening:
            if stops == BEFORE:
                self.process.reply(event.thread, self.stop if self._must_stop else 0)
                if self._must_stop:
                    self.judge.note_stop(event.sequence)
                self._must_stop = False
            else:
                self._under_way.add(event.sequence)
        elif isinstance(event, CallReturn) and event.entered in self._under_way:
            self._under_way.remove(event.entered)
            self.process.reply(event.thread, self.stop)

    def request_stop(self) -> None:
        """Let the process stop at the next call that waits for a reply."""
        self.stop, self._must_stop = self.stop % 255 + 1, True

    def take_new(self, findings: Sequence[ValidationFinding]) -> list[ValidationFinding]:
        """Return the findings that were not returned earlier, when their call had not returned."""
        new = []
        for each in findings:
            key = each.call_number, each.kind, *each.requirements
            if key not in self._announced:
                self._announced[key] = None
                new.append(each)
        while len(self._announced) > _MAX_ANNOUNCED:
            del self._announced[next(iter(self._announced))]
        return new

    def find_in_waiting_call(self) -> list[ValidationFinding]:
        """Return the findings about a call that has not returned for a while, once, if nothing has followed it."""
        entered = self._entered
        if entered is None or time.monotonic() - self._since < _IDLE_SECONDS:
            return []
        self._entered = None
        return self.judge.find_at_entry(entered.sequence)


class _LiveRun:
    """One run of a program, and its processes."""

    def __init__(
        self,
        receiver: LiveReceiver,
        program: subprocess.Popen[bytes],
        name: str,
        options: LiveOptions,
        tables: Tables,
    ) -> None:
        self._receiver, self._program, self._name, self._options = receiver, program, name, options
        self._tables, self._names = tables, ValueNames(tables)
        self._judged: dict[int, _JudgedProcess] = {}
        self._results: dict[int, Validation] = {}
        self._count = 0
        self._is_interrupted = False

    def judge(self) -> list[Validation]:
        """Judge the calls until all processes have ended, and return the results."""
        while not self._has_ended():
            self._forward_signals()
            was_busy = self._judge_some()
            if self._receiver.receive(0 if was_busy else _WAIT_SECONDS) or was_busy:
                continue
            for each in self._judged.values():
                self._announce(each, each.find_in_waiting_call(), "at its next call")
        for number, each in self._judged.items():
            print_text(f"clconform: process {each.process.id} is no longer judged, but has not ended", err=True)
            self._results[number] = self._finish(each)
        return [found for _, found in sorted(self._results.items())]

    def _has_ended(self) -> bool:
        """Return whether the program and all processes that it started have ended, and all calls are judged."""
        if self._program.poll() is None:
            return False
        self._start_judging()
        return self._is_interrupted or (not self._judged and not self._receiver.receive(0))

    def _start_judging(self) -> None:
        """Begin to judge the processes that have connected; only the first one cannot have inherited objects."""
        for process in self._receiver.take_new_processes():
            judge = RecordingJudge(
                self._tables,
                pointer_bytes=process.pointer_bytes,
                through_loader=process.through_loader,
                inherits=self._count > 0,
                my_code=self._options.my_code,
            )
            self._judged[self._count] = _JudgedProcess(process, judge)
            self._count += 1

    def _forward_signals(self) -> None:
        """Send to the program the signals that only this process has received; after its end, stop judging."""
        received = signal.sigtimedwait(STOP_SIGNALS, 0)
        if received is None:
            return
        if self._program.poll() is not None:
            self._is_interrupted = True
        elif received.si_code != _FROM_TERMINAL:
            self._program.send_signal(received.si_signo)

    def _judge_some(self) -> bool:
        """Judge the next events of each process; return whether there were any."""
        self._start_judging()
        was_busy = False
        for number, each in list(self._judged.items()):
            for _ in range(_EVENTS_AT_A_TIME):
                event = each.note_event()
                if event is None:
                    break
                was_busy = True
                self._handle(each, event)
            else:
                continue
            if each.process.has_ended:
                self._results[number] = self._finish(self._judged.pop(number))
        return was_busy

    def _handle(self, judged: _JudgedProcess, event: Event) -> None:
        """Print the new findings about an event that was judged, and reply to its thread."""
        self._announce(judged, judged.judge.collector.take_new(), "at its next call")
        if isinstance(event, CallEntry) and self._options.stops == BEFORE:
            self._announce(judged, judged.judge.find_at_entry(event.sequence), "before this call")
        if self._options.stops is not None:
            judged.reply(event, self._options.stops)

    def _announce(self, judged: _JudgedProcess, findings: Sequence[ValidationFinding], place: str) -> None:
        """Print new findings, and request a stop if they require one; ``place``: where the program stops."""
        new = judged.take_new(findings) if findings else []
        kept, _ = suppress_findings(new, self._options.suppressed)
        must_stop = False
        for each in kept:
            if is_shown(each, notes=self._options.notes):
                print_text("\n".join(("", *format_finding(each, self._tables, self._names), "")), err=True)
                must_stop |= not self._options.parties or each.party in self._options.parties
        if must_stop and self._options.stops is not None:
            judged.request_stop()
            print_text(f"clconform: process {judged.process.id} stops {place} (SIGTRAP)", err=True)

    def _finish(self, judged: _JudgedProcess) -> Validation:
        return judged.judge.finish(self._name, judged.process.truncation)
