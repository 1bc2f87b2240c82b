"""Programs that are judged while they run."""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import IO, TYPE_CHECKING, NamedTuple

import msgspec
import pytest

from clconform.calls import exit_codes
from clconform.recording import live_stream
from clconform.recording.file_format import RecordingError, RecordingFile
from clconform.recording.file_layout import RECORD_HEAD, encode_file_head, seal_record
from clconform.recording.layer_source import FORMAT, Head
from clconform.recording.live_stream import LiveProcess, LiveReceiver
from clconform.spec_tables import load
from clconform.validation.recording_judge import validate_recording
from tests import forked_runs, in_process

from .cases.case_table import Case, find_outcome, judge_live, list_findings, read_cases
from .cases.installed_drivers import DRIVERS, use_driver
from .conftest import POCL

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.validation.findings import Validation

SECONDS = 100
EXITED = 9
FINDING = "program: error  clCreateBuffer/CL_INVALID_BUFFER_SIZE/1"
ENTRY_ERROR = "nobody known: ended"


@pytest.fixture(autouse=True)
def pocl(layer: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    del layer
    monkeypatch.setenv("OCL_ICD_VENDORS", str(POCL))


class LiveCommand(NamedTuple):
    """A running ``clconform validate --live``, its output, and the named pipe for which its program may wait."""

    run: forked_runs.ForkedRun
    output: IO[str]
    errors: IO[str]
    pipe: Path

    def read_errors(self, wanted: str) -> str:
        """Return the errors up to the first line with a text."""
        read = ""
        for line in self.errors:
            read += line
            if wanted in line:
                return read
        pytest.fail(f"{wanted} is not in {read}")

    def let_continue(self) -> None:
        """Let the program continue that waits for the pipe."""
        self.pipe.write_text("x")

    def finish(self) -> tuple[int, str, str]:
        """Return the exit code, and the rest of the output and of the errors."""
        errors, output = self.errors.read(), self.output.read()
        return self.run.wait(SECONDS), output, errors


Starter = Callable[..., AbstractContextManager[LiveCommand]]


@pytest.fixture
def start_command(tmp_path: Path) -> Starter:
    """Return a function that starts the command, and finally kills it and its program."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    @contextmanager
    def start(*words: object) -> Iterator[LiveCommand]:
        (output, out), (errors, err) = os.pipe(), os.pipe()
        with open(output) as read_output, open(errors) as read_errors:  # noqa: PTH123 (descriptors)
            with open(out, "wb") as stdout, open(err, "wb") as stderr:  # noqa: PTH123 (descriptors)
                given = ["validate", "--live", *map(str, words)]
                run = forked_runs.ForkedRun(tmp_path, *given, stdout=stdout, stderr=stderr)
            try:
                yield LiveCommand(run, read_output, read_errors, pipe)
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(run.pid, signal.SIGKILL)
                run.kill()

    return start


@pytest.fixture
def run_command(start_command: Starter) -> Callable[..., tuple[int, str, str]]:
    """Return a function that runs the command to its end, and returns its exit code, output and errors."""

    def run(*words: object) -> tuple[int, str, str]:
        with start_command(*words) as started:
            return started.finish()

    return run


def test_finding_is_printed_while_the_program_runs(
    build_program: Callable[..., Path], start_command: Starter, tmp_path: Path
) -> None:
    with start_command("--", build_program("live"), "waits", tmp_path / "pipe") as started:
        started.read_errors(FINDING)
        started.let_continue()
        code, printed, errors = started.finish()
    assert code == exit_codes.PROGRAM_VIOLATIONS
    assert "after" in printed
    assert printed.count(FINDING) == 1  # the summary
    assert "program: " not in errors


def test_break_stops_before_the_next_call(
    build_program: Callable[..., Path], run_command: Callable[..., tuple[int, str, str]]
) -> None:
    code, printed, errors = run_command("--break", "--", build_program("live"))
    assert code == exit_codes.PROGRAM_VIOLATIONS
    assert "made" in printed
    assert "after" not in printed
    assert "ended by SIGTRAP" in printed
    assert "stops at its next call (SIGTRAP)" in errors
    assert ENTRY_ERROR not in printed
    assert "had not returned" not in printed


def test_break_before_stops_before_the_driver_is_entered(
    build_program: Callable[..., Path], run_command: Callable[..., tuple[int, str, str]]
) -> None:
    program = build_program("live")
    code, printed, _ = run_command("--", program, "handle")
    assert (code, "ended by SIGSEGV" in printed) == (exit_codes.PROGRAM_VIOLATIONS, True)
    code, printed, errors = run_command("--break=before", "--", program, "handle")
    assert code == exit_codes.PROGRAM_VIOLATIONS
    assert "ended by SIGTRAP" in printed
    assert "this handle was not returned by any call of the program" in errors
    assert "stops before this call (SIGTRAP)" in errors
    assert ENTRY_ERROR not in printed
    code, printed, errors = run_command("--break=before", "--", program)
    assert code == exit_codes.PROGRAM_VIOLATIONS
    assert "made" not in printed
    assert "observed    the process was stopped before the driver was entered" in printed
    assert "observed" not in errors


def test_break_without_finding_changes_nothing(
    build_program: Callable[..., Path], run_command: Callable[..., tuple[int, str, str]]
) -> None:
    for word in ("next", "before"):
        code, printed, _ = run_command(f"--break={word}", "--", build_program("endless"), 100)
        assert (code, "exit code 0" in printed) == (exit_codes.AS_EXPECTED, True)


@pytest.mark.parametrize("options", [["--party", "driver"], ["--suppress", "known.toml"]])
def test_break_ignores_suppressed_findings_and_other_parties(
    options: list[str],
    build_program: Callable[..., Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    run_command: Callable[..., tuple[int, str, str]],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "known.toml").write_text('[[suppress]]\nreason = "known"\nfunction = "clCreateBuffer"\n')
    code, printed, _ = run_command("--break", *options, "--", build_program("live"))
    assert (code, "after" in printed) == (exit_codes.AS_EXPECTED, True)


def test_interrupt_ends_a_program_that_never_ends(build_program: Callable[..., Path], start_command: Starter) -> None:
    with start_command("--", build_program("live"), "for-ever") as started:
        started.read_errors(FINDING)
        started.run.send_signal(signal.SIGINT)  # only to the judge, as from kill
        code, printed, _ = started.finish()
    assert code == exit_codes.PROGRAM_VIOLATIONS
    assert "ended by SIGINT" in printed
    assert FINDING in printed


def test_interrupt_without_finding_returns_the_code_for_a_failed_program(
    build_program: Callable[..., Path], start_command: Starter
) -> None:
    with start_command("--party", "driver", "--", build_program("live"), "for-ever") as started:
        started.read_errors(FINDING)
        os.killpg(started.run.pid, signal.SIGINT)
        assert started.finish()[0] == exit_codes.PROGRAM_FAILED


def test_finding_is_printed_about_a_call_that_never_returns(
    build_program: Callable[..., Path], start_command: Starter
) -> None:
    with start_command("--", build_program("live"), "hangs") as started:
        started.read_errors("A callback of clSetEventCallback calls clWaitForEvents")
        started.run.send_signal(signal.SIGTERM)
        code, printed, errors = started.finish()
    assert code == exit_codes.PROGRAM_VIOLATIONS
    assert "ended by SIGTERM" in printed
    assert printed.count("A callback of clSetEventCallback calls clWaitForEvents") == 1
    assert "because" not in errors


def test_program_continues_without_its_judge(
    build_program: Callable[..., Path], start_command: Starter, tmp_path: Path
) -> None:
    with start_command("--", build_program("live"), "waits", tmp_path / "pipe") as started:
        started.read_errors(FINDING)
        started.run.kill()
        started.let_continue()
        _, printed, errors = started.finish()
    assert "after" in printed
    assert errors.count("clconform: the recording ends here: the judge has ended") == 1


@pytest.mark.parametrize("stops", ["next", "before"])
def test_program_that_waits_for_replies_continues_without_its_judge(
    stops: str, build_program: Callable[..., Path], start_command: Starter
) -> None:
    with start_command(f"--break={stops}", "--party", "driver", "--", build_program("live"), "for-ever") as started:
        started.read_errors(FINDING)
        started.run.kill()
        assert "the judge has ended" in started.read_errors("the recording ends here")


def test_all_calls_of_a_killed_program_are_judged(
    build_program: Callable[..., Path], run_command: Callable[..., tuple[int, str, str]]
) -> None:
    code, printed, _ = run_command("--", build_program("live"), "killed")
    assert code == exit_codes.PROGRAM_VIOLATIONS
    assert "ended by SIGKILL" in printed
    assert FINDING in printed
    assert "incomplete" not in printed


def test_program_that_closes_the_connection_continues(
    build_program: Callable[..., Path], run_command: Callable[..., tuple[int, str, str]]
) -> None:
    code, printed, errors = run_command("--", build_program("live"), "closed")
    assert code == exit_codes.PROGRAM_VIOLATIONS
    assert "after" in printed
    assert "209 calls, 209 of them judged" in printed  # its thread connects again
    assert errors.count("clconform:") == 0


def test_forked_child_is_judged_separately(
    build_program: Callable[..., Path], run_command: Callable[..., tuple[int, str, str]]
) -> None:
    code, printed, _ = run_command("--json", "--", build_program("live"), "fork")
    assert code == exit_codes.PROGRAM_VIOLATIONS
    parent, child = json.loads(printed)["validations"]
    assert [each["function"] for each in parent["findings"] if each["kind"] == "error"] == ["clCreateBuffer"]
    assert [each["function"] for each in child["findings"] if each["kind"] == "error"] == ["clGetDeviceIDs"]


@pytest.mark.parametrize("words", [["live", "threads"], ["endless", "600"], ["several"]], ids=lambda words: words[0])
@pytest.mark.parametrize("stops", [None, "next", "before"])
def test_verdict_equals_that_of_a_recording(
    words: list[str],
    stops: str | None,
    build_program: Callable[..., Path],
    record_program: Callable[..., tuple[Path, object]],
    tmp_path: Path,
) -> None:
    program = [build_program(words[0]), *words[1:]]
    path, _ = record_program(*program)
    recorded = [
        validate_recording(RecordingFile(each, load()), load(), "")
        for each in sorted(path.parent.glob(f"{path.name}*"))
    ]
    live, _ = judge_live(tmp_path, [str(word) for word in program], stops)
    assert sorted(map(summarize, live)) == sorted(map(summarize, recorded))


def summarize(validation: Validation) -> tuple[object, ...]:
    """Return what must be equal in two runs of a program."""
    reasons = sorted(validation.not_judged.items())
    found = sorted(map(str, list_findings(validation)))
    return validation.calls, validation.judged, reasons, found, validation.damage


@pytest.mark.parametrize("stops", [None, "before"], ids=["live", "before"])
@pytest.mark.parametrize("case", read_cases()[::6], ids=lambda case: case.name)
def test_live_verdict_equals_that_of_the_table(
    case: Case, stops: str | None, build_program: Callable[..., Path], tmp_path: Path
) -> None:
    del build_program  # requested only so that the test is skipped without a compiler
    driver = DRIVERS[0]
    with use_driver(driver):
        found = find_outcome(case, tmp_path, live=True, stops=stops)
    assert case.outcome_on(driver.name).matches(found), found.describe()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--break"], "--break needs --live"),
        (["--live"], "--live judges a program while it runs, but calls.clrec is a recording"),
    ],
)
def test_options_that_cannot_be_combined_are_rejected(words: list[str], message: str, tmp_path: Path) -> None:
    (tmp_path / "calls.clrec").write_bytes(b"CLREC\0\0\0")
    done = in_process.run_command(tmp_path, "validate", *words, "--", "calls.clrec")
    assert done.returncode == exit_codes.BAD_USAGE
    assert message in done.stderr


class StreamThread:
    """A host thread of this process that sends records to a receiver; they contain only their numbers."""

    def __init__(self, receiver: LiveReceiver) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(str(receiver.path))
        head = msgspec.json.encode(Head(FORMAT, "", []))
        self._socket.sendall(encode_file_head(head) + struct.pack("<QII", 1, os.getpid(), 1))

    def send(self, *numbers: int) -> None:
        """Send a record of each number."""
        for number in numbers:
            self._socket.sendall(seal_record(RECORD_HEAD.pack(0, number, RECORD_HEAD.size, EXITED, 0)))

    def send_damaged(self) -> None:
        """Send a record with another checksum."""
        self._socket.sendall(RECORD_HEAD.pack(1, 2, RECORD_HEAD.size, EXITED, 0))

    def end(self) -> None:
        """Close the connection."""
        self._socket.close()


def receive_process(receiver: LiveReceiver) -> LiveProcess:
    """Receive what there is, and return the only process."""
    receive_all(receiver)
    (process,) = receiver.take_new_processes()
    return process


def receive_all(receiver: LiveReceiver) -> None:
    while receiver.receive(0):
        pass


def take_numbers(process: LiveProcess) -> list[int]:
    """Return the numbers of the next events."""
    return [event.sequence for event in iter(process.take_event, None)]


def test_events_of_several_threads_are_in_order(tmp_path: Path) -> None:
    with LiveReceiver(tmp_path, load()) as receiver:
        one, other = StreamThread(receiver), StreamThread(receiver)
        one.send(1, 3, 6)
        process = receive_process(receiver)
        assert take_numbers(process) == [1]
        other.send(2, 4)
        receive_all(receiver)
        assert take_numbers(process) == [2, 3, 4]
        one.end()
        other.send(5)
        other.end()
        receive_all(receiver)
        assert take_numbers(process) == [5, 6]
        assert process.truncation == ""
        assert receiver.take_new_processes() == []


def test_record_that_never_arrives_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with LiveReceiver(tmp_path, load()) as receiver:
        thread = StreamThread(receiver)
        thread.send(1, 4)
        process = receive_process(receiver)
        assert take_numbers(process) == [1]
        assert not process.has_ended
        monkeypatch.setattr(live_stream, "GAP_SECONDS", 0.0)
        assert take_numbers(process) == []
        assert process.truncation == "record 2 is missing"
        assert process.has_ended
        receive_all(receiver)
        late = StreamThread(receiver)
        receive_all(receiver)
        assert receiver.take_new_processes() == []
        thread.end()
        late.end()


def test_damaged_record_ends_the_stream(tmp_path: Path) -> None:
    with LiveReceiver(tmp_path, load()) as receiver:
        thread = StreamThread(receiver)
        thread.send(1)
        thread.send_damaged()
        process = receive_process(receiver)
        assert (process.has_ended, process.truncation) == (True, "record 2 is damaged")
        thread.end()


def test_receiver_does_not_read_more_than_the_judge_can_use(tmp_path: Path) -> None:
    with LiveReceiver(tmp_path, load()) as receiver:
        thread, number = StreamThread(receiver), 1
        thread.send(1)
        process = receive_process(receiver)
        while not process.is_full:
            number += 1
            thread.send(number)
            receiver.receive(0)
        assert number > live_stream.MOST_WAITING
        thread.send(number + 1)
        receiver.receive(0)
        assert take_numbers(process) == list(range(1, number + 1))
        receive_all(receiver)
        assert take_numbers(process) == [number + 1]
        thread.end()


def test_socket_with_too_long_a_path_is_rejected(tmp_path: Path) -> None:
    folder = tmp_path / ("x" * live_stream.LONGEST_PATH)
    with pytest.raises(RecordingError, match="too long for a socket; set TMPDIR"):
        LiveReceiver(folder, load())
