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
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from clconform.calls.call import Died, Returned, Step
from clconform.calls.journal import Confirmation, Deviation, RunHeader
from clconform.reports.journal_reader import parse_journal
from clconform.reports.json_documents import encode_document
from clconform.reports.result_builder import assemble_result
from clconform.runner.gate import exit_codes
from clconform.spec_tables import load
from clconform.tools.cli import cli
from clconform.tools.resumed_run import read_resumed_run

from .reports import fabricated

if TYPE_CHECKING:
    from pathlib import Path

BAD = exit_codes.BAD_USAGE
DEEP = 100_000
GOES_DEEPER = sys.version_info >= (3, 14)
"""Whether this is Python 3.14 or newer, where JSON readers stop at a greater depth, and TOML readers at a lesser."""
SECONDS = 60
Change = Callable[[Any], object]


def journal_lines() -> list[Any]:
    return [json.loads(line) for line in fabricated.content(fabricated.lines()).splitlines()]


def changed_journal(change: Change, line: str = "deviation") -> bytes:
    """Return a journal whose first line of that kind is changed."""
    lines = journal_lines()
    change(next(each for each in lines if each["line"] == line))
    return "".join(json.dumps(each) + "\n" for each in lines).encode()


@functools.cache
def result_as_written() -> str:
    return encode_document(assemble_result(parse_journal(fabricated.content(fabricated.lines()), "j"), load()))


def changed_result(change: Change) -> bytes:
    """Return a result whose first deviation is changed."""
    read = json.loads(result_as_written())
    change(read["deviations"][0])
    return json.dumps(read).encode()


def known(**fields: object) -> bytes:
    entry = {"record": "clF/A/1", "verdict": "deviates", "reason": "known", **fields}
    return ("[[known]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in entry.items())).encode()


def outcome(folder: Path, *words: str) -> tuple[int, str]:
    """Run a command in this process; return its exit code and its single line."""
    started = time.monotonic()
    with contextlib.chdir(folder):
        done = CliRunner().invoke(cli, [word.replace("FOLDER", str(folder)) for word in words])
    assert time.monotonic() - started < SECONDS
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert all(letter.isprintable() or letter == "\n" for letter in done.output), ascii(done.output)
    return done.exit_code, done.output


JOURNALS: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "no complete line"),
    "zeros": (b"\0" * 100 + b"\n", "line 1 is not a journal header"),
    "of another encoding": ("{}\n".encode("utf-16"), "line 1 is not a journal header"),
    "nested": (b"[" * DEEP + b"\n", "line 1 is not a journal header"),
    "nested objects": (b'{"a":' * DEEP + b"\n", "line 1 is not a journal header"),
    "one long line": (b"x" * (8 << 20), "no complete line"),
    "a long number": (b"1" * DEEP + b"\n", "line 1 is not a journal header"),
    "broken text": (changed_journal(lambda line: line.update(item="X")).replace(b'"X"', b'"\xff"'), "is broken"),
    "a lone surrogate": (changed_journal(lambda line: line.update(item="\ud800")), "is broken"),
    "a nested line": (
        fabricated.content(fabricated.lines()) + b'{"line":' * DEEP + b"\n{}\n",
        "is broken: Input data was truncated" if GOES_DEEPER else "are nested too deeply",
    ),
    "no records": (changed_journal(lambda line: line.update(records=[])), "length >= 1"),
    "an unknown verdict": (changed_journal(lambda line: line.update(verdict="fine")), "is broken"),
    "a list for a text": (changed_journal(lambda line: line.update(key=[])), "Expected `str`"),
    "a negative count": (changed_journal(lambda line: line.update(calls=-1), "item"), ">= 0"),
    "a huge count": (changed_journal(lambda line: line.update(calls=10**30), "item"), "is broken"),
    "a shard of text": (changed_journal(lambda line: line.update(shard="x/y"), "run"), "the header in line 1"),
    "a scale of zero": (changed_journal(lambda line: line.update(deadline_scale=0), "run"), "the header in line 1"),
    "a truncated line": (
        b"}\n".join(fabricated.content(fabricated.lines()).rsplit(b"}\n", 3)[:3]) + b"\n{}\n",
        "broken",
    ),
    "a later format": (b'{"line":"run","format":9999999999999999999}\n', "use a newer clconform"),
    "control characters in a kind": (b'{"line":"\\u001b[2J"}\n', "line 1 is not a journal header"),
}


