"""The ``validate`` command: judges the calls of a program or recording and attributes violations to their party."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from clconform.recording import launching
from clconform.recording.file_format import Recording, RecordingError
from clconform.recording.launching import DEFAULT_CONTENTS
from clconform.reports.escaping import visible
from clconform.reports.given_files import GivenFileError
from clconform.reports.json_documents import encode
from clconform.runner.gate import exit_codes
from clconform.spec_tables import load
from clconform.tools.errors import CommandError
from clconform.tools.recording import NO_CALLS, recorded
from clconform.tools.saying import say
from clconform.validation.findings import DRIVER, PROGRAM, Document
from clconform.validation.judging import validated
from clconform.validation.page import page_of
from clconform.validation.suppressing import read_suppressions, without
from clconform.validation.telling import junit_of, serious, told

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.validation.findings import Validation
    from clconform.validation.suppressing import Suppression


class Wanted(msgspec.Struct, frozen=True):
    """Options of the command. ``parties``: the parties whose findings decide the exit code; empty: all."""

    out: str = ""
    suppress: str = ""
    parties: tuple[str, ...] = ()
    contents: int = DEFAULT_CONTENTS
    hashes: bool = False
    notes: bool = False
    as_json: bool = False


def validate(given: Sequence[str], wanted: Wanted) -> int:
    """Judge a program's calls, or recordings; return the exit code.

    ``given``: a program with its arguments, or recordings. CommandError if neither can be judged.
    """
    entries = _entries(wanted.suppress)
    with tempfile.TemporaryDirectory(prefix="clconform-") as work:
        if _is_recording(given[0]):
            other = next((word for word in given if not _is_recording(word)), "")
            if other:
                raise CommandError(f"{visible(other)} is not a recording; options must come before recordings")
            found = [_judged(Path(word), entries) for word in given]
        else:
            path = Path(work) / "calls.clrec"
            ended = recorded(path, given, launching.Wanted(wanted.contents, wanted.hashes), aside=wanted.as_json)
            files = [path, *sorted(path.parent.glob(f"{path.name}.*"))]
            if not path.is_file():
                raise CommandError(NO_CALLS.format(program=given[0]), exit_codes.NO_SUCH_PLATFORM)
            found = [_judged(file, entries, given[0]) for file in files]
            if not wanted.as_json:
                say(f"clconform: {visible(given[0])}: {ended}")
    _tell(found, wanted)
    return _code(found, wanted.parties)


def _is_recording(word: str) -> bool:
    try:
        with Path(word).open("rb") as file:
            return file.read(5) == b"CLREC"
    except (OSError, ValueError):
        return False


def _entries(path: str) -> list[Suppression]:
    try:
        return read_suppressions(Path(path)) if path else []
    except GivenFileError as error:
        raise CommandError(f"--suppress {path}: {error}") from None


def _judged(path: Path, entries: Sequence[Suppression], name: str = "") -> Validation:
    tables = load()
    try:
        found = validated(Recording(path, tables), tables, name or str(path))
    except RecordingError as error:
        raise CommandError(str(error)) from None
    kept, left_out = without(found.findings, entries)
    return msgspec.structs.replace(found, findings=kept, suppressed=left_out)


def _tell(found: Sequence[Validation], wanted: Wanted) -> None:
    tables = load()
    if wanted.as_json:
        say(encode(Document(list(found))))
    else:
        for each in found:
            for line in told(each, tables, notes=wanted.notes):
                say(line)
    if wanted.out:
        folder = Path(wanted.out)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "validation.json").write_text(encode(Document(list(found))), encoding="utf-8")
            for number, each in enumerate(found):
                ending = f"-{number}" if number else ""
                (folder / f"validation{ending}.html").write_text(page_of(each, tables), encoding="utf-8")
                (folder / f"junit{ending}.xml").write_text(junit_of(each, tables), encoding="utf-8")
        except OSError as error:
            raise CommandError(f"--out {folder}: cannot write ({error.strerror})") from None
        if not wanted.as_json:
            say(f"clconform: {folder}/validation.html (also validation.json and junit.xml)")


def _code(found: Sequence[Validation], parties: Sequence[str]) -> int:
    every = [finding for each in found for finding in each.findings]
    codes = {PROGRAM: exit_codes.MISTAKES, DRIVER: exit_codes.DEVIATIONS}
    counted = [code for party, code in codes.items() if (not parties or party in parties) and serious(every, party)]
    return exit_codes.deciding(counted)
