"""``tests.reach``: the share of reachable error codes that runs observed, and the list of unreachable ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from click.testing import CliRunner

from clconform.calls.journal import Capability, OwnerCapabilities
from clconform.findings.unreachable import (
    ConstantQueries,
    DriverCondition,
    UnreachableEntry,
    UnreachableList,
    load_unreachable,
)
from clconform.reports.fault_campaign import FaultResult, make_campaign
from clconform.reports.json_documents import encode_document
from clconform.reports.result_builder import result_of
from clconform.reports.run_result import InterpretationResult, RequirementResult
from clconform.reports.status_policy import SITUATION_NOT_OBSERVED
from clconform.selftest.injection.baseline import NO_SUCCESS
from clconform.spec_tables import load

from .reach.__main__ import find_interpretations, reach
from .reach.fault_counts import (
    CONSTANT_QUERY,
    INAPPLICABLE_QUERY,
    MISSING_FEATURE,
    NEVER_CHANGES,
    NEVER_RETURNED,
    NO_CALLBACK,
    NO_CONDITION,
    OPTIONAL_CODE,
    STALE,
    UNEXPLAINED,
    UNREACHABLE,
    UNREACHABLE_WITH_FEATURES,
    count_faults,
)
from .reach.listed_pairs import applies_to
from .reach.pair_coverage import collect_pairs
from .reports import fabricated_journals
from .reports.consistent_results import encode_consistent

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.reports.fault_campaign import FaultStatus
    from clconform.reports.run_result import RunResult

CREATE, QUERY = "clCreatePipe", "clGetPipeInfo"
EMPTY_LIST = UnreachableList([])
MEMORY_ENTRY = UnreachableEntry([CREATE], ["CL_OUT_OF_HOST_MEMORY"], "no call takes all memory")


def create_requirement(
    clause: str, status: str = "not-covered", section: str = "5.4.1", **evidence: int
) -> RequirementResult:
    function = clause.partition("/")[0]
    return msgspec.convert(
        {
            "id": clause,
            "kind": "error-clause",
            "document": "OpenCL",
            "section": section,
            "status": status,
            "calls": sum(count for kind, count in evidence.items() if kind != "weak"),
            "chapter": "5.4",
            "function": function,
            "evidence": evidence,
        },
        RequirementResult,
    )


@pytest.fixture
def result(tmp_path: Path) -> RunResult:
    made = result_of(fabricated_journals.write_journal(tmp_path / "journal.jsonl"), fabricated_journals.create_tables())
    requirements = [
        create_requirement(f"{CREATE}/CL_INVALID_VALUE/1", "deviates", conforms=2, deviates=1),
        create_requirement(f"{CREATE}/CL_INVALID_VALUE/2"),
        create_requirement(f"{CREATE}/CL_INVALID_PIPE_SIZE/1", "deviates", deviates=3),
        create_requirement(f"{CREATE}/CL_INVALID_OPERATION/1", weak=2),
        create_requirement(f"{CREATE}/CL_OUT_OF_HOST_MEMORY/1", "untestable"),
        create_requirement(f"{QUERY}/CL_INVALID_VALUE/1", "not-applicable", "5.4.2"),
        create_requirement(f"{QUERY}/CL_INVALID_MEM_OBJECT/1", "conforms", "5.4.2", conforms=1),
        create_requirement("clCreateSampler/CL_INVALID_VALUE/1", "conforms", "5.7.1", conforms=1),
    ]
    return msgspec.structs.replace(made, requirements=requirements)


def test_pair_is_observed_if_its_code_was_returned_for_its_condition(result: RunResult) -> None:
    found = collect_pairs([result], UnreachableList([MEMORY_ENTRY]), ["5.4"])
    assert found.observed == {(CREATE, "CL_INVALID_VALUE"), (QUERY, "CL_INVALID_MEM_OBJECT")}
    assert found.missing == {(CREATE, "CL_INVALID_PIPE_SIZE"), (CREATE, "CL_INVALID_OPERATION")}
    assert found.not_observed == {(CREATE, "CL_INVALID_PIPE_SIZE")}
    assert (found.raw_share, found.share, found.tried_share) == (2 / 5, 2 / 4, 3 / 4)
    assert not found.stale


def test_pair_whose_code_was_optional_and_not_returned_counts_as_optional(result: RunResult) -> None:
    opened = (f"{CREATE}/CL_INVALID_VALUE/2", f"{CREATE}/CL_INVALID_PIPE_SIZE/1", f"{CREATE}/CL_OUT_OF_HOST_MEMORY/1")
    code = (CREATE, "CL_INVALID_OPERATION")
    asked = msgspec.structs.replace(
        create_requirement(f"{CREATE}/CL_INVALID_OPERATION/1"), reason=SITUATION_NOT_OBSERVED
    )
    entry = InterpretationResult("lax", "5.4", "either is right", "nothing is said", {"CL_SUCCESS": 3})
    made = msgspec.structs.replace(result, requirements=[*result.requirements, asked], interpretations=[entry])
    rests = {asked.id: ("lax",), **dict.fromkeys(opened, ("other",))}
    found = collect_pairs([made], EMPTY_LIST, ["5.4"], find_interpretations=lambda name: rests.get(name, ()))
    assert (found.optional, found.not_covered) == ({code}, {(CREATE, "CL_OUT_OF_HOST_MEMORY")})
    for other in (msgspec.structs.replace(entry, observed={}), msgspec.structs.replace(entry, id="another")):
        changed = msgspec.structs.replace(made, interpretations=[other])
        assert not collect_pairs(
            [changed], EMPTY_LIST, ["5.4"], find_interpretations=lambda name: rests.get(name, ())
        ).optional


@pytest.mark.parametrize(
    ("clause", "entry"),
    [
        ("clEnqueueTask/CL_OUT_OF_RESOURCES/1", "local-memory-above-limit"),
        ("clSetKernelArgSVMPointer/CL_INVALID_ARG_VALUE/1", "svm-pointer-outside-allocation"),
        ("clGetKernelArgInfo/CL_KERNEL_ARG_INFO_NOT_AVAILABLE/1", "argument-info-kept"),
    ],
)
def test_interpretations_of_a_condition_are_those_of_its_predicate(clause: str, entry: str) -> None:
    assert entry in find_interpretations(clause)
    assert not find_interpretations("clCreateSampler/success")


def test_pair_that_was_listed_later_counts_as_missing(result: RunResult) -> None:
    operation = UnreachableEntry([CREATE], ["CL_INVALID_OPERATION"], "every device here has pipes", listed_later=True)
    found = collect_pairs([result], UnreachableList([MEMORY_ENTRY, operation]), ["5.4"])
    assert (CREATE, "CL_INVALID_OPERATION") in found.missing & found.unreachable.keys()
    assert (found.share, found.unlisted_share, found.tried_share) == (2 / 4, 2 / 3, 1)


def test_listed_pair_is_reachable_if_its_optional_code_was_returned(result: RunResult) -> None:
    for is_optional, told in ((True, False), (False, True)):
        value = UnreachableEntry(
            [CREATE], ["CL_INVALID_VALUE", "CL_INVALID_OPERATION"], "another is right, too", is_optional=is_optional
        )
        found = collect_pairs([result], UnreachableList([value]), ["5.4"])
        assert ((CREATE, "CL_INVALID_VALUE") in found.unreachable, bool(found.stale)) == (told, told)
        assert (CREATE, "CL_INVALID_OPERATION") in found.unreachable


def test_pair_is_reachable_if_its_entry_does_not_apply_to_every_run(result: RunResult) -> None:
    platform = result.platform
    assert platform is not None
    number = len(platform.devices)
    one_more = msgspec.structs.replace(platform, devices=[*platform.devices, platform.devices[0]])
    listed = UnreachableList(
        [UnreachableEntry([CREATE], ["CL_INVALID_OPERATION"], "it needs one more", DriverCondition(devices=number))]
    )
    assert collect_pairs([result], listed, ["5.4"]).unreachable
    assert not collect_pairs([result, msgspec.structs.replace(result, platform=one_more)], listed, ["5.4"]).unreachable


def test_pair_whose_call_hung_counts_as_not_observed(result: RunResult) -> None:
    hung = msgspec.structs.replace(result, requirements=[create_requirement(f"{CREATE}/CL_INVALID_VALUE/1", "hangs")])
    found = collect_pairs([hung], EMPTY_LIST, ["5.4"])
    assert found.not_observed == {(CREATE, "CL_INVALID_VALUE")}
    assert not found.observed


def test_only_pairs_of_selected_sections_are_counted(result: RunResult) -> None:
    assert collect_pairs([result], EMPTY_LIST, ["5.4.2"]).applicable == {(QUERY, "CL_INVALID_MEM_OBJECT")}
    assert collect_pairs([result], EMPTY_LIST, ["5.4", "5.7"], ["5.4.1"]).applicable == {
        (QUERY, "CL_INVALID_MEM_OBJECT"),
        ("clCreateSampler", "CL_INVALID_VALUE"),
    }
    assert not collect_pairs([result], EMPTY_LIST, ["5"], ["5.4", "5.7"]).applicable
    assert not collect_pairs([result], EMPTY_LIST, ["5.40"]).applicable


def test_pairs_of_extension_are_counted_only_if_its_document_is_selected(result: RunResult) -> None:
    other = msgspec.structs.replace(
        create_requirement("clMemFreeINTEL/CL_INVALID_VALUE/1", "conforms", "5", conforms=1), document="cl_x"
    )
    more = msgspec.structs.replace(result, requirements=[*result.requirements, other])
    assert not collect_pairs([more], EMPTY_LIST, ["5"], ["5.4", "5.7"]).applicable
    assert collect_pairs([more], EMPTY_LIST, ["cl_x"]).observed == {("clMemFreeINTEL", "CL_INVALID_VALUE")}
    assert not collect_pairs([more], EMPTY_LIST, ["cl_x"], ["cl_x"]).applicable


def remove_function(result: RunResult, *, blamed: bool) -> RunResult:
    """Return a result in which the driver lacks a function."""
    reason = f"{CREATE} cannot be called: it is not there"
    gone = [
        msgspec.structs.replace(each, status="not-run", reason=reason, evidence={})
        for each in result.requirements
        if each.function == CREATE
    ]
    success = create_requirement(f"{CREATE}/CL_INVALID_VALUE/1", **({"deviates": 1} if blamed else {}))
    success = msgspec.structs.replace(success, id=f"{CREATE}/success", kind="success")
    return msgspec.structs.replace(result, requirements=[*gone, success])


def test_pairs_of_missing_required_function_count_as_not_observed(result: RunResult) -> None:
    pairs = {(CREATE, code) for code in ("CL_INVALID_VALUE", "CL_INVALID_PIPE_SIZE", "CL_INVALID_OPERATION")}
    for blamed in (True, False):
        found = collect_pairs([remove_function(result, blamed=blamed)], UnreachableList([MEMORY_ENTRY]), ["5.4"])
        assert (found.not_observed & found.unlisted, found.not_covered) == (
            (pairs, set()) if blamed else (set(), pairs)
        )


def test_entry_with_missing_function_applies_to_drivers_that_lack_the_function(result: RunResult) -> None:
    where = DriverCondition(missing_function=CREATE)
    assert applies_to(where, remove_function(result, blamed=False))
    assert not applies_to(where, result)
    assert not applies_to(DriverCondition(missing_function=QUERY), remove_function(result, blamed=False))


def test_pair_observed_in_one_of_two_runs_counts_as_observed(result: RunResult) -> None:
    more = msgspec.structs.replace(
        result, requirements=[create_requirement(f"{CREATE}/CL_INVALID_PIPE_SIZE/1", "conforms", conforms=1)]
    )
    found = collect_pairs([result, more], EMPTY_LIST, ["5.4"])
    assert (CREATE, "CL_INVALID_PIPE_SIZE") in found.observed
    assert not found.not_observed


def test_entry_applies_only_to_drivers_that_meet_its_conditions(result: RunResult) -> None:
    platform = result.platform
    assert platform is not None
    assert applies_to(DriverCondition(), result)
    assert applies_to(DriverCondition(devices=len(platform.devices)), result)
    assert not applies_to(DriverCondition(devices=len(platform.devices) + 1), result)
    told = [
        OwnerCapabilities(platform.device, "the device", [Capability("CL_DEVICE_IMAGE_SUPPORT", "4.2", "yes")]),
        OwnerCapabilities("device99", "another", [Capability("CL_DEVICE_PIPE_SUPPORT", "4.2", "yes")]),
    ]
    queried = msgspec.structs.replace(result, capabilities=told)
    for query_results, applies in (
        ({"CL_DEVICE_IMAGE_SUPPORT": "yes"}, True),
        ({"CL_DEVICE_IMAGE_SUPPORT": "no"}, False),
        ({"CL_DEVICE_IMAGE_SUPPORT": "y*", "CL_DEVICE_BUILT_IN_KERNELS": ""}, True),
        ({"CL_DEVICE_IMAGE_SUPPORT": "", "CL_DEVICE_BUILT_IN_KERNELS": ""}, False),
        ({"CL_DEVICE_PIPE_SUPPORT": "yes"}, False),
    ):
        assert applies_to(DriverCondition(query_results=query_results), queried) == applies
    assert not applies_to(DriverCondition(), msgspec.structs.replace(result, platform=None))
    extended = msgspec.structs.replace(
        result, platform=msgspec.structs.replace(platform, extensions="cl_khr_one cl_khr_two")
    )
    assert not applies_to(DriverCondition(missing_extensions="cl_khr_two"), extended)
    assert applies_to(DriverCondition(missing_extensions="cl_khr_tw"), extended)
    assert not applies_to(DriverCondition(missing_extensions="cl_khr_tw cl_khr_one"), extended)


def create_fault(operator: str, function: str, subject: str, *, reached: int = 0) -> FaultResult:
    name = f"{operator} {function}[{subject}]"
    status: FaultStatus = "found" if reached else "not-applied"
    return FaultResult(name, operator, function, "5.4", status, "", subject=subject, affected_items=reached)


def test_faults_that_affect_no_call_are_counted_by_reason(result: RunResult, tmp_path: Path) -> None:
    query = msgspec.structs.replace(
        create_requirement(f"{QUERY}/CL_INVALID_VALUE/1", "not-applicable"), id="CL_PIPE_PROPERTIES"
    )
    result = msgspec.structs.replace(result, requirements=[*result.requirements, query])
    campaign = make_campaign(
        [
            create_fault("another-error", CREATE, "CL_INVALID_VALUE", reached=1),
            create_fault("success-for-error", CREATE, "CL_INVALID_OPERATION"),
            create_fault("another-error", CREATE, "CL_OUT_OF_HOST_MEMORY"),
            create_fault("another-error", CREATE, "CL_INVALID_PIPE_SIZE"),
            create_fault("another-error", QUERY, "CL_INVALID_VALUE"),
            create_fault("another-error", QUERY, "CL_INVALID_MEM_OBJECT", reached=2),
            create_fault("one-more", QUERY, "CL_PIPE_PROPERTIES"),
            create_fault(STALE, QUERY, "CL_PIPE_PACKET_SIZE"),
            create_fault("hang", "clCreateSampler", "", reached=2),
        ],
        [],
        dict.fromkeys(("another-error", "success-for-error", "one-more", STALE, "hang"), ""),
    )
    listed = UnreachableList([MEMORY_ENTRY])
    told = count_faults(campaign, collect_pairs([result], listed, ["5.4"]), [result], listed)
    assert (told.listed, told.applied, told.possible) == (8, 2, 3)
    reasons = (UNEXPLAINED, UNREACHABLE_WITH_FEATURES, NEVER_RETURNED, NO_CONDITION, INAPPLICABLE_QUERY, NEVER_CHANGES)
    assert told.unapplied == dict.fromkeys(reasons, 1)
    (tmp_path / "result.json").write_text(encode_consistent(result), encoding="utf-8")
    (tmp_path / "faults.json").write_text(encode_document(campaign), encoding="utf-8")
    options = [str(tmp_path), "--chapter", "5.4", "--faults", str(tmp_path / "faults.json")]
    assert "2 of 8 listed faults applied: 25.0%" in CliRunner().invoke(reach, options).output


def test_fault_for_optional_unreachable_code_counts_as_demonstrable(result: RunResult) -> None:
    others = [
        create_fault("another-error", CREATE, "CL_OUT_OF_HOST_MEMORY"),
        create_fault("slow", CREATE, "", reached=1),
    ]
    campaign = make_campaign(others, [], {"another-error": "", "slow": ""})
    for is_optional, reason, shown in ((False, UNREACHABLE_WITH_FEATURES, 1), (True, UNREACHABLE, 2)):
        listed = UnreachableList([msgspec.structs.replace(MEMORY_ENTRY, is_optional=is_optional)])
        told = count_faults(campaign, collect_pairs([result], listed, ["5.4"]), [result], listed)
        assert (told.unapplied, told.demonstrable) == ({reason: 1}, shown)


def test_fault_for_optional_code_of_driver_has_reason_optional_code(result: RunResult) -> None:
    asked = msgspec.structs.replace(
        create_requirement(f"{CREATE}/CL_INVALID_OPERATION/1"), reason=SITUATION_NOT_OBSERVED
    )
    entry = InterpretationResult("lax", "5.4", "either is right", "nothing is said", {"CL_SUCCESS": 3})
    made = msgspec.structs.replace(result, requirements=[*result.requirements, asked], interpretations=[entry])
    found = collect_pairs(
        [made], EMPTY_LIST, ["5.4"], find_interpretations=lambda name: ("lax",) if name == asked.id else ()
    )
    others = [
        create_fault("another-error", CREATE, "CL_INVALID_OPERATION"),
        create_fault("another-error", CREATE, "CL_INVALID_VALUE", reached=1),
    ]
    told = count_faults(make_campaign(others, [], {"another-error": ""}), found, [made], EMPTY_LIST)
    assert told.unapplied == {OPTIONAL_CODE: 1}
    assert (told.demonstrable, told.possible) == (2, 1)


def test_faults_of_missing_features_and_constant_queries_have_reasons(result: RunResult) -> None:
    refused = msgspec.structs.replace(
        create_requirement(f"{QUERY}/CL_INVALID_VALUE/9"), id=f"{QUERY}/success", kind="success"
    )
    result = msgspec.structs.replace(result, requirements=[*result.requirements, refused])
    listed = UnreachableList([], [ConstantQueries(["CL_PIPE_MAX_PACKETS"], "all pipes are alike")])
    faults = [
        msgspec.structs.replace(create_fault("past-the-end", QUERY, ""), reason=NO_SUCCESS),
        create_fault("one-less", QUERY, "CL_PIPE_MAX_PACKETS"),
        create_fault("one-more", QUERY, "CL_PIPE_PACKET_SIZE"),
        create_fault("another-error", QUERY, "CL_INVALID_MEM_OBJECT", reached=1),
    ]
    campaign = make_campaign(faults, [], dict.fromkeys((each.operator for each in faults), ""))
    told = count_faults(campaign, collect_pairs([result], listed, ["5.4"]), [result], listed)
    assert told.unapplied == {MISSING_FEATURE: 1, CONSTANT_QUERY: 1, UNEXPLAINED: 1}
    assert (told.listed, told.demonstrable, told.possible, list(told.unexplained)) == (4, 2, 2, [faults[2].name])
    works = msgspec.structs.replace(refused, evidence={"conforms": 1})
    working = msgspec.structs.replace(result, requirements=[*result.requirements, works])
    assert (
        MISSING_FEATURE
        not in count_faults(campaign, collect_pairs([working], listed, ["5.4"]), [working], listed).unapplied
    )


def test_faults_that_no_call_can_trigger_are_not_demonstrable(result: RunResult) -> None:
    function = "clCreateContext"
    made = msgspec.structs.replace(
        result, requirements=[create_requirement(f"{function}/CL_INVALID_VALUE/1", conforms=1)]
    )
    calls = msgspec.structs.replace(create_fault("never-called", function, ""), place="pfn_notify")
    others = [calls, create_fault(STALE, function, "CL_DEVICE_NAME"), create_fault("slow", function, "", reached=1)]
    campaign = make_campaign(others, [], dict.fromkeys(("never-called", STALE, "slow"), ""))
    told = count_faults(campaign, collect_pairs([made], EMPTY_LIST, ["5.4"]), [made], EMPTY_LIST)
    assert (told.unapplied, told.demonstrable) == ({NO_CALLBACK: 1, NEVER_CHANGES: 1}, 1)


def test_check_of_unreachable_list_reports_duplicate_and_unknown_pairs() -> None:
    assert list(load_unreachable().find_errors(load())) == []
    wrong = UnreachableList([MEMORY_ENTRY, MEMORY_ENTRY, UnreachableEntry([CREATE], ["CL_INVALID_EVENT"], "none")])
    assert list(wrong.find_errors(load())) == [
        f"{CREATE}, CL_OUT_OF_HOST_MEMORY: two entries",
        f"{CREATE} has no error condition with CL_INVALID_EVENT",
    ]


def test_rows_option_prints_one_markdown_row_per_chapter(result: RunResult, tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text(encode_consistent(result), encoding="utf-8")
    (tmp_path / "list.toml").write_text(
        f"[[unreachable]]\nfunctions = ['{CREATE}']\ncodes = ['CL_OUT_OF_HOST_MEMORY']\nreason = 'x'\n"
        "listed_later = true\n",
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
        ([MEMORY_ENTRY], 50, 0, "2 of 4 reachable pairs: 50.0%"),
        ([MEMORY_ENTRY], 51, 1, f"{CREATE}, CL_OUT_OF_HOST_MEMORY: unreachable: no call takes all memory"),
        ([], 0, 0, f"{CREATE}, CL_INVALID_PIPE_SIZE: asked for, not returned"),
        (
            [UnreachableEntry([CREATE], ["CL_INVALID_VALUE"], "it was thought so")],
            0,
            2,
            "listed as unreachable, but seen",
        ),
        (
            [UnreachableEntry([CREATE], ["CL_INVALID_EVENT"], "none")],
            0,
            2,
            "has no error condition with CL_INVALID_EVENT",
        ),
    ],
)
def test_reach_command_exits_with_1_below_the_required_share(
    entries: list[UnreachableEntry], least: int, code: int, told: str, result: RunResult, tmp_path: Path
) -> None:
    (tmp_path / "result.json").write_text(encode_consistent(result), encoding="utf-8")
    listed = tmp_path / "list.toml"
    lines = (
        f"[[unreachable]]\nfunctions = {each.functions}\ncodes = {each.codes}\nreason = '{each.reason}'\n"
        for each in entries
    )
    listed.write_text("".join(lines) or "unreachable = []", encoding="utf-8")
    options = ["--chapter", "5.4", "--missing", "--least", str(least), "--list", str(listed)]
    ended = CliRunner().invoke(reach, [str(tmp_path), *options])
    assert (ended.exit_code, told in ended.output) == (code, True), ended.output