@pytest.mark.parametrize("name", JOURNALS)
@pytest.mark.parametrize("words", ["report FOLDER", "compare FOLDER FOLDER", "merge --out FOLDER/all FOLDER"])
def test_a_broken_journal(name: str, words: str, tmp_path: Path) -> None:
    content, said = JOURNALS[name]
    (tmp_path / "journal.jsonl").write_bytes(content)
    code, line = outcome(tmp_path, *words.split())
    assert (code, line.count("\n")) == (BAD, 1), line
    assert said in line
    assert "journal.jsonl" in line


RESULTS: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "not a result"),
    "nested": (b"[" * DEEP, "are nested too deeply"),
    "a number": (b"1", "Expected `object`"),
    "of another encoding": ("{}".encode("utf-16"), "not a result"),
    "no records": (changed_result(lambda one: one.update(records=[])), "length >= 1"),
    "an id that leads out": (changed_result(lambda one: one.update(id="../../evil")), "`$.deviations[0].id`"),
    "an absolute id": (changed_result(lambda one: one.update(id="/tmp/evil")), "`$.deviations[0].id`"),  # noqa: S108
    "an id of two lines": (changed_result(lambda one: one.update(id="86f203a7\n")), "`$.deviations[0].id`"),
    "an unknown verdict": (changed_result(lambda one: one.update(verdict="\x1b[2J")), "Invalid enum value"),
    "a sequence of numbers": (changed_result(lambda one: one.update(sequence=[1])), "Expected `object`"),
    "a nested value": (
        changed_result(lambda one: one.update(note="N")).replace(b'"N"', b"[" * DEEP + b"]" * DEEP),
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
def test_a_broken_result(name: str, words: str, tmp_path: Path) -> None:
    content, said = RESULTS[name]
    (tmp_path / "in").mkdir()
    folder = tmp_path / "in"
    (folder / "result.json").write_bytes(content)
    (folder / "known.toml").write_bytes(b"")
    code, line = outcome(folder, *words.split())
    assert (code, line.count("\n")) == (BAD, 1), line
    assert said in line
    assert {path.name for path in tmp_path.rglob("*")} == {"in", "result.json", "known.toml"}


KNOWN: dict[str, tuple[bytes, str]] = {
    "nested lists": (b"known = " + b"[" * 3000, "are nested too deeply"),
    "a nested list in one line": (b"a = " + b"[" * DEEP, "the limit is 4000"),
    "a key of many parts": (b"[a" + b".a" * DEEP + b"]", "the limit is 4000"),
    "nested keys": (
        b"known" + b".a" * 1500 + b" = 1",
        "are nested too deeply" if GOES_DEEPER else "known is not a list of entries",
    ),
    "a nested value": (
        b"[[known]]\nrecord" + b".a" * 1500 + b" = 1",
        "are nested too deeply" if GOES_DEEPER else "record = {...}",
    ),
    "zeros": (b"\0" * 10, "a zero byte"),
    "of another encoding": ("[[known]]".encode("utf-16"), "UTF-16 byte order mark"),
    "broken text": (b"# caf\xe9", "byte 0xe9 at offset 5"),
    "a long number": (b"[[known]]\nflaky = " + b"1" * 3900, "flaky = 1"),
    "a number beyond Python": (b"\n".join([b"a = 1" + b"_1" * 1900] * 2), "not valid TOML"),
    "a key twice": (known().replace(b"reason", b"record"), "not valid TOML"),
    "an empty observation": (known(observed=""), "observed is empty; write the observation"),
    "an empty symptom": (known(symptom=" "), "symptom is empty"),
    "an empty driver": (known(driver=""), "driver is empty"),
    "an empty record": (known(record=""), "record is empty"),
    "a number for a text": (known(record=1), "record = 1: write"),
    "a long pattern": (known(record="*" * 501), "no id has more than 500"),
    "a command for the terminal": (known(verdict="\x1b[2J"), r'= "\\x1b[2J": write'),
    "a key for the terminal": (b'"\\u001b[2J" = 1', r"unknown key \x1b[2J"),
    "too large": (b"#" * ((4 << 20) + 1), "it has 4 MiB"),
}


@pytest.mark.parametrize("name", KNOWN)
def test_a_broken_file_of_known_deviations(name: str, tmp_path: Path) -> None:
    content, said = KNOWN[name]
    (tmp_path / "known.toml").write_bytes(content)
    code, line = outcome(tmp_path, "gate", "FOLDER", "--known", "FOLDER/known.toml")
    assert (code, line.count("\n")) == (BAD, 1), line
    assert said in line


def test_a_byte_order_mark_and_ends_of_lines_of_another_system_are_read(tmp_path: Path) -> None:
    (tmp_path / "result.json").write_bytes(b"\xef\xbb\xbf" + changed_result(lambda _one: None))
    (tmp_path / "known.toml").write_bytes(b"\xef\xbb\xbf" + known().replace(b"\n", b"\r\n"))
    code, _ = outcome(tmp_path, "gate", "FOLDER", "--known", "FOLDER/known.toml")
    assert code == exit_codes.OUT_OF_DATE


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one, contextlib.chdir(path.parent):
        one.bind(path.name)


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _loop(path: Path) -> None:
    path.symlink_to(path)


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


KINDS: dict[str, tuple[Callable[[Path], object], str]] = {
    "a named pipe": (_fifo, "it is a named pipe, not a file"),
    "a socket": (_socket, "it is a socket, not a file"),
    "a device": (_device, "it is a device, not a file"),
    "a folder": (lambda path: path.mkdir(), ""),
    "a link to itself": (_loop, "it is a broken link"),
    "a file of a terabyte": (_sparse, "but the limit is"),
}
READERS = (
    "report FILE",
    "compare FILE FILE",
    "gate FILE --known FOLDER/none",
    "gate FOLDER --known FILE",
    "known --from FILE",
    "reproduce FILE 0",
    "replay FILE 0",
    "register FILE",
    "coverage FILE",
    "merge --out FOLDER/all FILE",
    "rejudge FILE",
    "rejudge FOLDER --intended FILE",
    "linked FILE",
    "migrate FILE",
    "explain clFinish --results FILE",
    "report FOLDER --faults FILE",
    "mutate --against FILE --requirement nothing",
    "violate --json FILE",
    "bisect FOLDER 0 --build {} --driver x --revisions FILE",
    "run --known FILE",
    "run --resume FILE",
)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_file_is_not_opened(kind: str, tmp_path: Path) -> None:
    make, said = KINDS[kind]
    make(tmp_path / "journal.jsonl")
    (tmp_path / "result.json").write_bytes(changed_result(lambda _one: None))
    told = []
    for words in READERS:
        code, line = outcome(tmp_path, *words.replace("FILE", "FOLDER/journal.jsonl").split())
        assert (code, line.count("\n")) == (BAD, 1), (words, line)
        told.append(line)
    assert sum(said in line for line in told) >= len(READERS) - 5, told


# C programs

LITERAL = re.compile(r'"(\\.|[^"\\])*"')
EVIL = '*/ int x; /* ??/ %n%s \\\n"; system("touch evil"); \x1b[2J'


def evil_result(*, direct: bool = False) -> dict[str, Any]:
    """Return a result with hostile text in every field that a C program shows."""
    read = json.loads(
        encode_document(assemble_result(parse_journal(fabricated.content(fabricated.lines()), "j"), load()))
    )
    for one in read["deviations"]:
        one.update(records=[EVIL, "%n"], allowed=[EVIL], observed=EVIL, conditions={EVIL: EVIL}, item=EVIL)
        one["operands"] = {EVIL: {EVIL: EVIL}}
    read["platform"].update(
        name=EVIL, version=EVIL, vendor=EVIL, libraries=[EVIL], access="direct" if direct else "loader"
    )
    read["run"]["clconform"] = EVIL
    return dict(read)


@pytest.mark.parametrize("direct", [False, True])
def test_no_text_of_a_result_is_code_or_a_format(tmp_path: Path, *, direct: bool) -> None:
    read = evil_result(direct=direct)
    (tmp_path / "result.json").write_text(json.dumps(read), encoding="utf-8")
    written = 0
    for one in read["deviations"]:
        code, printed = outcome(tmp_path, "reproduce", "FOLDER", one["id"])
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
    assert written


def test_a_program_replaces_a_link_and_does_not_follow_it(tmp_path: Path) -> None:
    read = evil_result()
    (tmp_path / "result.json").write_text(json.dumps(read), encoding="utf-8")
    (tmp_path / "precious").write_text("mine", encoding="utf-8")
    for one in read["deviations"]:
        (tmp_path / f"{one['id']}.c").symlink_to(tmp_path / "precious")
        outcome(tmp_path, "reproduce", "FOLDER", one["id"])
    assert (tmp_path / "precious").read_text(encoding="utf-8") == "mine"


# resumed and merged runs


def resumed(folder: Path, *words: str, **header: object) -> tuple[int, str]:
    run = next(line for line in fabricated.lines() if isinstance(line, RunHeader))
    content = fabricated.content(fabricated.lines()).splitlines(keepends=True)
    fields = json.loads(content[0]) | header
    assert run.target
    (folder / "journal.jsonl").write_bytes(b"".join([json.dumps(fields).encode() + b"\n", *content[1:]]))
    return outcome(folder, "run", "--resume", str(folder), *words)


@pytest.mark.parametrize(
    "path", ["FOLDER/test_evil.py", "../evil.py", "suites/../../evil.py", "suites/nope", "\0", "tools"]
)
def test_a_journal_names_no_file_to_run(path: str, tmp_path: Path) -> None:
    (tmp_path / "test_evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n", encoding="utf-8")
    code, line = resumed(tmp_path, paths=[path.replace("FOLDER", str(tmp_path))])
    assert code == BAD
    assert "is not a suite of this installation" in line
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    "target", [["--driver", ""], ["--driver"], ["--nonsense"], ["--driver", "a", "--platform", "b"]]
)
def test_a_journal_whose_driver_makes_no_sense(target: list[str], tmp_path: Path) -> None:
    code, line = resumed(tmp_path, paths=[], target=target)
    assert (code, line.count("\n")) == (BAD, 1), line


