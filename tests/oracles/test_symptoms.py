"""Symptoms: all are declared, their codes and ids never change, and no id depends on displayed text."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from clconform.calls.call import UNTOUCHED, Absent, FunctionLookup
from clconform.calls.deviation_keys import mask_numbers, parse_symptom
from clconform.findings.chapters import list_named_deviations, load_chapters, load_withdrawn
from clconform.oracles.engine import symptoms
from clconform.oracles.engine.judgements import ObservedDeviation
from clconform.oracles.engine.matchers import Mismatch
from clconform.oracles.engine.symptoms import Symptom
from clconform.reports.run_result import key_digest
from clconform.runner.journal.recorder import deviation_key

if TYPE_CHECKING:
    from collections.abc import Iterator


ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("calls", "harness", "oracles", "reports", "runner", "selftest", "simulator", "suites", "tools")
PARTITION_FUNCTION = "clCreateSubDevices"


def create_empty_entry(function: str, entry: int, **more: str) -> Symptom:
    return symptoms.function_absent(
        function, Absent("empty-entry", "in words", FunctionLookup("table", entry=entry, **more))
    )


def create_missing_entry(lookup: FunctionLookup | None) -> Symptom:
    return symptoms.function_absent("clIcdGet", Absent("no-entry", "in words", lookup))


SYMPTOMS: list[Symptom] = [
    symptoms.CODE_NOT_REQUESTED,
    symptoms.ERRCODE_NOT_WRITTEN,
    symptoms.NULL_WITH_SUCCESS,
    symptoms.NULL_WITH_ERROR,
    symptoms.unexpected_result("CL_SUCCESS"),
    symptoms.unexpected_result("CL_INVALID_VALUE"),
    symptoms.unexpected_result("-2147483647"),
    symptoms.unexpected_result("NULL"),
    symptoms.object_with_error("CL_DEVICE_NOT_FOUND"),
    symptoms.NO_RETURN,
    symptoms.RETURNED_TOO_EARLY,
    symptoms.process_ended("signal", "SIGSEGV"),
    symptoms.process_ended("abort", "SIGABRT"),
    symptoms.process_ended("exit", "2"),
    symptoms.process_ended("exit", ""),
    create_empty_entry(PARTITION_FUNCTION, 93, library="lacks"),
    create_empty_entry("clCreateProgramWithBuiltInKernels", 97, library="lacks"),
    create_empty_entry(PARTITION_FUNCTION, 93, entry_content="no-code", library="has"),
    create_empty_entry(PARTITION_FUNCTION, 93),
    create_missing_entry(FunctionLookup("loader", path="/l/libOpenCL.so.1")),
    create_missing_entry(FunctionLookup("library", path="/l/driver.so")),
    create_missing_entry(FunctionLookup("table", entry=7)),
    symptoms.NO_TERMINATOR,
    symptoms.EARLY_TERMINATOR,
    symptoms.OTHER_SIZE,
    symptoms.HANDLE_IN_USE,
    symptoms.unexpected_values(["CL_DEVICE_MAX_COMPUTE_UNITS"]),
    symptoms.unexpected_values(["CL_DEVICE_PARTITION_TYPE", "CL_DEVICE_PARTITION_BY_COUNTS"]),
    symptoms.no_new_handles([UNTOUCHED]),
    symptoms.no_new_handles([None]),
    symptoms.no_new_handles(["device2", None, UNTOUCHED]),
    symptoms.no_new_handles([]),
    symptoms.unexpected_handle_count(3),
    symptoms.excess_sub_devices(5),
    symptoms.UNEXPECTED_BYTES,
    symptoms.HEAP_CORRUPTED,
    symptoms.BYTES_OF_ANOTHER_PROCESS,
    symptoms.buffer_overrun(["out_devices", "num_devices_ret"]),
    symptoms.NEVER_CALLED,
    symptoms.never_called_for(0, late=False),
    symptoms.never_called_for(0, late=True),
    symptoms.CALLED_AGAIN,
    symptoms.CALLED_TOO_EARLY,
    symptoms.CALLED_TOO_LATE,
    symptoms.UNEXPECTED_ORDER,
    symptoms.OTHER_USER_DATA,
    symptoms.unexpected_argument("event_command_status"),
    symptoms.unexpected_argument("event_command_status", symptoms.AN_ERROR_CODE),
    symptoms.unexpected_argument("event_command_status", symptoms.AN_ERROR_TOO),
]
PUBLISHED_LINES = """
59ea0346 clCreateContext | clCreateContext/success | an error
e16fb679 clCreateContext | clCreateContext/success | errcode_ret left as it was
d4fbe3ee clCreateContext | clCreateContext/success | NULL with CL_SUCCESS
15a12f3f clLinkProgram | clLinkProgram/effect/16 | NULL with an error that comes with an object
4b6abff5 clCreateBufferWithProperties | clCreateBufferWithProperties/CL_INVALID_PROPERTY/1 | CL_SUCCESS
d15b2638 clCreateBufferWithProperties | clCreateBufferWithProperties/CL_INVALID_PROPERTY/1 | CL_INVALID_VALUE
650ef7cb clGetDeviceInfo | clGetDeviceInfo/CL_INVALID_VALUE/1 | -2147483647
f0adb529 clSVMAlloc | clSVMAlloc/success | NULL
76161861 clCreateContextFromType | clCreateContextFromType/success | an object with CL_DEVICE_NOT_FOUND
ea447fdd clFlush | clFlush/success | no answer
16c53d1d clWaitForEvents | clWaitForEvents/effect/1 | returned too early
8b20e378 clEnqueueReadBufferRect | clEnqueueReadBufferRect/CL_INVALID_VALUE/2 | signal SIGSEGV
a23ca6de clCreateSubBuffer | clCreateSubBuffer/CL_INVALID_VALUE/5 | abort SIGABRT
66ff70b9 clCreateCommandQueueWithProperties | clCreateCommandQueueWithProperties/CL_INVALID_QUEUE_PROPERTIES/1 | exit 2
a21ed909 clFlush | clFlush/success | exit
5ba3b12d clCreateSubDevices | clCreateSubDevices/success | empty-entry: the loader hands out its own address for clCreateSubDevices, but entry 93 of the driver's dispatch table holds nothing; the driver's library does not know the function either
ee3370d3 clCreateProgramWithBuiltInKernels | clCreateProgramWithBuiltInKernels/success | empty-entry: the loader hands out its own address for clCreateProgramWithBuiltInKernels, but entry 97 of the driver's dispatch table holds nothing; the driver's library does not know the function either
7072f7ee clCreateSubDevices | clCreateSubDevices/success | empty-entry: the loader hands out its own address for clCreateSubDevices, but entry 93 of the driver's dispatch table holds no address of a function; the driver's library knows the function
9bdf4d9b clCreateSubDevices | clCreateSubDevices/success | empty-entry: the loader hands out its own address for clCreateSubDevices, but entry 93 of the driver's dispatch table holds nothing
b7e5d425 clIcdGet | clIcdGet/success | no-entry: the loader /l/libOpenCL.so.1 does not know clIcdGet
c7dcfd98 clIcdGet | clIcdGet/success | no-entry: /l/driver.so does not know clIcdGet
dc9151f3 clIcdGet | clIcdGet/success | no-entry: entry 7 (clIcdGet) of the driver's dispatch table is empty
c09b76e3 clGetPlatformInfo | CL_PLATFORM_NAME | no terminator
2bcd8ba4 clGetKernelInfo | CL_KERNEL_ATTRIBUTES | a terminator inside
e809b15b clGetDeviceInfo | CL_DEVICE_NAME | other size
83ff1729 clCreateSubDevices | clReleaseDevice/effect/3 | the handle of a living object again
38f08707 clGetDeviceInfo | CL_DEVICE_MAX_COMPUTE_UNITS | other values than CL_DEVICE_MAX_COMPUTE_UNITS allows
419be194 clGetDeviceInfo | CL_DEVICE_PARTITION_TYPE | other values than CL_DEVICE_PARTITION_TYPE + CL_DEVICE_PARTITION_BY_COUNTS allows
762b382e clEnqueueMemFillINTEL | clEnqueueMemFillINTEL/success | untouched
f0adb529 clSVMAlloc | clSVMAlloc/success | NULL
05c7ce40 clCreateSubDevices | clCreateSubDevices/success | {device2, NULL, untouched}
2960b0fd clCreateSubDevices | clCreateSubDevices/success | {}
ee24290d clCreateSubDevices | clCreateSubDevices/success | 3 handles
63de92c5 clCreateSubDevices | CL_DEVICE_PARTITION_MAX_SUB_DEVICES | 5 sub-devices
44b66658 clEnqueueReadBuffer | clEnqueueFillBuffer/success | wrong bytes
83e4f1ac clEnqueueReadBuffer | clEnqueueWriteBuffer/success | heap spoilt
62644088 clEnqueueReadBuffer | OpenCL:valid-usage-and-undefined-behavior/2 | bytes that a process before has written
0bc390a4 clCreateSubDevices | clCreateSubDevices/success | out_devices, num_devices_ret overrun
434101e2 host_await | clSetKernelArg/effect/1 | a callback never comes
d392712d host_await | clSetEventCallback/success | a callback for status 0 never comes
f39f4459 host_await | clSetEventCallback/success | a callback for a past status 0 never comes
ef12da2e clFlush | clSetEventCallback/success | called again
e618cae0 clFlush | clSetEventCallback/success | called too early
5ab0f0c4 clReleaseContext | clSetContextDestructorCallback/success | called too late
52d5d24b clReleaseMemObject | clSetMemObjectDestructorCallback/success | wrong order
ab4bca3c clFlush | clSetEventCallback/success | other user data
0edee29a clSetUserEventStatus | clSetEventCallback/success | another event_command_status
fd4a02f6 clSetEventCallback | clSetEventCallback/success | another event_command_status than an error code
9726fc97 clSetEventCallback | clSetEventCallback/success | another event_command_status than an error too
""".strip().splitlines()  # noqa: E501
"""The published id and key of one deviation for each of these symptoms; lines are never changed."""


def create_deviation(requirements: str, symptom: Symptom, **words: Any) -> ObservedDeviation:
    given = {"allowed": ("this",), "observed": "that", "conditions": {}} | words
    return ObservedDeviation(tuple(requirements.split(" + ")), "deviates", "literal", symptom=symptom, **given)


@pytest.mark.parametrize(
    ("symptom", "published"),
    list(zip(SYMPTOMS, PUBLISHED_LINES, strict=True)),
    ids=[line[:8] for line in PUBLISHED_LINES],
)
def test_symptom_codes_and_deviation_ids_equal_published_ones(symptom: Symptom, published: str) -> None:
    short, key = published.split(" ", 1)
    function, requirements, code = key.split(" | ", 2)
    assert symptom.code == code
    assert deviation_key(function, create_deviation(requirements, symptom)) == key
    assert parse_symptom(key) == code
    assert key_digest(key)[:8] == short


def test_at_least_21_published_ids_occur_in_the_findings() -> None:
    named = list_named_deviations(load_chapters()).union(*(finding.ids for finding in load_withdrawn()))
    assert sum(line.split()[0] in named for line in PUBLISHED_LINES) >= 21


def test_every_declared_symptom_is_in_the_snapshot() -> None:
    own = Path(__file__).read_text(encoding="utf-8")
    missing = [name for name in list_declared_symptoms() if f"symptoms.{name}" not in own]
    assert missing == []


def list_declared_symptoms() -> Iterator[str]:
    """Yield the names of the symptoms and of the functions that create symptoms."""
    for name, value in vars(symptoms).items():
        if name.startswith("_") or name in ("Symptom", "Demand"):
            continue
        made = inspect.isfunction(value) and value.__module__ == symptoms.__name__
        if made or isinstance(value, Symptom) or (name.startswith("AN_ERROR_")):
            yield name


def parse_sources() -> Iterator[tuple[Path, ast.Module]]:
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            yield path, ast.parse(path.read_text(encoding="utf-8"))


def get_last_name(node: ast.expr) -> str:
    """Return the last part of the name that is called or read."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def test_modules_use_only_symptoms_declared_in_one_module() -> None:
    known = set(list_declared_symptoms()) | {"Symptom", "Demand"}
    wrong = []
    for path, tree in parse_sources():
        if path.name == "symptoms.py":
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and get_last_name(node.func) in ("Symptom", "Demand"):
                wrong.append(f"{path}:{node.lineno} makes one")
            elif isinstance(node, ast.Attribute) and get_last_name(node.value) == "symptoms" and node.attr not in known:
                wrong.append(f"{path}:{node.lineno} {node.attr}")
    assert wrong == []


