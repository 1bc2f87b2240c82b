"""Faults of queries cause deviations in several query functions, and new queries in the tables are covered."""

from __future__ import annotations

import msgspec
import pytest

from clconform.calls.journal import ImplementationNote
from clconform.harness import Target
from clconform.runner.journal.recorder import Recorder
from clconform.runner.session.session import Session
from clconform.selftest.trial import run_item
from clconform.spec_tables import load
from clconform.spec_tables.requirements import Flag, Query
from clconform.suites.queries import test_refusals as refusals
from clconform.suites.queries.kinds import all_object_kinds
from clconform.suites.queries.test_queries import cases

from ...sessions import InProcessSession  # noqa: TID252 (tests are not part of the installed package)
from .attribution import get_deviating, record_run

FAULTS = (
    "query-size-off-by-one",
    "string-terminator-missing",
    "value-below-minimum",
    "unknown-bit-set",
    "query-values-of-first-object",
    "query-overruns-buffer",
    "short-query-buffer-accepted",
)
QUERIES = (
    "CL_PLATFORM_NAME",
    "CL_DEVICE_NAME",
    "CL_DEVICE_MAX_WORK_GROUP_SIZE",
    "CL_DEVICE_SINGLE_FP_CONFIG",
    "CL_CONTEXT_REFERENCE_COUNT",
    "CL_QUEUE_PROPERTIES",
    "CL_QUEUE_REFERENCE_COUNT",
    "CL_MEM_FLAGS",
    "CL_MEM_SIZE",
    "CL_MEM_REFERENCE_COUNT",
    "CL_PROGRAM_BUILD_OPTIONS",
    "CL_KERNEL_FUNCTION_NAME",
    "CL_IMAGE_WIDTH",
)
DEVIATING = {
    "missing-list-reported-terminated": (
        "CL_CONTEXT_PROPERTIES",
        "CL_QUEUE_PROPERTIES_ARRAY",
        "CL_SAMPLER_PROPERTIES",
    ),
    "attribute-group-size-reversed": ("CL_KERNEL_ATTRIBUTES",),
    "sub-buffer-access-not-inherited": ("CL_MEM_FLAGS",),
    "host-ptr-not-reported": ("CL_MEM_HOST_PTR",),
    "sub-buffer-reports-parent-host-ptr": ("CL_MEM_HOST_PTR",),
    "sub-buffer-svm-not-reported": ("CL_MEM_USES_SVM_POINTER",),
    "memory-size-rounded-down": ("CL_MEM_SIZE",),
    "source-of-program-without-source-is-garbage": ("CL_PROGRAM_SOURCE",),
    "context-of-type-lists-one-device-only": ("CL_CONTEXT_DEVICES",),
    "row-pitch-of-image-of-buffer-is-larger": ("CL_IMAGE_ROW_PITCH",),
    "work-group-size-of-kernel-is-zero": ("CL_KERNEL_WORK_GROUP_SIZE",),
    "built-in-program-reports-error": ("CL_PROGRAM_BUILD_STATUS",),
    "kernel-has-more-sub-groups-than-device": ("CL_KERNEL_MAX_NUM_SUB_GROUPS",),
    "image-of-buffer-reports-host-ptr": ("CL_MEM_HOST_PTR",),
}
"""For faults of some query values, the queries that deviate."""
FEATURE_FAULTS = {
    "reported-scope-not-listed": "everything",
    "long-integers-not-listed": "numa-16",
    "unreported-feature-listed": "numa-16",
}
"""For each fault of the list of features, a platform on which it has an effect."""
LISTED = ("CL_KERNEL_ARG_ACCESS_QUALIFIER", "CL_KERNEL_ARG_TYPE_QUALIFIER")
"""Queries whose values a document lists individually."""
MIN_FUNCTIONS = 3
"""The number of query functions in which a fault must be found."""


class NoteJournal:
    """A journal that keeps only the notes."""

    def __init__(self) -> None:
        self.notes: list[ImplementationNote] = []

    def write(self, *lines: object) -> None:
        """Keep notes, and drop all other lines."""
        self.notes += [line for line in lines if isinstance(line, ImplementationNote)]


def run_queries(fault: str) -> tuple[set[str], list[ImplementationNote]]:
    """Run some queries on a platform with a fault; return the query functions that deviate, and the notes."""
    recorder, notes = record_queries(fault, QUERIES)
    return get_deviating_functions(recorder), notes


def get_deviating_functions(recorder: Recorder) -> set[str]:
    """Return the query functions that deviate."""
    functions = {key.partition(" | ")[0] for key in recorder.keys}
    return {function for function in functions if function.startswith("clGet")}