def test_a_run_is_resumed_with_the_deadlines_that_it_had(tmp_path: Path) -> None:
    resumed(tmp_path, "--driver", "nothing", paths=[], deadline_scale=2.5)
    journal = str(tmp_path / "journal.jsonl")
    assert read_resumed_run(journal, (), "").options["deadline_scale"] == 2.5
    assert "deadline_scale" not in read_resumed_run(journal, ("deadline_scale",), "").options


def test_a_part_is_merged_once(tmp_path: Path) -> None:
    parts = [tmp_path / name / "journal.jsonl" for name in ("one", "copy", "link")]
    for path in parts:
        path.parent.mkdir()
    fabricated.write_journal(parts[0])
    shutil.copy(parts[0], parts[1])
    parts[2].symlink_to(parts[0])
    for other, said in ((parts[0], "given twice"), (parts[1], "same content as"), (parts[2], "given twice, also as")):
        code, line = outcome(tmp_path, "merge", "--out", "FOLDER/all", str(parts[0]), str(other))
        assert (code, line.count("\n")) == (BAD, 1), line
        assert said in line
    assert not (tmp_path / "all").exists()


def test_a_pipe_in_the_place_of_a_new_journal(tmp_path: Path) -> None:
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

EMPTY = (
    *(f"run --{name}" for name in ("driver", "platform", "simulated", "fault", "known", "resume", "out", "record")),
    *(f"run --{name}" for name in ("shard", "seed", "budget", "examples", "tier", "journal", "device")),
    *("run -n", "run", "gate x --known", "merge x --out", "known --from", "report", "report x --out", "explain"),
    *("replay x y --driver", "platforms --driver", "bisect x y --build", "extract --documents", "reproduce x y --out"),
    *("migrate", "compare x", "register", "coverage", "linked", "rejudge"),
)


