"""Untrusted files and options: a command refuses any malformed journal, result or list of known deviations.

Each row of the tables is a hostile file, with its reading command, the exit code, and the words of the single line.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
import shutil
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import chain, count
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from clconform.calls import exit_codes
from clconform.calls.call import Died, Returned, Step
from clconform.calls.journal import Confirmation, Deviation, RunHeader
from clconform.harness import HarnessError, libraries
from clconform.reports.journal_reader import parse_journal
from clconform.reports.json_documents import encode_document
from clconform.reports.result_builder import assemble_result
from clconform.spec_tables import load, loading
from clconform.spec_tables.regular_files import write_given_file
from clconform.tools.cli import cli
from clconform.tools.resumed_run import read_resumed_run

from .reports import fabricated_journals

if TYPE_CHECKING:
    from pathlib import Path

BAD = exit_codes.BAD_USAGE
NESTING_DEPTH = 100_000
HAS_DEEPER_JSON = sys.version_info >= (3, 14)
"""Whether this is Python 3.14 or newer, where JSON readers stop at a greater depth, and TOML readers at a lesser."""
TIMEOUT_SECONDS = 60
Change = Callable[[Any], object]


def journal_lines() -> list[Any]:
    return [
        json.loads(line)
        for line in fabricated_journals.encode_journal(fabricated_journals.journal_lines()).splitlines()
    ]


def changed_journal(change: Change, line: str = "deviation") -> bytes:
    """Return a journal whose first line of that kind is changed."""
    lines = journal_lines()
    change(next(each for each in lines if each["line"] == line))
    return "".join(json.dumps(each) + "\n" for each in lines).encode()


@functools.cache
def encoded_result() -> str:
    return encode_document(
        assemble_result(
            parse_journal(fabricated_journals.encode_journal(fabricated_journals.journal_lines()), "j"), load()
        )
    )


def changed_result(change: Change) -> bytes:
    """Return a result whose first deviation is changed."""
    read = json.loads(encoded_result())
    change(read["deviations"][0])
    return json.dumps(read).encode()


def known_file(**fields: object) -> bytes:
    entry = {"requirement": "clF/A/1", "verdict": "deviates", "reason": "known", **fields}
    return ("[[known]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in entry.items())).encode()


def run_command(folder: Path, *words: str) -> tuple[int, str]:
    """Run a command in this process, and return its exit code and its single line."""
    started = time.monotonic()
    with contextlib.chdir(folder):
        done = CliRunner().invoke(cli, [word.replace("FOLDER", str(folder)) for word in words])
    assert time.monotonic() - started < TIMEOUT_SECONDS
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert all(letter.isprintable() or letter == "\n" for letter in done.output), ascii(done.output)
    return done.exit_code, done.output


JOURNALS: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "no complete line"),
    "zeros": (b"\0" * 100 + b"\n", "line 1 is not a journal header"),
    "of another encoding": ("{}\n".encode("utf-16"), "line 1 is not a journal header"),
    "nested": (b"[" * NESTING_DEPTH + b"\n", "line 1 is not a journal header"),
    "nested objects": (b'{"a":' * NESTING_DEPTH + b"\n", "line 1 is not a journal header"),
    "one long line": (b"x" * (8 << 20), "no complete line"),
    "a long number": (b"1" * NESTING_DEPTH + b"\n", "line 1 is not a journal header"),
    "broken text": (changed_journal(lambda line: line.update(item="X")).replace(b'"X"', b'"\xff"'), "is broken"),
    "a lone surrogate": (changed_journal(lambda line: line.update(item="\ud800")), "is broken"),
    "a nested line": (
        fabricated_journals.encode_journal(fabricated_journals.journal_lines())
        + b'{"line":' * NESTING_DEPTH
        + b"\n{}\n",
        "is broken: Input data was truncated" if HAS_DEEPER_JSON else "are nested too deeply",
    ),
    "no requirements": (changed_journal(lambda line: line.update(requirements=[])), "length >= 1"),
    "an unknown verdict": (changed_journal(lambda line: line.update(verdict="fine")), "is broken"),
    "a list for a text": (changed_journal(lambda line: line.update(key=[])), "Expected `str`"),
    "a negative count": (changed_journal(lambda line: line.update(calls=-1), "item"), ">= 0"),
    "a huge count": (changed_journal(lambda line: line.update(calls=10**30), "item"), "is broken"),
    "a shard of text": (changed_journal(lambda line: line.update(shard="x/y"), "run"), "the header in line 1"),
    "a scale of zero": (changed_journal(lambda line: line.update(deadline_scale=0), "run"), "the header in line 1"),
    "a truncated line": (
        b"}\n".join(fabricated_journals.encode_journal(fabricated_journals.journal_lines()).rsplit(b"}\n", 3)[:3])
        + b"\n{}\n",
        "broken",
    ),
    "a later format": (b'{"line":"run","format":9999999999999999999}\n', "use a newer clconform"),
    "control characters in a kind": (b'{"line":"\\u001b[2J"}\n', "line 1 is not a journal header"),
}


@pytest.mark.parametrize("name", JOURNALS)
@pytest.mark.parametrize("words", ["report FOLDER", "compare FOLDER FOLDER", "merge --out FOLDER/all FOLDER"])
def test_malformed_journal_is_refused(name: str, words: str, tmp_path: Path) -> None:
    content, said = JOURNALS[name]
    (tmp_path / "journal.jsonl").write_bytes(content)
    code, line = run_command(tmp_path, *words.split())
    assert (code, line.count("\n")) == (BAD, 1), line
    assert said in line
    assert "journal.jsonl" in line


RESULTS: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "not a result"),
    "nested": (b"[" * NESTING_DEPTH, "are nested too deeply"),
    "a number": (b"1", "Expected `object`"),
    "of another encoding": ("{}".encode("utf-16"), "not a result"),
    "no requirements": (changed_result(lambda one: one.update(requirements=[])), "length >= 1"),
    "an id that leads out": (changed_result(lambda one: one.update(id="../../evil")), "`$.deviations[0].id`"),
    "an absolute id": (changed_result(lambda one: one.update(id="/tmp/evil")), "`$.deviations[0].id`"),  # noqa: S108
    "an id of two lines": (changed_result(lambda one: one.update(id="86f203a7\n")), "`$.deviations[0].id`"),
    "an unknown verdict": (changed_result(lambda one: one.update(verdict="\x1b[2J")), "Invalid enum value"),
    "a sequence of numbers": (changed_result(lambda one: one.update(sequence=[1])), "Expected `object`"),
    "a nested value": (
        changed_result(lambda one: one.update(note="N")).replace(b'"N"', b"[" * NESTING_DEPTH + b"]" * NESTING_DEPTH),
        "are nested too deeply",
    ),
}


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.parametrize(
    "words",
    [
        "gate FOLDER --known FOLDER/known.toml",
        "known --from FOLDER",
        "reproduce FOLDER ../../evil",
        "replay FOLDER 86f203a7",
        "compare FOLDER FOLDER",
    ],
)
def test_malformed_result_is_refused(name: str, words: str, tmp_path: Path) -> None:
    content, said = RESULTS[name]
    (tmp_path / "in").mkdir()
    folder = tmp_path / "in"
    (folder / "result.json").write_bytes(content)
    (folder / "known.toml").write_bytes(b"")
    code, line = run_command(folder, *words.split())
    assert (code, line.count("\n")) == (BAD, 1), line
    assert said in line
    assert {path.name for path in tmp_path.rglob("*")} == {"in", "result.json", "known.toml"}


KNOWN: dict[str, tuple[bytes, str]] = {
    "nested lists": (b"known = " + b"[" * 3000, "are nested too deeply"),
    "a nested list in one line": (b"a = " + b"[" * NESTING_DEPTH, "the limit is 4000"),
    "a key of many parts": (b"[a" + b".a" * NESTING_DEPTH + b"]", "the limit is 4000"),
    "nested keys": (
        b"known" + b".a" * 1500 + b" = 1",
        "are nested too deeply" if HAS_DEEPER_JSON else "known is not a list of entries",
    ),
    "a nested value": (
        b"[[known]]\nrequirement" + b".a" * 1500 + b" = 1",
        "are nested too deeply" if HAS_DEEPER_JSON else "requirement = {...}",
    ),
    "zeros": (b"\0" * 10, "a zero byte"),
    "of another encoding": ("[[known]]".encode("utf-16"), "UTF-16 byte order mark"),
    "broken text": (b"# caf\xe9", "byte 0xe9 at offset 5"),
    "a long number": (b"[[known]]\nflaky = " + b"1" * 3900, "flaky = 1"),
    "a number beyond Python": (b"\n".join([b"a = 1" + b"_1" * 1900] * 2), "not valid TOML"),
    "a key twice": (known_file().replace(b"reason", b"requirement"), "not valid TOML"),
    "an empty observation": (known_file(observed=""), "observed is empty; write the observation"),
    "an empty symptom": (known_file(symptom=" "), "symptom is empty"),
    "an empty driver": (known_file(driver=""), "driver is empty"),
    "an empty requirement": (known_file(requirement=""), "requirement is empty"),
    "a number for a text": (known_file(requirement=1), "requirement = 1: write"),
    "a long pattern": (known_file(requirement="*" * 501), "no id has more than 500"),
    "a command for the terminal": (known_file(verdict="\x1b[2J"), r'= "\\x1b[2J": write'),
    "a key for the terminal": (b'"\\u001b[2J" = 1', r"unknown key \x1b[2J"),
    "too large": (b"#" * ((4 << 20) + 1), "it has 4 MiB"),
}


@pytest.mark.parametrize("name", KNOWN)
def test_malformed_file_of_known_deviations_is_refused(name: str, tmp_path: Path) -> None:
    content, said = KNOWN[name]
    (tmp_path / "known.toml").write_bytes(content)
    code, line = run_command(tmp_path, "gate", "FOLDER", "--known", "FOLDER/known.toml")
    assert (code, line.count("\n")) == (BAD, 1), line
    assert said in line


def test_known_file_with_byte_order_mark_and_crlf_line_ends_is_accepted(tmp_path: Path) -> None:
    (tmp_path / "result.json").write_bytes(b"\xef\xbb\xbf" + changed_result(lambda _one: None))
    (tmp_path / "known.toml").write_bytes(b"\xef\xbb\xbf" + known_file().replace(b"\n", b"\r\n"))
    code, _ = run_command(tmp_path, "gate", "FOLDER", "--known", "FOLDER/known.toml")
    assert code == exit_codes.DEVIATIONS


def _make_fifo(path: Path) -> None:
    os.mkfifo(path)


def _make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one, contextlib.chdir(path.parent):
        one.bind(path.name)


def _make_device_link(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _make_link_loop(path: Path) -> None:
    path.symlink_to(path)


def _make_sparse_file(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


SPECIAL_FILES: dict[str, tuple[Callable[[Path], object], str]] = {
    "a named pipe": (_make_fifo, "it is a named pipe, not a file"),
    "a socket": (_make_socket, "it is a socket, not a file"),
    "a device": (_make_device_link, "it is a device, not a file"),
    "a folder": (lambda path: path.mkdir(), ""),
    "a link to itself": (_make_link_loop, "it is a broken link"),
    "a file of a terabyte": (_make_sparse_file, "but the limit is"),
}
READING_COMMANDS = (
    "report FILE",
    "compare FILE FILE",
    "gate FILE --known FOLDER/none",
    "gate FOLDER --known FILE",
    "known --from FILE",
    "reproduce FILE 0",
    "replay FILE 0",
    "interpretations FILE",
    "dev coverage FILE",
    "merge --out FOLDER/all FILE",
    "dev rejudge FILE",
    "dev rejudge FOLDER --intended FILE",
    "dev linked FILE",
    "dev migrate FILE",
    "explain clFinish --results FILE",
    "report FOLDER --faults FILE",
    "dev mutate --against FILE --requirement nothing",
    "dev violate --json FILE",
    "bisect FOLDER 0 --build {} --driver x --revisions FILE",
    "run --known FILE",
    "run --resume FILE",
)


@pytest.mark.parametrize("kind", SPECIAL_FILES)
def test_commands_refuse_a_special_file_instead_of_a_journal(kind: str, tmp_path: Path) -> None:
    make, said = SPECIAL_FILES[kind]
    make(tmp_path / "journal.jsonl")
    (tmp_path / "result.json").write_bytes(changed_result(lambda _one: None))
    told = []
    for words in READING_COMMANDS:
        code, line = run_command(tmp_path, *words.replace("FILE", "FOLDER/journal.jsonl").split())
        assert (code, line.count("\n")) == (BAD, 1), (words, line)
        told.append(line)
    assert sum(said in line for line in told) >= len(READING_COMMANDS) - 5, told


OTHER_ARGUMENTS = (
    "validate FILE",
    "validate --suppress FILE FOLDER/none",
    "tables --count --tables FOLDER/tables",
    "run --simulated flat-4 --tables FOLDER/tables",
    "explain clFinish --tables FOLDER/tables",
    "known --from FOLDER --add-to FILE",
    "known --from FOLDER --out FILE",
    "report FOLDER --known FILE",
    "merge --out FOLDER/all --known FILE FOLDER",
    "record -o FILE -- true",
    "run --simulated flat-4 --out FILE",
)


@pytest.mark.parametrize("kind", ["a named pipe", "a socket", "a device"])
@pytest.mark.parametrize("words", OTHER_ARGUMENTS)
def test_other_arguments_refuse_a_special_file(words: str, kind: str, tmp_path: Path) -> None:
    make, _ = SPECIAL_FILES[kind]
    make(tmp_path / "given")
    (tmp_path / "result.json").write_bytes(changed_result(lambda _one: None))
    shutil.copytree(loading.DATA, tmp_path / "tables")
    (tmp_path / "tables" / "queries.json").unlink()
    make(tmp_path / "tables" / "queries.json")
    code, line = run_command(tmp_path, *words.replace("FILE", "FOLDER/given").split())
    assert (code, line.count("\n")) == (BAD, 1), line


def test_outputs_refuse_a_pipe_that_is_not_being_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="No such device or address"):
        write_given_file(tmp_path / "pipe", "text")
    read = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    write_given_file(tmp_path / "pipe", "text")
    assert os.read(read, 10) == b"text"
    os.close(read)


@pytest.mark.parametrize("name", ["OCL_ICD_VENDORS", "OCL_ICD_FILENAMES"])
@pytest.mark.parametrize("inside", [False, True])
def test_loader_is_not_started_if_it_would_wait_for_a_pipe(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, inside: bool
) -> None:
    os.mkfifo(tmp_path / "driver.icd")
    monkeypatch.delenv("OCL_ICD_VENDORS", raising=False)
    monkeypatch.setenv(name, str(tmp_path if inside else tmp_path / "driver.icd"))
    code, line = run_command(tmp_path, "run", "--platform", "any", "--out", "FOLDER/out")
    assert code == exit_codes.NO_SUCH_PLATFORM
    assert "it is a named pipe, for which the loader would wait" in line


def test_default_folder_is_checked_in_addition_to_named_drivers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "driver.icd")
    monkeypatch.setattr(libraries, "VENDORS", tmp_path)
    monkeypatch.setenv("OCL_ICD_FILENAMES", "libpocl.so.2")
    monkeypatch.delenv("OCL_ICD_VENDORS", raising=False)
    with pytest.raises(HarnessError, match="it is a named pipe, for which the loader would wait"):
        libraries.check_vendor_files()
    monkeypatch.setenv("OCL_ICD_VENDORS", "libpocl.so.2")
    libraries.check_vendor_files()


# C programs

LITERAL = re.compile(r'"(\\.|[^"\\])*"')
HOSTILE_TEXT = '*/ int x; /* ??/ %n%s \\\n"; system("touch evil"); \x1b[2J'


def create_hostile_result(*, direct: bool = False) -> dict[str, Any]:
    """Return a result with hostile text in every field that a C program shows."""
    read = json.loads(
        encode_document(
            assemble_result(
                parse_journal(fabricated_journals.encode_journal(fabricated_journals.journal_lines()), "j"), load()
            )
        )
    )
    for one in read["deviations"]:
        one.update(
            allowed=[HOSTILE_TEXT],
            observed=HOSTILE_TEXT,
            conditions={HOSTILE_TEXT: HOSTILE_TEXT},
            item=HOSTILE_TEXT,
        )
        one["operands"] = {HOSTILE_TEXT: {HOSTILE_TEXT: HOSTILE_TEXT}}
    read["platform"].update(
        name=HOSTILE_TEXT,
        version=HOSTILE_TEXT,
        vendor=HOSTILE_TEXT,
        libraries=[HOSTILE_TEXT],
        access="direct" if direct else "loader",
    )
    read["run"]["clconform"] = HOSTILE_TEXT
    hostile_names = dict.fromkeys(name for one in read["deviations"] for name in one["requirements"])
    texts = chain(("%n", HOSTILE_TEXT), (f"{HOSTILE_TEXT}%n{number}" for number in count()))
    names = dict(zip(hostile_names, texts, strict=False))
    for one in (*read["requirements"], *read["deviations"]):
        if one["id"] in names:
            one["id"] = names[one["id"]]
        one["requirements"] = [names[name] for name in one.get("requirements", ())]
    return dict(read)


@pytest.mark.parametrize("direct", [False, True])
def test_c_program_treats_result_texts_as_data(tmp_path: Path, *, direct: bool) -> None:
    read = create_hostile_result(direct=direct)
    (tmp_path / "result.json").write_text(json.dumps(read), encoding="utf-8")
    written = 0
    for one in read["deviations"]:
        code, printed = run_command(tmp_path, "reproduce", "FOLDER", one["id"])
        assert code in (exit_codes.AS_EXPECTED, BAD), printed
        file = tmp_path / f"{one['id']}.c"
        if not file.exists():
            continue
        written += 1
        text = file.read_text(encoding="ascii")
        assert "??" not in text
        comment, _, rest = text.partition("*/")
        assert "Written by clconform" in comment, "nothing before ends the comment"
        code = LITERAL.sub("", rest)
        assert not any(word in code for word in ("int x", "system", "evil", "%n"))
        assert not any(line.rstrip().endswith("\\") and "define" not in line for line in text.splitlines()), text
        if gcc := shutil.which("gcc"):
            checked = subprocess.run(
                [gcc, "-fsyntax-only", "-Wall", "-Wformat=2", "-Wtrigraphs", "-Werror=format", "-x", "c", str(file)],
                capture_output=True,
                text=True,
                check=False,
                timeout=60,
            )
            assert checked.returncode == 0, checked.stderr[:2000]
    assert written, printed


def test_reproduce_command_replaces_a_link_instead_of_its_target(tmp_path: Path) -> None:
    read = create_hostile_result()
    (tmp_path / "result.json").write_text(json.dumps(read), encoding="utf-8")
    (tmp_path / "precious").write_text("mine", encoding="utf-8")
    for one in read["deviations"]:
        (tmp_path / f"{one['id']}.c").symlink_to(tmp_path / "precious")
        run_command(tmp_path, "reproduce", "FOLDER", one["id"])
    assert (tmp_path / "precious").read_text(encoding="utf-8") == "mine"


# resumed and merged runs


def resume_run(folder: Path, *words: str, **header: object) -> tuple[int, str]:
    run = next(line for line in fabricated_journals.journal_lines() if isinstance(line, RunHeader))
    content = fabricated_journals.encode_journal(fabricated_journals.journal_lines()).splitlines(keepends=True)
    fields = json.loads(content[0]) | header
    assert run.target
    (folder / "journal.jsonl").write_bytes(b"".join([json.dumps(fields).encode() + b"\n", *content[1:]]))
    return run_command(folder, "run", "--resume", str(folder), *words)


@pytest.mark.parametrize(
    "path", ["FOLDER/test_evil.py", "../evil.py", "suites/../../evil.py", "suites/nope", "\0", "tools"]
)
def test_resume_refuses_journal_with_a_path_outside_the_suites(path: str, tmp_path: Path) -> None:
    (tmp_path / "test_evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n", encoding="utf-8")
    code, line = resume_run(tmp_path, paths=[path.replace("FOLDER", str(tmp_path))])
    assert code == BAD
    assert "is not a suite of this installation" in line
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    "target", [["--driver", ""], ["--driver"], ["--nonsense"], ["--driver", "a", "--platform", "b"]]
)
def test_journal_with_invalid_driver_is_refused(target: list[str], tmp_path: Path) -> None:
    code, line = resume_run(tmp_path, paths=[], target=target)
    assert (code, line.count("\n")) == (BAD, 1), line


def test_resumed_run_keeps_the_deadline_scale_of_its_journal(tmp_path: Path) -> None:
    resume_run(tmp_path, "--driver", "nothing", paths=[], deadline_scale=2.5)
    journal = str(tmp_path / "journal.jsonl")
    assert read_resumed_run(journal, (), "").options["deadline_scale"] == 2.5
    assert "deadline_scale" not in read_resumed_run(journal, ("deadline_scale",), "").options


def test_resumed_run_keeps_the_program_binaries_of_its_journal(tmp_path: Path) -> None:
    resume_run(tmp_path, "--driver", "nothing", paths=[], program_binaries="a folder")
    assert read_resumed_run(str(tmp_path / "journal.jsonl"), (), "").options["program_binaries"] == "a folder"


def test_merge_command_refuses_the_same_journal_twice(tmp_path: Path) -> None:
    parts = [tmp_path / name / "journal.jsonl" for name in ("one", "copy", "link")]
    for path in parts:
        path.parent.mkdir()
    fabricated_journals.write_journal(parts[0])
    shutil.copy(parts[0], parts[1])
    parts[2].symlink_to(parts[0])
    for other, said in ((parts[0], "given twice"), (parts[1], "same content as"), (parts[2], "given twice, also as")):
        code, line = run_command(tmp_path, "merge", "--out", "FOLDER/all", str(parts[0]), str(other))
        assert (code, line.count("\n")) == (BAD, 1), line
        assert said in line
    assert not (tmp_path / "all").exists()


def test_run_refuses_a_named_pipe_at_the_path_of_its_journal(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "journal.jsonl")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "clconform.tools",
            "run",
            "--simulated",
            "flat-4",
            "--out",
            str(tmp_path),
            "partition.trees",
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == BAD, done.stderr
    assert "cannot write" in done.stderr
    assert stat.S_ISFIFO((tmp_path / "journal.jsonl").stat().st_mode)


# options

EMPTY_VALUES = (
    *(f"run --{name}" for name in ("driver", "platform", "simulated", "fault", "known", "resume", "out", "record")),
    *(f"run --{name}" for name in ("shard", "seed", "budget", "examples", "tier", "journal", "device")),
    *("run -n", "run", "gate x --known", "merge x --out", "known --from", "report", "report x --out", "explain"),
    *(
        "replay x y --driver",
        "platforms --driver",
        "bisect x y --build",
        "dev extract --documents",
        "reproduce x y --out",
    ),
    *("dev migrate", "compare x", "interpretations", "dev coverage", "dev linked", "dev rejudge"),
)


@pytest.mark.parametrize("words", EMPTY_VALUES)
@pytest.mark.parametrize("value", ["", " "])
def test_empty_option_value_is_refused(words: str, value: str, tmp_path: Path) -> None:
    name = words.rsplit(maxsplit=1)[-1]
    code, line = run_command(tmp_path, *words.split(), value)
    assert (code, line.count("\n")) == (BAD, 1), line
    assert not name.startswith("-") or name in line


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("run -n 100000", "too many for the"),
        ("run -n -1", "'-1' is not a number of processes"),
        ("run -n 1e3", "'1e3' is not a number of processes"),
        ("run -n 99999999999999999999", "is not a number of processes"),
        ("dev inject -n 0", "0 is not a number of processes from 1"),
        ("dev inject -n 100000", "too many for the"),
        ("run suites/chapters/partition::nope", "a folder has no tests of its own"),
        ("run suites/partition::nope", "no suite of that name"),
        ("run partition.trees::nope", "the suite has no test 'nope'; it has test_sub_device_tree"),
        (
            "run partition.trees::test_sub_device_tree_keeps_referencez",
            "did you mean test_sub_device_tree_keeps_references?",
        ),
        ("run partition.trees::", "the suite has no test ''"),
        ("run partition.treees", "did you mean partition.trees?"),
        (f"run {'x' * 5000}", "no suite of that name"),
        (f"report {'x' * 5000}", "cannot read the journal: it cannot be read (File name too long)"),
        ("report \x1b[2Jx", r"\x1b[2Jx: no such journal"),
        ("gate \x1b[2Jx --known \x1b[2Jy", r"\x1b[2Jy: cannot read the known deviations"),
        ("run --driver /x/\x1b[2J.so", r"\x1b[2J.so"),
        ("run --resume \x1b[2Jx", r"\x1b[2Jx: no such journal"),
        ("run --deadline-scale nan", "'nan' is not a scale of deadlines; write a number from 0.1 to 100"),
        ("run --deadline-scale 0.01", "'0.01' is not a scale of deadlines"),
    ],
)
def test_invalid_option_value_is_reported(words: str, said: str, tmp_path: Path) -> None:
    code, line = run_command(tmp_path, *words.split(" "))
    assert code in (BAD, exit_codes.NO_SUCH_PLATFORM), line
    assert line.count("\n") == 1
    assert said in line


def test_library_name_with_terminal_commands_is_escaped(tmp_path: Path) -> None:
    (tmp_path / "\x1b[2J.so").write_bytes(b"")
    code, line = run_command(tmp_path, "run", "--driver", f"{tmp_path}/\x1b[2J.so")
    assert code == exit_codes.NO_SUCH_PLATFORM
    assert "[2J.so" in line


def test_object_names_with_terminal_commands_are_escaped(tmp_path: Path) -> None:
    def rename(one: Any) -> None:
        one["sequence"][-1]["call"]["function"] = "\x1b[2J"
        one["sequence"][-1]["call"]["arguments"] = {"a\x07": {"is": "handle", "name": "\x1b]0;x\x07"}}

    lines = journal_lines()
    for line in lines:
        if line["line"] in ("deviation", "confirmation") and line["sequence"]:
            rename(line)
    (tmp_path / "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    code, printed = run_command(tmp_path, "report", "--verbose", "FOLDER")
    assert code == exit_codes.AS_EXPECTED
    assert r"\x1b[2J(" in printed


def test_gate_with_ten_thousand_known_deviations_takes_under_ten_seconds(tmp_path: Path) -> None:
    (tmp_path / "result.json").write_bytes(changed_result(lambda _one: None))
    requirements = list(load().requirements)
    forms = ("{}", "*{}*", "{}/*", "cl*/{}")
    entries = [
        known_file(requirement=forms[number % 4].format(requirements[number % len(requirements)]))
        for number in range(10_000)
    ]
    (tmp_path / "known.toml").write_bytes(b"".join(entries))
    started = time.process_time()
    code, _ = run_command(tmp_path, "gate", "FOLDER", "--known", "FOLDER/known.toml")
    assert code == exit_codes.WORSE
    assert time.process_time() - started < 10


def test_fabricated_journal_contains_deviations_confirmations_and_crashes() -> None:
    """Without deviations, confirmations and crashes in the files, the tables would test nothing."""
    kinds = {type(line) for line in fabricated_journals.journal_lines()}
    assert kinds >= {RunHeader, Deviation, Confirmation}
    steps = [
        step for line in fabricated_journals.journal_lines() if isinstance(line, Deviation) for step in line.sequence
    ]
    assert {type(step.outcome) for step in steps if isinstance(step, Step)} >= {Died, Returned}
