"""The history of an extension: what changed between the driver's revision and that of the tables."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest

from clconform.oracles.engine.applicability import Applicability, applicability_of, describe_unmet_condition
from clconform.oracles.model.call_scope import CallScope
from clconform.oracles.model.devices import Device
from clconform.spec_tables import extension_history, load, loading
from clconform.spec_tables.entries import RevisionChange
from clconform.spec_tables.versions import pack_version

BUFFER, SEVERAL, MUTABLE = (f"cl_khr_command_buffer{end}" for end in ("", "_multi_device", "_mutable_dispatch"))
CREATE, FINALIZE, ENQUEUE = (f"cl{verb}CommandBufferKHR" for verb in ("Create", "Finalize", "Enqueue"))
KERNEL, COPY, UPDATE = "clCommandNDRangeKernelKHR", "clCommandCopyBufferKHR", "clUpdateMutableCommandsKHR"
RECORDING = [name for name in load().functions if name.startswith("clCommand") and name != KERNEL]
SHARED_FUNCTIONS = {CREATE, FINALIZE, "clRetainCommandBufferKHR", "clReleaseCommandBufferKHR"}
OLDER = loading.read_tables(loading.REVISIONS / "3.0.17")
NEWER = loading.read_tables(loading.REVISIONS / "3.1.1")
CHANGED_FUNCTIONS = {
    ("0.9.5", "0.9.0"): {*RECORDING, KERNEL},
    ("0.9.5", "0.9.1"): {*RECORDING, KERNEL},
    ("0.9.5", "0.9.2"): {*RECORDING, KERNEL},
    ("0.9.5", "0.9.3"): {*RECORDING},
    ("0.9.5", "0.9.4"): {*RECORDING},
    ("0.9.5", "0.9.5"): set(),
    ("0.9.5", "0.9.6"): set(),
    ("0.9.5", "0.9.7"): {ENQUEUE},
    ("0.9.5", "0.9.8"): {ENQUEUE},
    ("0.9.5", "1.0.0"): {ENQUEUE},
    ("0.9.8", "0.9.0"): {*RECORDING, KERNEL, ENQUEUE},
    ("0.9.8", "0.9.3"): {*RECORDING, ENQUEUE},
    ("0.9.8", "0.9.4"): {*RECORDING, ENQUEUE},
    ("0.9.8", "0.9.5"): {ENQUEUE},
    ("0.9.8", "0.9.6"): {ENQUEUE},
    ("0.9.8", "0.9.7"): {ENQUEUE},
    ("0.9.8", "0.9.8"): set(),
    ("0.9.8", "1.0.0"): set(),
}
"""For the revisions of the tables and of the driver: the functions of the extension that must not be called."""


@pytest.mark.parametrize(("tables", "driver"), CHANGED_FUNCTIONS)
def test_changed_functions_of_command_buffers(tables: str, driver: str) -> None:
    known = OLDER if tables == OLDER.extensions[BUFFER].revision else NEWER
    assert known.extensions[BUFFER].revision == tables
    changed = set()
    for function in known.functions.values():
        for condition in function.applicability:
            if condition.name == BUFFER and extension_history.find_change(condition.changes, BUFFER, tables, driver):
                changed.add(function.name)
    assert changed == CHANGED_FUNCTIONS[tables, driver]
    assert not changed & SHARED_FUNCTIONS


def describe(requirement: str, **revisions: str) -> tuple[Applicability, str]:
    """Return whether a requirement applies to a device with these revisions of command-buffers, and why it does not."""
    names = {"buffer": BUFFER, "several": SEVERAL, "mutable": MUTABLE}
    told = {names[key]: pack_version(*map(int, revision.split("."))) for key, revision in revisions.items()}
    array = tuple(element for name, version in told.items() for element in (version, name))
    facts = {"CL_DEVICE_EXTENSIONS": " ".join(told), "CL_DEVICE_EXTENSIONS_WITH_VERSION": array}
    device = Device("device1", facts=dict(facts))
    device.refresh()
    conditions = load().requirements[requirement].applicability
    return (
        applicability_of(conditions, CallScope(None, (device,))),
        describe_unmet_condition(conditions, None, device),
    )


@pytest.mark.parametrize(
    ("requirement", "revisions", "reason"),
    [
        (f"{FINALIZE}/CL_INVALID_COMMAND_BUFFER_KHR/1", {"buffer": "0.9.0"}, ""),
        (f"{FINALIZE}/CL_INVALID_OPERATION/1", {"buffer": "0.9.0"}, "changed at revision 0.9.1: an error is specified"),
        (f"{FINALIZE}/CL_INVALID_OPERATION/1", {"buffer": "0.9.1"}, ""),
        (f"{COPY}/success", {"buffer": "0.9.0"}, "changed at revision 0.9.3"),
        (f"{COPY}/success", {"buffer": "0.9.4"}, "changed at revision 0.9.5: the parameter properties is new"),
        (f"{COPY}/success", {"buffer": "0.9.6"}, ""),
        (f"{KERNEL}/CL_INVALID_CONTEXT/1", {"buffer": "0.9.4"}, "changed at revision 0.9.4: CL_INVALID_CONTEXT is"),
        (f"{KERNEL}/CL_INVALID_OPERATION/1", {"buffer": "0.9.4"}, ""),
        ("CL_COMMAND_BUFFER_CONTEXT_KHR", {"buffer": "0.9.1"}, "changed at revision 0.9.2: the query"),
        (f"{CREATE}/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/1", {"buffer": "0.9.6"}, "changed at revision 0.9.6"),
        (f"{CREATE}/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/2", {"buffer": "0.9.6"}, ""),
        ("CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR", {"buffer": "0.9.6"}, ""),
        ("CL_COMMAND_BUFFER_STATE_KHR", {"buffer": "1.0.0"}, "changed at revision 0.9.8: the Pending state is removed"),
        (f"{UPDATE}/success", {"buffer": "0.9.6", "mutable": "0.9.3"}, ""),
        (f"{UPDATE}/success", {"buffer": "0.9.6", "mutable": "0.9.1"}, "changed at revision 0.9.2: "),
        ("clRemapCommandBufferKHR/success", {"buffer": "0.9.6", "several": "0.9.1"}, ""),
        ("clRemapCommandBufferKHR/success", {"buffer": "0.9.7", "several": "0.9.2"}, "changed at revision 0.9.2: "),
    ],
)
def test_requirement_applies_unless_it_changed_between_the_revisions(
    requirement: str, revisions: dict[str, str], reason: str
) -> None:
    found, words = describe(requirement, **revisions)
    assert (found is Applicability.APPLIES) == (not reason)
    assert found in (Applicability.APPLIES, Applicability.OTHER_REVISION)
    assert reason in words if reason else not words


def test_change_without_a_number_concerns_both_revisions() -> None:
    change = RevisionChange("x", "0.9.4", "text", "", "", names=("clX",), until="0.9.5")
    pairs = [("0.9.5", driver) for driver in ("0.9.3", "0.9.4", "0.9.6")]
    assert [bool(extension_history.find_change((change,), "x", *pair)) for pair in pairs] == [True, True, False]


def test_removal_concerns_only_tables_of_a_later_revision() -> None:
    change = RevisionChange("x", "0.9.6", "values", "", "", names=("X",), removal=True)
    assert not extension_history.find_change((change,), "x", "0.9.5", "0.9.6")
    assert extension_history.find_change((change,), "x", "0.9.8", "0.9.5")


def test_every_change_has_reason_and_source_and_names_something() -> None:
    names = {
        name
        for tables in (OLDER, NEWER)
        for name in (
            *tables.requirements,
            *tables.functions,
            *tables.enumerants,
            "clEnqueueCommandBufferKHR/released-queue",
        )
    }
    for change in loading.read_revision_changes():
        assert change.reason
        assert change.source
        assert bool(change.names) == (change.kind in ("addition", "prototype", "values", "text"))
        for pattern in change.names:
            assert any(fnmatchcase(name, pattern) for name in names), pattern


@pytest.mark.parametrize("name", [BUFFER, SEVERAL, MUTABLE])
def test_history_contains_the_revisions_of_all_tables(name: str) -> None:
    for tables in (OLDER, NEWER):
        known = tables.extensions[name]
        assert extension_history.has_revision(known.history, known.revision)