@pytest.mark.parametrize("words", EMPTY)
@pytest.mark.parametrize("value", ["", " "])
def test_an_empty_value_is_no_default(words: str, value: str, tmp_path: Path) -> None:
    name = words.rsplit(maxsplit=1)[-1]
    code, line = outcome(tmp_path, *words.split(), value)
    assert (code, line.count("\n")) == (BAD, 1), line
    assert not name.startswith("-") or name in line


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("run -n 100000", "too many for the"),
        ("run -n -1", "'-1' is not a number of processes"),
        ("run -n 1e3", "'1e3' is not a number of processes"),
        ("run -n 99999999999999999999", "is not a number of processes"),
        ("inject -n 0", "0 is not a number of processes from 1"),
        ("inject -n 100000", "too many for the"),
        ("run suites/chapters/partition::nope", "a folder has no tests of its own"),
        ("run suites/partition::nope", "no suite of that name"),
        ("run partition.trees::nope", "the suite has no test 'nope'; it has test_trees"),
        ("run partition.trees::test_treez", "did you mean test_trees?"),
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
def test_what_makes_no_sense_is_told(words: str, said: str, tmp_path: Path) -> None:
    code, line = outcome(tmp_path, *words.split(" "))
    assert code in (BAD, exit_codes.NO_SUCH_PLATFORM), line
    assert line.count("\n") == 1
    assert said in line


