"""Attempts to get exit code 0 or a green badge although something new and bad happened: edited and damaged files.

Each attempt starts with the files of a run with a new crash, or of a run without deviations, and ends with a command
whose exit code is the verdict. ``ATTEMPTS`` lists them all.
"""

from __future__ import annotations

import copy
import gzip
import json
import shutil
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from clconform.calls import exit_codes
from clconform.calls.run_verdict import GREEN
from clconform.reports.journal_reader import journal_bytes
from clconform.runner.gate.policy import CODES
from tests import in_process
from tests.reports.consistent_results import recount, recount_all

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    Edit = Callable[[Any], None]

CRASHING = "clCreateSubDevices/CL_INVALID_DEVICE/1"
CONFORMING = "clGetPlatformIDs/CL_INVALID_VALUE/1"
SETTINGS = (
    *("--simulated", "flat-4", "--tier", "tables", "--minimise-seconds", "0", "--seed", "1"),
    *("--requirement", "clGetPlatformIDs/*", "--requirement", CRASHING),
    *("suites/chapters/platforms", "suites/chapters/partition"),
)
FAULT = ("--fault", "null-device-crashes")
GATE = ("gate", "out", "--known", "known.toml")
CHECK_JOURNAL = ("merge", "out", "--out", "checked", "--known", "known.toml")
BAD, GOOD = "bad", "good"


class Runs(NamedTuple):
    """The texts of the results, and the lines of the journals, of two runs.

    ``bad`` has a new crash, ``good`` has no deviations.
    """

    results: dict[str, str]
    journals: dict[str, list[str]]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """Return the files of the two runs."""
    results, journals = {}, {}
    for name, words, code in ((BAD, FAULT, exit_codes.DEVIATIONS), (GOOD, (), exit_codes.AS_EXPECTED)):
        folder = tmp_path_factory.mktemp(name)
        done = in_process.run_command(folder, "run", *SETTINGS, *words)
        assert done.returncode == code, done.stdout + done.stderr
        results[name] = (folder / "clconform-out" / "result.json").read_text(encoding="utf-8")
        content = journal_bytes(folder / "clconform-out" / "journal.jsonl")
        journals[name] = content.decode().splitlines()
    return Runs(results, journals)


class GreenAttempt(NamedTuple):
    """One attempt; ``code``: the exit code. ``message``: a part of the error message of a command that fails.

    ``edit``: changes the result or the lines of the journal, in place. ``known``: the file of known deviations.
    ``source``: the run whose files are used. ``prepare``: creates further files in the folder.
    """

    code: int
    words: tuple[str, ...] = GATE
    edit: Edit | None = None
    known: str = ""
    source: str = BAD
    prepare: Callable[[Path], None] | None = None
    message: str = ""


def refused(message: str, words: tuple[str, ...] = GATE, edit: Edit | None = None, **more: Any) -> GreenAttempt:
    """Return an attempt with files that the command refuses."""
    return GreenAttempt(exit_codes.BAD_USAGE, words, edit, message=message, **more)


def entry(requirement: str = CRASHING, verdict: str = "crashes", reason: str = "known", **more: str) -> str:
    """Return an entry of a file of known deviations; further values are TOML source text."""
    lines = [f'requirement = "{requirement}"', f'verdict = "{verdict}"', f'reason = "{reason}"']
    return "\n".join(["[[known]]", *lines, *(f"{key} = {value}" for key, value in more.items())]) + "\n"


# edits of a result


def requirement_of(result: Any, name: str = CRASHING) -> Any:
    return next(each for each in result["requirements"] if each["id"] == name)


def edit_requirement(**fields: Any) -> Edit:
    return lambda result: requirement_of(result).update(copy.deepcopy(fields))


def edit_deviation(**fields: Any) -> Edit:
    return lambda result: result["deviations"][0].update(copy.deepcopy(fields))


def edit_run(**fields: Any) -> Edit:
    return lambda result: result["run"].update(fields)


def together(*edits: Edit) -> Edit:
    def edit(document: Any) -> None:
        for each in edits:
            each(document)

    return edit


def remove_deviations(result: Any) -> None:
    result["deviations"] = []


def remove_requirement(result: Any) -> None:
    result["requirements"] = [each for each in result["requirements"] if each["id"] != CRASHING]


def duplicate_requirement(result: Any) -> None:
    again = requirement_of(result) | {"status": "conforms", "evidence": {"conforms": 2}, "deviations": []}
    result["requirements"].append(again)


