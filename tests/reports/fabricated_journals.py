"""Fabricates tables and journals for the tests of the reports: realistic, hostile, and large ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import UNTOUCHED, Call, Died, Hung, Output, Returned, Step
from clconform.calls.deviation_keys import build_key
from clconform.calls.journal import (
    Confirmation,
    Deviation,
    FirstObservation,
    ItemEnd,
    PlatformLine,
    RunEnd,
    RunHeader,
    Selection,
)
from clconform.calls.protocol import DeviceIdentity, PlatformIdentity
from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.reports.run_result import GateFinding
from clconform.reports.run_result import GateResult as Gating
from clconform.spec_tables import load
from clconform.spec_tables.requirements import (
    ApplicabilityCondition,
    Callback,
    Document,
    Effect,
    Enumerant,
    ErrorCondition,
    Function,
    Parameter,
    PartitionScheme,
    Query,
    Requirement,
    Section,
    Success,
    Type,
    UsageRule,
)

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from clconform.calls.line_kinds import JournalLine
    from clconform.calls.values import Operand
    from clconform.reports.run_result import GateKind, RunResult

MAIN = "opencl-api"
FISSION = "cl_ext_device_fission"
PARTITIONING = Section("4.3", "Partitioning a Device", "_partitioning_a_device")
QUERYING = Section("4.2", "Querying Devices", "platform-querying-devices")
EXTENSION = Section("", "Additions to Chapter 2", "")

HOSTILE = (
    "\x1b[31mEvil\x1b[0m </script><script>alert(1)</script> \"quoted\" & 'so' \x00\u202e\x9b2J\r\n]]> <b>Ünïcode</b>"
)

SUB = "clCreateSubDevices"
CRASHED = f"{SUB}/CL_INVALID_VALUE/2"
GROUP = (f"{SUB}/CL_INVALID_VALUE/1", f"{SUB}/CL_DEVICE_PARTITION_FAILED/1")
CRASHED_KEY = build_key(SUB, [CRASHED], "CL_SUCCESS")
GROUP_KEY = build_key(SUB, GROUP, "signal SIGSEGV")
HUNG_KEY = build_key("clReleaseDevice", ["clReleaseDevice/success"], "no answer")


class FakeTables(msgspec.Struct, frozen=True):
    """The fields of the tables that reports use."""

    requirements: dict[str, Requirement]
    functions: dict[str, Function] = {}
    types: dict[str, Type] = {}
    enumerants: dict[str, Enumerant] = {}
    documents: dict[str, Document] = {}
    dispatch: tuple[str, ...] = ()
    callbacks: dict[str, Callback] = {}


def _create_function(name: str, document: str, *parameters: Parameter) -> Function:
    gates = (ApplicabilityCondition("extension", document),) if document.startswith("cl_") else ()
    return Function(name, "cl_int", parameters, document, PARTITIONING, gates, queries=name.endswith("Info"))


def _input_parameter(name: str, base: str, *, pointers: int = 0) -> Parameter:
    spelled = f"const {base}*" if pointers else base
    return Parameter(name, spelled, base, pointers, const=bool(pointers), direction="in")


def _output_parameter(name: str, base: str) -> Parameter:
    return Parameter(name, f"{base}*", base, 1, const=False, direction="out")


def create_tables(extra: Iterable[Requirement] = ()) -> FakeTables:
    """Return tables with the requirements of section 4.3, some others, and ``extra``."""
    requirements: list[Requirement] = [
        ErrorCondition(f"{SUB}/CL_INVALID_DEVICE/1", MAIN, PARTITIONING, "a1", function=SUB, code="CL_INVALID_DEVICE"),
        ErrorCondition(f"{SUB}/CL_INVALID_VALUE/1", MAIN, PARTITIONING, "a2", function=SUB, code="CL_INVALID_VALUE"),
        ErrorCondition(CRASHED, MAIN, PARTITIONING, "a3", function=SUB, code="CL_INVALID_VALUE"),
        ErrorCondition(
            f"{SUB}/CL_DEVICE_PARTITION_FAILED/1",
            MAIN,
            PARTITIONING,
            "a4",
            function=SUB,
            code="CL_DEVICE_PARTITION_FAILED",
        ),
        Success(f"{SUB}/success", MAIN, PARTITIONING, "a5", function=SUB),
        Effect(f"{SUB}/parent/1", MAIN, PARTITIONING, "a6", function=SUB, topic="parent"),
        PartitionScheme(
            "CL_DEVICE_PARTITION_EQUALLY", MAIN, PARTITIONING, "a7", function=SUB, name="CL_DEVICE_PARTITION_EQUALLY"
        ),
        Query(
            "CL_DEVICE_PARTITION_MAX_SUB_DEVICES",
            MAIN,
            QUERYING,
            "a8",
            function="clGetDeviceInfo",
            name="CL_DEVICE_PARTITION_MAX_SUB_DEVICES",
            type="cl_uint",
        ),
        UsageRule("clReleaseDevice/use/1", MAIN, PARTITIONING, "a9", function="clReleaseDevice"),
        Success("clReleaseDevice/success", MAIN, PARTITIONING, "aa", function="clReleaseDevice"),
        ErrorCondition(
            f"{SUB}EXT/CL_INVALID_VALUE/1", FISSION, EXTENSION, "ab", function=f"{SUB}EXT", code="CL_INVALID_VALUE"
        ),
        *extra,
    ]
    create: tuple[Parameter, ...] = (_input_parameter("in_device", "cl_device_id"),)
    create += (_input_parameter("properties", "cl_device_partition_property", pointers=1),)
    create += (
        _input_parameter("num_devices", "cl_uint"),
        _output_parameter("out_devices", "cl_device_id"),
        _output_parameter("num_devices_ret", "cl_uint"),
    )
    query: tuple[Parameter, ...] = (
        _input_parameter("device", "cl_device_id"),
        _input_parameter("param_name", "cl_device_info"),
    )
    query += (_input_parameter("param_value_size", "size_t"),)
    query += (_output_parameter("param_value", "void"), _output_parameter("param_value_size_ret", "size_t"))
    functions = [
        _create_function(SUB, MAIN, *create),
        _create_function(f"{SUB}EXT", FISSION, *create),
        _create_function("clReleaseDevice", MAIN, _input_parameter("device", "cl_device_id")),
        _create_function("clGetDeviceInfo", MAIN, *query),
    ]
    enumerants = [
        Enumerant("CL_SUCCESS", 0, "ErrorCodes.0"),
        Enumerant("CL_DEVICE_PARTITION_FAILED", -18, "ErrorCodes.0"),
        Enumerant("CL_INVALID_VALUE", -30, "ErrorCodes.0"),
        Enumerant("CL_INVALID_DEVICE", -33, "ErrorCodes.0"),
        Enumerant("CL_INVALID_DEVICE_PARTITION_COUNT", -68, "ErrorCodes.0"),
        Enumerant("CL_DEVICE_PARTITION_EQUALLY", 0x1086, "cl_device_partition_property"),
        Enumerant("CL_DEVICE_PARTITION_BY_COUNTS", 0x1087, "cl_device_partition_property"),
        Enumerant("CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN", 0x1088, "cl_device_partition_property"),
        Enumerant("CL_DEVICE_PARTITION_MAX_SUB_DEVICES", 0x1043, "cl_device_info"),
        Enumerant("CL_DEVICE_AFFINITY_DOMAIN_NUMA", 1, "cl_device_affinity_domain"),
    ]
    types = [
        Type("cl_int", "scalar", "int32"),
        Type("cl_uint", "scalar", "uint32"),
        Type("size_t", "scalar", "size_t"),
        Type("cl_device_id", "handle"),
        Type("cl_device_info", "scalar", "uint32"),
        Type("cl_device_partition_property", "scalar", "intptr_t"),
    ]
    return FakeTables(
        requirements={requirement.id: requirement for requirement in requirements},
        functions={function.name: function for function in functions},
        types={type_.name: type_ for type_ in types},
        enumerants={enumerant.name: enumerant for enumerant in enumerants},
        documents={
            MAIN: Document(MAIN, "The OpenCL Specification", "3.0.17", "d1"),
            FISSION: Document(FISSION, "cl_ext_device_fission", "1", "d2"),
        },
        dispatch=load().dispatch,
    )


def create_argument_tables() -> FakeTables:
    """Return tables with one extension function that takes an argument of every kind."""
    known = create_tables()
    noted = Parameter("noted", "void (CL_CALLBACK*)(void)", "void", 1, const=False, direction="callback")
    everything = Function(
        "clEverything",
        "cl_context",
        (
            _input_parameter("flags", "cl_uint"),
            _input_parameter("list", "cl_properties_of_it", pointers=1),
            _input_parameter("empty", "cl_uint", pointers=1),
            _input_parameter("data", "void", pointers=1),
            _input_parameter("object", "void", pointers=1),
            _input_parameter("pointers", "void", pointers=1),
            _input_parameter("text", "char", pointers=1),
            Parameter("texts", "const char**", "char", 2, const=True, direction="in"),
            noted,
            _output_parameter("output_buffer", "void"),
            _output_parameter("made", "cl_semaphore_of_it"),
            _output_parameter("errcode_ret", "cl_int"),
        ),
        "cl_ext_everything",
        EXTENSION,
        applicability=(ApplicabilityCondition("extension", "cl_ext_everything"),),
        error_by="errcode_ret",
    )
    types = {
        "cl_properties_of_it": Type("cl_properties_of_it", "bitfield", "uint64"),
        "cl_semaphore_of_it": Type("cl_semaphore_of_it", "handle"),
        "cl_context": Type("cl_context", "handle"),
    }
    return msgspec.structs.replace(
        known, functions=known.functions | {"clEverything": everything}, types=known.types | types
    )


def split_call(scheme: tuple[int, ...], *, output_buffer: int | None, count: int = 4) -> Call:
    """Return a call of clCreateSubDevices; ``output_buffer``: the size of out_devices, or None for NULL."""
    return Call(
        SUB,
        {
            "in_device": Handle("device1"),
            "properties": ElementList(scheme),
            "num_devices": count,
            "out_devices": None if output_buffer is None else OutputBuffer(output_buffer),
            "num_devices_ret": OutputBuffer(1),
        },
    )


CREATED = Step(
    split_call((0x1086, 2, 0), output_buffer=4),
    Returned(
        0,
        {
            "out_devices": Output(["device2", "device3", UNTOUCHED, UNTOUCHED], 16),
            "num_devices_ret": Output([2], 4),
        },
    ),
    ["device2", "device3"],
)
TOO_FEW_ENTRIES = Step(
    split_call((0x1086, 1, 0), output_buffer=1, count=1),
    Returned(0, {"out_devices": Output(["device4"], 8), "num_devices_ret": Output([4], 4)}),
    ["device4"],
)
CRASH = Step(split_call((0x1087, -1, 0, 0), output_buffer=4), Died("signal", "SIGSEGV", HOSTILE))
HANG = Step(Call("clReleaseDevice", {"device": Handle("device2")}), Hung(5.0))


def journal_lines(*, hostile: bool = False, end: bool = True) -> list[JournalLine]:
    """Return the journal lines of one run, with at least one line of each kind; ``hostile``: with hostile texts."""
    text = HOSTILE if hostile else ""
    name = text or "Portable Computing Language"
    device = DeviceIdentity("device1", text or "cpu-haswell-AMD EPYC", 2, text or "OpenCL 3.0 PoCL", text or "3.1", 4)
    platform = PlatformIdentity(
        "platform1", name, text or "The pocl project", text or "OpenCL 3.0 PoCL 3.1", "FULL_PROFILE", text, [device]
    )
    why = {CRASHED: "out_devices is not NULL and num_devices is less than the number of sub-devices of the scheme."}
    operands: dict[str, Operand] = {"out_devices": OutputBuffer(1), "num_devices": 1, **({text: text} if text else {})}
    group = list(GROUP)
    first, second = "partition.equally::test_room[0]", "partition.counts::test_counts"
    made: list[JournalLine] = [
        RunHeader("0.1.0", 42, "default", "2025-11-20T23:40:00Z", ["--platform", name], {MAIN: "3.0.17"}, "t4b1e5"),
        PlatformLine(
            platform,
            device=device.handle,
            access="loader",
            loader="/usr/lib/libOpenCL.so.1",
            libraries=["/usr/lib/libpocl.so.2"],
            not_applicable={f"{SUB}EXT/CL_INVALID_VALUE/1": f"extension {FISSION} is not offered {text}"},
            untestable={"clReleaseDevice/use/1": "behaviour is undefined, so it is never sent"},
            conditions={CRASHED: why[CRASHED], f"{SUB}/success": "The scheme is carried out."},
        ),
        Selection(2, {"CL_DEVICE_PARTITION_MAX_SUB_DEVICES": "deselected"}),
        FirstObservation(first, f"{SUB}/success", ["CL_SUCCESS"], "CL_SUCCESS", "units=2", CREATED.call),
        Deviation(
            first,
            CRASHED_KEY,
            [CRASHED],
            "deviates",
            "literal",
            ["CL_INVALID_VALUE"],
            f"CL_SUCCESS {text}".strip(),
            why,
            [CREATED, TOO_FEW_ENTRIES],
            operands={CRASHED: {"out_devices": OutputBuffer(9), "num_devices": 9}},
        ),
        ItemEnd(
            first,
            "failed",
            0.25,
            12,
            {
                CRASHED: {"deviates": 1, "conforms": 3},
                f"{SUB}/success": {"conforms": 5},
                f"{SUB}/CL_INVALID_DEVICE/1": {"weak": 2},
            },
            {CRASHED: ["num_devices=1", "num_devices=0"]},
        ),
        Deviation(
            second,
            GROUP_KEY,
            group,
            "crashes",
            "interpretation",
            ["CL_INVALID_VALUE", "CL_DEVICE_PARTITION_FAILED"],
            "died: signal SIGSEGV",
            dict.fromkeys(group, "A count is negative."),
            [CREATED, CRASH],
        ),
        Deviation(
            second,
            HUNG_KEY,
            ["clReleaseDevice/success"],
            "hangs",
            "inferred",
            ["CL_SUCCESS"],
            "hung for 5 s",
            {"clReleaseDevice/success": "The sub-device's last reference goes."},
            [CREATED, HANG],
        ),
        ItemEnd(
            second,
            "failed",
            6.5,
            30,
            {requirement: {"crashes": 1} for requirement in group} | {f"{SUB}/parent/1": {"weak": 1}},
        ),
        Confirmation(CRASHED_KEY, "deviates", 3, 3, [TOO_FEW_ENTRIES], operands={CRASHED: operands}),
        Confirmation(GROUP_KEY, "crashes", 3, 3, [CRASH]),
        Confirmation(HUNG_KEY, "flaky", 0, 3, [CREATED, HANG], note=text),
    ]
    return [*made, RunEnd("2025-11-20T23:41:30Z", 90.5)] if end else made


def conforming_lines() -> list[JournalLine]:
    """Return the lines of a run without deviations, in which every requirement that deviated conforms."""
    lines: list[JournalLine] = []
    for line in journal_lines():
        if isinstance(line, ItemEnd):
            evidence = {
                requirement: {"conforms": 2} if counts.keys() & {"deviates", "crashes", "hangs"} else counts
                for requirement, counts in line.evidence.items()
            }
            lines.append(msgspec.structs.replace(line, outcome="passed", evidence=evidence))
        elif not isinstance(line, (Deviation, Confirmation)):
            lines.append(line)
    return lines


def add_gate(result: RunResult, crashed: GateKind = "known") -> RunResult:
    """Add gate findings to a result.

    The kind is ``crashed`` for ``CRASHED`` and ``known`` for all other deviations; two more findings have other kinds.
    """
    findings = [
        GateFinding("known", 0, "as expected", deviation.requirements[0], deviation.id, 1, 3, "known")
        if deviation.requirements != [CRASHED]
        else GateFinding(crashed, 0 if crashed == "known" else 10, "so", CRASHED, deviation.id, 2, 7)
        for deviation in result.deviations
    ]
    gone = GateFinding("fixed", 12, "tested and conforming: |", "clSomething/*", "", 3, 11, HOSTILE)
    idle = GateFinding("not-tested", 0, "the run is incomplete", "clOther/*", "", 4, 15)
    gate = Gating("known.toml", "2026-11-21", 4, 12, [*findings, gone, idle])
    return msgspec.structs.replace(result, gate=gate)


def encode_journal(journal: Iterable[JournalLine]) -> bytes:
    """Return the content of a journal file with these lines."""
    return b"".join(msgspec.json.encode(line) + b"\n" for line in journal)


def write_journal(path: Path, journal: Iterable[JournalLine] | None = None) -> Path:
    """Write a journal with these lines (by default ``journal_lines()``), and return its path."""
    path.write_bytes(encode_journal(journal_lines() if journal is None else journal))
    return path


def create_large_journal(number: int, *, every: int = 40) -> tuple[list[JournalLine], FakeTables]:
    """Return the journal and tables of a run with ``number`` further requirements; one in ``every`` deviates."""
    extra: list[Requirement] = []
    evidence: dict[str, dict[str, int]] = {}
    found: list[JournalLine] = []
    item = "many.items::test_many"
    for index in range(number):
        function = f"clSomeFunctionNumber{index // 12}"
        section = Section(f"5.{index // 700 + 1}.{index // 70 % 10}", "Some Section", f"anchor-{index // 70}")
        requirement = ErrorCondition(
            f"{function}/CL_INVALID_VALUE/{index % 12 + 1}", MAIN, section, f"{index:x}", function=function
        )
        extra.append(requirement)
        if index % every == 0:
            found.append(
                Deviation(
                    item,
                    build_key(function, [requirement.id], "CL_SUCCESS"),
                    [requirement.id],
                    "deviates",
                    "literal",
                    ["CL_INVALID_VALUE"],
                    "CL_SUCCESS",
                    {requirement.id: "A size is larger than the object that it is taken from, or is zero."},
                    [CREATED, TOO_FEW_ENTRIES],
                )
            )
        elif index % 5:
            evidence[requirement.id] = {"conforms": index % 90 + 1, "weak": 3}
    whole = journal_lines(end=False)
    platform = whole[1]
    assert isinstance(platform, PlatformLine)
    words = {
        requirement.id: "A size is larger than the object that it is taken from, or is zero." for requirement in extra
    }
    whole[1] = msgspec.structs.replace(platform, conditions=platform.conditions | words)
    test_values = {requirement: ["size=0", "size=1", "size=max"] for requirement in evidence}
    whole += [
        *found,
        ItemEnd(item, "failed", 60.0, 9000, evidence, test_values),
        RunEnd("2025-11-20T23:59:00Z", 1140.0),
    ]
    return whole, create_tables(extra)
