"""The ``validate`` command: judges the calls of a program or of recordings, and attributes violations to parties."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from clconform.calls import exit_codes
from clconform.calls.run_verdict import Circumstance, decide_verdict
from clconform.oracles.engine.rulebook import rulebook_of
from clconform.recording.file_format import RecordingError, RecordingFile, is_recording
from clconform.recording.file_layout import PAGE
from clconform.recording.program_launch import DEFAULT_CONTENTS, ProgramEnd, RecordingOptions
from clconform.reports.escaping import escape_unprintable
from clconform.reports.json_documents import encode_document
from clconform.reports.untrusted_files import GivenFileError
from clconform.spec_tables import load
from clconform.spec_tables.regular_files import find_irregular_kind, open_regular_file
from clconform.tools.errors import CommandError
from clconform.tools.live import LiveOptions, judge_running_program
from clconform.tools.output_text import print_text
from clconform.tools.program_place import THIS_MACHINE, ProgramPlace
from clconform.tools.record import describe_no_calls, find_recordings, run_recorded
from clconform.validation.findings import DRIVER, PROGRAM, ValidationDocument
from clconform.validation.printer import format_validation, has_serious, lost_calls
from clconform.validation.recording_judge import validate_recording
from clconform.validation.suppressions import read_suppressions, suppress_findings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clconform.validation.findings import Validation
    from clconform.validation.suppressions import FindingSuppression


VERDICT, PROGRAM_CODE = "verdict", "program"
"""The values of the option that selects the exit code."""


class ValidateOptions(msgspec.Struct, frozen=True):
    """The options of the command.

    ``parties``: the parties whose findings determine the exit code; empty: all parties. ``exit_code``: ``verdict``, or
    ``program`` to return the code of a program that fails instead of the exit code for it. ``live``: judge the calls
    while the program runs. ``stops``: the call at which to stop it after a finding; None: do not stop it. ``my_code``:
    patterns of the code in which calls have their places. ``place``: the machine on which the program runs.
    """

    out: str = ""
    suppress: str = ""
    parties: tuple[str, ...] = ()
    contents: int = DEFAULT_CONTENTS
    hashes: bool = False
    notes: bool = False
    as_json: bool = False
    exit_code: str = VERDICT
    live: bool = False
    stops: str | None = None
    my_code: tuple[str, ...] = ()
    place: ProgramPlace = THIS_MACHINE


def load_rules() -> None:
    """Load the tables and the rules, which are needed for each recording."""
    rulebook_of(load())


def validate_calls(words: Sequence[str], wanted: ValidateOptions) -> int:
    """Judge the calls of a program, or recordings; return the exit code.

    ``words``: a program with its arguments, or recordings. CommandError if they cannot be judged.
    """
    wanted.place.check()
    entries, ended = _read_suppressions(wanted.suppress), None
    if not wanted.place.device:
        _check_kind(words[0])
    _check_combination(words[0], wanted)
    with tempfile.TemporaryDirectory(prefix="clconform-") as work:
        if _is_recording(words[0]):
            other = next((word for word in words if not _is_recording(word)), "")
            if other:
                raise CommandError(
                    f"{escape_unprintable(other)} is not a recording; options must come before recordings"
                )
            found = [_judge_recording(Path(word), entries, wanted.my_code) for word in words]
        else:
            judge = _judge_live if wanted.live else _judge_afterwards
            found, ended = judge(Path(work), words, wanted, entries)
            if not found:
                raise CommandError(*_describe_no_calls(words[0], ended, wanted))
            found[0] = msgspec.structs.replace(found[0], program_end=str(ended) if ended.code else "")
            if not wanted.as_json:
                print_text(f"clconform: {escape_unprintable(words[0])}: {ended}")
    _print_results(found, wanted)
    code = find_exit_code(found, ended, wanted.parties)
    is_own = ended is not None and code == exit_codes.PROGRAM_FAILED and wanted.exit_code == PROGRAM_CODE
    return ended.code if ended is not None and is_own else code


def find_exit_code(found: Sequence[Validation], ended: ProgramEnd | None, parties: Sequence[str] = ()) -> int:
    """Return the exit code of the verdict; the parameters are those of ``_circumstances``."""
    return decide_verdict(_circumstances(found, ended, parties)).code


def _judge_afterwards(
    folder: Path, words: Sequence[str], wanted: ValidateOptions, entries: Sequence[FindingSuppression]
) -> tuple[list[Validation], ProgramEnd]:
    """Record a program in a folder, and judge each of its processes after its end."""
    path = folder / "calls.clrec"
    options, place = RecordingOptions(wanted.contents, wanted.hashes, wanted.place.shim_use()), wanted.place
    ended = run_recorded(path, words, options, place, aside=wanted.as_json)
    found = find_recordings(path)
    return [
        _judge_recording(file, entries, wanted.my_code, words[0], is_remote=bool(place.device)) for file in found
    ], ended


def _judge_live(
    folder: Path, words: Sequence[str], wanted: ValidateOptions, entries: Sequence[FindingSuppression]
) -> tuple[list[Validation], ProgramEnd]:
    """Judge a program while it runs; ``folder``: the folder for the socket to which it connects."""
    options = LiveOptions(
        entries,
        wanted.parties,
        RecordingOptions(wanted.contents, wanted.hashes, wanted.place.shim_use()),
        wanted.stops,
        notes=wanted.notes,
        aside=wanted.as_json,
        my_code=wanted.my_code,
    )
    found, ended = judge_running_program(folder, words, options)
    return [_suppress(each, entries) for each in found], ended


def _check_combination(word: str, wanted: ValidateOptions) -> None:
    """Raise CommandError for options of a running program that cannot be combined with the other arguments."""
    if wanted.stops and not wanted.live:
        raise CommandError("--break needs --live: only a program that is judged while it runs can be stopped")
    if wanted.live and _is_recording(word):
        raise CommandError(f"--live judges a program while it runs, but {escape_unprintable(word)} is a recording")
    if wanted.live and wanted.place.device:
        raise CommandError(f"--live judges programs of this machine only, not of {wanted.place.device}; omit --live")
    if wanted.place.shim and _is_recording(word):
        raise CommandError(f"--shim records a program, but {escape_unprintable(word)} is a recording; omit --shim")
    if wanted.place.device and _is_recording(word):
        raise CommandError(f"--device runs a program, but {escape_unprintable(word)} is a recording; omit --device")


def _describe_no_calls(program: str, ended: ProgramEnd, wanted: ValidateOptions) -> tuple[str, int]:
    """Return the message and the exit code for a program without recorded calls."""
    message = f"{escape_unprintable(program)}: {ended}; {describe_no_calls(wanted.place)}"
    if not ended.code:
        return message, exit_codes.NO_SUCH_PLATFORM
    if ended.lost:
        return message, exit_codes.INCOMPLETE
    return message, ended.code if wanted.exit_code == PROGRAM_CODE else exit_codes.PROGRAM_FAILED


def _check_kind(word: str) -> None:
    """Raise CommandError for the path of a pipe, a socket or a device, which is neither a recording nor a program.

    A name without a slash is a program if the search path has one of this name.
    """
    kind = find_irregular_kind(word) if "/" in word or shutil.which(word) is None else ""
    if kind:
        raise CommandError(f"{escape_unprintable(word)}: it is a {kind}, not a recording or a program")


def _is_recording(word: str) -> bool:
    try:
        with open_regular_file(Path(word)) as file:
            return is_recording(file.read(PAGE))
    except (OSError, ValueError):
        return False


def _read_suppressions(path: str) -> list[FindingSuppression]:
    try:
        return read_suppressions(Path(path)) if path else []
    except GivenFileError as error:
        raise CommandError(f"--suppress {path}: {error}") from None


def _judge_recording(
    path: Path,
    entries: Sequence[FindingSuppression],
    my_code: Sequence[str],
    name: str = "",
    *,
    is_remote: bool = False,
) -> Validation:
    tables = load()
    try:
        recording = RecordingFile(path, tables)
        found = validate_recording(recording, tables, name or str(path), my_code=my_code, is_remote=is_remote)
    except RecordingError as error:
        raise CommandError(str(error)) from None
    return _suppress(found, entries)


def _suppress(found: Validation, entries: Sequence[FindingSuppression]) -> Validation:
    kept, left_out = suppress_findings(found.findings, entries)
    return msgspec.structs.replace(found, findings=kept, suppressed=left_out)


def _print_results(found: Sequence[Validation], wanted: ValidateOptions) -> None:
    tables = load()
    if wanted.as_json:
        print_text(encode_document(ValidationDocument(list(found))))
    else:
        for each in found:
            for line in format_validation(each, tables, notes=wanted.notes):
                print_text(line)
    if wanted.out:
        from clconform.validation.report_files import write_report_files  # takes longer than a short recording

        folder = Path(wanted.out)
        try:
            write_report_files(folder, found, tables)
        except OSError as error:
            raise CommandError(f"--out {folder}: cannot write ({error.strerror})") from None
        if not wanted.as_json:
            print_text(f"clconform: {folder}/validation.html (also validation.json and junit.xml)")


def _circumstances(
    found: Sequence[Validation], ended: ProgramEnd | None, parties: Sequence[str]
) -> Iterator[Circumstance]:
    """Yield the circumstances of a validation.

    ``ended``: how the program has ended; None for recordings, each of which must have a judged call. ``parties``: the
    parties whose findings count; empty: all. Findings of incomplete recordings do not count, so that the exit code is
    that of an incomplete one. The program's end and lost calls count always.
    """
    every = [finding for each in found if not each.damage for finding in each.findings]
    counted: dict[str, Circumstance] = {PROGRAM: "program-violation", DRIVER: "new-deviation"}
    for party, circumstance in counted.items():
        if (not parties or party in parties) and has_serious(every, party):
            yield circumstance
    if ended is not None and ended.code and not ended.lost:
        yield "program-failed"
    if any(lost_calls(each) for each in found) or (ended is not None and ended.lost):
        yield "incomplete"
    are_judged = [bool(each.judged) for each in found]
    if not (all(are_judged) if ended is None else any(are_judged)):  # child processes may make no call
        yield "nothing-covered"
