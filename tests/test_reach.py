"""The tool that counts the observed error codes among the reachable ones, and its list of unreachable codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from click.testing import CliRunner

from clconform.calls.journal import Capability, OwnerCapabilities
from clconform.reports.fault_campaign import FaultResult, make_campaign
from clconform.reports.json_documents import encode_document
from clconform.reports.result_builder import result_of
from clconform.reports.run_result import InterpretationResult, RequirementResult
from clconform.reports.status_policy import SITUATION_NOT_OBSERVED
from clconform.selftest.injection.baseline import NO_SUCCESS
from clconform.spec_tables import load

from .reach.__main__ import reach, readings
from .reach.applying import (
    NEVER_CALLS,
    NEVER_CHANGES,
    NEVER_RETURNED,
    NO_CLAUSE,
    NO_FEATURE,
    NO_QUERY,
    NOTHING_KNOWN,
    ONE_ANSWER,
    OTHERWISE_RIGHT,
    STALE,
    UNREACHABLE,
    UNREACHABLE_BY_ALL,
    applying,
)
from .reach.reached import reached
from .reach.unreachable import Constant, Entry, Unreachable, Where, load_unreachable
from .reports import fabricated

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.reports.fault_campaign import FaultStatus
    from clconform.reports.run_result import RunResult

MAKE, ASK = "clCreatePipe", "clGetPipeInfo"
NOBODY = Unreachable([])
NO_MEMORY = Entry([MAKE], ["CL_OUT_OF_HOST_MEMORY"], "no call takes all memory")


def record(clause: str, status: str = "not-provoked", section: str = "5.4.1", **evidence: int) -> RequirementResult:
    function = clause.partition("/")[0]
    return msgspec.convert(
        {
            "id": clause,
            "kind": "error-clause",
            "document": "OpenCL",
            "section": section,
            "status": status,
            "calls": sum(evidence.values()),
            "chapter": "5.4",
            "function": function,
            "evidence": evidence,
        },
        RequirementResult,
    )


@pytest.fixture
def result(tmp_path: Path) -> RunResult:
    made = result_of(fabricated.write_journal(tmp_path / "journal.jsonl"), fabricated.tables())
    records = [
        record(f"{MAKE}/CL_INVALID_VALUE/1", "deviates", conforms=2, deviates=1),
        record(f"{MAKE}/CL_INVALID_VALUE/2"),
        record(f"{MAKE}/CL_INVALID_PIPE_SIZE/1", "deviates", deviates=3),
        record(f"{MAKE}/CL_INVALID_OPERATION/1", weak=2),
        record(f"{MAKE}/CL_OUT_OF_HOST_MEMORY/1", "untestable"),
        record(f"{ASK}/CL_INVALID_VALUE/1", "not-applicable", "5.4.2"),
        record(f"{ASK}/CL_INVALID_MEM_OBJECT/1", "conforms", "5.4.2", conforms=1),
        record("clCreateSampler/CL_INVALID_VALUE/1", "conforms", "5.7.1", conforms=1),
    ]
    return msgspec.structs.replace(made, records=records)


def test_pairs_are_counted_by_what_the_driver_returned_to_clauses_that_ask_for_it(result: RunResult) -> None:
    found = reached([result], Unreachable([NO_MEMORY]), ["5.4"])
    assert found.seen == {(MAKE, "CL_INVALID_VALUE"), (ASK, "CL_INVALID_MEM_OBJECT")}
    assert found.missing == {(MAKE, "CL_INVALID_PIPE_SIZE"), (MAKE, "CL_INVALID_OPERATION")}
    assert found.refused == {(MAKE, "CL_INVALID_PIPE_SIZE")}
    assert (found.raw_share, found.share, found.asked_share) == (2 / 5, 2 / 4, 3 / 4)
    assert not found.stale


def test_a_pair_that_may_hold_and_was_asked_for_is_told_apart(result: RunResult) -> None:
    opened = (f"{MAKE}/CL_INVALID_VALUE/2", f"{MAKE}/CL_INVALID_PIPE_SIZE/1", f"{MAKE}/CL_OUT_OF_HOST_MEMORY/1")
    code = (MAKE, "CL_INVALID_OPERATION")
    asked = msgspec.structs.replace(record(f"{MAKE}/CL_INVALID_OPERATION/1"), reason=SITUATION_NOT_OBSERVED)
    entry = InterpretationResult("lax", "5.4", "either is right", "nothing is said", {"CL_SUCCESS": 3})
    made = msgspec.structs.replace(result, records=[*result.records, asked], left_open=[entry])
    rests = {asked.id: ("lax",), **dict.fromkeys(opened, ("other",))}
    found = reached([made], NOBODY, ["5.4"], readings=lambda name: rests.get(name, ()))
    assert (found.allowed, found.never_asked) == ({code}, {(MAKE, "CL_OUT_OF_HOST_MEMORY")})
    for other in (msgspec.structs.replace(entry, seen={}), msgspec.structs.replace(entry, id="another")):
        changed = msgspec.structs.replace(made, left_open=[other])
        assert not reached([changed], NOBODY, ["5.4"], readings=lambda name: rests.get(name, ())).allowed


@pytest.mark.parametrize(
    ("clause", "entry"),
    [
        ("clEnqueueTask/CL_OUT_OF_RESOURCES/1", "more-local-memory-than-the-device-has"),
        ("clSetKernelArgSVMPointer/CL_INVALID_ARG_VALUE/1", "argument-at-no-allocation"),
        ("clGetKernelArgInfo/CL_KERNEL_ARG_INFO_NOT_AVAILABLE/1", "argument-info-kept"),
    ],
)
def test_the_entries_that_a_clause_rests_on_are_those_of_its_predicate(clause: str, entry: str) -> None:
    assert entry in readings(clause)
    assert not readings("clCreateSampler/success")


def test_what_was_listed_later_counts_as_missed(result: RunResult) -> None:
    operation = Entry([MAKE], ["CL_INVALID_OPERATION"], "every device here has pipes", later=True)
    found = reached([result], Unreachable([NO_MEMORY, operation]), ["5.4"])
    assert (MAKE, "CL_INVALID_OPERATION") in found.missing & found.unreachable.keys()
    assert (found.share, found.left_share, found.asked_share) == (2 / 4, 2 / 3, 1)


def test_a_code_that_the_driver_may_return_is_not_unreachable_where_it_does(result: RunResult) -> None:
    for choice, told in ((True, False), (False, True)):
        value = Entry([MAKE], ["CL_INVALID_VALUE", "CL_INVALID_OPERATION"], "another is right, too", choice=choice)
        found = reached([result], Unreachable([value]), ["5.4"])
        assert ((MAKE, "CL_INVALID_VALUE") in found.unreachable, bool(found.stale)) == (told, told)
        assert (MAKE, "CL_INVALID_OPERATION") in found.unreachable


def test_what_one_of_several_runs_can_reach_is_not_unreachable(result: RunResult) -> None:
    platform = result.platform
    assert platform is not None
    number = len(platform.devices)
    one_more = msgspec.structs.replace(platform, devices=[*platform.devices, platform.devices[0]])
    listed = Unreachable([Entry([MAKE], ["CL_INVALID_OPERATION"], "it needs one more", Where(devices=number))])
    assert reached([result], listed, ["5.4"]).unreachable
    assert not reached([result, msgspec.structs.replace(result, platform=one_more)], listed, ["5.4"]).unreachable


def test_a_call_that_never_came_back_was_asked_for(result: RunResult) -> None:
    hung = msgspec.structs.replace(result, records=[record(f"{MAKE}/CL_INVALID_VALUE/1", "hangs")])
    found = reached([hung], NOBODY, ["5.4"])
    assert found.refused == {(MAKE, "CL_INVALID_VALUE")}
    assert not found.seen


def test_only_the_sections_that_are_asked_for_count(result: RunResult) -> None:
    assert reached([result], NOBODY, ["5.4.2"]).applicable == {(ASK, "CL_INVALID_MEM_OBJECT")}
    assert reached([result], NOBODY, ["5.4", "5.7"], ["5.4.1"]).applicable == {
        (ASK, "CL_INVALID_MEM_OBJECT"),
        ("clCreateSampler", "CL_INVALID_VALUE"),
    }
    assert not reached([result], NOBODY, ["5"], ["5.4", "5.7"]).applicable
    assert not reached([result], NOBODY, ["5.40"]).applicable


def test_a_document_of_an_extension_counts_where_it_is_named(result: RunResult) -> None:
    other = msgspec.structs.replace(
        record("clMemFreeINTEL/CL_INVALID_VALUE/1", "conforms", "5", conforms=1), document="cl_x"
    )
    more = msgspec.structs.replace(result, records=[*result.records, other])
    assert not reached([more], NOBODY, ["5"], ["5.4", "5.7"]).applicable
    assert reached([more], NOBODY, ["cl_x"]).seen == {("clMemFreeINTEL", "CL_INVALID_VALUE")}
    assert not reached([more], NOBODY, ["cl_x"], ["cl_x"]).applicable


def lacking(result: RunResult, *, blamed: bool) -> RunResult:
    """Return a result in which the driver lacks a function."""
    reason = f"{MAKE} cannot be called: it is not there"
    gone = [
        msgspec.structs.replace(each, status="not-run", reason=reason, evidence={})
        for each in result.records
        if each.function == MAKE
    ]
    success = record(f"{MAKE}/CL_INVALID_VALUE/1", **({"deviates": 1} if blamed else {}))
    success = msgspec.structs.replace(success, id=f"{MAKE}/success", kind="success")
    return msgspec.structs.replace(result, records=[*gone, success])


def test_the_codes_of_a_function_that_the_driver_should_have_are_asked_for_in_vain(result: RunResult) -> None:
    pairs = {(MAKE, code) for code in ("CL_INVALID_VALUE", "CL_INVALID_PIPE_SIZE", "CL_INVALID_OPERATION")}
    for blamed in (True, False):
        found = reached([lacking(result, blamed=blamed)], Unreachable([NO_MEMORY]), ["5.4"])
        assert (found.refused & found.left, found.never_asked) == ((pairs, set()) if blamed else (set(), pairs))


def test_an_entry_can_be_about_drivers_without_a_function(result: RunResult) -> None:
    where = Where(without=MAKE)
    assert where.holds(lacking(result, blamed=False))
    assert not where.holds(result)
    assert not Where(without=ASK).holds(lacking(result, blamed=False))


def test_what_one_run_has_seen_counts_for_all_of_a_driver(result: RunResult) -> None:
    more = msgspec.structs.replace(result, records=[record(f"{MAKE}/CL_INVALID_PIPE_SIZE/1", "conforms", conforms=1)])
    found = reached([result, more], NOBODY, ["5.4"])
    assert (MAKE, "CL_INVALID_PIPE_SIZE") in found.seen
    assert not found.refused


def test_an_entry_holds_for_the_drivers_that_it_describes(result: RunResult) -> None:
    platform = result.platform
    assert platform is not None
    assert Where().holds(result)
    assert Where(devices=len(platform.devices)).holds(result)
    assert not Where(devices=len(platform.devices) + 1).holds(result)
    told = [
        OwnerCapabilities(platform.device, "the device", [Capability("CL_DEVICE_IMAGE_SUPPORT", "4.2", "yes")]),
        OwnerCapabilities("device99", "another", [Capability("CL_DEVICE_PIPE_SUPPORT", "4.2", "yes")]),
    ]
    asked = msgspec.structs.replace(result, capabilities=told)
    assert Where(answers={"CL_DEVICE_IMAGE_SUPPORT": "yes"}).holds(asked)
    assert not Where(answers={"CL_DEVICE_IMAGE_SUPPORT": "no"}).holds(asked)
    assert Where(answers={"CL_DEVICE_IMAGE_SUPPORT": "y*", "CL_DEVICE_BUILT_IN_KERNELS": ""}).holds(asked)
    assert not Where(answers={"CL_DEVICE_IMAGE_SUPPORT": "", "CL_DEVICE_BUILT_IN_KERNELS": ""}).holds(asked)
    assert not Where(answers={"CL_DEVICE_PIPE_SUPPORT": "yes"}).holds(asked)
    assert not Where().holds(msgspec.structs.replace(result, platform=None))
    some = msgspec.structs.replace(platform, extensions="cl_khr_one cl_khr_two")
    assert not Where(lacks="cl_khr_two").holds(msgspec.structs.replace(result, platform=some))
    assert Where(lacks="cl_khr_tw").holds(msgspec.structs.replace(result, platform=some))
    assert not Where(lacks="cl_khr_tw cl_khr_one").holds(msgspec.structs.replace(result, platform=some))


def fault(operator: str, function: str, subject: str, *, reached: int = 0) -> FaultResult:
    name = f"{operator} {function}[{subject}]"
    status: FaultStatus = "found" if reached else "not-applied"
    return FaultResult(name, operator, function, "5.4", status, "", subject=subject, reached=reached)


def test_faults_that_affect_no_call_are_told_apart_by_why_they_cannot(result: RunResult, tmp_path: Path) -> None:
    query = msgspec.structs.replace(record(f"{ASK}/CL_INVALID_VALUE/1", "not-applicable"), id="CL_PIPE_PROPERTIES")
    result = msgspec.structs.replace(result, records=[*result.records, query])
    campaign = make_campaign(
        [
            fault("another-error", MAKE, "CL_INVALID_VALUE", reached=1),
            fault("success-for-error", MAKE, "CL_INVALID_OPERATION"),
            fault("another-error", MAKE, "CL_OUT_OF_HOST_MEMORY"),
            fault("another-error", MAKE, "CL_INVALID_PIPE_SIZE"),
            fault("another-error", ASK, "CL_INVALID_VALUE"),
            fault("another-error", ASK, "CL_INVALID_MEM_OBJECT", reached=2),
            fault("one-more", ASK, "CL_PIPE_PROPERTIES"),
            fault(STALE, ASK, "CL_PIPE_PACKET_SIZE"),
            fault("hang", "clCreateSampler", "", reached=2),
        ],
        [],
        dict.fromkeys(("another-error", "success-for-error", "one-more", STALE, "hang"), ""),
    )
    listed = Unreachable([NO_MEMORY])
    told = applying(campaign, reached([result], listed, ["5.4"]), [result], listed)
    assert (told.listed, told.applied, told.possible) == (8, 2, 3)
    reasons = (NOTHING_KNOWN, UNREACHABLE_BY_ALL, NEVER_RETURNED, NO_CLAUSE, NO_QUERY, NEVER_CHANGES)
    assert told.others == dict.fromkeys(reasons, 1)
    (tmp_path / "result.json").write_text(encode_document(result), encoding="utf-8")
    (tmp_path / "faults.json").write_text(encode_document(campaign), encoding="utf-8")
    options = [str(tmp_path), "--chapter", "5.4", "--faults", str(tmp_path / "faults.json")]
    assert "2 of 8 listed faults applied: 25.0%" in CliRunner().invoke(reach, options).output


def test_a_code_that_is_a_choice_counts_as_shown_by_other_drivers(result: RunResult) -> None:
    others = [fault("another-error", MAKE, "CL_OUT_OF_HOST_MEMORY"), fault("slow", MAKE, "", reached=1)]
    campaign = make_campaign(others, [], {"another-error": "", "slow": ""})
    for choice, reason, shown in ((False, UNREACHABLE_BY_ALL, 1), (True, UNREACHABLE, 2)):
        listed = Unreachable([msgspec.structs.replace(NO_MEMORY, choice=choice)])
        told = applying(campaign, reached([result], listed, ["5.4"]), [result], listed)
        assert (told.others, told.shown) == ({reason: 1}, shown)


def test_a_code_that_the_driver_need_not_return_cannot_be_changed(result: RunResult) -> None:
    asked = msgspec.structs.replace(record(f"{MAKE}/CL_INVALID_OPERATION/1"), reason=SITUATION_NOT_OBSERVED)
    entry = InterpretationResult("lax", "5.4", "either is right", "nothing is said", {"CL_SUCCESS": 3})
    made = msgspec.structs.replace(result, records=[*result.records, asked], left_open=[entry])
    found = reached([made], NOBODY, ["5.4"], readings=lambda name: ("lax",) if name == asked.id else ())
    others = [
        fault("another-error", MAKE, "CL_INVALID_OPERATION"),
        fault("another-error", MAKE, "CL_INVALID_VALUE", reached=1),
    ]
    told = applying(make_campaign(others, [], {"another-error": ""}), found, [made], NOBODY)
    assert told.others == {OTHERWISE_RIGHT: 1}
    assert (told.shown, told.possible) == (2, 1)


def test_faults_that_need_what_the_driver_lacks_are_told_apart(result: RunResult) -> None:
    refused = msgspec.structs.replace(record(f"{ASK}/CL_INVALID_VALUE/9"), id=f"{ASK}/success", kind="success")
    result = msgspec.structs.replace(result, records=[*result.records, refused])
    listed = Unreachable([], [Constant(["CL_PIPE_MAX_PACKETS"], "all pipes are alike")])
    faults = [
        msgspec.structs.replace(fault("past-the-end", ASK, ""), reason=NO_SUCCESS),
        fault("one-less", ASK, "CL_PIPE_MAX_PACKETS"),
        fault("one-more", ASK, "CL_PIPE_PACKET_SIZE"),
        fault("another-error", ASK, "CL_INVALID_MEM_OBJECT", reached=1),
    ]
    campaign = make_campaign(faults, [], dict.fromkeys((each.operator for each in faults), ""))
    told = applying(campaign, reached([result], listed, ["5.4"]), [result], listed)
    assert told.others == {NO_FEATURE: 1, ONE_ANSWER: 1, NOTHING_KNOWN: 1}
    assert (told.listed, told.shown, told.possible, list(told.open)) == (4, 2, 2, [faults[2].name])
    works = msgspec.structs.replace(refused, evidence={"conforms": 1})
    working = msgspec.structs.replace(result, records=[*result.records, works])
    assert NO_FEATURE not in applying(campaign, reached([working], listed, ["5.4"]), [working], listed).others


def test_no_call_shows_a_fault_of_what_a_driver_does_by_itself(result: RunResult) -> None:
    function = "clCreateContext"
    made = msgspec.structs.replace(result, records=[record(f"{function}/CL_INVALID_VALUE/1", conforms=1)])
    calls = msgspec.structs.replace(fault("never-called", function, ""), place="pfn_notify")
    others = [calls, fault(STALE, function, "CL_DEVICE_NAME"), fault("slow", function, "", reached=1)]
    campaign = make_campaign(others, [], dict.fromkeys(("never-called", STALE, "slow"), ""))
    told = applying(campaign, reached([made], NOBODY, ["5.4"]), [made], NOBODY)
    assert (told.others, told.shown) == ({NEVER_CALLS: 1, NEVER_CHANGES: 1}, 1)


def test_the_list_names_pairs_of_the_tables_once() -> None:
    assert list(load_unreachable().mistakes(load())) == []
    wrong = Unreachable([NO_MEMORY, NO_MEMORY, Entry([MAKE], ["CL_INVALID_EVENT"], "none")])
    assert list(wrong.mistakes(load())) == [
        f"{MAKE}, CL_OUT_OF_HOST_MEMORY: two entries",
        f"{MAKE} has no clause with CL_INVALID_EVENT",
    ]


def test_the_tool_prints_rows_of_a_table(result: RunResult, tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text(encode_document(result), encoding="utf-8")
    (tmp_path / "list.toml").write_text(
        f"[[unreachable]]\nfunctions = ['{MAKE}']\ncodes = ['CL_OUT_OF_HOST_MEMORY']\nreason = 'none'\nlater = true\n",
        encoding="utf-8",
    )
    options = ["--rows", "--chapter", "5.4", "--chapter", "5.7", "--list", str(tmp_path / "list.toml")]
    lines = CliRunner().invoke(reach, [str(tmp_path), *options]).output.splitlines()
    assert lines[1:] == [
        "| 5.4 | 5 | 2 | 40.0 % | 40.0 % of 5 | 50.0 % of 4 | 1 | 0 | 1 |",
        "| 5.7 | 1 | 1 | 100.0 % | 100.0 % of 1 | 100.0 % of 1 | 0 | 0 | 0 |",
        "| together | 6 | 3 | 50.0 % | 50.0 % of 6 | 60.0 % of 5 | 1 | 0 | 1 |",
    ]


@pytest.mark.parametrize(
    ("entries", "least", "code", "told"),
    [
        ([NO_MEMORY], 50, 0, "2 of 4 reachable pairs: 50.0%"),
        ([NO_MEMORY], 51, 1, f"{MAKE}, CL_OUT_OF_HOST_MEMORY: unreachable: no call takes all memory"),
        ([], 0, 0, f"{MAKE}, CL_INVALID_PIPE_SIZE: asked for, not returned"),
        ([Entry([MAKE], ["CL_INVALID_VALUE"], "it was thought so")], 0, 2, "listed as unreachable, but seen"),
        ([Entry([MAKE], ["CL_INVALID_EVENT"], "none")], 0, 2, "has no clause with CL_INVALID_EVENT"),
    ],
)
def test_the_tool_tells_shares_and_mistakes(
    entries: list[Entry], least: int, code: int, told: str, result: RunResult, tmp_path: Path
) -> None:
    (tmp_path / "result.json").write_text(encode_document(result), encoding="utf-8")
    listed = tmp_path / "list.toml"
    lines = (
        f"[[unreachable]]\nfunctions = {each.functions}\ncodes = {each.codes}\nreason = '{each.reason}'\n"
        for each in entries
    )
    listed.write_text("".join(lines) or "unreachable = []", encoding="utf-8")
    options = ["--chapter", "5.4", "--missing", "--least", str(least), "--list", str(listed)]
    ended = CliRunner().invoke(reach, [str(tmp_path), *options])
    assert (ended.exit_code, told in ended.output) == (code, True), ended.output
