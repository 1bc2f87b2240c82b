"""The committed list of faults matches the tables, and contains every function of the tables."""

from __future__ import annotations

from clconform.selftest.injection.fault import Fault
from clconform.selftest.injection.fault_chapters import COVERED, chapter_of, is_in
from clconform.selftest.injection.fault_list import (
    LIST_PATH,
    encode_list,
    generate_list,
    iterate_faults,
    load_committed_list,
)
from clconform.spec_tables import load


def test_committed_fault_list_matches_the_list_generated_from_the_tables() -> None:
    """To update the list: ``LIST_PATH.write_bytes(encode_list(generate_list(load())))``."""
    assert LIST_PATH.read_bytes() == encode_list(generate_list(load()))


def test_fault_names_are_unique_and_every_function_has_faults() -> None:
    faults = list(iterate_faults(load_committed_list()))
    assert len({fault.name for fault in faults}) == len(faults)
    assert {fault.function for fault in faults} == set(load().functions)


def test_function_belongs_to_chapter_of_its_section_or_to_queries() -> None:
    tables = load()
    for function, chapter in (
        ("clCreateBuffer", "5.2"),
        ("clGetSemaphoreInfoKHR", "queries"),
        ("clCreateSampler", "5.7"),
        ("clMemFreeINTEL", "cl_intel_unified_shared_memory"),
    ):
        fault = Fault("crash", function)
        assert chapter_of(fault, tables) == chapter
        assert is_in(fault, COVERED, tables)
    assert not is_in(Fault("crash", "clCreateSemaphoreWithPropertiesKHR"), COVERED, tables)
    assert is_in(Fault("crash", "clCreateBuffer"), ("5",), tables)