def test_no_mismatch_or_deviation_is_created_with_text_as_symptom() -> None:
    """The source has no text as symptom. The types check that the value is a ``Symptom``."""
    fields = {"Mismatch": 4, "ObservedDeviation": 7}
    found, wrong = 0, []
    for path, tree in parse_sources():
        if path.parts[-2] == "reports":  # its deviations have no symptom
            continue
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and get_last_name(node.func) in fields):
                continue
            found += 1
            by_name = next((each.value for each in node.keywords if each.arg == "symptom"), None)
            given = by_name or (node.args[-1] if len(node.args) == fields[get_last_name(node.func)] else None)
            told = [each for each in ast.walk(given) if isinstance(each, ast.Constant | ast.JoinedStr)] if given else []
            if given is None or told:
                wrong.append(f"{path}:{node.lineno}")
    assert wrong == []
    assert found > 20


@pytest.mark.parametrize("symptom", ["wrong bytes", None, ""])
def test_deviation_with_text_as_symptom_is_rejected(symptom: Any) -> None:
    with pytest.raises(TypeError, match="not a symptom"):
        Mismatch("r", "a", "o", symptom)
    with pytest.raises(TypeError, match="not a symptom"):
        create_deviation("r", symptom)


def test_symptom_without_code_is_rejected() -> None:
    with pytest.raises(ValueError, match="without a code"):
        Symptom("")


def test_harness_reports_lookup_of_each_missing_function() -> None:
    """A lookup, instead of text, identifies the deviation.

    Only ``version_obstacle``, which is never a deviation, has none.
    """
    for name in ("entry_points.py", "driver.py"):
        tree = ast.parse((ROOT / "harness" / name).read_text(encoding="utf-8"))
        gates = {
            node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == "version_obstacle"
        }
        inside = {id(each) for node in gates for each in ast.walk(node)}
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and get_last_name(node.func) == "Absent"]
        assert all(len(node.args) == 3 for node in calls if id(node) not in inside)


def test_code_of_missing_function_without_lookup_contains_fallback_text() -> None:
    assert create_missing_entry(None).code == "no-entry: in words"


def test_numbers_in_symptoms_are_masked() -> None:
    codes = [symptoms.never_called_for(status, late=False).code for status in (0, 1)]
    assert {mask_numbers(code) for code in codes} == {"a callback for status # never comes"}
    assert mask_numbers("CL_DEVICE_IMAGE2D_MAX_WIDTH") == "CL_DEVICE_IMAGE2D_MAX_WIDTH"