def record_queries(fault: str, queries: tuple[str, ...]) -> tuple[Recorder, list[ImplementationNote]]:
    """Run ``queries`` for every kind of object on a platform with a fault; return the recorder and the notes."""
    notebook = NoteJournal()
    recorder = record_run("everything", fault, cases(load(), queries), notebook)  # type: ignore[arg-type]
    return recorder, notebook.notes


def number_deviating(recorder: Recorder) -> set[str]:
    """Return one text for each query function that deviates, so that ``record_run`` can stop at ``MIN_FUNCTIONS``."""
    return {str(number + 1) for number, _ in enumerate(get_deviating_functions(recorder))}


@pytest.mark.parametrize("fault", FAULTS)
def test_faulty_value_is_found_in_several_functions(fault: str) -> None:
    asked = cases(load(), QUERIES)
    deviating = get_deviating_functions(
        record_run("everything", fault, asked, until={str(MIN_FUNCTIONS)}, seen_in=number_deviating)
    )
    assert len(deviating) >= MIN_FUNCTIONS, deviating


@pytest.mark.parametrize(("fault", "blamed"), DEVIATING.items())
def test_faulty_value_is_attributed_to_the_requirement_of_its_query(fault: str, blamed: tuple[str, ...]) -> None:
    keys = record_queries(fault, blamed)[0].keys
    assert set(blamed) <= {name for key in keys for name in key.split(" | ")[1].split(" + ")}


def test_each_listed_query_value_deviates_if_replaced_by_the_next_one() -> None:
    tables = load()
    types = {tables.requirements[query].type for query in LISTED}  # type: ignore[union-attr]
    flags = {each.id for each in tables.requirements.values() if isinstance(each, Flag) and each.type in types}
    evidence = record_queries("listed-value-replaced-by-next", LISTED)[0].evidence
    required = {requirement: evidence[requirement]["deviates"] for requirement in flags}
    assert all(required.values()), required


def test_write_to_the_buffer_by_a_failed_query_is_only_a_note() -> None:
    deviating, notes = run_queries("failed-query-writes-buffer")
    assert deviating == set()
    noted = {note.call.function for note in notes if "although it fails" in note.observed}
    assert len(noted) >= MIN_FUNCTIONS, noted


def test_conforming_platform_has_no_deviation() -> None:
    assert run_queries("") == (set(), [])


def test_accepted_query_name_0_is_found_in_several_functions() -> None:
    unknown = [case for case in refusals.cases(load()) if case.test_value.startswith("unknown names")]
    deviating = get_deviating_functions(record_run("everything", "query-name-0-accepted", unknown))
    assert len(deviating) > len(unknown) // 2


def test_query_added_to_the_tables_covers_every_object_kind() -> None:
    tables = load()
    known = tables.requirements["CL_DEVICE_MAX_COMPUTE_UNITS"]
    assert isinstance(known, Query)
    name = "CL_DEVICE_FROM_A_NEWER_DOCUMENT"
    added = msgspec.structs.replace(known, id=name, name=name)
    number = msgspec.structs.replace(tables.enumerants[known.name], name=name, value=0x10FE)
    function = (*tables.requirements_of("clGetDeviceInfo"), added)
    newer = msgspec.structs.replace(
        tables,
        requirements={**tables.requirements, name: added},
        enumerants={**tables.enumerants, name: number},
        _by_function={**tables._by_function, "clGetDeviceInfo": function},
    )
    mine = cases(newer, {name})
    assert all(
        name in case.further_requirements for case in cases(newer) if case.requirement == f"{known.function}/success"
    )
    assert [case.test_value for case in mine] == list(all_object_kinds()["clGetDeviceInfo"])
    recorder = Recorder(None)
    session = Session(Target.simulated("flat-4"), newer, recorder)
    try:
        with session.example():
            mine[0].action(session)
        asked = [step.call.param_name for step in session.sequence.steps]
    finally:
        session.close()
    assert 0x10FE in asked
    (deviation,) = recorder.deviations.values()
    assert deviation.requirements == [name]


@pytest.mark.parametrize("fault", FEATURE_FAULTS)
def test_feature_list_that_contradicts_other_queries_deviates(fault: str) -> None:
    """The platform returns the list of the fault from its first query on, so only other queries contradict the list."""
    target, recorder = Target.simulated(FEATURE_FAULTS[fault], "--fault", fault), Recorder(None)
    session = InProcessSession(target, load(), recorder)
    for case in cases(load(), ("CL_DEVICE_OPENCL_C_FEATURES",)):
        run_item(case, session)
    session.close()
    assert get_deviating(recorder) == {"CL_DEVICE_OPENCL_C_FEATURES"}