def test_a_library_whose_name_commands_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "\x1b[2J.so").write_bytes(b"")
    code, line = outcome(tmp_path, "run", "--driver", f"{tmp_path}/\x1b[2J.so")
    assert code == exit_codes.NO_SUCH_PLATFORM
    assert "[2J.so" in line


def test_names_of_objects_do_not_command_the_terminal(tmp_path: Path) -> None:
    def rename(one: Any) -> None:
        one["sequence"][-1]["call"]["function"] = "\x1b[2J"
        one["sequence"][-1]["call"]["arguments"] = {"a\x07": {"is": "handle", "name": "\x1b]0;x\x07"}}

    lines = journal_lines()
    for line in lines:
        if line["line"] in ("deviation", "confirmation") and line["sequence"]:
            rename(line)
    (tmp_path / "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    code, printed = outcome(tmp_path, "report", "FOLDER")
    assert code == exit_codes.AS_EXPECTED
    assert r"\x1b[2J(" in printed


def test_ten_thousand_known_deviations_are_judged_in_seconds(tmp_path: Path) -> None:
    (tmp_path / "result.json").write_bytes(changed_result(lambda _one: None))
    records = list(load().requirements)
    forms = ("{}", "*{}*", "{}/*", "cl*/{}")
    entries = [known(record=forms[number % 4].format(records[number % len(records)])) for number in range(10_000)]
    (tmp_path / "known.toml").write_bytes(b"".join(entries))
    started = time.process_time()
    code, _ = outcome(tmp_path, "gate", "FOLDER", "--known", "FOLDER/known.toml")
    assert code == exit_codes.OUT_OF_DATE
    assert time.process_time() - started < 10


def test_the_fabricated_files_hold_what_the_tables_change() -> None:
    """Without deviations, confirmations and crashes in the files, the tables would test nothing."""
    kinds = {type(line) for line in fabricated.lines()}
    assert kinds >= {RunHeader, Deviation, Confirmation}
    steps = [step for line in fabricated.lines() if isinstance(line, Deviation) for step in line.sequence]
    assert {type(step.outcome) for step in steps if isinstance(step, Step)} >= {Died, Returned}