def set_verdict(verdict: str) -> Edit:
    return together(edit_requirement(status=verdict), edit_deviation(verdict=verdict), recount_all)


def uncover(result: Any) -> None:
    for each in result["requirements"]:
        if each["status"] in ("conforms", "crashes"):
            each.update(status="not-covered", evidence={}, calls=0, deviations=[])


def forge_gate(kind: str, code: int, *, deviation: str = "") -> Edit:
    def edit(result: Any) -> None:
        finding = {"kind": kind, "code": code, "message": "so", "requirement": CRASHING}
        finding["deviation"] = deviation or result["deviations"][0]["id"]
        result["gate"] = {"file": "k", "today": "2026-11-21", "entries": 1, "exit_code": code, "findings": [finding]}

    return edit


CLEAN_STATUS = edit_requirement(status="conforms", evidence={"conforms": 2}, calls=2, deviations=[])
CONFORMS_BUT_LISTS = edit_requirement(status="conforms", evidence={"conforms": 2}, calls=2)


# edits of a journal


def lines_of(journal: Any, kind: str) -> list[Any]:
    return [line for line in journal if line["line"] == kind]


def remove_lines(kind: str, number: int | None = None) -> Edit:
    """Return an edit that removes all lines of a kind, or one of them."""

    def edit(journal: Any) -> None:
        found = lines_of(journal, kind)
        for line in found if number is None else [found[number]]:
            journal.remove(line)

    return edit


def edit_lines(kind: str, **fields: Any) -> Edit:
    def edit(journal: Any) -> None:
        for line in lines_of(journal, kind):
            line.update(copy.deepcopy(fields))

    return edit


def move_deviations_to_the_end(journal: Any) -> None:
    found = lines_of(journal, "deviation")
    remove_lines("deviation")(journal)
    remove_lines("confirmation")(journal)
    journal[-1:-1] = found
    conform(journal)


def conform(journal: Any) -> None:
    """Let the evidence of the crash conform."""
    for line in lines_of(journal, "item"):
        for counts in line["evidence"].values():
            counts["conforms"] = counts.get("conforms", 0) + counts.pop("crashes", 0)


def run_items_again(journal: Any) -> None:
    """Append a conforming second run of all items."""
    remove_lines("confirmation")(journal)
    again = copy.deepcopy(lines_of(journal, "item"))
    conform(again)
    journal[-1:-1] = again


def confirm_for_another_key(journal: Any) -> None:
    for line in lines_of(journal, "confirmation"):
        line["key"] += "x"


def write_journal(path: Path, lines: Iterable[Any]) -> None:
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")


