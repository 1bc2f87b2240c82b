"""Kernel writes that do not reach system memory violate the requirements for system memory."""

from __future__ import annotations

from clconform.oracles.chapters.kernels.execution_info import SYSTEM_ALLOWED, SYSTEM_BY_DEFAULT
from clconform.selftest.faults import system_memory
from clconform.suites.data import test_shared

from .attribution import record_run

FAULT = "kernel-writes-to-system-memory-lost"
STATEMENTS = (SYSTEM_ALLOWED, SYSTEM_BY_DEFAULT)
CASES = [case for case in test_shared.cases() if case.requirement in STATEMENTS]


def test_every_system_memory_fault_has_an_expected_result() -> None:
    planted = set(system_memory.faults.entries)
    assert planted == {FAULT}


def test_system_memory_fault_causes_the_expected_deviation() -> None:
    sound, faulty = (record_run("everything", each, CASES).evidence for each in ("", FAULT))
    assert [each for each in STATEMENTS if not sound[each]["conforms"] or sound[each]["deviates"]] == []
    assert [each for each in STATEMENTS if not faulty[each]["deviates"]] == []
