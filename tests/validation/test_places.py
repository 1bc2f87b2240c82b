"""The places of calls: call stacks, the program's own code, scripts, and the source lines of many addresses."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from click.testing import CliRunner

from clconform.calls import exit_codes
from clconform.calls.call import Call
from clconform.recording.conversion import ConvertedCall
from clconform.recording.file_format import CallEntry, CallStack, CodeMapping, RecordingFile
from clconform.spec_tables import load
from clconform.tools.cli import cli
from clconform.validation import call_stacks, source_lines
from clconform.validation.call_sites import CallSiteResolver
from clconform.validation.call_stacks import CallStacks
from clconform.validation.pending_call import PendingCall
from clconform.validation.recording_judge import JudgedCall, RecordingJudge
from clconform.validation.source_lines import SourceLines

from .conftest import HERE, create_recorder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clconform.validation.findings import CallSite

PLACE_COMMENT = re.compile(r"(?:#|/\*) PLACE (?P<name>\w+)")
ALL_GARBAGE = 2 * 205
"""Number of the calls that ``places.c`` makes with an invalid frame pointer."""


class PlacedCall(NamedTuple):
    """A call with its place and its call stack, without folders."""

    function: str
    place: str
    stack: list[str]


def places_in(name: str) -> dict[str, str]:
    """Map the names in the comments of a file of this folder to their lines, as ``FILE:LINE``."""
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    found = ((number, PLACE_COMMENT.search(line)) for number, line in enumerate(lines, start=1))
    return {match["name"]: f"{name}:{number}" for number, match in found if match}


def format_site(site: CallSite) -> str:
    return Path(site.source or site.module).name


def read_calls(path: Path, my_code: Sequence[str] = ()) -> list[PlacedCall]:
    """Return the calls of a recording, without those whose place is of no interest."""
    found: list[PlacedCall] = []

    def note(judged: JudgedCall) -> None:
        site = format_site(judged.sites.site_of(judged.begun))
        stack = [format_site(each) for each in judged.sites.stack_of(judged.begun)]
        found.append(PlacedCall(judged.step.call.function, site, stack))

    RecordingJudge(load(), observer=note, my_code=my_code).judge(RecordingFile(path, load()), "")
    return found


def build_places(folder: Path, *flags: str) -> Path:
    """Build ``places.c`` and its library in a folder, and return the program."""
    library, program = folder / "libplaces.so", folder / "main_program"
    common = ["cc", "-g", "-O2", "-w", *flags]
    subprocess.run([*common, "-shared", "-fPIC", str(HERE / "places_library.c"), "-o", str(library)], check=True)
    ends = [str(library), f"-Wl,-rpath,{folder}", "-lOpenCL", "-lpthread"]
    subprocess.run([*common, str(HERE / "places.c"), "-o", str(program), *ends], check=True)
    return program


FLAGS = {
    "unwind-data": ["-fomit-frame-pointer"],
    "frame-pointers": ["-fno-omit-frame-pointer"],
    "fixed-address": ["-no-pie"],
}
WITHOUT_UNWIND_DATA = ["-fno-asynchronous-unwind-tables", "-fno-unwind-tables"]


@pytest.mark.usefixtures("build_program")
@pytest.mark.parametrize("kind", list(FLAGS))
def test_call_stack_has_callers_however_code_is_built(
    kind: str, record_program: Callable[..., tuple[Path, object]], tmp_path: Path
) -> None:
    path, ended = record_program(build_places(tmp_path, *FLAGS[kind]))
    assert str(ended) == "exit code 0"
    at, library = places_in("places.c"), places_in("places_library.c")
    calls = [call for call in read_calls(path) if call.function == "clCreateBuffer"]
    first, deep, large = calls[:3]
    assert (first.stack[0], first.stack[-1]) == (at["refused"], at["main"])
    assert len(deep.stack) >= 24  # frames of inlined functions are extra
    assert at["large"] in large.stack
    assert {call.stack[0] for call in calls[3 : 3 + ALL_GARBAGE]} == {at["refused"]}
    coroutine, *signals, thread = calls[3 + ALL_GARBAGE : -14]
    *alternating, inside, header = calls[-14:]
    assert [call.stack[-2] for call in alternating] == [at["other"], at["one"]] * 6
    assert coroutine.stack[-1] == at["coroutine"]
    assert {call.stack[-1] for call in signals[1:]} == {at["raised"]}  # the other signal has a stack of its own
    assert thread.stack[-1] == at["thread"]
    assert (inside.place, inside.stack[-1]) == (library["inside"], at["library"])
    assert (header.place, header.stack) == (at["header"], ["header.h:3", at["header"]])


@pytest.mark.usefixtures("build_program")
def test_call_of_code_without_unwind_data_has_a_place(
    record_program: Callable[..., tuple[Path, object]], tmp_path: Path
) -> None:
    path, ended = record_program(build_places(tmp_path, *WITHOUT_UNWIND_DATA))
    assert str(ended) == "exit code 0"
    calls = [call for call in read_calls(path) if call.function == "clCreateBuffer"]
    assert {call.place for call in calls[:-2]} == {places_in("places.c")["refused"]}
    assert max(len(call.stack) for call in calls[:-2]) <= 2  # the frame, and a function that is inlined in it


@pytest.fixture(scope="module")
def recorded_places(build_program: Callable[..., Path], layer: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    del build_program  # requested only so that the test is skipped without a compiler
    folder = tmp_path_factory.mktemp("places")
    program = build_places(folder)
    with pytest.MonkeyPatch.context() as patch:
        return create_recorder(layer, tmp_path_factory.mktemp("recorded"), patch)(program)[0]


def validate(*words: object) -> tuple[int, str]:
    done = CliRunner().invoke(cli, ["validate", *map(str, words)])
    return done.exit_code, done.output


def found_places(*words: object) -> list[str]:
    _, output = validate("--json", *words)
    (validation,) = json.loads(output)["validations"]
    return [Path(finding["site"]["source"]).name for finding in validation["findings"]]


def test_finding_has_innermost_place_and_stack(recorded_places: Path, tmp_path: Path) -> None:
    at, library = places_in("places.c"), places_in("places_library.c")
    assert found_places(recorded_places) == [at["refused"], library["inside"], at["header"]]
    code, text = validate("--out", tmp_path / "out", recorded_places)
    assert code == exit_codes.PROGRAM_VIOLATIONS
    shown = [Path(line.partition(" in ")[0]).name for line in text.splitlines() if " in library_call" in line]
    assert len(shown) == 1
    assert "Call stack" in (tmp_path / "out/validation.html").read_text(encoding="utf-8")
    kept = json.loads((tmp_path / "out/validation.json").read_text(encoding="utf-8"))
    functions = [frame["function"] for frame in kept["validations"][0]["findings"][1]["stack"]]
    assert functions == ["allocate", "library_call", "main"]


def test_pattern_selects_own_code(recorded_places: Path) -> None:
    at = places_in("places.c")
    for pattern in ("main_pro*", "places.c", "*/validation/places.c"):
        assert found_places("--my-code", pattern, recorded_places) == [at["refused"], at["library"], at["header"]]
    assert found_places("--my-code", "nothing", recorded_places) == found_places(recorded_places)


def test_trace_prints_places_and_stacks(recorded_places: Path) -> None:
    at = places_in("places.c")
    words = ["trace", "--stacks", "--my-code", "main_*", "--grep", at["library"], str(recorded_places)]
    call, *frames = CliRunner().invoke(cli, words).output.splitlines()
    assert at["library"] in call
    assert [line.split()[-1] for line in frames] == ["allocate", "library_call", "main"]


def test_suppression_matches_library_between_place_and_call(recorded_places: Path, tmp_path: Path) -> None:
    entries = tmp_path / "known.toml"
    entries.write_text('[[suppress]]\nreason = "known"\nsite = "*/libplaces.so"\n', encoding="utf-8")
    at = places_in("places.c")
    words = ["--my-code", "main_*", "--suppress", entries, recorded_places]
    assert found_places(*words) == [at["refused"], at["header"]]


@pytest.mark.usefixtures("build_program")
def test_calls_through_ctypes_have_lines(record_program: Callable[..., tuple[Path, object]]) -> None:
    path, ended = record_program(sys.executable, HERE / "places.py")
    assert str(ended) == "exit code 0"
    check_script_calls(read_calls(path))
    assert read_calls(path, ["threading.py"])[-2].place.startswith("threading.py:")


def check_script_calls(calls: list[PlacedCall]) -> None:
    """Check the places of the calls of ``places.py``."""
    at = places_in("places.py")
    assert calls[0].place == at["first"]
    buffers = [call for call in calls if call.function == "clCreateBuffer"]
    assert [call.place for call in buffers] == [at["inside"]] * 7
    assert {tuple(call.stack[:2]) for call in buffers} == {(at["inside"], at["outside"])}
    assert {len(call.stack) for call in buffers[1:6:2]} == {len(buffers[0].stack) + 50}


@pytest.mark.usefixtures("build_program")
def test_calls_of_embedded_interpreter_have_lines(
    record_program: Callable[..., tuple[Path, object]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = Path(sysconfig.get_config_var("LIBDIR") or "/") / (sysconfig.get_config_var("INSTSONAME") or "none")
    if ".so" not in library.name or not library.is_file():
        pytest.skip("this Python has no shared library")
    program = tmp_path / "program"
    words = ["cc", "-g", "-w", str(HERE / "places_embedded.c"), "-o", str(program), "-lOpenCL", "-ldl"]
    subprocess.run(words, check=True)
    monkeypatch.setenv("PYTHONHOME", sys.base_prefix)
    path, ended = record_program(program, library, HERE / "places.py")
    assert str(ended) == "exit code 0"
    at = places_in("places_embedded.c")
    before, *inside, after = read_calls(path)
    assert (before.place, after.place) == (at["before"], at["after"])
    check_script_calls(inside)
    assert inside[0].stack[-1] == at["embedding"]
    assert read_calls(path, ["program"])[1].place == at["embedding"]


def test_one_process_finds_all_lines_of_a_file(recorded_places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []
    start = subprocess.Popen

    def note_start(words: list[str], **options: int) -> subprocess.Popen[bytes]:
        started.append(start(words, **options))
        return started[-1]

    monkeypatch.setattr(source_lines.subprocess, "Popen", note_start)
    assert len({place for call in read_calls(recorded_places) for place in call.stack}) > 10
    files = [each.args[-1] for each in started]  # type: ignore[index]
    assert len(files) == len(set(files)) == 2
    assert all(each.returncode is not None for each in started)


STACKS = [
    (["/usr/lib/libfoo.so", "/opt/own.so", "/usr/bin/tool"], "own.so"),
    (["/usr/lib/libfoo.so", "/usr/lib/x86_64-linux-gnu/libbar.so"], "libfoo.so"),
    (["/usr/lib/libfoo.so", "/usr/lib/tools/tool", "/usr/lib/libc.so.6", "/usr/lib/tools/tool"], "tool"),
    (["/usr/lib/libfoo.so", "/usr/lib/libc.so.6", "/usr/lib/libc.so.6"], "libfoo.so"),
    (["/opt/libOpenCL.so.1", "/opt/libffi.so.8", "/opt/lib/python3.11/lib-dynload/x.so", "/opt/bin/python3.11"],
     "libOpenCL.so.1"),
    (["[vdso]", "/memfd:code", "/home/user/tool"], "tool"),
]  # fmt: skip


@pytest.mark.parametrize(("modules", "expected"), STACKS)
def test_place_is_innermost_frame_outside_libraries(modules: list[str], expected: str) -> None:
    sites = CallSiteResolver()
    for number, module in enumerate(modules, start=1):
        sites.add(CodeMapping(number, 1, number << 12, (number + 1) << 12, 0, module))
    address, *callers = (number << 12 | 8 for number in range(1, len(modules) + 1))
    entered = CallEntry(9, 1, 0, "clFlush", address, False, {})
    begun = PendingCall(entered, ConvertedCall(Call("clFlush", {})), 1, frames=tuple(callers))
    assert Path(sites.site_of(begun).module).name == expected


def test_lines_of_missing_file_are_unknown(tmp_path: Path) -> None:
    with SourceLines() as lines:
        assert lines.lines_at(str(tmp_path / "none"), 16) == []
        (tmp_path / "text").write_text("no code", encoding="utf-8")
        assert lines.lines_at(str(tmp_path / "text"), 16) == []


def test_oldest_stacks_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call_stacks, "_MAX_STACKS", 2)
    stacks = CallStacks()
    for number in range(1, 4):
        stacks.add(CallStack(number, 1, number, number, (number,)))
    calls = [CallEntry(9, 1, 0, "clFlush", site, False, {}) for site in range(1, 4)]
    assert [stacks.frames_of(call) for call in calls] == [(), (2,), (3,)]