def damage_file(name: str, change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    def prepare(folder: Path) -> None:
        path = folder / "out" / name
        path.write_bytes(change(path.read_bytes()))

    return prepare


def write_broken_archive(folder: Path) -> None:
    path = folder / "out" / "journal.jsonl"
    (folder / "out" / "journal.jsonl.gz").write_bytes(gzip.compress(path.read_bytes())[:-500])
    path.unlink()


def copy_part(folder: Path) -> None:
    shutil.copytree(folder / "out", folder / "again")


def write_conforming_part(folder: Path) -> None:
    """Write a second part, in which the same items conform."""
    lines = [json.loads(line) for line in (folder / "out" / "journal.jsonl").read_text("utf-8").splitlines()]
    for kind in ("deviation", "confirmation"):
        remove_lines(kind)(lines)
    conform(lines)
    (folder / "again").mkdir()
    write_journal(folder / "again" / "journal.jsonl", lines)


MERGE_TWO = ("merge", "out", "again", "--out", "checked", "--known", "known.toml")
COMPARE = ("compare", "good.json", "out/result.json")

ATTEMPTS: dict[str, GreenAttempt] = {
    # results
    "no known deviations": GreenAttempt(exit_codes.DEVIATIONS),
    "the list of deviations is emptied": refused(
        f"{CRASHING} lists the deviation 811d0bb6, which the list of deviations does not contain",
        edit=remove_deviations,
    ),
    "the list is emptied, and counted": refused(
        f"{CRASHING} lists the deviation 811d0bb6, which the list of deviations does not contain",
        edit=together(remove_deviations, recount_all),
    ),
    "the requirement conforms": refused(
        f"{CRASHING} has the status conforms, and no call gave this evidence", edit=edit_requirement(status="conforms")
    ),
    "the requirement conforms, and is counted": refused(
        f"{CRASHING} has the status conforms, and no call gave this evidence",
        edit=together(edit_requirement(status="conforms"), recount_all),
    ),
    "the requirement conforms by its evidence": refused(
        f"the deviation 811d0bb6 crashes, and {CRASHING} have the status conforms",
        edit=together(CONFORMS_BUT_LISTS, recount_all),
    ),
    "the requirement lists no deviation": refused(
        f"the deviation 811d0bb6 names {CRASHING}, which does not list it", edit=together(CLEAN_STATUS, recount_all)
    ),
    "all is removed but the summary": refused(
        "the chapters of the summary count other statuses than the requirements have",
        edit=together(CLEAN_STATUS, remove_deviations),
    ),
    "all is removed but the chapters": refused(
        "the chapters of the summary count other statuses than the requirements have",
        edit=together(CLEAN_STATUS, remove_deviations, recount),
    ),
    "calls without evidence": refused(
        f"{CRASHING} has the status conforms, and no call gave this evidence",
        edit=together(remove_deviations, edit_requirement(status="conforms", evidence={}, deviations=[]), recount_all),
    ),
    "only the deviation is flaky": refused(
        f"{CRASHING} has the status crashes, and no listed deviation has this verdict",
        edit=edit_deviation(verdict="flaky"),
    ),
    "deviation and requirement are flaky": GreenAttempt(exit_codes.FLAKY, edit=set_verdict("flaky")),
    "the deviation is unconfirmed, and not counted": refused(
        "it counts 0 unconfirmed deviations, and lists 1", edit=set_verdict("unconfirmed")
    ),
    "the deviation is unconfirmed": GreenAttempt(
        exit_codes.INCOMPLETE, edit=together(set_verdict("unconfirmed"), edit_run(unconfirmed=1))
    ),
    "the requirement is missing": refused(
        f"the deviation 811d0bb6 names {CRASHING}, which the list of requirements does not contain",
        edit=together(remove_requirement, recount_all),
    ),
    "the requirement is there twice": refused(
        f"the requirement {CRASHING} is listed 2 times", edit=together(duplicate_requirement, recount_all)
    ),
    "another id": refused(
        f"{CRASHING} lists the deviation 811d0bb6, which the list of deviations does not contain",
        edit=edit_deviation(id="00000000"),
    ),
    "an unknown requirement": refused(
        f"{CRASHING} lists the deviation 811d0bb6, which does not name it",
        edit=edit_deviation(requirements=["clF/success"]),
    ),
    "a conforming requirement": refused(
        f"{CRASHING} lists the deviation 811d0bb6, which does not name it",
        edit=edit_deviation(requirements=[CONFORMING]),
    ),
    "more repetitions than attempts": refused(
        "the deviation 811d0bb6 was repeated 9 times in 1 attempts", edit=edit_deviation(repeated=9)
    ),
    "a gap that the run does not have": refused(
        "it lists a gap that its counts do not have: it is late", source=GOOD, edit=edit_run(gaps=["it is late"])
    ),
    "cut short, with an end": refused(
        "the run did not finish, and its end is ", source=GOOD, edit=edit_run(cut_short=True)
    ),
    "without an end, but not cut short": refused(
        "the run finished, and its end is unknown", source=GOOD, edit=edit_run(finished="")
    ),
    "more items than selected": refused("6 of 1 selected items have ended", source=GOOD, edit=edit_run(planned=1)),
    "interrupted": GreenAttempt(exit_codes.INCOMPLETE, source=GOOD, edit=edit_run(interrupted=True)),
    "items are missing": GreenAttempt(exit_codes.INCOMPLETE, source=GOOD, edit=edit_run(planned=99)),
    "an unfinished item": GreenAttempt(exit_codes.INCOMPLETE, source=GOOD, edit=edit_run(unfinished=["x.y::test_x"])),
    "the device was lost": GreenAttempt(exit_codes.INCOMPLETE, source=GOOD, edit=edit_run(device_lost="it is gone")),
    "the driver did not start": GreenAttempt(exit_codes.INCOMPLETE, source=GOOD, edit=edit_run(driver_started=False)),
    "an item failed by an internal error": GreenAttempt(exit_codes.INCOMPLETE, source=GOOD, edit=edit_run(failed=1)),
    "a process was killed": GreenAttempt(exit_codes.INCOMPLETE, source=GOOD, edit=edit_run(killed=1)),
    "nothing was covered": GreenAttempt(exit_codes.INCOMPLETE, source=GOOD, edit=together(uncover, recount_all)),
    "a shard": refused("this is shard 1/2 of a run", source=GOOD, edit=edit_run(shard="1/2")),
    "a later format": refused("the result has format 99", source=GOOD, edit=lambda result: result.update(format=99)),
    "a stored gate that knows it": GreenAttempt(exit_codes.DEVIATIONS, edit=forge_gate("known", 0)),
    "a stored gate with another exit code": refused(
        "the gate has the exit code 0, and its findings and the run lead to 10", edit=forge_gate("new", 0)
    ),
    "a stored gate about another deviation": refused(
        "the gate has a finding on the deviation 00000000, which the list of deviations does not contain",
        edit=forge_gate("known", 0, deviation="00000000"),
    ),
    "a truncated file": refused(
        "not a result of clconform: Input data was truncated",
        source=GOOD,
        prepare=damage_file("result.json", lambda content: content[:-2]),
    ),
    # files of known deviations
    "a less severe entry": GreenAttempt(exit_codes.WORSE, known=entry(verdict="deviates")),
    "a less severe entry for every requirement": GreenAttempt(
        exit_codes.WORSE, known=entry("*", "deviates", symptom='"*"')
    ),
    "a less severe entry, and the crash is flaky": GreenAttempt(
        exit_codes.FLAKY, known=entry(verdict="deviates"), edit=set_verdict("flaky")
    ),
    "a less severe entry, and a stale one": GreenAttempt(
        exit_codes.WORSE, known=entry(verdict="deviates") + entry(CONFORMING)
    ),
    "a stale entry beside the crash": GreenAttempt(exit_codes.DEVIATIONS, known=entry(CONFORMING)),
    "a pattern for another symptom": GreenAttempt(
        exit_codes.DEVIATIONS, known=entry("clCreateSubDevices/*", symptom='"signal SIGABRT"')
    ),
    "another symptom": GreenAttempt(exit_codes.DEVIATIONS, known=entry(symptom='"signal SIGABRT"')),
    "another observation": GreenAttempt(exit_codes.DEVIATIONS, known=entry(observed='"CL_SUCCESS"')),
    "another deviation": GreenAttempt(exit_codes.DEVIATIONS, known=entry(deviation='"00000000"')),
    "another requirement": GreenAttempt(exit_codes.DEVIATIONS, known=entry("clCreateSubDevices/CL_INVALID_DEVICE/2")),
    "a requirement in other letters": GreenAttempt(
        exit_codes.DEVIATIONS, known=entry(CRASHING.replace("c", "\u0441", 1))
    ),
    "other tests": GreenAttempt(exit_codes.DEVIATIONS, known=entry(tests='["x.y::test_x"]')),
    "only one of the tests": GreenAttempt(
        exit_codes.DEVIATIONS,
        known=entry(
            tests=f'["partition.create_sub_devices::test_sub_devices_follow_the_property_list[{CRASHING}[NULL]]"]'
        ),
    ),
    "an expired entry": GreenAttempt(exit_codes.DEVIATIONS, known=entry(until="2020-01-01")),
    "an entry for other versions": GreenAttempt(exit_codes.DEVIATIONS, known=entry(driver='">=900"')),
    "a stale entry": GreenAttempt(exit_codes.OUT_OF_DATE, source=GOOD, known=entry(CONFORMING)),
    "an entry without a requirement": GreenAttempt(exit_codes.OUT_OF_DATE, source=GOOD, known=entry("clNone/*")),
    "a stale pattern": GreenAttempt(exit_codes.OUT_OF_DATE, source=GOOD, known=entry("clGetPlatformIDs/CL_*")),
    "not TOML": refused(
        "not valid TOML: Expected ']]' at the end of an array declaration", source=GOOD, known="[[known"
    ),
    "an unknown key": refused("unknown key everything", known=entry(everything="true")),
    "another list": refused("unknown key accepted", known=entry().replace("known", "accepted")),
    "no reason": refused("reason is empty; write the reason for accepting it, in quotes", known=entry(reason=" ")),
    "a flaky verdict": refused(
        'verdict = "flaky": write the verdict that it has when it occurs, and flaky = true',
        known=entry(verdict="flaky"),
    ),
    "a date in quotes": refused(
        'until = "2099-01-01": write a date without quotes: 2027-03-31', known=entry(until='"2099-01-01"')
    ),
    "a missing file": refused(
        "cannot read the known deviations: there is no such file", ("gate", "out", "--known", "none.toml")
    ),
    "an empty name": refused(
        "Invalid value for '--known': it is empty, as if from an unset variable", ("gate", "out", "--known", "")
    ),
    "a folder": refused(
        "cannot read the known deviations: it is a folder, not a file", ("gate", "out", "--known", "out")
    ),
    # journals
    "a merged journal": GreenAttempt(exit_codes.DEVIATIONS, CHECK_JOURNAL),
    "no deviation in the journal": refused(
        f"{CRASHING} has the status crashes, and no listed deviation has this verdict",
        CHECK_JOURNAL,
        remove_lines("deviation"),
    ),
    "neither deviation nor confirmation": refused(
        f"{CRASHING} has the status crashes, and no listed deviation has this verdict",
        CHECK_JOURNAL,
        together(remove_lines("deviation"), remove_lines("confirmation")),
    ),
    "conforming evidence, and a confirmation": refused(
        "the deviation 811d0bb6 crashes, and no item has observed it",
        CHECK_JOURNAL,
        together(remove_lines("deviation"), conform),
    ),
    "conforming evidence": GreenAttempt(exit_codes.DEVIATIONS, CHECK_JOURNAL, conform),
    "the deviation after the item's end": GreenAttempt(
        exit_codes.DEVIATIONS, CHECK_JOURNAL, move_deviations_to_the_end
    ),
    "the items once more": GreenAttempt(exit_codes.DEVIATIONS, CHECK_JOURNAL, run_items_again),
    "a flaky confirmation": GreenAttempt(exit_codes.FLAKY, CHECK_JOURNAL, edit_lines("confirmation", verdict="flaky")),
    "a confirmation of another deviation": refused(
        "the deviation e1356312 crashes, and no item has observed it", CHECK_JOURNAL, confirm_for_another_key
    ),
    "an item without its end": GreenAttempt(exit_codes.INCOMPLETE, CHECK_JOURNAL, remove_lines("item", 0), source=GOOD),
    "no end": refused("this part is incomplete", CHECK_JOURNAL, remove_lines("end"), source=GOOD),
    "no platform": refused("this part is incomplete", CHECK_JOURNAL, remove_lines("platform"), source=GOOD),
    "no header": refused("line 1 is not a journal header", CHECK_JOURNAL, remove_lines("run"), source=GOOD),
    "no items": GreenAttempt(exit_codes.INCOMPLETE, CHECK_JOURNAL, remove_lines("item"), source=GOOD),
    "an interrupted journal": GreenAttempt(
        exit_codes.INCOMPLETE, CHECK_JOURNAL, edit_lines("end", interrupted=True), source=GOOD
    ),
    "an internal error": GreenAttempt(
        exit_codes.INCOMPLETE, CHECK_JOURNAL, edit_lines("end", internal_error=True), source=GOOD
    ),
    "fewer items selected than ended": refused(
        "6 of 2 selected items have ended",
        ("compare", "good.json", "out/journal.jsonl"),
        edit_lines("selection", items=2),
        source=GOOD,
    ),
    "one shard of two": refused(
        "1 of 2 shards given; missing: 2/2", CHECK_JOURNAL, edit_lines("run", shard="1/2"), source=GOOD
    ),
    "the same part twice": refused("same content as out/journal.jsonl", MERGE_TWO, prepare=copy_part),
    "a later part in which the items conform": GreenAttempt(
        exit_codes.DEVIATIONS, MERGE_TWO, prepare=write_conforming_part
    ),
    "an empty journal": refused(
        "the journal has no complete line",
        CHECK_JOURNAL,
        source=GOOD,
        prepare=damage_file("journal.jsonl", lambda _content: b""),
    ),
    "a line of zeros": refused(
        "line 2 is broken: JSON is malformed: invalid character (byte 0)",
        CHECK_JOURNAL,
        source=GOOD,
        prepare=damage_file("journal.jsonl", lambda content: content.replace(b"\n", b"\n\0\0\n", 1)),
    ),
    "a truncated archive": refused("this part is incomplete", CHECK_JOURNAL, source=GOOD, prepare=write_broken_archive),
    # comparisons
    "a new crash": GreenAttempt(exit_codes.DEVIATIONS, COMPARE),
    "a new flaky crash": GreenAttempt(exit_codes.DEVIATIONS, COMPARE, set_verdict("flaky")),
    "a new crash without its deviation": refused(
        f"{CRASHING} lists the deviation 811d0bb6, which the list of deviations does not contain",
        COMPARE,
        remove_deviations,
    ),
    "a new run without its end": GreenAttempt(
        exit_codes.INCOMPLETE, COMPARE, edit_run(cut_short=True, finished=""), source=GOOD
    ),
    "a new run that covers nothing": GreenAttempt(
        exit_codes.INCOMPLETE, COMPARE, together(uncover, recount_all), source=GOOD
    ),
    "a new run that does not exist": refused(
        "cannot read the result: there is no such file", ("compare", "good.json", "none")
    ),
    # reports
    "a report of a journal without its deviation": refused(
        f"{CRASHING} has the status crashes, and no listed deviation has this verdict",
        ("report", "out", "--out", "checked"),
        remove_lines("deviation"),
    ),
    "a matrix with a result without its deviation": refused(
        f"{CRASHING} lists the deviation 811d0bb6, which the list of deviations does not contain",
        ("report", "good.json", "out/result.json", "--out", "checked"),
        remove_deviations,
    ),
}


@pytest.mark.parametrize("name", ATTEMPTS)
def test_attempt_is_not_green(name: str, runs: Runs, tmp_path: Path) -> None:
    code, words, edit, known, source, prepare, message = ATTEMPTS[name]
    is_about_journal = any(word in ("merge", "out/journal.jsonl") for word in words) or words[:2] == ("report", "out")
    (tmp_path / "out").mkdir()
    if is_about_journal:
        lines = list(map(json.loads, runs.journals[source]))
        if edit is not None:
            edit(lines)
        write_journal(tmp_path / "out" / "journal.jsonl", lines)
    else:
        result = json.loads(runs.results[source])
        if edit is not None:
            edit(result)
        (tmp_path / "out" / "result.json").write_text(json.dumps(result), encoding="utf-8")
    if "good.json" in words:
        (tmp_path / "good.json").write_text(runs.results[GOOD], encoding="utf-8")
    (tmp_path / "known.toml").write_text(known, encoding="utf-8")
    if prepare is not None:
        prepare(tmp_path)
    done = in_process.run_command(tmp_path, *words)
    assert done.returncode == code, done.stdout + done.stderr
    assert (message in done.stderr) if message else not done.stderr
    badge = tmp_path / "checked" / "badge.json"
    assert badge.exists() == (words[0] == "merge" and not message)
    if badge.exists():
        assert json.loads(badge.read_text(encoding="utf-8"))["color"] != GREEN


def test_attempts_cover_all_commands_and_all_exit_codes_of_the_gate() -> None:
    assert {attempt.words[0] for attempt in ATTEMPTS.values()} == {"gate", "merge", "compare", "report"}
    assert {attempt.code for attempt in ATTEMPTS.values()} == {*CODES.values(), exit_codes.INCOMPLETE} - {
        exit_codes.AS_EXPECTED
    } | {exit_codes.BAD_USAGE}
    assert all(bool(attempt.message) == (attempt.code == exit_codes.BAD_USAGE) for attempt in ATTEMPTS.values())


@pytest.mark.parametrize("words", [GATE, CHECK_JOURNAL, COMPARE])
def test_unchanged_files_of_the_good_run_are_green(words: tuple[str, ...], runs: Runs, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "result.json").write_text(runs.results[GOOD], encoding="utf-8")
    write_journal(tmp_path / "out" / "journal.jsonl", map(json.loads, runs.journals[GOOD]))
    (tmp_path / "good.json").write_text(runs.results[GOOD], encoding="utf-8")
    (tmp_path / "known.toml").touch()
    done = in_process.run_command(tmp_path, *words)
    assert done.returncode == exit_codes.AS_EXPECTED, done.stdout + done.stderr


def test_message_about_a_contradiction_names_it_in_one_line(runs: Runs, tmp_path: Path) -> None:
    result = json.loads(runs.results[BAD])
    remove_deviations(result)
    (tmp_path / "result.json").write_text(json.dumps(result), encoding="utf-8")
    (tmp_path / "known.toml").touch()
    done = in_process.run_command(tmp_path, "gate", "result.json", "--known", "known.toml")
    assert done.stderr == (
        f"clconform: result.json: it contradicts itself: {CRASHING} lists the deviation 811d0bb6, which the list of "
        "deviations does not contain; use the files that a run wrote, unchanged\n"
    )
