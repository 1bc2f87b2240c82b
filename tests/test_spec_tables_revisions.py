"""Tables of all revisions: what an older revision ties to an extension or a version stays tied to it in a newer one."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

from clconform.spec_tables import loading

if TYPE_CHECKING:
    from clconform.spec_tables.requirements import Enumerant, Function, Requirement

REVISIONS = loading.list_revisions()
MOVED = {
    "simultaneous use of command buffers moved from cl_khr_command_buffer to cl_khr_command_buffer_mutable_dispatch": {
        "CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR",
        "CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR",
        "cl_command_buffer_flags_khr:CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR",
        "cl_device_command_buffer_capabilities_khr:CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR",
    }
}
"""Maps each reason why a newer revision ties definitions to another extension to the names of these definitions."""
VENDOR_SUFFIXES = ("KHR", "EXT", "INTEL", "AMD")


def definitions(revision: str) -> dict[str, Requirement | Function | Enumerant]:
    tables = loading.read_tables(loading.REVISIONS / revision)
    return {**tables.requirements, **tables.functions, **tables.enumerants}


def origins(definition: Requirement | Function | Enumerant) -> set[tuple[str, str]]:
    """Return the extensions and first versions that a definition needs."""
    return {(each.subject, each.name or each.since) for each in definition.applicability if each.name or each.since}


@pytest.mark.parametrize(("older", "newer"), list(itertools.combinations(REVISIONS, 2)))
def test_newer_tables_keep_the_applicability_of_older_ones(older: str, newer: str) -> None:
    before, after = definitions(older), definitions(newer)
    lost = {name for name in before.keys() & after.keys() if origins(before[name]) - origins(after[name])}
    assert lost == set().union(*MOVED.values())


@pytest.mark.parametrize("revision", REVISIONS)
def test_extension_function_and_its_error_conditions_need_an_extension(revision: str) -> None:
    tables = loading.read_tables(loading.REVISIONS / revision)
    vendor = [function for name, function in tables.functions.items() if name.endswith(VENDOR_SUFFIXES)]
    needing = [each for function in vendor for each in (function, *tables.error_conditions_of(function.name))]
    assert len(needing) > 500
    assert [each for each in needing if "extension" not in {subject for subject, _ in origins(each)}] == []
